"""Chang's unconditionally stable explicit method.

    M a_k + C v_k + r_k = f_k
    v_k     = v_{k-1} + dt/2 (a_{k-1} + a_k)
    d_{k+1} = d_k + beta_1 dt v_k + beta_2 dt^2 a_k
    beta_1  = Z^-1 (M + dt/2 C),    beta_2 = Z^-1 M / 2,    Z = M + dt/2 C + dt^2/4 K0
    a_0     = M^-1 (f_0 - r_0 - C v_0)                       first tick

M mass, C damping, K0 initial stiffness, d displacement, v velocity, a acceleration, f load, r restoring force.
Order 2; for a linear structure it has the characteristic equation of the constant average acceleration method, so
it is stable for any omega dt, without numerical damping. That holds only if the structure does not harden: for a
stiffness K = s K0 with s > 1 the limit is omega_0 dt <= 2 / sqrt(s - 1), omega_0 that of K0. Give K0 not too small.

Chang (2002); EERC Eqs. 2.15-2.19 (the capital I of Eq. 2.19 standing alone is the number 1), with the hardening
limit added.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.integrators.structure import Integrator, product, structure, subtract_product, transposed
from hybsim.blocks.integrators.system import System, add_product, numerical_stiffness
from hybsim.kernel import Params, Prepared, State, kernel, zeros


class ChangExplicit(Integrator):
    """Structural integrator: Chang's explicit method, stable for any tick unless the structure hardens."""

    params = Params(**structure(), stiffness=numerical_stiffness())
    state = State(started=0.0)
    example = dict(mass=0.25, damping=0.16, stiffness=10.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        damped = system.mass + 0.5 * dt * system.damping
        stiff = system.inverse(damped + 0.25 * dt**2 * system.k0, "M + dt/2 C + dt^2/4 K0", "stiffness")
        return system.prepared(
            p=dict(
                half_dt=0.5 * dt,
                vel_part_t=transposed(dt * stiff @ damped),
                accel_part_t=transposed(0.5 * dt**2 * stiff @ system.mass),
                damping_t=transposed(system.damping),
                solve_t=transposed(system.inverse(damped, "M + dt/2 C")),
                solve_first_t=transposed(np.linalg.inv(system.mass)),
            ),
            **cls.state,
        )

    @kernel
    def update(u, x, p):
        rest = zeros(p.dofs)
        for i in range(p.dofs):
            x.vel[i] = x.vel[i] + p.half_dt * x.accel[i]
            rest[i] = u.load[i] - u.force[i]
        subtract_product(p.damping_t, x.vel, rest)
        if x.started > 0.0:
            product(p.solve_t, rest, x.accel)
            for i in range(p.dofs):
                x.vel[i] = x.vel[i] + p.half_dt * x.accel[i]
        else:
            product(p.solve_first_t, rest, x.accel)
            x.started = 1.0
        add_product(p.vel_part_t, x.vel, x.disp)
        add_product(p.accel_part_t, x.accel, x.disp)
