"""Cubic spring: softening or hardening, without hysteresis.

    r = k u + h u^3                          each channel by itself

h < 0 softens, h > 0 hardens, h = 0 is linear. A softening spring is a model of a specimen only below
|u| = sqrt(k / (-3 h)), where its tangent stiffness k + 3 h u^2 ends. Followed with a delay tau at
u = U sin(w t), it adds pi U^2 sin(w tau) (k + 3/4 h U^2) of energy in each cycle: more than the linear spring if
it hardens, less if it softens.

PSI Eq. 2.28, where the coefficient is written zeta h; energies PSI Eqs. 2.31-2.36.
"""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.kernel import Function, Integer, Params, Ports, Prepared, Real, kernel


class CubicSpring(Function):
    """Spring with a cubic term: softening or hardening."""

    ins = Ports(disp="applied displacement u")
    outs = Ports(force="restoring force r")
    params = Params(
        stiffness=Real("initial stiffness k", at_least=0.0),
        cubic=Real("cubic coefficient h: below 0 softens, above 0 hardens"),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(stiffness=10.0, cubic=-1.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(p=dict(stiffness=q.stiffness, cubic=q.cubic), widths=dict(disp=q.width, force=q.width))

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.disp)):
            y.force[i] = u.disp[i] * (p.stiffness + p.cubic * u.disp[i] * u.disp[i])
