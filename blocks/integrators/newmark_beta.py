"""Newmark's beta method: the linear numerical substructure implicit, the measured force explicit.

    M a_k + C v_k + K d_k + r(d^_k) = f_k
    d^_k = d_{k-1} + dt v_{k-1} + dt^2/2 a_{k-1}                               target, sent to the specimen
    d_k  = d_{k-1} + dt v_{k-1} + dt^2 [(1/2 - beta) a_{k-1} + beta a_k]
    v_k  = v_{k-1} + dt [(1 - gamma) a_{k-1} + gamma a_k]
    a_0  = M^-1 (f_0 - r_0 - C v_0 - K d_0)                                    first tick

M mass, C damping, K `stiffness` of the linear numerical substructure (part of the structure besides the specimen), r
measured force, f load. d_k needs r_k and f_k, so the specimen gets what is known before: the extrapolated d^_k, which
differs from d_k by beta dt^2 (a_k - a_{k-1}), of order dt^3. No iteration: one product with a matrix inverted before.

Order 2 for gamma = 1/2, else 1. For gamma = 1/2 and an undamped mode with omega_n^2 from K and omega_s^2 from the
specimen, stable for (omega_s dt)^2 < [4 - (1 - 4 beta) (omega_n dt)^2] / (1 + 4 beta): constant average acceleration
(beta = 1/4) leaves the numerical part free and limits the specimen to omega_s dt < sqrt(2). The extrapolation damps
the specimen's part by about beta Omega_s^2 Omega / 2 of critical. beta = 0 is Newmark's explicit method.

`stiffness` adds to the measured force. If the specimen's own stiffness is to be integrated implicitly, use OS.

Newmark (1959); EERC Eqs. 2.6-2.8, Eq. 2.6 corrected: the restoring force is r_{i+1}, not r_i.
"""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.blocks.integrators.predictor_corrector import (
    PredictorCorrector,
    additional_stiffness,
    newmark_parameters,
    prepared,
    warn_above_newmark_limit,
)
from hybsim.blocks.integrators.structure import structure
from hybsim.blocks.integrators.system import System
from hybsim.kernel import Params, Prepared


class NewmarkBeta(PredictorCorrector):
    """Structural integrator: Newmark's method, implicit in a linear numerical substructure."""

    params = Params(**structure(), stiffness=additional_stiffness("numerical"), **newmark_parameters())
    example = dict(mass=0.25, damping=0.16, stiffness=30.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        warn_above_newmark_limit(system, q.beta, q.gamma)
        return prepared(system, beta=q.beta, gamma=q.gamma, numerical=True, extrapolated=True)
