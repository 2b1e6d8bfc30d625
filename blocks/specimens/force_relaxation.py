"""Force relaxation: what a yielded specimen loses during a hold and regains when it moves on.

    r    = g + s
    s'   = (s_max u_p' - |u_p'| s) / u_c  -  s / tau,      u_p' = u' - g'/k

g is the force of any specimen that does not depend on the rate, wired to `force_static`; s is the overstress that
motion beyond the elastic range builds up and time takes away; k the specimen's elastic stiffness.

- hold: s = s_0 exp(-t/tau). Within tau/10 almost nothing is lost, after a few tau all of s.
- recovery: s is rebuilt over plastic displacements of the order of u_c; a force measured on the way is in error.
- steady yielding at speed v: s = s_max / (1 + u_c / (v tau)). A slow test sees less force than a fast one.
- elastic range, g' = k u': nothing is built up.

Exact for displacement and static force that are straight between ticks.

EERC Sec. 6.5.5 and Fig. 6-12: a hold of 0.2 s cost next to nothing, one of 4.7 s was seen in the loop. The form is an
overstress model (Krempl, McMahon & Yao 1986) with an overstress that has a bound.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

from hybsim.kernel import Params, Ports, Positive, Prepared, Real, Sampled, State, kernel


@kernel
def advance(overstress, plastic, largest, recovery_disp, ticks):
    """The overstress after a plastic displacement within a tick of `ticks` relaxation times."""
    way = plastic / recovery_disp
    decay = abs(way) + ticks
    final = largest * way / decay
    return final + (overstress - final) * math.exp(-decay)


class ForceRelaxation(Sampled):
    """Adds force relaxation during a hold to the force of a rate-independent specimen."""

    ins = Ports(disp="applied displacement u", force_static="force g of the specimen when nothing relaxes any more")
    outs = Ports(force="restoring force r")
    params = Params(
        stiffness=Positive("elastic stiffness k of the specimen"),
        overstress=Real("most that can relax: overstress s_max when yielding fast", at_least=0.0),
        time=Positive("relaxation time tau in s"),
        recovery_disp=Positive("plastic displacement u_c over which the overstress is built up"),
    )
    state = State(disp=0.0, static=0.0, overstress=0.0)
    example = dict(stiffness=10.0, overstress=0.8, time=3.0, recovery_disp=0.05)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(
            p=dict(k=q.stiffness, largest=q.overstress, recovery_disp=q.recovery_disp, ticks=dt / q.time),
            x=cls.state,
        )

    @kernel
    def outputs(u, x, p, y):
        plastic = u.disp - x.disp - (u.force_static - x.static) / p.k
        y.force = u.force_static + advance(x.overstress, plastic, p.largest, p.recovery_disp, p.ticks)

    @kernel
    def update(u, x, p):
        plastic = u.disp - x.disp - (u.force_static - x.static) / p.k
        x.overstress = advance(x.overstress, plastic, p.largest, p.recovery_disp, p.ticks)
        x.disp = u.disp
        x.static = u.force_static
