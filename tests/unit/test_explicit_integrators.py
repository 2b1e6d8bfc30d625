"""The explicit integrators: their equations and their start.

Expected values come from step loops written here from the published equations, from the central difference method
and from closed forms. Ports, refusals and warnings: test_explicit_integrator_limits.py. Order, limit and spectrum are
measured in tests/evals/test_integrator_verification.py.
"""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from integrator_loop import in_loop
from one_block import made

from hybsim.blocks.integrators.central_difference import CentralDifference
from hybsim.blocks.integrators.chang_explicit import ChangExplicit
from hybsim.blocks.integrators.cr_explicit import CRExplicit
from hybsim.blocks.integrators.gamma_function import GammaFunction
from hybsim.blocks.integrators.kr_alpha import KRAlpha
from hybsim.blocks.integrators.modified_newmark import ModifiedNewmark
from hybsim.blocks.integrators.momentum import MomentumNewmark
from hybsim.blocks.integrators.stability import StabilityWarning

# A full mass matrix, and a damping that is not symmetric: no product can be transposed unseen.
M = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 0.5]])
C = np.array([[0.9, -0.5, 0.0], [-0.2, 0.7, 0.1], [0.0, 0.3, 0.4]])
K = np.array([[30.0, -10.0, 0.0], [-10.0, 20.0, -5.0], [0.0, -5.0, 5.0]])
# Numerical stiffnesses are given wrong on purpose: K0 must enter where the method has it, r where it has that.
K0 = 0.8 * K + np.diag([1.0, 0.0, 0.5])
D0, V0 = np.array([0.1, 0.0, -0.2]), np.array([0.0, 1.0, 0.5])
DT, STEPS = 0.02, 300
LOADS = np.random.default_rng(7).normal(size=(STEPS, 3))
I3 = np.eye(3)

SDOF = SimpleNamespace(
    m=np.array([[0.25]]), c=np.array([[0.3]]), k=np.array([[10.0]]), k0=np.array([[8.0]]), d=np.array([0.4]),
    v=np.array([-2.0]), loads=LOADS[:, :1],
)  # fmt: skip
MDOF = SimpleNamespace(m=M, c=C, k=K, k0=K0, d=D0, v=V0, loads=LOADS)

OWN = {
    CentralDifference: {},
    ModifiedNewmark: dict(alpha=0.3, rho=-0.0001),
    GammaFunction: dict(coefficients=[0.4, 0.7]),
    ChangExplicit: {},
    CRExplicit: {},
    KRAlpha: dict(rho_inf=0.3),
    MomentumNewmark: {},
}
BUILT_ON_STIFFNESS = (GammaFunction, ChangExplicit, CRExplicit, KRAlpha)


def make(cls, dt=DT, **parameters):
    if cls in BUILT_ON_STIFFNESS:
        parameters.setdefault("stiffness", 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)
        return made(cls, dt, **OWN[cls] | parameters)


def for_system(cls, system, **parameters):
    if cls in BUILT_ON_STIFFNESS:
        parameters["stiffness"] = system.k0
    return make(cls, mass=system.m, damping=system.c, initial_disp=system.d, initial_vel=system.v, **parameters)


def under(block, restoring, loads):
    """Displacement, velocity and acceleration of every tick as rows of vectors, also for one degree of freedom."""
    shown = in_loop(block, len(loads), lambda d: restoring(np.atleast_1d(d)), lambda k: loads[k])
    return tuple(column.reshape(len(loads), -1) for column in shown)


# the published equations, step by step: d_0, d_1, ... and v_0, a_0, ... -------------------------------


def central_difference(s, dt):
    """EERC Eqs. 2.4, 2.5."""
    a = [np.linalg.solve(s.m, s.loads[0] - s.c @ s.v - s.k @ s.d)]
    past, d, v = s.d - dt * s.v + dt**2 / 2 * a[0], [s.d], [s.v]
    for f in s.loads:
        right = 2 / dt**2 * s.m @ d[-1] - (s.m / dt**2 - s.c / (2 * dt)) @ past - s.k @ d[-1] + f
        new = np.linalg.solve(s.m / dt**2 + s.c / (2 * dt), right)
        if len(d) > 1:
            v.append((new - past) / (2 * dt))
            a.append((new - 2 * d[-1] + past) / dt**2)
        past = d[-1]
        d.append(new)
    return d, v, a


def modified_newmark(s, dt, alpha, rho):
    """EERC Eqs. 2.9-2.11 with damping."""
    d, v, a = [s.d], [s.v], [np.linalg.solve(s.m, s.loads[0] - s.c @ s.v - s.k @ s.d)]
    for f in s.loads[1:]:
        new = d[-1] + dt * v[-1] + dt**2 / 2 * a[-1]
        left = ((1 + alpha) * s.k + rho / dt**2 * s.m) @ new
        right = f + (alpha * s.k + rho / dt**2 * s.m) @ d[-1]
        # v_{i+1} contains a_{i+1}, which is solved for.
        a_new = np.linalg.solve(s.m + dt / 2 * s.c, right - left - s.c @ (v[-1] + dt / 2 * a[-1]))
        v.append(v[-1] + dt / 2 * (a[-1] + a_new))
        a.append(a_new)
        d.append(new)
    return d, v, a


def gamma_function(s, dt, coefficients):
    """EERC Eqs. 2.6 (corrected), 2.12-2.14."""
    square = dt**2 * np.linalg.inv(s.m) @ s.k0
    gamma = np.eye(len(s.m)) / 2 + sum(c * np.linalg.matrix_power(square, j) for j, c in enumerate(coefficients, 1))
    d, v, a = [s.d], [s.v], [np.linalg.solve(s.m, s.loads[0] - s.c @ s.v - s.k @ s.d)]
    for f in s.loads[1:]:
        d.append(d[-1] + dt * v[-1] + dt**2 / 2 * a[-1])
        known = v[-1] + dt * a[-1] - dt * gamma @ a[-1]
        a.append(np.linalg.solve(s.m + dt * s.c @ gamma, f - s.k @ d[-1] - s.c @ known))
        v.append(known + dt * gamma @ a[-1])
    return d, v, a


def chang(s, dt):
    """EERC Eqs. 2.15-2.19."""
    one, inverse = np.eye(len(s.m)), np.linalg.inv(s.m)
    bracket = np.linalg.inv(one + dt / 2 * inverse @ s.c + dt**2 / 4 * inverse @ s.k0)
    beta_1, beta_2 = bracket @ (one + dt / 2 * inverse @ s.c), bracket / 2
    d, v, a = [s.d], [s.v], [np.linalg.solve(s.m, s.loads[0] - s.c @ s.v - s.k @ s.d)]
    for f in s.loads[1:]:
        d.append(d[-1] + dt * beta_1 @ v[-1] + dt**2 * beta_2 @ a[-1])
        a_new = np.linalg.solve(s.m + dt / 2 * s.c, f - s.k @ d[-1] - s.c @ (v[-1] + dt / 2 * a[-1]))
        v.append(v[-1] + dt / 2 * (a[-1] + a_new))
        a.append(a_new)
    return d, v, a


def kolay_ricles(s, dt, rho_inf, *, as_published=False):
    """Kolay and Ricles (2014); v lags by gamma dt, so unless as_published it starts with v_0 - gamma dt alpha_1 a_0."""
    alpha_m, alpha_f = (2 * rho_inf - 1) / (rho_inf + 1), rho_inf / (rho_inf + 1)
    gamma = 0.5 - alpha_m + alpha_f
    beta = (0.5 + gamma) ** 2 / 4
    z = np.linalg.inv(s.m + gamma * dt * s.c + beta * dt**2 * s.k0)
    alpha_1 = z @ s.m
    alpha_3 = z @ (alpha_m * s.m + alpha_f * gamma * dt * s.c + alpha_f * beta * dt**2 * s.k0)
    d, v, a = [s.d], [s.v], [np.linalg.solve(s.m, s.loads[0] - s.c @ s.v - s.k @ s.d)]
    own_v = s.v if as_published else s.v - gamma * dt * alpha_1 @ a[0]
    for f_old, f in zip(s.loads[:-1], s.loads[1:], strict=True):
        d.append(d[-1] + dt * own_v + dt**2 * (0.5 + gamma) * alpha_1 @ a[-1])
        own_v = own_v + dt * alpha_1 @ a[-1]
        shifted_force = (1 - alpha_f) * f + alpha_f * f_old
        shifted_r = (1 - alpha_f) * s.k @ d[-1] + alpha_f * s.k @ d[-2]
        shifted_v = (1 - alpha_f) * own_v + alpha_f * v[-1]
        a_hat = np.linalg.solve(s.m, shifted_force - shifted_r - s.c @ shifted_v)
        a.append(np.linalg.solve(np.eye(len(s.m)) - alpha_3, a_hat - alpha_3 @ a[-1]))
        v.append(own_v)
    return d, v, a


def chen_ricles(s, dt, *, as_published=False):
    """Chen and Ricles (2008); v is that of half a step before, so unless as_published it starts with that."""
    alpha = 4 * np.linalg.inv(4 * s.m + 2 * dt * s.c + dt**2 * s.k0) @ s.m
    d, v, a = [s.d], [s.v], [np.linalg.solve(s.m, s.loads[0] - s.c @ s.v - s.k @ s.d)]
    own_v = s.v if as_published else s.v - dt / 2 * alpha @ a[0]
    for f in s.loads[1:]:
        d.append(d[-1] + dt * own_v + dt**2 * alpha @ a[-1])
        own_v = own_v + dt * alpha @ a[-1]
        a.append(np.linalg.solve(s.m, f - s.k @ d[-1] - s.c @ own_v))
        v.append(own_v)
    return d, v, a


def momentum(s, dt, ticks):
    """EERC Eq. 3.1 with Newmark's explicit method for q, d, v, q the integral of d, so that K q is that of r."""
    h = ticks * dt
    a_0 = np.linalg.solve(s.m, s.loads[0] - s.c @ s.v - s.k @ s.d)
    v = s.v - dt / 2 * a_0
    d = s.d - dt / 2 * v
    start, q, impulse, targets = s.m @ v + s.c @ d, np.zeros(len(d)), np.zeros(len(d)), []
    for step in s.loads.reshape(-1, ticks, len(d)):
        targets += [d + (j + 0.5) * dt * v for j in range(ticks)]
        q = q + h * d + h**2 / 2 * v
        impulse = impulse + dt * step.sum(axis=0)
        v_new = np.linalg.solve(s.m + h / 2 * s.c, impulse - s.k @ q + start - s.c @ (d + h / 2 * v))
        d = d + h / 2 * (v + v_new)
        v = v_new
    return targets


LOOPS = {
    CentralDifference: central_difference,
    ModifiedNewmark: lambda s, dt: modified_newmark(s, dt, 0.3, -0.0001),
    GammaFunction: lambda s, dt: gamma_function(s, dt, [0.4, 0.7]),
    ChangExplicit: chang,
    CRExplicit: chen_ricles,
    KRAlpha: lambda s, dt: kolay_ricles(s, dt, 0.3),
    MomentumNewmark: central_difference,  # the same with one tick a step
}


@pytest.mark.parametrize("system", [SDOF, MDOF], ids=["one", "several"])
@pytest.mark.parametrize("cls", LOOPS)
def test_the_published_equations_are_solved(cls, system):
    d, v, a = under(for_system(cls, system), lambda d: system.k @ d, system.loads)
    d_true, v_true, a_true = (np.array(signal) for signal in LOOPS[cls](system, DT))
    np.testing.assert_allclose(d, d_true[: len(d)], rtol=0, atol=1e-11)
    # Velocity and acceleration of step k are published at tick k + 1; before, v_0 and 0.
    np.testing.assert_allclose(v[1:], v_true[: len(v) - 1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(a[1:], a_true[: len(a) - 1], rtol=0, atol=1e-7)
    assert (v[0] == system.v).all() and (a[0] == 0.0).all()


@pytest.mark.parametrize("cls", LOOPS)
def test_the_start_is_in_equilibrium(cls):
    block = make(cls, mass=2.0, damping=0.5, initial_disp=0.3, initial_vel=4.0)
    x = block.getstate0()
    assert block.output(0.0, [0.0, 0.0], x) == [0.3, 4.0, 0.0]
    d, v, a = block.output(0.0, [0.0, 0.0], block.next(0.0, [7.0, 20.0], x))
    a_0 = (20.0 - 0.5 * 4.0 - 7.0) / 2.0
    assert a == pytest.approx(a_0, rel=1e-12)
    assert v == pytest.approx(4.0, rel=1e-14)
    # Taylor's step, up to terms of dt^3 that K0 and C add.
    assert d == pytest.approx(0.3 + DT * 4.0 + DT**2 / 2 * a_0, abs=DT**3 * a_0)


@pytest.mark.parametrize("ticks", [2, 5])
def test_the_momentum_form_integrates_the_forces_over_the_ticks_of_a_step(ticks):
    block = for_system(MomentumNewmark, MDOF, ticks_per_step=ticks)
    d, _, _ = under(block, lambda d: K @ d, LOADS)
    np.testing.assert_allclose(d, momentum(MDOF, DT, ticks), rtol=0, atol=1e-11)


def test_velocity_and_acceleration_of_the_momentum_form_are_of_the_middle_of_the_step():
    """With constant acceleration g: the middle of the step of ticks 4 n to 4 n + 3 is at (4 n + 1.5) dt."""
    dt, g = 0.01, 3.0
    d, v, a = under(make(MomentumNewmark, dt, mass=2.0, ticks_per_step=4), lambda d: 0.0, np.full((40, 1), 2.0 * g))
    n = np.arange(4, 40) // 4 - 1
    np.testing.assert_allclose(v[4:, 0], g * (4 * n + 1.5) * dt, rtol=1e-12)
    np.testing.assert_allclose(a[4:, 0], g, rtol=1e-10)
    # d = g t^2 / 2 within the second order of the step.
    np.testing.assert_allclose(d[:, 0], g * (np.arange(40) * dt) ** 2 / 2, rtol=0, atol=g * (4 * dt) ** 2 / 2)


def test_noise_that_cancels_within_a_step_does_not_reach_the_momentum_form():
    # The first tick alone decides the start, so it is left quiet.
    noise = np.tile([[0.0], [1.0], [-3.0], [2.0]], (30, 1))
    changes = {}
    for cls, own in ((MomentumNewmark, dict(ticks_per_step=4)), (CentralDifference, {})):
        block = make(cls, mass=1.0, damping=0.4, **own)
        quiet, noisy = (under(block, lambda d: 5.0 * d, 1.0 + level * noise)[0] for level in (0.0, 1.0))
        changes[cls] = np.abs(noisy - quiet).max() / np.abs(quiet).max()
    assert changes[MomentumNewmark] < 1e-12
    assert changes[CentralDifference] > 1e-3


@pytest.mark.parametrize(
    ("cls", "published"), [(CRExplicit, chen_ricles), (KRAlpha, lambda s, dt, **how: kolay_ricles(s, dt, 0.3, **how))]
)
def test_from_rest_the_first_step_is_the_published_one(cls, published):
    rest = SimpleNamespace(**vars(MDOF) | dict(d=np.zeros(3), v=np.zeros(3), loads=np.vstack([np.zeros(3), LOADS[1:]])))
    d, _, _ = under(for_system(cls, rest), lambda d: K @ d, rest.loads)
    np.testing.assert_allclose(d, published(rest, DT, as_published=True)[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("cls", [CRExplicit, ChangExplicit, KRAlpha])
def test_a_stiff_mode_does_not_overshoot(cls):
    """A released mode with omega dt = 100: the published first step of CR goes to three times the other side."""
    parameters = dict(rho_inf=1.0) if cls is KRAlpha else {}
    block = make(cls, 1.0, mass=1.0, stiffness=1e4, initial_disp=1.0, **parameters)
    d, _, _ = under(block, lambda d: 1e4 * d, np.zeros((2000, 1)))
    assert np.abs(d).max() <= 1.0 + 1e-9
    published = chen_ricles(
        SimpleNamespace(m=I3[:1, :1], c=0 * I3[:1, :1], k=1e4 * I3[:1, :1], k0=1e4 * I3[:1, :1], d=np.ones(1),
                        v=np.zeros(1), loads=np.zeros((3, 1))),
        1.0, as_published=True,
    )[0]  # fmt: skip
    assert published[1][0] == pytest.approx(-3.0, abs=0.01)


def test_kr_alpha_without_dissipation_is_cr():
    kr = under(for_system(KRAlpha, MDOF, rho_inf=1.0), lambda d: K @ d, LOADS)
    cr = under(for_system(CRExplicit, MDOF), lambda d: K @ d, LOADS)
    for ours, expected in zip(kr, cr, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("rho_inf", [0.2, 0.5, 0.8])
def test_kr_alpha_turns_to_negative_damping_where_its_docstring_says(rho_inf):
    """K = s K0 with s around 1 / (rho_inf (2 - rho_inf)), at omega dt = 0.3: growth is slow, but there."""
    bound = 1.0 / (rho_inf * (2.0 - rho_inf))
    growth = []
    for s in (0.9 * bound, 1.1 * bound):
        block = make(KRAlpha, 1.0, mass=1.0, stiffness=0.3**2 / s, rho_inf=rho_inf, initial_disp=1.0)
        d, _, _ = under(block, lambda d: 0.3**2 * d, np.zeros((6000, 1)))
        growth.append(np.abs(d[5000:]).max() / np.abs(d[1000:2000]).max())
    assert growth[0] < 1.0 < growth[1]


@pytest.mark.parametrize(("frequency", "grows"), [(6.2, True), (6.45, False)])
def test_modes_with_negative_numerical_damping_grow(frequency, grows):
    """(omega dt)^2 < -rho/alpha: below 6.32456 rad/s."""
    block = make(ModifiedNewmark, 0.01, mass=1.0, alpha=0.2, rho=-0.0008, initial_disp=1.0)
    d, _, _ = under(block, lambda d: frequency**2 * d, np.zeros((12000, 1)))
    assert (np.abs(d[10000:]).max() > np.abs(d[:2000]).max()) == grows
