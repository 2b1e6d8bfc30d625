"""The four partitions of the benchmark problem in real-time hybrid simulation (2020), as matrices.

    M = m I,    C: modal damping zeta in all three modes,    K as given
    physical part at the first floor: f_e = m_e x_1'' + c_e x_1' + k_e x_1,    numerical part: the rest

    (M - M_e) x'' + (C - C_e) x' + (K - K_e) x = -M 1 x_g'' - f_e(t - tau) e_1

Three-storey frame, one actuator, units kg, m, s. tau is the delay of all of f_e, inertia and damping included. The
critical delays as published are in `CRITICAL_DELAYS`.

Silva, Gomez, Maghareh, Dyke and Spencer, Benchmark control problem for real-time hybrid simulation, Mechanical Systems
and Signal Processing 135 (2020) 106381.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybsim.errors import ParameterError
from hybsim.studies.indicators.delayed_system import DelayedSystem, modal_damping

STIFFNESS = np.array([
    [26054883.8796, -23133938.8771, 5937035.4633],
    [-23133938.8771, 32560774.1864, -14419970.7772],
    [5937035.4633, -14419970.7772, 9267275.5062],
])  # fmt: skip
"""K of the frame in N/m."""

FLOOR_MASS = {1: 1000.0, 2: 1100.0, 3: 1300.0, 4: 1000.0}
"""m in kg, by case."""

DAMPING_RATIO = {1: 0.05, 2: 0.04, 3: 0.03, 4: 0.03}

CRITICAL_DELAYS = {1: 0.01464, 2: 0.01222, 3: 0.00992, 4: 0.00873}
"""As published, in s."""

SPECIMEN = (29.13, 114.22, 1.19e6)
"""m_e in kg, c_e in N s/m, k_e in N/m."""


def benchmark(case: int, *, actuators: Sequence[Any] | None = None) -> DelayedSystem:
    """A partition of the benchmark, 1 to 4.

    >>> [round(1000.0 * benchmark(case).critical_delay(), 2) for case in FLOOR_MASS]
    [14.64, 12.22, 9.92, 8.73]
    """
    if case not in FLOOR_MASS:
        raise ParameterError(f"The benchmark has the partitions 1 to 4, got {case!r}.")
    mass = FLOOR_MASS[case] * np.eye(3)
    first = np.diag([1.0, 0.0, 0.0])
    structure = mass, modal_damping(mass, STIFFNESS, DAMPING_RATIO[case]), STIFFNESS
    m_e, c_e, k_e = (value * first for value in SPECIMEN)
    return DelayedSystem.partitioned(structure, (m_e, c_e, k_e), actuators=actuators)
