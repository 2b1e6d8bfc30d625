"""From the graph to one C source: the whole step in one function, or in several where it is long."""

from __future__ import annotations

from hybsim.runtime.emitter import Emitter
from hybsim.runtime.graph import Graph
from hybsim.runtime.layout import Layout
from hybsim.runtime.parted_emitter import PartedEmitter
from hybsim.runtime.solvers import Rule

WHOLE = 40
"""Blocks of the largest program that is written as one function."""


def emit(graph: Graph, layout: Layout, rule: Rule) -> tuple[str, list[str]]:
    """The C source and the texts of the places that can stop a run."""
    emitter = (Emitter if len(graph.nodes) <= WHOLE else PartedEmitter)(graph, layout, rule)
    return emitter.source(), emitter.places.texts
