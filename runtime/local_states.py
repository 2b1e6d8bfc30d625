"""States in local variables while the loop over ticks runs, where there are few.

A compiler must write a state in memory at every tick, since any function it calls could look at it; a
local variable it may keep in a register, and leave out what is computed twice. Beyond MOST numbers there
are no registers left to gain, and more variables only make the compiler slow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from hybsim.runtime.graph import Graph
from hybsim.runtime.layout import Key, Layout

LONGEST = 8
"""Numbers of the longest array that becomes a local one."""

MOST = 64
"""Numbers in local variables of one program."""

MOST_CONTINUOUS = 16
"""Of them continuous ones: each takes a line in every stage of the integration."""


@dataclass(frozen=True)
class LocalState:
    """The variables of one state: itself, its slope and the weighted sum of its slopes; `size` if an array."""

    name: str
    slope: str
    sum: str
    offset: int
    size: int | None

    def load(self, place: str) -> str:
        if self.size is None:
            return f"double {self.name} = x[{place}];"
        return f"double {self.name}[{self.size}]; __builtin_memcpy({self.name}, x + {place}, sizeof {self.name});"

    def store(self, place: str) -> str:
        if self.size is None:
            return f"x[{place}] = {self.name};"
        return f"__builtin_memcpy(x + {place}, {self.name}, sizeof {self.name});"

    def elements(self) -> Iterator[dict[str, str]]:
        """The variables of each number, with its place among the states."""
        for i in range(self.size or 1):
            item = "" if self.size is None else f"[{i}]"
            yield dict(i=str(self.offset + i), x=self.name + item, slope=self.slope + item, sum=self.sum + item)


class LocalStates(dict[Key, LocalState]):
    """The states of a program that are local variables; continuous ones are all of them or none."""

    def __init__(self, graph: Graph, layout: Layout, name: Callable[[str, int, str], str], most: int = MOST) -> None:
        super().__init__()
        self.continuous = layout.continuous
        values = {key: graph.nodes[key[0]].prepared.x[key[1]] for key in layout.x}
        short = {key: value for key, value in values.items() if np.size(value) <= LONGEST}
        integrated = {key for key, offset in layout.x.items() if offset < layout.continuous}
        if layout.continuous > MOST_CONTINUOUS or not integrated <= set(short):
            short = {key: value for key, value in short.items() if key not in integrated}
        if sum(np.size(value) for value in short.values()) <= most:
            for key, value in short.items():
                size = value.size if isinstance(value, np.ndarray) and value.size > 1 else None
                self[key] = LocalState(name("x", *key), name("dx", *key), name("sum", *key), layout.x[key], size)
        self.integrated = [self[key] for key in layout.x if key in integrated and key in self]

    def each(self, statement: str) -> list[str]:
        """A statement about {x}, {slope}, {sum} and {i} for every continuous state."""
        if self.integrated:
            return [statement.format(**element) for state in self.integrated for element in state.elements()]
        text = statement.format(i="i", x="x[i]", slope="hs_k[i]", sum="hs_sum[i]")
        return [f"for (int64_t i = 0; i < HS_CONTINUOUS; i++) {text}"]

    def slopes(self) -> list[str]:
        """Declarations of the slopes and their sums."""
        if not self.integrated:
            return ["double hs_k[HS_CONTINUOUS] = {0}, hs_sum[HS_CONTINUOUS];"]
        return [
            f"double {s.slope} = 0.0, {s.sum};" if s.size is None
            else f"double {s.slope}[{s.size}] = {{0}}, {s.sum}[{s.size}];"
            for s in self.integrated
        ]  # fmt: skip

    def within_stage(self) -> list[str]:
        """Declarations that make the states of a stage, in hs_x, visible under the names of the states."""
        if not self.integrated:
            return ["const double *const x = hs_x; (void)x;"]
        return [
            f"const double {s.name} = hs_x[{s.offset}]; (void){s.name};" if s.size is None
            else f"const double *const {s.name} = hs_x + {s.offset}; (void){s.name};"
            for s in self.integrated
        ]  # fmt: skip
