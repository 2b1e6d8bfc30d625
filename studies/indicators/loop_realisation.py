"""The loop of a test as a state space: numerical part, actuators, delays.

    L(s) = A(s) exp(-s tau) S^T Z_n(s)^-1 Z_p(s) S = C (s I - A)^-1 B + D,        det D(s) = det Z_n(s) det(I + L(s))

Z_n^-1 Z_p = D_inf + (what is left), D_inf = M_n^-1 M_p, in which

    y' = w - M_n^-1 C_n y + M_n^-1 (C_p - C_n D_inf) u
    w' =   - M_n^-1 K_n y + M_n^-1 (K_p - K_n D_inf) u,        x = y + D_inf u

A delay of d is held at Chebyshev points of the last d seconds; what moves along them is their polynomial's derivative,

    z_i' = sum_j E_ij z_j,    z_0 = input now,    z_N = input d ago,

which is exact for all frequencies that the points resolve (Breda, Maset and Vermiglio 2005).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hybsim.blocks.actuators.linear_system import LinearSystem

if TYPE_CHECKING:
    from hybsim.studies.indicators.delayed_system import DelayedSystem


@dataclass(frozen=True)
class StateSpace:
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    d: np.ndarray

    def after(self, first: StateSpace) -> StateSpace:
        """This system behind another."""
        a = np.block([[first.a, np.zeros((len(first.a), len(self.a)))], [self.b @ first.c, self.a]])
        b = np.vstack([first.b, self.b @ first.d])
        return StateSpace(a, b, np.hstack([self.d @ first.c, self.c]), self.d @ first.d)

    def beside(self, other: StateSpace) -> StateSpace:
        """This system and another, each with its own inputs and outputs."""
        from scipy.linalg import block_diag

        # block_diag would give a system without states a row of its own.
        a = np.zeros((len(self.a) + len(other.a),) * 2)
        a[: len(self.a), : len(self.a)], a[len(self.a) :, len(self.a) :] = self.a, other.a
        b = np.zeros((len(a), self.b.shape[1] + other.b.shape[1]))
        b[: len(self.a), : self.b.shape[1]], b[len(self.a) :, self.b.shape[1] :] = self.b, other.b
        c = np.zeros((len(self.c) + len(other.c), len(a)))
        c[: len(self.c), : len(self.a)], c[len(self.c) :, len(self.a) :] = self.c, other.c
        return StateSpace(a, b, c, block_diag(self.d, other.d))

    def closed(self) -> np.ndarray:
        """The state matrix with the output, its sign changed, as the input."""
        return np.asarray(self.a - self.b @ np.linalg.solve(np.eye(len(self.d)) + self.d, self.c))


def loop_without_delays(system: DelayedSystem) -> StateSpace:
    """L(s) with the delays left out: numerical part and actuators."""
    loop = _numerical(system)
    if not system.paths:
        return loop
    return _side_by_side([_actuator(path.system) for path in system.paths]).after(loop)


def loop_with_delays(system: DelayedSystem, tau: float, highest: float) -> StateSpace:
    """L(s) with its delays resolved up to the frequency `highest` in rad/s."""
    parts = []
    for path in system.paths:
        part, delay = _actuator(path.system), path.delay + tau
        parts.append(_late(delay, highest).after(part) if delay > 0.0 else part)
    return _side_by_side(parts).after(_numerical(system)) if parts else _numerical(system)


def _numerical(system: DelayedSystem) -> StateSpace:
    """u = displacements of the specimen, y = S^T Z_n^-1 Z_p u."""
    dofs, at = system.dofs, system.at
    through = np.linalg.solve(system.mn, system.mp[:, at])
    damping, stiffness = np.linalg.solve(system.mn, system.cn), np.linalg.solve(system.mn, system.kn)
    of_rate = np.linalg.solve(system.mn, system.cp[:, at]) - damping @ through
    of_disp = np.linalg.solve(system.mn, system.kp[:, at]) - stiffness @ through
    a = np.block([[-damping, np.eye(dofs)], [-stiffness, np.zeros((dofs, dofs))]])
    pick = np.eye(dofs)[at]
    return StateSpace(a, np.vstack([of_rate, of_disp]), np.hstack([pick, np.zeros_like(pick)]), pick @ through)


def _actuator(system: LinearSystem) -> StateSpace:
    return StateSpace(system.a, system.b, system.c, system.d)


def _side_by_side(parts: list[StateSpace]) -> StateSpace:
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.beside(part)
    return whole


def _late(delay: float, highest: float) -> StateSpace:
    """A delay, on enough points for the frequencies up to `highest`."""
    points = 16 + math.ceil(1.2 * delay * highest)
    rate = 2.0 / delay * chebyshev_derivative(points)
    last = np.zeros((1, points))
    last[0, -1] = 1.0
    return StateSpace(rate[1:, 1:], rate[1:, :1], last, np.zeros((1, 1)))


def chebyshev_derivative(intervals: int) -> np.ndarray:
    """The matrix that takes values at cos(j pi / n), j = 0..n, to the derivatives of their polynomial there."""
    j = np.arange(intervals + 1)
    x = np.cos(j * math.pi / intervals)
    weight = np.where((j == 0) | (j == intervals), 2.0, 1.0) * (-1.0) ** j
    matrix = np.outer(weight, 1.0 / weight) / (x[:, None] - x[None, :] + np.eye(intervals + 1))
    return np.asarray(matrix - np.diag(matrix.sum(axis=1)))
