"""The vectors of many runs: what all of them share, and the numbers of the blocks in which they differ.

Vectors are plain arrays: they can be sent to another process, where the diagram is not known. A block is prepared once
for equal parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.runtime.layout import Packed, pack
from hybsim.runtime.memory import fresh

if TYPE_CHECKING:
    from hybsim.runtime.graph import Node
    from hybsim.runtime.program import Program

REMEMBERED = 200_000
"""Numbers of prepared blocks kept for runs to come with equal parameters."""

OVERHEAD = 100
"""What it takes to keep a block besides its numbers, in numbers."""

Runs = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Varied:
    """One block's numbers in p and x from an offset on: a row for each run, or one for all."""

    p_offset: int
    p: np.ndarray
    x_offset: int
    x: np.ndarray


@dataclass(frozen=True)
class Vectors:
    """The parameters and initial states of some runs; the blocks that vary, by their number in the program."""

    runs: int
    base_p: np.ndarray
    base_x: np.ndarray
    varied: Mapping[int, Varied]

    def matrices(self, rows: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """p and x of all runs or of some, one row each."""
        count = self.runs if rows is None else len(rows)
        p, x = fresh(count, self.base_p.size), fresh(count, self.base_x.size)
        p[:], x[:] = self.base_p, self.base_x
        for block in self.varied.values():
            for target, offset, values in ((p, block.p_offset, block.p), (x, block.x_offset, block.x)):
                chosen = values if rows is None or len(values) == 1 else values[rows]
                target[:, offset : offset + values.shape[1]] = chosen
        return p, x


class Preparer:
    """Makes vectors of parameter sets, each checked as for a single run of `duration` seconds."""

    def __init__(self, program: Program, duration: float) -> None:
        self.program, self.duration = program, float(duration)
        self.base_p, self.base_x = program.vectors({})
        self._plans: dict[tuple[str, ...], dict[Node, list[tuple[str, str]]]] = {}
        self._known: dict[Any, Packed] = {}
        self._room = REMEMBERED

    def vectors(self, runs: Runs) -> Vectors:
        return Vectors(len(runs), self.base_p, self.base_x, self._varied(runs))

    def changed(self, vectors: Vectors, runs: Runs, changes: Mapping[str, Any]) -> Vectors:
        """The vectors of runs with some parameters changed; blocks without such a parameter are as in `vectors`."""
        affected = {node.index for node in self.program.split(changes)}
        varied = self._varied([{**run, **changes} for run in runs], affected)
        kept = {index: block for index, block in vectors.varied.items() if index not in affected}
        return Vectors(len(runs), self.base_p, self.base_x, kept | varied)

    def _varied(self, runs: Runs, only: set[int] | None = None) -> dict[int, Varied]:
        """The numbers of the blocks that some run changes, or of those among `only`."""
        plans = [self._plan(run) for run in runs]
        nodes = dict.fromkeys(node for plan in {id(plan): plan for plan in plans}.values() for node in plan)
        return {
            node.index: _stacked([
                self._packed(node, {key: run[name] for key, name in plan.get(node, ())})
                for run, plan in zip(runs, plans, strict=True)
            ])
            for node in nodes
            if only is None or node.index in only
        }  # fmt: skip

    def _plan(self, run: Mapping[str, Any]) -> dict[Node, list[tuple[str, str]]]:
        """The blocks a parameter set changes: for each its keywords and the parameters' full names."""
        names = tuple(run)
        plan = self._plans.get(names)
        if plan is None:
            groups = self.program.split({name: name for name in names})
            plan = self._plans[names] = {node: list(keys.items()) for node, keys in groups.items()}
        return plan

    def _packed(self, node: Node, changes: Mapping[str, Any]) -> Packed:
        key = key_of(changes, node)
        packed = None if key is None else self._known.get(key)
        if packed is None:
            values, dt = {**node.spec.parameters, **changes}, node.every * self.program.dt
            node.spec.check_run(values, dt, self.duration)
            packed = pack(self.program.layout, node, node.spec.prepare(values, dt))
            if key is not None:
                self._remember(key, packed)
        return packed

    def _remember(self, key: Any, packed: Packed) -> None:
        size = packed.p.size + packed.x.size + OVERHEAD
        if size > self._room:
            self._known.clear()
            self._room = REMEMBERED
        if size <= self._room:
            self._known[key] = packed
            self._room -= size


def key_of(values: Mapping[str, Any], *owner: Any) -> Any:
    """What equal parameters have in common, or None; True is not 1 here, and -0.0 not 0.0."""
    try:
        key = *owner, *[(name, value.__class__, value or repr(value)) for name, value in values.items()]
        hash(key)
    except (TypeError, ValueError):
        return None  # lists and arrays
    return key


def _stacked(column: list[Packed]) -> Varied:
    first = column[0]
    if all(packed is first for packed in column):
        column = [first]
    p, x = np.array([packed.p for packed in column]), np.array([packed.x for packed in column])
    return Varied(first.p_offset, p, first.x_offset, x)
