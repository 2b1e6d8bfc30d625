"""How a delayed mass multiplies accelerations of infinite frequency: the neutral part of the equation of motion.

    M_n x''(t) + sum_i m_i x_i''(t - d_i) = 0,    m_i the column of M_p A_inf of actuator i

    rho = max over theta of |eigenvalue of S^T M_n^-1 [m_1 exp(j theta_1), m_2 exp(j theta_2), ...]|

S picks the degrees of freedom of the actuators. The delays d_i are known only so well, and the slightest change of
their ratio turns the phases at infinite frequency any way: the worst of all angles counts (strong stability, Hale and
Verduyn Lunel). For one actuator, and where the part of each is a mass of its own, rho does not depend on them.
"""

from __future__ import annotations

import math

import numpy as np

SINGULAR = 1e-12
"""A reciprocal condition number under which the numerical mass is none."""


def neutral_radius(mn: np.ndarray, late: np.ndarray, at: np.ndarray) -> float:
    """rho for the numerical mass, the delayed columns and the degrees of freedom they belong to."""
    if not late.any():
        return 0.0
    if np.linalg.cond(mn) > 1.0 / SINGULAR:
        return math.inf
    gain = np.linalg.solve(mn, late)[at]
    largest = _radius(np.abs(gain))
    if len(gain) == 1 or largest - _radius(gain) <= 1e-12 * largest:
        return largest  # no angles can do more than |gain|
    return _over_angles(gain)


def _over_angles(gain: np.ndarray) -> float:
    from scipy.optimize import minimize

    free = len(gain) - 1  # a turn common to all changes no modulus

    def smaller(angles: np.ndarray) -> float:
        return -_radius(gain * np.exp(1j * np.concatenate([[0.0], angles])))

    starts = np.random.default_rng(0).uniform(-math.pi, math.pi, (16 * free, free))
    best = sorted([np.zeros(free), *starts], key=smaller)[:4]
    found = [minimize(smaller, start, method="Nelder-Mead", options=dict(xatol=1e-9, fatol=1e-14)) for start in best]
    return float(max(-each.fun for each in found))


def _radius(matrix: np.ndarray) -> float:
    return float(np.abs(np.linalg.eigvals(matrix)).max())
