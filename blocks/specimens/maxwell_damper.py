"""Maxwell damper: spring and dashpot in series, at ticks (MAXWELL) or in time (MAXWELL_RATE).

    r' = k (u' - v_c),   r = c |v_c|^a sgn(v_c)

v_c is the velocity of the dashpot; a = 1 is linear, with the relaxation time c/k. At u = U exp(i w t) the linear damper
has the complex stiffness i w c / (1 + i w c/k): a dashpot c when slow, a spring k when fast.

At ticks the linear damper is exact for a displacement that is straight between ticks, whatever the tick:

    r_k = E r_{k-1} + (c/dt) (1 - E) (u_k - u_{k-1}),   E = exp(-k dt/c)

In time the dashpot may have an exponent; the tick must be well below c/k. OpenSees: Maxwell (linear, the
trapezoidal rule in place of the exact factor), ViscousDamper (with exponent).

Maxwell (1867); Makris & Constantinou (1991).
"""

from __future__ import annotations

import math
import warnings
from types import SimpleNamespace

from hybsim.kernel import Continuous, Params, Ports, Positive, Prepared, Real, Sampled, State, kernel

LONGEST_TICK = 2.785
"""Relaxation times a tick may last before the classical Runge-Kutta rule is unstable."""

STIFFNESS = Positive("stiffness k of the spring")
DAMPING = Positive("damping coefficient c of the dashpot: force at unit velocity")


class MaxwellDamper(Sampled):
    """Linear spring and dashpot in series, driven by the displacement at each tick."""

    ins = Ports(disp="applied displacement u; 0 before the first tick")
    outs = Ports(force="damper force r")
    params = Params(stiffness=STIFFNESS, damping=DAMPING)
    state = State(disp=0.0, force=0.0)
    example = dict(stiffness=10.0, damping=2.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        exponent = -q.stiffness * dt / q.damping
        return Prepared(p=dict(decay=math.exp(exponent), gain=-q.damping / dt * math.expm1(exponent)), x=cls.state)

    @kernel
    def outputs(u, x, p, y):
        y.force = p.decay * x.force + p.gain * (u.disp - x.disp)

    @kernel
    def update(u, x, p):
        x.force = p.decay * x.force + p.gain * (u.disp - x.disp)
        x.disp = u.disp


@kernel
def dashpot_velocity(force, damping, exponent):
    """The velocity at which the dashpot has this force."""
    size = abs(force) / damping
    speed = size if exponent == 1.0 else size ** (1.0 / exponent)
    return -speed if force < 0.0 else speed


class MaxwellDamperRate(Continuous):
    """Spring and linear or power-law dashpot in series, integrated in time, from velocity."""

    ins = Ports(vel="velocity u'")
    outs = Ports(force="damper force r")
    params = Params(
        stiffness=STIFFNESS,
        damping=DAMPING,
        exponent=Real("exponent a of the dashpot's velocity: 1 is linear", 1.0, above=0.0, at_most=1.0),
    )
    state = State(force=0.0)
    example = dict(stiffness=10.0, damping=2.0, exponent=0.5)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        relaxation = q.damping / q.stiffness
        if q.exponent == 1.0 and dt > LONGEST_TICK * relaxation:
            warnings.warn(
                f"MaxwellDamperRate relaxes within c/k = {relaxation:g} s, too fast for a tick of {dt:g} s:"
                f" use MAXWELL, or a tick below {LONGEST_TICK * relaxation:.3g} s.",
                stacklevel=2,
            )
        return Prepared(p=vars(q), x=cls.state)

    @kernel
    def outputs(u, x, p, y):
        y.force = x.force

    @kernel
    def derivative(u, x, p, dx):
        dx.force = p.stiffness * (u.vel - dashpot_velocity(x.force, p.damping, p.exponent))
