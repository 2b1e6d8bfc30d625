"""Reading a bdsim diagram: its blocks with full names, and what drives each input.

The one module that knows bdsim's inner names. It reads the wires and changes nothing, so that a
diagram can be lowered before or after bdsim's own compile (which flattens subsystems in place).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hybsim.errors import DiagramError

Port = tuple[Any, int]
"""A bdsim block and the number of one of its ports."""


@dataclass
class FlatDiagram:
    """All blocks below all subsystems; `drivers` gives the output port behind each input port."""

    name: str
    dt: float
    blocks: dict[str, Any] = field(default_factory=dict)
    drivers: dict[Port, Port] = field(default_factory=dict)
    aliases: dict[str, Port] = field(default_factory=dict)

    def name_of(self, block: Any) -> str:
        return next(name for name, b in self.blocks.items() if b is block)


def flatten(bd: Any) -> FlatDiagram:
    """The diagram without its subsystem frames."""
    reader = _Reader()
    reader.read(bd, "")
    flat = FlatDiagram(bd.name, base_tick(bd, reader.blocks))
    flat.blocks = reader.blocks
    for name, block in reader.blocks.items():
        for port in range(block.nin):
            source = reader.source(block, port)
            if source is None:
                raise DiagramError(
                    f"Input {port_name(block, port, 'in')!r} of block {name!r} is not connected;"
                    " wire it with bd.connect(source, block) or feed it a CONSTANT."
                )
            flat.drivers[block, port] = source
    for name, sub in reader.subsystems.items():
        for port in range(sub.nout):
            source = reader.source_of_output(sub, port)
            if source is not None:
                flat.aliases[f"{name}.{port_name(sub, port, 'out')}"] = source
    return flat


class _Reader:
    def __init__(self) -> None:
        self.blocks: dict[str, Any] = {}
        self.subsystems: dict[str, Any] = {}
        self.wires: dict[Port, Port] = {}
        self.owner: dict[Any, Any] = {}

    def read(self, bd: Any, prefix: str) -> None:
        for wire in bd.wirelist:
            end = (wire.end.block, wire.end.port)
            if end in self.wires and self.wires[end] != (wire.start.block, wire.start.port):
                raise DiagramError(
                    f"Input {port_name(*end, 'in')!r} of block {wire.end.block.name!r} is driven twice,"
                    f" by {self.wires[end][0].name!r} and {wire.start.block.name!r}; remove one wire or add a SUM."
                )
            self.wires[end] = (wire.start.block, wire.start.port)
        for block in bd.blocklist:
            name = block.name if block.name.startswith(prefix) or not prefix else prefix + block.name
            if hasattr(block, "subsystem"):
                self.subsystems[name] = block
                self.owner[block.inport] = block
                self.read(block.subsystem, name + "/")
            elif block.type not in ("inport", "outport"):
                if name in self.blocks:
                    raise DiagramError(f"Two blocks are named {name!r}; names must be unique.")
                self.blocks[name] = block
        for block in bd.blocklist:
            if block.type in ("inport", "outport") and not prefix and block not in self.owner and block.nin != block.nout:
                raise DiagramError(f"Block {block.name!r} ({block.type.upper()}) belongs inside a subsystem.")

    def source(self, block: Any, port: int) -> Port | None:
        """The block output behind an input, through any subsystem frames."""
        wire = self.wires.get((block, port))
        return None if wire is None else self.through(*wire)

    def source_of_output(self, subsystem: Any, port: int) -> Port | None:
        return self.source(subsystem.outport, port)

    def through(self, block: Any, port: int) -> Port | None:
        if hasattr(block, "subsystem"):
            return self.source(block.outport, port)
        if block.type == "outport":
            return self.source(block, port)
        if block.type == "inport":
            inner = self.wires.get((block, port))
            return self.through(*inner) if inner else self.source(self.owner[block], port)
        return block, port


def port_name(block: Any, port: int, way: str) -> str:
    """A port's name, or `in`/`out` with its number where it has none."""
    names = block._inport_names if way == "in" else block._outport_names
    if names:
        return str(names[port])
    count = block.nin if way == "in" else block.nout
    return way if count == 1 else f"{way}{port}"


def clock_of(block: Any) -> Any | None:
    return block._clock if block.isclocked else None


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
