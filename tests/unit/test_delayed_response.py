"""A delayed restoring force against winding numbers of the characteristic equation and a simulation in time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import fsolve

from hybsim.errors import ParameterError
from hybsim.studies.eerc.delayed_response import (
    critical_frequency_ratio,
    critical_phase_delay,
    effective_damping,
    frequency_response,
    resonance,
    rightmost_root,
)

DAMPING = (0.01, 0.05, 0.1, 0.3, 1.0, 3.0)


def characteristic(s: np.ndarray | complex, zeta: float, phi: float) -> np.ndarray:
    return s**2 + 2.0 * zeta * s + np.exp(-phi * s)


def roots_right_of(line: float, zeta: float, phi: float) -> int:
    """How many roots have a real part above `line`: turns of the characteristic around 0 on a half circle."""
    # There |s|^2 <= 2 zeta |s| + exp(-phi line).
    radius = zeta + math.sqrt(zeta**2 + math.exp(max(0.0, -phi * line))) + abs(line) + 1.0
    arc = line + radius * np.exp(1j * np.linspace(-0.5 * math.pi, 0.5 * math.pi, 40_001))
    diameter = line + 1j * radius * np.linspace(1.0, -1.0, 400_001)
    values = characteristic(np.concatenate([arc, diameter]), zeta, phi)
    steps = np.angle(values[1:] / values[:-1])
    assert np.abs(steps).max() < 2.0, "points too far apart to count turns"
    return round(steps.sum() / (2.0 * math.pi))


def in_time(zeta: float, phi: float, ratios: np.ndarray, end: float, load: float, parts: int) -> tuple:
    """u'' + 2 zeta u' + u(t - phi) = load exp(i rho t), Runge-Kutta of order 4, delayed values by Hermite cubics."""
    h = phi / parts
    count = math.ceil(end / h)
    state = np.zeros((count + 1, 2, len(ratios)), complex)
    if load == 0.0:
        state[0, 0] = 1.0

    def before(k: int, half: bool) -> np.ndarray:
        """u(t_k + h/2 - phi) or u(t_k - phi); at rest at its first value before the start."""
        j = k - parts
        if j < 0:
            return state[0, 0]
        if not half:
            return state[j, 0]
        (u0, v0), (u1, v1) = state[j], state[j + 1]
        return 0.5 * (u0 + u1) + 0.125 * h * (v0 - v1)

    def rate(t: float, y: np.ndarray, delayed: np.ndarray) -> np.ndarray:
        return np.array([y[1], load * np.exp(1j * ratios * t) - 2.0 * zeta * y[1] - delayed])

    for k in range(count):
        t, y, middle = k * h, state[k], before(k, True)
        a = rate(t, y, before(k, False))
        b = rate(t + 0.5 * h, y + 0.5 * h * a, middle)
        c = rate(t + 0.5 * h, y + 0.5 * h * b, middle)
        d = rate(t + h, y + h * c, before(k + 1, False))
        state[k + 1] = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    return h * np.arange(count + 1), state[:, 0]


# ---- the critical phase delay


@pytest.mark.parametrize("zeta", DAMPING)
def test_a_root_stands_on_the_imaginary_axis_at_the_critical_phase_delay(zeta) -> None:
    phi, rho = critical_phase_delay(zeta), critical_frequency_ratio(zeta)
    assert abs(characteristic(1j * rho, zeta, phi)) < 1e-12
    # found again from a start some way off, without our formulas

    def both(x: np.ndarray) -> list[float]:
        value = characteristic(1j * x[0], zeta, x[1])
        return [value.real, value.imag]

    assert fsolve(both, [0.97 * rho, 1.03 * phi], xtol=1e-13) == pytest.approx([rho, phi], rel=1e-9)


@pytest.mark.parametrize("zeta", DAMPING)
def test_it_is_the_smallest_and_all_above_are_unstable(zeta) -> None:
    critical = critical_phase_delay(zeta)
    assert [roots_right_of(0.0, zeta, share * critical) for share in (0.02, 0.5, 0.9, 0.998)] == [0, 0, 0, 0]
    assert [roots_right_of(0.0, zeta, share * critical) for share in (1.002, 1.1, 2.0, 3.0)] == [2, 2, 2, 2]
    assert roots_right_of(0.0, zeta, critical + 2.002 * math.pi / critical_frequency_ratio(zeta)) == 4, "none return"


def test_the_limits_of_small_and_large_damping() -> None:
    assert critical_phase_delay(1e-4) == pytest.approx(2e-4, rel=1e-7)
    assert critical_phase_delay(100.0) == pytest.approx(100.0 * math.pi, rel=1e-4)
    assert critical_phase_delay(1e6) == pytest.approx(1e6 * math.pi, rel=1e-9), "no digits are lost"
    assert critical_phase_delay(0.0) == 0.0


def test_ten_percent_damping() -> None:
    """Halving the interval by the number of roots to the right, down to a hundredth of a degree."""
    stable, unstable = 2.0, 30.0
    while unstable - stable > 0.01:
        middle = 0.5 * (stable + unstable)
        if roots_right_of(0.0, 0.1, math.radians(middle)):
            unstable = middle
        else:
            stable = middle
    assert stable <= math.degrees(critical_phase_delay(0.1)) <= unstable
    assert (stable, unstable) == pytest.approx((11.53, 11.54), abs=0.01)


# ---- free vibration


@pytest.mark.parametrize(
    "zeta, phi", [(0.1, 0.02), (0.1, 0.2), (0.1, 0.5), (0.05, 3.0), (0.3, 12.0), (1.0, 1.0), (2.0, 0.3), (0.0, 0.1)]
)
def test_no_root_lies_further_right_than_the_rightmost(zeta, phi) -> None:
    root = rightmost_root(zeta, phi)
    assert abs(characteristic(root, zeta, phi)) < 1e-12
    assert roots_right_of(root.real + 1e-4, zeta, phi) == 0
    assert roots_right_of(root.real - 1e-4, zeta, phi) == (2 if root.imag else 1)


def test_without_delay_the_root_is_the_textbooks() -> None:
    assert rightmost_root(0.2, 0.0) == pytest.approx(complex(-0.2, math.sqrt(0.96)))
    assert rightmost_root(2.0, 0.0) == pytest.approx(-2.0 + math.sqrt(3.0))
    assert effective_damping(0.2, 0.0) == pytest.approx(0.2)


@pytest.mark.parametrize("zeta, phi", [(0.05, 0.02 * math.pi), (0.05, 0.004 * math.pi), (0.1, 0.02)])
def test_a_small_delay_is_damping_lost(zeta, phi) -> None:
    assert effective_damping(zeta, phi) == pytest.approx(zeta - 0.5 * phi, abs=0.05 * phi**2)


@pytest.mark.parametrize("share", [0.9, 1.1, 2.0])
def test_a_simulation_in_time_decays_or_grows_as_the_root_says(share) -> None:
    """A sum of exp(s t) and its conjugate obeys u(t + 2 d) = 2 Re(q) u(t + d) - |q|^2 u(t) with q = exp(s d)."""
    zeta, phi = 0.1, share * critical_phase_delay(0.1)
    parts, apart = 12, 24
    t, u = in_time(zeta, phi, np.zeros(1), end=60.0, load=0.0, parts=parts)
    tail = u[t > 20.0, 0].real
    now, next_, second = tail[: -2 * apart], tail[apart:-apart], tail[2 * apart :]
    twice_real, minus_square = np.linalg.lstsq(np.column_stack([next_, now]), second, rcond=None)[0]
    growth = 0.5 * math.log(-minus_square) / (apart * phi / parts)
    frequency = math.acos(0.5 * twice_real / math.sqrt(-minus_square)) / (apart * phi / parts)
    root = rightmost_root(zeta, phi)
    assert (growth, frequency) == pytest.approx((root.real, root.imag), abs=1e-6)
    assert (growth > 0.0) == (share > 1.0)


# ---- frequency response


def test_the_response_is_the_steady_state_of_a_simulation_in_time() -> None:
    zeta, phi = 0.1, math.radians(5.0)
    ratios = np.array([0.25, 0.5, 0.95, 1.0, 1.25, 1.75])
    t, u = in_time(zeta, phi, ratios, end=80.0 * math.pi, load=1.0, parts=2)
    steady = u[-1] / np.exp(1j * ratios * t[-1])
    assert steady == pytest.approx(frequency_response(ratios, damping_ratio=zeta, phase_delay=phi), abs=2e-5)


def test_the_response_is_the_corrected_eq_3_15() -> None:
    zeta, phi, rho = 0.1, math.radians(3.0), np.linspace(0.0, 2.0, 41)
    real, imaginary = np.cos(rho * phi) - rho**2, 2.0 * zeta * rho - np.sin(rho * phi)
    found = frequency_response(rho, damping_ratio=zeta, phase_delay=phi)
    assert np.abs(found) == pytest.approx(1.0 / np.hypot(real, imaginary))
    assert np.tan(np.angle(found)) == pytest.approx(-imaginary / real)


def test_the_resonance_of_the_textbooks_and_its_growth_with_the_delay() -> None:
    assert resonance(0.1, 0.0) == pytest.approx((math.sqrt(0.98), 1.0 / (0.2 * math.sqrt(0.99))))
    assert resonance(0.9, 0.0) == (0.0, 1.0)
    heights = [resonance(0.1, math.radians(degrees))[1] for degrees in (0, 1, 2, 3, 5, 10)]
    assert heights == sorted(heights)
    dense = np.linspace(0.9, 1.1, 200_001)
    for degrees in (1.0, 10.0, 11.5):
        phi = math.radians(degrees)
        amplitude = np.abs(frequency_response(dense, damping_ratio=0.1, phase_delay=phi))
        assert resonance(0.1, phi)[1] == pytest.approx(amplitude.max(), rel=1e-5)
        assert resonance(0.1, phi)[0] == pytest.approx(dense[np.argmax(amplitude)], abs=2e-6)


# ---- bad input


@pytest.mark.parametrize("function", [frequency_response, None])
def test_an_unstable_structure_has_no_response(function) -> None:
    with pytest.raises(
        ParameterError, match="10 % damping has no steady response at a phase delay of 15 degrees: it is"
    ):
        if function is None:
            resonance(0.1, math.radians(15.0))
        else:
            function(1.0, damping_ratio=0.1, phase_delay=math.radians(15.0))
    with pytest.raises(ParameterError, match="unstable from 11.54 degrees on"):
        frequency_response(1.0, damping_ratio=0.1, phase_delay=critical_phase_delay(0.1))


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf])
def test_damping_and_delay_are_at_least_zero(value) -> None:
    with pytest.raises(ParameterError, match="The damping ratio must be a finite number of at least 0, got"):
        critical_phase_delay(value)
    with pytest.raises(ParameterError, match="The phase delay must be a finite number of at least 0, got"):
        rightmost_root(0.1, value)
