"""Polynomial predictor whose horizon is a signal.

    y_k = sum_{j=0}^{n} a_j u(t_k - j s),   a_j = prod_{i != j} (h_k/s + i) / (i - j)

    n  order of the polynomial through n + 1 samples      s  spacing of the samples      h_k  horizon at tick k

As PREDICTOR, with the coefficients computed anew at every tick. A horizon that is negative or beyond `max_horizon`
stops the run; the horizon acts at once. A horizon that jumps makes the prediction jump: by about the slope times the
jump.

The natural source of the horizon is the delay of a DELAYESTIMATOR between command and measurement, whose output does
not depend on its inputs within the tick; max_horizon is then its max_delay.

T. Horiuchi et al. (1999) for the polynomial; A. P. Darby, M. S. Williams, A. Blakeborough, Stability and delay
compensation for real-time substructure testing, Journal of Engineering Mechanics 128(12), 2002, 1276-1284, for a delay
estimated during the test.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.compensators.polynomial_predictor import coefficient, stored_samples
from hybsim.kernel import Integer, Params, Ports, Positive, Prepared, Real, Sampled, kernel


class AdaptivePredictor(Sampled):
    """Polynomial extrapolation by a horizon that is a signal."""

    ins = Ports(signal="what to predict", horizon="time ahead in s")
    outs = Ports(command="the signal `horizon` seconds ahead")
    params = Params(
        max_horizon=Positive("largest horizon in s; a larger one stops the run"),
        order=Integer("order of the polynomial", 3, at_least=0, at_most=3),
        spacing=Positive(
            "seconds between the samples used, a whole number of ticks; None for one tick", None, optional=True
        ),
        max_spacing=Positive("longest spacing of a sweep in s; None for `spacing`", None, optional=True),
        initial=Real("signal before the first sample", 0.0),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(max_horizon=0.03)

    @classmethod
    def settle(cls, q: SimpleNamespace, dt: float) -> dict[str, float]:
        # The length of the history belongs to the built program.
        return {"max_spacing": q.max_spacing or q.spacing or dt}

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        stride, length = stored_samples(q, dt)
        return Prepared(
            p=dict(step=stride * dt, stride=stride, max_horizon=q.max_horizon),
            x=dict(past=np.full(length * q.width, q.initial), head=0.0),
            widths=dict(signal=q.width, command=q.width),
            structure=dict(order=q.order, length=length, width=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        ahead = min(max(u.horizon, 0.0), p.max_horizon) / p.step
        newest = coefficient(0, p.order, ahead)
        for i in range(p.width):
            y.command[i] = newest * u.signal[i]
        for j in range(1, p.order + 1):
            at = int(x.head) - j * p.stride
            if at < 0:
                at += p.length
            a = coefficient(j, p.order, ahead)
            for i in range(p.width):
                y.command[i] += a * x.past[at * p.width + i]

    @kernel
    def update(u, x, p):
        assert u.horizon >= 0.0, "the horizon is negative or not a number; limit the signal"
        assert u.horizon <= p.max_horizon, "the horizon is beyond max_horizon; declare a larger one or limit the signal"
        head = int(x.head)
        for i in range(p.width):
            x.past[head * p.width + i] = u.signal[i]
        x.head = 0.0 if head + 1 == p.length else x.head + 1.0
