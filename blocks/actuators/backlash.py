"""Backlash: the play of a clevis between the piston and what it drives.

    y_k = min(max(y_{k-1}, u_k - gap/2), u_k + gap/2),   y_{-1} = initial

    u  driving side     y  driven side, which moves only with the play closed and stays where it is otherwise

The driven side has no inertia and is held by friction. It starts at `initial`, in the middle of the play if the driving
side starts there too, and is pushed at the first tick if that is further away. A cycle of amplitude U > gap/2 comes out
with amplitude U - gap/2, and y over u encloses an area of 2 gap (U - gap/2) whatever the rate. y lags: a spring
k_s on the driven side gives back k_s times that area more a cycle than it takes, seen over the driving displacement,
so backlash outside the measurement adds energy to a hybrid test as a delay does.

Output follows input within the tick. EERC Secs. 5.2.2 and 5.2.4: the clamps of the actuators are fitted for little
backlash, and a free-standing transducer keeps the rest out of the measurements.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.kernel import Integer, Params, Ports, Prepared, Real, Sampled, kernel


@kernel
def dragged(driven, driving, half):
    """Where the driven side is once the driving side has moved."""
    return min(max(driven, driving - half), driving + half)


class Backlash(Sampled):
    """Play between a driving and a driven side."""

    ins = Ports(disp="displacement of the driving side")
    outs = Ports(disp_driven="displacement of the driven side")
    params = Params(
        gap=Real("play between the two stops", at_least=0.0),
        initial=Real("driven side at the start", 0.0),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(gap=0.5)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(
            p=dict(half=0.5 * q.gap),
            x=dict(driven=np.full(q.width, q.initial)),
            widths=dict.fromkeys((*cls.ins, *cls.outs), q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.disp)):
            y.disp_driven[i] = dragged(x.driven[i], u.disp[i], p.half)

    @kernel
    def update(u, x, p):
        for i in range(len(u.disp)):
            x.driven[i] = dragged(x.driven[i], u.disp[i], p.half)
