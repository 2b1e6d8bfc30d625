"""The sessions of a run: opened before its first tick, asked once a tick, closed however it ends.

    with Sessions(graph, changes) as sessions:         opens one for every external block
        sessions.step(node, t, inputs)                 all outputs; ExternalFault where there is no answer

The C engine asks through a function pointer of its thread. An exception must not pass through C: it is kept, the
program stops, and the engine raises it, or takes the reason from it, afterwards.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np

from hybsim.errors import RunError
from hybsim.kernel import ExternalFault, Session
from hybsim.runtime.graph import Graph, Node

Answer = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.c_int64,
    ctypes.c_double,
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_double),
)


class Sessions:
    """The sessions of one run, by node."""

    def __init__(self, graph: Graph, changes: Mapping[Node, Mapping[str, Any]] | None = None) -> None:
        self.graph, self.changes = graph, changes or {}
        self._open: dict[int, Session] = {}

    def __enter__(self) -> Sessions:
        try:
            for node in self.graph.externals:
                assert node.spec.open is not None
                values = {**node.spec.parameters, **self.changes.get(node, {})}
                self._open[node.index] = node.spec.open(values, node.every * self.graph.dt, node.name)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()

    def step(self, node: Node, t: float, inputs: Sequence[float] | np.ndarray) -> list[float]:
        """All outputs of a block at one tick; nan or inf is not sent out, and comes back as nan."""
        session = self._open.get(node.index)
        if session is None:
            raise RunError(f"Block {node.name!r} is computed outside the program and was not opened; use run().")
        wanted = sum(signal.width for signal in node.outputs.values())
        values = [float(value) for value in inputs]
        if not all(map(math.isfinite, values)):
            return [math.nan] * wanted
        found = [float(value) for value in session.step(t, values)]
        if len(found) != wanted:
            raise ExternalFault(f"the answer has {len(found)} number(s) where {wanted} are wanted")
        return found


@dataclass
class Answers:
    """What went wrong in a callback, kept until C has returned."""

    failed: BaseException | None = None


@contextmanager
def called_back(library: ctypes.CDLL, sessions: Sessions) -> Iterator[Answers]:
    """The emitted code of this thread asks these sessions."""
    answers = Answers()
    widths = {node.index: sum(s.width for s in node.inputs.values()) for node in sessions.graph.externals}

    def answer(index: int, t: float, out: Any, into: Any) -> int:
        try:
            found = sessions.step(sessions.graph.nodes[index], t, out[: widths[index]])
            for i, value in enumerate(found):
                into[i] = value
        except BaseException as error:  # also an interrupt by the user: raised again by the engine
            answers.failed = error
            return 1
        return 0

    pointer = Answer(answer)
    library.hs_ask.argtypes, library.hs_ask.restype = [ctypes.c_void_p], None
    library.hs_ask(ctypes.cast(pointer, ctypes.c_void_p))
    try:
        yield answers
    finally:
        library.hs_ask(None)
