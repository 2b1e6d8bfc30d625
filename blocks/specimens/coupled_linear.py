"""Linear specimen with several coupled degrees of freedom.

    r = K u

K stiffness matrix, symmetric and without negative eigenvalues: a specimen that can float may have zero ones, but
none gives energy back on a closed path.

EERC Eq. 7.1 for several degrees of freedom.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from hybsim.kernel import Function, Matrix, Params, Ports, Prepared, kernel

ROUNDING = 1e-9
"""What counts as zero, over the largest entry of the matrix."""


class StiffnessMatrix(Matrix):
    """A number of at least 0 or a symmetric positive semidefinite matrix."""

    def check(self, value: Any) -> np.ndarray | None:
        stiffness = super().check(value)
        assert stiffness is not None
        small = ROUNDING * float(np.abs(stiffness).max())
        if float(np.abs(stiffness - stiffness.T).max()) > small:
            raise ValueError(f"must be symmetric, got {stiffness.tolist()}")
        lowest = float(np.linalg.eigvalsh(stiffness)[0])
        if lowest < -small:
            what = f"got {lowest:g}" if stiffness.size == 1 else f"its lowest eigenvalue is {lowest:g}"
            raise ValueError(f"must be positive semidefinite, {what}; check the signs of its entries")
        return stiffness


class CoupledSprings(Function):
    """Linear specimen with several coupled degrees of freedom."""

    ins = Ports(disp="applied displacements u")
    outs = Ports(force="restoring forces r")
    params = Params(stiffness=StiffnessMatrix("stiffness matrix K"))
    example = dict(stiffness=[[20.0, -10.0], [-10.0, 10.0]])

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        n = len(q.stiffness)
        return Prepared(p=dict(stiffness=q.stiffness), widths=dict(disp=n, force=n))

    @kernel
    def outputs(u, x, p, y):
        # Along the rows of K, which is its own transpose: the compiler can then vectorise the inner loop.
        for i in range(len(u.disp)):
            y.force[i] = p.stiffness[0, i] * u.disp[0]
        for j in range(1, len(u.disp)):
            for i in range(len(u.disp)):
                y.force[i] = y.force[i] + p.stiffness[j, i] * u.disp[j]
