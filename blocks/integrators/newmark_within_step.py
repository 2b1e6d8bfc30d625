"""Newmark's explicit method among the faster ticks of a command generator: the next target is known within the step.

    (M + h/2 C) a_i = f_i - r_i - C (v_{i-1} + h/2 a_{i-1}),     h = ticks_per_step dt
    v_i     = v_{i-1} + h/2 (a_{i-1} + a_i)
    d_{i+1} = d_i + h v_i + h^2/2 a_i
    a_0     = M^-1 (f_0 - r_0 - C v_0)                           first step, v_0 and d_0 given

At the first tick of step i the block shows d_i, v_{i-1} and a_{i-1} and takes r_i and f_i, as NEWMARK does on a clock
of h. But NEWMARK shows d_{i+1} a whole step later, when its force is wanted, and this block at the next tick already:
the rest of the step is left to lead the actuators there. A COMMANDS block of as many ticks a step follows it with
compute_ticks >= 1, the time that computing takes, and without a lead the loop closes without delay.

EERC Secs. 2.4.1 and 6.3.2, Fig. 6-3 (the integration task of a step, without its random duration).
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

from hybsim.blocks.integrators.newmark_explicit import NewmarkExplicit, advance
from hybsim.kernel import Integer, Params, Prepared, State, kernel


class NewmarkWithinStep(NewmarkExplicit):
    """Structural integrator: a step of Newmark's explicit method every so many ticks."""

    params = Params(**NewmarkExplicit.params, ticks_per_step=Integer("ticks in an integration step", 10, at_least=1))
    state = State(**NewmarkExplicit.state, tick=0.0)
    example = dict(mass=0.25, damping=0.16, ticks_per_step=10)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        prepared = super().prepare(q, q.ticks_per_step * dt)
        return replace(prepared, p={**prepared.p, "ticks": float(q.ticks_per_step)})

    @kernel
    def update(u, x, p):
        if x.tick == 0.0:
            advance(
                u.load, u.force, x.started, x.disp, x.vel, x.accel, p.dt, p.half_dt, p.half_dt2, p.damping_t, p.solve_t,
                p.solve_first_t,
            )  # fmt: skip
            x.started = 1.0
        x.tick = x.tick + 1.0 if x.tick + 1.0 < p.ticks else 0.0
