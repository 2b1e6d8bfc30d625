"""The part of the report about noise, delays, lost samples and sensors."""

from __future__ import annotations

import math
from collections.abc import Iterable

from hybsim.studies.verification import error_delays, error_sensors, noise
from hybsim.studies.verification.error_rows import CHANCE
from hybsim.studies.verification.report import Section, table
from hybsim.studies.verification.rows import HEAD, Bounded, compared, number, out_of_tolerance

DIGITS = 5

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
    return Section(text, out_of_tolerance(row for _, rows in parts for row in rows))


def listed(rows: Iterable[Bounded]) -> str:
    """Rows as a table."""
    return table([*HEAD, "allowed", "source"], [[*compared(r, DIGITS), allowed(r), r.source] for r in rows])


def allowed(r: Bounded) -> str:
    if math.isinf(r.low):
        return f"at most {number(r.high, DIGITS)}"
    if r.theory is not None and r.high - r.theory <= 1e-6 * max(1.0, abs(r.theory)):
        return "rounding"
    return f"{number(r.low, DIGITS)} to {number(r.high, DIGITS)}"
