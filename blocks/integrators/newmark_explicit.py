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

from hybsim.blocks.integrators.stability import warn_above_limit
from hybsim.blocks.integrators.structure import Integrator, product, structure, subtract_product, transposed
from hybsim.blocks.integrators.system import System, known_stiffness
from hybsim.kernel import Params, Prepared, State, kernel, zeros

LIMIT = 2.0
"""Highest stable omega dt."""


class NewmarkExplicit(Integrator):
    """Structural integrator: Newmark's explicit method, the restoring force coming from outside."""

    params = Params(**structure(), stiffness=known_stiffness())
    state = State(started=0.0)
    example = dict(mass=0.25, damping=0.16)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        warn_above_limit(system, LIMIT)
        effective = system.mass + 0.5 * dt * system.damping
        return system.prepared(
            p=dict(
                dt=dt,
                half_dt=0.5 * dt,
                half_dt2=0.5 * dt * dt,
                damping_t=transposed(system.damping),
                solve_t=transposed(system.inverse(effective, "M + dt/2 C")),
                solve_first_t=transposed(np.linalg.inv(system.mass)),
            ),
            **cls.state,
        )

    @kernel
    def update(u, x, p):
        advance(
            u.load, u.force, x.started, x.disp, x.vel, x.accel, p.dt, p.half_dt, p.half_dt2, p.damping_t, p.solve_t,
            p.solve_first_t,
        )  # fmt: skip
        x.started = 1.0


@kernel
def advance(load, force, started, disp, vel, accel, dt, half_dt, half_dt2, damping_t, solve_t, solve_first_t):
    """Acceleration and velocity of the step whose force is known, and the next target; `started` is 0 at first."""
    rest = zeros(len(disp))
    for i in range(len(disp)):
        vel[i] = vel[i] + half_dt * accel[i]
        rest[i] = load[i] - force[i]
    subtract_product(damping_t, vel, rest)
    if started > 0.0:
        product(solve_t, rest, accel)
        for i in range(len(disp)):
            vel[i] = vel[i] + half_dt * accel[i]
    else:
        product(solve_first_t, rest, accel)
    for i in range(len(disp)):
        disp[i] = disp[i] + dt * vel[i] + half_dt2 * accel[i]
