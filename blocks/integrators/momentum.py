"""Momentum form of the equation of motion: forces enter by their time integral, which filters their noise.

    M v + C d + R = F + M v_0 + C d_0,    R = integral of r dt,  F = integral of f dt
    q_{i+1} = q_i + h d_i + h^2/2 v_i,    d_{i+1} = d_i + h/2 (v_i + v_{i+1})          Newmark, beta = 0, gamma = 1/2
    (M + h/2 C) v_{i+1} = F_{i+1} - R_{i+1} + M v_0 + C d_0 - C (d_i + h/2 v_i)

M mass, C damping, d displacement, v velocity, r restoring force, f load, q the integral of d: displacement,
velocity and acceleration of Newmark's explicit method become q, d and v. The first line of Newmark's method says
that within a step the displacement is d_i + v_i tau. That is the target here, and the force measured on the way is
summed at every tick, so for a linear specimen R = K q, as the method asks. A step is `ticks_per_step` ticks,
h = ticks_per_step dt, with the ticks in the middle of their parts of the step:

    target = d_i + (j + 1/2) dt v_i,    R and F grow by dt r and dt f,    j = 0 ... ticks_per_step - 1

Noise in the force is averaged over the ticks of a step. With one tick a step the numbers are those of the central
difference method. The first step starts half a tick before time 0, from a_0 = M^-1 (f_0 - r_0 - C v_0):
v = v_0 - dt/2 a_0, d = d_0 - dt/2 v. `vel` and `accel` are those of the middle of the completed step.

Order 2; stable for omega h <= 2, whatever the damping. From one step to the next the target jumps by h^2/2 a, so
ticks_per_step should be small against the period.

Chang (1998); EERC Eqs. 3.1, 3.2 (in Eq. 3.2 the first two integrals are m u' and c u: the dt there is stray), with
the initial momentum that the integrals leave.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.integrators.stability import warn_above_limit
from hybsim.blocks.integrators.structure import INS, OUTS, product, structure, subtract_product, transposed
from hybsim.blocks.integrators.system import System, add_product, known_stiffness
from hybsim.kernel import Integer, Params, Prepared, Sampled, State, kernel, zeros

LIMIT = 2.0
"""Highest stable omega h."""


class MomentumNewmark(Sampled):
    """Structural integrator: momentum equation of motion, the forces integrated over the ticks of a step."""

    ins = INS
    outs = OUTS
    params = Params(
        **structure(),
        ticks_per_step=Integer("ticks over which the forces are integrated in one step", 1, at_least=1),
        stiffness=known_stiffness(),
    )
    state = State(tick=0.0, started=0.0)
    example = dict(mass=0.25, damping=0.16, ticks_per_step=4)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        step = q.ticks_per_step * dt
        warn_above_limit(system, LIMIT, step=step)
        return system.prepared(
            p=dict(
                dt=dt,
                step=step,
                ticks_per_step=float(q.ticks_per_step),
                mass_t=transposed(system.mass),
                damping_t=transposed(system.damping),
                solve_t=transposed(system.inverse(system.mass + 0.5 * step * system.damping, "M + h/2 C")),
                solve_first_t=transposed(np.linalg.inv(system.mass)),
            ),
            target=system.initial_disp,
            step_vel=np.zeros(system.dofs),
            momentum=np.zeros(system.dofs),
            **cls.state,
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(p.dofs):
            y.disp_target[i] = x.target[i]
            y.vel[i] = x.vel[i]
            y.accel[i] = x.accel[i]

    @kernel
    def update(u, x, p):
        rest = zeros(p.dofs)
        following = zeros(p.dofs)
        if x.started == 0.0:
            for i in range(p.dofs):
                rest[i] = u.load[i] - u.force[i]
            subtract_product(p.damping_t, x.vel, rest)
            product(p.solve_first_t, rest, following)
            for i in range(p.dofs):
                x.step_vel[i] = x.vel[i] - 0.5 * p.dt * following[i]
                x.disp[i] = x.target[i] - 0.5 * p.dt * x.step_vel[i]
            product(p.mass_t, x.step_vel, x.momentum)
            add_product(p.damping_t, x.disp, x.momentum)
            x.started = 1.0
        for i in range(p.dofs):
            x.momentum[i] = x.momentum[i] + p.dt * (u.load[i] - u.force[i])
        x.tick = x.tick + 1.0
        if x.tick >= p.ticks_per_step:
            for i in range(p.dofs):
                rest[i] = x.momentum[i]
                x.disp[i] = x.disp[i] + 0.5 * p.step * x.step_vel[i]
            subtract_product(p.damping_t, x.disp, rest)
            product(p.solve_t, rest, following)
            for i in range(p.dofs):
                x.disp[i] = x.disp[i] + 0.5 * p.step * following[i]
                x.vel[i] = 0.5 * (x.step_vel[i] + following[i])
                x.accel[i] = (following[i] - x.step_vel[i]) / p.step
                x.step_vel[i] = following[i]
            x.tick = 0.0
        for i in range(p.dofs):
            x.target[i] = x.disp[i] + (x.tick + 0.5) * p.dt * x.step_vel[i]
