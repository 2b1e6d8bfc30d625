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
    """One block's numbers, checked to have the shapes the program was built with."""
    check_same(node, prepared)
    return Packed(
        min((layout.p[node.index, name] for name in node.prepared.p), default=0),
        _flat([prepared.p[name] for name in node.prepared.p]),
        min((layout.x[node.index, name] for name in node.prepared.x), default=0),
        _flat([prepared.x[name] for name in node.prepared.x]),
    )


def _flat(values: list[Value]) -> np.ndarray:
    return np.concatenate([np.ravel(value) for value in values], dtype=np.float64) if values else np.zeros(0)


def check_same(node: Node, prepared: Prepared) -> None:
    """A parameter set may change numbers, never the shape of the program."""
    for built, given in ((node.prepared.p, prepared.p), (node.prepared.x, prepared.x)):
        for name, value in built.items():
            if np.shape(value) != np.shape(given[name]):
                raise ParameterError(
                    f"These parameters of block {node.name!r} give its {name!r} the shape {np.shape(given[name])},"
                    f" but the program was built with {np.shape(value)}; build the diagram with the largest size"
                    " (a max_... parameter), or anew with these values."
                )
    for what, built_map, given_map in (
        ("structure", node.prepared.structure, prepared.structure),
        ("widths", node.prepared.widths, prepared.widths),
    ):
        _check_equal(node, what, built_map, given_map)


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
