"""Actuator as a linear system, integrated in time (ACTUATOR) or discretised at the tick (ACTUATOR_S).

    x' = A x + B command,   position = C x + D command          from any transfer function or state space
    x_{k+1} = Ad x_k + Bd command_k                             discretised: zoh, tustin or foh

A system is a `control.TransferFunction` (one channel), a `control.StateSpace` (any number of channels), a pair
(num, den) of polynomials in falling powers of s, or "TS_1" or "TS_2", the servo-hydraulic actuators of PSI Eqs. 4.1
and 4.2, whose delays at low frequency are 13.36 ms and 12.74 ms. It starts at rest at zero. A DC gain other than 1
is warned about and kept, but TS_2 is used with unit gain, as its printed gain of 0.917 is probably a misprint.

The position follows the command within the tick only if D is not zero. `zoh` keeps D, and is exact for a
command held over the tick; `tustin` and `foh` add a direct path.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from hybsim.blocks.actuators.linear_system import METHODS, System, add_product, discretise, set_product
from hybsim.blocks.actuators.longest_tick import warn_of_long_tick
from hybsim.errors import ParameterError
from hybsim.kernel import Choice, Continuous, Params, Ports, Prepared, Sampled, kernel, zeros

SYSTEM = "control.TransferFunction, control.StateSpace, (num, den), 'TS_1' or 'TS_2'"


@kernel
def position(u, x, p, y):
    """The outputs of both forms."""
    set_product(p.c, x.internal, y.position)
    if p.direct == 1:
        add_product(p.d, u.command, y.position)


class Actuator(Continuous):
    """Actuator as a linear system, integrated in time."""

    ins = Ports(command="commanded position")
    outs = Ports(position="actuator position")
    params = Params(system=System(SYSTEM))
    example = dict(system=([1.0], [0.01, 1.0]))

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        if q.system.dt is not None:
            raise ParameterError(
                f"Actuator needs a continuous system, got one with a sample time of {q.system.dt:g} s;"
                " use ACTUATOR_S for it."
            )
        warn_of_long_tick(cls.__name__, q.system.poles(), dt)
        return q.system.prepared()

    @classmethod
    def describe(cls, q: SimpleNamespace) -> Mapping[str, Any]:
        return {"system": q.system.describe()}

    outputs = position

    @kernel
    def derivative(u, x, p, dx):
        set_product(p.a, x.internal, dx.internal)
        add_product(p.b, u.command, dx.internal)


class ActuatorSampled(Sampled):
    """Actuator as a linear system, discretised at the tick."""

    ins = Ports(command="commanded position")
    outs = Ports(position="actuator position")
    params = Params(
        system=System(SYSTEM),
        method=Choice("discretisation", "zoh", among=tuple(METHODS)),
    )
    example = dict(system=([1.0], [0.01, 1.0]), method="zoh")

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return discretise(q.system, dt, q.method).prepared()

    @classmethod
    def describe(cls, q: SimpleNamespace) -> Mapping[str, Any]:
        return {"system": q.system.describe(), "method": q.method}

    outputs = position

    @kernel
    def update(u, x, p):
        following = zeros(p.order)
        set_product(p.a, x.internal, following)
        add_product(p.b, u.command, following)
        for i in range(p.order):
            x.internal[i] = following[i]
