"""The part of the report about command generators."""

from __future__ import annotations

from collections.abc import Iterable

from hybsim.studies.verification import generators
from hybsim.studies.verification.report import Section, table
from hybsim.studies.verification.rows import HEAD, Row, compared, out_of_tolerance

INTRODUCTION = """\
## Command generators

Event-driven generators of 1200 ticks a step, slowing down from tick 720 and holding at 960, with targets that come a
given number of ticks after the target before was reached. Errors are in the unit of the quantity.
"""

DURATIONS = """\
### Durations of a step on every path of the state chart, in ticks

`EVENTDRIVEN`: k_max, 0.7 k_max + a/2 and a + 0.2 k_max for a target after a ticks (EERC Sec. 6.3.2).
`EVENTDRIVEN_SMOOTH`: a + k_max - hold + W e + W/2 (1 - e)^2 with e = exp(-(a - slow)/W), W = hold - slow. The random
delays are like those of EERC Fig. 5-12d: 160 ticks at least, about 286 in the mean, 1260 at most.
"""

VELOCITIES = """\
### Velocity of the command at the transitions

On a ramp, over the velocity of a step without delay.
"""

STEPS = """\
### Steps of the command when a target comes

Targets on a sine; slopes are over t = k/k_max, without the speed of the counter. In theory the command steps by
t (1+t) (2+t)/6 times the fourth difference of the targets, its slope by the derivative of that; parabolas by t (1+t)/2
times the third difference. Where a target is reached, nothing steps.
"""

EXACTNESS = """\
### Exactness and unloading

Cubic (quadratic) motion with a lead, on all paths; then a spring in free vibration against the damped oscillation of
the stored mass and damping, 1 Hz and 5 %, in the model's time.
"""


def section() -> Section:
    """Measure all command generators that follow targets."""
    parts = [
        (DURATIONS, generators.durations()),
        (VELOCITIES, generators.velocities()),
        (STEPS, generators.update_steps()),
        (EXACTNESS, [*generators.exactness(), *generators.unloading()]),
    ]
    text = "\n".join([INTRODUCTION, *(f"{words}\n{listed(rows)}" for words, rows in parts)])
    return Section(text, out_of_tolerance(r for _, rows in parts for r in rows))


def listed(rows: Iterable[Row]) -> str:
    """Rows as a table; their errors are in the unit of the quantity."""
    return table(
        [*HEAD, "tolerance"],
        [[*compared(r)[:-1], amount(r.error), amount(r.tolerance)] for r in rows],
    )


def amount(value: float) -> str:
    return f"{value:.2g}" if value > 1e-9 else "< 1e-9"
