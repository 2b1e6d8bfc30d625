"""Central difference method, one or several degrees of freedom.

    v_k = (d_{k+1} - d_{k-1}) / (2 dt),    a_k = (d_{k+1} - 2 d_k + d_{k-1}) / dt^2
    M a_k + C v_k + r_k = f_k
    a_0 = M^-1 (f_0 - r_0 - C v_0),    d_{-1} = d_0 - dt v_0 + dt^2/2 a_0          first tick

Solved for the displacement (EERC Eq. 2.5), here in increments s_k = d_k - d_{k-1}, which lose no digits:

    (M + dt/2 C) a_k = f_k - r_k - C s_k / dt,    s_{k+1} = s_k + dt^2 a_k,    d_{k+1} = d_k + s_{k+1}

M mass, C damping, d displacement, v velocity, a acceleration, f load, r restoring force. Order 2; stable for
omega dt <= 2 (EERC Eq. 2.3: dt <= T/pi), whatever the damping. Newmark's explicit method gives the same numbers.
At the first tick vel is v_0 and accel is 0.

Takanashi et al. (1975); EERC Eqs. 2.3-2.5.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.integrators.stability import warn_above_limit
from hybsim.blocks.integrators.structure import Integrator, product, structure, subtract_product, transposed
from hybsim.blocks.integrators.system import System, known_stiffness
from hybsim.kernel import Params, Prepared, State, kernel, zeros

LIMIT = 2.0
"""Highest stable omega dt."""


class CentralDifference(Integrator):
    """Structural integrator: central difference method, the restoring force coming from outside."""

    params = Params(**structure(), stiffness=known_stiffness())
    state = State(started=0.0)
    example = dict(mass=0.25, damping=0.16)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        warn_above_limit(system, LIMIT)
        return system.prepared(
            p=dict(
                dt=dt,
                half_dt=0.5 * dt,
                dt2=dt * dt,
                damping_t=transposed(system.damping),
                solve_t=transposed(system.inverse(system.mass + 0.5 * dt * system.damping, "M + dt/2 C")),
                solve_first_t=transposed(np.linalg.inv(system.mass)),
            ),
            increment=np.zeros(system.dofs),
            **cls.state,
        )

    @kernel
    def update(u, x, p):
        rest = zeros(p.dofs)
        for i in range(p.dofs):
            rest[i] = u.load[i] - u.force[i]
        if x.started > 0.0:
            for i in range(p.dofs):
                x.vel[i] = x.increment[i] / p.dt
            subtract_product(p.damping_t, x.vel, rest)
            product(p.solve_t, rest, x.accel)
            for i in range(p.dofs):
                x.vel[i] = x.vel[i] + p.half_dt * x.accel[i]
        else:
            subtract_product(p.damping_t, x.vel, rest)
            product(p.solve_first_t, rest, x.accel)
            for i in range(p.dofs):
                x.increment[i] = p.dt * (x.vel[i] - p.half_dt * x.accel[i])
            x.started = 1.0
        for i in range(p.dofs):
            x.increment[i] = x.increment[i] + p.dt2 * x.accel[i]
            x.disp[i] = x.disp[i] + x.increment[i]
