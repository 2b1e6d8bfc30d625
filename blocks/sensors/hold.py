"""Zero-order hold: a sample taken every period, held until the next.

    y(t) = u(i T),   i = floor(t / T)

    T    period, a whole number of ticks n dt; the first tick takes the first sample

Seen as a filter (without the images of the sampled spectrum) the hold has the frequency response

    H(j w) = (1 - exp(-j w T)) / (j w T)

a gain of sin(w T/2) / (w T/2) and a delay of T/2. Between ticks of dt it is the mean of n ticks,
(1 - z^-n) / (n (1 - z^-1)) with z = exp(j w dt), and its delay is (T - dt)/2: the remaining dt/2 is that of the
tick itself.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.ticks import whole_ticks
from hybsim.kernel import Integer, Params, Ports, Positive, Prepared, Sampled, kernel


class Hold(Sampled):
    """Zero-order hold: samples its input every period and holds it."""

    ins = Ports(signal="what to sample")
    outs = Ports(held="the last sample")
    params = Params(
        period=Positive("seconds between samples, a whole number of ticks"),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(period=0.05)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(
            p=dict(period=whole_ticks("period", q.period, dt)),
            x=dict(last=np.zeros(q.width), age=0.0),
            widths=dict(signal=q.width, held=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.signal)):
            y.held[i] = x.last[i] if x.age > 0.0 else u.signal[i]

    @kernel
    def update(u, x, p):
        if x.age == 0.0:
            for i in range(len(u.signal)):
                x.last[i] = u.signal[i]
        x.age = x.age + 1.0 if x.age + 1.0 < p.period else 0.0
