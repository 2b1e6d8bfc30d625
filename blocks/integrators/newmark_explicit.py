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
from typing import Any

import numpy as np

from hybsim.errors import ParameterError
from hybsim.kernel import Matrix, Params, Ports, Prepared, Sampled, State, Vector, kernel, zeros


class MassMatrix(Matrix):
    """A positive number or a symmetric positive definite matrix."""

    def check(self, value: Any) -> np.ndarray | None:
        mass = super().check(value)
        assert mass is not None
        if not np.allclose(mass, mass.T, rtol=1e-9, atol=0.0):
            raise ValueError(f"must be symmetric, got {mass.tolist()}")
        lowest = float(np.linalg.eigvalsh(mass)[0])
        if lowest <= 0.0:
            what = f"got {mass[0, 0]:g}" if mass.size == 1 else f"its lowest eigenvalue is {lowest:g}"
            raise ValueError(
                f"must be positive definite, {what}; give every degree of freedom a mass or condense it out"
            )
        return mass


class NewmarkExplicit(Sampled):
    """Structural integrator: Newmark's explicit method, the restoring force coming from outside."""

    ins = Ports(force="restoring force r_k at the target displacement", load="external load f_k")
    outs = Ports(
        disp_target="target displacement d_k",
        vel="velocity of the completed step",
        accel="acceleration of the completed step",
    )
    params = Params(
        mass=MassMatrix("mass M: a number, or a matrix for several degrees of freedom"),
        damping=Matrix("viscous damping C: a number or a matrix as large as the mass; 0 for none", 0.0),
        initial_disp=Vector("displacement d_0: one number for all degrees of freedom or one each", 0.0),
        initial_vel=Vector("velocity v_0: one number for all degrees of freedom or one each", 0.0),
    )
    state = State(started=0.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        mass, n = q.mass, len(q.mass)
        damping = _damping(q.damping, n)
        effective = mass + 0.5 * dt * damping
        if np.linalg.cond(effective) > 1e14:
            raise ParameterError(
                f"NewmarkExplicit cannot use this damping: M + dt/2 C is singular at dt = {dt:g} s;"
                " give a damping that dissipates."
            )
        # Transposed: the products below then run along contiguous rows, which the compiler can vectorise.
        return Prepared(
            p=dict(
                dt=dt,
                half_dt=0.5 * dt,
                half_dt2=0.5 * dt * dt,
                damping_t=np.ascontiguousarray(damping.T),
                solve_t=np.ascontiguousarray(np.linalg.inv(effective).T),
                solve_first_t=np.ascontiguousarray(np.linalg.inv(mass).T),
            ),
            x=dict(
                disp=_one_each("initial_disp", q.initial_disp, n),
                vel=_one_each("initial_vel", q.initial_vel, n),
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
        for j in range(p.dofs):
            for i in range(p.dofs):
                rest[i] = rest[i] - p.damping_t[j, i] * x.vel[j]
        if x.started > 0.0:
            product(p.solve_t, rest, x.accel)
            for i in range(p.dofs):
                x.vel[i] = x.vel[i] + p.half_dt * x.accel[i]
        else:
            product(p.solve_first_t, rest, x.accel)
            x.started = 1.0
        for i in range(p.dofs):
            x.disp[i] = x.disp[i] + p.dt * x.vel[i] + p.half_dt2 * x.accel[i]


@kernel
def product(a_t, b, c):
    """c = A b, for A given transposed."""
    for i in range(len(b)):
        c[i] = a_t[0, i] * b[0]
    for j in range(1, len(b)):
        for i in range(len(b)):
            c[i] = c[i] + a_t[j, i] * b[j]


def _damping(damping: np.ndarray, n: int) -> np.ndarray:
    if len(damping) == n:
        return damping
    if damping.size == 1 and damping[0, 0] == 0.0:
        return np.zeros((n, n))
    raise ParameterError(
        f"NewmarkExplicit has a mass of {n} x {n} and a damping of {len(damping)} x {len(damping)};"
        f" give a damping of {n} x {n}, or 0 for none."
    )


def _one_each(name: str, values: np.ndarray, n: int) -> np.ndarray:
    if len(values) not in (1, n):
        raise ParameterError(
            f"NewmarkExplicit has {n} degrees of freedom and {len(values)} values of {name};"
            f" give one number, or {n}."
        )
    return np.full(n, values[0]) if len(values) == 1 else values
