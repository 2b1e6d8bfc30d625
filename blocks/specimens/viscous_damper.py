"""Viscous damper, from velocity (VISCOUSDAMPER) or from the displacement at each tick (VISCOUSDAMPER_S).

    r = c |v|^a sgn(v)                       each channel by itself

a = 1 is linear; fluid dampers have 0.2 to 1. At ticks v_k = (u_k - u_{k-1}) / dt, the velocity of the completed
step: at w rad/s it lags by half a tick and is low by 1 - sin(w dt/2) / (w dt/2). At u = U sin(w t) a cycle dissipates
c w^a U^(1+a) 2^(2+a) Gamma(1 + a/2)^2 / Gamma(2 + a), which is pi c w U^2 for a = 1.

Constantinou & Symans (1992); Seleemah & Constantinou (1997).
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.kernel import Function, Integer, Params, Ports, Positive, Prepared, Real, Sampled, kernel

OUTS = Ports(force="damper force r")
PARAMS = Params(
    damping=Real("damping coefficient c: force at unit velocity", at_least=0.0),
    exponent=Positive("exponent a of the velocity: 1 is linear", 1.0),
    width=Integer("number of channels", 1, at_least=1),
)


@kernel
def power_law(vel, damping, exponent):
    """c |v|^a sgn(v)"""
    speed = abs(vel)
    size = damping * (speed if exponent == 1.0 else speed**exponent)
    return -size if vel < 0.0 else size


class ViscousDamper(Function):
    """Viscous damper, linear or with a power of the velocity, from velocity."""

    ins = Ports(vel="velocity v")
    outs = OUTS
    params = PARAMS
    example = dict(damping=2.0, exponent=0.5)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(p=dict(damping=q.damping, exponent=q.exponent), widths=dict(vel=q.width, force=q.width))

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.vel)):
            y.force[i] = power_law(u.vel[i], p.damping, p.exponent)


class ViscousDamperSampled(Sampled):
    """Viscous damper driven by the displacement at each tick."""

    ins = Ports(disp="applied displacement u; 0 before the first tick")
    outs = OUTS
    params = PARAMS
    example = dict(damping=2.0, exponent=0.5)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(
            p=dict(dt=dt, damping=q.damping, exponent=q.exponent),
            x=dict(disp=np.zeros(q.width)),
            widths=dict(disp=q.width, force=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.disp)):
            y.force[i] = power_law((u.disp[i] - x.disp[i]) / p.dt, p.damping, p.exponent)

    @kernel
    def update(u, x, p):
        for i in range(len(u.disp)):
            x.disp[i] = u.disp[i]
