"""What stands at a cut between a diagram and the hardware: one block for each port of the subsystem that is cut out.

held     y_k = u_k                             crosses the cut at the ticks only, as hardware does
late     y_k = x_k,     x_{k+1} = u_k          what a device answers within the tick is read at the next one
given    y_k = x_k                             in one half alone: whoever runs it writes x
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from hybsim.kernel import Integer, Params, Ports, Prepared, Sampled, Vector, kernel

PARAMETERS = dict(
    width=Integer("numbers that cross", at_least=1),
    initial=Vector("value before the first tick"),
)


def _prepared(q: SimpleNamespace, ports: tuple[str, ...], state: bool) -> Prepared:
    x: dict[str, Any] = {"value": np.full(q.width, 0.0) + np.asarray(q.initial)} if state else {}
    return Prepared(x=x, widths=dict.fromkeys(ports, q.width), structure={"width": q.width})


class Held(Sampled):
    """Passed on at the ticks."""

    ins = Ports(signal="computed")
    outs = Ports(value="as it crosses the cut")
    params = Params(**PARAMETERS)
    example = {"width": 1, "initial": 0.0}

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return _prepared(q, ("signal", "value"), state=False)

    @kernel
    def outputs(u, x, p, y):  # type: ignore[no-untyped-def]
        for i in range(p.width):
            y.value[i] = u.signal[i]


class Late(Sampled):
    """Read one tick after it was answered."""

    ins = Ports(signal="answered")
    outs = Ports(value="as it crosses the cut")
    params = Params(**PARAMETERS)
    example = {"width": 1, "initial": 0.0}

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return _prepared(q, ("signal", "value"), state=True)

    @kernel
    def outputs(u, x, p, y):  # type: ignore[no-untyped-def]
        for i in range(p.width):
            y.value[i] = x.value[i]

    @kernel
    def update(u, x, p):  # type: ignore[no-untyped-def]
        for i in range(p.width):
            x.value[i] = u.signal[i]


class Given(Sampled):
    """Written from outside."""

    outs = Ports(value="as it crosses the cut")
    params = Params(**PARAMETERS)
    example = {"width": 1, "initial": 0.0}

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return _prepared(q, ("value",), state=True)

    @kernel
    def outputs(u, x, p, y):  # type: ignore[no-untyped-def]
        for i in range(p.width):
            y.value[i] = x.value[i]
