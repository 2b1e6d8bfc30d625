"""Integrals over frequency of functions with narrow peaks, all panels at once.

    int_a^b f(w) dw ~ sum_i v_i f(w_i)            Gauss-Kronrod, 7 and 15 points

The two rules' difference is the error of a panel. Panels with too large a share of it are halved, all of them in one
call of f, until the whole is within the tolerance. The rest up to infinity is integrated over u = 1/w.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_NODES = np.array([
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851, 0.864864423359769072789712788640926,
    0.741531185599394439863864773280788, 0.586087235467691130294144691693001, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0.0,
])  # fmt: skip
_KRONROD = np.array([
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518,
    0.140653259715525918745189590510238, 0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714,
])  # fmt: skip
_GAUSS = np.array([
    0.0, 0.129484966168869693270611432679082, 0.0, 0.279705391489276667901467771423780, 0.0,
    0.381830050505118944950369775488975, 0.0, 0.417959183673469387755102040816327,
])  # fmt: skip
NODES = np.concatenate([-_NODES[:-1], _NODES[::-1]])
KRONROD = np.concatenate([_KRONROD[:-1], _KRONROD[::-1]])
GAUSS = np.concatenate([_GAUSS[:-1], _GAUSS[::-1]])

Integrand = Callable[[np.ndarray], np.ndarray]
"""Values (frequencies, quantities) at some frequencies."""


def integral_to_infinity(f: Integrand, knots: np.ndarray, rtol: float = 1e-9) -> np.ndarray:
    """The integral from the first knot to infinity; f must fall faster than 1/w^2 after the last."""
    first = integral(f, knots, rtol)

    def inverted(u: np.ndarray) -> np.ndarray:
        return f(1.0 / u) / np.square(u)[:, None]

    last = 1.0 / knots[-1]
    return first + integral(inverted, last * np.array([0.0, 0.01, 0.1, 1.0]), rtol, offset=first)


def integral(f: Integrand, knots: np.ndarray, rtol: float = 1e-9, offset: np.ndarray | None = None) -> np.ndarray:
    """The integral over all panels between the knots, each quantity to `rtol` of itself plus `offset`."""
    low, high = knots[:-1], knots[1:]
    total: np.ndarray | float = 0.0
    known: np.ndarray | float = 0.0 if offset is None else np.abs(offset)
    span = float(knots[-1] - knots[0])
    while len(low):
        half = 0.5 * (high - low)
        values = f((0.5 * (low + high)[:, None] + half[:, None] * NODES).ravel()).reshape(len(low), len(NODES), -1)
        fine = half[:, None] * np.einsum("j,ijq->iq", KRONROD, values)
        error = np.abs(fine - half[:, None] * np.einsum("j,ijq->iq", GAUSS, values))
        size = known + np.abs(total + fine.sum(axis=0))
        # Gauss' rule of 7 points is far worse than what is kept: its difference overstates the error by far. A panel
        # may have its share of the tolerance by length, or a hundredth of it whatever its length.
        share = np.maximum(2.0 * half[:, None] / span, 0.01)
        good = (error <= np.maximum(rtol * size * share, 1e-300)).all(axis=1)
        good |= half <= 1e-15 * span
        total = total + fine[good].sum(axis=0)
        low, high = low[~good], high[~good]
        middle = 0.5 * (low + high)
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return np.asarray(total)
