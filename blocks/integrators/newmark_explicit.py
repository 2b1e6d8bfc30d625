"""Newmark's explicit method (beta = 0, gamma = 1/2), one or several degrees of freedom.

    (M + dt/2 C) a_k = f_k - r_k - C (v_{k-1} + dt/2 a_{k-1})
    v_k     = v_{k-1} + dt/2 (a_{k-1} + a_k)
    d_{k+1} = d_k + dt v_k + dt^2/2 a_k
    a_0     = M^-1 (f_0 - r_0 - C v_0)                       first tick, v_0 and d_0 given

M mass, C damping, d displacement, v velocity, a acceleration, f load, r restoring force. Order 2; stable for
omega dt < 2 (EERC Eq. 2.3: dt <= T/pi), whatever the damping; numerically the central difference method.

At tick k the block publishes the target d_k, and v_{k-1}, a_{k-1} of the completed step, all from its state:
it needs r_k only afterwards, so it may stand in a loop with a specimen. At the first tick vel is v_0 and
accel is 0.

Newmark (1959); EERC Eqs. 2.6-2.8, Eq. 2.6 corrected: the restoring force is r_{i+1}, not r_i.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.integrators.structure import (
    INS,
    OUTS,
    as_large_as_mass,
    one_each,
    product,
    structure,
    subtract_product,
    transposed,
)
from hybsim.errors import ParameterError
from hybsim.kernel import Params, Prepared, Sampled, State, kernel, zeros


class NewmarkExplicit(Sampled):
    """Structural integrator: Newmark's explicit method, the restoring force coming from outside."""

    ins = INS
    outs = OUTS
    params = Params(**structure())
    state = State(started=0.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        mass, n, name = q.mass, len(q.mass), cls.__name__
        damping = as_large_as_mass(name, "damping", q.damping, n)
        effective = mass + 0.5 * dt * damping
        if np.linalg.cond(effective) > 1e14:
            raise ParameterError(
                f"{name} cannot use this damping: M + dt/2 C is singular at dt = {dt:g} s;"
                " give a damping that dissipates."
            )
        return Prepared(
            p=dict(
                dt=dt,
                half_dt=0.5 * dt,
                half_dt2=0.5 * dt * dt,
                damping_t=transposed(damping),
                solve_t=transposed(np.linalg.inv(effective)),
                solve_first_t=transposed(np.linalg.inv(mass)),
            ),
            x=dict(
                disp=one_each(name, "initial_disp", q.initial_disp, n),
                vel=one_each(name, "initial_vel", q.initial_vel, n),
                accel=np.zeros(n),
                **cls.state,
            ),
            widths=dict.fromkeys((*cls.ins, *cls.outs), n),
            structure=dict(dofs=n),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(p.dofs):
            y.disp_target[i] = x.disp[i]
            y.vel[i] = x.vel[i]
            y.accel[i] = x.accel[i]

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
        for i in range(p.dofs):
            x.disp[i] = x.disp[i] + p.dt * x.vel[i] + p.half_dt2 * x.accel[i]
