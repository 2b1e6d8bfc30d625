"""Sine sweep: a sine whose frequency runs from f_start to f_end in `duration` seconds T.

    y(t) = amplitude sin(phase + 2 pi F(t)),   0 <= t <= T,   F(t) = integral of the frequency f

    linear       f = f_start + (f_end - f_start) t/T      F = f_start t + (f_end - f_start) t^2 / (2T)
    logarithmic  f = f_start exp(r t)                     F = f_start (exp(r t) - 1) / r
                 r = ln(f_end / f_start) / T

After T the signal is zero, or holds its value at T.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

from hybsim.blocks.ticks import COINCIDENT, ticks
from hybsim.errors import ParameterError
from hybsim.kernel import Choice, Params, Ports, Positive, Prepared, Real, Sampled, State, kernel

TWO_PI = 2.0 * math.pi


class SineSweep(Sampled):
    """A sine of running frequency."""

    outs = Ports(value="the sweep")
    params = Params(
        amplitude=Real("amplitude", 1.0),
        f_start=Real("frequency at the start in Hz", at_least=0.0),
        f_end=Real("frequency at the end in Hz", at_least=0.0),
        duration=Positive("length of the sweep in s"),
        law=Choice("how the frequency runs", "linear", among=("linear", "logarithmic")),
        phase=Real("phase at the start in rad", 0.0),
        after=Choice("what follows the sweep", "zero", among=("zero", "hold")),
    )
    state = State(k=0.0)
    example = dict(amplitude=1.0, f_start=0.1, f_end=10.0, duration=20.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        for name in ("f_start", "f_end"):
            frequency = getattr(q, name)
            if 2.0 * frequency * dt > 1.0 + COINCIDENT:
                raise ParameterError(
                    f"{name}={frequency:g} Hz is above {0.5 / dt:g} Hz, half the sampling rate;"
                    " lower it or use a shorter tick."
                )
            if q.law == "logarithmic" and frequency == 0.0:
                raise ParameterError(f"{name} must be greater than 0 Hz in a logarithmic sweep; use law='linear'.")
        rate = math.log(q.f_end / q.f_start) / q.duration if q.law == "logarithmic" else 0.0
        curvature = 0.5 * (q.f_end - q.f_start) / q.duration if q.law == "linear" else 0.0
        return Prepared(
            p=dict(
                dt=dt, duration=q.duration, last=math.floor(ticks(q.duration, dt)),
                hold=int(q.after == "hold"),
                amplitude=q.amplitude, phase=q.phase, f_start=q.f_start, curvature=curvature, rate=rate,
            ),
            x=cls.state,
        )  # fmt: skip

    @kernel
    def outputs(u, x, p, y):
        ended = x.k > p.last
        if ended and p.hold == 0:
            y.value = 0.0
        else:
            time = p.duration if ended else x.k * p.dt
            if p.rate == 0.0:
                cycles = p.f_start * time + p.curvature * time * time
            else:
                cycles = p.f_start * math.expm1(p.rate * time) / p.rate
            y.value = p.amplitude * math.sin(p.phase + TWO_PI * cycles)

    @kernel
    def update(u, x, p):
        x.k += 1.0
