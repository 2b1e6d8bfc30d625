"""The alpha-method of the Fast Hybrid Test: a fixed number of iterations while the actuator moves.

    M a_{i+1} = (1 + alpha) n_{i+1} - alpha n_i,    n_i = f_i - C v_i - r_i              h = ticks_per_step dt
    d_{i+1} = d_i + h v_i + h^2 [(1/2 - beta) a_i + beta a_{i+1}]                        beta  = (1 - alpha)^2 / 4
    v_{i+1} = v_i + h [(1 - gamma) a_i + gamma a_{i+1}]                                  gamma = 1/2 - alpha

One step takes `ticks_per_step` ticks. From the displacement d^(k) of a tick and the force r^(k) measured there,
modified Newton with the initial stiffness K0 gives the next estimate of d_{i+1} (FHT Eqs. 7-12):

    K* = M + (1 + alpha) (gamma h C + beta h^2 K0)
    d_{i+1}^(k+1) = d^(k) + K*^-1 [M_ (d^_{i+1} - d^(k)) - beta h^2 (1 + alpha) r^(k)]
    M_ d^_{i+1} = M_ d~_{i+1} + beta h^2 [(1 + alpha) (f_{i+1} - C v~_{i+1}) - alpha n_i]
    M_ = M + (1 + alpha) gamma h C,  d~_{i+1} = d_i + h v_i + (1/2 - beta) h^2 a_i,  v~_{i+1} = v_i + (1 - gamma) h a_i

and the command of the next tick, at x = (tick in the step) / ticks_per_step, lies on the parabola through the end
commands of the two steps before (x = -1, 0) and the estimate (x = 1). Every (ticks_per_step / iterations) ticks the
estimate is renewed; the first one of a step starts from d_i and r_i. At the last tick the command is the estimate
itself, and a last correction restores equilibrium: d_{i+1} = d^(N) + Delta, r_{i+1} = r^(N) + K0 Delta.
As f_{i+1} is not known before the end, it is extrapolated from f_i through the load of the tick: exact at the end, and
all along if the load runs straight over the step; for the first estimate of a step from the two steps before.

M mass, C damping, r the whole restoring force (from outside), K0 `stiffness` behind it, f load; -1/3 <= alpha <= 0.
vel and accel are those of the last completed step. First tick: a_0 = M^-1 (f_0 - r_0 - C v_0); the end command before
the start is d_0 - h v_0 + h^2/2 a_0.

Order 2. For a specimen of stiffness K0 each estimate is exact and the method is HHT-alpha: unconditionally stable. It
stays so for softer specimens, and with four iterations or more up to K = 3 K0; K = 6 K0 limits omega h to 7.2 with
four and 20.6 with ten iterations (alpha = 0).

FHT_FEEDBACK takes the measured displacement too and sends the specimen to the estimate plus
`feedback_gain` * (calculated - measured), the difference at the end of the step before.

Shing, Wei, Jung & Stauffer (2004), FHT Eqs. 1-12; the equilibrium correction after Shing, Spacone & Stauffer (2002).
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.generators.polynomials import parabola
from hybsim.blocks.integrators.predictor_corrector import alpha_parameter, newmark_of
from hybsim.blocks.integrators.structure import INS, OUTS, product, structure, subtract_product, transposed
from hybsim.blocks.integrators.system import System, add_product, numerical_stiffness
from hybsim.errors import ParameterError
from hybsim.kernel import Integer, Params, Ports, Prepared, Real, Sampled, State, kernel, zeros


class FHTAlpha(Sampled):
    """Structural integrator: alpha-method with a fixed number of iterations under way and smooth commands."""

    ins = INS
    outs = OUTS
    params = Params(
        **structure(),
        stiffness=numerical_stiffness(),
        alpha=alpha_parameter(),
        ticks_per_step=Integer("ticks in an integration step", 10, at_least=1),
        iterations=Integer("estimates in a step; None for one every tick", None, at_least=1, optional=True),
    )
    state = State(tick=0.0)
    example = dict(mass=0.25, damping=0.16, stiffness=10.0, ticks_per_step=10)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        assert system.stiffness is not None
        n, ticks = system.dofs, q.ticks_per_step
        iterations = ticks if q.iterations is None else q.iterations
        if ticks % iterations:
            raise ParameterError(
                f"{cls.__name__} cannot spread {iterations} iterations evenly over {ticks} ticks;"
                " give a number of iterations that divides ticks_per_step."
            )
        h, (beta, gamma) = ticks * dt, newmark_of(q.alpha)
        effective = system.mass + (1.0 + q.alpha) * (gamma * h * system.damping + beta * h * h * system.stiffness)
        formula = "M + (1 + alpha) (gamma h C + beta h^2 K0)"
        feedback = "disp_meas" in cls.ins
        start, none = system.initial_disp, np.zeros(n)
        ends = dict(sent=start, sent_before=none, shift=none) if feedback else {}
        return Prepared(
            p=dict(
                h=h,
                half_h2=0.5 * h * h,
                alpha=q.alpha,
                beta_h2=beta * h * h,
                gamma_h=gamma * h,
                rest_h2=(0.5 - beta) * h * h,
                rest_h=(1.0 - gamma) * h,
                damping_t=transposed(system.damping),
                stiffness_t=transposed(system.stiffness),
                solve_t=transposed(system.inverse(effective, formula, "damping or stiffness")),
                solve_first_t=transposed(np.linalg.inv(system.mass)),
                **(dict(feedback_gain=q.feedback_gain) if feedback else {}),
            ),
            x=dict(
                disp_pred=start,
                vel_pred=system.initial_vel,
                vel=system.initial_vel,
                accel=none,
                known=none,
                load=none,
                load_before=none,
                estimate=none,
                end=start,
                end_before=none,
                **ends,
                **cls.state,
            ),
            widths=dict.fromkeys((*cls.ins, *cls.outs), n),
            structure=dict(dofs=n, ticks=ticks, every=ticks // iterations, feedback=int(feedback)),
        )

    @kernel
    def outputs(u, x, p, y):
        s = x.tick / p.ticks
        for i in range(p.dofs):
            if p.feedback == 1:
                y.disp_target[i] = parabola(s, x.sent_before[i], x.sent[i], x.estimate[i] + x.shift[i])
            else:
                y.disp_target[i] = parabola(s, x.end_before[i], x.end[i], x.estimate[i])
            y.vel[i] = x.vel[i]
            y.accel[i] = x.accel[i]

    @kernel
    def update(u, x, p):
        disp = zeros(p.dofs)
        force = zeros(p.dofs)
        load = zeros(p.dofs)
        s = x.tick / p.ticks
        for i in range(p.dofs):
            disp[i] = parabola(s, x.end_before[i], x.end[i], x.estimate[i])
            force[i] = u.force[i]
            load[i] = u.load[i]
        tick = int(x.tick)
        if tick == 0 or tick == p.ticks:
            net = zeros(p.dofs)
            if tick == 0:
                for i in range(p.dofs):
                    net[i] = load[i] - force[i]
                    x.load[i] = load[i]
                subtract_product(p.damping_t, x.vel, net)
                product(p.solve_first_t, net, x.accel)
                for i in range(p.dofs):
                    x.end_before[i] = disp[i] - p.h * x.vel[i] + p.half_h2 * x.accel[i]
                    if p.feedback == 1:
                        x.sent_before[i] = x.end_before[i]
            else:
                iterate(p.stiffness_t, p.solve_t, x.known, disp, force, load, p.alpha, x.accel)
                for i in range(p.dofs):
                    x.end_before[i] = x.end[i]
                    x.end[i] = disp[i]
                    if p.feedback == 1:
                        x.sent_before[i] = x.sent[i]
                        x.sent[i] = disp[i] + x.shift[i]
                        x.shift[i] = p.feedback_gain * (disp[i] - u.disp_meas[i])
                    x.vel[i] = x.vel_pred[i] + p.gamma_h * x.accel[i]
                    disp[i] = x.disp_pred[i] + p.beta_h2 * x.accel[i]
                for i in range(p.dofs):
                    net[i] = disp[i] - x.end[i]
                add_product(p.stiffness_t, net, force)
                for i in range(p.dofs):
                    net[i] = load[i] - force[i]
                subtract_product(p.damping_t, x.vel, net)
            for i in range(p.dofs):
                x.disp_pred[i] = disp[i] + p.h * x.vel[i] + p.rest_h2 * x.accel[i]
                x.vel_pred[i] = x.vel[i] + p.rest_h * x.accel[i]
                x.load_before[i] = x.load[i]
                x.load[i] = load[i]
                load[i] = 2.0 * load[i] - x.load_before[i]
            constant_part(p.stiffness_t, p.damping_t, x.disp_pred, x.vel_pred, net, p.alpha, x.known)
            tick = 0
        if tick % p.every == 0:
            if tick > 0:
                for i in range(p.dofs):
                    load[i] = x.load[i] + (load[i] - x.load[i]) / s
            accel = zeros(p.dofs)
            iterate(p.stiffness_t, p.solve_t, x.known, disp, force, load, p.alpha, accel)
            for i in range(p.dofs):
                x.estimate[i] = x.disp_pred[i] + p.beta_h2 * accel[i]
        x.tick = float(tick + 1)


class FHTAlphaFeedback(FHTAlpha):
    """Structural integrator: FHT's alpha-method, with the tracking error of the last step fed back."""

    ins = Ports(**INS, disp_meas="measured displacement of the specimen")
    params = Params(
        **FHTAlpha.params,
        feedback_gain=Real("lambda, of the difference calculated - measured", 1.0, at_least=0.0, at_most=1.0),
    )
    example = dict(mass=0.25, damping=0.16, stiffness=10.0, ticks_per_step=10, feedback_gain=0.5)


@kernel
def constant_part(stiffness_t, damping_t, disp_pred, vel_pred, net, alpha, known):
    """What stays the same in all iterations of a step: -(1 + alpha) (C v~ + K0 d~) - alpha n."""
    for i in range(len(known)):
        known[i] = 0.0
    subtract_product(damping_t, vel_pred, known)
    subtract_product(stiffness_t, disp_pred, known)
    for i in range(len(known)):
        known[i] = (1.0 + alpha) * known[i] - alpha * net[i]


@kernel
def iterate(stiffness_t, solve_t, known, disp, force, load, alpha, accel):
    """The acceleration at the end of the step, if the tangent from (disp, force) on is K0.

    FHT Eqs. 7-12 solved for the acceleration: the same numbers, without differences of displacements.
    """
    right = zeros(len(known))
    for i in range(len(known)):
        right[i] = load[i] - force[i]
    add_product(stiffness_t, disp, right)
    for i in range(len(known)):
        right[i] = known[i] + (1.0 + alpha) * right[i]
    product(solve_t, right, accel)
