"""The part of the report about specimens."""

from __future__ import annotations

from collections.abc import Iterable

from hybsim.studies.verification import opensees_materials, specimens
from hybsim.studies.verification.report import Section, table
from hybsim.studies.verification.specimen_rows import Row

INTRODUCTION = """\
## Specimens

Each specimen as a diagram of its own, on a path given tick by tick. The error is over the theory (as it is, where
that is 0); areas are taken by the trapezoidal rule over the ticks, which is most of the error of a curved loop.
"""

OPENSEES = """\
### Against OpenSees

Forces on the same path as OpenSees' uniaxial material: random walks far beyond yielding, cycles of growing amplitude,
and 1 Hz for the dampers. The error is the largest difference on the path over the largest force. `BoucWen` and `BWBN`
take implicit Euler steps and are extrapolated to steps without length; `Maxwell` and `ViscousDamper` see another path
between ticks of 1 ms.
"""


def section() -> Section:
    """Measure all specimens."""
    closed, compared = specimens.rows(), opensees_materials.rows()
    parts = [INTRODUCTION, listed(closed)]
    why = opensees_materials.missing()
    parts += [
        OPENSEES,
        listed(compared, "OpenSees") if why is None else f"Not measured when this page was written. {why}\n",
    ]
    return Section("\n".join(parts), out_of_tolerance([*closed, *compared]))


def listed(rows: Iterable[Row], against: str = "theory") -> str:
    """Rows as a table."""
    return table(
        ["specimen", "quantity", "measured", against, "error", "source"],
        [
            [
                f"`{r['specimen']}`", str(r["quantity"]), number(r["measured"]), number(r["theory"]),
                error(float(r["error"])), str(r["source"]).replace("|", "\\|"),
            ]
            for r in rows
        ],
    )  # fmt: skip


def out_of_tolerance(rows: Iterable[Row]) -> list[str]:
    """A sentence for each number that is not as theory says."""
    return [
        f"{r['specimen']}: {r['quantity']} is {r['measured']:.9g}, {r['source']} says {r['theory']:.9g}."
        for r in rows
        if not float(r["error"]) <= float(r["tolerance"])
    ]


def number(value: str | float) -> str:
    # Rounding noise is not a number to print: it differs from machine to machine.
    return f"{value:.6g}" if abs(float(value)) > 1e-12 else "0"


def error(value: float) -> str:
    return f"{value:.0e}" if value > 1e-11 else "< 1e-11"
