"""The performance indicator for a given ground motion: from its spectral density, or from the record itself.

    PPI' = 1/pi int_0^r S_g |I_ERR|^2 d phi / int_0^r S_g d phi,    r = r' / omega_n           (3.28)
    sigma^2 = PPI' / omega_n^3 int_0^r S_g d phi                                               mean square of the error

S_g     two-sided spectral density of the ground acceleration in m^2/s^3, so that its mean square is
        1/pi int S_g d omega over the band 0 to r' in rad/s
I_ERR   frequency response of the error, see performance.py

A record of the duration T has S_g = |X|^2 / T with its Fourier transform X(omega) = dt sum_k a_k exp(-j omega k dt) up
to pi/dt. By Parseval's theorem sigma^2 T is then the integral of the squared error from the start of the record until
the motion has died out. The record is padded with zeros until then, which makes the sum over the frequencies of the
transform exact.

PSI Eq. 3.28, where 1/(2 pi) is printed: (3.25) is an integral over both signs of phi, (3.28) over one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.errors import ParameterError
from hybsim.studies.indicators.characteristic import checked, checked_delay, positive
from hybsim.studies.indicators.peaked_integral import integral
from hybsim.studies.indicators.performance import error_response, panels
from hybsim.studies.indicators.roots import dominant_root

DIED_OUT = 25.0
"""Free vibrations are followed until they are exp(-25) = 1e-11 of what they were."""

LONGEST = 2**25
"""Values in the longest record after padding."""


@dataclass(frozen=True)
class Performance:
    """PPI' and the root mean square `sigma` in m of the displacement error over the duration of the motion."""

    ppi: float
    sigma: float


def performance_of_spectrum(
    alpha: float,
    beta: float,
    gamma: float,
    zeta: float,
    tau: float,
    *,
    omega_n: float,
    omega: Any,
    density: Any,
) -> Performance:
    """For S_g = `density` in m^2/s^3 at the frequencies `omega` in rad/s, straight lines between them.

    >>> omega, density = np.array([0.0, 50.0]), np.array([2.0, 2.0])
    >>> white = performance_of_spectrum(0.8, 0.5, 0.65, 0.04, 0.01, omega_n=5.0, omega=omega, density=density)
    >>> round(10.0 * white.ppi, 5)
    0.03435
    """
    numbers = _checked(alpha, beta, gamma, zeta, tau, omega_n)
    frequency, given = np.asarray(omega, dtype=float), np.asarray(density, dtype=float)
    if frequency.ndim != 1 or frequency.shape != given.shape or frequency.size < 2:
        raise ParameterError(
            f"A spectrum is two rows of the same length of at least 2, got {frequency.shape} frequencies and"
            f" {given.shape} densities."
        )
    if not (np.all(np.diff(frequency) > 0.0) and frequency[0] >= 0.0 and np.all(given >= 0.0) and given.any()):
        raise ParameterError(
            "A spectrum has rising frequencies of at least 0 rad/s and densities of at least 0 m^2/s^3, not all of them"
            " 0: sort it, and give the positive frequencies only."
        )
    if _rate(*numbers) <= 0.0:
        return Performance(math.inf, math.inf)
    phi = frequency / omega_n
    inner = panels(float(phi[-1]), *numbers)
    edges = np.unique(np.concatenate([phi, inner[inner >= phi[0]]]))

    def weighted(at: np.ndarray) -> np.ndarray:
        return np.asarray(np.interp(at, phi, given) * _square(at, *numbers))[:, None]

    return _performance(float(integral(weighted, edges)[0]), float(np.trapezoid(given, phi)), omega_n)


def performance_of_record(
    alpha: float, beta: float, gamma: float, zeta: float, tau: float, *, omega_n: float, accel: Any, dt: float
) -> Performance:
    """For a ground acceleration in m/s^2 sampled every dt seconds; `sigma` is over the duration of the record."""
    numbers = _checked(alpha, beta, gamma, zeta, tau, omega_n)
    spectral_density(accel, dt)  # refuses what is no record
    rate = _rate(*numbers)
    if rate <= 0.0:
        return Performance(math.inf, math.inf)
    length = padded_length(len(accel), dt, DIED_OUT / (rate * omega_n))
    omega, density = spectral_density(accel, dt, length=length)
    phi = omega / omega_n
    return _performance(
        float(np.trapezoid(density * _square(phi, *numbers), phi)), float(np.trapezoid(density, phi)), omega_n
    )


def spectral_density(accel: Any, dt: float, *, length: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """omega in rad/s up to pi/dt, and the two-sided S_g in m^2/s^3, of a record padded with zeros to `length`.

    >>> omega, density = spectral_density(np.array([1.0, -1.0, 1.0, 0.0]), 0.1, length=400)
    >>> round(float(np.trapezoid(density, omega)) / np.pi, 6)
    0.75
    """
    record = np.asarray(accel, dtype=float)
    if record.ndim != 1 or record.size < 2 or not np.isfinite(record).all() or not record.any():
        raise ParameterError(
            f"A record is a row of at least 2 finite accelerations, not all of them 0, got the shape {record.shape}."
        )
    step = float(positive("dt, the time between the values of a record in s,", dt))
    length = record.size if length is None else length
    transform = step * np.fft.rfft(record, length)
    omega = 2.0 * math.pi * np.fft.rfftfreq(length, step)
    return omega, np.square(np.abs(transform)) / (record.size * step)


def padded_length(count: int, dt: float, died_out: float) -> int:
    """An even length that holds the record and the free vibration after it."""
    from scipy.fft import next_fast_len

    needed = count + died_out / dt
    if needed > LONGEST:
        raise ParameterError(
            f"The free vibration after the record lasts {died_out:.3g} s, too long for values every {dt:g} s: the test"
            " is next to instability or hardly damped; give a larger dt, or performance_of_spectrum."
        )
    return 2 * int(next_fast_len(math.ceil(0.5 * needed)))


def _checked(
    alpha: float, beta: float, gamma: float, zeta: float, tau: float, omega_n: float
) -> tuple[float, float, float, float, float]:
    frequency = positive("omega_n, the natural frequency in rad/s,", omega_n)
    a, b, g, z = (float(each) for each in checked(alpha, beta, gamma, zeta))
    return a, b, g, z, float(checked_delay(tau * frequency))


def _rate(alpha: float, beta: float, gamma: float, zeta: float, omega_tau: float) -> float:
    """How fast the slowest free vibration of the test and of the reference dies out, over omega_n; negative: grows."""
    slowest = dominant_root(alpha, beta, gamma, zeta, omega_tau), dominant_root(alpha, beta, gamma, zeta, 0.0)
    return min(-root.real for root in slowest)


def _square(phi: np.ndarray, alpha: float, beta: float, gamma: float, zeta: float, omega_tau: float) -> np.ndarray:
    return np.square(np.abs(error_response(phi, alpha, beta, gamma, zeta, np.exp(-1j * omega_tau * phi))))


def _performance(error: float, intensity: float, omega_n: float) -> Performance:
    return Performance(error / (math.pi * intensity), math.sqrt(error / math.pi / omega_n**3))
