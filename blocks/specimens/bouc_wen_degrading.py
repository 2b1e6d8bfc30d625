"""Bouc-Wen specimen that degrades and pinches, at ticks (BOUCWEN_DEGRADING) or in time (BOUCWEN_DEGRADING_RATE).

    r      = alpha k u + (1 - alpha) k u_y z
    u_y z' = h (A u' - nu (gamma |u'| z |z|^(n-1) + beta u' |z|^n)) / eta
    e'     = (1 - alpha) z u' / u_y              dissipated energy over k u_y^2
    A = 1 - delta_A e,   nu = 1 + delta_nu e (strength),   eta = 1 + delta_eta e (stiffness)

    h      = 1 - zeta_1 exp(-(z sgn(u') - q z_u)^2 / zeta_2^2)        pinching, z_u = (A / (nu (beta + gamma)))^(1/n)
    zeta_1 = zeta_s (1 - exp(-p e)),   zeta_2 = (psi + delta_psi e) (lam + zeta_1)

All rates are without units, as e is; with delta_A = delta_nu = delta_eta = zeta_s = 0 it is BOUCWEN. Once A has come
down to 0 it stays there. OpenSees has the two halves: BoucWen (degradation) and BWBN (pinching, where nu = 1).

The equation does not depend on the rate. At ticks the path between two displacements is taken as monotonic and (z, e)
are integrated along it by classical Runge-Kutta steps, as in BOUCWEN; the steps follow nu, eta and the width of the
pinch, and one of them ends at z = 0, where the equation changes its form. MOST_STEPS bounds the work of a tick: what
is left of the increment then is not counted.

Baber & Wen (1981); Baber & Noori (1985); pinching as in Foliente (1995).
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from hybsim.blocks.specimens.bouc_wen import PARAMS as BOUC_WEN
from hybsim.blocks.specimens.bouc_wen import prepared as bouc_wen
from hybsim.blocks.specimens.bouc_wen import slope as bouc_wen_slope
from hybsim.kernel import Continuous, Params, Ports, Positive, Prepared, Real, Sampled, State, kernel

MOST_STEPS = 1000
"""Runge-Kutta steps a tick may take."""

SMALLEST_PINCH = 1e-8
"""zeta_1 zeta_2 below which a pinch changes no digit that counts and the steps need not resolve it."""

PARAMS = Params(
    **BOUC_WEN,
    delta_a=Real("delta_A: decrease of A with energy", 0.0, at_least=0.0),
    delta_nu=Real("delta_nu: strength degradation", 0.0, at_least=0.0),
    delta_eta=Real("delta_eta: stiffness degradation", 0.0, at_least=0.0),
    zeta_s=Real("zeta_s: severity of pinching, 0 for none", 0.0, at_least=0.0, below=1.0),
    q=Real("q: force level of the pinch, over the ultimate one", 0.1, at_least=0.0, below=1.0),
    p=Real("p: how soon pinching develops with energy", 1.0, at_least=0.0),
    psi=Positive("psi: width of the pinch at first", 0.2),
    delta_psi=Real("delta_psi: growth of that width with energy", 0.005, at_least=0.0),
    lam=Positive("lambda: width of the pinch before any severity", 0.1),
)

# Where the vector p.shape of the kernels holds what; bouc_wen's own parameters first.
BETA, GAMMA, N, STEPS, SHARE = 0, 1, 2, 3, 4
DELTA_A, DELTA_NU, DELTA_ETA, ZETA_S, Q, P, PSI, DELTA_PSI, LAM = 5, 6, 7, 8, 9, 10, 11, 12, 13


def prepared(name: str, q: SimpleNamespace, state: State) -> Prepared:
    """The kernel parameters of both forms."""
    p = bouc_wen(name, q, state).p
    shape = [
        q.beta, q.gamma, q.n, p["steps_per_uy"], 1.0 - q.alpha,
        q.delta_a, q.delta_nu, q.delta_eta, q.zeta_s, q.q, q.p, q.psi, q.delta_psi, q.lam,
    ]  # fmt: skip
    return Prepared(p={key: p[key] for key in ("uy", "elastic", "hysteretic")} | {"shape": np.array(shape)}, x=state)


@kernel
def pinch(energy, a, nu, c):
    """Depth zeta_1, width zeta_2 and place q z_u of the pinch."""
    depth = c[ZETA_S] * -math.expm1(-c[P] * energy)
    width = (c[PSI] + c[DELTA_PSI] * energy) * (c[LAM] + depth)
    return depth, width, c[Q] * (a / (nu * (c[BETA] + c[GAMMA]))) ** (1.0 / c[N])


@kernel
def slope(z, energy, du, c):
    """u_y dz/du at z, on the way in the direction of du."""
    a = max(1.0 - c[DELTA_A] * energy, 0.0)
    nu = 1.0 + c[DELTA_NU] * energy
    free = bouc_wen_slope(z, du, nu * c[BETA], nu * c[GAMMA], c[N]) - (1.0 - a)
    if c[ZETA_S] > 0.0:
        depth, width, place = pinch(energy, a, nu, c)
        off = ((z if du > 0.0 else -z) - place) / width
        free = free * (1.0 - depth * math.exp(-off * off))
    return free / (1.0 + c[DELTA_ETA] * energy)


@kernel
def longest_step(z, energy, du, c):
    """Yield displacements over which a step still resolves the slope."""
    a = max(1.0 - c[DELTA_A] * energy, 0.0)
    nu = 1.0 + c[DELTA_NU] * energy
    eta = 1.0 + c[DELTA_ETA] * energy
    step = eta / (c[STEPS] * nu ** (1.0 / c[N]))
    if c[ZETA_S] > 0.0:
        depth, width, place = pinch(energy, a, nu, c)
        if depth * width > SMALLEST_PINCH:
            off = abs((z if du > 0.0 else -z) - place)
            # z changes by at most 1/eta a yield displacement; far away the steps may grow with the distance.
            step = min(step, 0.125 * eta * (width + 0.25 * off))
    return step


@kernel
def runge_kutta(z, energy, h, c):
    """z and energy after an increment of h yield displacements, in one step."""
    half = 0.5 * h
    z1 = slope(z, energy, h, c)
    z2 = slope(z + half * z1, energy + half * c[SHARE] * z, h, c)
    z3 = slope(z + half * z2, energy + half * c[SHARE] * (z + half * z1), h, c)
    z4 = slope(z + h * z3, energy + h * c[SHARE] * (z + half * z2), h, c)
    # The energy's own slopes, (1 - alpha) z at the four points, summed.
    mean = z + h * (z1 + z2 + z3) / 6.0
    return z + h * (z1 + 2.0 * z2 + 2.0 * z3 + z4) / 6.0, energy + h * c[SHARE] * mean


@kernel
def to_zero(z, energy, du, c):
    """The increment that takes a small z to 0 and the energy there: one step with z as the independent variable."""
    e1 = c[SHARE] * z / slope(z, energy, du, c)
    w2 = 1.0 / slope(0.5 * z, energy - 0.5 * z * e1, du, c)
    e2 = c[SHARE] * 0.5 * z * w2
    w3 = 1.0 / slope(0.5 * z, energy - 0.5 * z * e2, du, c)
    e3 = c[SHARE] * 0.5 * z * w3
    w4 = 1.0 / slope(0.0, energy - z * e3, du, c)
    w1 = 1.0 / slope(z, energy, du, c)
    return -z * (w1 + 2.0 * w2 + 2.0 * w3 + w4) / 6.0, energy - z * (e1 + 2.0 * e2 + 2.0 * e3) / 6.0


@kernel
def advance(z, energy, increment, c):
    """z and energy after an increment given in yield displacements."""
    left = increment
    for _ in range(MOST_STEPS):
        step = longest_step(z, energy, left, c)
        h = min(max(left, -step), step)
        following, spent = runge_kutta(z, energy, h, c)
        if z * h < 0.0 and following * h > 0.0:
            h, spent = to_zero(z, energy, h, c)
            following = 0.0
        z = following
        energy = spent
        left = left - h
        if left == 0.0:
            break
    return z, energy


class BoucWenDegrading(Sampled):
    """Bouc-Wen specimen with degradation of strength and stiffness and pinching, at each tick."""

    ins = Ports(disp="applied displacement u")
    outs = Ports(force="restoring force r")
    params = PARAMS
    state = State(disp=0.0, z=0.0, energy=0.0)
    example = dict(stiffness=10.0, yield_disp=1.0, delta_nu=0.02, delta_eta=0.05, zeta_s=0.9)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return prepared("BoucWenDegrading", q, cls.state)

    @kernel
    def outputs(u, x, p, y):
        z, _ = advance(x.z, x.energy, (u.disp - x.disp) / p.uy, p.shape)
        y.force = p.elastic * u.disp + p.hysteretic * z

    @kernel
    def update(u, x, p):
        z, energy = advance(x.z, x.energy, (u.disp - x.disp) / p.uy, p.shape)
        x.z = z
        x.energy = energy
        x.disp = u.disp


class BoucWenDegradingRate(Continuous):
    """Bouc-Wen specimen with degradation and pinching, integrated in time, from displacement and velocity."""

    ins = Ports(disp="applied displacement u", vel="its velocity u'")
    outs = Ports(force="restoring force r")
    params = PARAMS
    state = State(z=0.0, energy=0.0)
    example = dict(stiffness=10.0, yield_disp=1.0, delta_nu=0.02, delta_eta=0.05)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return prepared("BoucWenDegradingRate", q, cls.state)

    @kernel
    def outputs(u, x, p, y):
        y.force = p.elastic * u.disp + p.hysteretic * x.z

    @kernel
    def derivative(u, x, p, dx):
        dx.z = u.vel / p.uy * slope(x.z, x.energy, u.vel, p.shape)
        dx.energy = p.shape[SHARE] * x.z * u.vel / p.uy
