"""Magnetorheological damper, modified Bouc-Wen model, at ticks (MRDAMPER) or in time (MRDAMPER_RATE).

    r  = c_1 y' + k_1 (x - x_0)
    y' = (a z + c_0 x' + k_0 (x - y)) / (c_0 + c_1)
    z' = A w - gamma |w| z |z|^(n-1) - beta w |z|^n,   w = x' - y'
    v' = -eta (v - voltage)
    a = a_a + a_b v,   c_0 = c_0a + c_0b v,   c_1 = c_1a + c_1b v

x displacement of the piston, y of the point between the Bouc-Wen element and the dashpot c_1, v the voltage that
has reached the fluid, k_1 and x_0 the accumulator. |z| stays within z_u = (A / (beta + gamma))^(1/n). The defaults
are the published damper's, in N, cm, s and V. Its model holds up to max_voltage; commands are kept between 0 and that.

z settles within some 1/1000 cm of motion, faster than usual ticks. At ticks, piston motion and voltage are taken as
straight and held between ticks, and the equations are integrated by as many classical Runge-Kutta steps as that needs.
The voltage of a tick acts after it. The form in time takes one step of the solver a tick: at the published values and
some cm/s it needs ticks of 0.1 ms.

Spencer, Dyke, Sain & Carlson (1997), Eqs. 18-25 and the table of the generalized model.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from hybsim.blocks.specimens.bouc_wen import slope
from hybsim.errors import ParameterError
from hybsim.kernel import Continuous, Params, Ports, Positive, Prepared, Real, Sampled, State, kernel

MOST_STEPS = 2000
"""Runge-Kutta steps a tick may take."""

STEPS_PER_CHANGE = 4.0
"""Steps in the least time over which z or y change."""

OUTS = Ports(force="damper force r")
PARAMS = Params(
    c0a=Positive("c_0a: damping at large velocity, without voltage, N s/cm", 21.0),
    c0b=Real("c_0b: its increase with voltage, N s/(cm V)", 3.5, at_least=0.0),
    c1a=Positive("c_1a: damping at small velocity, without voltage, N s/cm", 283.0),
    c1b=Real("c_1b: its increase with voltage, N s/(cm V)", 2.95, at_least=0.0),
    k0=Real("k_0: stiffness at large velocity, N/cm", 46.9, at_least=0.0),
    k1=Real("k_1: stiffness of the accumulator, N/cm", 5.0, at_least=0.0),
    x0=Real("x_0: piston displacement at which the accumulator has no force, cm", 14.3),
    alpha_a=Real("a_a: hysteretic force over z, without voltage, N/cm", 140.0, at_least=0.0),
    alpha_b=Real("a_b: its increase with voltage, N/(cm V)", 695.0, at_least=0.0),
    beta=Real("beta: shape of the loop, 1/cm^2 for n = 2", 363.0),
    gamma=Real("gamma: shape of the loop, 1/cm^2 for n = 2", 363.0, at_least=0.0),
    a=Positive("A: slope of z at first", 301.0),
    n=Real("n: sharpness of yielding", 2.0, at_least=1.0),
    eta=Positive("eta: rate at which the voltage reaches the fluid, 1/s", 190.0),
    max_voltage=Positive("largest voltage, V", 2.25),
)


# Where the vector p.damper of the kernels holds what.
C0A, C0B, C1A, C1B, K0, K1, X0, ALPHA_A, ALPHA_B, BETA, GAMMA, A, N, ETA = range(14)


def prepared(name: str, q: SimpleNamespace, state: State, dt: float) -> Prepared:
    """The kernel parameters of both forms."""
    total = q.beta + q.gamma
    if total <= 0.0:
        raise ParameterError(
            f"{name} needs beta + gamma greater than 0, got {q.beta:g} + {q.gamma:g}:"
            " otherwise the force grows without bound."
        )
    # z' = A w (1 - (beta/A + gamma/A sgn(z w)) |z|^n): the slope of bouc_wen with these shapes.
    damper = [
        q.c0a, q.c0b, q.c1a, q.c1b, q.k0, q.k1, q.x0, q.alpha_a, q.alpha_b,
        q.beta / q.a, q.gamma / q.a, q.a, q.n, q.eta,
    ]  # fmt: skip
    z_u = (q.a / total) ** (1.0 / q.n)
    return Prepared(p=dict(dt=dt, z_u=z_u, max_voltage=q.max_voltage, damper=np.array(damper)), x=state)


@kernel
def dashpot_velocity(y, z, v, disp, vel, c):
    """y'"""
    c0 = c[C0A] + c[C0B] * v
    pushed = (c[ALPHA_A] + c[ALPHA_B] * v) * z + c0 * vel + c[K0] * (disp - y)
    return pushed / (c0 + c[C1A] + c[C1B] * v)


@kernel
def rates(y, z, v, disp, vel, c):
    """y' and z'"""
    dy = dashpot_velocity(y, z, v, disp, vel, c)
    w = vel - dy
    return dy, c[A] * w * slope(z, w, c[BETA], c[GAMMA], c[N])


@kernel
def force(y, z, v, disp, vel, c):
    """r"""
    return (c[C1A] + c[C1B] * v) * dashpot_velocity(y, z, v, disp, vel, c) + c[K1] * (disp - c[X0])


@kernel
def fastest_change(y, v, disp, vel, z_u, c):
    """A bound of the rates at which z and y change, 1/s."""
    mobility = 1.0 / (c[C0A] + c[C1A] + (c[C0B] + c[C1B]) * v)
    coupling = (c[ALPHA_A] + c[ALPHA_B] * v) * mobility
    speed = abs(vel) + coupling * z_u + c[K0] * mobility * abs(disp - y)
    return c[A] * (c[N] * speed / z_u + coupling) + c[K0] * mobility


@kernel
def advance(y, z, v, voltage, disp, vel, dt, z_u, c):
    """y, z and v after a tick that starts at disp, at constant velocity and voltage."""
    change = max(fastest_change(y, v, disp, vel, z_u, c), fastest_change(y, voltage, disp, vel, z_u, c))
    steps = 1 + int(min(STEPS_PER_CHANGE * change * dt, MOST_STEPS - 1.0))
    h = dt / steps
    left = math.exp(-0.5 * h * c[ETA])
    for i in range(steps):
        middle = voltage + (v - voltage) * left
        end = voltage + (middle - voltage) * left
        x1 = disp + i * h * vel
        x2 = x1 + 0.5 * h * vel
        y1, z1 = rates(y, z, v, x1, vel, c)
        y2, z2 = rates(y + 0.5 * h * y1, z + 0.5 * h * z1, middle, x2, vel, c)
        y3, z3 = rates(y + 0.5 * h * y2, z + 0.5 * h * z2, middle, x2, vel, c)
        y4, z4 = rates(y + h * y3, z + h * z3, end, x1 + h * vel, vel, c)
        y = y + h * (y1 + 2.0 * y2 + 2.0 * y3 + y4) / 6.0
        # Its exact bound, which an increment of more steps than allowed would break.
        z = min(max(z + h * (z1 + 2.0 * z2 + 2.0 * z3 + z4) / 6.0, -z_u), z_u)
        v = end
    return y, z, v


class MRDamper(Sampled):
    """Magnetorheological damper driven by displacement and voltage at each tick."""

    ins = Ports(disp="piston displacement x; 0 before the first tick", voltage="command to the current driver, V")
    outs = OUTS
    params = PARAMS
    state = State(disp=0.0, y=0.0, z=0.0, v=0.0, voltage=0.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return prepared("MRDamper", q, cls.state, dt)

    @kernel
    def outputs(u, x, p, y):
        vel = (u.disp - x.disp) / p.dt
        end, z, v = advance(x.y, x.z, x.v, x.voltage, x.disp, vel, p.dt, p.z_u, p.damper)
        y.force = force(end, z, v, u.disp, vel, p.damper)

    @kernel
    def update(u, x, p):
        vel = (u.disp - x.disp) / p.dt
        end, z, v = advance(x.y, x.z, x.v, x.voltage, x.disp, vel, p.dt, p.z_u, p.damper)
        x.y = end
        x.z = z
        x.v = v
        x.disp = u.disp
        x.voltage = min(max(u.voltage, 0.0), p.max_voltage)


class MRDamperRate(Continuous):
    """Magnetorheological damper integrated in time, from displacement, velocity and voltage."""

    ins = Ports(disp="piston displacement x", vel="its velocity x'", voltage="command to the current driver, V")
    outs = OUTS
    params = PARAMS
    state = State(y=0.0, z=0.0, v=0.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return prepared("MRDamperRate", q, cls.state, dt)

    @kernel
    def outputs(u, x, p, y):
        y.force = force(x.y, x.z, x.v, u.disp, u.vel, p.damper)

    @kernel
    def derivative(u, x, p, dx):
        dy, dz = rates(x.y, x.z, x.v, u.disp, u.vel, p.damper)
        dx.y = dy
        dx.z = dz
        dx.v = p.damper[ETA] * (min(max(u.voltage, 0.0), p.max_voltage) - x.v)
