"""Performance of a single-degree-of-freedom real-time hybrid simulation before the test: the indicator PPI.

    I_ERR(phi) = C_P (1 - z) / [C_R (C_N + C_P z)],    z = exp(-j Omega phi)                   (3.23)
    PPI = 1/pi int_0^inf |I_ERR|^2 d phi = omega_n^3 sigma^2 / S_g                             (3.26)

I_ERR is omega_n^2 (x_REF - x_RTHS) / x_g'' at the frequency phi omega_n, C_N = P(j phi), C_P = Q(j phi) and
C_R = P + Q (see characteristic.py); sigma^2 is the variance of the displacement error under white noise of the
two-sided spectral density S_g in m^2/s^3. The reference structure itself has omega_n^3 sigma^2 / S_g = 1 / (4 zeta), so
that sqrt(4 zeta PPI) is the error as a share of the response. An unstable test has no variance: PPI = inf.

The integral is elementary. With D = P + Q, Gamma = P + Q exp(-Omega s) and P* = P(-s),

    1 / (Gamma Gamma*) = [P* / Gamma* - Q exp(-Omega s) / Gamma] / F,    F = P P* - Q Q*

F is the quadratic of (2.17) in x = -s^2, the first term has no other poles on the left, the second none on the right.
Residues there, and of the mixed term 1 / (D* Gamma) at the roots of D*, give, less what cancels,

    PPI = [T(x_1) - T(x_2)] / (2 d) + 2 [V(r_1) - V(r_2)] / (r_1 - r_2)
    T(x) = P Q h / (D Gamma) at s = sqrt(-x),    h = [1 - exp(-Omega s)] / s,    x_1,2 = (b +- d) / a
    V(s) = Q [1 - exp(-Omega s)] / (D Gamma),    r_1,2 = zeta +- sqrt(zeta^2 - 1)

with a, b and d^2 = b^2 - a c as in sdof.py. Where two points fall together (alpha = gamma and beta = 1/2; zeta = 1),
the difference quotient is continued as an analytic function of the square of their distance. It is exact to rounding,
however sharp the resonance, and nan where rounding leaves no digits (delays below 1e-9, alpha at 1/2);
`ppi_by_quadrature` takes (3.26) as it stands.

For a given ground motion in the band 0 to r' (factor 1/pi, printed 1/(2 pi)):

    PPI' = 1/pi int S_g |I_ERR|^2 d phi / int S_g d phi = omega_n^3 sigma^2 / int S_g d phi    (3.28)

PSI Eqs. 3.15-3.28; 3.26 integrated to infinity, 3.28 corrected.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hybsim.errors import ParameterError
from hybsim.studies.indicators.characteristic import (
    Numbers,
    characteristic,
    checked,
    checked_delay,
    gap,
    numerical,
    physical,
    slope,
)
from hybsim.studies.indicators.peaked_integral import integral
from hybsim.studies.indicators.roots import dominant_root
from hybsim.studies.indicators.sdof import is_stable

RTOL = 1e-10
"""Accuracy of the quadrature."""

MOST_TURNS = 1e6
"""Omega phi up to which the quadrature goes."""

FEWEST = 1e-10
"""A sum that is less than so much of its terms has lost its digits to rounding: nan."""

CIRCLE = np.exp(2j * math.pi * (np.arange(8) + 0.5) / 8.0)
"""Directions in which an analytic function is taken around two points that fall together."""


def ppi(alpha: float, beta: float, gamma: float, zeta: float, omega_tau: float) -> float:
    """The predictive performance indicator for a pure delay; inf for an unstable test.

    >>> round(ppi(0.8, 0.5, 0.65, 0.01, 0.05), 3)
    3.48
    """
    return float(ppi_map(alpha, beta, gamma, zeta, omega_tau))


def ppi_map(alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers, omega_tau: Numbers) -> np.ndarray:
    """`ppi` over arrays that are broadcast against each other."""
    every = np.broadcast_arrays(*checked(alpha, beta, gamma, zeta), checked_delay(omega_tau))
    shape = every[0].shape
    numbers = [each.ravel() for each in every]
    found = np.zeros(numbers[0].shape)
    late = numbers[4] > 0.0
    stable = is_stable(*numbers)
    found[late & ~stable] = np.inf
    stable &= late
    found[stable] = _closed_form(*(each[stable] for each in numbers))
    return found.reshape(shape)


def error_response(
    phi: Numbers, alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers, transfer: Numbers
) -> np.ndarray:
    """I_ERR at phi for a transfer system with the frequency response `transfer` there: exp(-j Omega phi) if a delay."""
    s = 1j * np.asarray(phi)
    c_n, c_p = numerical(s, alpha, beta, gamma, zeta), physical(s, alpha, beta, gamma, zeta)
    return np.asarray(c_p * (1.0 - np.asarray(transfer)) / ((c_n + c_p) * (c_n + c_p * transfer)))


def ppi_by_quadrature(
    alpha: float, beta: float, gamma: float, zeta: float, omega_tau: float, *, upper: float = math.inf
) -> float:
    """(3.26) by adaptive quadrature with panels around the resonances, up to phi = `upper` (3.27) or to infinity."""
    numbers = tuple(float(each) for each in (*checked(alpha, beta, gamma, zeta), checked_delay(omega_tau)))
    if numbers[4] == 0.0:
        return 0.0
    if not is_stable(*numbers):
        return math.inf

    def density(phi: np.ndarray) -> np.ndarray:
        return np.asarray(_square(phi, *numbers) / math.pi)[:, None]

    end = min(upper, 30.0)
    total = float(integral(density, panels(end, *numbers), rtol=RTOL)[0])
    added = math.inf
    # The integrand falls at least with phi^-2, so that what is left is no more than the last doubling of the range.
    while end < upper and added > RTOL * total:
        further = min(upper, 2.0 * end)
        if further * numbers[4] > MOST_TURNS:
            raise ParameterError(
                f"The integral up to {upper:g} turns too often at Omega = {numbers[4]:g} for quadrature, or alpha ="
                f" {numbers[0]:g} is too close to 1/2: give an upper end, or take the closed form, ppi."
            )
        edges = np.linspace(end, further, 2 + math.ceil((further - end) * numbers[4] / math.pi))
        added = float(integral(density, edges, rtol=RTOL, offset=np.array([total]))[0])
        total, end = total + added, further
    return total


def panels(end: float, alpha: float, beta: float, gamma: float, zeta: float, omega_tau: float) -> np.ndarray:
    """Edges from 0 to `end`, close together around the resonances, half a turn of exp(-j Omega phi) long at most."""
    root = dominant_root(alpha, beta, gamma, zeta, omega_tau)
    edges = [np.linspace(0.0, end, 2 + math.ceil(end * omega_tau / math.pi)), np.array([0.5, 1.0, 2.0])]
    for centre, width in ((root.imag, abs(root.real)), (1.0, zeta)):
        if math.isfinite(centre):
            around = width * 2.0 ** np.arange(-1.0, 12.0)
            edges += [centre - around, centre + around, np.array([centre])]
    every = np.unique(np.concatenate(edges))
    return every[(every >= 0.0) & (every <= end)]


def _square(
    phi: np.ndarray, alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers, omega_tau: Numbers
) -> np.ndarray:
    """|I_ERR|^2 for a delay; 1 - z without the loss of digits of a difference."""
    s = 1j * phi
    c_n, c_p = numerical(s, alpha, beta, gamma, zeta), physical(s, alpha, beta, gamma, zeta)
    lost = -np.expm1(-omega_tau * s)
    return np.asarray(np.abs(c_p * lost / ((c_n + c_p) * (c_n + c_p - c_p * lost))) ** 2)


def _closed_form(*numbers: np.ndarray) -> np.ndarray:
    """PPI of stable tests with a delay, in one dimension."""
    alpha, beta, gamma, zeta, _ = numbers
    a, b, _, discriminant = gap(alpha, beta, gamma, zeta)
    x, s = b / a, zeta
    of_x = _quotient(_at_gap, _even, x, discriminant / a**2, _clearance(x, *numbers), numbers)
    of_s = _quotient(_at_reference, _at_reference, s, s**2 - 1.0, 0.2 + np.zeros_like(s), numbers)
    first, second = of_x.real / a, 2.0 * of_s.real
    found = first + second
    return np.asarray(np.where(found >= FEWEST * (np.abs(first) + np.abs(second)), found, np.nan))


def _quotient(
    function: Callable[..., np.ndarray],
    smooth: Callable[..., np.ndarray],
    centre: np.ndarray,
    square: np.ndarray,
    radius: np.ndarray,
    numbers: tuple[np.ndarray, ...],
) -> np.ndarray:
    """[f(centre + e) - f(centre - e)] / (2 e) with e^2 = square, an analytic function of e^2.

    Where e is small against `radius`, it is Cauchy's integral of f = `smooth` over the circle |e^2| = radius^2.
    """
    e = np.sqrt(square + 0.0j)
    near = np.abs(e) < 0.125 * radius
    e[near] = 1.0
    quotient = (function(centre + e, *numbers) - function(centre - e, *numbers)) / (2.0 * e)
    if near.any():
        kept = [each[near] for each in numbers]
        e = radius[near] * np.sqrt(CIRCLE)[:, None]
        around = (smooth(centre[near] + e, *kept) - smooth(centre[near] - e, *kept)) / (2.0 * e)
        quotient[near] = np.mean(around / (1.0 - square[near] / e**2), axis=0)
    return quotient


def _clearance(x: np.ndarray, *numbers: np.ndarray) -> np.ndarray:
    """A tenth of the distance in x from the nearest pole of the even part of T, to first order."""
    alpha, beta, gamma, zeta, omega_tau = numbers
    # Roots of Gamma are no further apart than the order of 1 and of the turns of exp(-Omega s).
    nearest = 0.5 / np.maximum(1.0, omega_tau)
    for s in (np.sqrt(-x + 0.0j), -np.sqrt(-x + 0.0j)):
        for delay in (omega_tau, 0.0):
            # Where exp(-Omega s) overflows on the left, the distance is 1 / Omega, which is in already.
            with np.errstate(over="ignore", invalid="ignore"):
                size = np.abs(characteristic(s, alpha, beta, gamma, zeta, delay))
                rate = np.abs(slope(s, alpha, beta, gamma, zeta, delay))
                nearest = np.fmin(nearest, size / np.maximum(rate, size))
    return np.asarray(0.1 * nearest * np.maximum(np.sqrt(np.abs(x)), nearest))


def _at_gap(x: np.ndarray, *numbers: np.ndarray) -> np.ndarray:
    """T(x) where F(x) = 0; s on the right, where exp(-Omega s) is small and nothing has a pole."""
    p, q, lost, h = _parts(np.sqrt(-x), *numbers)
    return np.asarray(p * q * h / ((p + q) * (p + q - q * lost)))


def _even(x: np.ndarray, *numbers: np.ndarray) -> np.ndarray:
    """T(x) elsewhere: F = 0 makes T even in s, and only what is even in s is a function of x = -s^2."""
    s = np.sqrt(-x)
    _, _, lost, h = _parts(s, *numbers)
    p, q, _, _ = _parts(-s, *numbers[:4], np.zeros(()))
    # T(-s), its fraction reduced by exp(Omega s).
    other = p * q * h / ((p + q) * (p + q - p * lost))
    return np.asarray(0.5 * (_at_gap(x, *numbers) + other))


def _at_reference(s: np.ndarray, *numbers: np.ndarray) -> np.ndarray:
    """V(s)."""
    p, q, lost, _ = _parts(s, *numbers)
    return np.asarray(q * lost / ((p + q) * (p + q - q * lost)))


def _parts(s: np.ndarray, *numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """P, Q, 1 - exp(-Omega s) and h at s; P + Q = D, and D - Q (1 - exp(-Omega s)) = Gamma."""
    alpha, beta, gamma, zeta, omega_tau = numbers
    lost = -np.expm1(-omega_tau * s)
    with np.errstate(divide="ignore", invalid="ignore"):
        h = np.where(s == 0.0, omega_tau, lost / s)
    return numerical(s, alpha, beta, gamma, zeta), physical(s, alpha, beta, gamma, zeta), lost, h
