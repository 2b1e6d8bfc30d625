"""The part of the report about prediction and compensation."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from hybsim.studies.verification import compensator_estimates, compensator_polynomials
from hybsim.studies.verification.compensator_sweeps import CASES, DT, HERTZ, PLANTS, late, responses
from hybsim.studies.verification.report import Section, table
from hybsim.studies.verification.rows import Response, listed, out_of_tolerance, size

INTRODUCTION = f"""\
## Compensators

All at {1.0 / DT:g} Hz. Delays are counted from tick to tick: a sampled delay of n ticks is n ticks, and the hold in
front of TS_1 adds half a tick to its low-frequency delay a_1/a_0, 13.86 ms together. Compensator and plant together,
measured in the compiled engine, are compared with their transfer functions at z = exp(j w dt) in complex arithmetic.

### Polynomials

The horizon is 12.3 ticks; powers of time are in units of 50 ms.
"""

SWEEPS = """\
### Residual delay and amplitude

Sines of 0.5 to 10 Hz, each for 5 s, of which the last 2 s are measured: position over signal at the frequency of the
sine. Cells hold what was measured and what theory says; the error is the largest |H - theory| of the five.

Compensators are given the low-frequency delay of the plant. FEEDFORWARD is left with the delays of its filter and of
the hold, unless its model has a lag in place of them (led); its model of the pure delay is a lag of 10 ms. ATS starts
from 0.8 of the delay: with its coefficients held the rest remains, and with them adapting the theory of a steady sine
is a delay of 0 and an amplitude of 1. PREDICTOR_ADAPTIVE starts from no delay and takes that of DELAYESTIMATOR, in
theory the plant's phase at that frequency. PIDCONTROL is a loop around the plant (Kp = 0.1, Ki = 5/s, Kd = 0.2 ms, the
reference fed forward).
"""

ESTIMATES = """\
### Estimated delay

DELAYESTIMATOR, its window the last 2 s of each sine. The error is over the theory.
"""


def section() -> Section:
    """Measure all compensators."""
    exact, estimates = compensator_polynomials.rows(), compensator_estimates.rows()
    swept = {plant.name: responses(plant) for plant in PLANTS}
    parts = [INTRODUCTION, listed(exact), SWEEPS]
    for name, found in swept.items():
        parts.append(f"Plant: {name}, residual delay in ms.\n\n{by_frequency(found, milliseconds)}")
        parts.append(f"Plant: {name}, amplitude.\n\n{by_frequency(found, amplitude)}")
    parts += [ESTIMATES, listed(estimates)]
    return Section("\n".join(parts), out_of_tolerance([*exact, *estimates, *chain(*swept.values())]))


def by_frequency(found: list[Response], shown: Callable[[complex, float], str]) -> str:
    """A row for each compensator, a column for each frequency."""
    lines = []
    for case in CASES:
        of_case = [r for r in found if r.block == case.name]
        cells = [f"{shown(r.measured, r.hertz)} / {shown(r.theory, r.hertz)}" for r in of_case]
        lines.append([case.name, *cells, size(max(r.error for r in of_case))])
    return table(["compensator", *(f"{hertz:g} Hz" for hertz in HERTZ), "error"], lines)


def milliseconds(response: complex, hertz: float) -> str:
    return f"{round(late(response, hertz), 3) + 0.0:.3f}"


def amplitude(response: complex, hertz: float) -> str:
    return f"{abs(response):.4f}"
