"""Weakly nonlinear specimens: the energy that a delay adds in a cycle, and the critical delay at an amplitude.

    r(x) = k x + h x^3                              h < 0 softens, h > 0 hardens
    A(tau) = oint [r(x(t)) - r(x(t - tau))] dx      area between the two curves = added energy      (2.31)-(2.34)

For x = X sin(omega t) the cube is x^3 = X^3 [3 sin(omega t) - sin(3 omega t)] / 4 and only the first harmonic works:

    A(tau) = pi X^2 sin(omega tau) [k + 3/4 h X^2]

exactly, not only for a small delay, so that A_S <= A_L <= A_H while 0 <= omega tau <= pi        (2.36)

The specimen acts at this amplitude like a spring of the stiffness k + 3/4 h X^2. With eps = 3/4 h X^2 / K the test is
the linear one (sdof.py) of

    omega_n' = omega_n sqrt(1 + eps),    zeta' = zeta / sqrt(1 + eps),    gamma' = gamma / (1 + eps)

and the same alpha and beta (harmonic balance). Its critical delay is above that of the test linearised at rest if the
specimen softens (the linear one is then safe) and below if it hardens (it is not).

PSI Sec. 2.2, Eqs. 2.26-2.36; h is written zeta h there. The block CUBIC_SPRING is such a specimen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hybsim.errors import ParameterError
from hybsim.studies.indicators.characteristic import Numbers, checked, positive
from hybsim.studies.indicators.sdof import omega_cr_map


def added_energy(amplitude: Numbers, omega_tau: Numbers, *, stiffness: Numbers, cubic: Numbers = 0.0) -> np.ndarray:
    """A of a cycle of the amplitude X at omega tau: A_L for cubic = 0, A_S below, A_H above.

    >>> [round(float(added_energy(1.0, 0.1, stiffness=10.0, cubic=h)), 4) for h in (-1.0, 0.0, 1.0)]
    [2.9011, 3.1364, 3.3716]
    """
    square = np.square(amplitude)
    return np.asarray(math.pi * square * np.sin(omega_tau) * (stiffness + 0.75 * np.asarray(cubic) * square))


def added_energy_of(
    motion: Callable[[np.ndarray], np.ndarray],
    velocity: Callable[[np.ndarray], np.ndarray],
    force: Callable[[np.ndarray], np.ndarray],
    *,
    tau: float,
    start: float,
    end: float,
    count: int = 4096,
) -> float:
    """A over any motion x(t) from `start` to `end` and any elastic specimen r(x), by the trapezoid rule."""
    if not end > start:
        raise ParameterError(f"A motion must end after it starts, got the start {start:g} s and the end {end:g} s.")
    t = np.linspace(start, end, count + 1)
    return float(np.trapezoid((force(motion(t)) - force(motion(t - tau))) * velocity(t), t))


def at_amplitude(gamma: Numbers, zeta: Numbers, hardening: Numbers) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """gamma', zeta' and omega_n' / omega_n for eps = `hardening` = 3/4 h X^2 / K.

    >>> [round(float(each), 4) for each in at_amplitude(0.5, 0.02, 0.21)]
    [0.4132, 0.0182, 1.1]
    """
    gamma, zeta = np.asarray(gamma, dtype=float), np.asarray(zeta, dtype=float)
    stiffness = 1.0 + np.asarray(hardening, dtype=float)
    if not np.all(stiffness > gamma):
        raise ParameterError(
            "A softening specimen must keep some of its stiffness: 3/4 h X^2 / K must be above gamma - 1, got"
            f" {float(np.min(np.asarray(hardening))):g}; take a smaller amplitude."
        )
    return gamma / stiffness, zeta / np.sqrt(stiffness), np.sqrt(stiffness)


def critical_delay_at(
    alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers, *, omega_n: Numbers, hardening: Any
) -> np.ndarray:
    """tau_cr in s at the amplitude X with eps = `hardening` = 3/4 h X^2 / K; at rest for eps = 0.

    >>> delays = critical_delay_at(0.9, 0.6, 0.3, 0.05, omega_n=10.0, hardening=np.array([-0.1, 0.0, 0.1]))
    >>> (1000.0 * delays).round(2).tolist()
    [19.58, 16.65, 14.48]
    """
    checked(alpha, beta, gamma, zeta)
    shared, damping, frequency = at_amplitude(gamma, zeta, hardening)
    return np.asarray(
        omega_cr_map(alpha, beta, shared, damping)
        / (positive("omega_n, the natural frequency in rad/s,", omega_n) * frequency)
    )
