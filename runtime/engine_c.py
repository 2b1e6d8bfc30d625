"""The C engine: the emitted source as a loaded library, run in chunks of ticks."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from .build import load
from .emit import OUTPUTS, PHASES
from .graph import Graph
from .result import Stop

CHUNK = 65536
"""Ticks between two looks at the numbers; between them nothing holds Python's lock."""

_double_p = ctypes.c_void_p


class CEngine:
    """A compiled program; safe to use from many threads at once, since all data is passed in."""

    def __init__(self, graph: Graph, source: str, places: list[str]) -> None:
        self.graph, self.places = graph, places
        library = load(source, name=graph.name)
        self.step = library.hs_run
        self.step.argtypes = [_double_p, _double_p, ctypes.c_int64, ctypes.c_int64, _double_p, _double_p]
        self.step.restype = ctypes.c_int64
        self.finite = library.hs_all_finite
        self.finite.argtypes = [_double_p, ctypes.c_int64]
        self.finite.restype = ctypes.c_int64
        self.many = library.hs_sweep
        self.many.argtypes = [ctypes.c_int64] * 3 + [_double_p] * 4 + [ctypes.c_int64] + [_double_p] * 5
        self.many.restype = None

    def run(
        self, p: np.ndarray, x: np.ndarray, rows: np.ndarray, progress: Callable[[int], None] | None = None
    ) -> Stop | None:
        """Fill `rows` from the parameters `p` and the state `x`, which is left as it is at the end."""
        ticks, width = rows.shape
        stopped = ctypes.c_int64(0)
        k = 0
        while k < ticks:
            wanted = min(CHUNK, ticks - k)
            n = self.step(p.ctypes.data, x.ctypes.data, k, wanted, rows[k:].ctypes.data, ctypes.addressof(stopped))
            fault = stopped.value if n < wanted else 0
            readable = n + (1 if fault and (fault >> 32) % PHASES != OUTPUTS else 0)
            if not self.finite(rows[k:].ctypes.data, readable * width):
                return first_non_finite(self.graph, rows[k : k + readable], k)
            if fault:
                return self.fault(fault, k + n)
            k += n
            if progress:
                progress(k)
        return None

    def fault(self, code: int, tick: int) -> Stop:
        """What the emitted code says of a kernel that stopped the run."""
        node = self.graph.nodes[(code >> 32) // PHASES]
        return Stop(tick, tick * self.graph.dt, node.name, "", self.places[(code & 0xFFFFFFFF) - 1])


def first_non_finite(graph: Graph, rows: np.ndarray, tick: int) -> Stop:
    """The first nan or inf: earliest tick, and there the first output in the order of computation."""
    bad = ~np.isfinite(rows)
    row = int(np.argmax(bad.any(axis=1)))
    for step in graph.steps:
        for name in step.outputs:
            signal = step.node.outputs[name]
            values = rows[row, signal.column : signal.column + signal.width]
            if not np.isfinite(values).all():
                value = values[~np.isfinite(values)][0]
                return Stop(tick + row, (tick + row) * graph.dt, step.node.name, name, f"became {value}")
    raise AssertionError("every column belongs to an output")
