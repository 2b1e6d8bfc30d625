"""Every integrator in the diagram of EERC Fig. 3-5, in the place of Newmark's explicit method.

Without lag the response must be that of an oscillator with the frequency and damping that the amplification matrix
gives at omega h and zeta, under the same load, linear between the ticks:

    u'' + 2 zeta' omega' u' + omega'^2 u = (omega'/omega)^2 f / m

With a lag of `mean` steps the specimen returns energy: the energy error is negative.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm

from hybsim.diagrams import fig_3_5
from hybsim.runtime.program import compile
from hybsim.studies.verification.integrators import expected_spectrum
from hybsim.studies.verification.theory import Theory

PERIOD, ZETA, STIFFNESS, STEP, DURATION = 1.0, 0.05, 10.0, 0.01, 20.0


@dataclass(frozen=True)
class DropIn:
    """peak: of the target displacement in inches; difference: root mean square at the ends of
    steps, over that of the oscillator;
    energy_error: at the end with a lag of one step, in kip in."""

    peak: float
    difference: float
    energy_error: float


def oscillator_response(load: np.ndarray, dt: float, omega: float, zeta: float, static: float) -> np.ndarray:
    """Exact displacement from rest for a load linear between samples; `static` is displacement over constant load."""
    # State (u, u', f, change of f in the step): its exponential advances one step exactly.
    rates = np.zeros((4, 4))
    rates[0, 1] = 1.0
    rates[1, :3] = -(omega**2), -2.0 * zeta * omega, omega**2 * static
    rates[2, 3] = 1.0 / dt
    step = expm(rates * dt)
    motion, d = np.zeros(2), np.zeros(len(load))
    for k in range(len(load) - 1):
        motion = step[:2, :2] @ motion + step[:2, 2] * load[k] + step[:2, 3] * (load[k + 1] - load[k])
        d[k + 1] = motion[0]
    return d


def drop_in(theory: Theory) -> DropIn:
    """Fig. 3-5 with this integrator; one with a linear part of its own gets none of it here."""
    dt = STEP / theory.ticks_per_step
    whole = theory.specimen_share == 1.0
    integrator = theory.make if whole else theory.name
    omega = 2.0 * math.pi / PERIOD
    run = {
        mean: compile(
            fig_3_5(
                integrator=integrator, period=PERIOD, damping_ratio=ZETA, stiffness=STIFFNESS,
                mean=mean, variance=0.0, dt=dt,
            )
        ).run(DURATION)
        for mean in (0.0, float(theory.ticks_per_step))
    }  # fmt: skip
    plain, lagging = run.values()
    d = plain["integrator.disp_target"]
    frequency, damping = omega, ZETA
    if whole:
        spectrum = expected_spectrum(theory, omega * STEP, ZETA)
        frequency, damping = omega / (1.0 + spectrum.period_error), spectrum.damping
    true = oscillator_response(plain["load.out"], dt, frequency, damping, 1.0 / STIFFNESS)
    ends = slice(None, None, theory.ticks_per_step)  # in between, the target may be the next one already
    difference = float(np.sqrt(np.mean((d - true)[ends] ** 2) / np.mean(true[ends] ** 2)))
    return DropIn(float(np.abs(d).max()), difference, float(lagging["energy.e_error"][-1]))
