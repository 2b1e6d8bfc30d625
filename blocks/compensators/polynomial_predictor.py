"""Polynomial predictor: the signal `horizon` seconds ahead, extrapolated from the present and past samples.

    y_k = sum_{j=0}^{n} a_j u(t_k - j s),   a_j = prod_{i != j} (h/s + i) / (i - j)

    n  order of the polynomial through n + 1 samples      s  spacing of the samples      h  horizon

With s = h the coefficients are Horiuchi's: 4, -6, 4, -1 for n = 3. With s the tick they use the
newest samples, but amplify noise by up to sum |a_j|, which grows like (h/s)^n. Before the first
sample the signal is taken as `initial`.

T. Horiuchi et al., Real-time hybrid experimental system with actuator delay compensation and its
application to a piping system with energy absorber, Earthquake Engineering and Structural Dynamics
28(10), 1999, 1121-1141; EERC Eq. 2.32.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.ticks import stored_ticks, whole_ticks
from hybsim.errors import ParameterError
from hybsim.kernel import Integer, Params, Ports, Positive, Prepared, Real, Sampled, kernel


@kernel
def coefficient(j, order, ahead):
    """Lagrange's coefficient of the sample j steps back for a point `ahead` steps away."""
    # Two products and one quotient: whole numbers of steps give the binomial coefficients exactly.
    over = 1.0
    under = 1.0
    for i in range(order + 1):
        if i != j:
            over = over * (ahead + i)
            under = under * (i - j)
    return over / under


class Predictor(Sampled):
    """Polynomial extrapolation ahead in time (Horiuchi)."""

    ins = Ports(signal="what to predict")
    outs = Ports(predicted="the signal `horizon` seconds ahead")
    params = Params(
        horizon=Real("time ahead in s", at_least=0.0),
        order=Integer("order of the polynomial", 3, at_least=0, at_most=5),
        spacing=Positive(
            "seconds between the samples used, a whole number of ticks; None for one tick",
            None,
            optional=True,
        ),
        max_spacing=Positive("longest spacing of a sweep in s; None for `spacing`", None, optional=True),
        initial=Real("signal before the first sample", 0.0),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(horizon=0.02, order=3)

    @classmethod
    def settle(cls, q: SimpleNamespace, dt: float) -> dict[str, float]:
        # The length of the history belongs to the built program.
        return {"max_spacing": q.max_spacing or q.spacing or dt}

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        stride, length = stored_samples(q, dt)
        return Prepared(
            p=dict(a=coefficients(q.order, q.horizon / (stride * dt)), stride=stride),
            x=dict(past=np.full(length * q.width, q.initial), head=0.0),
            widths=dict(signal=q.width, predicted=q.width),
            structure=dict(order=q.order, length=length, width=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(p.width):
            y.predicted[i] = p.a[0] * u.signal[i]
        for j in range(1, p.order + 1):
            at = int(x.head) - j * p.stride
            if at < 0:
                at += p.length
            for i in range(p.width):
                y.predicted[i] += p.a[j] * x.past[at * p.width + i]

    @kernel
    def update(u, x, p):
        head = int(x.head)
        for i in range(p.width):
            x.past[head * p.width + i] = u.signal[i]
        x.head = 0.0 if head + 1 == p.length else x.head + 1.0


def coefficients(order: int, ahead: float) -> np.ndarray:
    """Lagrange's coefficients of samples 0, 1, ... `order` steps back for a point `ahead` steps away."""
    return np.array([coefficient(j, order, ahead) for j in range(order + 1)])


def stored_samples(q: SimpleNamespace, dt: float) -> tuple[int, int]:
    """Ticks between the samples of the polynomial, and how many past samples the longest spacing needs."""
    spacing = q.spacing or dt
    stride = whole_ticks("spacing", spacing, dt)
    longest = stored_ticks("max_spacing", q.max_spacing or spacing, dt)
    if stride > longest:
        raise ParameterError(
            f"The spacing of {spacing:g} s is longer than max_spacing={q.max_spacing:g} s;"
            " declare max_spacing= for the longest spacing."
        )
    return stride, max(1, q.order * longest)
