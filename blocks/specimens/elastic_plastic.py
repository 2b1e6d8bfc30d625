"""Elastic-perfectly-plastic specimen.

    trial = k (u - u_p)
    r     = trial, kept within -k u_y .. k u_y
    u_p  <- u -/+ u_y while it yields,  u_p otherwise

u_p is the plastic displacement, 0 in the virgin specimen. A closed cycle between +/- u_max dissipates
4 k u_y (u_max - u_y). The non-linear specimen of EERC Sec. 3.4.
"""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.kernel import Params, Ports, Positive, Prepared, Sampled, State, kernel


class ElasticPlastic(Sampled):
    """Elastic-perfectly-plastic spring."""

    ins = Ports(disp="applied displacement u")
    outs = Ports(force="restoring force r")
    params = Params(
        stiffness=Positive("elastic stiffness k"),
        yield_disp=Positive("yield displacement u_y"),
    )
    state = State(plastic=0.0)
    example = dict(stiffness=10.0, yield_disp=1.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        force = q.stiffness * q.yield_disp
        return Prepared(p=dict(k=q.stiffness, uy=q.yield_disp, yield_force=force), x=cls.state)

    @kernel
    def outputs(u, x, p, y):
        y.force = min(max(p.k * (u.disp - x.plastic), -p.yield_force), p.yield_force)

    @kernel
    def update(u, x, p):
        trial = p.k * (u.disp - x.plastic)
        # Set only while yielding: recomputed at every tick, it would drift by rounding in the elastic range.
        if trial > p.yield_force:
            x.plastic = u.disp - p.uy
        elif trial < -p.yield_force:
            x.plastic = u.disp + p.uy
