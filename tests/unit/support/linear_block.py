"""A block as the linear system it stands for, with its matrix of responses H = C (s I - A)^-1 B + D.

In time x' = A x + B u; at ticks x_{k+1} = A x_k + B u_k, with z in the place of s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Response = Callable[[complex], np.ndarray]


def linear(block: Any, size: float = 1.0) -> Response:
    """All outputs over all inputs, from the derivative and outputs of a block in time.

    size: of the states and inputs at which they are asked for, one at a time
    """
    ends = np.cumsum([block.widths.get(port, 1) for port in block.ins])
    n = block.getstate0().size
    rates, shown = [], []
    for unit in size * np.eye(n + ends[-1]):
        x, u = unit[:n], np.split(unit[n:], ends[:-1])
        rates.append(block.deriv(0.0, u, x) / size)
        shown.append(np.concatenate([np.ravel(value) for value in block.output(0.0, u, x)]) / size)
    (a, b), (c, d) = (np.split(np.array(rows).T, [n], axis=1) for rows in (rates, shown))
    return _response(a, b, c, d)


def held(block: Any) -> Response:
    """The same from the matrices a, b, c and d that a block keeps as its parameters."""
    return _response(*(block._prepared.p[name] for name in "abcd"))


def _response(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> Response:
    return lambda s: c @ np.linalg.solve(s * np.eye(len(a)) - a, b) + d
