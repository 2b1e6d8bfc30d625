"""Operator splitting with an updated tangent stiffness (OSM-US).

    M a_k + C_k v_k + r(d~_k) + K_k (d_k - d~_k) = f_k,    C_k = C + b K_k
    d~_k = d_{k-1} + dt v_{k-1} + dt^2/4 a_{k-1}                               target, sent to the specimen
    v~_k = v_{k-1} + dt/2 a_{k-1}
    d_k  = d~_k + dt^2/4 a_k,    v_k = v~_k + dt/2 a_k
    a_0  = M^-1 (f_0 - r_0 - (C + b K0) v_0)                                   first tick

M mass, C `damping`, b `tangent_damping`, r the whole restoring force (from outside), K_k the tangent stiffness
estimated from the increments of target and force up to tick k, K0 `stiffness` its first value. Rules of the estimate:

    memory      least squares over the last `steps` increments (m; one more than the degrees of freedom if not given),
                regularised towards the previous estimate; or Broyden's or the BFGS formula with the last one
    reversal    where the target comes back towards the point of the last reversal, or of the start (its distance from
                there shrinks), K_k is K0 and the older increments are forgotten: unloading starts with K0
    threshold   increments no larger than `threshold` in any degree of freedom are left out; two to three times the
                resolution of the actuator

One reversal for all: meant for structures dominated by their first mode. With `tangent_damping` the stiffness part of
Rayleigh damping follows the tangent, and most of the method's gain for damped structures comes from there: a
reference solution must define its damping in the same way. With b = 0 damping keeps its initial value.

Order 2. For a linear specimen K = K0 it is OS, unconditionally stable; in general stable for omega dt < 2 /
sqrt(1 - K_k/K), and unconditionally where K_k >= K. An estimate too low by noise can be unstable.

Hung & El-Tawil (2009), OSM Eqs. 6-11, corrected: plain least squares, not symmetrised, the least change from the
previous estimate with singular values below 1 % dropped, so that any m >= 1 will do.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.integrators.structure import INS, OUTS, product, structure, subtract_product, transposed
from hybsim.blocks.integrators.system import System, numerical_stiffness
from hybsim.blocks.integrators.tangent_stiffness import bfgs, broyden, least_squares, solve
from hybsim.errors import ParameterError
from hybsim.kernel import Choice, Integer, Params, Prepared, Real, Sampled, State, kernel, zeros

ESTIMATES = ("least_squares", "broyden", "bfgs")


class OSMUS(Sampled):
    """Structural integrator: operator splitting with the tangent stiffness estimated during the test."""

    ins = INS
    outs = OUTS
    params = Params(
        **structure(),
        stiffness=numerical_stiffness(),
        estimate=Choice("how the tangent stiffness is estimated", "least_squares", among=ESTIMATES),
        steps=Integer("increments m that least squares use; None for the degrees of freedom + 1", None, at_least=1,
                      optional=True),
        threshold=Real("largest increment of displacement that is left out", 0.0, at_least=0.0),
        tangent_damping=Real("b in C_k = C + b K_k, in seconds", 0.0, at_least=0.0),
    )  # fmt: skip
    state = State(slot=0.0, started=0.0)
    example = dict(mass=0.25, damping=0.16, stiffness=10.0, steps=2, threshold=0.001)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        n, mass, first = system.dofs, system.mass, system.stiffness
        assert first is not None
        if q.estimate == "bfgs" and not np.allclose(first, first.T, rtol=1e-9, atol=0.0):
            raise ParameterError(
                f"{system.block} cannot estimate by 'bfgs' from an unsymmetric stiffness, got {first.tolist()};"
                " give a symmetric one or estimate by 'least_squares' or 'broyden'."
            )
        damped = mass + 0.5 * dt * system.damping
        of_tangent = 0.25 * dt * dt + 0.5 * dt * q.tangent_damping
        system.inverse(damped + of_tangent * first, "M + dt/2 C + (dt^2/4 + b dt/2) K0", "damping or stiffness")
        memory = n * (n + 1 if q.steps is None else q.steps) if q.estimate == "least_squares" else n
        return Prepared(
            p=dict(
                dt=dt,
                half_dt=0.5 * dt,
                quarter_dt2=0.25 * dt * dt,
                of_tangent=of_tangent,
                tangent_damping=q.tangent_damping,
                threshold=q.threshold,
                damped=damped,
                damping_t=transposed(system.damping),
                first=first.ravel(),
                solve_first_t=transposed(np.linalg.inv(mass)),
            ),
            x=dict(
                disp_pred=system.initial_disp,
                vel_pred=system.initial_vel,
                vel=system.initial_vel,
                accel=np.zeros(n),
                disp_last=system.initial_disp,
                force_last=np.zeros(n),
                turn=system.initial_disp,
                tangent=first.ravel(),
                disp_steps=np.zeros(memory),
                force_steps=np.zeros(memory),
                **cls.state,
            ),
            widths=dict.fromkeys((*INS, *OUTS), n),
            structure=dict(dofs=n, estimate=ESTIMATES.index(q.estimate)),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(p.dofs):
            y.disp_target[i] = x.disp_pred[i]
            y.vel[i] = x.vel[i]
            y.accel[i] = x.accel[i]

    @kernel
    def update(u, x, p):
        step = zeros(p.dofs)
        force_step = zeros(p.dofs)
        largest = 0.0
        forward = 0.0
        for i in range(p.dofs):
            step[i] = x.disp_pred[i] - x.disp_last[i]
            force_step[i] = u.force[i] - x.force_last[i]
            largest = max(largest, abs(step[i]))
            forward = forward + step[i] * (x.disp_last[i] - x.turn[i])
        if x.started > 0.0 and largest > p.threshold:
            if forward < 0.0:
                forget(x.tangent, p.first, x.disp_steps, x.force_steps)
                for i in range(p.dofs):
                    x.turn[i] = x.disp_last[i]
            x.slot = keep(x.disp_steps, x.force_steps, step, force_step, int(x.slot))
            if forward >= 0.0:
                if p.estimate == 0:
                    least_squares(x.tangent, x.disp_steps, x.force_steps, step)
                elif p.estimate == 1:
                    broyden(x.tangent, step, force_step)
                else:
                    bfgs(x.tangent, step, force_step)
        net = zeros(p.dofs)
        for i in range(p.dofs):
            x.disp_last[i] = x.disp_pred[i]
            x.force_last[i] = u.force[i]
            net[i] = u.load[i] - u.force[i]
            for j in range(p.dofs):
                net[i] = net[i] - p.tangent_damping * x.tangent[i * p.dofs + j] * x.vel_pred[j]
        subtract_product(p.damping_t, x.vel_pred, net)
        if x.started > 0.0:
            effective = zeros(p.dofs, p.dofs)
            for i in range(p.dofs):
                for j in range(p.dofs):
                    effective[i, j] = p.damped[i, j] + p.of_tangent * x.tangent[i * p.dofs + j]
            solve(effective, net)
            for i in range(p.dofs):
                x.accel[i] = net[i]
                x.vel[i] = x.vel_pred[i] + p.half_dt * x.accel[i]
                x.disp_pred[i] = x.disp_pred[i] + p.quarter_dt2 * x.accel[i]
        else:
            product(p.solve_first_t, net, x.accel)
            x.started = 1.0
        # disp_pred holds d_k here and is carried on to the predictor of the next step.
        for i in range(p.dofs):
            x.disp_pred[i] = x.disp_pred[i] + p.dt * x.vel[i] + p.quarter_dt2 * x.accel[i]
            x.vel_pred[i] = x.vel[i] + p.half_dt * x.accel[i]


@kernel
def forget(tangent, first, disp_steps, force_steps):
    """Back to the initial stiffness, without a memory."""
    for i in range(len(tangent)):
        tangent[i] = first[i]
    for i in range(len(disp_steps)):
        disp_steps[i] = 0.0
        force_steps[i] = 0.0


@kernel
def keep(disp_steps, force_steps, step, force_step, slot):
    """Store an increment in place of the oldest; gives the place of the next."""
    for i in range(len(step)):
        disp_steps[slot * len(step) + i] = step[i]
        force_steps[slot * len(step) + i] = force_step[i]
    following = slot + 1
    return float(following) if following * len(step) < len(disp_steps) else 0.0
