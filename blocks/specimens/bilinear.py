"""Bilinear specimen with kinematic hardening.

    r    = alpha k u + q
    q    = (1 - alpha) k (u - u_p), kept within -/+ (1 - alpha) k u_y
    u_p <- u -/+ u_y while it yields,  u_p otherwise

A spring alpha k beside an elastic-perfectly-plastic one; u_p is the plastic displacement, 0 in the virgin
specimen. First yield at k u_y; the elastic range keeps its height 2 k u_y and moves along alpha k u. A closed
cycle between +/- u_max dissipates 4 (1 - alpha) k u_y (u_max - u_y). OpenSees: Steel01.

Prager (1956); Ziegler (1959).
"""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.kernel import Params, Ports, Positive, Prepared, Real, Sampled, State, kernel


class Bilinear(Sampled):
    """Bilinear spring with kinematic hardening."""

    ins = Ports(disp="applied displacement u")
    outs = Ports(force="restoring force r")
    params = Params(
        stiffness=Positive("elastic stiffness k"),
        yield_disp=Positive("yield displacement u_y"),
        alpha=Real("stiffness after yielding over elastic stiffness", 0.05, at_least=0.0, at_most=1.0),
    )
    state = State(plastic=0.0)
    example = dict(stiffness=10.0, yield_disp=1.0, alpha=0.1)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        k = (1.0 - q.alpha) * q.stiffness
        return Prepared(
            p=dict(hardening=q.alpha * q.stiffness, k=k, uy=q.yield_disp, yield_force=k * q.yield_disp),
            x=cls.state,
        )

    @kernel
    def outputs(u, x, p, y):
        y.force = p.hardening * u.disp + min(max(p.k * (u.disp - x.plastic), -p.yield_force), p.yield_force)

    @kernel
    def update(u, x, p):
        trial = p.k * (u.disp - x.plastic)
        # Set only while yielding: recomputed at every tick, it would drift by rounding in the elastic range.
        if trial > p.yield_force:
            x.plastic = u.disp - p.uy
        elif trial < -p.yield_force:
            x.plastic = u.disp + p.uy
