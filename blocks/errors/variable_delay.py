"""Time delay that varies: the delay is a signal.

    y_k = (1 - f) u_{k-n} + f u_{k-n-1},   delay_k = (n + f) dt,   0 <= f < 1

The delay is read at every tick and may take any value from `min_delay` to `max_delay`; one below, beyond or not
a number stops the run. Before the first sample has come through, y is `initial`. Between ticks the samples are
interpolated linearly, as in DELAY.

With min_delay of at least one tick the signal does not pass through within a tick, which breaks an algebraic
loop of the signal; the delay itself always acts at once.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from hybsim.blocks.errors.time_delay import behind
from hybsim.blocks.ticks import COINCIDENT, stored_ticks, ticks
from hybsim.errors import ParameterError
from hybsim.kernel import Integer, Params, Ports, Prepared, Real, Sampled, kernel


@kernel
def in_ticks(seconds, dt):
    """A delay in ticks; next to a whole number, that number."""
    n = seconds / dt
    nearest = float(math.floor(n + 0.5))
    return nearest if abs(n - nearest) <= COINCIDENT * max(1.0, nearest) else n


class VariableDelay(Sampled):
    """A delay given by a signal, interpolated between ticks."""

    ins = Ports(signal="what to delay", delay="delay in s")
    outs = Ports(delayed="the signal as it was `delay` seconds ago")
    params = Params(
        max_delay=Real("longest delay in s; a longer one stops the run", at_least=0.0),
        min_delay=Real("shortest delay in s; a shorter one stops the run", 0.0, at_least=0.0),
        initial=Real("output before the first sample has come through", 0.0),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(max_delay=3.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        shortest, longest = ticks(q.min_delay, dt), ticks(q.max_delay, dt)
        if shortest > longest:
            raise ParameterError(
                f"min_delay={q.min_delay:g} s is longer than max_delay={q.max_delay:g} s; exchange or widen them."
            )
        length = max(1, stored_ticks("max_delay", q.max_delay, dt))
        return Prepared(
            p=dict(dt=dt, shortest=shortest, longest=longest),
            x=dict(past=np.full(length * q.width, q.initial), head=0.0),
            widths=dict(signal=q.width, delayed=q.width),
            structure=dict(direct=int(shortest < 1.0), length=length, width=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        n = in_ticks(u.delay, p.dt)
        # A delay outside its limits must not fault here before `update` says what is wrong.
        n = min(n, p.longest) if n >= p.shortest else p.shortest
        whole = int(n)
        fraction = n - whole
        newer = behind(int(x.head), whole, p.length)
        older = behind(newer, 1, p.length)
        for i in range(p.width):
            value = x.past[newer * p.width + i]
            if p.direct == 1 and whole == 0:
                value = u.signal[i]
            if fraction != 0.0:
                value = (1.0 - fraction) * value + fraction * x.past[older * p.width + i]
            y.delayed[i] = value

    @kernel
    def update(u, x, p):
        n = in_ticks(u.delay, p.dt)
        assert n >= p.shortest, "the delay is below min_delay (0 s unless declared) or not a number; limit the signal"
        assert n <= p.longest, "the delay is beyond max_delay; declare a longer max_delay or limit the signal"
        head = int(x.head)
        for i in range(p.width):
            x.past[head * p.width + i] = u.signal[i]
        x.head = 0.0 if head + 1 == p.length else x.head + 1.0
