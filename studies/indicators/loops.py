"""Which blocks of a diagram are in loops, and which lie before or behind others, by their numbers."""

from __future__ import annotations

import numpy as np

from hybsim.runtime.graph import Graph
from hybsim.studies.indicators.block_differences import reached


def in_loops(graph: Graph) -> set[int]:
    """The blocks that act back on themselves."""
    from scipy.sparse.csgraph import connected_components

    matrix = _matrix(graph)
    _, group = connected_components(matrix, connection="strong")
    alone = np.bincount(group)[group] == 1
    return {int(i) for i in np.flatnonzero(~alone | matrix.diagonal())}


def ancestors(graph: Graph, of: set[int]) -> set[int]:
    """All blocks that some blocks depend on, and those themselves."""
    return reached(of, _matrix(graph).T)


def descendants(graph: Graph, of: set[int]) -> set[int]:
    """All blocks that depend on some blocks, and those themselves."""
    return reached(of, _matrix(graph))


def _matrix(graph: Graph) -> np.ndarray:
    """Which block is wired to which."""
    matrix = np.zeros((len(graph.nodes), len(graph.nodes)), dtype=bool)
    for node in graph.nodes:
        for signal in node.inputs.values():
            matrix[signal.node, node.index] = True
    return matrix
