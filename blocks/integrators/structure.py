"""What all structural integrators share: ports, parameters and the equation they solve.

    M a + C v + r(d) = f

M mass, C damping, r restoring force of the specimens (from outside), f load. At tick k an integrator publishes the
target displacement d_k, and velocity and acceleration of the completed step, all from its state; it takes r_k and
f_k afterwards. So it may stand in a loop with a specimen, and any integrator can replace another.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hybsim.errors import ParameterError
from hybsim.kernel import Matrix, Param, Ports, Sampled, Vector, kernel

INS = Ports(force="restoring force r_k at the target displacement", load="external load f_k")
OUTS = Ports(
    disp_target="target displacement d_k",
    vel="velocity of the completed step",
    accel="acceleration of the completed step",
)


class Integrator(Sampled):
    """A structural integrator whose state holds the target displacement and the completed step."""

    ins = INS
    outs = OUTS

    @kernel
    def outputs(u, x, p, y):
        for i in range(p.dofs):
            y.disp_target[i] = x.disp[i]
            y.vel[i] = x.vel[i]
            y.accel[i] = x.accel[i]


class MassMatrix(Matrix):
    """A positive number or a symmetric positive definite matrix."""

    def check(self, value: Any) -> np.ndarray | None:
        mass = super().check(value)
        assert mass is not None
        if not np.allclose(mass, mass.T, rtol=1e-9, atol=0.0):
            raise ValueError(f"must be symmetric, got {mass.tolist()}")
        lowest = float(np.linalg.eigvalsh(mass)[0])
        if lowest <= 0.0:
            what = f"got {mass[0, 0]:g}" if mass.size == 1 else f"its lowest eigenvalue is {lowest:g}"
            raise ValueError(
                f"must be positive definite, {what}; give every degree of freedom a mass or condense it out"
            )
        return mass


def structure() -> dict[str, Param]:
    """The parameters every integrator has."""
    return dict(
        mass=MassMatrix("mass M: a number, or a matrix for several degrees of freedom"),
        damping=Matrix("viscous damping C: a number or a matrix as large as the mass; 0 for none", 0.0),
        initial_disp=Vector("displacement d_0: one number for all degrees of freedom or one each", 0.0),
        initial_vel=Vector("velocity v_0: one number for all degrees of freedom or one each", 0.0),
    )


def as_large_as_mass(block: str, name: str, matrix: np.ndarray, n: int) -> np.ndarray:
    """A matrix of the size of the mass; a single 0 stands for none at all."""
    if len(matrix) == n:
        return matrix
    if matrix.size == 1 and matrix[0, 0] == 0.0:
        return np.zeros((n, n))
    raise ParameterError(
        f"{block} has a mass of {n} x {n} and a {name} of {len(matrix)} x {len(matrix)};"
        f" give a {name} of {n} x {n}, or 0 for none."
    )


def one_each(block: str, name: str, values: np.ndarray, n: int) -> np.ndarray:
    """A vector with one value for each degree of freedom."""
    if len(values) not in (1, n):
        raise ParameterError(
            f"{block} has {n} degrees of freedom and {len(values)} values of {name}; give one number, or {n}."
        )
    return np.full(n, values[0]) if len(values) == 1 else values


def transposed(matrix: np.ndarray) -> np.ndarray:
    """As `product` wants it: the products then run along contiguous rows, which the compiler can vectorise."""
    return np.ascontiguousarray(matrix.T)


@kernel
def product(a_t, b, c):
    """c = A b, for A given transposed."""
    for i in range(len(b)):
        c[i] = a_t[0, i] * b[0]
    for j in range(1, len(b)):
        for i in range(len(b)):
            c[i] = c[i] + a_t[j, i] * b[j]


@kernel
def subtract_product(a_t, b, c):
    """c <- c - A b, for A given transposed."""
    for j in range(len(b)):
        for i in range(len(b)):
            c[i] = c[i] - a_t[j, i] * b[j]
