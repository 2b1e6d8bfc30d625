"""OSM, alpha-OS and OSM-US step by step, for a restoring force that is any function of the displacements.

    M a_k = (1 + al) n_k - al n_{k-1},    n_k = f_k - C_k v_k - r(d~_k) - K_k (d_k - d~_k)
    d~_k = d_{k-1} + dt v_{k-1} + (1/2 - beta) dt^2 a_{k-1},    v~_k = v_{k-1} + (1 - gamma) dt a_{k-1}
    d_k = d~_k + beta dt^2 a_k,    v_k = v~_k + gamma dt a_k,    beta = (1 - al)^2 / 4,    gamma = 1/2 - al

al = 0 but for alpha-OS. K_k = K0 but for OSM-US, where it is the least change of the last estimate that fits the last m
increments of d~ and r by least squares; K0 again where the displacement turns back. C_k = a M + b K_k for damping that
follows the tangent, a M + b K0 otherwise. As the blocks OS, ALPHA_OS and OSM_US, for specimens that are no block.

Hung & El-Tawil (2009), Eqs. 1-11.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LEAST_SINGULAR_VALUE = 0.01
"""Over the largest: directions that hardly moved say nothing of the stiffness."""


@dataclass(frozen=True, eq=False)
class Stepped:
    """Displacements d_k and the forces measured at the targets, a row for each step."""

    disp: np.ndarray
    force: np.ndarray


def integrate(
    restoring: Callable[[np.ndarray], np.ndarray],
    *,
    mass: np.ndarray,
    stiffness: np.ndarray,
    load: np.ndarray,
    dt: float,
    mass_damping: float = 0.0,
    stiffness_damping: float = 0.0,
    tangent: bool = False,
    tangent_damping: bool = False,
    m: int = 1,
    alpha: float = 0.0,
) -> Stepped:
    """All steps of `load` (a row each), from rest; `tangent` is OSM-US, `alpha` that of alpha-OS."""
    beta, gamma, n = 0.25 * (1.0 - alpha) ** 2, 0.5 - alpha, len(mass)
    d_pred, v_pred, known = np.zeros(n), np.zeros(n), stiffness.copy()
    estimate = TangentEstimate(stiffness, m)
    disps, forces, before = [], [], np.zeros(n)
    for k, f in enumerate(load):
        r = restoring(d_pred)
        if tangent:
            known = estimate.after(d_pred, r)
        c = mass_damping * mass + stiffness_damping * (known if tangent_damping else stiffness)
        if k == 0:
            a, d, v = np.linalg.solve(mass, f - r), d_pred, v_pred
            before = f - r
        else:
            effective = mass + (1.0 + alpha) * (gamma * dt * c + beta * dt * dt * known)
            a = np.linalg.solve(effective, (1.0 + alpha) * (f - r - c @ v_pred) - alpha * before)
            d, v = d_pred + beta * dt * dt * a, v_pred + gamma * dt * a
            before = f - r - c @ v - known @ (d - d_pred)
        disps.append(d)
        forces.append(r)
        d_pred, v_pred = d + dt * v + (0.5 - beta) * dt * dt * a, v + (1.0 - gamma) * dt * a
    return Stepped(np.array(disps), np.array(forces))


class TangentEstimate:
    """The tangent stiffness from the last m increments, reset where the displacement turns back."""

    def __init__(self, first: np.ndarray, m: int) -> None:
        self.first, self.m, self.known = first, m, first.copy()
        self.steps: list[tuple[np.ndarray, np.ndarray]] = []
        self.last: tuple[np.ndarray, np.ndarray] | None = None
        self.turn = np.zeros(len(first))

    def after(self, disp: np.ndarray, force: np.ndarray) -> np.ndarray:
        """The estimate with one more measurement."""
        if self.last is not None and np.abs(disp - self.last[0]).max() > 0.0:
            step, rise = disp - self.last[0], force - self.last[1]
            if step @ (self.last[0] - self.turn) < 0.0:
                self.known, self.steps, self.turn = self.first.copy(), [(step, rise)], self.last[0]
            else:
                self.steps = [*self.steps, (step, rise)][-self.m :]
                s, y = (np.array(part).T for part in zip(*self.steps, strict=True))
                self.known = self.known + (y - self.known @ s) @ np.linalg.pinv(s, rcond=LEAST_SINGULAR_VALUE)
        self.last = (disp, force)
        return self.known
