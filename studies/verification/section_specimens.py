"""The part of the report about specimens."""

from __future__ import annotations

from hybsim.studies.verification import opensees_materials, specimens
from hybsim.studies.verification.report import Section
from hybsim.studies.verification.rows import listed, out_of_tolerance

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
    why = opensees_materials.missing()
    if why is None:
        beside = listed(compared, "specimen", "OpenSees")
    else:
        beside = f"Not measured when this page was written. {why}\n"
    text = "\n".join([INTRODUCTION, listed(closed, "specimen"), OPENSEES, beside])
    return Section(text, out_of_tolerance([*closed, *compared]))
