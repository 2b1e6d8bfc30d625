"""What the non-iterative implicit methods share: Newmark's predictor, one linear solve, Newmark's corrector.

    d~_k = d_{k-1} + dt v_{k-1} + (1/2 - beta) dt^2 a_{k-1}         v~_k = v_{k-1} + (1 - gamma) dt a_{k-1}
    d_k  = d~_k + beta dt^2 a_k                                     v_k  = v~_k + gamma dt a_k
    [M + (1 + alpha) S] a_k = (1 + alpha) n~_k - alpha n_{k-1}      S    = gamma dt C + beta dt^2 K
    n~_k = f_k - r_k - C~ v~_k - K~ d~_k                            n_k  = n~_k - S a_k
    a_0  = M^-1 n~_0                                                first tick, v_0 and d_0 given

n is the net force f - r - C v - K d that accelerates the mass. A method chooses C and K (what is solved for the end
of the step), C~ and K~ (what acts on the predictor), alpha, and at which displacement the force r_k is measured:

    target d~_k                           the predictor itself
    target d~_k + beta dt^2 a_{k-1}       extrapolated: d_{k-1} + dt v_{k-1} + dt^2/2 a_{k-1}

Published is the target. The displacement of the completed step follows from what is published: with the predictor
as target, d_k = disp_target_k + beta dt^2 accel_{k+1}; with the extrapolated one, beta dt^2 (accel_{k+1} - accel_k).
"""

from __future__ import annotations

import math

import numpy as np

from hybsim.blocks.integrators.stability import warn_above_limit
from hybsim.blocks.integrators.structure import INS, OUTS, product, subtract_product, transposed
from hybsim.blocks.integrators.system import System
from hybsim.kernel import Matrix, Prepared, Real, Sampled, State, kernel, zeros


class PredictorCorrector(Sampled):
    """The kernels of the family; a method adds its parameters and `prepare`."""

    ins = INS
    outs = OUTS
    state = State(started=0.0)

    @kernel
    def outputs(u, x, p, y):
        for i in range(p.dofs):
            if p.extrapolated == 1:
                y.disp_target[i] = x.disp_pred[i] + p.beta_dt2 * x.accel[i]
            else:
                y.disp_target[i] = x.disp_pred[i]
            y.vel[i] = x.vel[i]
            y.accel[i] = x.accel[i]

    @kernel
    def update(u, x, p):
        net = zeros(p.dofs)
        for i in range(p.dofs):
            net[i] = u.load[i] - u.force[i]
        subtract_product(p.damping_t, x.vel_pred, net)
        if p.numerical == 1:
            subtract_product(p.stiffness_t, x.disp_pred, net)
        if x.started > 0.0:
            if p.shifted == 1:
                right = zeros(p.dofs)
                for i in range(p.dofs):
                    right[i] = (1.0 + p.alpha) * net[i] - p.alpha * x.net[i]
                product(p.solve_t, right, x.accel)
                subtract_product(p.corrector_t, x.accel, net)
            else:
                product(p.solve_t, net, x.accel)
            for i in range(p.dofs):
                x.vel[i] = x.vel_pred[i] + p.gamma_dt * x.accel[i]
                x.disp_pred[i] = x.disp_pred[i] + p.beta_dt2 * x.accel[i]
        else:
            product(p.solve_first_t, net, x.accel)
            x.started = 1.0
        if p.shifted == 1:
            for i in range(p.dofs):
                x.net[i] = net[i]
        # disp_pred holds d_k here and is carried on to the predictor of the next step.
        for i in range(p.dofs):
            x.disp_pred[i] = x.disp_pred[i] + p.dt * x.vel[i] + p.rest_dt2 * x.accel[i]
            x.vel_pred[i] = x.vel[i] + p.rest_dt * x.accel[i]


def prepared(
    system: System,
    *,
    beta: float,
    gamma: float,
    numerical: bool,
    extrapolated: bool,
    damping_explicit: np.ndarray | None = None,
    alpha: float | None = None,
) -> Prepared:
    """The numbers of a method; C and K are those of the system.

    numerical         K acts on the predictor too (K~ = K): it is no part of the measured force
    extrapolated      the target is the extrapolated displacement, not the predictor
    damping_explicit  what C~ has besides C
    alpha             the shift, for methods that have one
    """
    assert system.stiffness is not None
    n, dt, shift = system.dofs, system.dt, 0.0 if alpha is None else alpha
    corrector = gamma * dt * system.damping + beta * dt * dt * system.stiffness
    predicted = system.damping if damping_explicit is None else system.damping + damping_explicit
    effective = system.mass + (1.0 + shift) * corrector
    formula = "M + (1 + alpha) (gamma dt C + beta dt^2 K)" if alpha is not None else "M + gamma dt C + beta dt^2 K"
    return Prepared(
        p=dict(
            dt=dt,
            alpha=shift,
            beta_dt2=beta * dt * dt,
            gamma_dt=gamma * dt,
            rest_dt2=(0.5 - beta) * dt * dt,
            rest_dt=(1.0 - gamma) * dt,
            damping_t=transposed(predicted),
            solve_t=transposed(system.inverse(effective, formula, "damping or stiffness")),
            solve_first_t=transposed(np.linalg.inv(system.mass)),
            **(dict(stiffness_t=transposed(system.stiffness)) if numerical else {}),
            **(dict(corrector_t=transposed(corrector)) if alpha is not None else {}),
        ),
        x=dict(
            disp_pred=system.initial_disp,
            vel_pred=system.initial_vel,
            vel=system.initial_vel,
            accel=np.zeros(n),
            **(dict(net=np.zeros(n)) if alpha is not None else {}),
            **PredictorCorrector.state,
        ),
        widths=dict.fromkeys((*INS, *OUTS), n),
        structure=dict(
            dofs=n, numerical=int(numerical), extrapolated=int(extrapolated), shifted=int(alpha is not None)
        ),
    )


def additional_stiffness(part: str) -> Matrix:
    """The stiffness of a linear part of the structure that the measured force does not contain."""
    return Matrix(f"stiffness K of the {part} substructure, besides the measured force; 0 for none", 0.0)


def newmark_parameters() -> dict[str, Real]:
    """Newmark's two weights."""
    return dict(
        beta=Real("weight of the new acceleration in the displacement", 0.25, at_least=0.0, at_most=0.5),
        gamma=Real("weight of the new acceleration in the velocity", 0.5, at_least=0.5, at_most=1.0),
    )


def alpha_parameter() -> Real:
    """The one parameter of the alpha-methods."""
    return Real("numerical dissipation alpha; 0 for none, -1/3 for most", 0.0, at_least=-1.0 / 3.0, at_most=0.0)


def newmark_of(alpha: float) -> tuple[float, float]:
    """beta = (1 - alpha)^2 / 4 and gamma = 1/2 - alpha: order 2, unconditionally stable (EERC Eq. 2.23)."""
    return 0.25 * (1.0 - alpha) ** 2, 0.5 - alpha


def warn_above_newmark_limit(system: System, beta: float, gamma: float) -> None:
    """omega dt <= 1 / sqrt(gamma/2 - beta) for the undamped modes of M and K; no limit where 2 beta >= gamma."""
    if 2.0 * beta < gamma:
        warn_above_limit(system, 1.0 / math.sqrt(0.5 * gamma - beta))
