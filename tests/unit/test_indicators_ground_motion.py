"""PPI for a ground motion against the response in time to it."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest
from delayed_oscillator import Partition, Steps

from hybsim.errors import ParameterError
from hybsim.studies.indicators import ground_motion
from hybsim.studies.indicators.ground_motion import performance_of_record, performance_of_spectrum, spectral_density
from hybsim.studies.indicators.performance import ppi, ppi_by_quadrature

PART, OMEGA_N, TAU, DT = Partition(0.8, 0.5, 0.65, 0.04), 5.0, 0.02, 0.0025


def record() -> np.ndarray:
    """A burst of 20 s with the frequencies from 0.2 to 5 Hz."""
    rng = np.random.default_rng(4)
    t = DT * np.arange(8000)
    waves = sum(
        a * np.sin(2 * math.pi * f * t + p)
        for f, a, p in zip(rng.uniform(0.2, 5.0, 60), rng.normal(size=60), rng.uniform(0, 6.28, 60), strict=True)
    )
    return waves * np.sin(math.pi * t / t[-1]) ** 2


def error_in_time(accel: np.ndarray) -> float:
    """The integral of the squared displacement error, with the impulse response of the delayed oscillator."""
    parts = round(TAU / DT)
    impulse = Steps(PART, OMEGA_N * TAU, 8).error_at(parts, 4000) / OMEGA_N
    length = 1 << (len(accel) + len(impulse)).bit_length()
    error = np.fft.irfft(np.fft.rfft(accel, length) * np.fft.rfft(impulse, length), length) * DT
    return float(np.sum(error**2) * DT)


def test_the_mean_square_of_the_error_is_that_of_the_response_in_time() -> None:
    accel = record()
    found = performance_of_record(*PART, TAU, omega_n=OMEGA_N, accel=accel, dt=DT)
    duration = DT * len(accel)
    assert found.sigma**2 * duration == pytest.approx(error_in_time(accel), rel=1e-4)
    omega, density = spectral_density(accel, DT, length=20 * len(accel))
    intensity = np.trapezoid(density, omega / OMEGA_N)
    assert found.ppi == pytest.approx(OMEGA_N**3 * found.sigma**2 / intensity, rel=1e-9)


def test_the_spectrum_of_a_record_gives_what_the_record_gives() -> None:
    accel = record()
    whole = performance_of_record(*PART, TAU, omega_n=OMEGA_N, accel=accel, dt=DT)
    omega, density = spectral_density(accel, DT, length=40 * len(accel))
    band = omega < 60.0
    found = performance_of_spectrum(*PART, TAU, omega_n=OMEGA_N, omega=omega[band], density=density[band])
    assert found.ppi == pytest.approx(whole.ppi, rel=1e-3)
    assert found.sigma == pytest.approx(whole.sigma, rel=1e-3)


def test_a_constant_spectrum_is_white_noise() -> None:
    for zeta in (0.01, 0.04):
        found = performance_of_spectrum(0.8, 0.5, 0.65, zeta, 0.02, omega_n=5.0, omega=[0.0, 200.0], density=[3.0, 3.0])
        assert 40.0 * found.ppi == pytest.approx(ppi_by_quadrature(0.8, 0.5, 0.65, zeta, 0.1, upper=40.0), rel=1e-8)
        assert found.sigma**2 == pytest.approx(3.0 * ppi(0.8, 0.5, 0.65, zeta, 0.1) / 5.0**3, rel=1e-4)


def test_the_density_is_two_sided_and_in_m2_s3() -> None:
    accel = record()
    omega, density = spectral_density(accel, DT, length=2 * len(accel))
    assert np.trapezoid(density, omega) / math.pi == pytest.approx(np.mean(accel**2), rel=1e-9)
    # The same motion in mm and ms: 1 m^2/s^3 is 1e6 mm^2 / 1e9 ms^3.
    _, other = spectral_density(1e-3 * accel, 1e3 * DT, length=2 * len(accel))
    assert other == pytest.approx(1e-3 * density, rel=1e-9)


def test_an_unstable_test_has_no_performance() -> None:
    unstable = dict(alpha=0.8, beta=0.5, gamma=0.1, zeta=0.02, tau=0.1, omega_n=5.0)
    assert performance_of_record(**unstable, accel=record(), dt=DT).ppi == math.inf
    assert performance_of_spectrum(**unstable, omega=[0.0, 1.0], density=[1.0, 1.0]).sigma == math.inf


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (dict(omega=[0.0, 1.0, 2.0]), "two rows of the same length"),
        (dict(omega=[1.0, 0.0]), "rising frequencies"),
        (dict(density=[0.0, -1.0]), "densities of at least 0"),
        (dict(density=[0.0, 0.0]), "not all of them 0"),
        (dict(omega_n=0.0), "omega_n, the natural frequency in rad/s, must be a finite number above 0, got 0"),
        (dict(tau=-0.01), "must be a finite number of at least 0"),
    ],
)
def test_what_is_no_spectrum_is_refused(wrong: dict, words: str) -> None:
    given = {
        **dict(
            alpha=0.8, beta=0.5, gamma=0.65, zeta=0.04, tau=0.02, omega_n=5.0, omega=[0.0, 10.0], density=[1.0, 1.0]
        ),
        **wrong,
    }
    with pytest.raises(ParameterError, match=words):
        performance_of_spectrum(**given)


def test_what_is_no_record_is_refused() -> None:
    given = dict(alpha=0.8, beta=0.5, gamma=0.65, zeta=0.04, tau=0.02, omega_n=5.0)
    with pytest.raises(ParameterError, match="row of at least 2 finite accelerations"):
        performance_of_record(**given, accel=[0.0, 0.0, 0.0], dt=0.01)
    with pytest.raises(ParameterError, match="dt, the time between the values of a record in s, .* above 0, got 0"):
        performance_of_record(**given, accel=[0.0, 1.0, 0.0], dt=0.0)
    with pytest.raises(ParameterError, match="next to instability or hardly damped"):
        performance_of_record(**{**given, "zeta": 1e-9, "gamma": 0.8, "beta": 0.9}, accel=[0.0, 1.0, 0.0], dt=0.01)


def test_the_examples_run() -> None:
    found = doctest.testmod(ground_motion)
    assert found.attempted > 1 and found.failed == 0
