"""The part of the report about noise, delays, lost samples and sensors."""

from __future__ import annotations

import math
from collections.abc import Iterable

from hybsim.studies.verification import error_delays, error_sensors, noise
from hybsim.studies.verification.error_rows import CHANCE, Row, out_of_bounds
from hybsim.studies.verification.report import Section, table

INTRODUCTION = f"""\
## Errors and sensors

Each model in a diagram of its own. Random numbers are measured over many seeds in sweeps; their bounds follow from
theory, and a row lies outside them by chance once in {1 / CHANCE:,.0f} times although the theory is right. Where a row
is the largest of many numbers, only its bound is known. The seeds are fixed: a row does not change from run to run.
"""

NOISE = """\
### Noise

Moments, distribution, whiteness, spectrum and independence. Held noise (`WHITENOISE`, `LOADCELL`: 10 ticks of 1 ms, a
band of 50 Hz) is compared with its density times the squared response of the hold.
"""

DELAYS = """\
### Delays and lost samples

The delay of each packet, as it arrived, against scipy's distribution within the declared limits.
"""

SENSORS = """\
### Sensors
"""


def section() -> Section:
    """Measure all errors and sensors."""
    parts = ((NOISE, noise.rows()), (DELAYS, error_delays.rows()), (SENSORS, error_sensors.rows()))
    text = "\n".join([INTRODUCTION, *(part for words, rows in parts for part in (words, listed(rows)))])
    return Section(text, out_of_bounds(row for _, rows in parts for row in rows))


def listed(rows: Iterable[Row]) -> str:
    """Rows as a table."""
    return table(
        ["block", "quantity", "measured", "theory", "error", "allowed", "source"],
        [
            [f"`{r.block}`", r.quantity, number(r.measured), "" if r.theory is None else number(r.theory), error(r),
             allowed(r), r.source]
            for r in rows
        ],
    )  # fmt: skip


def allowed(r: Row) -> str:
    if math.isinf(r.low):
        return f"at most {number(r.high)}"
    if r.theory is not None and r.high - r.theory <= 1e-6 * max(1.0, abs(r.theory)):
        return "rounding"
    return f"{number(r.low)} to {number(r.high)}"


def error(r: Row) -> str:
    """Over the theory, or as it is where that is 0."""
    if r.theory is None:
        return ""
    value = abs(r.measured - r.theory) / (abs(r.theory) or 1.0)
    return f"{value:.0e}" if value > 1e-11 else "< 1e-11"


def number(value: float) -> str:
    # Rounding noise is not a number to print: it differs from machine to machine.
    return f"{value:.5g}" if abs(value) > 1e-12 else "0"
