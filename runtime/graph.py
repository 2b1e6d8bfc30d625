"""The lowered diagram: nodes, signals, and the order in which outputs are computed.

An output is ready when the inputs it depends on are; a block is computed at once where it can be,
and in parts where one of its outputs feeds another block that in turn feeds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hybsim.blocks import stock
from hybsim.errors import DiagramError
from hybsim.kernel import BlockSpec, KernelBlock, Prepared, ir
from hybsim.kernel.dataflow import inputs_read, only
from hybsim.kernel.external import outside
from hybsim.kernel.spec import Translated, translate
from hybsim.runtime.diagram import FlatDiagram, ticks_of


@dataclass(eq=False)
class Signal:
    """One output port: `width` numbers; `vector` says that its kernel indexes it."""

    name: str
    node: int
    port: str
    width: int
    vector: bool
    column: int


@dataclass(eq=False)
class Node:
    """One block: its specification, its numbers as built, its translated kernels and its wires."""

    index: int
    spec: BlockSpec
    every: int
    prepared: Prepared
    kernels: Translated
    inputs: dict[str, Signal] = field(default_factory=dict)
    outputs: dict[str, Signal] = field(default_factory=dict)
    moving: bool = False

    @property
    def name(self) -> str:
        return self.spec.name


@dataclass(frozen=True)
class Step:
    """Compute some outputs of a node with (a part of) its `outputs` kernel."""

    node: Node
    function: ir.Function
    outputs: tuple[str, ...]


@dataclass
class Graph:
    name: str
    dt: float
    nodes: list[Node]
    signals: list[Signal]
    steps: list[Step]
    minor: list[Step]
    aliases: dict[str, Signal]

    @property
    def externals(self) -> list[Node]:
        """The blocks that are computed outside the program."""
        return [node for node in self.nodes if node.spec.open is not None]

    @property
    def columns(self) -> int:
        return sum(s.width for s in self.signals)


def build_graph(flat: FlatDiagram) -> Graph:
    """Everything the engines need, checked: widths, rates, kernels and order."""
    blocks = {name: b for name, b in flat.blocks.items() if isinstance(b, KernelBlock) or not stock.is_sink(b)}
    for block in blocks.values():
        if not isinstance(block, KernelBlock) and not stock.is_supported(block):
            raise DiagramError(stock.refusal(block))
    widths = _widths(flat, blocks)
    nodes, signals, column = [], [], 0
    where: dict[tuple[Any, int], Signal] = {}
    for index, (name, block) in enumerate(blocks.items()):
        node = _node(index, name, block, flat, widths)
        nodes.append(node)
        for port, out in enumerate(node.spec.outs):
            width = node.prepared.widths.get(out, 1)
            signal = Signal(f"{name}.{out}", index, out, width, out in node.prepared.widths, column)
            column += width
            signals.append(signal)
            node.outputs[out] = where[block, port] = signal
    for node, block in zip(nodes, blocks.values(), strict=True):
        for port, name in enumerate(node.spec.ins):
            source = where[flat.drivers[block, port]]
            expected = node.prepared.widths.get(name, 1)
            if source.width != expected:
                raise DiagramError(
                    f"Output {source.name!r} has {source.width} element(s) but input {name!r} of block {node.name!r}"
                    f" takes {expected}; set the block's width or use MUX, DEMUX or INDEX."
                )
            node.inputs[name] = source
    steps = order(nodes)
    mark_moving(steps)
    aliases = {name: where[port] for name, port in flat.aliases.items() if port in where}
    return Graph(flat.name, flat.dt, nodes, signals, steps, minor_steps(nodes, steps), aliases)


def _widths(flat: FlatDiagram, blocks: Mapping[str, Any]) -> dict[tuple[Any, int], int]:
    """The number of elements on every output, spread along the wires until nothing changes."""
    known: dict[tuple[Any, int], int] = {}
    for block in blocks.values():
        if isinstance(block, KernelBlock):
            for port, out in enumerate(block.outs):
                known[block, port] = block.widths.get(out, 1)
    polymorphic = [b for b in blocks.values() if not isinstance(b, KernelBlock)]
    while True:
        found = {}
        for block in polymorphic:
            inputs = [known.get(flat.drivers[block, port]) for port in range(block.nin)]
            for port, width in enumerate(stock.out_widths(block, inputs)):
                if width is not None and (block, port) not in known:
                    found[block, port] = width
        if found:
            known |= found
            continue
        open_ports = [(b, port) for b in polymorphic for port in range(b.nout) if (b, port) not in known]
        if not open_ports:
            return known
        known[open_ports[0]] = 1  # nothing in this loop fixes a width: it carries single numbers


def _node(index: int, name: str, block: Any, flat: FlatDiagram, widths: Mapping[tuple[Any, int], int]) -> Node:
    if isinstance(block, KernelBlock):
        spec = block.spec()
    else:
        spec = stock.spec(block, [widths[flat.drivers[block, port]] for port in range(block.nin)])
    spec = replace(spec, name=name)
    every = ticks_of(name, spec.period, flat.dt) if spec.kind == "sampled" and spec.period else 1
    prepared = spec.prepare(spec.parameters, every * flat.dt)
    if spec.open is not None:
        return Node(index, spec, every, prepared, outside(spec.ins, spec.outs))
    kernels = translate(spec.kernels, spec.ins, spec.outs, prepared)
    return Node(index, spec, every, prepared, kernels)


# order --------------------------------------------------------------------------------------


def order(nodes: list[Node]) -> list[Step]:
    """Outputs in an order in which everything they need is there."""
    ready: set[Signal] = set()
    left = [n for n in nodes if n.outputs]
    steps: list[Step] = []
    while left:
        progress = False
        for node in list(left):
            pending = [o for o in node.outputs if node.outputs[o] not in ready]
            if all(_available(node, o, ready) for o in pending):
                steps.append(_step(node, tuple(pending)))
                ready.update(node.outputs[o] for o in pending)
                left.remove(node)
                progress = True
        if progress:
            continue
        partial = [(n, o) for n in left for o in n.outputs if n.outputs[o] not in ready and _available(n, o, ready)]
        if not partial:
            raise DiagramError(loop_message(left, ready))
        node, _ = partial[0]
        some = tuple(o for n, o in partial if n is node)
        steps.append(_step(node, some))
        ready.update(node.outputs[o] for o in some)
    return steps


def _available(node: Node, output: str, ready: set[Signal]) -> bool:
    return all(node.inputs[i] in ready for i in node.kernels.feedthrough.get(output, ()))


def _step(node: Node, outputs: tuple[str, ...]) -> Step:
    function = node.kernels.functions["outputs"]
    whole = len(outputs) == len(node.outputs)
    return Step(node, function if whole else only(function, frozenset(outputs)), outputs)


def loop_message(left: list[Node], ready: set[Signal]) -> str:
    """The algebraic loop, port by port, and where to cut it."""
    node = left[0]
    output = next(o for o in node.outputs if node.outputs[o] not in ready)
    path: list[tuple[Node, str, str]] = []
    nodes = {n.index: n for n in left}
    seen: dict[tuple[int, str], int] = {}
    while (node.index, output) not in seen:
        seen[node.index, output] = len(path)
        wanting = next(i for i in node.inputs if i in node.kernels.feedthrough[output] and node.inputs[i] not in ready)
        path.append((node, wanting, output))
        source = node.inputs[wanting]
        node, output = nodes[source.node], source.port
    loop = list(reversed(path[seen[node.index, output] :]))
    hops = [f"{n.name} ({i} -> {o})" for n, i, o in loop]
    last, first = loop[-1], loop[0]
    return (
        "Algebraic loop: " + " -> ".join([*hops, loop[0][0].name]) + f"; insert a unit delay, for example"
        f" bd.DELAY(delay=dt) between {last[0].name!r} and input {first[1]!r} of {first[0].name!r}."
    )


def mark_moving(steps: list[Step]) -> None:
    """A node moves between ticks if it is continuous, reads time, or follows something that moves."""
    moving: set[Signal] = set()
    for step in steps:
        node = step.node
        if node.spec.kind == "sampled":
            continue
        follows = {i for o in step.outputs for i in node.kernels.feedthrough.get(o, ())}
        if node.spec.kind == "continuous" or step.function.uses_time or any(node.inputs[i] in moving for i in follows):
            node.moving = True
            moving.update(node.outputs[o] for o in step.outputs)


def minor_steps(nodes: list[Node], steps: list[Step]) -> list[Step]:
    """What has to be computed again inside an integration step."""
    needed: set[Signal] = set()
    for node in nodes:
        if node.spec.kind == "continuous":
            needed |= {node.inputs[i] for i in inputs_read(node.kernels.functions["derivative"])}
    kept: list[Step] = []
    for step in reversed(steps):
        mine = {step.node.outputs[o] for o in step.outputs}
        if step.node.moving and mine & needed:
            kept.append(step)
            needed |= {step.node.inputs[i] for o in step.outputs for i in step.node.kernels.feedthrough.get(o, ())}
    return kept[::-1]
