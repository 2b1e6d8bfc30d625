"""The whole structure in one piece, solved without a diagram, a block or a solver of the toolkit.

    M x'' + C x' + K x = -M R u_g''                     specimen and computed floor together, R = 1
    z = (x, x'),  z' = A z + B u_g''
    z[k+1] = Ad z[k] + Bd u_g''[k],  exp([[A, B], [0, 0]] dt) = [[Ad, Bd], [0, 1]]

The ground acceleration is held over a tick, as in the diagram, so this is exact at the ticks but for rounding.

The computed floor of mass m_n and spring k_n stands on the last degree of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import expm
from scipy.signal import lfilter


@dataclass(frozen=True)
class Monolithic:
    """Motion relative to the ground at the ticks, one column for each degree of freedom; the specimen's come first."""

    disp: np.ndarray
    vel: np.ndarray
    accel: np.ndarray


def assembled(
    *, mass: Any, damping: Any, stiffness: Any, numerical: tuple[float, float] | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M, C and K of specimen and computed floor."""
    M, C, K = (np.atleast_2d(np.asarray(part, dtype=float)) for part in (mass, damping, stiffness))
    if numerical is None:
        return M, C, K
    n, (m, k) = len(M), numerical
    M, C, K = (np.pad(part, ((0, 1), (0, 1))) for part in (M, C, K))
    M[n, n] = m
    K[n - 1 :, n - 1 :] += k * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return M, C, K


def solved(ground: np.ndarray, dt: float, **structure: Any) -> Monolithic:
    """The response from rest to a ground acceleration given at ticks."""
    M, C, K = assembled(**structure)
    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    B = np.concatenate([np.zeros(n), -np.ones(n)])
    step = expm(dt * np.block([[A, B[:, None]], [np.zeros((1, 2 * n + 1))]]))
    rates, modes = np.linalg.eig(step[:-1, :-1])
    pushes = np.linalg.solve(modes, step[:-1, -1])
    # Each mode is a recurrence of first order, w[k+1] = rate w[k] + push u_g''[k].
    parts = [lfilter([0.0, push], [1.0, -rate], ground) for rate, push in zip(rates, pushes, strict=True)]
    states = (modes @ np.array(parts)).T.real
    accel = states @ A[n:].T - ground[:, None]
    return Monolithic(states[:, :n], states[:, n:], accel)
