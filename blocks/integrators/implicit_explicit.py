"""The implicit-explicit method of Dermitzakis & Mahin: analytical part implicit, experimental part explicit.

    M a_k + C v_k + C_E v~_k + K d_k + r(d~_k) = f_k
    d~_k = d_{k-1} + dt v_{k-1} + (1/2 - beta) dt^2 a_{k-1}                    target, sent to the specimen
    v~_k = v_{k-1} + (1 - gamma) dt a_{k-1}
    d_k  = d~_k + beta dt^2 a_k,    v_k = v~_k + gamma dt a_k
    a_0  = M^-1 (f_0 - r_0 - (C + C_E) v_0 - K d_0)                            first tick

M mass; C `damping` and K `stiffness` of the analytical substructure; C_E `damping_explicit` of the experimental one;
r measured force; f load. `stiffness` adds to the measured force.

Order 2 for gamma = 1/2 and C_E = 0, else 1. For gamma = 1/2 and 2 beta >= gamma the analytical part is free, and the
experimental one, with omega_s and the share zeta_s of C_E, is stable for
omega_s dt < 2 [sqrt(1 + zeta_s^2) - zeta_s], whatever C and K.

Hughes & Liu (1978), Dermitzakis & Mahin (1985); EERC Eqs. 2.26-2.30, corrected: the stiffness acts on the corrected
displacement, K d_{i+1}, and d_{i+1} = d~_{i+1} + beta dt^2 a_{i+1}.
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
from hybsim.blocks.integrators.structure import as_large_as_mass, structure
from hybsim.blocks.integrators.system import System
from hybsim.kernel import Matrix, Params, Prepared


class ImplicitExplicit(PredictorCorrector):
    """Structural integrator: analytical substructure implicit, experimental one explicit."""

    params = Params(
        **structure(),
        stiffness=additional_stiffness("analytical"),
        damping_explicit=Matrix("viscous damping C_E of the experimental substructure; 0 for none", 0.0),
        **newmark_parameters(),
    )
    example = dict(mass=0.25, damping=0.16, stiffness=30.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        warn_above_newmark_limit(system, q.beta, q.gamma)
        explicit = as_large_as_mass(system.block, "damping_explicit", q.damping_explicit, system.dofs)
        return prepared(
            system, beta=q.beta, gamma=q.gamma, numerical=True, extrapolated=False, damping_explicit=explicit
        )
