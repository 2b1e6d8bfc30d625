"""Storey springs of a shear building, linear (STOREYS) or Bouc-Wen (STOREYS_BOUCWEN).

    e_i = u_i - u_{i-1}                    drift of storey i, u_0 = 0 at the ground
    s_i = k_i e_i                          linear storey shear
    s_i = alpha k_i e_i + (1 - alpha) k_i u_y z_i,   z_i as in BOUCWEN
    r_i = s_i - s_{i+1}                    restoring force of floor i, s_{n+1} = 0

The stiffness matrix is tridiagonal: the work grows with n, not with n^2, so thousands of storeys fit in a tick.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.specimens import bouc_wen
from hybsim.errors import ParameterError
from hybsim.kernel import Function, Integer, Params, Ports, Positive, Prepared, Sampled, State, Vector, kernel

INS = Ports(disp="floor displacements u, from the ground up")
OUTS = Ports(force="restoring forces r of the floors")


class Storeys(Function):
    """Linear storey springs of a shear building with any number of floors."""

    ins = INS
    outs = OUTS
    params = Params(
        stiffness=Vector("storey stiffness k from the ground up: one number for all or one each"),
        floors=Integer("number of floors n", at_least=1),
    )
    example = dict(stiffness=10.0, floors=3)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(
            p=dict(k=storey_stiffness(q.stiffness, q.floors)),
            widths=dict(disp=q.floors, force=q.floors),
            structure=dict(floors=q.floors),
        )

    @kernel
    def outputs(u, x, p, y):
        shear = p.k[0] * u.disp[0]
        for i in range(p.floors - 1):
            above = p.k[i + 1] * (u.disp[i + 1] - u.disp[i])
            y.force[i] = shear - above
            shear = above
        y.force[p.floors - 1] = shear


class StoreysBoucWen(Sampled):
    """Bouc-Wen storey springs of a shear building with any number of floors."""

    ins = INS
    outs = OUTS
    params = Params(
        **(bouc_wen.PARAMS | dict(stiffness=Storeys.params["stiffness"], yield_disp=Positive("yield drift u_y"))),
        floors=Storeys.params["floors"],
    )
    state = State()
    example = dict(stiffness=10.0, yield_disp=1.0, alpha=0.1, floors=3)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        k = storey_stiffness(q.stiffness, q.floors)
        unit = bouc_wen.prepared(cls.__name__, SimpleNamespace(**(vars(q) | dict(stiffness=1.0))), cls.state)
        return Prepared(
            p=dict(unit.p, k=k),
            x=dict(drift=np.zeros(q.floors), z=np.zeros(q.floors)),
            widths=dict(disp=q.floors, force=q.floors),
            structure=dict(floors=q.floors),
        )

    @kernel
    def outputs(u, x, p, y):
        below = 0.0
        for i in range(p.floors):
            drift = u.disp[i] - below
            below = u.disp[i]
            z = bouc_wen.advance(x.z[i], (drift - x.drift[i]) / p.uy, p.steps_per_uy, p.beta, p.gamma, p.n)
            y.force[i] = p.k[i] * (p.elastic * drift + p.hysteretic * z)
        for i in range(p.floors - 1):
            y.force[i] = y.force[i] - y.force[i + 1]

    @kernel
    def update(u, x, p):
        below = 0.0
        for i in range(p.floors):
            drift = u.disp[i] - below
            below = u.disp[i]
            x.z[i] = bouc_wen.advance(x.z[i], (drift - x.drift[i]) / p.uy, p.steps_per_uy, p.beta, p.gamma, p.n)
            x.drift[i] = drift


def storey_stiffness(stiffness: np.ndarray, floors: int) -> np.ndarray:
    """One stiffness a storey, all of them positive."""
    if len(stiffness) not in (1, floors):
        raise ParameterError(
            f"A building of {floors} floors has {len(stiffness)} storey stiffnesses; give one number, or {floors}."
        )
    if stiffness.min() <= 0.0:
        raise ParameterError(f"A storey stiffness must be greater than 0, got {stiffness.min():g}.")
    return np.full(floors, stiffness[0]) if len(stiffness) == 1 else stiffness
