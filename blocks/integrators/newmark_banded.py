"""Newmark's explicit method for many degrees of freedom: a diagonal mass and a banded damping matrix.

    L L^T a_k = f_k - r_k - C (v_{k-1} + dt/2 a_{k-1}),    L L^T = M + dt/2 C     (banded Cholesky)
    v_k     = v_{k-1} + dt/2 (a_{k-1} + a_k)
    d_{k+1} = d_k + dt v_k + dt^2/2 a_k
    a_0     = M^-1 (f_0 - r_0 - C v_0)                                             first tick

As NEWMARK, with work that grows with n times the bandwidth b instead of n^2: a shear building with damping in
proportion to its stiffness has b = 1. Stable for omega dt < 2.

Newmark (1959); EERC Eqs. 2.6-2.8, Eq. 2.6 corrected: the restoring force is r_{i+1}, not r_i.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from hybsim.blocks.integrators.structure import Integrator, one_each
from hybsim.errors import ParameterError
from hybsim.kernel import Param, Params, Prepared, State, Vector, kernel, zeros


class Band(Param):
    """The lower band of a symmetric matrix: row j holds the diagonal j places below the main one."""

    def check(self, value: Any) -> np.ndarray:
        array = np.atleast_2d(np.asarray(value, dtype=float))
        if array.ndim != 2 or not np.isfinite(array).all():
            raise ValueError(
                "must be the finite lower band of a symmetric matrix, as scipy.linalg.cholesky_banded takes it"
            )
        return array


class NewmarkBanded(Integrator):
    """Structural integrator for large structures: Newmark's explicit method with banded damping."""

    params = Params(
        mass=Vector("masses on the diagonal of M, one for each degree of freedom"),
        damping=Band("lower band of C: rows of as many numbers as masses, the diagonal first; 0 for none", 0.0),
        initial_disp=Vector("displacement d_0: one number for all degrees of freedom or one each", 0.0),
        initial_vel=Vector("velocity v_0: one number for all degrees of freedom or one each", 0.0),
    )
    state = State(started=0.0)
    example = dict(mass=[0.25, 0.2], damping=[[0.3, 0.1], [-0.1, 0.0]])

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        from scipy.linalg import LinAlgError, cholesky_banded

        name, n = cls.__name__, len(q.mass)
        if q.mass.min() <= 0.0:
            raise ParameterError(f"{name} needs a positive mass at every degree of freedom, got {q.mass.min():g}.")
        band = np.zeros((1, n)) if q.damping.size == 1 and q.damping[0, 0] == 0.0 else q.damping
        if band.shape[1] != n:
            raise ParameterError(
                f"{name} has {n} masses and a damping band {band.shape[1]} long; give rows of {n}, or 0 for none."
            )
        for below in range(1, len(band)):
            band = band.copy()
            band[below, n - below :] = 0.0  # beyond the end of the diagonal
        effective = 0.5 * dt * band
        effective[0] += q.mass
        try:
            factor = cholesky_banded(effective, lower=True)
        except LinAlgError:
            raise ParameterError(f"{name} cannot use this damping: M + dt/2 C is not positive definite.") from None
        return Prepared(
            p=dict(
                dt=dt, half_dt=0.5 * dt, half_dt2=0.5 * dt * dt, band=band, factor=factor,
                over_diagonal=1.0 / factor[0], over_mass=1.0 / q.mass,
            ),
            x=dict(
                disp=one_each(name, "initial_disp", q.initial_disp, n),
                vel=one_each(name, "initial_vel", q.initial_vel, n),
                accel=np.zeros(n),
                **cls.state,
            ),
            widths=dict.fromkeys((*cls.ins, *cls.outs), n),
            structure=dict(dofs=n, bands=len(band)),
        )  # fmt: skip

    @kernel
    def update(u, x, p):
        rest = zeros(p.dofs)
        for i in range(p.dofs):
            x.vel[i] = x.vel[i] + p.half_dt * x.accel[i]
        for i in range(p.dofs):
            rest[i] = u.load[i] - u.force[i] - p.band[0, i] * x.vel[i]
        for b in range(1, p.bands):
            for i in range(p.dofs - b):
                rest[i + b] = rest[i + b] - p.band[b, i] * x.vel[i]
                rest[i] = rest[i] - p.band[b, i] * x.vel[i + b]
        if x.started > 0.0:
            solve_banded(p.factor, p.over_diagonal, rest)
            for i in range(p.dofs):
                x.accel[i] = rest[i]
                x.vel[i] = x.vel[i] + p.half_dt * rest[i]
        else:
            for i in range(p.dofs):
                x.accel[i] = p.over_mass[i] * rest[i]
            x.started = 1.0
        for i in range(p.dofs):
            x.disp[i] = x.disp[i] + p.dt * x.vel[i] + p.half_dt2 * x.accel[i]


@kernel
def solve_banded(factor, over_diagonal, b):
    """b <- (L L^T)^-1 b, for the lower band of L."""
    for i in range(len(b)):
        b[i] = b[i] * over_diagonal[i]
        for j in range(1, min(len(factor), len(b) - i)):
            b[i + j] = b[i + j] - factor[j, i] * b[i]
    for back in range(len(b)):
        i = len(b) - 1 - back
        for j in range(1, min(len(factor), len(b) - i)):
            b[i] = b[i] - factor[j, i] * b[i + j]
        b[i] = b[i] * over_diagonal[i]
