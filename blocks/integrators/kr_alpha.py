"""Kolay and Ricles' unconditionally stable explicit method with numerical damping set by rho_inf (KR-alpha).

    M ((I - alpha_3) a_k + alpha_3 a_{k-1}) = (1 - alpha_f) g_k + alpha_f g_{k-1},    g_k = f_k - C v_k - r_k
    v_{k+1} = v_k + dt alpha_1 a_k
    d_{k+1} = d_k + dt v_k + dt^2 (1/2 + gamma) alpha_1 a_k
    alpha_1 = Z^-1 M,    alpha_3 = Z^-1 (alpha_m M + alpha_f (gamma dt C + beta dt^2 K0))
    Z       = M + gamma dt C + beta dt^2 K0
    alpha_m = (2 rho_inf - 1) / (rho_inf + 1),    alpha_f = rho_inf / (rho_inf + 1)
    gamma   = 1/2 - alpha_m + alpha_f,    beta = (1/2 + gamma)^2 / 4
    M a_0 = g_0,  v_1 = v_0 + (1 - gamma) dt alpha_1 a_0,  d_1 = d_0 + dt v_0 + dt^2/2 alpha_1 a_0      first tick

M mass, C damping, K0 initial stiffness, d displacement, v velocity, a acceleration, f load, r restoring force.
rho_inf is the spectral radius for infinite frequency: 1 gives no numerical damping (and the CR method), 0 the most;
with W = omega dt a mode gets the damping ratio ((1 - rho_inf) / (1 + rho_inf) W)^3 / 2, to first order.
Order 2 in the displacement; for a linear structure the spectrum is that of the generalized-alpha method, stable
for any omega dt. A structure that hardens to K = s K0, s > 1, limits it to omega_0 dt <= sqrt(6 / (gamma s - 2 beta))
where gamma s > 2 beta, omega_0 that of K0; and with s > 1 / (rho_inf (2 - rho_inf)) its low modes are damped
negatively, with a ratio of order (omega dt)^3. For rho_inf = 1 the limit is omega_0 dt <= 2 / sqrt(s - 1).

The velocity of the method is that of gamma dt earlier: `vel` is exact to order 1 only, and a start with the full
first step, as published, makes the displacement order 1 and overshoot wherever a_0 is not 0. The first step here
allows for it; from rest without load both are the same.

Kolay and Ricles (2014), Earthquake Engng Struct. Dyn. 43:1361-1380; first step corrected as said.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.integrators.structure import Integrator, product, structure, subtract_product, transposed
from hybsim.blocks.integrators.system import System, numerical_stiffness
from hybsim.kernel import Params, Prepared, Real, State, kernel, zeros


class KRAlpha(Integrator):
    """Structural integrator: KR-alpha method, fully explicit, stable for any tick, damping the high modes."""

    params = Params(
        **structure(),
        stiffness=numerical_stiffness(),
        rho_inf=Real(
            "spectral radius at infinite frequency: 1 no numerical damping, 0 most", at_least=0.0, at_most=1.0
        ),
    )
    state = State(started=0.0)
    example = dict(mass=0.25, damping=0.16, stiffness=10.0, rho_inf=0.5)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        alpha_m, alpha_f = (2.0 * q.rho_inf - 1.0) / (q.rho_inf + 1.0), q.rho_inf / (q.rho_inf + 1.0)
        gamma = 0.5 - alpha_m + alpha_f
        implicit = gamma * dt * system.damping + 0.25 * (0.5 + gamma) ** 2 * dt**2 * system.k0
        inverse = system.inverse(system.mass + implicit, "M + gamma dt C + beta dt^2 K0", "stiffness")
        mass_alpha_3 = system.mass @ inverse @ (alpha_m * system.mass + alpha_f * implicit)
        return system.prepared(
            p=dict(
                dt=dt,
                now=1.0 - alpha_f,
                before=alpha_f,
                disp_factor=0.5 + gamma,
                first_vel_factor=1.0 - gamma,
                change_t=transposed(dt * inverse @ system.mass),
                mass_alpha_3_t=transposed(mass_alpha_3),
                damping_t=transposed(system.damping),
                solve_t=transposed(system.inverse(system.mass - mass_alpha_3, "M (I - alpha_3)", "stiffness")),
                solve_first_t=transposed(np.linalg.inv(system.mass)),
            ),
            vel_change=np.zeros(system.dofs),
            rest_last=np.zeros(system.dofs),
            **cls.state,
        )

    @kernel
    def update(u, x, p):
        rest = zeros(p.dofs)
        shifted = zeros(p.dofs)
        change = zeros(p.dofs)
        for i in range(p.dofs):
            x.vel[i] = x.vel[i] + x.vel_change[i]
            rest[i] = u.load[i] - u.force[i]
        subtract_product(p.damping_t, x.vel, rest)
        # In the first step the method's own velocity is gamma dt behind the given one.
        disp_factor = p.disp_factor
        vel_factor = 1.0
        if x.started > 0.0:
            for i in range(p.dofs):
                shifted[i] = p.now * rest[i] + p.before * x.rest_last[i]
            subtract_product(p.mass_alpha_3_t, x.accel, shifted)
            product(p.solve_t, shifted, x.accel)
        else:
            product(p.solve_first_t, rest, x.accel)
            disp_factor = 0.5
            vel_factor = p.first_vel_factor
            x.started = 1.0
        product(p.change_t, x.accel, change)
        for i in range(p.dofs):
            x.disp[i] = x.disp[i] + p.dt * (x.vel[i] + disp_factor * change[i])
            x.vel_change[i] = vel_factor * change[i]
            x.rest_last[i] = rest[i]
