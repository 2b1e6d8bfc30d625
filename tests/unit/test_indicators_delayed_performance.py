"""The error of a delayed test of many degrees of freedom, against closed forms, Lyapunov's equation and time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from delayed_structures import one_dof

from hybsim.errors import ParameterError
from hybsim.studies.indicators.benchmark_partitions import benchmark
from hybsim.studies.indicators.delayed_system import DelayedSystem
from hybsim.studies.indicators.performance import ppi


@pytest.mark.parametrize("omega", [1.0, 32.9])
@pytest.mark.parametrize(
    "shares", [(0.8, 0.5, 0.8, 0.01, 0.05), (0.8, 0.5, 0.65, 0.04, 0.1), (0.9, 0.5, 0.9, 0.02, 1.0)]
)
def test_the_performance_of_one_degree_of_freedom_is_ppi(shares, omega) -> None:
    *partition, delay = shares
    found = one_dof(*partition, omega).performance(delay / omega)
    assert found.ppi[0] == pytest.approx(ppi(*shares), rel=1e-7)
    assert found.error_ratio[0] == pytest.approx(math.sqrt(4.0 * partition[3] * ppi(*shares)), rel=1e-7)


def test_the_performance_with_an_actuator_is_that_of_lyapunov() -> None:
    # All stiffness behind a first-order actuator: x'' + c x' + k xi = -a_g, xi' = (x - xi) / T, beside the structure.
    from scipy.linalg import block_diag, solve_continuous_lyapunov

    c, k, lag = 0.8, 36.0, 0.01
    test = np.array([[0.0, 1.0, 0.0], [0.0, -c, -k], [1.0 / lag, 0.0, -1.0 / lag]])
    exact = np.array([[0.0, 1.0], [-k, -c]])
    load = np.array([[0.0, -1.0, 0.0, 0.0, -1.0]]).T
    spread = solve_continuous_lyapunov(block_diag(test, exact), -load @ load.T)
    error = np.array([-1.0, 0.0, 0.0, 1.0, 0.0])
    found = DelayedSystem(1.0, c, 0.0, 0.0, 0.0, k, actuators=[([1.0], [lag, 1.0])]).performance()
    assert found.ppi[0] == pytest.approx(6.0**3 * error @ spread @ error, rel=1e-7)
    assert found.error_ratio[0] == pytest.approx(math.sqrt(error @ spread @ error / spread[3, 3]), rel=1e-7)


def test_the_performance_of_two_structures_side_by_side() -> None:
    both = DelayedSystem(
        np.eye(2), np.diag([0.8, 1.0]), np.diag([0.0, 60.0]), np.zeros((2, 2)), np.zeros((2, 2)), np.diag([36.0, 40.0])
    )
    found = both.performance(0.005)
    for i, (c, kn, kp) in enumerate([(0.8, 0.0, 36.0), (1.0, 60.0, 40.0)]):
        alone = DelayedSystem(1.0, c, kn, 0.0, 0.0, kp).performance(0.005)
        # PPI is scaled by the lowest frequency of the whole.
        assert found.ppi[i] == pytest.approx(alone.ppi[0] * (found.omega / alone.omega) ** 3, rel=1e-7)
        assert found.error_ratio[i] == pytest.approx(alone.error_ratio[0], rel=1e-7)


def test_the_performance_under_a_record_is_that_in_time() -> None:
    # Without a delay and with a first-order actuator the error can be simulated exactly, step by step.
    from scipy.linalg import expm

    dt, omega = 0.02, 6.0
    record = np.random.default_rng(2).normal(size=300)
    a = np.zeros((5, 5))
    a[:3, :3] = [[0.0, 1.0, 0.0], [0.0, -0.8, -36.0], [100.0, 0.0, -100.0]]
    a[3:, 3:] = [[0.0, 1.0], [-36.0, -0.8]]
    load = np.array([0.0, -1.0, 0.0, 0.0, -1.0])
    # A value of the record is an impulse of its size times dt: as the transform of a record has it.
    fine, parts = expm(a * dt / 20.0), 20
    state, total = np.zeros(5), 0.0
    for value in [*record, *np.zeros(4000)]:
        state = state + dt * value * load
        for _ in range(parts):
            state = fine @ state
            total += (state[3] - state[0]) ** 2 * dt / parts
    density = np.square(np.abs(dt * np.fft.rfft(record, 2**16))) / (300 * dt)
    w = 2.0 * math.pi * np.fft.rfftfreq(2**16, dt)
    expected = omega**3 * total / (300 * dt) / float(np.trapezoid(density, w / omega))
    system = DelayedSystem(1.0, 0.8, 0.0, 0.0, 0.0, 36.0, actuators=[([1.0], [0.01, 1.0])])
    found = system.performance(record=(record, dt))
    # Above half the sampling rate the impulses have a spectrum too, which the record's ends at.
    assert found.ppi[0] == pytest.approx(expected, rel=2e-3)


def test_an_unstable_test_has_no_performance() -> None:
    with pytest.raises(ParameterError, match="not stable at a delay of 20 ms, so its error has no steady state"):
        benchmark(1).performance(0.02)
