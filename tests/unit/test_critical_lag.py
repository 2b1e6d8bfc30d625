"""The critical lag: closed form, eigenvalues of the central difference method, moments of random lags, limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hybsim.studies.eerc.critical_lag import MOST, LaggingTest, is_unstable


def one_mass(period: float = 1.0, ratio: float = 0.05, dt: float = 0.01, stiffness: float = 10.0) -> LaggingTest:
    omega = 2.0 * math.pi / period
    mass = stiffness / omega**2
    return LaggingTest(
        np.array([[mass]]), np.array([[2.0 * ratio * mass * omega]]), [np.array([[stiffness]])], dt
    )  # fmt: skip


def frame(dt: float = 0.01) -> LaggingTest:
    """Two storeys, damping that couples the modes and is not a combination of mass and stiffness."""
    lower, upper = np.array([[12.0, 0.0], [0.0, 0.0]]), 9.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return LaggingTest(
        np.array([[0.11, 0.01], [0.01, 0.08]]), np.array([[0.13, -0.05], [-0.05, 0.07]]), [lower, upper], dt
    )  # fmt: skip


def companion(test: LaggingTest, etas: list[float]) -> np.ndarray:
    """(d_k, d_{k-1}) to (d_{k+1}, d_k), for a lag of each specimen of its own: the central difference method.

    (M/dt^2 + C/2dt) d_{k+1} - 2 M/dt^2 d_k + (M/dt^2 - C/2dt) d_{k-1} + sum_j K_j ((1 - eta_j) d_k + eta_j d_{k-1}) = 0
    """
    m, c, dt = test.mass, test.damping, test.dt
    now = sum((1.0 - eta) * k for eta, k in zip(etas, test.stiffness, strict=True))
    last = sum(eta * k for eta, k in zip(etas, test.stiffness, strict=True))
    solve = np.linalg.inv(m / dt**2 + c / (2.0 * dt))
    n = len(m)
    return np.block([
        [solve @ (2.0 * m / dt**2 - now), -solve @ (m / dt**2 - c / (2.0 * dt) + last)],
        [np.eye(n), np.zeros((n, n))],
    ])  # fmt: skip


@pytest.mark.parametrize("period", [0.2, 0.33, 1.0])
@pytest.mark.parametrize("ratio", [0.01, 0.05, 0.15])
@pytest.mark.parametrize("dt", [0.01, 0.02])
def test_one_degree_of_freedom_bears_a_lag_of_zeta_T_over_pi(period, ratio, dt):
    assert one_mass(period, ratio, dt).critical_lag() == pytest.approx(ratio * period / math.pi, rel=1e-9)


@pytest.mark.parametrize(
    "test", [one_mass(), one_mass(0.33), frame(), frame(0.03)], ids=["1 s", "0.33 s", "2", "2 coarse"]
)
@pytest.mark.parametrize("eta", [0.0, 0.3, 1.0, 2.5])
def test_eigenvalues_are_those_of_the_central_difference_method(test, eta):
    n = len(test.mass)
    ours = np.linalg.eigvals(test.amplification(eta))
    theirs = np.linalg.eigvals(companion(test, [eta] * len(test.stiffness)))
    # The larger state has nothing but zeros besides: velocity and acceleration follow from two displacements.
    assert len(ours) == 4 * n
    largest = ours[np.argsort(np.abs(ours))[-2 * n :]]
    for value in theirs:
        assert np.abs(largest - value).min() < 1e-7
    assert test.radius(eta) == pytest.approx(np.abs(theirs).max(), rel=1e-9)


def test_the_state_of_the_matrix_is_a_step_of_newmarks_method():
    """A step written out, with the last target in the state."""
    test, eta = frame(), 0.7
    rng = np.random.default_rng(1)
    d, v, a, last = rng.normal(size=(4, 2))
    dt, stiffness = test.dt, sum(test.stiffness)
    force = stiffness @ (d - eta * (d - last))
    v_half = v + 0.5 * dt * a
    a_new = np.linalg.solve(test.mass + 0.5 * dt * test.damping, -force - test.damping @ v_half)
    v_new = v_half + 0.5 * dt * a_new
    expected = np.concatenate([d + dt * v_new + 0.5 * dt**2 * a_new, v_new, a_new, d])
    np.testing.assert_allclose(test.amplification(eta) @ np.concatenate([d, v, a, last]), expected, rtol=1e-12)


def test_the_radius_passes_one_at_the_critical_lag():
    test = frame()
    critical = test.critical_lag()
    assert critical is not None
    eta = critical / test.dt
    below, above = (np.abs(np.linalg.eigvals(companion(test, [x * eta] * 2))).max() for x in (0.999, 1.001))
    assert below < 1.0 < above
    assert not is_unstable(test.radius(0.999 * eta)) and is_unstable(test.radius(1.001 * eta))


def test_the_highest_mode_goes_first():
    """Modal damping of 5 % in both modes: the limit is that of the shorter period."""
    drifts = np.array([[1.0, 0.0], [-1.0, 1.0]])
    k, m = 10.0 * drifts.T @ drifts, 0.1 * np.eye(2)
    squares, shapes = np.linalg.eigh(k / 0.1)
    omegas = np.sqrt(squares)
    damping = 0.1 * shapes @ np.diag(2.0 * 0.05 * omegas) @ shapes.T
    specimens = [10.0 * np.outer(row, row) for row in drifts]
    critical = LaggingTest(m, damping, specimens, 0.01).critical_lag()
    assert critical == pytest.approx(2.0 * 0.05 / omegas[1], rel=1e-9)


def test_an_undamped_structure_bears_no_lag():
    assert one_mass(ratio=0.0).critical_lag() == pytest.approx(0.0, abs=1e-12)


def test_what_is_unstable_without_lag_has_a_critical_lag_of_zero():
    # omega dt = 2.2, beyond the limit of the method
    assert one_mass(period=2.0 * math.pi * 0.01 / 2.2).critical_lag() == 0.0


def test_there_may_be_no_critical_lag_up_to_the_limit():
    ratio = 1.01 * MOST * 0.01 * math.pi / 1.0
    assert one_mass(ratio=ratio).critical_lag() is None
    assert one_mass(ratio=0.97 * ratio).critical_lag() is not None


def moments(test: LaggingTest, mean: float, variance: float) -> np.ndarray:
    """(E d_k^2, E d_k d_{k-1}, E d_{k-1}^2) to those of the next tick, one degree of freedom."""
    a, b = companion(test, [mean])[0]
    slope = companion(test, [mean + 1.0])[0] - (a, b)  # d_{k+1} = (a + s_a e) d_k + (b + s_b e) d_{k-1}
    sa, sb = slope
    return np.array([
        [a * a + variance * sa * sa, 2.0 * (a * b + variance * sa * sb), b * b + variance * sb * sb],
        [a, b, 0.0],
        [1.0, 0.0, 0.0],
    ])  # fmt: skip


@pytest.mark.parametrize("variance", [0.0, 0.1, 2.0])
def test_random_lags_multiply_the_mean_square_as_the_moments_say(variance):
    test = one_mass(0.33)
    for mean in (0.0, 0.5, 1.0):
        expected = np.abs(np.linalg.eigvals(moments(test, mean, variance))).max()
        assert test.mean_square_radius(mean, variance) == pytest.approx(expected, rel=1e-9)


def test_without_variance_the_mean_square_has_the_same_limit():
    test = frame()
    assert test.critical_lag_mean_square(0.0) == pytest.approx(test.critical_lag(), rel=1e-6)


def test_random_lags_lower_the_limit():
    test = one_mass(0.33)
    fixed, random, wild = (test.critical_lag_mean_square(variance) for variance in (0.0, 0.1, 2.0))
    assert random is not None and fixed is not None and wild is not None
    assert 0.99 * fixed < random < fixed and wild < 0.97 * fixed


def test_random_lags_of_two_actuators_are_independent():
    """Many sampled runs have the mean square of the moments, and those grow with the spectral radius of the test."""
    test, mean, variance, ticks = frame(), 1.2, 0.5, 60
    rng = np.random.default_rng(3)
    base = companion(test, [mean, mean])
    slopes = [companion(test, [mean + (j == 0), mean + (j == 1)]) - base for j in range(2)]
    start = np.array([1.0, -0.5, 0.98, -0.49])
    x = np.tile(start, (20_000, 1))
    for _ in range(ticks):
        e = math.sqrt(variance) * rng.normal(size=(len(x), 2))
        x = x @ base.T + sum(e[:, j, None] * (x @ slopes[j].T) for j in range(2))
    square = np.kron(base, base) + variance * sum(np.kron(slope, slope) for slope in slopes)
    exact = (np.linalg.matrix_power(square, ticks) @ np.kron(start, start)).reshape(4, 4)
    np.testing.assert_allclose(np.mean(x**2, axis=0), np.diag(exact), rtol=0.02)
    assert test.mean_square_radius(mean, variance) == pytest.approx(np.abs(np.linalg.eigvals(square)).max(), rel=1e-9)
