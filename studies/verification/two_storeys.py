"""Two storeys that yield: every integrator against the same differential equation.

    M a + C v + B^T r = s p sin(w t),    u = B d  (drifts)
    r_i = k_i (u_i + u_y z_i) / 2,    u_y z_i' = u_i' - gamma |u_i'| z_i |z_i| - beta u_i' z_i^2

Half of the initial stiffness K0 = B^T diag(k) B stays linear, so an integrator that treats a linear part of the
structure itself gets that half. The reference is the differential equation, integrated by scipy with an error
control of 1e-10.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from hybsim.runtime.program import compile
from hybsim.studies.verification.theory import Theory
from hybsim.wiring import BDSim

MASS = np.diag([2.0, 1.5])
STOREYS = np.array([900.0, 600.0])
DRIFTS = np.array([[1.0, 0.0], [-1.0, 1.0]])
STIFFNESS = DRIFTS.T @ np.diag(STOREYS) @ DRIFTS
DAMPING = 0.3 * MASS + 0.001 * STIFFNESS
YIELD_DISP, BETA, GAMMA = 0.05, 0.55, 0.45
LOAD, LOAD_SHAPE, LOAD_FREQUENCY = 60.0, np.array([1.0, 0.8]), 1.3
INITIAL_VEL = np.array([0.2, -0.3])
DURATION = 2.0


def diagram(theory: Theory, steps: int) -> Any:
    """The two storeys with one integrator; `steps` steps make up DURATION."""
    bd = BDSim().blockdiagram("two_storeys", dt=DURATION / steps / theory.ticks_per_step)
    inside = theory.specimen_share < 1.0
    structure = theory.make(
        bd,
        mass=MASS,
        damping=DAMPING,
        stiffness=0.5 * STIFFNESS / (1.0 - theory.specimen_share) if inside else STIFFNESS,
        name="structure",
        initial_disp=0.0,
        initial_vel=INITIAL_VEL,
    )
    drifts = bd.GAIN(DRIFTS, premul=True, name="drifts", inputs=[structure.disp_target])
    split = bd.DEMUX(2, name="split", inputs=[drifts])
    columns = [
        bd.BOUCWEN(
            name=f"storey{i + 1}", stiffness=0.5 * k if inside else k, alpha=0.0 if inside else 0.5,
            yield_disp=YIELD_DISP, beta=BETA, gamma=GAMMA, n=2.0, inputs=[split[i]],
        )
        for i, k in enumerate(STOREYS)
    ]  # fmt: skip
    shears = bd.MUX(2, name="shears", inputs=columns)
    forces = bd.GAIN(DRIFTS.T, premul=True, name="forces", inputs=[shears])
    wave = bd.WAVEFORM("sine", freq=LOAD_FREQUENCY, amplitude=LOAD, name="wave")
    load = bd.GAIN(LOAD_SHAPE, name="load", inputs=[wave])
    bd.connect(forces, structure.force)
    bd.connect(load, structure.load)
    return bd


@cache
def reference(steps: int) -> np.ndarray:
    """Displacements at the ends of `steps` equal steps, and at time 0: shape (steps + 1, 2)."""

    def rate(t: float, state: np.ndarray) -> np.ndarray:
        d, v, z = state[:2], state[2:4], state[4:]
        drift_rate = DRIFTS @ v
        shear = 0.5 * STOREYS * (DRIFTS @ d + YIELD_DISP * z)
        load = LOAD_SHAPE * LOAD * math.sin(2.0 * math.pi * LOAD_FREQUENCY * t)
        a = np.linalg.solve(MASS, load - DAMPING @ v - DRIFTS.T @ shear)
        z_rate = (drift_rate - GAMMA * np.abs(drift_rate) * z * np.abs(z) - BETA * drift_rate * z * z) / YIELD_DISP
        return np.concatenate([v, a, z_rate])

    start = np.concatenate([np.zeros(2), INITIAL_VEL, np.zeros(2)])
    times = np.linspace(0.0, DURATION, steps + 1)
    solution = solve_ivp(rate, (0.0, DURATION), start, method="DOP853", t_eval=times, rtol=1e-10, atol=1e-12)
    d: np.ndarray = solution.y[:2].T
    return d


def error(theory: Theory, steps: int) -> float:
    """Root mean square error of both displacements over that of the reference."""
    result = compile(diagram(theory, steps)).run(DURATION)
    d = result["structure.disp_target"][:: theory.ticks_per_step]
    true = reference(steps)
    return float(np.sqrt(np.mean((d - true) ** 2) / np.mean(true**2)))
