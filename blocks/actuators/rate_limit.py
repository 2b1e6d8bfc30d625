"""Rate limit: a signal that rises and falls no faster than given.

    y_k = y_{k-1} + min(max(u_k - y_{k-1}, -falling dt), rising dt),   y_{-1} = initial

rising, falling  the greatest rates in units of the signal a second, both positive. A signal within the rates passes
bit for bit once it has been reached, and within the tick. The first tick is limited too, from `initial`. A sine of
amplitude U is not limited up to rate / (2 pi U) Hz.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.kernel import Integer, Params, Ports, Positive, Prepared, Real, Sampled, kernel


@kernel
def approached(last, wanted, up, down):
    """`wanted`, or as near to it as one tick allows."""
    return last + up if wanted - last > up else (last - down if last - wanted > down else wanted)


class RateLimit(Sampled):
    """Limits of the rate of a signal."""

    ins = Ports(signal="what to limit")
    outs = Ports(followed="the signal at no more than the greatest rates", limited="1 while a rate acts, else 0")
    params = Params(
        rising=Positive("greatest rate upwards in units/s"),
        falling=Positive("greatest rate downwards in units/s; None for `rising`", None, optional=True),
        initial=Real("output before the first tick", 0.0),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(rising=4.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        falling = q.rising if q.falling is None else q.falling
        return Prepared(
            p=dict(up=q.rising * dt, down=falling * dt),
            x=dict(last=np.full(q.width, q.initial)),
            widths=dict.fromkeys((*cls.ins, *cls.outs), q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.signal)):
            y.followed[i] = approached(x.last[i], u.signal[i], p.up, p.down)
            y.limited[i] = 1.0 if y.followed[i] != u.signal[i] else 0.0

    @kernel
    def update(u, x, p):
        for i in range(len(u.signal)):
            x.last[i] = approached(x.last[i], u.signal[i], p.up, p.down)
