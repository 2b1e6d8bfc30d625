"""Where everything lies: parameters and states of all blocks in two flat vectors.

p = [dt, block 1's fields, block 2's fields, ...]
x = [continuous states, sampled states, held outputs of blocks on slower clocks]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hybsim.errors import ParameterError
from hybsim.kernel import Prepared
from hybsim.kernel.vocabulary import Value
from hybsim.runtime.graph import Graph, Node

Key = tuple[int, str]
"""Node number and field name."""


@dataclass
class Layout:
    """Offsets of every field; `continuous` is the number of leading states that are integrated."""

    p: dict[Key, int] = field(default_factory=dict)
    x: dict[Key, int] = field(default_factory=dict)
    held: dict[Key, int] = field(default_factory=dict)
    parameters: int = 1
    states: int = 0
    continuous: int = 0
    _fields: dict[int, tuple[Fields, Fields]] = field(default_factory=dict)

    def fields(self, node: Node) -> tuple[Fields, Fields]:
        """A block's fields in p and in x, in which they lie in one piece."""
        if node.index not in self._fields:
            self._fields[node.index] = (
                Fields.of(node.prepared.p, [self.p[node.index, name] for name in node.prepared.p]),
                Fields.of(node.prepared.x, [self.x[node.index, name] for name in node.prepared.x]),
            )
        return self._fields[node.index]


@dataclass(frozen=True)
class Fields:
    """Names, shapes and places of a block's fields, the places counted from the first."""

    offset: int
    size: int
    places: list[tuple[str, tuple[int, ...], int, int]]

    @classmethod
    def of(cls, values: Mapping[str, Value], offsets: list[int]) -> Fields:
        first = min(offsets, default=0)
        places = [
            (name, np.shape(value), offset - first, offset - first + int(np.size(value)))
            for (name, value), offset in zip(values.items(), offsets, strict=True)
        ]
        return cls(first, sum(stop - start for _, _, start, stop in places), places)

    def flat(self, node: Node, values: Mapping[str, Value]) -> np.ndarray:
        """The values in one piece, checked to have the shapes the program was built with."""
        numbers = np.empty(self.size)
        for name, shape, start, stop in self.places:
            value = values[name]
            if type(value) is float and not shape:
                numbers[start] = value  # the most frequent case, and the cheapest
                continue
            array = np.asarray(value)
            if array.shape != shape:
                raise _reshaped(node, name, shape, value)
            numbers[start:stop] = array.ravel()
        return numbers


def lay_out(graph: Graph) -> Layout:
    layout = Layout()
    for node in graph.nodes:
        for name, value in node.prepared.p.items():
            layout.p[node.index, name] = layout.parameters
            layout.parameters += np.size(value)
    for kind in ("continuous", "sampled", "function"):
        for node in graph.nodes:
            if node.spec.kind == kind:
                for name, value in node.prepared.x.items():
                    layout.x[node.index, name] = layout.states
                    layout.states += np.size(value)
        if kind == "continuous":
            layout.continuous = layout.states
    for node in graph.nodes:
        if node.every > 1:
            for name, signal in node.outputs.items():
                layout.held[node.index, name] = layout.states
                layout.states += signal.width
    return layout


@dataclass(frozen=True, eq=False)
class Packed:
    """One block's numbers as they lie in the vectors of a run: from an offset on, in one piece."""

    p_offset: int
    p: np.ndarray
    x_offset: int
    x: np.ndarray

    def write(self, p: np.ndarray, x: np.ndarray) -> None:
        p[self.p_offset : self.p_offset + self.p.size] = self.p
        x[self.x_offset : self.x_offset + self.x.size] = self.x


def pack(layout: Layout, node: Node, prepared: Prepared) -> Packed:
    """One block's numbers, checked to fit the program."""
    p, x = layout.fields(node)
    _check_fixed(node, prepared)
    return Packed(p.offset, p.flat(node, prepared.p), x.offset, x.flat(node, prepared.x))


def check_same(node: Node, prepared: Prepared) -> None:
    """A parameter set may change numbers, never the shape of the program."""
    for built, given in ((node.prepared.p, prepared.p), (node.prepared.x, prepared.x)):
        for name, value in built.items():
            if np.shape(value) != np.shape(given[name]):
                raise _reshaped(node, name, np.shape(value), given[name])
    _check_fixed(node, prepared)


def _reshaped(node: Node, name: str, built: tuple[int, ...], value: Value) -> ParameterError:
    return ParameterError(
        f"These parameters of block {node.name!r} give its {name!r} the shape {np.shape(value)},"
        f" but the program was built with {built}; build the diagram with the largest size"
        " (a max_... parameter), or anew with these values."
    )


def _check_fixed(node: Node, prepared: Prepared) -> None:
    _check_equal(node, "structure", node.prepared.structure, prepared.structure)
    _check_equal(node, "widths", node.prepared.widths, prepared.widths)


def _check_equal(node: Node, what: str, built: Mapping[str, int], given: Mapping[str, int]) -> None:
    for name, value in built.items():
        if given.get(name) != value:
            raise ParameterError(
                f"These parameters change the {what} of block {node.name!r}: {name!r} is {given.get(name)}, built as"
                f" {value}; make the diagram anew with them."
            )


def initial_vectors(graph: Graph, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """p and x with the parameters the diagram was built with."""
    p, x = np.zeros(layout.parameters), np.zeros(max(layout.states, 1))
    p[0] = graph.dt
    for node in graph.nodes:
        pack(layout, node, node.prepared).write(p, x)
    return p, x
