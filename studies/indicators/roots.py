"""The rightmost root of the delayed single-degree-of-freedom test, with certainty: roots are counted, then found.

    Gamma(s) = P(s) + Q(s) exp(-Omega s)                                       see characteristic.py

The roots to the right of a line Re s = sigma are those in the right half-plane of

    p(m) + q(m) exp(-Omega m),    p(m) = P(sigma + m),    q(m) = exp(-Omega sigma) Q(sigma + m)

Let its delay grow from 0 to Omega while p and q stay. At first it is a polynomial of second degree, whose roots on the
right are known from the signs of its coefficients. After that their number changes only when a pair crosses the axis:

    f(x) = |p(j w)|^2 - |q(j w)|^2 = 0,    x = w^2                             quadratic in x
    at the delays [theta + 2 pi k] / w,    theta = angle of -q(j w) / p(j w) in (0, 2 pi],    k = 0, 1, ...
    to the right where df/dx > 0, to the left where df/dx < 0

so that N(sigma) is known in closed form as long as alpha > (1 - alpha) exp(-Omega sigma), that is, to the right of the
line sigma = ln((1 - alpha) / alpha) / Omega to which the roots of high frequency tend. N falls from above 0 to 0 at the
real part of the rightmost root, which is found by bisection, and Newton's method makes the root exact. If N = 0 on all
lines to the right of that limit, the limit is the supremum, and no root attains it.

Cooke and van den Driessche, On zeroes of some transcendental equations, Funkcialaj Ekvacioj 29 (1986).
"""

from __future__ import annotations

import numpy as np

from hybsim.studies.indicators.characteristic import (
    TURN,
    Numbers,
    chain_abscissa,
    characteristic,
    checked,
    checked_delay,
    crossing_angle,
    gap_roots,
    numerical,
    slope,
)

HALVINGS = 48
NEWTON_STEPS = 12
NEAR_LIMIT = 1e-9
"""By so much a line lies to the right of the limit of the roots of high frequency."""


def dominant_root(alpha: float, beta: float, gamma: float, zeta: float, omega_tau: float) -> complex:
    """The root with the largest real part, over omega_n, with an imaginary part of at least 0.

    Where no root has the largest real part (the roots of high frequency tend to it), it is limit + inf j.

    >>> root = dominant_root(0.8, 0.5, 0.1, 0.02, 0.1)
    >>> round(root.real, 4), round(root.imag, 4)
    (0.015, 0.9994)
    """
    return complex(dominant_root_map(alpha, beta, gamma, zeta, omega_tau))


def dominant_root_map(alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers, omega_tau: Numbers) -> np.ndarray:
    """`dominant_root` over arrays that are broadcast against each other."""
    every = np.broadcast_arrays(*checked(alpha, beta, gamma, zeta), checked_delay(omega_tau))
    shape = every[0].shape
    numbers = [each.ravel() for each in every]
    roots = _without_delay(numbers[3])
    late = numbers[4] > 0.0
    roots[late] = _rightmost(*(each[late] for each in numbers))
    return roots.reshape(shape)


def count_right(
    sigma: Numbers, alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers, omega_tau: Numbers
) -> np.ndarray:
    """N(sigma): how many roots have a real part above sigma; inf where sigma is not right of the chain's limit."""
    sigma, omega_tau = np.asarray(sigma, dtype=float), np.asarray(omega_tau, dtype=float)
    # Far on the left exp(-Omega sigma) overflows: there are no numbers then, but many roots to the right.
    with np.errstate(over="ignore", invalid="ignore"):
        p, q = _shifted(sigma, alpha, beta, gamma, zeta, omega_tau)
        number = np.where(p[0] + q[0] < 0.0, 1.0, np.where(p[1] + q[1] < 0.0, 2.0, 0.0))
        right, left = _frequencies(p, q)
        # A pair on the line itself counts as beyond it, so that a test on the edge of stability is not stable.
        gone = np.floor(_turns(right, p, q, omega_tau)) + 1.0
        back = np.ceil(_turns(left, p, q, omega_tau))
        number = number + 2.0 * (np.maximum(0.0, gone) - np.maximum(0.0, back))
        return np.asarray(np.where((p[2] > q[2]) & np.isfinite(q[0]), number, np.inf))


def count_unstable(alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers, omega_tau: Numbers) -> np.ndarray:
    """How many roots have a real part above 0; inf for alpha <= 1/2 with a delay."""
    right = count_right(0.0, alpha, beta, gamma, zeta, omega_tau)
    return np.asarray(np.where(np.asarray(omega_tau) == 0.0, 0.0, right))


def _without_delay(zeta: np.ndarray) -> np.ndarray:
    """-zeta + sqrt(zeta^2 - 1), as a root of large damping without the loss of digits of a difference."""
    spread = np.sqrt(np.square(zeta) - 1.0 + 0.0j)
    return np.asarray(np.where(zeta > 1.0, -1.0 / (zeta + spread), -zeta + spread))


def _rightmost(
    alpha: np.ndarray, beta: np.ndarray, gamma: np.ndarray, zeta: np.ndarray, omega_tau: np.ndarray
) -> np.ndarray:
    """The rightmost roots for Omega > 0, in one dimension."""
    numbers = alpha, beta, gamma, zeta, omega_tau
    limit = chain_abscissa(alpha, omega_tau)
    roots = np.empty(limit.shape, dtype=complex)
    roots.real, roots.imag = limit, np.inf
    attained, finite = np.isneginf(limit), np.isfinite(limit)
    line = limit.copy()
    line[finite] += NEAR_LIMIT * np.maximum(1.0, np.abs(limit[finite]) + 1.0 / omega_tau[finite])
    attained[finite] = count_right(line[finite], *(each[finite] for each in numbers)) > 0.0
    if attained.any():
        kept = [each[attained] for each in numbers]
        sigma = _bisected(line[attained], *kept)
        roots[attained] = _polished(sigma, *kept)
    return roots


def _bisected(lowest: np.ndarray, *numbers: np.ndarray) -> np.ndarray:
    """The real part above which no root lies, between `lowest` (-inf: no bound) and where N = 0."""
    # Numbers that are no one's damping ratio: on a line with a pair of roots at delay 0, N would count it or not.
    low = np.maximum(lowest, -1.03127)
    high = np.maximum(lowest, 0.0) + 1.01543
    step = 1.0 + np.zeros_like(low)
    while True:
        none = count_right(low, *numbers) == 0.0
        some = count_right(high, *numbers) > 0.0
        if not (none.any() or some.any()):
            break
        step = 2.0 * step
        low = np.where(none, np.maximum(lowest, low - step), low)
        high = np.where(some, high + step, high)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        some = count_right(middle, *numbers) > 0.0
        low, high = np.where(some, middle, low), np.where(some, high, middle)
    return np.asarray(0.5 * (low + high))


def _polished(sigma: np.ndarray, *numbers: np.ndarray) -> np.ndarray:
    """The root on the line sigma, from the frequencies that are possible there and Newton's method."""
    alpha, beta, gamma, zeta, omega_tau = numbers

    def newton(s: np.ndarray) -> np.ndarray:
        rate = slope(s, alpha, beta, gamma, zeta, omega_tau)
        return characteristic(s, alpha, beta, gamma, zeta, omega_tau) / np.where(rate == 0.0, 1.0, rate)

    s, least = sigma + 0.0j, np.full(sigma.shape, np.inf)
    for w in (np.zeros_like(sigma), *_frequencies(*_shifted(sigma, *numbers))):
        start = sigma + 1j * np.where(np.isfinite(w), w, 0.0)
        away = np.abs(newton(start))
        s, least = np.where(away < least, start, s), np.fmin(away, least)
    for _ in range(NEWTON_STEPS):
        step = newton(s)
        # Bisection has fixed the real part: a double root (critical damping), without slope, must not lead away.
        s = np.where(np.abs((s - step).real - sigma) < 1e-6 * (1.0 + np.abs(s)), s - step, s)
    return np.asarray(s.real + 1j * np.abs(s.imag))


def _shifted(
    sigma: np.ndarray,
    alpha: Numbers,
    beta: Numbers,
    gamma: Numbers,
    zeta: Numbers,
    omega_tau: Numbers,
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The coefficients of p and q in rising powers of m."""
    late = np.exp(-omega_tau * sigma)
    rest = 1.0 - np.asarray(alpha), 1.0 - np.asarray(beta), 1.0 - np.asarray(gamma)
    p = [numerical(sigma, alpha, beta, gamma, zeta), 2.0 * (alpha * sigma + beta * zeta), np.asarray(alpha)]
    q = [numerical(sigma, *rest, zeta), 2.0 * (rest[0] * sigma + rest[1] * zeta), rest[0]]
    return p, [late * each for each in q]


def _frequencies(p: list[np.ndarray], q: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """w > 0 where pairs cross to the right, and where to the left; inf where there is none."""
    # Differences of squares as products: p and q are near to each other where it matters.
    a = (p[2] - q[2]) * (p[2] + q[2])
    c = (p[0] - q[0]) * (p[0] + q[0])
    b = p[0] * p[2] - q[0] * q[2] - 0.5 * (p[1] - q[1]) * (p[1] + q[1])
    with np.errstate(invalid="ignore"):
        right, left = (np.where(x > 0.0, np.sqrt(x), np.inf) for x in gap_roots(a, b, c, b * b - a * c))
    return right, left


def _turns(w: np.ndarray, p: list[np.ndarray], q: list[np.ndarray], delay: np.ndarray) -> np.ndarray:
    """k of the delay = [theta + 2 pi k] / w, a whole number when a pair arrives; -inf without w."""
    there = np.isfinite(w)
    w = np.where(there, w, 0.0)
    theta = crossing_angle(p[0] - p[2] * w * w + 1j * p[1] * w, q[0] - q[2] * w * w + 1j * q[1] * w)
    return np.asarray(np.where(there, (w * delay - theta) / TURN, -np.inf))
