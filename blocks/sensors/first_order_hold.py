"""First-order hold: a straight line through the last two samples, ahead of them or one period late.

    y(t) = u_i + (u_i - u_{i-1}) (t - i T) / T              mode "extrapolated"
    y(t) = u_{i-1} + (u_i - u_{i-1}) (t - i T) / T          mode "delayed"
    i = floor(t / T),   u_i = u(i T),   u_{-1} = initial

    T    period, a whole number of ticks; the first tick takes the first sample

The extrapolated line follows a ramp without delay and jumps where the slope changes; the delayed one is
continuous. Seen as filters (without the images of the sampled spectrum), with H_0 that of the zero-order hold,

    H(j w) = (1 + j w T) H_0(j w)^2                         extrapolated: gain up to 1.59, at w T = 2.13
    H(j w) = H_0(j w)^2                                     delayed: a delay of T
    H_0(j w) = (1 - exp(-j w T)) / (j w T)

The delayed mode does not pass its input through within a tick.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.ticks import whole_ticks
from hybsim.kernel import Choice, Integer, Params, Ports, Positive, Prepared, Real, Sampled, kernel


class FirstOrderHold(Sampled):
    """First-order hold: a line through the last two samples of a period."""

    ins = Ports(signal="what to sample")
    outs = Ports(held="the line through the last two samples")
    params = Params(
        period=Positive("seconds between samples, a whole number of ticks"),
        mode=Choice(
            "extrapolated beyond the last sample, or delayed by a period and continuous",
            "extrapolated",
            among=("extrapolated", "delayed"),
        ),
        initial=Real("sample before the first", 0.0),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(period=0.05)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(
            p=dict(period=whole_ticks("period", q.period, dt)),
            x=dict(last=np.full(q.width, q.initial), before=np.full(q.width, q.initial), age=0.0),
            widths=dict(signal=q.width, held=q.width),
            structure=dict(delayed=int(q.mode == "delayed")),
        )

    @kernel
    def outputs(u, x, p, y):
        share = x.age / p.period
        for i in range(len(u.signal)):
            if p.delayed == 1:
                # At its own tick a sample is not taken yet, and `last` is the one before.
                start = x.before[i] if x.age > 0.0 else x.last[i]
            else:
                start = x.last[i] if x.age > 0.0 else u.signal[i]
            y.held[i] = start + (x.last[i] - x.before[i]) * share

    @kernel
    def update(u, x, p):
        if x.age == 0.0:
            for i in range(len(u.signal)):
                x.before[i] = x.last[i]
                x.last[i] = u.signal[i]
        x.age = x.age + 1.0 if x.age + 1.0 < p.period else 0.0
