"""Structures with a delayed specimen: one degree of freedom by its shares, and several at random."""

from __future__ import annotations

import numpy as np

from hybsim.studies.indicators.delayed_system import Actuator, DelayedSystem, modal_damping

ACTUATORS = (None, ([1.0], [0.02, 1.0]), ([1.0], [1e-4, 0.014, 1.0]), ([0.3, 30.0], [1.0, 30.0]))


def one_dof(alpha: float, beta: float, gamma: float, zeta: float, omega: float = 1.0, **options) -> DelayedSystem:
    whole = np.array([1.0, 2.0 * zeta * omega, omega**2])
    numerical = whole * [alpha, beta, gamma]
    return DelayedSystem(*numerical, *(whole - numerical), **options)


def random_system(seed: int) -> DelayedSystem:
    """Two or three floors, one to three actuators of all kinds, some with own delays; the neutral radius below 1."""
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 4))
    stiffness = 400.0 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)) * random.uniform(0.5, 1.5)
    mass = np.diag(random.uniform(0.5, 2.0, n))
    damping = modal_damping(mass, stiffness, random.uniform(0.01, 0.2, n))
    chosen = np.sort(random.choice(n, size=int(random.integers(1, n + 1)), replace=False))
    physical = [np.zeros((n, n)) for _ in range(3)]
    for dof in chosen:
        physical[0][dof, dof] = random.uniform(0.0, 0.35) * mass[dof, dof]
        physical[1][dof, dof] = random.uniform(0.0, 1.0) * damping[dof, dof]
        physical[2][dof, dof] = random.uniform(0.0, 0.7) * stiffness[dof, dof]
    own = random.uniform(0.0, 0.02, len(chosen)) if seed % 3 == 0 else np.zeros(len(chosen))
    actuators = [
        Actuator(int(dof), ACTUATORS[random.integers(len(ACTUATORS))], float(delay))
        for dof, delay in zip(chosen, own, strict=True)
    ]
    return DelayedSystem.partitioned((mass, damping, stiffness), tuple(physical), actuators=actuators)
