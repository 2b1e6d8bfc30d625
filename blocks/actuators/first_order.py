"""First-order lag, integrated in time (FIRSTORDER) or at ticks (FIRSTORDER_S).

    T x' + x = command,   position = x
    x_{k+1} = a x_k + (1 - a) command_k,   a = exp(-dt/T)          at ticks, exact for a held command

T time constant. The gain is 1 at low frequency and 1/sqrt(2) at 1/(2 pi T) Hz. At low frequency the lag is a delay of
T; at ticks it is dt / (1 - a) = T + dt/2 + dt^2 / (12 T) - ..., the hold over the tick adding about half of it.

The position at a tick does not follow the command of that tick, so the block breaks an algebraic loop.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from hybsim.blocks.actuators.longest_tick import warn_of_long_tick
from hybsim.kernel import Continuous, Integer, Params, Ports, Positive, Prepared, Real, Sampled, kernel

INS = Ports(command="commanded position")
OUTS = Ports(position="position, behind the command by about T")
PARAMS = Params(
    time_constant=Positive("time constant T in s: the delay at low frequency"),
    initial=Real("position at the start", 0.0),
    width=Integer("number of channels", 1, at_least=1),
)


def prepared(q: SimpleNamespace, **p: float) -> Prepared:
    """The parameters of both forms."""
    return Prepared(p=p, x=dict(lagging=np.full(q.width, q.initial)), widths=dict(command=q.width, position=q.width))


@kernel
def lagging_position(u, x, p, y):
    """The output of both forms."""
    for i in range(len(y.position)):
        y.position[i] = x.lagging[i]


class FirstOrder(Continuous):
    """First-order lag, integrated in time."""

    ins, outs, params = INS, OUTS, PARAMS
    example = dict(time_constant=0.01)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        warn_of_long_tick(cls.__name__, [-1.0 / q.time_constant], dt)
        return prepared(q, rate=1.0 / q.time_constant)

    outputs = lagging_position

    @kernel
    def derivative(u, x, p, dx):
        for i in range(len(u.command)):
            dx.lagging[i] = p.rate * (u.command[i] - x.lagging[i])


class FirstOrderSampled(Sampled):
    """First-order lag at ticks, exact for a command held over the tick."""

    ins, outs, params = INS, OUTS, PARAMS
    example = dict(time_constant=0.01)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return prepared(q, share=-math.expm1(-dt / q.time_constant))

    outputs = lagging_position

    @kernel
    def update(u, x, p):
        for i in range(len(u.command)):
            x.lagging[i] = x.lagging[i] + p.share * (u.command[i] - x.lagging[i])
