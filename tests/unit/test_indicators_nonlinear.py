"""Weakly nonlinear specimens: added energies, and the amplitude from which on a delayed hardening spring runs away."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest

from hybsim.errors import ParameterError
from hybsim.studies.indicators import nonlinear
from hybsim.studies.indicators.nonlinear import added_energy, added_energy_of, at_amplitude, critical_delay_at
from hybsim.studies.indicators.sdof import critical


@pytest.mark.parametrize("cubic", [-2.0, 0.0, 3.0])
@pytest.mark.parametrize("tau", [0.01, 0.2, 1.5])
def test_the_area_of_a_cycle_is_that_of_the_integral(cubic: float, tau: float) -> None:
    amplitude, omega, stiffness = 0.7, 1.3, 5.0
    numerical = added_energy_of(
        lambda t: amplitude * np.sin(omega * t),
        lambda t: amplitude * omega * np.cos(omega * t),
        lambda x: stiffness * x + cubic * x**3,
        tau=tau, start=0.0, end=2.0 * math.pi / omega,
    )  # fmt: skip
    found = added_energy(amplitude, omega * tau, stiffness=stiffness, cubic=cubic)
    assert float(found) == pytest.approx(numerical, rel=1e-10)


def test_softening_adds_less_and_hardening_more_for_other_motions_too() -> None:
    # Eq. 2.36 for a decaying motion of two frequencies and a delay that is short against both.
    t = dict(tau=0.05, start=0.0, end=12.0)

    def motion(t: np.ndarray) -> np.ndarray:
        return np.exp(-0.1 * t) * (np.sin(t) + 0.4 * np.sin(2.7 * t))

    def velocity(t: np.ndarray) -> np.ndarray:
        return (motion(t + 1e-5) - motion(t - 1e-5)) / 2e-5

    soft, linear, hard = (
        added_energy_of(motion, velocity, lambda x, h=h: 10.0 * x + h * x**3, **t) for h in (-1.0, 0.0, 1.0)
    )
    assert 0.0 < soft < linear < hard


def test_the_difference_of_the_areas_is_that_of_2_32_for_short_delays() -> None:
    x, omega, h, tau = 0.8, 2.0, 0.5, 1e-4
    t = np.linspace(0.0, 2.0 * math.pi / omega, 4097)
    now, late, velocity = x * np.sin(omega * t), x * np.sin(omega * (t - tau)), x * omega * np.cos(omega * t)
    printed = np.trapezoid(h * tau * (now**2 + now * late + late**2) * velocity**2, t)
    found = added_energy(x, omega * tau, stiffness=7.0, cubic=h) - added_energy(x, omega * tau, stiffness=7.0)
    assert float(found) == pytest.approx(printed, rel=1e-3)


def growth(zeta: float, gamma: float, cubic: float, delay: float, amplitude: float, phi: float) -> float:
    """Largest of the last cycles over the first, inf for a run-away: x'' + 2 zeta x' + gamma x + [(1 - gamma) x + h x^3](t - delay) = 0."""
    parts = 20
    step = delay / parts
    count = round(60.0 * 2.0 * math.pi / phi / step)
    x, v = np.zeros(count + parts + 1), np.zeros(count + parts + 1)
    t = step * np.arange(-parts, 1)
    x[: parts + 1], v[: parts + 1] = amplitude * np.cos(phi * t), -amplitude * phi * np.sin(phi * t)

    def accel(x_now: float, v_now: float, late: float) -> float:
        return -2.0 * zeta * v_now - gamma * x_now - (1.0 - gamma) * late - cubic * late**3

    for k in range(parts, count + parts):
        first, last = x[k - parts], x[k - parts + 1]
        middle = 0.5 * (first + last) + step / 8.0 * (v[k - parts] - v[k - parts + 1])
        a1 = accel(x[k], v[k], first)
        a2 = accel(x[k] + 0.5 * step * v[k], v[k] + 0.5 * step * a1, middle)
        a3 = accel(x[k] + 0.5 * step * (v[k] + 0.5 * step * a1), v[k] + 0.5 * step * a2, middle)
        a4 = accel(x[k] + step * (v[k] + 0.5 * step * a2), v[k] + step * a3, last)
        x[k + 1] = x[k] + step * v[k] + step**2 / 6.0 * (a1 + a2 + a3)
        v[k + 1] = v[k] + step / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        if abs(x[k + 1]) > 3.0 * amplitude:
            return math.inf
    cycle = round(3.0 * 2.0 * math.pi / phi / step)
    return float(np.abs(x[-cycle:]).max() / np.abs(x[:cycle]).max())


def test_a_hardening_spring_runs_away_from_the_amplitude_that_harmonic_balance_gives() -> None:
    zeta, gamma, eps = 0.05, 0.3, 0.1
    cubic = eps / 0.75  # at the amplitude 1
    delay = float(critical_delay_at(1.0, 1.0, gamma, zeta, omega_n=1.0, hardening=eps))
    assert delay < critical(1.0, 1.0, gamma, zeta).omega  # the test linearised at rest would be stable
    shared, damping, frequency = (float(each) for each in at_amplitude(gamma, zeta, eps))
    phi = critical(1.0, 1.0, shared, damping).phi * frequency
    assert growth(zeta, gamma, cubic, delay, 0.96, phi) < 1.0 < growth(zeta, gamma, cubic, delay, 1.04, phi)


def test_softening_is_on_the_safe_side_and_hardening_is_not() -> None:
    for part in ((0.9, 0.6, 0.3, 0.05), (1.0, 1.0, 0.0, 0.02), (0.8, 0.5, 0.1, 0.04)):
        soft, rest, hard = critical_delay_at(*part, omega_n=7.0, hardening=np.array([-0.05, 0.0, 0.05]))
        assert soft > rest > hard
        assert rest == pytest.approx(critical(*part).omega / 7.0, rel=1e-14)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"must keep some of its stiffness: .* got -0.9; take a smaller amplitude"):
        critical_delay_at(0.9, 0.6, 0.3, 0.05, omega_n=1.0, hardening=-0.9)
    with pytest.raises(ParameterError, match="must end after it starts"):
        added_energy_of(np.sin, np.cos, np.sin, tau=0.1, start=1.0, end=1.0)
    with pytest.raises(ParameterError, match="omega_n, .* above 0, got -1"):
        critical_delay_at(0.9, 0.6, 0.3, 0.05, omega_n=-1.0, hardening=0.0)


def test_the_examples_run() -> None:
    found = doctest.testmod(nonlinear)
    assert found.attempted > 2 and found.failed == 0
