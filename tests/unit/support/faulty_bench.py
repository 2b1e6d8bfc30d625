"""Links whose driver has faults."""

from __future__ import annotations

import itertools

from driver_bench import CALLS, KINDS, OK, Fault, Link

FROM, TICKS, SECONDS = 3, 2, 0.25
PAIRS = list(itertools.product(CALLS, KINDS))


def fault(call: str, kind: str, start: int = FROM, ticks: int = TICKS, value: float = SECONDS) -> Fault:
    return Fault(CALLS.index(call), KINDS.index(kind), start, ticks, value)


def exchange(link: Link, tick: int) -> None:
    """A tick without a fault of write and read."""
    assert link.send(tick, (float(tick), -1.0)).tick == tick
    assert link.peer.answer(tick, (float(tick), 1.0, 2.0)) == OK
    assert link.news().values[:3] == [float(tick), 1.0, 2.0]


def up_to_the_fault(link: Link) -> None:
    for tick in range(FROM):
        exchange(link, tick)
