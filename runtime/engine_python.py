"""The Python engine: the same program, interpreted block by block, for the debugger and as a fallback.

Each block keeps its own u, x, p, y; a tick computes all outputs in order, checks and logs them,
updates all states, and integrates the continuous ones, exactly as the emitted C does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from hybsim.kernel import ExternalFault, Prepared
from hybsim.kernel.ieee import KernelFault
from hybsim.kernel.spec import blank, fresh
from hybsim.runtime.graph import Graph, Node, Step
from hybsim.runtime.result import Stop
from hybsim.runtime.sessions import Sessions
from hybsim.runtime.solvers import Rule


@dataclass
class Live:
    """A block while it runs."""

    node: Node
    u: SimpleNamespace
    x: SimpleNamespace
    p: SimpleNamespace
    y: SimpleNamespace
    dx: SimpleNamespace


class PythonEngine:
    def __init__(self, graph: Graph, rule: Rule, prepared: list[Prepared], sessions: Sessions | None = None) -> None:
        self.graph, self.rule = graph, rule
        self.sessions = sessions or Sessions(graph)
        self.live = [self._live(node, numbers) for node, numbers in zip(graph.nodes, prepared, strict=True)]
        self.sampled = [v for v in self.live if "update" in v.node.kernels.functions]
        self.continuous = [v for v in self.live if v.node.spec.kind == "continuous"]
        self.steps = [self._step(s) for s in graph.steps]
        self.minor = [self._step(s) for s in graph.minor]

    def _live(self, node: Node, numbers: Prepared) -> Live:
        return Live(
            node,
            u=blank(node.spec.ins, numbers.widths),
            x=fresh_state(numbers),
            p=fresh({**numbers.p, **numbers.structure}),
            y=blank(node.spec.outs, numbers.widths),
            dx=fresh_state(numbers),
        )

    def _step(self, step: Step) -> tuple[Live, Callable[..., Any], tuple[str, ...]]:
        live = self.live[step.node.index]
        if step.node.spec.open is not None:
            return live, partial(self._outside, live), step.outputs
        return live, step.node.kernels.python("outputs", step.function), step.outputs

    def _outside(self, live: Live, u: SimpleNamespace, x: Any, p: Any, y: SimpleNamespace, t: float) -> None:
        """The outputs of a block that is computed outside the program."""
        inputs = np.array([n for name in live.node.spec.ins for n in np.ravel(getattr(u, name)).tolist()])
        try:
            found = self.sessions.step(live.node, t, inputs)
        except ExternalFault as fault:
            raise Faulted(live.node, str(fault)) from None
        first = 0
        for name, signal in live.node.outputs.items():
            part = found[first : first + signal.width]
            setattr(y, name, part if signal.vector else part[0])
            first += signal.width

    def _feed(self, live: Live) -> None:
        """Copy the signals on a block's input wires to its u."""
        for name, signal in live.node.inputs.items():
            value = getattr(self.live[signal.node].y, signal.port)
            if name in live.node.prepared.widths:
                setattr(live.u, name, value if signal.vector else [value])
            else:
                setattr(live.u, name, value[0] if signal.vector else value)

    def _outputs(self, steps: list[tuple[Live, Callable[..., Any], tuple[str, ...]]], k: int, t: float) -> None:
        for live, function, names in steps:
            if live.node.every > 1 and k % live.node.every != 0:
                continue
            self._feed(live)
            for name in names:
                if live.node.outputs[name].vector:
                    setattr(live.y, name, [0.0] * live.node.outputs[name].width)
            self._guard(live, function, live.u, live.x, live.p, live.y, t)

    @staticmethod
    def _guard(live: Live, function: Callable[..., Any], *arguments: Any) -> None:
        try:
            function(*arguments)
        except KernelFault as fault:
            raise Faulted(live.node, str(fault)) from None

    def run(self, ticks: int, rows: np.ndarray, progress: Callable[[int], None] | None = None) -> Stop | None:
        """Fill `rows` tick by tick; a Stop says where and why it ended early."""
        dt = self.graph.dt
        for k in range(ticks):
            t = float(k) * dt
            try:
                self._outputs(self.steps, k, t)
                bad = self._log(rows[k])
                if bad:
                    return Stop(k, t, bad[0], bad[1], f"became {bad[2]}")
                for live in self.sampled:
                    if live.node.every == 1 or k % live.node.every == 0:
                        self._feed(live)
                        self._guard(live, live.node.kernels.python("update"), live.u, live.x, live.p, t)
                if self.continuous:
                    self._integrate(k, t)
            except Faulted as fault:
                return Stop(k, t, fault.node.name, "", str(fault))
            if progress and k % 256 == 255:
                progress(k + 1)
        return None

    def _log(self, row: np.ndarray) -> tuple[str, str, float] | None:
        for signal in self.graph.signals:
            value = getattr(self.live[signal.node].y, signal.port)
            row[signal.column : signal.column + signal.width] = value
        for live, _, names in self.steps:
            for name in names:
                value = getattr(live.y, name)
                for number in value if isinstance(value, list) else (value,):
                    if not math.isfinite(number):
                        return live.node.name, name, number
        return None

    # integration --------------------------------------------------------------------------

    def _integrate(self, k: int, t: float) -> None:
        h = self.graph.dt
        base = [state_list(v.x, v.node) for v in self.continuous]
        slope = self._slopes(t)
        total = [[self.rule.b[0] * s for s in part] for part in slope]
        for a, b in zip(self.rule.a, self.rule.b[1:], strict=True):
            for live, start, part in zip(self.continuous, base, slope, strict=True):
                set_state(live, [x + h * a * s for x, s in zip(start, part, strict=True)])
            stage_t = t + a * h
            self._outputs(self.minor, 0, stage_t)
            slope = self._slopes(stage_t)
            total = [[s + b * d for s, d in zip(ss, ds, strict=True)] for ss, ds in zip(total, slope, strict=True)]
        for live, start, part in zip(self.continuous, base, total, strict=True):
            set_state(live, [x + h * s for x, s in zip(start, part, strict=True)])

    def _slopes(self, t: float) -> list[list[float]]:
        result = []
        for live in self.continuous:
            self._feed(live)
            live.dx = SimpleNamespace(
                **{n: [0.0] * np.size(v) if isinstance(v, np.ndarray) else 0.0 for n, v in live.node.prepared.x.items()}
            )
            self._guard(live, live.node.kernels.python("derivative"), live.u, live.x, live.p, live.dx, t)
            result.append(state_list(live.dx, live.node))
        return result


class Faulted(Exception):
    """A kernel stopped the run."""

    def __init__(self, node: Node, text: str) -> None:
        super().__init__(text)
        self.node = node


def fresh_state(numbers: Prepared) -> SimpleNamespace:
    state = fresh(numbers.x)
    for name, value in vars(state).items():
        if not isinstance(value, list):
            setattr(state, name, float(value))
    return state


def state_list(x: SimpleNamespace, node: Node) -> list[float]:
    flat: list[float] = []
    for name in node.prepared.x:
        value = getattr(x, name)
        flat.extend(value if isinstance(value, list) else (value,))
    return flat


def set_state(live: Live, flat: list[float]) -> None:
    offset = 0
    for name, value in live.node.prepared.x.items():
        size = int(np.size(value))
        part = flat[offset : offset + size]
        setattr(live.x, name, part if isinstance(value, np.ndarray) else part[0])
        offset += size
