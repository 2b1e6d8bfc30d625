"""A program as one C function: a flat step in a loop over ticks.

Signals are local variables named after block and port, states too where there are few (see local_states),
parameters and other states are array elements with named offsets, each block is one group in braces. All
outputs in order, then the log, then all updates, then the integration of continuous states to the next tick.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from hybsim.kernel import ir
from hybsim.runtime.c_backend import CWriter, Places, helper_text, needs_fault, number, remark
from hybsim.runtime.c_external import NO_ANSWER, external_call
from hybsim.runtime.c_sources import text
from hybsim.runtime.graph import Graph, Node, Signal, Step
from hybsim.runtime.layout import Layout
from hybsim.runtime.local_states import LocalStates
from hybsim.runtime.solvers import Rule

UNROLLED = 24
"""Integration stages are written out one by one up to this many minor steps; beyond, they loop."""

OUTPUTS, UPDATE, DERIVATIVE = 0, 1, 2
PHASES = 3

Piece = Callable[[int], None]
"""Writes one group at a depth of indentation."""


RESERVED = re.compile(r"(x|p|k|t|h|row|fault|round)$|hs(_|$)|HS(_|$)|u?int\d|U?INT\d")
"""Names the emitted code needs for itself."""


class Emitter:
    """Writes a program as one function."""

    unrolled = UNROLLED

    def __init__(self, graph: Graph, layout: Layout, rule: Rule) -> None:
        self.graph, self.layout, self.rule = graph, layout, rule
        self.places = Places()
        self.names: dict[object, str] = {}
        self.taken: set[str] = set()
        for node in graph.nodes:
            self.names[node] = self.unique(node.name)
        for signal in graph.signals:
            self.names[signal] = self.unique(f"{self.names[graph.nodes[signal.node]]}_{signal.port}")
        self.places_of: dict[tuple[str, int, str], str] = {}
        for prefix, table in (("P", layout.p), ("X", layout.x), ("H", layout.held)):
            for index, name in table:
                self.places_of[prefix, index, name] = self.unique(f"{prefix}_{self.names[graph.nodes[index]]}_{name}")
        self.local = self.local_states()
        self.helpers: dict[ir.Function, str] = {}
        self.functions: list[str] = []
        self.lines: list[str] = []

    def unique(self, text: str) -> str:
        name = re.sub(r"\W+", "_", text).strip("_") or "block"
        name = f"b_{name}" if name[0].isdigit() or RESERVED.match(name) else name
        candidate, n = name, 2
        while candidate in self.taken:
            candidate, n = f"{name}_{n}", n + 1
        self.taken.add(candidate)
        return candidate

    def local_states(self) -> LocalStates:
        return LocalStates(self.graph, self.layout, self.name_of_state)

    def name_of_state(self, way: str, index: int, field: str) -> str:
        return self.unique(f"{way}_{self.names[self.graph.nodes[index]]}_{field}")

    def write(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    # the whole source ---------------------------------------------------------------------

    def source(self) -> str:
        self.collect_helpers()
        helper_lines = [line for f, _ in self.helpers.items() for line in helper_text(f, self.helpers, self.places)]
        self.run_function()
        head = [
            f"/* hybsim program {remark(repr(self.graph.name))}: {len(self.graph.nodes)} blocks,"
            f" {self.graph.columns} logged numbers a tick, solver {self.rule.name}. */",
            text("prelude.h"),
            *(text("external.h") for _ in self.graph.externals[:1]),
            *self.offsets(),
            *helper_lines,
        ]
        return "\n".join([*head, *self.functions, *self.lines, "", self.closing()])

    def closing(self) -> str:
        """What stands on the functions of the program."""
        return text("driver.c")

    def collect_helpers(self) -> None:
        def visit(function: ir.Function) -> None:
            for helper in function.helpers:
                visit(helper)
                if helper not in self.helpers:
                    self.helpers[helper] = self.unique(f"{helper.name}_k")

        for node in self.graph.nodes:
            for function in node.kernels.functions.values():
                visit(function)

    def offsets(self) -> list[str]:
        lines = [f"enum {{ HS_SIGNALS = {max(self.graph.columns, 1)}, HS_PARAMETERS = {self.layout.parameters},"
                 f" HS_STATES = {max(self.layout.states, 1)}, HS_CONTINUOUS = {self.layout.continuous} }};",
                 f"#define HS_IN_UPDATE(fault) ((fault) != 0 && ((fault) >> 32) % {PHASES} != {OUTPUTS})"]  # fmt: skip
        for prefix, table in (("P", self.layout.p), ("X", self.layout.x), ("H", self.layout.held)):
            if table:
                entries = [f"{self.places_of[prefix, i, f]} = {o}" for (i, f), o in table.items()]
                lines += ["enum {", *(f"    {e}," for e in entries), "};"]
        return lines

    def run_function(self) -> None:
        w = self.write
        w(0, "/* Ticks k0 to k0 + n - 1; returns how many were finished, with where it stopped in *stopped. */")
        w(
            0,
            "int64_t hs_run(const double *restrict p, double *restrict x, int64_t k0, int64_t n, double *restrict row,",
        )
        w(0, "               int64_t *stopped)")
        w(0, "{")
        w(1, "const double h = p[0];")
        w(1, "double *const hold = x; (void)hold;")
        w(1, "int64_t fault = 0, blame = 0, k = k0;")
        for key, state in self.local.items():
            w(1, state.load(self.places_of["X", *key]))
        w(1, "for (; k < k0 + n; k++, row += HS_SIGNALS) {")
        w(2, "const double t = (double)k * h; (void)t;")
        self.open_tick(2)
        self.sequence(2, "outputs", [partial(self.step, step) for step in self.graph.steps])
        self.log(2)
        updated = [node for node in self.graph.nodes if "update" in node.kernels.functions]
        self.sequence(2, "update", [partial(self.update, node) for node in updated])
        if self.layout.continuous:
            self.integrate(2)
        w(1, "}")
        self.label_stop()
        for key, state in self.local.items():
            w(1, state.store(self.places_of["X", *key]))
        w(1, "if (fault) *stopped = fault | blame << 32;")
        w(1, "return k - k0;")
        w(0, "}")

    def label_stop(self) -> None:
        if any("goto stopped" in line for line in self.lines):
            self.write(0, "stopped:;")

    # pieces -------------------------------------------------------------------------------

    def open_tick(self, depth: int) -> None:
        self.declare(self.graph.signals, depth)

    def open_stage(self, depth: int) -> None:
        for line in self.local.within_stage():
            self.write(depth, line)
        self.declare([step.node.outputs[o] for step in self.graph.minor for o in step.outputs], depth)

    def sequence(self, depth: int, title: str, pieces: Sequence[Piece]) -> None:
        """Groups one after the other."""
        for piece in pieces:
            piece(depth)

    def declare(self, signals: list[Signal], depth: int) -> None:
        for signal in signals:
            if not self.is_held(signal):
                self.write(depth, f"double {self.names[signal]}{f'[{signal.width}]' if signal.vector else ''};")

    def is_held(self, signal: Signal) -> bool:
        return self.graph.nodes[signal.node].every > 1

    def storage(self, signal: Signal) -> str:
        """The C name of a signal: a variable, or its place among the held outputs."""
        if not self.is_held(signal):
            return self.names[signal]
        offset = self.places_of["H", signal.node, signal.port]
        return f"(hold + {offset})" if signal.vector else f"hold[{offset}]"

    def field_of(self, node: Node) -> Callable[[ir.Field], str]:
        def field(ref: ir.Field) -> str:
            array = isinstance(ref.type, ir.Array)
            if ref.group == "u":
                source = node.inputs[ref.name]
                text = self.storage(source)
                if array and not source.vector:
                    return f"(&{text})"
                return f"{text}[0]" if source.vector and not array else text
            if ref.group == "y":
                return self.storage(node.outputs[ref.name])
            state = self.local.get((node.index, ref.name))
            if state is not None and ref.group != "p":
                name = state.name if ref.group == "x" else state.slope
                return f"(&{name})" if array and state.size is None else name
            vector, prefix = {"p": ("p", "P"), "x": ("x", "X"), "dx": ("hs_k", "X")}[ref.group]
            element = self.places_of[prefix, node.index, ref.name]
            if array:
                return f"({vector} + {element})"
            return f"(int64_t){vector}[{element}]" if ref.type == "int" else f"{vector}[{element}]"

        return field

    def group(self, node: Node, function: ir.Function, depth: int, phase: int, title: str) -> None:
        writer = CWriter(function, self.places, self.helpers, self.field_of(node), "&fault")
        writer.declarations(depth + 1)
        writer.statements(function.body, depth + 1)
        self.write(depth, f"{self.at_ticks_of(node)}{{ /* {remark(f'{node.name}: {node.spec.type} {title}')} */")
        self.lines += writer.lines
        if needs_fault(function):
            self.write(depth + 1, f"if (HS_UNLIKELY(fault)) {{ blame = {node.index * PHASES + phase}; goto stopped; }}")
        self.write(depth, "}")

    @staticmethod
    def at_ticks_of(node: Node) -> str:
        return f"if (k % {node.every} == 0) " if node.every > 1 else ""

    def step(self, step: Step, depth: int) -> None:
        if step.node.spec.open is not None:
            self.outside(step.node, depth)
            return
        for output in step.outputs:
            signal = step.node.outputs[output]
            if signal.vector:
                clear = f"__builtin_memset({self.storage(signal)}, 0, {signal.width} * sizeof(double));"
                self.write(depth, self.at_ticks_of(step.node) + clear)
        self.group(step.node, step.function, depth, OUTPUTS, ", ".join(step.outputs))

    def outside(self, node: Node, depth: int) -> None:
        """Ask what is outside for all outputs; see runtime/c/external.h."""
        place = self.places.number(NO_ANSWER)
        stop = f"fault = {place}; blame = {node.index * PHASES + OUTPUTS}; goto stopped;"
        self.write(depth, f"{self.at_ticks_of(node)}{{ /* {remark(f'{node.name}: {node.spec.type}, outside')} */")
        for line in external_call(node, self.storage, stop):
            self.write(depth + 1, line)
        self.write(depth, "}")

    def update(self, node: Node, depth: int) -> None:
        self.group(node, node.kernels.functions["update"], depth, UPDATE, "update")

    def log(self, depth: int) -> None:
        self.log_signals(self.graph.signals, depth)

    def log_signals(self, signals: list[Signal], depth: int) -> None:
        for signal in signals:
            text = self.storage(signal)
            if not signal.vector:
                self.write(depth, f"row[{signal.column}] = {text};")
            elif signal.width <= 4:
                for i in range(signal.width):
                    self.write(depth, f"row[{signal.column + i}] = {text}[{i}];")
            else:
                self.write(depth, f"for (int64_t i = 0; i < {signal.width}; i++) row[{signal.column} + i] = {text}[i];")

    def integrate(self, depth: int) -> None:
        """Continuous states to the next tick; the first stage uses the signals just computed."""
        w, rule = self.write, self.rule
        for line in self.local.slopes():
            w(depth, line)
        self.derivatives(depth)
        self.each(depth, f"{{sum}} = {number(rule.b[0])} * {{slope}};")
        if len(rule.a) > 0 and len(self.graph.minor) <= self.unrolled:
            for a, b in zip(rule.a, rule.b[1:], strict=True):
                w(depth, "{")
                self.stage(depth + 1, number(a), number(b))
                w(depth, "}")
        elif rule.a:
            w(depth, f"static const double hs_a[] = {{{', '.join(map(number, rule.a))}}};")
            w(depth, f"static const double hs_b[] = {{{', '.join(map(number, rule.b[1:]))}}};")
            w(depth, f"for (int stage = 0; stage < {len(rule.a)}; stage++) {{")
            self.stage(depth + 1, "hs_a[stage]", "hs_b[stage]")
            w(depth, "}")
        self.each(depth, "{x} = {x} + h * {sum};")

    def stage(self, depth: int, a: str, b: str) -> None:
        w = self.write
        w(depth, "double hs_x[HS_CONTINUOUS];")
        self.each(depth, f"hs_x[{{i}}] = {{x}} + h * {a} * {{slope}};")
        self.each(depth, "{slope} = 0.0;")
        w(depth, "{")
        w(depth + 1, f"const double t = (double)k * h + {a} * h; (void)t;")
        self.open_stage(depth + 1)
        self.sequence(depth + 1, "minor", [partial(self.step, step) for step in self.graph.minor])
        self.derivatives(depth + 1)
        w(depth, "}")
        self.each(depth, f"{{sum}} = {{sum}} + {b} * {{slope}};")

    def each(self, depth: int, statement: str) -> None:
        """A statement for every continuous state."""
        for line in self.local.each(statement):
            self.write(depth, line)

    def derivatives(self, depth: int) -> None:
        continuous = [node for node in self.graph.nodes if node.spec.kind == "continuous"]
        self.sequence(depth, "derivative", [partial(self.derivative, node) for node in continuous])

    def derivative(self, node: Node, depth: int) -> None:
        self.group(node, node.kernels.functions["derivative"], depth, DERIVATIVE, "derivative")
