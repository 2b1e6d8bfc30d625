"""What an integrator makes of its parameters before the first tick: matrices of one size, inverses, a first state.

All matrices an update needs are formed and inverted here, once; a tick then only multiplies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from hybsim.blocks.integrators.structure import INS, OUTS, as_large_as_mass, one_each
from hybsim.errors import ParameterError
from hybsim.kernel import Matrix, Prepared, kernel


def known_stiffness() -> Matrix:
    """The optional stiffness of a method that needs none, by which its tick can be judged."""
    return Matrix("stiffness of the specimens, only to check dt against the stability limit", None, optional=True)


def numerical_stiffness() -> Matrix:
    """The stiffness of a method that is built on one."""
    return Matrix("initial stiffness K0 of the whole structure, a number or a matrix as large as the mass")


@dataclass(frozen=True)
class System:
    """M, C and, where it was given, K0 of one integrator, n by n each, with its tick."""

    block: str
    dt: float
    mass: np.ndarray
    damping: np.ndarray
    stiffness: np.ndarray | None
    initial_disp: np.ndarray
    initial_vel: np.ndarray

    @classmethod
    def of(cls, block: str, q: SimpleNamespace, dt: float) -> System:
        n = len(q.mass)
        stiffness = getattr(q, "stiffness", None)
        return cls(
            block=block,
            dt=dt,
            mass=q.mass,
            damping=as_large_as_mass(block, "damping", q.damping, n),
            stiffness=None if stiffness is None else as_large_as_mass(block, "stiffness", stiffness, n),
            initial_disp=one_each(block, "initial_disp", q.initial_disp, n),
            initial_vel=one_each(block, "initial_vel", q.initial_vel, n),
        )

    @property
    def dofs(self) -> int:
        return len(self.mass)

    @property
    def k0(self) -> np.ndarray:
        """The stiffness of a method that cannot do without."""
        assert self.stiffness is not None
        return self.stiffness

    def inverse(self, matrix: np.ndarray, formula: str, cause: str = "damping") -> np.ndarray:
        """The inverse of a matrix of the method; `cause` names the parameter to blame if there is none."""
        if np.linalg.cond(matrix) > 1e14:
            raise ParameterError(
                f"{self.block} cannot use this {cause}: {formula} is singular at dt = {self.dt:g} s;"
                f" give a {cause} that is not negative."
            )
        return np.linalg.inv(matrix)

    def frequencies(self) -> np.ndarray:
        """The circular frequencies of the undamped structure, lowest first; unstable modes count as 0."""
        squares = np.linalg.eigvals(np.linalg.solve(self.mass, self.k0)).real
        frequencies: np.ndarray = np.sqrt(np.sort(np.maximum(squares, 0.0)))
        return frequencies

    def prepared(self, p: Mapping[str, Any], **x: Any) -> Prepared:
        """The numbers for the kernels; the state starts with disp, vel and accel of all degrees of freedom."""
        return Prepared(
            p=p,
            x=dict(disp=self.initial_disp, vel=self.initial_vel, accel=np.zeros(self.dofs), **x),
            widths=dict.fromkeys((*INS, *OUTS), self.dofs),
            structure=dict(dofs=self.dofs),
        )


@kernel
def add_product(a_t, b, c):
    """c <- c + A b, for A given transposed."""
    for j in range(len(b)):
        for i in range(len(b)):
            c[i] = c[i] + a_t[j, i] * b[j]
