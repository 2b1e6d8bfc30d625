"""The characteristic equation of a single-degree-of-freedom real-time hybrid simulation with a delayed feedback force.

    M_n x''(t) + C_n x'(t) + K_n x(t) = -M x_g''(t) - F(t - tau)
    F(t) = M_p x''(t) + C_p x'(t) + K_p x(t)

    alpha = M_n / M,    beta = C_n / C,    gamma = K_n / K                 shares of the numerical substructure

In units of the natural frequency, s = lambda / omega_n and Omega = omega_n tau,

    Gamma(s) = P(s) + Q(s) exp(-Omega s)
    P(s) = alpha s^2 + 2 beta zeta s + gamma                               numerical substructure, C_N of PSI
    Q(s) = (1 - alpha) s^2 + 2 (1 - beta) zeta s + 1 - gamma               physical substructure, C_P of PSI

P + Q = s^2 + 2 zeta s + 1 is the reference structure. With alpha < 1 the highest derivative is delayed too: the
equation is neutral, and its roots of high frequency approach

    Re s = ln((1 - alpha) / alpha) / Omega

which lies in the right half-plane for alpha < 1/2, at any delay. A root can be on the imaginary axis, s = j phi, only
where |P| = |Q|, that is, with x = phi^2,

    F(x) = |P|^2 - |Q|^2 = a x^2 - 2 b x + c = 0
    a = 2 alpha - 1,    b = 2 (1 - 2 beta) zeta^2 + alpha + gamma - 1,    c = 2 gamma - 1

and a root that reaches the axis there moves, with growing Omega, to the side of the sign of dF/dx.

PSI Eqs. 2.2, 2.9, 2.17, 3.8.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from hybsim.errors import ParameterError

Numbers: TypeAlias = float | np.ndarray
"""A number, or an array of numbers; several of them are broadcast against each other."""

Four: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]

TURN = 2.0 * math.pi

SHARES = {
    "alpha": "the numerical share of the mass, M_n / M",
    "beta": "the numerical share of the damping, C_n / C",
    "gamma": "the numerical share of the stiffness, K_n / K",
}


def checked(alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers) -> Four:
    """The four numbers of a partition as arrays of floats; what is no partition is refused."""
    damping = positive("zeta, the damping ratio of the reference structure,", zeta)
    return _share("alpha", alpha), _share("beta", beta), _share("gamma", gamma), damping


def positive(what: str, value: Numbers) -> np.ndarray:
    """An array of finite floats above 0."""
    return _finite(what, value, "above 0", lambda array: array > 0.0)


def not_negative(what: str, value: Numbers) -> np.ndarray:
    """An array of finite floats of at least 0."""
    return _finite(what, value, "of at least 0", lambda array: array >= 0.0)


def checked_delay(omega_tau: Numbers) -> np.ndarray:
    """Omega = omega_n tau as an array of floats of at least 0."""
    return not_negative("omega_tau, the delay times the natural frequency,", omega_tau)


def numerical(s: Numbers, alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers) -> np.ndarray:
    """P(s)."""
    return np.asarray((alpha * s + 2.0 * beta * zeta) * s + gamma)


def physical(s: Numbers, alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers) -> np.ndarray:
    """Q(s)."""
    return numerical(s, 1.0 - np.asarray(alpha), 1.0 - np.asarray(beta), 1.0 - np.asarray(gamma), zeta)


def characteristic(
    s: Numbers, alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers, omega_tau: Numbers
) -> np.ndarray:
    """Gamma(s) = P(s) + Q(s) exp(-Omega s).

    >>> complex(characteristic(1j, 0.8, 0.5, 0.8, 0.01, 0.0)).real
    0.0
    """
    late = np.exp(-np.asarray(omega_tau) * s)
    return numerical(s, alpha, beta, gamma, zeta) + physical(s, alpha, beta, gamma, zeta) * late


def slope(s: Numbers, alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers, omega_tau: Numbers) -> np.ndarray:
    """d Gamma / d s."""
    late = np.exp(-np.asarray(omega_tau) * s)
    of_p = 2.0 * (alpha * np.asarray(s) + np.asarray(beta) * zeta)
    of_q = 2.0 * ((1.0 - np.asarray(alpha)) * s + (1.0 - np.asarray(beta)) * zeta)
    return np.asarray(of_p + (of_q - omega_tau * physical(s, alpha, beta, gamma, zeta)) * late)


def chain_abscissa(alpha: Numbers, omega_tau: Numbers) -> np.ndarray:
    """The real part that the roots of high frequency approach: -inf for alpha = 1, inf for alpha = 0.

    >>> round(float(chain_abscissa(0.25, 0.5)), 4)
    2.1972
    """
    alpha, omega_tau = np.asarray(alpha, dtype=float), np.asarray(omega_tau, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        limit = np.log((1.0 - alpha) / alpha) / omega_tau
    return np.asarray(np.where(omega_tau > 0.0, limit, -np.inf))


def gap(alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers) -> Four:
    """a, b, c of F(x) = |P|^2 - |Q|^2 = a x^2 - 2 b x + c, and b^2 - a c.

    b^2 - a c = (gamma - alpha)^2 - 4 zeta^2 (1 - 2 beta) [(1 - alpha - gamma) - (1 - 2 beta) zeta^2] is taken in this
    form: it is 0 without rounding for alpha = gamma and beta = 1/2.
    """
    alpha, beta, gamma = np.asarray(alpha), np.asarray(beta), np.asarray(gamma)
    viscous = (1.0 - 2.0 * beta) * np.square(zeta)
    b = 2.0 * viscous + alpha + gamma - 1.0
    discriminant = (gamma - alpha) ** 2 - 4.0 * viscous * ((1.0 - alpha - gamma) - viscous)
    return 2.0 * alpha - 1.0, b, 2.0 * gamma - 1.0, discriminant


def gap_roots(a: np.ndarray, b: np.ndarray, c: np.ndarray, discriminant: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The roots (b + d) / a, where dF/dx >= 0, and (b - d) / a, where it is <= 0, d^2 = b^2 - a c; nan if not real.

    The one that would lose digits as a difference is taken from the product c / a of the two.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        d = np.sqrt(discriminant)
        rising = np.where(b >= 0.0, (b + d) / a, c / (b - d))
        falling = np.where(b >= 0.0, c / (b + d), (b - d) / a)
    return rising, falling


def crossing_angle(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """theta in (0, 2 pi] with p + q exp(-j theta) = 0, for |p| = |q|."""
    angle = np.angle(-q * np.conj(p))
    return np.asarray(np.where(angle > 0.0, angle, angle + TURN))


def _share(name: str, value: Numbers) -> np.ndarray:
    array = np.asarray(value, dtype=float)
    wrong = ~((array >= 0.0) & (array <= 1.0))
    if wrong.any():
        raise ParameterError(f"{name}, {SHARES[name]}, must lie in [0, 1], got {float(array[wrong].flat[0]):g}.")
    return array


def _finite(what: str, value: Numbers, allowed: str, holds: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    array = np.asarray(value, dtype=float)
    wrong = ~(np.isfinite(array) & holds(array))
    if wrong.any():
        raise ParameterError(f"{what} must be a finite number {allowed}, got {float(array[wrong].flat[0]):g}.")
    return array
