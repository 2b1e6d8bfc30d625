"""The C engine: the emitted source as a loaded library, run in chunks of ticks."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hybsim.kernel import ExternalFault
from hybsim.runtime.build import load
from hybsim.runtime.emitter import PHASES
from hybsim.runtime.graph import Graph
from hybsim.runtime.result import Stop
from hybsim.runtime.sessions import Sessions, called_back

CHUNK = 65536
"""Ticks a call computes; meanwhile nothing holds Python's lock."""

CACHED = 16384
"""Bytes of rows computed before they are looked at for nan and inf: they stay in the fastest cache."""

REPORTED = 256
"""Ticks a call computes when each waits for an answer from outside: then progress is worth telling."""

_double_p = ctypes.c_void_p


class Loops:
    """The compiled loops of a program; safe to use from many threads at once, since all data is passed in."""

    def __init__(self, source: str, name: str, columns: int) -> None:
        self.library = library = load(source, name=name)
        self.columns = max(columns, 1)
        # Rows computed between two looks at them.
        self.chunk = max(16, CACHED // (8 * self.columns))
        self.ticks = library.hs_run_checked
        self.ticks.argtypes = [_double_p] * 2 + [ctypes.c_int64] * 3 + [_double_p] * 2
        self.ticks.restype = ctypes.c_int64
        self.many = library.hs_sweep
        self.many.argtypes = [ctypes.c_int64] * 3 + [_double_p] * 4 + [ctypes.c_int64] + [_double_p] * 5
        self.many.restype = None

    def sweep(self, p: np.ndarray, x: np.ndarray, columns: np.ndarray, kept: np.ndarray) -> Swept:
        """Runs from the parameters and states in the rows of `p` and `x`; fills `kept` (runs, columns, ticks).

        Of a run that stops early, the ticks after its last are left as they are.
        """
        runs, _, ticks = kept.shape
        found = Swept(
            np.full((runs, self.columns), np.nan), np.zeros((runs, self.columns)),
            np.zeros(runs, np.int64), np.zeros(runs, np.int64),
        )  # fmt: skip
        scratch = np.zeros(self.chunk * self.columns + 8)
        self.many(
            runs, ticks, self.chunk, p.ctypes.data, x.ctypes.data, scratch.ctypes.data,
            columns.ctypes.data, columns.size, kept.ctypes.data, found.last.ctypes.data,
            found.peak.ctypes.data, found.done.ctypes.data, found.fault.ctypes.data,
        )  # fmt: skip
        return found


class Swept(NamedTuple):
    """Of every run: last row, largest magnitudes, finished ticks, and where a kernel stopped it (0: nowhere)."""

    last: np.ndarray
    peak: np.ndarray
    done: np.ndarray
    fault: np.ndarray


class CEngine(Loops):
    """The loops of a diagram, with the names of what is in it."""

    def __init__(self, graph: Graph, source: str, places: list[str]) -> None:
        super().__init__(source, graph.name, graph.columns)
        self.graph, self.places = graph, places
        if graph.externals:
            self.chunk = 1  # what is outside must not be driven on after a nan

    def run(
        self,
        p: np.ndarray,
        x: np.ndarray,
        rows: np.ndarray,
        progress: Callable[[int], None] | None = None,
        sessions: Sessions | None = None,
    ) -> Stop | None:
        """Fill `rows` from the parameters `p` and the state `x`, which is left as it is at the end."""
        if not self.graph.externals:
            return self._run(p, x, rows, progress)
        sessions = sessions or Sessions(self.graph)
        with called_back(self.library, sessions) as answers:
            stopped = self._run(p, x, rows, progress)
        if answers.failed is not None and not isinstance(answers.failed, ExternalFault):
            raise answers.failed
        if stopped is not None and answers.failed is not None:
            return replace(stopped, reason=str(answers.failed))
        return stopped

    def _run(
        self, p: np.ndarray, x: np.ndarray, rows: np.ndarray, progress: Callable[[int], None] | None
    ) -> Stop | None:
        ticks = len(rows)
        stopped = ctypes.c_int64(0)
        k = 0
        while k < ticks:
            wanted = min(CHUNK if not self.graph.externals else REPORTED, ticks - k)
            n = self.ticks(
                p.ctypes.data, x.ctypes.data, k, wanted, self.chunk, rows[k:].ctypes.data, ctypes.addressof(stopped)
            )
            k += n
            if n < wanted and stopped.value:
                return self.fault(stopped.value, k)
            if n < wanted:
                return first_non_finite(self.graph, rows[k : k + 1], k)
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
