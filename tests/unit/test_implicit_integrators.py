"""Newmark-beta, HHT-alpha, implicit-explicit, operator splitting, alpha-OS: equations, identities, start, refusals.

Expected values come from a step loop that solves the equations of a step simultaneously for (d, v, a), from Newmark's
method in displacement form, and from the theory of the difference equations.
"""

from __future__ import annotations

import math
import warnings
from itertools import pairwise

import numpy as np
import pytest
from integrator_loop import in_loop
from one_block import made, refusal

from hybsim.blocks.integrators.alpha_os import AlphaOS
from hybsim.blocks.integrators.hht_alpha import HHTAlpha
from hybsim.blocks.integrators.implicit_explicit import ImplicitExplicit
from hybsim.blocks.integrators.newmark_beta import NewmarkBeta
from hybsim.blocks.integrators.newmark_explicit import NewmarkExplicit
from hybsim.blocks.integrators.operator_splitting import OperatorSplitting
from hybsim.blocks.integrators.stability import StabilityWarning

FAMILY = (NewmarkBeta, HHTAlpha, ImplicitExplicit, OperatorSplitting, AlphaOS)
SPLIT = (OperatorSplitting, AlphaOS)

MASS = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 0.5]])
# Neither symmetric: no product can be transposed unseen.
DAMPING = np.array([[0.9, -0.5, 0.0], [-0.2, 0.7, 0.1], [0.0, 0.3, 0.4]])
STIFFNESS = np.array([[30.0, -12.0, 0.0], [-10.0, 20.0, -4.0], [0.0, -5.0, 6.0]])
EXPLICIT = np.array([[0.1, 0.05, 0.0], [0.0, 0.2, 0.0], [0.1, 0.0, 0.3]])


def hardening(d):
    return STIFFNESS.T @ d + 40.0 * d**3


def simultaneous(
    loads, d, v, *, m, c, k, dt, restoring, beta, gamma, alpha=0.0, c_e=0.0, split=False, extrapolated=False
):
    """Targets, velocities and accelerations, every step solved as one system for the new (d, v, a).

    split: K is K0 of r(d) ~ r(d~) + K0 (d - d~)
    """
    m, c, k, d, v = (np.array(q, dtype=float) for q in (m, c, k, d, v))
    n, one = len(d), np.eye(len(d))
    c_e = np.zeros((n, n)) + c_e
    internal = restoring(d) + (0.0 if split else k @ d) + (c + c_e) @ v
    a = np.linalg.solve(m, loads[0] - internal)
    rows = [(d, v, a)]
    for last_f, f in pairwise(loads):
        predictor = d + dt * v + dt**2 * (0.5 - beta) * a
        predictor_v = v + dt * (1 - gamma) * a
        target = d + dt * v + dt**2 / 2 * a if extrapolated else predictor
        measured = restoring(target) - (k @ predictor if split else 0.0) + c_e @ predictor_v
        system = np.block(
            [
                [one, 0 * one, -beta * dt**2 * one],
                [0 * one, one, -gamma * dt * one],
                [(1 + alpha) * k, (1 + alpha) * c, m],
            ]
        )
        right = (1 + alpha) * (f - measured) - alpha * (last_f - internal)
        new = np.linalg.solve(system, np.concatenate([predictor, predictor_v, right]))
        d, v, a = new[:n], new[n : 2 * n], new[2 * n :]
        internal = k @ d + c @ v + measured
        rows.append((target, v, a))
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def newmark_displacement_form(m, c, k, dt, d, v, loads):
    """Constant average acceleration solved for the displacement (Chopra, Table 5.4.2): d, v, a of all steps."""
    a = np.linalg.solve(m, loads[0] - c @ v - k @ d)
    rows = [(d, v, a)]
    for f in loads[1:]:
        right = f + m @ (4 / dt**2 * d + 4 / dt * v + a) + c @ (2 / dt * d + v)
        new = np.linalg.solve(k + 2 / dt * c + 4 / dt**2 * m, right)
        new_v = 2 / dt * (new - d) - v
        a = 4 / dt**2 * (new - d) - 4 / dt * v - a
        d, v = new, new_v
        rows.append((d, v, a))
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def alpha_newmark(alpha):
    return dict(alpha=alpha, beta=(1 - alpha) ** 2 / 4, gamma=0.5 - alpha)


CASES = [
    (NewmarkBeta, dict(beta=0.2, gamma=0.6), dict(beta=0.2, gamma=0.6, extrapolated=True)),
    (HHTAlpha, dict(alpha=-0.2), dict(**alpha_newmark(-0.2), extrapolated=True)),
    (ImplicitExplicit, dict(beta=0.3, gamma=0.55, damping_explicit=EXPLICIT), dict(beta=0.3, gamma=0.55, c_e=EXPLICIT)),
    (OperatorSplitting, {}, dict(beta=0.25, gamma=0.5, split=True)),
    (AlphaOS, dict(alpha=-0.3), dict(**alpha_newmark(-0.3), split=True)),
]  # fmt: skip


@pytest.mark.parametrize(("cls", "own", "method"), CASES)
def test_equations_of_several_degrees_of_freedom(cls, own, method):
    loads = np.random.default_rng(3).normal(size=(200, 3)).cumsum(axis=0)
    start = dict(initial_disp=[0.1, 0.0, -0.2], initial_vel=[0.0, 1.0, 0.5])
    block = made(cls, 0.02, mass=MASS, damping=DAMPING, stiffness=STIFFNESS, **start, **own)
    d, v, a = in_loop(block, 200, hardening, lambda i: loads[i])
    targets, vels, accels = simultaneous(
        loads, *start.values(), m=MASS, c=DAMPING, k=STIFFNESS, dt=0.02, restoring=hardening, **method
    )
    np.testing.assert_allclose(d, targets, rtol=0, atol=1e-11)
    np.testing.assert_allclose(v[1:], vels[:-1], rtol=0, atol=1e-10)
    np.testing.assert_allclose(a[1:], accels[:-1], rtol=0, atol=1e-8)


@pytest.mark.parametrize(("cls", "own", "method"), CASES)
def test_equations_of_one_degree_of_freedom(cls, own, method):
    loads = np.random.default_rng(4).normal(size=(150, 1))
    own = {name: 0.4 if name == "damping_explicit" else value for name, value in own.items()}
    method = {name: 0.4 if name == "c_e" else value for name, value in method.items()}
    block = made(cls, 0.01, mass=0.25, damping=0.3, stiffness=12.0, initial_disp=0.4, initial_vel=-2.0, **own)
    d, _, a = in_loop(block, 150, lambda d: 7.0 * math.sin(d), lambda k: loads[k, 0])
    targets, _, accels = simultaneous(
        loads, [0.4], [-2.0], m=[[0.25]], c=[[0.3]], k=[[12.0]], dt=0.01, restoring=lambda d: 7.0 * np.sin(d), **method
    )
    np.testing.assert_allclose(d, targets[:, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(a[1:], accels[:-1, 0], rtol=0, atol=1e-9)


# identities ---------------------------------------------------------------------------------------


def test_operator_splitting_with_the_true_stiffness_is_constant_average_acceleration():
    loads = np.random.default_rng(5).normal(size=(300, 3))
    k = STIFFNESS @ STIFFNESS.T
    d_0, v_0 = np.array([0.2, -0.1, 0.3]), np.array([1.0, 0.0, -1.0])
    block = made(OperatorSplitting, 0.2, mass=MASS, damping=DAMPING, stiffness=k, initial_disp=d_0, initial_vel=v_0)
    target, v, a = in_loop(block, 300, lambda d: k @ d, lambda i: loads[i])
    expected = newmark_displacement_form(MASS, DAMPING, k, 0.2, d_0, v_0, loads)
    np.testing.assert_allclose(target[1:-1] + 0.2**2 / 4 * a[2:], expected[0][1:-1], rtol=0, atol=1e-10)
    np.testing.assert_allclose(v[1:], expected[1][:-1], rtol=0, atol=1e-10)
    np.testing.assert_allclose(a[1:], expected[2][:-1], rtol=0, atol=1e-8)


@pytest.mark.parametrize("cls", [NewmarkBeta, HHTAlpha, ImplicitExplicit])
def test_without_a_specimen_they_are_constant_average_acceleration(cls):
    loads = np.random.default_rng(6).normal(size=(200, 3))
    d_0, v_0 = np.array([0.2, -0.1, 0.3]), np.zeros(3)
    block = made(cls, 0.1, mass=MASS, damping=DAMPING, stiffness=STIFFNESS, initial_disp=d_0)
    _, v, a = in_loop(block, 200, lambda d: 0.0 * d, lambda i: loads[i])
    expected = newmark_displacement_form(MASS, DAMPING, STIFFNESS, 0.1, d_0, v_0, loads)
    np.testing.assert_allclose(v[1:], expected[1][:-1], rtol=0, atol=1e-11)
    np.testing.assert_allclose(a[1:], expected[2][:-1], rtol=0, atol=1e-9)


IDENTITIES = [
    ((HHTAlpha, dict(alpha=0.0)), (NewmarkBeta, dict(beta=0.25, gamma=0.5))),
    ((AlphaOS, dict(alpha=0.0)), (OperatorSplitting, {})),
    ((NewmarkBeta, dict(beta=0.0, stiffness=0.0)), (NewmarkExplicit, {})),
    ((ImplicitExplicit, dict(beta=0.0, stiffness=0.0)), (NewmarkExplicit, {})),
    ((ImplicitExplicit, dict(stiffness=0.0)), (OperatorSplitting, dict(stiffness=0.0))),
]


@pytest.mark.parametrize(("one", "other"), IDENTITIES)
def test_methods_that_coincide(one, other):
    runs = []
    for cls, own in (one, other):
        stiffness = {} if cls is NewmarkExplicit else dict(stiffness=STIFFNESS)
        block = made(cls, 0.02, mass=MASS, damping=DAMPING, initial_vel=1.0, **(stiffness | own))
        runs.append(in_loop(block, 300, hardening))
    for left, right in zip(*runs, strict=True):
        np.testing.assert_allclose(left, right, rtol=0, atol=1e-9)


def test_alpha_os_with_the_true_stiffness_is_hht():
    options = dict(mass=MASS, damping=DAMPING, stiffness=STIFFNESS, alpha=-0.25, initial_vel=1.0)
    _, v, a = in_loop(made(AlphaOS, 0.05, **options), 200, lambda d: STIFFNESS @ d)
    _, hht_v, hht_a = in_loop(made(HHTAlpha, 0.05, **options), 200, lambda d: 0.0 * d)
    np.testing.assert_allclose(v, hht_v, rtol=0, atol=1e-12)
    np.testing.assert_allclose(a, hht_a, rtol=0, atol=1e-10)


# ports and parameters -----------------------------------------------------------------------------


@pytest.mark.parametrize("cls", FAMILY)
def test_first_tick_publishes_the_initial_state_and_starts_in_equilibrium(cls):
    block = made(cls, mass=2.0, damping=0.5, stiffness=30.0, initial_disp=0.3, initial_vel=4.0)
    x = block.getstate0()
    assert block.output(0.0, [0.0, 0.0], x) == [0.3, 4.0, 0.0]
    _, v0, a0 = block.output(0.0, [0.0, 0.0], block.next(0.0, [7.0, 20.0], x))
    assert a0 == pytest.approx((20.0 - 0.5 * 4.0 - 7.0 - (0.0 if cls in SPLIT else 30.0 * 0.3)) / 2.0, rel=1e-15)
    assert v0 == 4.0


@pytest.mark.parametrize("cls", FAMILY)
@pytest.mark.parametrize("mass", [1.0, np.eye(2)])
def test_nothing_passes_through_within_a_tick(cls, mass):
    block = made(cls, mass=mass, stiffness=mass)
    assert block._kernels.feedthrough == dict.fromkeys(("disp_target", "vel", "accel"), frozenset())


@pytest.mark.parametrize("cls", [NewmarkBeta, ImplicitExplicit])
def test_a_tick_above_the_limit_of_the_numerical_part_warns_with_it(cls):
    # beta = 1/6: omega dt <= 1 / sqrt(1/4 - 1/6) = sqrt(12); omega = 20 rad/s.
    with pytest.warns(StabilityWarning, match=r"not be longer than 0\.173205 s"):
        made(cls, 0.18, mass=1.0, stiffness=400.0, beta=1 / 6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(cls, 0.17, mass=1.0, stiffness=400.0, beta=1 / 6)
        made(cls, 5.0, mass=1.0, stiffness=400.0)


@pytest.mark.parametrize(
    ("cls", "parameters", "words"),
    [
        *((cls, {"mass": -1.0, "stiffness": 1.0}, "must be positive definite") for cls in FAMILY),
        *((cls, {"mass": np.eye(2), "stiffness": 3.0}, "a mass of 2 x 2 and a stiffness of 1 x 1") for cls in FAMILY),
        *((cls, {"mass": 1.0, "stiffness": 0.0, "damping": -200.0}, "is singular at dt = 0.01 s") for cls in SPLIT),
        (OperatorSplitting, {"mass": 1.0}, "needs stiffness= (initial stiffness K0"),
        (AlphaOS, {"mass": 1.0}, "needs stiffness="),
        (AlphaOS, {"mass": 1.0, "stiffness": 1.0, "alpha": 0.1}, "'alpha' of block 'structure' must be at most 0"),
        (HHTAlpha, {"mass": 1.0, "alpha": -0.34}, "must be at least -0.333333, got -0.34"),
        (NewmarkBeta, {"mass": 1.0, "gamma": 0.4}, "'gamma' of block 'structure' must be at least 0.5"),
        (NewmarkBeta, {"mass": 1.0, "beta": -0.1}, "must be at least 0"),
        (ImplicitExplicit, {"mass": np.eye(2), "damping_explicit": np.eye(3)}, "a damping_explicit of 3 x 3"),
        (ImplicitExplicit, {"mass": 1.0, "alpha": 0.0}, "has no parameter 'alpha'"),
    ],
)
def test_refusals_are_one_sentence(cls, parameters, words):
    assert words in refusal(made, cls, name="structure", **parameters)


def test_the_lowest_alpha_is_minus_a_third():
    """EERC Eq. 2.23 prints +1/3 as the lower bound."""
    assert made(HHTAlpha, mass=1.0, alpha=-1 / 3)._prepared.p["alpha"] == -1 / 3
