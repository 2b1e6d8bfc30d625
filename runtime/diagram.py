"""Reading a bdsim diagram: its blocks with full names, and what drives each input.

The one module that knows bdsim's inner names. `flatten` reads the wires and changes nothing, so that a
diagram can be lowered before or after bdsim's own compile (which flattens subsystems in place).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from bdsim import components
from bdsim.block import SubsystemBlock
from bdsim.components import Clock as Clock
from bdsim.exceptions import BlockRuntimeError

from hybsim.errors import DiagramError

Port = tuple[Any, int]
"""A bdsim block and the number of one of its ports."""


@dataclass
class FlatDiagram:
    """All blocks below all subsystems; `drivers` gives the output port behind each input port.

    `aliases` are the subsystems' names for outputs of blocks inside them, such as `rig.force_meas`; `inlets` the
    names of each subsystem's inputs, with the output ports behind them.
    """

    name: str
    dt: float
    blocks: dict[str, Any] = field(default_factory=dict)
    drivers: dict[Port, Port] = field(default_factory=dict)
    aliases: dict[str, Port] = field(default_factory=dict)
    inlets: dict[str, dict[str, Port]] = field(default_factory=dict)


def flatten(bd: Any) -> FlatDiagram:
    """The diagram without its subsystem frames."""
    reader = _Reader(bd)
    flat = FlatDiagram(bd.name, base_tick(bd, reader.blocks), reader.blocks)
    for block in reader.blocks.values():
        for port in range(block.nin):
            flat.drivers[block, port] = reader.source(block, port)
    for name, (frame, outport) in reader.frames.items():
        for port in range(outport.nin):
            flat.aliases[f"{name}.{port_name(frame, port, 'out')}"] = reader.source(outport, port)
        if not is_passage(frame):
            flat.inlets[name] = {port_name(frame, i, "in"): reader.source(frame, i) for i in range(frame.nin)}
    return flat


class _Reader:
    """Blocks, wires and subsystem frames, before or after bdsim's own flattening."""

    def __init__(self, bd: Any) -> None:
        self.blocks: dict[str, Any] = {}
        self.names: dict[Any, str] = {}
        self.wires: dict[Port, Port] = {}
        self.frames: dict[str, tuple[Any, Any]] = {}
        self.frame_of: dict[Any, Any] = {}
        for wire in self.read(bd, ""):
            self.connect((wire.start.block, wire.start.port), (wire.end.block, wire.end.port))

    def read(self, bd: Any, prefix: str) -> list[Any]:
        """Name the blocks of a diagram and of those inside it; all their wires."""
        wires = list(bd.wirelist)
        for block in bd.blocklist:
            name = self.names[block] = prefix + block.name
            if isinstance(block, SubsystemBlock):
                self.frames[name] = block, block.outport
                self.frame_of[block.inport] = block
                wires += self.read(block.subsystem, name + "/")
            elif is_passage(block):
                self.passage(block, name, inside=bool(prefix))
            elif name in self.blocks:
                raise DiagramError(f"Two blocks are named {name!r}; names must be unique.")
            else:
                self.blocks[name] = block
        return wires

    def passage(self, block: Any, name: str, inside: bool) -> None:
        """INPORT and OUTPORT belong to a frame; bdsim's flattening leaves them as passages without one."""
        if inside:
            return
        if block.nin != block.nout:
            raise DiagramError(f"Block {name!r} ({block.type.upper()}) belongs inside a subsystem.")
        if block.type == "outport":
            self.frames[name.rpartition("/")[0]] = block, block

    def connect(self, start: Port, end: Port) -> None:
        for (block, port), count, way in ((start, start[0].nout, "output"), (end, end[0].nin, "input")):
            if block not in self.names:
                raise DiagramError(f"Block {block.name!r} is wired but not in this diagram; make it with bd.")
            if not 0 <= port < count:
                raise DiagramError(
                    f"There is a wire at {way} {port} of block {self.names[block]!r}, which has {count} {way}(s),"
                    " numbered from 0."
                )
        if self.wires.setdefault(end, start) != start:
            first = self.wires[end][0]
            raise DiagramError(
                f"Input {port_name(*end, 'in')!r} of block {self.names[end[0]]!r} is driven twice,"
                f" by {self.names[first]!r} and {self.names[start[0]]!r}; remove one wire or add a SUM."
            )

    def source(self, block: Any, port: int) -> Port:
        """The block output behind an input, through any subsystem frames."""
        passed = set()
        while (found := self.wires.get((block, port))) is not None:
            block, port = found
            if isinstance(block, SubsystemBlock):
                block = block.outport
            elif block in self.frame_of:
                block = self.frame_of[block]
            elif not is_passage(block):
                return found
            if (block, port) in passed:
                raise DiagramError(
                    f"Nothing drives port {port} of {block.name!r}: its wire leads through subsystems back to itself."
                )
            passed.add((block, port))
        raise DiagramError(self.open_end(block, port))

    def open_end(self, block: Any, port: int) -> str:
        name = self.names[block]
        if is_passage(block):
            name = name.rpartition("/")[0]
        if block.type == "outport":
            return (
                f"Output {port_name(self.frames[name][0], port, 'out')!r} of subsystem {name!r} is not connected"
                " inside it; wire it to the OUTPORT block."
            )
        return (
            f"Input {port_name(block, port, 'in')!r} of block {name!r} is not connected;"
            " wire it with bd.connect(source, block) or feed it a CONSTANT."
        )


def is_passage(block: Any) -> bool:
    """INPORT or OUTPORT: the inner side of a subsystem's frame."""
    return block.type in ("inport", "outport")


def port_name(block: Any, port: int, way: str) -> str:
    """A port's name, or `in`/`out` with its number where it has none."""
    names = block._inport_names if way == "in" or block.type == "outport" else block._outport_names
    if names:
        return str(names[port])
    count = block.nin if way == "in" else block.nout
    return way if count == 1 else f"{way}{port}"


# clocks -------------------------------------------------------------------------------------


def clock_of(block: Any) -> Any | None:
    return block._clock if block.isclocked else None


def put_on_clock(block: Any, clock: Clock) -> None:
    """Let a clocked block tick with another clock."""
    block._clock = clock
    clock.add_block(block)


def forget_clock(clock: Clock) -> None:
    """Take a clock off bdsim's list of all clocks ever made, which would keep its blocks in memory."""
    components.clocklist.remove(clock)


def base_tick(bd: Any, blocks: dict[str, Any]) -> float:
    """The diagram's dt; for a plain bdsim diagram the fastest clock."""
    clocks = [clock for block in blocks.values() if (clock := clock_of(block)) is not None]
    for clock in clocks:
        if clock.offset != 0:
            raise DiagramError(f"Clock {clock.name!r} has an offset of {clock.offset:g} s; only offset 0 is supported.")
    dt = getattr(bd, "dt", None)
    if dt is None and clocks:
        dt = min(float(clock.T) for clock in clocks)
    if dt is None:
        raise DiagramError("The diagram has no base tick; make it with sim.blockdiagram(dt=...).")
    return float(dt)


def ticks_of(name: str, period: float, dt: float) -> int:
    """How many base ticks a period is; refused unless it is a whole number."""
    ratio = period / dt
    ticks = round(ratio)
    if ticks < 1 or abs(ratio - ticks) > 1e-9 * max(1.0, ratio):
        raise DiagramError(
            f"The clock of block {name!r} has a period of {period:g} s, which is {ratio:.6g} base ticks of {dt:g} s;"
            " a period must be a whole multiple of the base tick."
        )
    return ticks


# what bdsim says ----------------------------------------------------------------------------


def loop_found(printed: str) -> str:
    """The loop that bdsim's compile printed, in the direction of the signals; empty if it printed none."""
    _, _, found = printed.partition("cycle found:")
    return " -> ".join(reversed(re.findall(r"Block\.\w+\('(.*?)', type=", found)))


def block_failure(error: BaseException | None) -> BlockRuntimeError | None:
    """The failing block behind an error of bdsim's run, which is raised anew without it."""
    while error is not None and not isinstance(error, BlockRuntimeError):
        error = error.__context__
    return error
