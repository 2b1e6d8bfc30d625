"""Timings taken side by side: candidates take turns, so that a busy machine slows them alike.

A figure is the median of the ratios of one round each, with the quartiles beside it: the machine's noise.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Clock = Callable[[], float]

own_time = time.thread_time
"""Seconds this thread computed: for work in one thread, whatever else the machine is doing."""


@dataclass(frozen=True)
class Spread:
    """A median with its quartiles, and everything it was made of."""

    median: float
    low: float
    high: float
    samples: tuple[float, ...]

    def as_json(self) -> dict[str, object]:
        return {"median": self.median, "quartiles": [self.low, self.high], "samples": list(self.samples)}


def spread(samples: Sequence[float]) -> Spread:
    if len(samples) == 1:
        return Spread(samples[0], samples[0], samples[0], tuple(samples))
    low, median, high = statistics.quantiles(samples, n=4, method="inclusive")
    return Spread(median, low, high, tuple(samples))


def duration(work: Callable[[], object], clock: Clock = time.perf_counter) -> float:
    """Seconds one call takes."""
    start = clock()
    work()
    return clock() - start


def by_turns(
    rounds: int, clock: Clock = time.perf_counter, **candidates: Callable[[], object]
) -> dict[str, list[float]]:
    """Seconds of each candidate in each round; who begins changes from round to round."""
    times: dict[str, list[float]] = {name: [] for name in candidates}
    order = list(candidates)
    for name in order:
        candidates[name]()  # caches, page faults and lazy imports are paid once, before
    for _ in range(rounds):
        for name in order:
            times[name].append(duration(candidates[name], clock))
        order.append(order.pop(0))
    return times


def ratio(above: Sequence[float], below: Sequence[float]) -> Spread:
    """The quotient of two candidates, round by round."""
    return spread([a / b for a, b in zip(above, below, strict=True)])
