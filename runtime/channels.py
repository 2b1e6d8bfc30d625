"""What stands at a cut between a diagram and the hardware: one block for each port of the subsystem that is cut out.

held     y_k = u_k                             crosses the cut at the ticks only, as hardware does
given    y_k = x_k                             in one half alone: whoever runs it writes x
late     y_k = x_k,     x_{k+1} = u_k          what a device answers within the tick is read at the next one
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.kernel import Integer, Params, Ports, Prepared, Sampled, Vector, kernel


class Held(Sampled):
    """Passed on at the ticks."""

    ins = Ports(signal="computed")
    outs = Ports(value="as it crosses the cut")
    params = Params(
        width=Integer("numbers that cross", at_least=1),
        initial=Vector("value before the first tick"),
    )
    example = {"width": 1, "initial": 0.0}

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(widths=dict.fromkeys((*cls.ins, *cls.outs), q.width), structure={"width": q.width})

    @kernel
    def outputs(u, x, p, y):  # type: ignore[no-untyped-def]
        for i in range(p.width):
            y.value[i] = u.signal[i]


class Given(Held):
    """Written from outside."""

    ins = Ports()

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        plain = super().prepare(q, dt)
        x = {"value": np.full(q.width, 0.0) + np.asarray(q.initial)}
        return Prepared(x=x, widths=plain.widths, structure=plain.structure)

    @kernel
    def outputs(u, x, p, y):  # type: ignore[no-untyped-def]
        for i in range(p.width):
            y.value[i] = x.value[i]


class Late(Given):
    """Read one tick after it was answered."""

    ins = Ports(signal="answered")

    @kernel
    def update(u, x, p):  # type: ignore[no-untyped-def]
        for i in range(p.width):
            x.value[i] = u.signal[i]
