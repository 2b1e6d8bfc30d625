"""A half of a cut diagram as a C table of functions, for the loop: outputs and update of a tick, apart.

    hs_SYMBOL.outputs(p, x, k, row)     all signals of tick k into `row`; 0, or where a kernel stopped
    hs_SYMBOL.update(p, x, k, row)      the states to tick k + 1

Between the two the guard decides. `outputs` is pure but for the held outputs of blocks on slower clocks, which it
writes again with the same values: it may be called several times at one tick.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hybsim.runtime.c_sources import text
from hybsim.runtime.emitter import Piece
from hybsim.runtime.graph import Graph
from hybsim.runtime.layout import Layout
from hybsim.runtime.parted_emitter import PartedEmitter
from hybsim.runtime.solvers import Rule


class StepEmitter(PartedEmitter):
    """Writes a program whose ticks are made from outside."""

    def __init__(self, graph: Graph, layout: Layout, rule: Rule, symbol: str) -> None:
        super().__init__(graph, layout, rule)
        self.symbol = symbol

    def closing(self) -> str:
        return "\n".join(
            [
                text("program.h"),
                f"const hs_program hs_{self.symbol} = {{",
                "    HS_SIGNALS, HS_PARAMETERS, HS_STATES, hs_outputs, hs_update,",
                "};",
                "",
            ]
        )

    def run_function(self) -> None:
        updated = [node for node in self.graph.nodes if "update" in node.kernels.functions]
        self.phase("outputs", [partial(self.step, step) for step in self.graph.steps])
        self.phase("update", [partial(self.update, node) for node in updated])

    def phase(self, title: str, pieces: Sequence[Piece]) -> None:
        w = self.write
        arguments = "const double *restrict p, double *restrict x, int64_t k, double *restrict row"
        w(0, f"static int64_t hs_{title}({arguments})")
        w(0, "{")
        w(1, "const double h = p[0], t = (double)k * h; (void)t; (void)h;")
        w(1, "double *const hold = x, *const y = row; (void)hold; (void)y;")
        w(1, "int64_t fault = 0;")
        start = len(self.lines)
        self.sequence(1, title, pieces)
        if title == "outputs":
            self.log(1)
        elif self.layout.continuous:
            self.integrate(1)
        if any("goto stopped" in line for line in self.lines[start:]):
            w(0, "stopped:;")
        w(1, "return fault;")
        w(0, "}")
