"""Tangent stiffness estimates and the operator splitting that uses them (OSM-US).

Expected values come from numpy's eigen, pseudoinverse and least-squares routines, from the secant and least-change
properties of the formulas, and from an independent step loop.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_block import made, refusal

from hybsim.blocks.integrators import tangent_stiffness as ts
from hybsim.blocks.integrators.operator_splitting import OperatorSplitting
from hybsim.blocks.integrators.osm_us import OSMUS

sizes = st.integers(1, 6)
seeds = st.integers(0, 10_000)


def estimated(k, steps, forces):
    """Least squares from the estimate k; one increment a row."""
    tangent = k.ravel().copy()
    ts.least_squares(tangent, steps.ravel(), forces.ravel(), np.zeros(len(k)))
    return tangent.reshape(k.shape)


# linear algebra -----------------------------------------------------------------------------------


@given(sizes, seeds)
def test_eigenvectors_are_those_of_numpy(n, seed):
    a = np.random.default_rng(seed).normal(size=(n, n))
    a = a @ a.T if seed % 2 else a + a.T
    work, v = a.copy(), np.zeros((n, n))
    ts.eigenvectors(work, v)
    np.testing.assert_allclose(np.sort(np.diag(work)), np.linalg.eigvalsh(a), rtol=0, atol=1e-13 * np.linalg.norm(a))
    np.testing.assert_allclose(v @ np.diag(np.diag(work)) @ v.T, a, rtol=0, atol=1e-13 * np.linalg.norm(a))
    np.testing.assert_allclose(v.T @ v, np.eye(n), rtol=0, atol=1e-13)


def test_eigenvectors_of_nothing_and_of_a_diagonal():
    for diagonal in ([0.0, 0.0], [3.0, -1.0]):
        work, v = np.diag(diagonal), np.zeros((2, 2))
        ts.eigenvectors(work, v)
        assert np.diag(work).tolist() == diagonal
        assert v.tolist() == np.eye(2).tolist()


@given(sizes, seeds)
def test_solve_leaves_no_residual(n, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(n, n)), rng.normal(size=n)
    x = b.copy()
    ts.solve(a.copy(), x)
    assert np.linalg.norm(a @ x - b) < 1e-13 * np.linalg.norm(a) * np.linalg.norm(x)


def test_solve_exchanges_rows():
    b = np.array([2.0, 3.0])
    ts.solve(np.array([[0.0, 1.0], [1.0, 0.0]]), b)
    assert b.tolist() == [3.0, 2.0]


# estimates ----------------------------------------------------------------------------------------


@given(sizes, seeds)
def test_enough_increments_give_plain_least_squares(n, seed):
    """Overdetermined and well conditioned: the previous estimate does not matter, nothing is symmetrised."""
    rng = np.random.default_rng(seed)
    steps = np.vstack([np.eye(n), np.eye(n)]) + 0.1 / n * rng.normal(size=(2 * n, n))
    forces = rng.normal(size=(2 * n, n))
    expected = np.linalg.lstsq(steps, forces, rcond=None)[0].T
    np.testing.assert_allclose(estimated(rng.normal(size=(n, n)), steps, forces), expected, rtol=0, atol=1e-11)


@given(sizes, seeds, st.integers(1, 4))
def test_few_increments_change_the_estimate_least(n, seed, m):
    rng = np.random.default_rng(seed)
    k, steps, forces = rng.normal(size=(n, n)), rng.normal(size=(m, n)), rng.normal(size=(m, n))
    expected = k + (forces.T - k @ steps.T) @ np.linalg.pinv(steps.T, rcond=0.01)
    np.testing.assert_allclose(estimated(k, steps, forces), expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize(("size", "used"), [(0.009, False), (0.011, True)])
def test_singular_values_below_one_percent_are_dropped(size, used):
    """Two DOF, m = dof: a direction that hardly moved keeps its stiffness (ERRATA: m = dof is fragile)."""
    k, true = np.diag([5.0, 7.0]), np.array([[2.0, -1.0], [-1.5, 3.0]])
    steps = np.array([[1.0, 0.0], [0.0, size]])
    found = estimated(k, steps, steps @ true.T)
    np.testing.assert_allclose(found[:, 0], true[:, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[:, 1], true[:, 1] if used else k[:, 1], rtol=0, atol=1e-11)


def test_noise_on_parallel_increments_does_not_blow_up_the_estimate():
    rng = np.random.default_rng(7)
    k = np.array([[4.0, -2.0], [-2.0, 2.0]])
    steps = np.outer([1.0, 1.1], [0.6, 1.0]) + 1e-6 * rng.normal(size=(2, 2))
    forces = steps @ k.T + 1e-3 * rng.normal(size=(2, 2))
    plain = np.linalg.solve(steps, forces).T
    assert np.abs(plain - k).max() > 50.0
    assert np.abs(estimated(k, steps, forces) - k).max() < 3e-3


def test_unused_places_of_the_memory_count_for_nothing():
    k, steps, forces = np.eye(2), np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(estimated(k, steps, forces), estimated(k, steps[:1], forces[:1]), rtol=0, atol=1e-15)
    assert estimated(k, 0 * steps, 0 * forces).tolist() == k.tolist()


@given(sizes, seeds)
def test_broyden_is_the_least_change_with_the_secant(n, seed):
    rng = np.random.default_rng(seed)
    k, s, y = rng.normal(size=(n, n)), rng.normal(size=n), rng.normal(size=n)
    tangent = k.ravel().copy()
    ts.broyden(tangent, s, y)
    change = tangent.reshape(n, n) - k
    np.testing.assert_allclose((k + change) @ s, y, rtol=0, atol=1e-10)
    # Least in Frobenius' norm: rank one, with rows along s.
    np.testing.assert_allclose(change, np.outer(change @ s, s) / (s @ s), rtol=0, atol=1e-10)


@given(sizes, seeds)
def test_bfgs_keeps_the_secant_symmetry_and_definiteness(n, seed):
    rng = np.random.default_rng(seed)
    root, true = rng.normal(size=(2, n, n))
    k, true, s = root @ root.T + np.eye(n), true @ true.T + np.eye(n), rng.normal(size=n)
    tangent = k.ravel().copy()
    ts.bfgs(tangent, s, true @ s)
    found = tangent.reshape(n, n)
    np.testing.assert_allclose(found @ s, true @ s, rtol=0, atol=1e-10 * np.linalg.norm(true))
    np.testing.assert_allclose(found, found.T, rtol=0, atol=1e-12 * np.linalg.norm(found))
    assert np.linalg.eigvalsh(found)[0] > 0.0


def test_bfgs_leaves_out_a_falling_branch():
    tangent = np.array([2.0])
    ts.bfgs(tangent, np.array([1.0]), np.array([-0.5]))
    assert tangent.tolist() == [2.0]
    ts.broyden(tangent, np.array([1.0]), np.array([-0.5]))
    assert tangent.tolist() == [-0.5]


# the integrator -----------------------------------------------------------------------------------

MASS = np.array([[2.0, 0.1], [0.1, 1.5]])
DAMPING = np.array([[0.5, -0.2], [-0.1, 0.4]])
K0 = np.array([[90.0, -40.0], [-40.0, 40.0]])


def softening(d):
    drifts = np.array([d[0], d[1] - d[0]])
    shears = np.array([50.0, 40.0]) * np.tanh(4.0 * drifts) / 4.0
    return np.array([shears[0] - shears[1], shears[1]])


def reference(loads, dt, restoring, *, estimate, m, threshold, b, d, v):
    """OSM Eqs. 2, 3, 6-11 with numpy's pseudoinverse; targets, and the tangents used."""
    k, seen, turn = K0.copy(), [], d
    r, target = restoring(d), d
    a = np.linalg.solve(MASS, loads[0] - r - (DAMPING + b * k) @ v)
    targets, tangents = [d], []
    for f in loads[1:]:
        last_r, last_target = r, target
        target, v_p = d + dt * v + dt**2 / 4 * a, v + dt / 2 * a
        r = restoring(target)
        s, y = target - last_target, r - last_r
        if np.abs(s).max() > threshold:
            turned = s @ (last_target - turn) < 0
            k, seen, turn = (K0.copy(), [], last_target) if turned else (k, seen, turn)
            seen = [*seen, (s, y)][-m:]
            if not turned:
                k = {"least_squares": lstsq, "broyden": lambda k, q: lstsq(k, q[-1:]), "bfgs": bfgs}[estimate](k, seen)
        tangents.append(k)
        c = DAMPING + b * k
        a = np.linalg.solve(MASS + dt / 2 * c + dt**2 / 4 * k, f - r - c @ v_p)
        d, v = target + dt**2 / 4 * a, v_p + dt / 2 * a
        targets.append(target)
    return np.array(targets), np.array(tangents)


def lstsq(k, seen):
    s, y = (np.array(part).T for part in zip(*seen, strict=True))
    return k + (y - k @ s) @ np.linalg.pinv(s, rcond=0.01)


def bfgs(k, seen):
    s, y = seen[-1]
    return k - np.outer(k @ s, k @ s) / (s @ k @ s) + np.outer(y, y) / (y @ s) if y @ s > 0 else k


def run(block, loads, restoring):
    x, rows = block.getstate0(), []
    for f in loads:
        d, _, a = block.output(0.0, [0.0, 0.0], x)
        rows.append((d, a))
        x = block.next(0.0, [restoring(d), f], x)
    return (*(np.array(column) for column in zip(*rows, strict=True)), block._state(x))


@pytest.mark.parametrize("estimate", ["least_squares", "broyden", "bfgs"])
@pytest.mark.parametrize(("m", "threshold", "b"), [(3, 0.0, 0.0), (1, 0.002, 0.004), (6, 0.01, 0.01)])
def test_equations_of_osm_us(estimate, m, threshold, b):
    dt, start = 0.02, dict(d=np.array([0.05, 0.0]), v=np.array([0.5, -1.0]))
    loads = np.outer(6.0 * np.sin(5.0 * dt * np.arange(250)), [1.0, 0.6]) + np.random.default_rng(8).normal(
        size=(250, 2)
    )
    block = made(
        OSMUS, dt, mass=MASS, damping=DAMPING, stiffness=K0, estimate=estimate, steps=m, threshold=threshold,
        tangent_damping=b, initial_disp=start["d"], initial_vel=start["v"],
    )  # fmt: skip
    found, _, x = run(block, loads, softening)
    expected, tangents = reference(loads, dt, softening, estimate=estimate, m=m, threshold=threshold, b=b, **start)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(np.reshape(x.tangent, (2, 2)), tangents[-1], rtol=0, atol=1e-6)
    # The case must reach what it is about: estimates far from K0, and reversals back to it.
    at_k0 = (tangents == K0).all(axis=(1, 2))
    assert np.abs(tangents - K0).max() > 20.0
    assert (at_k0[1:] & ~at_k0[:-1]).sum() >= 3


@pytest.mark.parametrize("estimate", ["least_squares", "broyden", "bfgs"])
def test_a_linear_specimen_makes_it_operator_splitting(estimate):
    loads = np.random.default_rng(9).normal(size=(300, 2))
    options = dict(dt=0.05, mass=MASS, damping=DAMPING, stiffness=K0, initial_vel=1.0)
    found, a, _ = run(made(OSMUS, **options, estimate=estimate), loads, lambda d: K0 @ d)
    expected, expected_a, _ = run(made(OperatorSplitting, **options), loads, lambda d: K0 @ d)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(a, expected_a, rtol=0, atol=1e-7)


def test_yielding_zeroes_the_tangent_and_a_reversal_brings_k0_back():
    """Elastic-perfectly-plastic, driven through yield by its initial velocity."""
    block = made(OSMUS, mass=1.0, stiffness=100.0, initial_vel=5.0, steps=2)
    x, plastic, last, history = block.getstate0(), 0.0, 0.0, []
    for _ in range(60):
        (d, *_) = block.output(0.0, [0.0, 0.0], x)
        plastic += max(d - plastic - 0.1, 0.0) + min(d - plastic + 0.1, 0.0)
        x = block.next(0.0, [100.0 * (d - plastic), 0.0], x)
        history.append((d - last, block._state(x).tangent[0]))
        last = d
    steps, tangents = np.array(history).T
    turn = int(np.argmax(steps < 0))
    assert tangents[0] == 100.0
    assert abs(tangents[turn - 1]) < 1e-9
    assert tangents[turn] == 100.0
    assert tangents[turn + 1] == pytest.approx(100.0, rel=1e-9)


def test_start_feedthrough_and_memory():
    block = made(OSMUS, mass=2.0, damping=0.5, stiffness=30.0, tangent_damping=0.1, initial_vel=4.0)
    x = block.getstate0()
    assert block.output(0.0, [0.0, 0.0], x) == [0.0, 4.0, 0.0]
    _, v0, a0 = block.output(0.0, [0.0, 0.0], block.next(0.0, [7.0, 20.0], x))
    assert v0 == 4.0
    assert a0 == pytest.approx((20.0 - 7.0 - (0.5 + 0.1 * 30.0) * 4.0) / 2.0, rel=1e-15)
    assert block._kernels.feedthrough == dict.fromkeys(("disp_target", "vel", "accel"), frozenset())
    three = made(OSMUS, mass=np.eye(3), stiffness=np.eye(3))
    assert len(three._prepared.x["disp_steps"]) == 3 * 4  # degrees of freedom + 1 increments


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "needs stiffness="),
        ({"stiffness": np.eye(3)}, "a stiffness of 3 x 3"),
        ({"stiffness": np.eye(2), "estimate": "bfsg"}, "must be one of 'least_squares', 'broyden', 'bfgs'"),
        ({"stiffness": np.eye(2), "steps": 0}, "must be at least 1"),
        ({"stiffness": np.eye(2), "steps": 1.5}, "must be a whole number"),
        ({"stiffness": np.eye(2), "threshold": -1.0}, "must be at least 0"),
        ({"stiffness": np.eye(2), "tangent_damping": math.nan}, "must be finite"),
        ({"stiffness": [[1.0, 0.5], [0.0, 1.0]], "estimate": "bfgs"}, "'bfgs' from an unsymmetric stiffness"),
        ({"stiffness": -40000.0 * np.eye(2)}, "is singular at dt = 0.01 s"),
    ],
)
def test_refusals_are_one_sentence(parameters, words):
    assert words in refusal(made, OSMUS, name="structure", mass=np.eye(2), **parameters)
