"""A picture of a diagram: blocks in columns from left to right, wires with right angles, feedback below.

Each output owns one channel right of its column and, where its wires skip a column or run back, one lane
below the blocks; every input has a channel of its own left of its block.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybsim.runtime.export import paper_figure, write_figure
from hybsim.runtime.graph import Graph, Node, Signal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, GAP, ROW, PORT = 2.3, 1.5, 0.75, 0.36
COLOURS = {"sampled": "#dce8f5", "continuous": "#e2f0dc", "function": "#f4f1e6"}
WIRE = "#44546a"


def draw(graph: Graph, save: str | Path | None = None) -> Figure:
    """The diagram as a matplotlib figure; `save` writes it to a file."""
    columns = _columns(graph)
    place = _positions(graph, columns)
    width = (max(columns.values()) + 1) * (WIDTH + GAP)
    wires = _Wires(graph, columns, place)
    height = wires.bottom + wires.depth
    figure = paper_figure()(figsize=(0.62 * width + 0.6, 0.62 * height + 0.3), layout="constrained")
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_aspect("equal")
    wires.draw(axes)
    for node in graph.nodes:
        _block(axes, node, *place[node.index])
    axes.margins(0.01)
    if save is not None:
        write_figure(figure, save)
    return figure


def _columns(graph: Graph) -> dict[int, int]:
    """The column of each block: the longest way to it, not counting wires that close a loop."""
    followers: dict[int, list[int]] = {n.index: [] for n in graph.nodes}
    for node in graph.nodes:
        for signal in node.inputs.values():
            followers[signal.node].append(node.index)
    finished: list[int] = []
    seen: set[int] = set()

    def visit(index: int) -> None:
        seen.add(index)
        for follower in followers[index]:
            if follower not in seen:
                visit(follower)
        finished.append(index)

    for node in sorted(graph.nodes, key=lambda n: bool(n.inputs)):
        if node.index not in seen:
            visit(node.index)
    rank = {index: i for i, index in enumerate(reversed(finished))}
    column: dict[int, int] = {}
    for index in reversed(finished):
        before = [column[s.node] + 1 for s in graph.nodes[index].inputs.values() if rank[s.node] < rank[index]]
        column[index] = max(before, default=0)
    for index in finished:  # sources stand just before the first block they feed
        after = [column[f] - 1 for f in followers[index] if rank[f] > rank[index]]
        if not graph.nodes[index].inputs and after:
            column[index] = max(min(after), 0)
    return column


def _positions(graph: Graph, columns: dict[int, int]) -> dict[int, tuple[float, float]]:
    """Left edge and top of each block, y downwards."""
    filled: dict[int, float] = {}
    place = {}
    for node in sorted(graph.nodes, key=lambda n: (columns[n.index], not n.inputs)):
        column = columns[node.index]
        top = filled.get(column, 0.0)
        place[node.index] = (column * (WIDTH + GAP), top)
        filled[column] = top + _height(node) + ROW
    return place


def _height(node: Node) -> float:
    return max(1.0, PORT * max(len(node.inputs), len(node.outputs)) + 0.3)


class _Wires:
    def __init__(self, graph: Graph, columns: dict[int, int], place: dict[int, tuple[float, float]]) -> None:
        self.graph, self.columns, self.place = graph, columns, place
        self.bottom = max(top + _height(graph.nodes[i]) for i, (_, top) in place.items()) + 0.45
        self.lanes: dict[Signal, float] = {}
        for node in graph.nodes:
            for signal in node.inputs.values():
                if columns[node.index] != columns[signal.node] + 1:
                    self.lanes.setdefault(signal, self.bottom + 0.3 * len(self.lanes))
        self.depth = 0.3 * len(self.lanes)
        self.wires = Counter(signal for node in graph.nodes for signal in node.inputs.values())

    def start(self, signal: Signal) -> tuple[float, float]:
        left, top = self.place[signal.node]
        node = self.graph.nodes[signal.node]
        return left + WIDTH, top + _port_height(node, list(node.outputs).index(signal.port), len(node.outputs))

    def channel(self, signal: Signal) -> float:
        """Where this output's wires turn, in the gap right of its column."""
        column = self.columns[signal.node]
        mine = [s for s in self.wires if self.columns[s.node] == column]
        return self.place[signal.node][0] + WIDTH + 0.12 + 0.6 * (mine.index(signal) + 1) / (len(mine) + 1)

    def entry(self, node: Node, number: int) -> float:
        return self.place[node.index][0] - 0.62 + 0.42 * (number + 1) / (len(node.inputs) + 1)

    def draw(self, axes: Axes) -> None:
        for node in self.graph.nodes:
            for number, signal in enumerate(node.inputs.values()):
                x0, y0 = self.start(signal)
                x1, y1 = (
                    self.place[node.index][0],
                    self.place[node.index][1] + _port_height(node, number, len(node.inputs)),
                )
                turn = self.channel(signal)
                if self.columns[node.index] == self.columns[signal.node] + 1:
                    path = [(x0, y0), (turn, y0), (turn, y1), (x1, y1)]
                else:
                    lane, entry = self.lanes[signal], self.entry(node, number)
                    path = [(x0, y0), (turn, y0), (turn, lane), (entry, lane), (entry, y1), (x1, y1)]
                if self.wires[signal] > 1:
                    axes.plot([turn], [-y0], "o", color=WIRE, ms=2.6, zorder=2)
                xs, ys = zip(*path, strict=True)
                axes.plot(xs, [-y for y in ys], color=WIRE, lw=0.9, solid_joinstyle="round", zorder=1)
                axes.annotate(
                    "",
                    (x1, -y1),
                    (x1 - 0.12, -y1),
                    arrowprops={"arrowstyle": "-|>", "color": WIRE, "lw": 0.9},
                    zorder=2,
                )


def _port_height(node: Node, number: int, count: int) -> float:
    return _height(node) * (number + 1) / (count + 1)


def _block(axes: Axes, node: Node, left: float, top: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    height = _height(node)
    box = FancyBboxPatch(
        (left, -top - height), WIDTH, height, boxstyle="round,pad=0,rounding_size=0.08",
        facecolor=COLOURS[node.spec.kind], edgecolor=WIRE, lw=1.0, zorder=3,
    )  # fmt: skip
    axes.add_patch(box)
    named = len(node.outputs) > 1
    middle = left + WIDTH * (0.36 if named else 0.5)
    style: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 4}
    axes.text(middle, -top - height / 2 + 0.14, node.name, fontsize=8, weight="bold", **style)
    axes.text(middle, -top - height / 2 - 0.2, node.spec.type, fontsize=5.5, color="#555", **style)
    for number, name in enumerate(node.outputs if named else ()):
        y = -top - _port_height(node, number, len(node.outputs))
        axes.text(left + WIDTH - 0.06, y, name, fontsize=4.5, color="#555", **(style | {"ha": "right"}))
