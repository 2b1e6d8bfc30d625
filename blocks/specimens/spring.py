"""Linear elastic specimen.

    r = k u                                  each channel by itself

EERC Eq. 7.1.
"""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.kernel import Function, Integer, Params, Ports, Prepared, Real, kernel


class Spring(Function):
    """Linear spring."""

    ins = Ports(disp="applied displacement u")
    outs = Ports(force="restoring force r")
    params = Params(
        stiffness=Real("stiffness k", at_least=0.0),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(stiffness=10.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(p=dict(stiffness=q.stiffness), widths=dict(disp=q.width, force=q.width))

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.disp)):
            y.force[i] = p.stiffness * u.disp[i]
