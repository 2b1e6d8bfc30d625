"""Large arrays that are used again: memory fresh from the system is cleared page by page, which costs a third of a run.

    array = fresh(runs, columns, ticks)      not initialised

Its memory goes back to its thread when the last array that looks at it is gone, and is given out again.
"""

from __future__ import annotations

import math
import threading

import numpy as np

MOST_KEPT = 8
"""Pieces of memory a thread keeps."""


class _Kept(threading.local):
    def __init__(self) -> None:
        self.pieces: list[np.ndarray] = []


class _Lent:
    """A piece that arrays are made of; NumPy holds it as long as one of them exists."""

    def __init__(self, piece: np.ndarray, home: list[np.ndarray]) -> None:
        self.piece, self.home = piece, home
        self.__array_interface__ = piece.__array_interface__

    def __del__(self) -> None:
        if len(self.home) < MOST_KEPT:
            self.home.append(self.piece)


_kept = _Kept()


def fresh(*shape: int) -> np.ndarray:
    """An array of floats whose content is not defined."""
    size, home = math.prod(shape), _kept.pieces
    fitting = [i for i, piece in enumerate(home) if piece.size >= size]
    piece = home.pop(min(fitting, key=lambda i: home[i].size)) if fitting else np.empty(size)
    return np.asarray(_Lent(piece, home))[:size].reshape(shape)
