"""The part of the report about actuators and the rig."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable

from hybsim.studies.verification import actuator_models, actuator_numbers, actuator_rig
from hybsim.studies.verification.report import Section, table
from hybsim.studies.verification.rows import Response, listed, out_of_tolerance, size

RESPONSES = f"""\
## Actuators and rig

### Frequency responses

A steady sine through the block, fitted by least squares once the transients have died away, next to python-control's
value of a system put together from transfer functions. The error is that of the complex number over its size.
Continuous blocks run with the classical Runge-Kutta method at ticks of {1e3 * actuator_models.TICK:g} ms; sampled ones
at {1e3 * actuator_models.COARSE:g} ms, against the discretised system.
"""

NUMBERS = """\
### Delays, cut-offs, limits

Delays at low frequency are extrapolated from two steady sines and cut-offs found by bisection, with nothing known but
what came out of the block. EERC measured 90 ms with the gains 0.5, 0.25 of its PD loop (the model is set to that) and
38 ms and about 5 Hz with them doubled, where the model gives the figures below. A straight line through the phase up
to 2 Hz, as EERC fitted it, gives less than the delay at low frequency for a lag that is not a pure delay.
"""


def section() -> Section:
    """Measure all actuators and all parts of the rig."""
    responses, numbers = actuator_models.rows(), [*actuator_numbers.rows(), *actuator_rig.rows()]
    text = "\n".join([RESPONSES, listed_responses(responses), NUMBERS, listed(numbers)])
    return Section(text, [*out_of_tolerance(responses), *out_of_tolerance(numbers)])


def listed_responses(rows: Iterable[Response]) -> str:
    """Responses as a table."""
    return table(
        ["block", "path", "Hz", "gain", "python-control", "phase, deg", "python-control", "error"],
        [
            [
                f"`{r.block}`", r.path, f"{r.hertz:.4g}", f"{abs(r.measured):.6g}", f"{abs(r.theory):.6g}",
                f"{degrees(r.measured):.3f}", f"{degrees(r.theory):.3f}", size(r.error),
            ]
            for r in rows
        ],
    )  # fmt: skip


def degrees(response: complex) -> float:
    """The phase in degrees."""
    return math.degrees(cmath.phase(response))
