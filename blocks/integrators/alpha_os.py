"""The alpha-operator-splitting method: operator splitting with dissipation in the high modes.

    M a_k = (1 + alpha) n_k - alpha n_{k-1},    n_k = f_k - C v_k - r(d~_k) - K0 (d_k - d~_k)
    d~_k = d_{k-1} + dt v_{k-1} + (1/2 - beta) dt^2 a_{k-1}                    target, sent to the specimen
    v~_k = v_{k-1} + (1 - gamma) dt a_{k-1}
    d_k  = d~_k + beta dt^2 a_k,    v_k = v~_k + gamma dt a_k                  beta  = (1 - alpha)^2 / 4
    a_0  = M^-1 (f_0 - r_0 - C v_0)                                            gamma = 1/2 - alpha

M mass, C damping, r the whole restoring force (from outside), K0 `stiffness`: the initial stiffness behind r;
-1/3 <= alpha <= 0. With K0 = K everywhere the method is HHT-alpha; alpha = 0 is OS.

Order 2. For a stiffness K of the specimen, undamped, omega^2 = K/M: unconditionally stable for
K/K0 <= (1 - alpha)^2 / (1 - 2 alpha); stiffer specimens are stable for
omega dt < 2 / sqrt{(1 - 4 alpha^2) [1 - (K0/K) (1 - alpha)^2 / (1 - 2 alpha)]}; and those with
K/K0 > (1 - alpha)^2 / (4 |alpha|) are driven (negative numerical damping) at any step.

Combescure & Pegon (1997); OSM Eqs. 1-5.
"""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.blocks.integrators.predictor_corrector import (
    PredictorCorrector,
    alpha_parameter,
    newmark_of,
    prepared,
)
from hybsim.blocks.integrators.structure import structure
from hybsim.blocks.integrators.system import System, numerical_stiffness
from hybsim.kernel import Params, Prepared


class AlphaOS(PredictorCorrector):
    """Structural integrator: alpha-operator splitting, dissipative, with the specimen's initial stiffness."""

    params = Params(**structure(), stiffness=numerical_stiffness(), alpha=alpha_parameter())
    example = dict(mass=0.25, damping=0.16, stiffness=10.0, alpha=-0.1)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        system = System.of(cls.__name__, q, dt)
        beta, gamma = newmark_of(q.alpha)
        return prepared(system, alpha=q.alpha, beta=beta, gamma=gamma, numerical=False, extrapolated=False)
