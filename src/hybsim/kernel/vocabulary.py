"""The words a block is written in: Ports, State, Prepared and the mark @kernel.

A block declares its ports, parameters and state, and gives its numerics as plain functions::

    outputs(u, x, p, y[, t])      y = g(u, x, p)          pure
    update(u, x, p[, t])          x <- f(u, x, p)         in place, in source order
    derivative(u, x, p, dx[, t])  dx/dt = f(u, x, p)      continuous blocks

`assert condition, "reason"` in `update` or `derivative` stops the run where the condition does not hold.
`u`, `x`, `p`, `y`, `dx` hold named fields: numbers, vectors `v[i]` or matrices `a[i, j]`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

Value = float | int | np.ndarray


class Ports(dict[str, str]):
    """Port names in order, each with a line of prose: `Ports(disp="applied displacement")`."""

    def __init__(self, **prose: str) -> None:
        super().__init__(prose)


class State(dict[str, float]):
    """State names with their initial values; vectors get theirs from `prepare`."""

    def __init__(self, **initial: float) -> None:
        super().__init__(initial)


@dataclass(frozen=True)
class Prepared:
    """What a block's parameters become for one tick length: the numbers its kernels see.

    p          kernel parameters: floats, ints, vectors, matrices
    x          initial state: floats or vectors
    widths     ports that carry vectors, with their length; all others are single numbers
    structure  integers fixed when the program is built (orders, flags), read as `p.<name>`
    """

    p: Mapping[str, Value] = field(default_factory=dict)
    x: Mapping[str, Value] = field(default_factory=dict)
    widths: Mapping[str, int] = field(default_factory=dict)
    structure: Mapping[str, int] = field(default_factory=dict)


def kernel(function: F) -> F:
    """Mark a function as numerics that hybsim translates; it stays an ordinary Python function."""
    function.__hybsim_kernel__ = True  # type: ignore[attr-defined]
    return function


def is_kernel(function: object) -> bool:
    return getattr(function, "__hybsim_kernel__", False) is True


def zeros(*shape: int) -> np.ndarray:
    """A local vector or matrix of zeros inside a kernel; its shape must be known when the program is built."""
    return np.zeros(shape)
