"""A large program as several C functions of PART groups each, which share their signals through memory.

The time a compiler takes grows faster than the length of a function. Signals have their places in the row
that is logged; the stages of the integration work on a copy of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybsim.runtime.emitter import Emitter, Piece
from hybsim.runtime.graph import Graph, Signal
from hybsim.runtime.layout import Layout
from hybsim.runtime.local_states import LocalStates
from hybsim.runtime.solvers import Rule

PART = 40
"""Groups in each function."""


class PartedEmitter(Emitter):
    """Writes a program as several functions."""

    unrolled = -1

    def __init__(self, graph: Graph, layout: Layout, rule: Rule) -> None:
        super().__init__(graph, layout, rule)
        self.parts: dict[str, list[str]] = {}

    def local_states(self) -> LocalStates:
        return LocalStates(self.graph, self.layout, self.name_of_state, most=0)

    def sequence(self, depth: int, title: str, pieces: Sequence[Piece]) -> None:
        if title not in self.parts:
            self.parts[title] = [
                self.part(f"hs_{title}_{start // PART}", pieces[start : start + PART])
                for start in range(0, len(pieces), PART)
            ]
        slopes = "hs_k" if title == "derivative" else "0"
        for name in self.parts[title]:
            call = f"{name}(p, x, {slopes}, y, hold, k, t)"
            self.write(depth, f"if (HS_UNLIKELY((fault = {call}) != 0)) goto stopped;")

    def part(self, name: str, pieces: Sequence[Piece]) -> str:
        """A function of some groups; gives what `hs_run` leaves in *stopped."""
        outer, self.lines = self.lines, []
        w = self.write
        w(0, f"static __attribute__((noinline)) int64_t {name}(const double *restrict p, double *restrict x,")
        w(1, "double *restrict hs_k, double *restrict y, double *hold, int64_t k, double t)")
        w(0, "{")
        w(1, "int64_t fault = 0, blame = 0;")
        for piece in pieces:
            piece(1)
        self.label_stop()
        w(1, "return fault | blame << 32;")
        w(0, "}")
        self.functions += self.lines
        self.lines = outer
        return name

    def storage(self, signal: Signal) -> str:
        if self.is_held(signal):
            return super().storage(signal)
        return f"(y + {signal.column})" if signal.vector else f"y[{signal.column}]"

    def open_tick(self, depth: int) -> None:
        self.write(depth, "double *const y = row;")

    def log(self, depth: int) -> None:
        self.log_signals([signal for signal in self.graph.signals if self.is_held(signal)], depth)

    def integrate(self, depth: int) -> None:
        self.write(depth, "double hs_y[HS_SIGNALS]; __builtin_memcpy(hs_y, row, sizeof hs_y);")
        super().integrate(depth)

    def open_stage(self, depth: int) -> None:
        self.write(depth, "double *const x = hs_x, *const y = hs_y;")
