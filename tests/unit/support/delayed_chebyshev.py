"""Roots of a delayed test from another derivation: a delay differential-algebraic equation on Chebyshev points.

    q' = v,   v' = a,   xi' = A xi + B q_i                                    structure and actuators
    0 = M_n a + C_n v + K_n q + sum_i [m_i p_i''(t - d_i) + c_i p_i'(t - d_i) + k_i p_i(t - d_i)]
    p = C xi + D q,   p' = C (A xi + B q) + D v,   p'' = C (A^2 xi + A B q + B v) + D a

X = (q, v, a, xi) at the points of the last max(d) seconds; d_i that are none of the points by interpolation. Written with
accelerations as unknowns, so it shares nothing with the realisation of the loop in the code under test.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eig


def derivative_matrix(points: np.ndarray) -> np.ndarray:
    """From values at any points to the derivatives of their polynomial, by barycentric weights."""
    n = len(points)
    weights = np.array([1.0 / np.prod(np.delete(points[i] - points, i)) for i in range(n)])
    matrix = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                matrix[i, j] = weights[j] / weights[i] / (points[i] - points[j])
        matrix[i, i] = -matrix[i].sum()
    return matrix


def interpolation(points: np.ndarray, at: float) -> np.ndarray:
    """Weights of the values at the points for the value in between."""
    return np.array(
        [
            np.prod(np.delete((at - points) / (points[j] - points + np.eye(len(points))[j]), j))
            for j in range(len(points))
        ]
    )


def roots(system, tau: float, points: int = 20) -> np.ndarray:
    """All roots of a DelayedSystem that the points resolve, and more."""
    n = system.dofs
    orders = [len(path.system.a) for path in system.paths]
    size = 3 * n + sum(orders)
    delays = [path.delay + tau for path in system.paths]
    longest = max(delays)
    grid = 0.5 * longest * (np.cos(np.pi * np.arange(points + 1) / points) - 1.0) if longest > 0.0 else np.zeros(1)
    now, mass = np.zeros((size, size)), np.zeros((size, size))
    mass[: 2 * n, : 2 * n] = np.eye(2 * n)
    mass[3 * n :, 3 * n :] = np.eye(sum(orders))
    now[:n, n : 2 * n] = now[n : 2 * n, 2 * n : 3 * n] = np.eye(n)
    now[2 * n : 3 * n, : 3 * n] = np.hstack([system.kn, system.cn, system.mn])
    whole, start = np.zeros((len(grid) * size, len(grid) * size)), 3 * n
    left = np.zeros_like(whole)
    left[:size, :size] = mass
    whole[:size, :size] = now
    for path, order, delay in zip(system.paths, orders, delays, strict=True):
        a, b, c, d = path.system.a, path.system.b, path.system.c, path.system.d[0, 0]
        xi = slice(start, start + order)
        start += order
        i = path.dof
        whole[xi, xi], whole[xi, [i]] = a, b
        # p, p', p'' as rows over X.
        rows = np.zeros((3, size))
        rows[0, i] = rows[1, n + i] = rows[2, 2 * n + i] = d
        if order:
            rows[0, xi], rows[1, xi], rows[2, xi] = c[0], (c @ a)[0], (c @ a @ a)[0]
            rows[1, i] += (c @ b)[0, 0]
            rows[2, i] += (c @ a @ b)[0, 0]
            rows[2, n + i] += (c @ b)[0, 0]
        force = (
            np.outer(system.kp[:, i], rows[0]) + np.outer(system.cp[:, i], rows[1]) + np.outer(system.mp[:, i], rows[2])
        )
        weights = interpolation(grid, -delay) if longest > 0.0 else np.ones(1)
        whole[2 * n : 3 * n] += np.kron(weights, force)
    if longest > 0.0:
        scaled = derivative_matrix(2.0 * grid / longest) * 2.0 / longest
        whole[size:] = np.kron(scaled[1:], np.eye(size))
        left[size:, size:] = np.eye(points * size)
    values = eig(whole, left, right=False)
    return values[np.isfinite(values)]
