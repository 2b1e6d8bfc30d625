"""Shing and Mahin's modification of Newmark's explicit method: numerical damping that grows with frequency.

    M a_k + C v_k + (1 + alpha) r_k - alpha r_{k-1} + rho / dt^2 M (d_k - d_{k-1}) = f_k
    v_k     = v_{k-1} + dt/2 (a_{k-1} + a_k)
    d_{k+1} = d_k + dt v_k + dt^2/2 a_k
    a_0     = M^-1 (f_0 - r_0 - C v_0)                       first tick: r_{-1} = r_0, d_{-1} = d_0

M mass, C damping, d displacement, v velocity, a acceleration, f load, r restoring force; alpha >= 0, rho <= 0.
With W = omega dt a mode gets the numerical damping ratio (alpha W + rho / W) / 2, to first order. So:

    order 1 (order 2 only for alpha = rho = 0, Newmark's explicit method);
    stable for W <= sqrt((4 - 2 rho) / (1 + 2 alpha)), whatever the viscous damping;
    modes with W^2 < -rho/alpha are damped negatively and grow unless C outweighs it: rho must scale with dt^2.

`stiffness` is used only to check both limits; without it a negative rho is always reported.

Shing and Mahin (1983); EERC Eqs. 2.9-2.11, with the viscous damping that is left out there, K d written as the
restoring force, and the limits above added.
"""

from __future__ import annotations

import math
import warnings
from types import SimpleNamespace

import numpy as np

from hybsim.blocks.integrators.stability import StabilityWarning, warn_above_limit
from hybsim.blocks.integrators.structure import Integrator, product, structure, subtract_product, transposed
from hybsim.blocks.integrators.system import System, known_stiffness
from hybsim.kernel import Params, Prepared, Real, State, kernel, zeros


def stability_limit(alpha: float, rho: float) -> float:
    """Highest stable omega dt."""
    return math.sqrt((4.0 - 2.0 * rho) / (1.0 + 2.0 * alpha))


def warn_of_growth(system: System, alpha: float, rho: float) -> None:
    """Warn if modes of low frequency are damped negatively: alpha W^2 + rho < 0."""
    lowest = None if system.stiffness is None else float(system.frequencies()[0])
    if rho == 0.0 or (lowest is not None and alpha * (lowest * system.dt) ** 2 + rho >= 0.0):
        return
    grow = f"below {math.sqrt(-rho / alpha) / system.dt:.6g} rad/s" if alpha > 0.0 else "of every frequency"
    below = "" if lowest is None else f" and the lowest is at {lowest:.6g} rad/s"
    warnings.warn(
        f"{system.block} with alpha = {alpha:g} and rho = {rho:g} gives modes {grow} negative numerical damping"
        f"{below}, so they may grow; keep -rho at most alpha (omega_1 dt)^2, which shrinks with dt^2.",
        StabilityWarning,
        stacklevel=2,
    )


class ModifiedNewmark(Integrator):
    """Structural integrator: modified Newmark method, explicit with numerical damping of the high modes."""

    params = Params(
        **structure(),
        alpha=Real("damping of the high modes: adds alpha omega dt / 2 to the damping ratio", at_least=0.0),
        rho=Real("relief of the low modes: adds rho / (2 omega dt) to the damping ratio", 0.0, at_most=0.0),
        stiffness=known_stiffness(),
    )
    state = State(started=0.0)
    example = dict(mass=0.25, damping=0.16, alpha=0.1)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        warn_above_limit(system, stability_limit(q.alpha, q.rho))
        warn_of_growth(system, q.alpha, q.rho)
        return system.prepared(
            p=dict(
                dt=dt,
                half_dt=0.5 * dt,
                alpha=q.alpha,
                relief_t=transposed(q.rho / dt**2 * system.mass),
                damping_t=transposed(system.damping),
                solve_t=transposed(system.inverse(system.mass + 0.5 * dt * system.damping, "M + dt/2 C")),
                solve_first_t=transposed(np.linalg.inv(system.mass)),
            ),
            increment=np.zeros(system.dofs),
            force_last=np.zeros(system.dofs),
            **cls.state,
        )

    @kernel
    def update(u, x, p):
        rest = zeros(p.dofs)
        for i in range(p.dofs):
            x.vel[i] = x.vel[i] + p.half_dt * x.accel[i]
            rest[i] = u.load[i] - u.force[i]
        subtract_product(p.damping_t, x.vel, rest)
        if x.started > 0.0:
            subtract_product(p.relief_t, x.increment, rest)
            for i in range(p.dofs):
                rest[i] = rest[i] - p.alpha * (u.force[i] - x.force_last[i])
            product(p.solve_t, rest, x.accel)
            for i in range(p.dofs):
                x.vel[i] = x.vel[i] + p.half_dt * x.accel[i]
        else:
            product(p.solve_first_t, rest, x.accel)
            x.started = 1.0
        for i in range(p.dofs):
            x.increment[i] = p.dt * (x.vel[i] + p.half_dt * x.accel[i])
            x.disp[i] = x.disp[i] + x.increment[i]
            x.force_last[i] = u.force[i]
