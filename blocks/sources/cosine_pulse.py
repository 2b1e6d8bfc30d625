"""Cosine pulse: one smooth push that starts and ends at zero.

    y(t) = amplitude/2 (1 - cos(2 pi (t - start) / duration)),   start <= t <= start + duration
    y(t) = 0                                                     otherwise

The pulse of EERC Sec. 6.3.1 (0.15 g, 0.6 s) is another one: a whole cycle of a cosine, by the energy it brings in
(diagrams/eerc_chapter6.py).
"""

from __future__ import annotations

import math
from types import SimpleNamespace

from hybsim.kernel import Params, Ports, Positive, Prepared, Real, Sampled, State, kernel

TWO_PI = 2.0 * math.pi


class CosinePulse(Sampled):
    """A single pulse of the form 1 - cos."""

    outs = Ports(value="the pulse")
    params = Params(
        amplitude=Real("peak of the pulse"),
        duration=Positive("length of the pulse in s"),
        start=Real("time of its beginning in s", 0.0, at_least=0.0),
    )
    state = State(k=0.0)
    example = dict(amplitude=1.0, duration=0.5)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(p=dict(vars(q), dt=dt), x=cls.state)

    @kernel
    def outputs(u, x, p, y):
        since = x.k * p.dt - p.start
        if since > 0.0 and since < p.duration:
            y.value = 0.5 * p.amplitude * (1.0 - math.cos(TWO_PI * since / p.duration))
        else:
            y.value = 0.0

    @kernel
    def update(u, x, p):
        x.k += 1.0
