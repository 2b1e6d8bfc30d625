"""What happened in a test, read off its log frame by frame: states, events, faults, and what is wrong with the file."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hybsim.runtime.guard_tables import EVENTS, FAULTS, STATES
from hybsim.runtime.log_reader import LogReader


@dataclass(frozen=True)
class Entry:
    """The tick from which on a state held, or at which an event was asked for."""

    tick: int
    time: float
    name: str
    refused: bool = False


@dataclass
class Seen:
    """A fault: the first tick that had it, and how many did."""

    tick: int
    time: float
    ticks: int = 0


@dataclass
class Summary:
    """Times are s of the loop, counted from its first tick."""

    names: list[str]
    dt: float
    about: dict[str, Any]
    rows: int = 0
    first_tick: int = 0
    last_tick: int = -1
    test_ticks: int = 0
    states: list[Entry] = field(default_factory=list)
    events: list[Entry] = field(default_factory=list)
    faults: dict[str, Seen] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def summarise(path: str | os.PathLike[str]) -> Summary:
    """All of a log, in the memory of one frame."""
    with LogReader(path) as log:
        found = Summary(log.names, log.dt, log.about)
        place = {name: i for i, name in enumerate(log.names)}
        tick = next((place[name] for name in ("loop.tick", "rig.tick") if name in place), None)
        for first, rows in log.frames():
            if not len(rows):
                continue
            ticks = np.arange(first, first + len(rows)) if tick is None else rows[:, tick].astype(np.int64)
            if tick is not None and log.names[tick] == "loop.tick":
                _look_for_gaps(found, ticks)
            if not found.rows:
                found.first_tick = int(ticks[0])
            found.rows += len(rows)
            found.last_tick = int(ticks[-1])
            if "loop.state" in place:
                _look(found, ticks, rows, place)
        found.problems += log.problems
    return found


def _look_for_gaps(found: Summary, ticks: np.ndarray) -> None:
    """A row that did not fit into the ring any more left a gap in the ticks."""
    whole = np.concatenate([[found.last_tick], ticks])
    if not found.rows:
        whole[0] = ticks[0] - 1
    for i in np.flatnonzero(np.diff(whole) != 1):
        found.problems.append(f"tick {whole[i + 1]} follows on tick {whole[i]}")


def _look(found: Summary, ticks: np.ndarray, rows: np.ndarray, place: dict[str, int]) -> None:
    column = {name: rows[:, place[f"loop.{name}"]].astype(np.int64) for name in ("state", "event", "refused", "faults")}
    states, events, faults = list(STATES), list(EVENTS), list(FAULTS)
    before = states.index(found.states[-1].name) if found.states else -1
    for i in np.flatnonzero(np.diff(column["state"], prepend=before)):
        found.states.append(Entry(int(ticks[i]), float(ticks[i] * found.dt), states[column["state"][i]]))
    for i in np.flatnonzero(column["event"]):
        refused = bool(column["refused"][i])
        found.events.append(Entry(int(ticks[i]), float(ticks[i] * found.dt), events[column["event"][i]], refused))
    for i in np.flatnonzero(column["faults"]):
        for bit, name in enumerate(faults):
            if column["faults"][i] >> bit & 1:
                found.faults.setdefault(name, Seen(int(ticks[i]), float(ticks[i] * found.dt))).ticks += 1
    if "loop.advanced" in place:
        found.test_ticks += int(np.count_nonzero(rows[:, place["loop.advanced"]] == 1.0))
