"""Peak hold: the largest and the smallest value so far, the largest magnitude, and when it occurred.

    largest_k = max_{i <= k} s_i,    smallest_k = min_{i <= k} s_i,    peak_k = max_{i <= k} |s_i|

s signal; the present tick is included, and all start at the first value. `peak_time` is when the peak was reached
first.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.monitors.work import copy
from hybsim.kernel import Integer, Params, Ports, Prepared, Sampled, State, kernel


class PeakHold(Sampled):
    """Largest, smallest and largest magnitude so far, with the time of the last."""

    ins = Ports(signal="what to watch")
    outs = Ports(
        largest="largest value so far",
        smallest="smallest value so far",
        peak="largest magnitude so far",
        peak_time="time of the largest magnitude in s",
    )
    params = Params(width=Integer("number of channels", 1, at_least=1))
    state = State(k=0.0)
    example = dict(width=1)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        held = {name: np.zeros(q.width) for name in cls.outs}
        return Prepared(p=dict(dt=dt), x={**cls.state, **held}, widths=dict.fromkeys((*cls.ins, *cls.outs), q.width))

    @kernel
    def outputs(u, x, p, y):
        copy(x.largest, y.largest)
        copy(x.smallest, y.smallest)
        copy(x.peak, y.peak)
        copy(x.peak_time, y.peak_time)
        hold(u.signal, x.k, p.dt, y.largest, y.smallest, y.peak, y.peak_time)

    @kernel
    def update(u, x, p):
        hold(u.signal, x.k, p.dt, x.largest, x.smallest, x.peak, x.peak_time)
        x.k += 1.0


@kernel
def hold(signal, k, dt, largest, smallest, peak, peak_time):
    """Let the value of tick k into what is held."""
    for i in range(len(signal)):
        if k == 0.0 or signal[i] > largest[i]:
            largest[i] = signal[i]
        if k == 0.0 or signal[i] < smallest[i]:
            smallest[i] = signal[i]
        if k == 0.0 or abs(signal[i]) > peak[i]:
            peak[i] = abs(signal[i])
            peak_time[i] = k * dt
