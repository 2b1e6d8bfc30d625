"""The lag at which a linear hybrid test with Newmark's explicit method becomes unstable.

    x_{k+1} = A(eta) x_k,    x_k = (d_k, v_{k-1}, a_{k-1}, d_{k-1})        without load

    r_k     = K d_k - eta K (d_k - d_{k-1})                         the specimens lag by eta ticks
    a_k     = (M + dt/2 C)^-1 (-r_k - C (v_{k-1} + dt/2 a_{k-1}))
    v_k     = v_{k-1} + dt/2 (a_{k-1} + a_k)
    d_{k+1} = d_k + dt v_k + dt^2/2 a_k

M mass, C damping, K stiffness of the specimens, d target displacement: the block NEWMARK with the lag of LAG, the last
target being part of the state. The test is stable as long as the spectral radius rho(A) <= 1; the critical lag is the
smallest eta dt at which it passes 1. For a mode of frequency omega with the damping ratio zeta it is

    tau_cr = 2 zeta / omega = zeta T / pi,

whatever dt, as the eigenvalues z of A other than 0 solve, with W = omega dt,

    (1 + zeta W) z^2 - (2 - (1 - eta) W^2) z + (1 - zeta W + eta W^2) = 0

so that |z|^2 = (1 - zeta W + eta W^2) / (1 + zeta W) while they are complex. The highest mode is the first to go.

If eta is random, independent from tick to tick and from actuator to actuator, with the variance s^2, the mean square of
the response decides: A(eta) = A_0 + sum_j eta_j A_j, and E[x x^T] is multiplied in each tick by

    S = A(mean) (x) A(mean) + s^2 sum_j A_j (x) A_j                  (x) the Kronecker product

so that it stays bounded for rho(S) <= 1.

EERC Sec. 8.4 observes the limit. Horiuchi et al. (1999) describe a delay as negative damping.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

ROUNDING = 1e-12
"""Above 1 by so much, a spectral radius is 1: an undamped structure without lag."""

MOST = 10.0
"""Ticks up to which a critical lag is looked for."""

STEP = 0.02
"""Ticks between the lags that are tried; from the first unstable one back the limit is found to rounding."""


@dataclass(frozen=True)
class LaggingTest:
    """A linear structure with all of its stiffness in specimens, tested with actuators that lag.

    stiffness   the stiffness matrix of each specimen, in the coordinates of the structure: their sum is K
    """

    mass: np.ndarray
    damping: np.ndarray
    stiffness: Sequence[np.ndarray]
    dt: float

    def amplification(self, eta: float) -> np.ndarray:
        """A for the same lag of eta ticks in all actuators."""
        matrix = self._without_lag()
        for each in self._per_lag():
            matrix += eta * each
        return matrix

    def radius(self, eta: float) -> float:
        """The spectral radius of A."""
        return _radius(self.amplification(eta))

    def mean_square_radius(self, mean: float, variance: float) -> float:
        """The spectral radius of S: by how much the mean square of the response is multiplied in a tick."""
        matrix = self.amplification(mean)
        square = np.kron(matrix, matrix)
        for each in self._per_lag():
            square += variance * np.kron(each, each)
        return _radius(square)

    def critical_lag(self) -> float | None:
        """The smallest unstable lag in s; 0 if it is unstable without, None if it is stable up to MOST ticks."""
        return self._first(self.radius)

    def critical_lag_mean_square(self, variance: float) -> float | None:
        """The smallest mean lag in s, for lags of this variance (in ticks^2), at which the mean square grows."""
        return self._first(lambda mean: self.mean_square_radius(mean, variance))

    def _first(self, radius: Callable[[float], float]) -> float | None:
        from scipy.optimize import brentq

        if is_unstable(radius(0.0)):
            return 0.0
        for below, above in _steps():
            if is_unstable(radius(above)):
                if radius(below) >= 1.0:  # 1 but for rounding, as without damping and lag
                    return self.dt * below
                return float(self.dt * brentq(lambda eta: radius(eta) - 1.0, below, above, xtol=1e-12))
        return None

    def _without_lag(self) -> np.ndarray:
        return self._matrix(sum(self.stiffness, np.zeros_like(self.mass)), np.zeros_like(self.mass), free=1.0)

    def _per_lag(self) -> list[np.ndarray]:
        """A_j: what a lag of one tick in one actuator adds."""
        return [self._matrix(-each, each, free=0.0) for each in self.stiffness]

    def _matrix(self, of_disp: np.ndarray, of_last: np.ndarray, *, free: float) -> np.ndarray:
        """x_k to x_{k+1} for r_k = of_disp d_k + of_last d_{k-1}; without all other terms if free = 0."""
        n, dt = len(self.mass), self.dt
        one, none = free * np.eye(n), np.zeros((n, n))
        solve = np.linalg.inv(self.mass + 0.5 * dt * self.damping)
        damping = free * self.damping
        accel = -solve @ np.hstack([of_disp, damping, 0.5 * dt * damping, of_last])
        vel = np.hstack([none, one, 0.5 * dt * one, none]) + 0.5 * dt * accel
        disp = np.hstack([one, none, none, none]) + dt * vel + 0.5 * dt**2 * accel
        return np.vstack([disp, vel, accel, np.hstack([one, none, none, none])])


def is_unstable(radius: float) -> bool:
    """Whether something grows from tick to tick."""
    return radius > 1.0 + ROUNDING


def _radius(matrix: np.ndarray) -> float:
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def _steps() -> list[tuple[float, float]]:
    lags = STEP * np.arange(round(MOST / STEP) + 1)
    return list(zip(lags[:-1].tolist(), lags[1:].tolist(), strict=True))
