"""One block of a diagram near rest, as a linear map of its states and inputs.

    x_{k+1} = A x_k + B u_k,   y_k = C x_k + D u_k        sampled; of a continuous block x' instead of x_{k+1}

u, x and y are departures from rest. States that change at rest, by themselves, are clocks: the head of a ring buffer, a
counter. They are no part of x, and make the map one of the tick. The places of a ring buffer are written in turn, so
that read by age the map is the same at each tick again; else it has the period of its clocks. States that nothing
writes near rest are no part of x either: flags of a first tick, limits of elasticity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hybsim.errors import DiagramError
from hybsim.runtime.graph import Node
from hybsim.studies.indicators.block_differences import STEP, Kernels, matters, slopes

LONGEST_PERIOD = 128
"""Ticks in which a block must have done all it does."""

WATCHED = 2 * LONGEST_PERIOD
"""Ticks for which it is looked at."""


@dataclass(frozen=True)
class Tick:
    """The map of one tick."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    d: np.ndarray

    def equals(self, other: Tick) -> bool:
        pairs = zip((self.a, self.b, self.c, self.d), (other.a, other.b, other.c, other.d), strict=True)
        return all(np.allclose(one, two, rtol=1e-9, atol=1e-9 * np.abs(one).max(initial=0.0)) for one, two in pairs)


@dataclass(frozen=True)
class LinearBlock:
    """The maps of a period of ticks of the block's own clock, and what is to be said about them."""

    node: Node
    ticks: tuple[Tick, ...]
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, node: Node, ticks: Sequence[Tick], warnings: Sequence[str]) -> LinearBlock:
        """With only the states that are moved, and that something depends on."""
        together = sum(np.abs(np.block([[tick.c, tick.d], [tick.a, tick.b]])) for tick in ticks)
        kept = matters(np.asarray(together), len(ticks[0].c), len(ticks[0].a))
        smaller = (Tick(tick.a[np.ix_(kept, kept)], tick.b[kept], tick.c[:, kept], tick.d) for tick in ticks)
        return cls(node, tuple(smaller), tuple(dict.fromkeys(warnings)))

    @property
    def states(self) -> int:
        return len(self.ticks[0].a)


def linear_block(node: Node, x: np.ndarray, u: np.ndarray, live: np.ndarray, t: float) -> LinearBlock:
    """The block around the states x and the inputs u; `live` says which inputs move at all."""
    kernels = Kernels(node, t)
    if kernels.is_continuous:
        found, warnings = slopes(kernels, x, u, np.concatenate([np.ones(len(x), dtype=bool), live]))
        warnings += _moving(kernels, bool(kernels.following(x, u).any()))
        return LinearBlock.of(node, [_tick(kernels, found, np.arange(len(x)), np.arange(len(x)))], warnings)
    path = [x]
    for _ in range(WATCHED):
        path.append(kernels.following(path[-1], u))
    return _Sequence(kernels, path, u, live).block()


class _Sequence:
    """The maps of a sampled block, tick after tick."""

    def __init__(self, kernels: Kernels, path: list[np.ndarray], u: np.ndarray, live: np.ndarray) -> None:
        self.kernels, self.path, self.u, self.live = kernels, path, u, live
        self.found: dict[int, np.ndarray] = {}
        self.warnings: list[str] = []
        self.rings: list[tuple[int, int, int]] = []
        self.clocks = (np.diff(path, axis=0) != 0.0).any(axis=0)

    @property
    def moved(self) -> np.ndarray:
        return np.concatenate([~self.clocks, self.live])

    def block(self) -> LinearBlock:
        node = self.kernels.node
        changing = self.clocks.copy()
        # What changes at rest and depends on something that does not is no clock, but has not come to rest.
        while (driven := self.clocks & self.slopes(0)[self.kernels.outputs :].any(axis=1)).any():
            self.clocks = self.clocks & ~driven
            self.found, self.warnings = {}, []
        self.warnings += _moving(self.kernels, bool((changing & ~self.clocks).any()))
        if not self.clocks.any():
            return LinearBlock.of(node, [self.tick(0)], self.warnings)
        self.rings = self.find_rings()
        if self.holds([self.tick(0)]):
            return LinearBlock.of(node, [self.tick(0)], self.warnings)
        period = self.period_of_clocks()
        if period is not None:
            ticks = [self.tick(k) for k in range(period)]
            if self.holds(ticks):
                return LinearBlock.of(node, ticks, self.warnings)
        raise DiagramError(
            f"The diagram cannot be linearised: block {self.kernels.label} changes from tick to tick without a period"
            f" of up to {LONGEST_PERIOD} ticks; replace it by what it does on average for this check."
        )

    def slopes(self, k: int) -> np.ndarray:
        if k not in self.found:
            self.found[k], warnings = slopes(self.kernels, self.path[k], self.u, self.moved)
            self.warnings += warnings
        return self.found[k]

    def tick(self, k: int) -> Tick:
        return _tick(self.kernels, self.slopes(k), self.by_age(k), self.by_age(k + 1))

    def by_age(self, k: int) -> np.ndarray:
        """Where the states lie at tick k, those of ring buffers by age, without the clocks."""
        order = np.arange(len(self.clocks))
        for start, size, step in self.rings:
            order[start : start + size] = start + (np.arange(size) + k * step) % size
        return order[~self.clocks]

    def find_rings(self) -> list[tuple[int, int, int]]:
        """(first state, length, places written later in the next tick) of every ring buffer."""
        rings, start = [], 0
        for _, size, _ in self.kernels.fields:
            places = slice(start, start + size)
            now, then = (np.flatnonzero(self.written(k)[places]) for k in (0, 1))
            if 0 < len(now) == len(then) < size and not np.array_equal(now, then) and not self.clocks[places].any():
                for step in (then - now[0]) % size:
                    if np.array_equal(np.sort((now + step) % size), then):
                        rings.append((start, size, int(step)))
                        break
            start += size
        return rings

    def written(self, k: int) -> np.ndarray:
        """Which states are changed in tick k."""
        following = self.slopes(k)[self.kernels.outputs :]
        return np.asarray((following != np.eye(*following.shape)).any(axis=1))

    def period_of_clocks(self) -> int | None:
        """Ticks after which all clocks are where they were."""
        hands = np.array(self.path)[:, self.clocks]
        for period in range(2, LONGEST_PERIOD + 1):
            if np.array_equal(hands[period:], hands[:-period]):
                return period
        return None

    def holds(self, ticks: list[Tick]) -> bool:
        """Whether these maps, again and again, are what the block does: a random motion at each tick."""
        random = np.random.default_rng(0)
        for k in range(WATCHED):
            tick, now, after = ticks[k % len(ticks)], self.by_age(k), self.by_age(k + 1)
            x, u = (STEP * random.uniform(-1.0, 1.0, len(each)) for each in (now, self.u))
            u = np.where(self.live, u, 0.0)
            there = self.path[k].copy()
            there[now] += x
            change = self.kernels(there, self.u + u) - self.kernels(self.path[k], self.u)
            expected = np.concatenate([tick.c @ x + tick.d @ u, tick.a @ x + tick.b @ u])
            reached = np.concatenate([change[: self.kernels.outputs], change[self.kernels.outputs :][after]])
            size = np.abs(expected).max(initial=STEP)
            if not (np.abs(reached - expected) <= 1e-4 * size).all():
                return False
        return True


def _moving(kernels: Kernels, is_moving: bool) -> list[str]:
    if not is_moving:
        return []
    return [f"Block {kernels.label} is not at rest without loads: it is taken with its slopes where it starts."]


def _tick(kernels: Kernels, found: np.ndarray, now: np.ndarray, after: np.ndarray) -> Tick:
    states = len(found) - kernels.outputs
    outputs, following = found[: kernels.outputs], found[kernels.outputs :][after]
    return Tick(following[:, now], following[:, states:], outputs[:, now], outputs[:, states:])
