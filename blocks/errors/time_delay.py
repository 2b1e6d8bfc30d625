"""Time delay, of whole ticks or interpolated between them.

    y_k = (1 - f) u_{k-n} + f u_{k-n-1},   delay = (n + f) dt,   0 <= f < 1

Before the first sample has come through, y is `initial`. A delay of whole ticks (f = 0) gives the
samples back bit for bit; between ticks, linear interpolation lowers the gain at frequency w to
|1 - f + f exp(-j w dt)|.

A delay of at least one tick does not pass its input through within a tick, and so breaks an
algebraic loop. Which of the two it is belongs to the built program: `min_delay` is one tick for
blocks made with delay >= dt and 0 for the others, and smaller delays are refused in a sweep, as are
those above `max_delay`.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from hybsim.blocks.ticks import stored_ticks, ticks
from hybsim.errors import ParameterError
from hybsim.kernel import Integer, Params, Ports, Prepared, Real, Sampled, kernel


@kernel
def behind(place, n, length):
    """The place in a ring `n` places before another; a branch costs less than a modulo."""
    return place - n if place >= n else place - n + length


class Delay(Sampled):
    """A delay of whole ticks or interpolated between them."""

    ins = Ports(signal="what to delay")
    outs = Ports(delayed="the signal as it was `delay` seconds ago")
    params = Params(
        delay=Real("delay in s", at_least=0.0),
        max_delay=Real("longest delay of a sweep in s; None for `delay`", None, at_least=0.0, optional=True),
        min_delay=Real(
            "shortest delay of a sweep in s; None for dt where delay >= dt, else 0",
            None,
            at_least=0.0,
            optional=True,
        ),
        initial=Real("output before the first sample has come through", 0.0),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(delay=0.02)

    @classmethod
    def settle(cls, q: SimpleNamespace, dt: float) -> dict[str, float]:
        # Later delays are checked against the program as it was built.
        shortest, longest = limits(q, dt)
        return {"min_delay": shortest, "max_delay": longest}

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        shortest, longest = limits(q, dt)
        n = ticks(q.delay, dt)
        if n > ticks(longest, dt):
            raise ParameterError(
                f"The delay of {q.delay:g} s is longer than max_delay={longest:g} s;"
                " declare max_delay= for the longest delay."
            )
        if n < ticks(shortest, dt):
            raise ParameterError(
                f"The delay of {q.delay:g} s is shorter than min_delay={shortest:g} s;"
                " declare min_delay= for the shortest delay"
                f" (below one tick, {dt:g} s, the input passes through within the tick)."
            )
        whole = math.floor(n)
        length = max(1, stored_ticks("max_delay", longest, dt))
        return Prepared(
            p=dict(whole=whole, fraction=n - whole),
            x=dict(past=np.full(length * q.width, q.initial), head=0.0),
            widths=dict(signal=q.width, delayed=q.width),
            structure=dict(direct=int(ticks(shortest, dt) < 1.0), length=length, width=q.width),
        )

    @classmethod
    def check_run(cls, q: SimpleNamespace, dt: float, duration: float) -> None:
        if q.delay > duration:
            raise ParameterError(
                f"The delay of {q.delay:g} s is longer than the run of {duration:g} s; run longer or shorten the delay."
            )

    @kernel
    def outputs(u, x, p, y):
        newer = behind(int(x.head), p.whole, p.length)  # where u_{k-n} is kept
        older = behind(newer, 1, p.length)
        for i in range(p.width):
            value = x.past[newer * p.width + i]
            if p.direct == 1 and p.whole == 0:
                value = u.signal[i]
            if p.fraction != 0.0:
                value = (1.0 - p.fraction) * value + p.fraction * x.past[older * p.width + i]
            y.delayed[i] = value

    @kernel
    def update(u, x, p):
        head = int(x.head)
        for i in range(p.width):
            x.past[head * p.width + i] = u.signal[i]
        x.head = 0.0 if head + 1 == p.length else x.head + 1.0


def limits(q: SimpleNamespace, dt: float) -> tuple[float, float]:
    """The shortest and the longest delay in s, with their defaults."""
    shortest = q.min_delay if q.min_delay is not None else (dt if ticks(q.delay, dt) >= 1.0 else 0.0)
    return shortest, q.max_delay if q.max_delay is not None else q.delay
