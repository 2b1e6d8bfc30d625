"""A diagram cut at a subsystem: the half that stays a program, the half that stands for the hardware, and both in one.

    controller   everything else;  reads measured_k,                 gives command_k
    rig          the subsystem;    gets command_k,                   answers measured_{k+1}
    whole        both, with the ticks at which signals cross: what `simulate` computes once a cut is named

Hardware answers later than a diagram drawn without it. Where the subsystem answers within the tick, its answer to the
command of tick k can be read at tick k + 1 only: the cut adds a tick (`late`). Where all its outputs come from its
state, they are sampled at tick k + 1 as drawn, and nothing is added. Between ticks nothing crosses.

Before the first tick the command is the home position, and the rig answers with its outputs there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hybsim.errors import DiagramError, near
from hybsim.kernel import KernelBlock
from hybsim.runtime.channels import Given, Held, Late
from hybsim.runtime.diagram import FlatDiagram, Port, flatten, forget_clock
from hybsim.runtime.graph import Graph, Signal, build_graph

CHANNELS = "hardware/"
"""Blocks at the cut are named hardware/PORT, their signal is hardware/PORT.value."""


@dataclass(frozen=True)
class CutPort:
    """One port of the subsystem: its name, its width, and the signal behind it in the half that computes it."""

    name: str
    width: int
    source: str

    @property
    def signal(self) -> str:
        """The signal as it crosses the cut."""
        return f"{CHANNELS}{self.name}.value"

    @property
    def channels(self) -> list[str]:
        """One name a number: the port's own, or with an index where it carries several."""
        return [self.name] if self.width == 1 else [f"{self.name}[{i}]" for i in range(self.width)]


@dataclass(frozen=True)
class CutGraphs:
    """The three graphs, and what crosses between the halves."""

    name: str
    whole: Graph
    controller: Graph
    rig: Graph
    commands: tuple[CutPort, ...]
    measured: tuple[CutPort, ...]
    late: bool


class Cutter:
    """Cuts one flattened diagram at one subsystem."""

    def __init__(self, bd: Any, name: str) -> None:
        self.name, self.flat = name, flatten(bd)
        self.inside = {block for path, block in self.flat.blocks.items() if path.startswith(f"{name}/")}
        if name not in self.flat.inlets or not self.inside:
            raise DiagramError(
                f"There is no subsystem {name!r} to cut at.{near(name, self.flat.inlets)}"
                if self.flat.inlets
                else f"The diagram has no subsystem to cut at; make {name!r} one with hybsim.subsystem(bd, {name},"
                " inputs=[...])."
            )
        self.ins = self.flat.inlets[name]
        self.outs = {
            alias.rpartition(".")[2]: port
            for alias, port in self.flat.aliases.items()
            if alias.rpartition(".")[0] == name
        }
        for port, source in self.outs.items():
            if source[0] not in self.inside:
                raise DiagramError(f"Output {port!r} of {name!r} only passes an input on: there is nothing to measure.")
        if both := set(self.ins) & set(self.outs):
            raise DiagramError(f"{name!r} has an input and an output named {min(both)!r}; rename one to cut there.")
        self.drawn, self.dt = build_graph(self.flat), self.flat.dt
        self.widths = {port: self.signal(source).width for port, source in (self.ins | self.outs).items()}

    def signal(self, source: Port) -> Signal:
        """The signal of an output port."""
        path = next(path for path, block in self.flat.blocks.items() if block is source[0])
        node = next(node for node in self.drawn.nodes if node.name == path)
        return list(node.outputs.values())[source[1]]

    def rig(self, initial: Mapping[str, Any]) -> Graph:
        """The half that is cut out."""
        return self._half(self.inside, self.ins, initial)

    def cut(self, initial: Mapping[str, Any]) -> CutGraphs:
        """The graphs; `initial` has the values that cross before the first tick, by port."""
        rig = self.rig(initial)
        late = feeds_through(rig)
        ports = [
            tuple(CutPort(name, self.widths[name], self.signal(source).name) for name, source in some.items())
            for some in (self.ins, self.outs)
        ]
        outside = set(self.flat.blocks.values()) - self.inside
        controller = self._half(outside, self.outs, initial)
        return CutGraphs(self.name, self._whole(initial, late), controller, rig, ports[0], ports[1], late)

    def _channel(self, cls: type[KernelBlock], port: str, initial: Mapping[str, Any]) -> Any:
        from hybsim.wiring import BDSim

        scratch = BDSim().blockdiagram("channels", dt=self.dt)
        width = self.widths[port]
        value = np.full(width, 0.0) + np.asarray(initial.get(port, 0.0), dtype=float)
        block = cls(bd=scratch, name=port, width=width, initial=value)  # type: ignore[call-arg]
        forget_clock(scratch.base_clock)
        return block

    def _half(self, blocks: set[Any], entering: Mapping[str, Port], initial: Mapping[str, Any]) -> Graph:
        """Some of the blocks; what comes from the others is given."""
        given = {port: self._channel(Given, port, initial) for port in entering}
        by_source: dict[Port, Any] = {}
        for port, source in entering.items():
            by_source.setdefault(source, given[port])
        kept = {path: block for path, block in self.flat.blocks.items() if block in blocks}
        drivers = {
            end: (by_source[start], 0) if start[0] not in blocks else start
            for end, start in self.flat.drivers.items()
            if end[0] in blocks
        }
        half = replace(
            self.flat,
            blocks=kept | {CHANNELS + port: block for port, block in given.items()},
            drivers=drivers,
            aliases={name: port for name, port in self.flat.aliases.items() if port[0] in blocks},
            inlets={},
        )
        return build_graph(half)

    def _whole(self, initial: Mapping[str, Any], late: bool) -> Graph:
        """All blocks, with what stands at the cut between them."""
        flat: FlatDiagram = replace(self.flat, blocks=dict(self.flat.blocks), drivers=dict(self.flat.drivers))
        for entering, cls in ((self.ins, Held), (self.outs, Late if late else Held)):
            behind = {source: self._channel(cls, port, initial) for port, source in reversed(entering.items())}
            for port, source in entering.items():
                first = behind[source]
                block = first if first.name == port else self._channel(cls, port, initial)
                flat.blocks[CHANNELS + port] = block
                flat.drivers[block, 0] = source
            into_rig = entering is self.ins
            for (block, number), start in self.flat.drivers.items():
                if start in behind and (block in self.inside) == into_rig:
                    flat.drivers[block, number] = (behind[start], 0)
        return build_graph(flat)


def feeds_through(graph: Graph) -> bool:
    """Whether any given signal reaches, within a tick, an output that leaves the half."""
    given = {signal for node in graph.nodes if node.name.startswith(CHANNELS) for signal in node.outputs.values()}
    following = set(given)
    for step in graph.steps:
        for out in step.outputs:
            if any(step.node.inputs[i] in following for i in step.node.kernels.feedthrough.get(out, ())):
                following.add(step.node.outputs[out])
    return any(signal in following - given for signal in graph.aliases.values())


class Cut:
    """The halves and the whole as programs; see the head of this file.

    >>> import hybsim as hs
    >>> from hybsim.diagrams import virtual_rig
    >>> cut = hs.compile(virtual_rig()).cut("rig")
    >>> [port.name for port in cut.commands], [port.name for port in cut.measured], cut.late
    (['disp_cmd'], ['force_meas', 'disp_meas'], False)
    """

    def __init__(self, bd: Any, name: str, *, solver: str = "rk4", home: Mapping[str, Any] | None = None) -> None:
        from hybsim.runtime.program import Program

        cutter = Cutter(bd, name)
        unknown = set(home or {}) - set(cutter.ins)
        if unknown:
            raise DiagramError(f"{name!r} has no input {min(unknown)!r}.{near(min(unknown), cutter.ins)}")
        rig = Program(bd, cutter.rig(home or {}), solver)
        self.home = dict(home or {})
        self.at_rest = self._rest(rig, cutter)
        self.graphs = cutter.cut({**self.home, **self.at_rest})
        self.name, self.dt, self.late = name, rig.dt, self.graphs.late
        self.commands, self.measured = self.graphs.commands, self.graphs.measured
        self.rig = rig
        self.controller = Program(bd, self.graphs.controller, solver)
        self._bd, self._solver = bd, solver
        for half in (self.rig, self.controller):
            if outside := half.graph.externals:
                raise DiagramError(
                    f"Block {outside[0].name!r} is computed outside the program and cannot be part of a test that is"
                    " cut for real time; leave it to slow tests with `hybsim run`."
                )

    @staticmethod
    def _rest(rig: Any, cutter: Cutter) -> dict[str, np.ndarray]:
        """What the rig answers at the first tick, commanded to its home."""
        row = np.empty((1, rig.graph.columns))
        if stopped := rig.engine_python({}).run(1, row):
            raise DiagramError(f"The rig cannot rest at its home position: {stopped}")
        behind = {port: cutter.signal(source).name for port, source in cutter.outs.items()}
        return {port: np.ravel(rig.column(row[0], name)) for port, name in behind.items()}

    @cached_property
    def whole(self) -> Any:
        from hybsim.runtime.program import Program

        return Program(self._bd, self.graphs.whole, self._solver)
