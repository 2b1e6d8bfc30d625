"""Chen and Ricles' unconditionally stable explicit method (CR): displacement and velocity both explicit.

    M a_k + C v_k + r_k = f_k
    v_{k+1} = v_k + dt alpha a_k
    d_{k+1} = d_k + dt v_k + dt^2 alpha a_k,    alpha = 4 (4 M + 2 dt C + dt^2 K0)^-1 M
    a_0 = M^-1 (f_0 - r_0 - C v_0),  v_1 = v_0 + dt/2 alpha a_0,  d_1 = d_0 + dt v_1          first tick

M mass, C damping, K0 initial stiffness, d displacement, v velocity, a acceleration, f load, r restoring force.
Order 2 in the displacement; for a linear structure it has the characteristic equation of the constant average
acceleration method, so it is stable for any omega dt, without numerical damping. A structure that hardens to
K = s K0, s > 1, limits it to omega_0 dt <= 2 / sqrt(s - 1), omega_0 that of K0.

As d_k - d_{k-1} = dt v_k, the velocity of the method is that of half a tick earlier: `vel` is exact to order 1
only, and a start with the full first step, as published, makes the displacement order 1 and overshoot up to
three times wherever a_0 is not 0. The first step here is the half one; from rest without load both are the same.

Chen and Ricles (2008), J. Eng. Mech. 134(8):676-683; first step corrected as said.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.integrators.structure import Integrator, product, structure, subtract_product, transposed
from hybsim.blocks.integrators.system import System, numerical_stiffness
from hybsim.kernel import Params, Prepared, State, kernel, zeros


class CRExplicit(Integrator):
    """Structural integrator: CR method, fully explicit, stable for any tick unless the structure hardens."""

    params = Params(**structure(), stiffness=numerical_stiffness())
    state = State(started=0.0)
    example = dict(mass=0.25, damping=0.16, stiffness=10.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        effective = 4.0 * system.mass + 2.0 * dt * system.damping + dt**2 * system.k0
        alpha = 4.0 * system.inverse(effective, "4 M + 2 dt C + dt^2 K0", "stiffness") @ system.mass
        return system.prepared(
            p=dict(
                dt=dt,
                change_t=transposed(dt * alpha),
                damping_t=transposed(system.damping),
                solve_t=transposed(np.linalg.inv(system.mass)),
            ),
            vel_change=np.zeros(system.dofs),
            **cls.state,
        )

    @kernel
    def update(u, x, p):
        rest = zeros(p.dofs)
        for i in range(p.dofs):
            x.vel[i] = x.vel[i] + x.vel_change[i]
            rest[i] = u.load[i] - u.force[i]
        subtract_product(p.damping_t, x.vel, rest)
        product(p.solve_t, rest, x.accel)
        product(p.change_t, x.accel, x.vel_change)
        if x.started == 0.0:
            for i in range(p.dofs):
                x.vel_change[i] = 0.5 * x.vel_change[i]
            x.started = 1.0
        for i in range(p.dofs):
            x.disp[i] = x.disp[i] + p.dt * (x.vel[i] + x.vel_change[i])
