"""A hybrid test with lagging actuators, written with numpy: Newmark's explicit method, for many lags at once.

Independent of the blocks: drifts and floor displacements by hand, energies from whole histories, the plastic specimen
by its elastic strain. Arrays have the shape (lags,) or (ticks, lags), with a last axis for the floors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

K, UY, DT, G = 10.0, 1.0, 0.01, 386.1


@dataclass
class Histories:
    """Floor displacements, drifts asked for and applied, storey shears, loads of the floors."""

    disp: np.ndarray
    drift: np.ndarray
    applied: np.ndarray
    shear: np.ndarray
    load: np.ndarray

    @property
    def roof(self) -> np.ndarray:
        return self.disp[..., -1]

    def energies(self) -> tuple[np.ndarray, np.ndarray]:
        """Energy error and input energy up to every tick, (ticks, lags)."""
        mid_shear = 0.5 * (self.shear[1:] + self.shear[:-1])
        mid_load = 0.5 * (self.load[1:] + self.load[:-1])
        added = mid_shear * (np.diff(self.drift, axis=0) - np.diff(self.applied, axis=0))
        put_in = mid_load * np.diff(self.disp, axis=0)
        return tuple(
            np.concatenate([np.zeros((1, one.shape[1])), np.cumsum(one.sum(axis=2), axis=0)]) for one in (added, put_in)
        )

    def indicators(self) -> tuple[np.ndarray, np.ndarray]:
        """HSEI_S and HSEI_I at every tick; where growing runs make the input energy negative, as the monitor says."""
        added, put_in = self.energies()
        strain = 0.5 * K * UY**2 * self.disp.shape[-1]
        return added / strain, added / np.maximum(strain + put_in, 0.01 * strain)


def periods_to_matrices(period: float, storeys: int) -> tuple[np.ndarray, np.ndarray]:
    """Mass and damping: equal masses, 5 % in each mode, built from the modes themselves."""
    stiffness = np.array([[K]]) if storeys == 1 else np.array([[2.0 * K, -K], [-K, K]])
    squares, shapes = np.linalg.eigh(stiffness)
    mass = squares[0] * (period / (2.0 * np.pi)) ** 2
    omegas = np.sqrt(squares / mass)
    damping = shapes @ np.diag(2.0 * 0.05 * omegas * mass) @ shapes.T
    return mass * np.eye(storeys), damping


def simulate(
    accel: np.ndarray, period: float, storeys: int, model: str, lags: np.ndarray, noise: np.ndarray | None = None
) -> Histories:
    """Run with a ground acceleration in in/s2 at every tick; `noise` (ticks, storeys) is added to all lags."""
    mass, damping = periods_to_matrices(period, storeys)
    lags = np.asarray(lags, dtype=float)
    shape = (len(accel), len(lags), storeys)
    disp, drift, applied, shear = (np.zeros(shape) for _ in range(4))
    load = np.broadcast_to(-np.diag(mass) * accel[:, None, None], shape)
    solve = np.linalg.inv(mass + 0.5 * DT * damping)
    u, v, a = (np.zeros(shape[1:]) for _ in range(3))
    plastic = np.zeros(shape[1:])
    for i in range(len(accel)):
        disp[i] = u
        drift[i] = np.diff(u, axis=1, prepend=0.0)
        eta = lags[:, None] + (0.0 if noise is None else noise[i])
        applied[i] = drift[i] - eta * (drift[i] - drift[i - 1]) if i else drift[i]
        elastic = applied[i] - plastic
        if model == "elastoplastic":
            excess = np.sign(elastic) * np.maximum(np.abs(elastic) - UY, 0.0)
            plastic += excess
            elastic = elastic - excess
        shear[i] = K * elastic
        restoring = shear[i] - np.concatenate([shear[i, :, 1:], np.zeros((len(lags), 1))], axis=1)
        if i == 0:
            a = (load[i] - restoring - v @ damping.T) @ np.linalg.inv(mass).T
        else:
            predicted = v + 0.5 * DT * a
            a = (load[i] - restoring - predicted @ damping.T) @ solve.T
            v = predicted + 0.5 * DT * a
        u = u + DT * v + 0.5 * DT**2 * a
    return Histories(disp, drift, applied, shear, load)
