"""Chang's gamma-function method: explicit, with numerical damping chosen as a power series in frequency.

    M a_k + C v_k + r_k = f_k
    v_k     = v_{k-1} + dt ((I - gamma) a_{k-1} + gamma a_k)
    d_{k+1} = d_k + dt v_k + dt^2/2 a_k
    gamma   = I/2 + sum_j c_j (dt^2 M^-1 K0)^j,    j = 1, 2, ...
    a_0     = M^-1 (f_0 - r_0 - C v_0)                       first tick

M mass, C damping, K0 initial stiffness, d displacement, v velocity, a acceleration, f load, r restoring force.
With W = omega dt a mode gets the numerical damping ratio (c_1 W^3 + c_2 W^5 + ...) / 2, to first order: the low
modes stay almost free of it, and the order is 2. Stable for W^2 (1/2 + c_1 W^2 + c_2 W^4 + ...) <= 2; for c_1
alone W^2 <= (sqrt(1 + 32 c_1) - 1) / (4 c_1). Viscous damping raises the limit.

Chang (1997); EERC Eqs. 2.12-2.14 with Eq. 2.6 corrected: the restoring force is r_{i+1}, not r_i.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from hybsim.blocks.integrators.stability import warn_above_limit
from hybsim.blocks.integrators.structure import Integrator, product, structure, subtract_product, transposed
from hybsim.blocks.integrators.system import System, add_product, numerical_stiffness
from hybsim.errors import ParameterError
from hybsim.kernel import Params, Prepared, State, Vector, kernel, zeros


def stability_limit(coefficients: np.ndarray) -> float:
    """Highest omega dt up to which W^2 (1/2 + c_1 W^2 + ...) stays at most 2; infinite if it never reaches 2."""
    in_square = np.roots([*coefficients[::-1], 0.5, -2.0])  # a polynomial in W^2, highest power first
    reached = [z.real for z in in_square if z.real > 0.0 and abs(z.imag) < 1e-9 * abs(z)]
    return math.sqrt(min(reached)) if reached else math.inf


def gamma_matrix(coefficients: np.ndarray, square: np.ndarray) -> np.ndarray:
    """I/2 + sum_j c_j square^j."""
    gamma, power = 0.5 * np.eye(len(square)), np.eye(len(square))
    for c in coefficients:
        power = power @ square
        gamma = gamma + c * power
    return gamma


class GammaFunction(Integrator):
    """Structural integrator: gamma-function method, explicit with damping that leaves the low modes alone."""

    params = Params(
        **structure(),
        stiffness=numerical_stiffness(),
        coefficients=Vector("c_1, c_2, ...: c_j adds c_j (omega dt)^(2j+1) / 2 to the damping ratio"),
    )
    state = State(started=0.0)
    example = dict(mass=0.25, damping=0.16, stiffness=10.0, coefficients=[0.05, 0.02])

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        if (q.coefficients < 0.0).any():
            raise ParameterError(
                f"{cls.__name__} needs coefficients of at least 0, got {q.coefficients.tolist()}:"
                " a negative one makes modes grow."
            )
        warn_above_limit(system, stability_limit(q.coefficients))
        gamma = gamma_matrix(q.coefficients, dt**2 * np.linalg.solve(system.mass, system.k0))
        effective = system.mass + dt * system.damping @ gamma
        return system.prepared(
            p=dict(
                dt=dt,
                half_dt=0.5 * dt,
                old_t=transposed(dt * (np.eye(system.dofs) - gamma)),
                new_t=transposed(dt * gamma),
                damping_t=transposed(system.damping),
                solve_t=transposed(system.inverse(effective, "M + dt C gamma")),
                solve_first_t=transposed(np.linalg.inv(system.mass)),
            ),
            **cls.state,
        )

    @kernel
    def update(u, x, p):
        rest = zeros(p.dofs)
        add_product(p.old_t, x.accel, x.vel)
        for i in range(p.dofs):
            rest[i] = u.load[i] - u.force[i]
        subtract_product(p.damping_t, x.vel, rest)
        if x.started > 0.0:
            product(p.solve_t, rest, x.accel)
            add_product(p.new_t, x.accel, x.vel)
        else:
            product(p.solve_first_t, rest, x.accel)
            x.started = 1.0
        for i in range(p.dofs):
            x.disp[i] = x.disp[i] + p.dt * (x.vel[i] + p.half_dt * x.accel[i])
