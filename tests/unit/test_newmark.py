"""Newmark's explicit integrator: the equations, the start, order, stability, ports and refusals.

Expected values come from the central difference method (EERC Eqs. 2.4, 2.5), from the solution of the
difference equation and from the exact solution of the oscillator.
"""

from __future__ import annotations

import math
import warnings
from functools import partial

import numpy as np
import pytest
from integrator_loop import in_loop
from one_block import made, refusal

from hybsim.blocks.integrators.newmark_explicit import NewmarkExplicit

newmark = partial(made, NewmarkExplicit)


def central_differences(m, c, k, dt, d0, v0, loads):
    """EERC Eq. 2.5, started with the Taylor step backwards."""
    m, c, k, d0, v0 = (np.array(a, dtype=float) for a in (m, c, k, d0, v0))
    a0 = np.linalg.solve(m, loads[0] - c @ v0 - k @ d0)
    past, now, d = d0 - dt * v0 + dt**2 / 2 * a0, d0, [d0]
    for f in loads[:-1]:
        right = 2 / dt**2 * m @ now - (m / dt**2 - c / (2 * dt)) @ past - k @ now + f
        past, now = now, np.linalg.solve(m / dt**2 + c / (2 * dt), right)
        d.append(now)
    return np.array(d)


def test_one_degree_of_freedom_equals_the_central_difference_method():
    loads = np.random.default_rng(1).normal(size=(300, 1))
    d, _, _ = in_loop(
        newmark(mass=0.25, damping=0.3, initial_disp=0.4, initial_vel=-2.0),
        300,
        lambda d: 10.0 * d,
        lambda k: loads[k, 0],
    )
    expected = central_differences([[0.25]], [[0.3]], [[10.0]], 0.01, [0.4], [-2.0], loads)
    np.testing.assert_allclose(d, expected[:, 0], rtol=0, atol=1e-12)


def test_several_degrees_of_freedom_equal_the_central_difference_method():
    # A full mass matrix, and a damping that is not symmetric: no product can be transposed unseen.
    m = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 0.5]])
    c = np.array([[0.9, -0.5, 0.0], [-0.2, 0.7, 0.1], [0.0, 0.3, 0.4]])
    k = np.array([[30.0, -10.0, 0.0], [-10.0, 20.0, -5.0], [0.0, -5.0, 5.0]])
    loads = np.random.default_rng(2).normal(size=(400, 3))
    block = newmark(dt=0.02, mass=m, damping=c, initial_disp=[0.1, 0.0, -0.2], initial_vel=[0.0, 1.0, 0.5])
    d, _, _ = in_loop(block, 400, lambda d: k @ d, lambda i: loads[i])
    expected = central_differences(m, c, k, 0.02, [0.1, 0.0, -0.2], [0.0, 1.0, 0.5], loads)
    np.testing.assert_allclose(d, expected, rtol=0, atol=1e-12)


def test_velocity_and_acceleration_are_those_of_the_completed_step():
    dt = 0.01
    d, v, a = in_loop(newmark(dt=dt, mass=1.0, damping=0.5, initial_vel=3.0), 200, lambda d: 40.0 * d)
    # Eq. 2.4 for step k - 1, published at tick k.
    np.testing.assert_allclose(v[2:], (d[2:] - d[:-2]) / (2 * dt), rtol=0, atol=1e-11)
    np.testing.assert_allclose(a[2:], (d[2:] - 2 * d[1:-1] + d[:-2]) / dt**2, rtol=0, atol=1e-9)


def test_first_tick_publishes_the_initial_state_and_starts_in_equilibrium():
    block = newmark(mass=2.0, damping=0.5, initial_disp=0.3, initial_vel=4.0)
    x = block.getstate0()
    assert block.output(0.0, [0.0, 0.0], x) == [0.3, 4.0, 0.0]
    d1, v0, a0 = block.output(0.0, [0.0, 0.0], block.next(0.0, [7.0, 20.0], x))
    assert a0 == (20.0 - 0.5 * 4.0 - 7.0) / 2.0
    assert v0 == 4.0
    assert d1 == pytest.approx(0.3 + 0.01 * 4.0 + 0.5e-4 * a0, rel=1e-15)


def test_undamped_free_vibration_is_the_solution_of_the_difference_equation():
    dt, omega = 0.05, 12.0
    d, _, _ = in_loop(newmark(dt=dt, mass=1.0, initial_disp=1.5), 200, lambda d: omega**2 * d)
    theta = math.acos(1 - (omega * dt) ** 2 / 2)
    np.testing.assert_allclose(d, 1.5 * np.cos(theta * np.arange(200)), rtol=0, atol=1e-11)


def test_order_two_against_the_exact_oscillator():
    omega, zeta, end = 2 * math.pi, 0.05, 2.2
    damped = omega * math.sqrt(1 - zeta**2)
    exact = math.exp(-zeta * omega * end) * (math.cos(damped * end) + zeta * omega / damped * math.sin(damped * end))
    errors = []
    for ticks in (100, 200, 400):
        block = newmark(end / ticks, mass=1.0, damping=2 * zeta * omega, initial_disp=1.0)
        d, _, _ = in_loop(block, ticks + 1, lambda d: omega**2 * d)
        errors.append(abs(d[-1] - exact))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.03)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.03)


def test_the_restoring_force_is_that_of_the_new_step():
    """EERC Eq. 2.6 as printed uses r_i: 5 % damping would then act as about 1.9 % (ERRATA)."""
    omega, dt = 2 * math.pi, 0.01
    block = newmark(dt=dt, mass=1.0, damping=2 * 0.05 * omega, initial_disp=1.0)
    d, _, _ = in_loop(block, 1001, lambda d: omega**2 * d)
    peaks = [max(d[0:50]), max(d[950:1001])]  # ten cycles apart
    assert math.log(peaks[0] / peaks[1]) / (2 * math.pi * 10) == pytest.approx(0.05, rel=0.01)


@pytest.mark.parametrize("zeta", [0.0, 0.2])
def test_stability_limit(zeta):
    def last(w):
        block = newmark(1.0, mass=1.0, damping=2 * zeta * w, initial_disp=1.0)
        return np.abs(in_loop(block, 3000, lambda d: w**2 * d)[0]).max()

    assert last(1.995) < 30.0
    assert last(2.005) > 1e6


def test_damping_and_initial_values_for_all_degrees_of_freedom_at_once():
    block = newmark(mass=np.diag([1.0, 2.0]), damping=0.0, initial_vel=0.5)
    assert [v.tolist() for v in block.output(0.0, [0.0, 0.0], block.getstate0())] == [
        [0, 0],
        [0.5, 0.5],
        [0, 0],
    ]
    _, _, a = block.output(0.0, [0.0, 0.0], block.next(0.0, [[0.0, 0.0], [1.0, 1.0]], block.getstate0()))
    assert a.tolist() == [1.0, 0.5]


@pytest.mark.parametrize("mass", [1.0, [[1.0, 0.0], [0.0, 2.0]]])
def test_nothing_passes_through_within_a_tick(mass):
    assert newmark(mass=mass)._kernels.feedthrough == dict.fromkeys(("disp_target", "vel", "accel"), frozenset())


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "needs mass= (mass M"),
        ({"mass": -1.0}, "'mass' of block 'structure' must be positive definite, got -1;"),
        ({"mass": 0.0}, "must be positive definite, got 0;"),
        ({"mass": [1.0, 2.0]}, "must be a number or a square matrix, got shape (1, 2)"),
        ({"mass": [[1.0, 0.5], [0.2, 1.0]]}, "must be symmetric"),
        ({"mass": [[1.0, 2.0], [2.0, 1.0]]}, "its lowest eigenvalue is -1;"),
        (
            {"mass": np.eye(2), "damping": 0.1},
            "a mass of 2 x 2 and a damping of 1 x 1; give a damping of 2 x 2",
        ),
        ({"mass": np.eye(2), "damping": np.eye(3)}, "a damping of 3 x 3"),
        ({"mass": 1.0, "damping": -200.0}, "M + dt/2 C is singular at dt = 0.01 s"),
        ({"mass": np.eye(2), "initial_disp": [1, 2, 3]}, "2 degrees of freedom and 3 values of initial_disp"),
        ({"mass": 1.0, "initial_vel": [1, 2]}, "1 degrees of freedom and 2 values of initial_vel"),
        ({"mass": math.nan}, "must hold finite numbers only"),
        ({"mass": 1.0, "stifness": 1.0}, "has no parameter 'stifness'"),
    ],
)
def test_refusals_are_one_sentence(parameters, words):
    assert words in refusal(newmark, name="structure", **parameters)


def test_a_tick_above_the_stability_limit_is_warned_about_with_the_limit():
    """omega = 2 rad/s: the limit is dt = 2 / omega = 1 s."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        newmark(dt=0.99, mass=1.0, stiffness=4.0)
    with pytest.warns(UserWarning, match="must not be longer than 1 s"):
        newmark(dt=1.01, mass=1.0, stiffness=4.0)
