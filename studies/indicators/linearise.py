"""A diagram near rest, as a linear map from tick to tick.

    z_{k+1} = A z_k + B w_k + E e_k,    y_k = C z_k + D w_k + F e_k

z  states of all blocks in loops, and what blocks on slower clocks hold
w  what comes back from the cut, as the blocks outside it see it; closed, w = y
y  the outputs of the cut
e  the loads: sources that move

Rest is the diagram after some ticks without its loads (records, noise and whatever else depends on time; noise stands
at its `mean`). Only blocks in loops count: a monitor that nothing depends on has no part in the stability of a test.
Each of them is linearised by itself, with differences of its kernels (linear_blocks.py), and they are put together as
the wires say, in the order of the engines: all outputs, then all updates; then the continuous blocks by the fixed-step
rule, a linear map too, during which sampled outputs and w are held.

Where blocks have slower clocks or periods of their own, the map has a period of several ticks: A, B, ... are lists.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hybsim.errors import DiagramError, near
from hybsim.runtime.diagram import flatten
from hybsim.runtime.engine_python import PythonEngine, state_list
from hybsim.runtime.graph import Graph, Node, Signal, build_graph
from hybsim.runtime.program import Program
from hybsim.runtime.solvers import rule
from hybsim.studies.indicators.conserved import without_conserved
from hybsim.studies.indicators.linear_blocks import LinearBlock, linear_block
from hybsim.studies.indicators.loops import ancestors, descendants, in_loops
from hybsim.studies.indicators.wired_blocks import Wired, Wiring, wire

SETTLING = 8
"""Ticks after which flags of a first tick are set."""

LONGEST_PERIOD = 256
"""Ticks of the map of a diagram with several clocks."""


@dataclass(frozen=True)
class LinearDiagram:
    """The maps of one period, as drawn and with the wires out of the cut taken off; one each for a single clock.

    drawn, broken              without and with w
    commanded, returned        the signals into and out of the cut, a name for each component
    loads                      the sources that move
    feeds_through              whether the cut answers within the tick
    """

    name: str
    dt: float
    drawn: tuple[Wired, ...]
    broken: tuple[Wired, ...]
    blocks: tuple[LinearBlock, ...]
    commanded: tuple[str, ...]
    returned: tuple[str, ...]
    loads: tuple[str, ...]
    feeds_through: bool
    warnings: tuple[str, ...]

    @property
    def period(self) -> int:
        """Ticks after which the maps repeat."""
        return len(self.drawn)

    @cached_property
    def over_period(self) -> np.ndarray:
        """The state matrix over a whole period, as drawn."""
        product = np.eye(len(self.drawn[0].a))
        for each in self.drawn:
            product = each.a @ product
        return product

    @property
    def radius(self) -> float:
        """The spectral radius of a tick: above 1 the smallest motion grows."""
        return float(np.abs(np.linalg.eigvals(self.over_period)).max(initial=0.0)) ** (1.0 / self.period)


def linearise(diagram: Any, *, cut: str | None = None, solver: str = "rk4") -> LinearDiagram:
    """Linearise a diagram, or a program, around rest; `cut` names the subsystem at which w comes back.

    >>> import hybsim as hs
    >>> bd = hs.BDSim().blockdiagram(dt=0.01)
    >>> structure = bd.NEWMARK(mass=1.0, damping=0.2, name="structure")
    >>> spring = bd.SPRING(stiffness=100.0, name="spring")
    >>> bd.connect(bd.CONSTANT(0.0), structure.load)
    >>> bd.connect(structure.disp_target, spring.disp)
    >>> bd.connect(spring, structure.force)
    >>> round(linearise(bd).radius, 4)
    0.999
    """
    if isinstance(diagram, Program):
        return _Lineariser(diagram.graph, diagram.rule.name, cut).diagram()
    return _Lineariser(build_graph(flatten(diagram)), solver, cut).diagram()


class _Lineariser:
    def __init__(self, graph: Graph, solver: str, cut: str | None) -> None:
        self.graph, self.rule, self.cut = graph, rule(solver), cut
        self.loop = in_loops(graph)
        if not self.loop:
            raise DiagramError(
                "The diagram has no loop: nothing that is computed acts back on itself, so there is no stability to"
                " speak of."
            )
        self.inside = self.blocks_of_cut()
        self.sources = {node.index for node in graph.nodes if _is_load(node)}
        between = ancestors(graph, self.loop) & descendants(graph, self.sources)
        # Blocks between the loads and the loops shape the loads.
        self.kept = [node for node in graph.nodes if node.index in (self.loop | between) - self.sources]
        self.loads = [
            signal for signal in graph.signals
            if signal.node in self.sources and any(signal in node.inputs.values() for node in self.kept)
        ]  # fmt: skip

    def blocks_of_cut(self) -> set[int]:
        """The loop's blocks inside the subsystem."""
        if self.cut is None:
            return set()
        inside = {node.index for node in self.graph.nodes if node.name.startswith(f"{self.cut}/")}
        if not inside:
            frames = {
                "/".join(n.name.split("/")[:i]) for n in self.graph.nodes for i in range(1, n.name.count("/") + 1)
            }
            raise DiagramError(
                f"There is no subsystem {self.cut!r} to cut at.{near(self.cut, frames)}"
                + ("" if frames else " Put the physical part into one with hybsim.subsystem(...).")
            )
        if not inside & self.loop or inside >= self.loop:
            raise DiagramError(
                f"The cut {self.cut!r} is not in a loop: nothing that leaves it comes back to it, so no delay there can"
                " make the test unstable."
            )
        return inside

    def diagram(self) -> LinearDiagram:
        blocks, warnings = self.linear_blocks()
        crossing = self.between(into=True), self.between(into=False)
        period = math.lcm(*(block.node.every * len(block.ticks) for block in blocks))
        if period > LONGEST_PERIOD:
            raise DiagramError(
                f"The clocks of the diagram meet again only after {period} ticks, more than {LONGEST_PERIOD}; choose"
                " periods with a smaller common multiple."
            )
        # The blocks' maps start where they came to rest; those of the diagram with tick 0.
        ticks = [(k - self.settling()) % period for k in range(period)]
        drawn, broken = (
            without_conserved([wire(blocks, self.wiring(*crossing, off), k, self.rule, self.graph.dt) for k in ticks])
            for off in (False, True)
        )
        return LinearDiagram(
            name=self.graph.name, dt=self.graph.dt, drawn=drawn, broken=broken, blocks=tuple(blocks),
            commanded=_names(crossing[0]), returned=_names(crossing[1]), loads=_names(self.loads),
            feeds_through=self.feeds_through(), warnings=tuple(warnings),
        )  # fmt: skip

    def linear_blocks(self) -> tuple[list[LinearBlock], list[str]]:
        """Those in loops, and those that shape the loads if they are linear near rest too."""
        engine = self.at_rest()
        loop = {node: self.linear_block(engine, node) for node in self.kept if node.index in self.loop}
        warnings = [sentence for block in loop.values() for sentence in block.warnings]
        try:
            shaping = {node: self.linear_block(engine, node) for node in self.kept if node not in loop}
        except DiagramError as error:
            warnings.append(f"No response to the loads: {error}")
            self.kept, self.loads, shaping = list(loop), [], {}
        found = loop | shaping
        return [found[node] for node in self.kept], warnings

    # rest -----------------------------------------------------------------------------------

    def at_rest(self) -> PythonEngine:
        """The Python engine after some ticks without loads, with only what the loops depend on."""
        nodes = self.graph.nodes
        needed = ancestors(self.graph, {node.index for node in self.kept}) - self.sources
        engine = PythonEngine(self.graph, self.rule, [node.prepared for node in nodes])
        engine.steps = [step for step in engine.steps if step[0].node.index in needed]
        engine.minor = [step for step in engine.minor if step[0].node.index in needed]
        engine.sampled = [live for live in engine.sampled if live.node.index in needed]
        engine.continuous = [live for live in engine.continuous if live.node.index in needed]
        for index in self.sources:
            mean = nodes[index].spec.parameters.get("mean", 0.0)
            for name, signal in nodes[index].outputs.items():
                setattr(engine.live[index].y, name, [float(mean)] * signal.width if signal.vector else float(mean))
        ticks = self.settling()
        stopped = engine.run(ticks, np.empty((ticks, max(self.graph.columns, 1))))
        if stopped is not None:
            raise DiagramError(f"The diagram does not stay at rest without its loads: {stopped}")
        return engine

    def settling(self) -> int:
        """Ticks without loads: a whole number of all clocks."""
        return SETTLING * math.lcm(*(node.every for node in self.graph.nodes))

    def linear_block(self, engine: PythonEngine, node: Node) -> LinearBlock:
        moving = {each.index for each in self.kept} | {signal.node for signal in self.loads}
        u, live = [], []
        for signal in node.inputs.values():
            value = getattr(engine.live[signal.node].y, signal.port)
            u += value if isinstance(value, list) else [value]
            live += [signal.node in moving] * signal.width
        x = state_list(engine.live[node.index].x, node)
        return linear_block(node, np.array(x), np.array(u), np.array(live, dtype=bool), SETTLING * self.graph.dt)

    # wires ----------------------------------------------------------------------------------

    def between(self, *, into: bool) -> list[Signal]:
        """The signals that go into the cut, or out of it."""
        found = {
            signal: None
            for node in self.kept
            for signal in node.inputs.values()
            if (node.index in self.inside) == into
            and (signal.node in self.inside) != into
            and signal.node in self.loop and node.index in self.loop
        }  # fmt: skip
        return list(found)

    def wiring(self, commanded: list[Signal], returned: list[Signal], off: bool) -> Wiring:
        """The wires as matrices; with the wires out of the cut taken `off` their ends are w."""
        place, outputs = _places(signal for node in self.kept for signal in node.outputs.values())
        of_cut, cut_width = _places(returned if off else [])
        of_loads, loads = _places(self.loads)
        inputs = sum(signal.width for node in self.kept for signal in node.inputs.values())
        matrices = [np.zeros((inputs, width)) for width in (outputs, cut_width, loads)]
        row = 0
        for node in self.kept:
            for signal in node.inputs.values():
                rows = slice(row, row + signal.width)
                row = rows.stop
                if signal in of_cut and node.index not in self.inside:
                    matrices[1][rows, of_cut[signal]] = np.eye(signal.width)
                elif signal in of_loads:
                    matrices[2][rows, of_loads[signal]] = np.eye(signal.width)
                elif signal in place:
                    matrices[0][rows, place[signal]] = np.eye(signal.width)
        picked = [np.zeros((sum(s.width for s in some), outputs)) for some in (returned if off else [], commanded)]
        for matrix, signals in zip(picked, (returned if off else [], commanded), strict=True):
            for signal, rows in _places(signals)[0].items():
                matrix[rows, place[signal]] = np.eye(signal.width)
        return Wiring(*matrices, *picked)

    def feeds_through(self) -> bool:
        """Whether a signal into the cut reaches one out of it within the tick."""
        reached = set(self.between(into=True))
        for step in self.graph.steps:
            if step.node.index in self.inside:
                for name in step.outputs:
                    ports = step.node.kernels.feedthrough.get(name, ())
                    if any(step.node.inputs[port] in reached for port in ports):
                        reached.add(step.node.outputs[name])
        return bool(reached & set(self.between(into=False)))


def _is_load(node: Node) -> bool:
    """A source that moves: no inputs, and time or states behind its outputs."""
    if node.spec.ins:
        return False
    outputs = node.kernels.functions.get("outputs")
    return node.spec.kind != "function" or (outputs is not None and outputs.uses_time)


def _places(signals: Iterable[Signal]) -> tuple[Mapping[Signal, slice], int]:
    """Where each signal lies in a vector of them all, and its length."""
    places: dict[Signal, slice] = {}
    start = 0
    for signal in signals:
        places[signal] = slice(start, start + signal.width)
        start += signal.width
    return places, start


def _names(signals: Iterable[Signal]) -> tuple[str, ...]:
    """A name for each component."""
    return tuple(
        signal.name if signal.width == 1 else f"{signal.name}[{i}]" for signal in signals for i in range(signal.width)
    )
