"""The operator-splitting method: the force measured at the predictor, carried to the end of the step by K0.

    M a_k + C v_k + r(d~_k) + K0 (d_k - d~_k) = f_k
    d~_k = d_{k-1} + dt v_{k-1} + dt^2/4 a_{k-1}                               target, sent to the specimen
    v~_k = v_{k-1} + dt/2 a_{k-1}
    d_k  = d~_k + dt^2/4 a_k,    v_k = v~_k + dt/2 a_k
    a_0  = M^-1 (f_0 - r_0 - C v_0)                                            first tick

M mass, C damping, r the whole restoring force (from outside), K0 `stiffness`: the initial stiffness behind r, which
stands for the tangent in r(d_k) ~ r(d~_k) + K0 (d_k - d~_k). Linear numerical springs belong to r and to K0; with
K0 = K everywhere the method is implicit Newmark with constant average acceleration.

Order 2. For a stiffness K of the specimen: unconditionally stable for K <= K0 (softening); a specimen stiffer than
K0 is stable for omega dt < 2 / sqrt(1 - K0/K), omega^2 = K/M, whatever the damping. No numerical damping.

Nakashima et al. (1990); OSM Eqs. 1-5 with alpha = 0.
"""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.blocks.integrators.predictor_corrector import PredictorCorrector, prepared
from hybsim.blocks.integrators.structure import structure
from hybsim.blocks.integrators.system import System, numerical_stiffness
from hybsim.kernel import Params, Prepared


class OperatorSplitting(PredictorCorrector):
    """Structural integrator: operator splitting with the initial stiffness of the specimen."""

    params = Params(**structure(), stiffness=numerical_stiffness())
    example = dict(mass=0.25, damping=0.16, stiffness=10.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        return prepared(system, beta=0.25, gamma=0.5, numerical=False, extrapolated=False)
