"""The HHT-alpha (Newmark-alpha) method: Newmark's method with dissipation in the high modes.

    M a_k = (1 + alpha) n_k - alpha n_{k-1},    n_k = f_k - C v_k - K d_k - r(d^_k)
    d^_k = d_{k-1} + dt v_{k-1} + dt^2/2 a_{k-1}                               target, sent to the specimen
    d_k  = d_{k-1} + dt v_{k-1} + dt^2 [(1/2 - beta) a_{k-1} + beta a_k]       beta  = (1 - alpha)^2 / 4
    v_k  = v_{k-1} + dt [(1 - gamma) a_{k-1} + gamma a_k]                      gamma = 1/2 - alpha
    a_0  = M^-1 (f_0 - r_0 - C v_0 - K d_0)                                    first tick

M mass, C damping, K `stiffness` of the linear numerical substructure (besides the specimen), r measured force, f load;
-1/3 <= alpha <= 0. The specimen gets the extrapolated d^_k, known before r_k and f_k. The extrapolation is no
nicety: measured at Newmark's predictor, an alpha-shifted force drives an undamped mode with -alpha^2 Omega^3 / 2 of
critical damping.

Order 2. Without a specimen unconditionally stable. A specimen with omega_s on top of a numerical part with omega_n,
undamped: (omega_s dt)^2 < [4/(1 - 4 alpha^2) + alpha^2 (omega_n dt)^2 / (1 - 2 alpha)] / [2 + alpha^2/(1 - 2 alpha)]
(about 2) for alpha >= -0.27; below, a complex pair leaves earlier: omega_s dt < 1.48 at alpha = -1/3, omega_n = 0.
alpha = 0 is constant average acceleration, NEWMARK_BETA.

Hilber, Hughes & Taylor (1977); EERC Eqs. 2.20-2.23, corrected: damping and load are alpha-shifted too (as in FHT
Eq. 1; as printed the order is 1), and the lower bound of alpha is -1/3.
"""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.blocks.integrators.predictor_corrector import (
    PredictorCorrector,
    additional_stiffness,
    alpha_parameter,
    newmark_of,
    prepared,
)
from hybsim.blocks.integrators.structure import structure
from hybsim.blocks.integrators.system import System
from hybsim.kernel import Params, Prepared


class HHTAlpha(PredictorCorrector):
    """Structural integrator: HHT-alpha, implicit in a linear numerical substructure, dissipative."""

    params = Params(**structure(), stiffness=additional_stiffness("numerical"), alpha=alpha_parameter())
    example = dict(mass=0.25, damping=0.16, stiffness=30.0, alpha=-0.1)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        beta, gamma = newmark_of(q.alpha)
        return prepared(system, alpha=q.alpha, beta=beta, gamma=gamma, numerical=True, extrapolated=True)
