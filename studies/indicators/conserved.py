"""What a linear map keeps as it is, whatever comes in: left out, since nothing can move it from rest.

    v^T A = v^T,   v^T B = 0,   v^T E = 0      so v^T z_k = v^T z_0 = 0
    z = N q with the columns of N normal to all v

A hysteretic specimen has such a quantity near rest: where its spring would come to lie, z - u / u_y of Bouc-Wen. As an
eigenvalue 1 it would look like a motion that never decays.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hybsim.studies.indicators.wired_blocks import Wired

TOLERANCE = 1e-7
"""Of a row of size 1, and of an eigenvalue: slopes are differences of kernels, with errors of some 1e-10."""


def without_conserved(maps: Sequence[Wired]) -> tuple[Wired, ...]:
    """The maps of a period on what can move."""
    from scipy.linalg import matrix_balance

    most = min((int((np.abs(np.linalg.eigvals(m.a) - 1.0) < TOLERANCE).sum()) for m in maps), default=0)
    if most == 0:
        return tuple(maps)
    # States have units of their own: scaled, so that small is small for all of them.
    _, (scale, _) = matrix_balance(sum(np.abs(m.a) for m in maps), permute=False, separate=True)
    rows = np.vstack(
        [part / scale for m in maps for part in (scale[:, None] * (m.a - np.eye(len(m.a))).T, m.b.T, m.e.T)]
    )
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = np.divide(rows, sizes, out=np.zeros_like(rows), where=sizes > 1e-12 * sizes.max())
    _, values, vectors = np.linalg.svd(rows, full_matrices=True)
    small = np.concatenate([values, np.zeros(len(vectors) - len(values))]) < TOLERANCE
    small[: len(small) - most] = False
    if not small.any():
        return tuple(maps)
    into = scale[:, None] * vectors[~small].T  # z = into q
    back = vectors[~small] / scale
    return tuple(
        Wired(back @ m.a @ into, back @ m.b, back @ m.e, m.c @ into, m.d, m.f, m.g @ into, m.h, m.i) for m in maps
    )
