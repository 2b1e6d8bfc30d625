"""What the laboratory measured on the two-storey frame, and what follows from it: EERC Tables 7-1 and 7-3.

    peak of an actuator = stroke (error over stroke) / (error over peak)                from the two halves of Table 7-1

The report prints no peak displacements, but Table 7-1 gives each largest error over the stroke and over the peak: their
quotient is the peak, within the rounding of both.

    residual lag = -(E^error / E^vis) (2 zeta / omega_1)                                from Table 7-3

A force that is late by tau, of storeys of stiffness k, does the work -k tau times the integral of the squared drift
velocity on the structure, and damping of 2 zeta / omega_1 times the stiffness takes its own share of the same integral,
in every mode. So the ratio of the two energies is the lag, whatever the motion, as long as the storeys are linear.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.diagrams.eerc_chapter6 import DAMPING_RATIO, TIME_SCALE, cosine_pulse, frame_matrices

STROKE = 3.0
"""Displacement capacity of the test setup in inches."""

HALF_DIGIT = 0.5e-4
"""Table 7-1 has four decimals."""


@dataclass(frozen=True)
class Measured:
    """The row of a test in Table 7-3 (kip in, signs as corrected) and in Table 7-1 (actuators 1 and 2)."""

    error: float
    hysteretic: float
    viscous: float
    work_input: float
    over_stroke: tuple[float, float]
    over_peak: tuple[float, float]

    def peak(self, actuator: int) -> tuple[float, float, float]:
        """The largest displacement of an actuator in inches, with its least and largest value."""
        a, b = self.over_stroke[actuator], self.over_peak[actuator]
        return (
            STROKE * a / b,
            STROKE * (a - HALF_DIGIT) / (b + HALF_DIGIT),
            STROKE * (a + HALF_DIGIT) / (b - HALF_DIGIT),
        )

    @property
    def residual_lag(self) -> float:
        """Seconds in the laboratory by which the forces were late, as the energies say."""
        return -self.error / self.viscous * damping_time() * TIME_SCALE


@dataclass(frozen=True, eq=False)
class LaboratoryTest:
    """One of the three tests.

    linear  stiffnesses of the linear columns that the document compares with (Secs. 7.3.2 and 7.3.3)
    """

    name: str
    title: str
    figure: str
    duration: float
    motion: dict[str, Any]
    measured: Measured
    linear: tuple[float, float] | None = None


TESTS = (
    LaboratoryTest(
        "pulse", "Cosine Pulse", "7-8", 10.0, dict(record=cosine_pulse(), pga=None, record_time_scale=1.0),
        Measured(-0.0381, 0.442, 2.38, 2.82, (0.0006, 0.0007), (0.0035, 0.0070)), (2.81, 2.82),
    ),
    LaboratoryTest(
        "tabas_50", "Tabas-50%", "7-9", 30.0, dict(pga=0.378),
        Measured(-0.0760, 0.542, 5.15, 5.70, (0.0006, 0.0007), (0.0049, 0.0093)), (2.80, 2.82),
    ),
    LaboratoryTest(
        "tabas_150", "Tabas-150%", "7-10", 30.0, dict(pga=1.133),
        Measured(-0.3999, 38.06, 32.69, 70.77, (0.0017, 0.0010), (0.0026, 0.0052)),
    ),
)  # fmt: skip
"""As corrected: the energy errors are E^E - E^BE, and the pulse's is 1.35 % of its input energy."""


def damping_time() -> float:
    """2 zeta / omega_1 in seconds: the damping matrix over the stiffness matrix."""
    mass, _, stiffness = frame_matrices()
    lowest = float(np.linalg.eigvalsh(np.linalg.solve(mass, stiffness))[0])
    return 2.0 * DAMPING_RATIO / math.sqrt(lowest)


def residual_lag() -> float:
    """The lag that prediction left over, in seconds in the laboratory: the mean of the two elastic tests."""
    return float(np.mean([test.measured.residual_lag for test in TESTS if test.linear]))
