"""The exact response of the two-degree-of-freedom column to a record that runs straight between its samples.

    q'' + 2 zeta w q' + w^2 q = -L (a + b s),      L = phi^T M 1,     0 <= s <= length of the piece
    q(s) = A + B s + exp(-zeta w s) (c1 cos w_d s + c2 sin w_d s),    w_d = w sqrt(1 - zeta^2)
    B = -L b / w^2,    A = -(L a + 2 zeta w B) / w^2,    c1 = q_0 - A,    c2 = (q'_0 - B + zeta w c1) / w_d

Mode by mode and piece by piece (Nigam & Jennings 1969), in closed form: no step of integration, no actuator, and none
of hybsim's integrators. Pieces end at the record's samples and at the times that are asked for.
"""

from __future__ import annotations

import math

import numpy as np

from hybsim.blocks.sources.records import Record
from hybsim.diagrams.fht_column import MASS, G, modes


def exact(times: np.ndarray, *, record: Record, pga: float, damping: float) -> np.ndarray:
    """Displacements of both storeys in inches at rising times from 0 on, a row for each; `pga` in g."""
    samples = record.dt * np.arange(len(record.accel))
    inner = samples[(samples > 0.0) & (samples < times[-1])]
    knots = np.union1d(np.concatenate([[0.0], times]), inner)
    knots = knots[np.concatenate([[True], np.diff(knots) > 1e-9])]  # a sample and a time that differ by rounding
    ground = G * pga / record.pga * np.interp(knots, samples, record.accel, right=0.0)
    omegas, shapes = modes()
    disp = np.zeros((len(times), 2))
    for omega, shape in zip(omegas, shapes.T, strict=True):
        load = -float(shape @ MASS @ np.ones(2)) * ground
        disp += np.outer(np.interp(times, knots, _mode(knots, load, float(omega), damping)), shape)
    return disp


def _mode(knots: np.ndarray, load: np.ndarray, omega: float, damping: float) -> np.ndarray:
    """The modal coordinate at the knots, from rest."""
    rate = damping * omega
    omega_d = omega * math.sqrt(1.0 - damping**2)
    found = np.zeros(len(knots))
    q = velocity = 0.0
    for i, length in enumerate(np.diff(knots).tolist()):
        slope = (load[i + 1] - load[i]) / length / omega**2
        level = load[i] / omega**2 - 2.0 * damping * slope / omega
        c1 = q - level
        c2 = (velocity - slope + rate * c1) / omega_d
        fade = math.exp(-rate * length)
        cosine, sine = fade * math.cos(omega_d * length), fade * math.sin(omega_d * length)
        q = level + slope * length + c1 * cosine + c2 * sine
        velocity = slope + (c2 * omega_d - rate * c1) * cosine - (c1 * omega_d + rate * c2) * sine
        found[i + 1] = q
    return found
