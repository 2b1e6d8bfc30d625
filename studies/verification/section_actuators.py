"""The part of the report about actuators and the rig."""

from __future__ import annotations

from collections.abc import Iterable

from hybsim.studies.verification import actuator_models, actuator_numbers, actuator_rig
from hybsim.studies.verification.actuator_rows import Number, Response, degrees
from hybsim.studies.verification.report import Section, table

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
    text = "\n".join([RESPONSES, listed_responses(responses), NUMBERS, listed_numbers(numbers)])
    rows: list[Response | Number] = [*responses, *numbers]
    return Section(text, [failure for row in rows if (failure := row.failure())])


def listed_responses(rows: Iterable[Response]) -> str:
    """Responses as a table."""
    return table(
        ["block", "path", "Hz", "gain", "python-control", "phase, deg", "python-control", "error"],
        [
            [
                f"`{r.block}`", r.path, f"{r.hertz:.4g}", f"{abs(r.measured):.6g}", f"{abs(r.theory):.6g}",
                f"{degrees(r.measured):.3f}", f"{degrees(r.theory):.3f}", error(r.error),
            ]
            for r in rows
        ],
    )  # fmt: skip


def listed_numbers(rows: Iterable[Number]) -> str:
    """Numbers as a table."""
    return table(
        ["block", "quantity", "measured", "theory", "error", "source"],
        [[f"`{r.block}`", r.quantity, f"{r.measured:.6g}", f"{r.theory:.6g}", error(r.error), r.source] for r in rows],
    )


def error(value: float) -> str:
    # Rounding noise is not a number to print: it differs from machine to machine.
    return f"{value:.0e}" if value > 1e-11 else "< 1e-11"
