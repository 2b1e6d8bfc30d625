"""Delayed structures of many degrees of freedom: counts of roots, critical delays, margins, against other derivations."""

from __future__ import annotations

import math

import delayed_chebyshev
import numpy as np
import pytest
from delayed_structures import one_dof, random_system

from hybsim.errors import ParameterError
from hybsim.studies.indicators import sdof
from hybsim.studies.indicators.benchmark_partitions import CRITICAL_DELAYS, benchmark
from hybsim.studies.indicators.delayed_system import Actuator, DelayedSystem
from hybsim.studies.indicators.neutral import neutral_radius
from hybsim.studies.indicators.nyquist import count_right

# one degree of freedom ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "shares",
    [
        (0.9, 0.6, 0.1, 0.05), (0.7, 0.4, 0.9, 0.1), (0.9, 0.6, 0.7, 0.10), (0.8, 0.5, 0.65, 0.01),
        (1.0, 1.0, 0.0, 0.02), (0.6, 0.1, 0.3, 0.3), (0.95, 0.0, 0.2, 0.04), (0.75, 0.82, 0.75, 0.0137),
    ],
)  # fmt: skip
@pytest.mark.parametrize("omega", [1.0, 32.9])
def test_one_degree_of_freedom_has_the_closed_form(shares, omega) -> None:
    expected = sdof.critical(*shares)
    found = one_dof(*shares, omega).critical()
    assert found.unconditional == expected.unconditional
    if not expected.unconditional:
        assert found.delay == pytest.approx(expected.omega / omega, rel=1e-9)
        assert found.frequency == pytest.approx(expected.phi * omega, rel=1e-9)


def test_the_limit_is_a_root_of_the_characteristic_equation() -> None:
    # P(s) + Q(s) exp(-s tau) written out for alpha = 0.9, beta = 0.6, gamma = 0.1, zeta = 0.05.
    found = one_dof(0.9, 0.6, 0.1, 0.05).critical()
    s = 1j * found.frequency
    value = 0.9 * s**2 + 0.06 * s + 0.1 + (0.1 * s**2 + 0.04 * s + 0.9) * np.exp(-s * found.delay)
    assert abs(value) < 1e-12


@pytest.mark.parametrize("delay", [0.05, 0.3, 1.0, 3.0])
def test_the_rightmost_root_of_one_degree_of_freedom(delay) -> None:
    shares = (0.9, 0.6, 0.4, 0.05)
    expected = sdof.dominant_root(*shares, delay)
    assert one_dof(*shares).roots(delay, count=1)[0] == pytest.approx(expected, rel=1e-10)


def test_stiffness_alone_in_the_specimen_stands_two_zeta_over_omega() -> None:
    # rho^4 + 4 zeta^2 rho^2 = 1, tau = arctan(2 zeta / rho) / rho: EERC Sec. 3.5.1 with its corrections.
    zeta = 0.05
    rho = math.sqrt(math.sqrt(1.0 + 4.0 * zeta**4) - 2.0 * zeta**2)
    assert one_dof(1.0, 1.0, 0.0, zeta).critical_delay() == pytest.approx(math.atan(2.0 * zeta / rho) / rho, rel=1e-12)


# the benchmark ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [1, 2, 3, 4])
def test_the_benchmark_has_its_published_critical_delays(case) -> None:
    assert round(benchmark(case).critical_delay(), 5) == CRITICAL_DELAYS[case]


def test_the_benchmark_has_four_partitions() -> None:
    with pytest.raises(ParameterError, match="1 to 4, got 5"):
        benchmark(5)


def test_an_actuator_takes_about_its_delay_off_the_critical_one() -> None:
    # TS_1 is late by 13.36 ms at low frequency, the first mode of the benchmark is at 3.6 Hz.
    with_actuator = benchmark(1, actuators=["TS_1"]).critical_delay()
    assert 0.01464 - with_actuator == pytest.approx(0.01336, rel=0.04)


# many degrees of freedom --------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(18))
def test_the_count_agrees_with_chebyshev_points(seed) -> None:
    system = random_system(seed)
    for tau in np.random.default_rng(seed).uniform(0.002, 0.12, 2):
        right = delayed_chebyshev.roots(system, tau).real
        assert np.abs(right).min() > 1e-6, "too near to the axis to be counted by either"
        assert system.count_unstable(tau) == np.count_nonzero(right > 0.0)


@pytest.mark.parametrize("line", [-30.0, -3.0, 1.0])
def test_roots_are_counted_right_of_any_line(line) -> None:
    # Actuators with poles at -50: left of the line at times, right of it at others.
    for seed in (265, 279):
        system = random_system(seed)
        every = delayed_chebyshev.roots(system, 0.03, points=24).real
        assert count_right(system, line, 0.03) == np.count_nonzero(every > line)
        assert count_right(system, -60.0, 0.03) == np.count_nonzero(every > -60.0)


@pytest.mark.parametrize("seed", range(12))
def test_each_crossing_changes_the_count_by_a_pair(seed) -> None:
    system = random_system(seed)
    count = system.count_unstable(0.0)
    crossings = system.crossings(below=0.4)
    for i, each in enumerate(crossings):
        following = crossings[i + 1].delay if i + 1 < len(crossings) else 0.4
        count += 2 if each.to_right else -2
        assert system.count_unstable(0.5 * (each.delay + following)) == count
        matrix = system.characteristic(1j * each.frequency, each.delay)
        values = np.linalg.svd(matrix, compute_uv=False)
        assert values[-1] < 1e-9 * values[0]


def test_there_are_crossings_in_both_directions() -> None:
    every = [each for seed in range(12) for each in random_system(seed).crossings(below=0.4)]
    assert {each.to_right for each in every} == {True, False}


@pytest.mark.parametrize("seed", range(9))
def test_the_rightmost_roots_are_complete(seed) -> None:
    system = random_system(seed)
    found = system.roots(0.03, count=3)
    # Left of the line to which the roots of high frequency tend, there is no rightmost one.
    longest = 0.03 + max(path.delay for path in system.paths)
    line = math.log(max(system.neutral_radius(), 1e-2)) / longest + 5.0
    every = delayed_chebyshev.roots(system, 0.03, points=24)
    resolved = (np.abs(every) < 300.0) & (every.imag >= -1e-9)
    expected = np.sort(every[resolved & (every.real > line)].real)[::-1][:3]
    assert len(expected) > 0
    assert found[: len(expected)].real == pytest.approx(expected, abs=1e-6)
    for root in found:
        values = np.linalg.svd(system.characteristic(root, 0.03), compute_uv=False)
        assert values[-1] < 1e-9 * values[0]


def test_a_double_root_is_counted_twice() -> None:
    twin = DelayedSystem(
        np.eye(2), 0.2 * np.eye(2), np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2)), 100.0 * np.eye(2)
    )
    critical = one_dof(1.0, 1.0, 0.0, 0.01, 10.0).critical_delay()
    assert twin.critical_delay() == pytest.approx(critical, rel=1e-9)
    assert [twin.count_unstable(share * critical) for share in (0.99, 1.01)] == [0, 4]
    assert len(twin.roots(0.5 * critical, count=2)) == 2


def test_an_undamped_structure_is_not_stable() -> None:
    system = one_dof(1.0, 1.0, 0.5, 1e-12)
    system.cn[:] = 0.0
    found = system.critical()
    assert (found.delay, found.unconditional) == (0.0, False)
    assert "does not die out" in found.reason


def test_modes_start_as_those_of_the_structure_and_lose_damping() -> None:
    system = benchmark(1)
    exact = system.modes(0.0)
    assert -exact.real / np.abs(exact) == pytest.approx(0.05, rel=1e-9)
    assert np.abs(exact) == pytest.approx(system.natural_frequencies, rel=1e-9)
    # To first order in tau the physical stiffness takes tau k phi_1^2 / (2 omega) off the damping of a mode.
    tau = 1e-5
    first = system.modes(tau)[0]
    _, shapes = np.linalg.eigh(system.stiffness / 1000.0)
    share = (1.19e6 - 29.13 * abs(first) ** 2) * shapes[0, 0] ** 2 / 1000.0
    assert 0.05 + first.real / abs(first) == pytest.approx(0.5 * tau * share / abs(first), rel=1e-2)


def test_damping_falls_to_zero_at_the_critical_delay() -> None:
    system = benchmark(3)
    critical = system.critical_delay()
    assert system.damping_ratio(critical) == pytest.approx(0.0, abs=1e-10)
    assert system.damping_ratio(0.9 * critical) > 0.0 > system.damping_ratio(1.1 * critical)


# delayed mass -------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.3, 0.4999, 0.5, 0.0])
def test_too_much_delayed_mass_is_unstable_with_any_delay(alpha) -> None:
    system = one_dof(alpha, 0.5, 0.5, 0.1)
    found = system.critical()
    assert found.neutral and found.delay == 0.0
    assert "delayed mass is too large" in found.reason
    assert system.is_stable(0.0)
    assert math.isinf(system.count_unstable(1e-9))
    assert not system.is_stable(1e-9)


def test_an_actuator_with_more_poles_than_zeros_takes_the_mass_out() -> None:
    system = one_dof(0.4, 0.5, 0.4, 0.3, actuators=[([1.0], [1e-4, 0.02, 1.0])])
    assert system.neutral_radius() == 0.0
    assert system.critical_delay() > 0.0


def test_the_neutral_radius_is_that_of_the_worst_angles() -> None:
    mass, late = np.eye(2), np.array([[0.2, 0.5], [-0.5, 0.3]])
    angles = np.linspace(0.0, 2.0 * math.pi, 3601)
    worst = max(np.abs(np.linalg.eigvals(late * np.exp(1j * np.array([0.0, angle])))).max() for angle in angles)
    assert worst > np.abs(np.linalg.eigvals(late)).max() + 0.01
    assert neutral_radius(mass, late, np.arange(2)) == pytest.approx(worst, abs=1e-6)


# gains --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(9))
def test_between_the_gain_margins_it_is_stable_and_beyond_not(seed) -> None:
    system = random_system(seed)
    tau = 0.3 * min(system.critical_delay(), 0.05)
    if not system.is_stable(tau):
        assert system.gain_margin(tau).upper == 1.0
        return
    margin = system.gain_margin(tau)
    assert margin.lower < 1.0 < margin.upper
    for limit, beyond in ((margin.lower, 1.0 - 1e-5), (margin.upper, 1.0 + 1e-5)):
        # Next to the limit of the delayed mass no count is possible.
        if 0.0 < limit < math.inf and limit * system.neutral_radius() < 0.97:
            assert not system.is_stable(tau, gain=limit * beyond)
            assert system.is_stable(tau, gain=limit / beyond)


def test_the_gain_margin_of_one_degree_of_freedom() -> None:
    # -w^2 + 2 zeta j w + k exp(-j w tau) = 0: k cos = w^2, k sin = 2 zeta w, so tan(w tau) = 2 zeta / w.
    zeta, tau = 0.05, 0.04
    margin = one_dof(1.0, 1.0, 0.0, zeta).gain_margin(tau)
    w = margin.upper_frequency
    assert math.tan(w * tau) == pytest.approx(2.0 * zeta / w, rel=1e-9)
    assert margin.upper == pytest.approx(w * math.hypot(w, 2.0 * zeta), rel=1e-9)
    assert margin.lower == 0.0


def test_the_specimen_may_hold_up_what_would_fall() -> None:
    # K_n < 0: below k = 0.5 the whole has no stiffness.
    margin = DelayedSystem(1.0, 0.2, -50.0, 0.0, 0.0, 100.0).gain_margin(0.0)
    assert (margin.lower, margin.lower_frequency) == (pytest.approx(0.5, rel=1e-9), 0.0)


# what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((1.0, [[1.0, 0.0]], 1.0, 0.0, 0.0, 1.0), "C_n has the shape (1, 2), but M_n has 1 row(s)"),
        ((1.0, math.nan, 1.0, 0.0, 0.0, 1.0), "C_n must have finite entries"),
        ((1.0, 1.0, 1.0, -1.0, 0.0, 1.0), "mass matrix of the whole structure is singular"),
    ],
)
def test_matrices_are_refused(arguments, sentence) -> None:
    with pytest.raises(ParameterError) as caught:
        DelayedSystem(*arguments)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("actuators", "sentence"),
    [
        ([([1.0, 0.0], [1.0])], "must be proper, got a numerator of degree 1"),
        ([([1.0], [1.0, -1.0])], "is not stable by itself, it has a pole at 1"),
        (["TS_3"], "There is no identified actuator 'TS_3'"),
        ([None, None], "moved at 1 degree(s) of freedom but 2 actuator(s) are given"),
        ([Actuator(0, delay=-1.0)], "has a delay of -1 s"),
        ([Actuator(3)], "one at most for each of 0 to 0"),
        ([], "moved at degree of freedom 0, where no actuator stands"),
    ],
)
def test_actuators_are_refused(actuators, sentence) -> None:
    with pytest.raises(ParameterError) as caught:
        one_dof(1.0, 1.0, 0.0, 0.05, actuators=actuators)
    assert sentence in str(caught.value)


def test_a_numerical_part_without_mass_is_refused() -> None:
    with pytest.raises(ParameterError, match="numerical mass matrix is singular"):
        one_dof(0.0, 0.5, 0.5, 0.1, actuators=["TS_1"])


@pytest.mark.parametrize("tau", [-0.001, math.nan])
def test_a_delay_is_refused(tau) -> None:
    with pytest.raises(ParameterError, match="tau, the delay in s, must be a finite number of at least 0"):
        one_dof(1.0, 1.0, 0.0, 0.05).is_stable(tau)


def test_gains_other_than_one_are_told() -> None:
    assert "unit DC gain: the printed gain of 0.917" in one_dof(1.0, 1.0, 0.0, 0.05, actuators=["TS_2"]).warnings[0]
    assert "DC gain of 2, not 1" in one_dof(1.0, 1.0, 0.0, 0.05, actuators=[([2.0], [0.01, 1.0])]).warnings[0]
    assert benchmark(1, actuators=["TS_1"]).warnings == ()


def test_a_structure_without_specimen_stands_any_delay() -> None:
    system = DelayedSystem(1.0, 0.2, 100.0, 0.0, 0.0, 0.0)
    assert system.critical().unconditional
    assert system.gain_margin().upper == math.inf
