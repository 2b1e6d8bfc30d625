"""What the log of a test says, read frame by frame: extremes, states, faults, and histories thin enough to be drawn.

    error_k   = | sent before - measured_k |      what the guard compares
    allowed_k = max(least, most |v_k| / v_max)    v_k of the command sent last

A history keeps the smallest and the largest value of each group of ticks, so that no peak is lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hybsim.hw.rig_model import Rig
from hybsim.runtime.guard_tables import FAULTS, STATES, faults
from hybsim.runtime.log_reader import LogReader

POINTS = 1500
"""Groups of ticks that a history is made of."""

LIVE = ("ARMED", "RUNNING", "PAUSED", "RAMP_DOWN")
SEVERE = tuple(name for name, (reaction, _) in FAULTS.items() if reaction != "COUNT")
ERROR, ALLOWED = "error.", "allowed."


@dataclass(frozen=True)
class Entered:
    """A state that was entered: when, in s of the laboratory since the test began, at which tick, and why."""

    time: float
    tick: int
    state: str
    why: tuple[str, ...]


@dataclass(frozen=True)
class Counted:
    """A fault: ticks with it, and the first of them, in s since the test began."""

    name: str
    ticks: int
    first: float


@dataclass
class Extremes:
    """Smallest and largest value while the device was live."""

    low: float = math.inf
    high: float = -math.inf

    @property
    def size(self) -> float:
        return max(abs(self.low), abs(self.high)) if self.low <= self.high else math.nan


@dataclass
class History:
    """Smallest and largest value of each group of ticks."""

    low: np.ndarray
    high: np.ndarray

    def put(self, groups: np.ndarray, starts: np.ndarray, values: np.ndarray) -> None:
        with np.errstate(invalid="ignore"):
            self.low[groups] = np.fmin(self.low[groups], np.fmin.reduceat(values, starts))
            self.high[groups] = np.fmax(self.high[groups], np.fmax.reduceat(values, starts))


@dataclass
class Record:
    """The record of a test as its log has it; times are those of the laboratory, 0 where the test began."""

    rows: int
    over: int
    """The tick after the last."""
    period: float
    begun: int | None
    """The tick of the loop in which the test began."""
    states: list[Entered]
    counted: list[Counted]
    extremes: dict[str, Extremes]
    histories: dict[str, History]
    times: np.ndarray
    """Of the middle of each group."""
    late: int
    problems: list[str]
    about: Mapping[str, object] = field(default_factory=dict)
    worst_share: dict[str, float] = field(default_factory=dict)
    """Of each followed channel: the largest error over what was allowed in that tick, while the diagram ran."""

    @property
    def ended(self) -> float:
        """When the device was let go, or the log ends."""
        live = [each for each in self.states if each.state in LIVE]
        after = [each for each in self.states if live and each.tick > live[-1].tick]
        return after[0].time if after else self.time(self.over)

    def time(self, tick: int) -> float:
        return (tick - (self.begun or 0)) * self.period


def read_record(path: Path, rig: Rig) -> Record:
    """Two passes over the log: when the test began and ended, then all else in the groups that follow from it."""
    with LogReader(path) as log:
        columns = {name: i for i, name in enumerate(log.names)}
        states, late, rows, over = _states(log, columns)
        period = 1.0 / rig.rate
        begun = next((tick for tick, state, _ in states if state == "RUNNING"), None)
        base = begun or 0
        entered = [Entered((tick - base) * period, tick, state, why) for tick, state, why in states]
        record = Record(rows, over, period, begun, entered, [], {}, {}, np.empty(0), late, [], log.about)
        _collect(log, columns, rig, record)
        record.problems = list(log.problems)
    return record


def _states(log: LogReader, columns: Mapping[str, int]) -> tuple[list[tuple[int, str, tuple[str, ...]]], int, int, int]:
    """Changes of state with ticks and causes; late ticks while the device was live; rows; the tick after the last."""
    found: list[tuple[int, str, tuple[str, ...]]] = []
    names, late, rows, over, before = list(STATES), 0, 0, 0, -1
    live = [names.index(state) for state in LIVE]
    for _, part in log.frames():
        if not len(part):
            continue
        state = part[:, columns["loop.state"]].astype(int)
        bits = part[:, columns["loop.faults"]].astype(int)
        ticks = part[:, columns["loop.tick"]].astype(int)
        for i in np.flatnonzero(np.diff(state, prepend=before)):
            why = tuple(fault for fault in faults(int(bits[i])) if fault in SEVERE)
            was_live = found and found[-1][1] in LIVE
            found.append((int(ticks[i]), names[state[i]], why if was_live else ()))
        before = int(state[-1]) if len(state) else before
        late += int(np.count_nonzero((part[:, columns["loop.late"]] > 0.0) & np.isin(state, live)))
        rows, over = rows + len(part), int(ticks[-1]) + 1
    return found, late, rows, over


def _collect(log: LogReader, columns: Mapping[str, int], rig: Rig, record: Record) -> None:
    live = [each.tick for each in record.states if each.state in LIVE]
    if not live:
        return
    begin = live[0]
    # The tick of a stop is part of it: it has the value that led to the stop.
    end = next((each.tick + 1 for each in record.states if each.tick > live[-1]), record.over)
    size = max(1, math.ceil((end - begin) / POINTS))
    groups = max(1, math.ceil((end - begin) / size))
    record.times = record.period * (begin + (np.arange(groups) + 0.5) * size - (record.begun or 0) - 0.5)
    names = wanted(rig, columns)
    followed = [name for name, one in rig.measured.items() if one.follows is not None]
    for name in [*names, *(kind + each for kind in (ERROR, ALLOWED) for each in followed)]:
        record.histories[name] = History(np.full(groups, np.nan), np.full(groups, np.nan))
        record.extremes[name] = Extremes()
    counts = np.zeros(len(FAULTS), dtype=int)
    firsts: dict[int, int] = {}
    commands = {one.follows: np.zeros(0) for one in rig.measured.values() if one.follows is not None}
    for _, part in log.frames():
        # the last three commands go along, for the errors of the first rows of the next frame
        sent = {each: np.append(kept, part[:, columns[f"command.{each}"]]) for each, kept in commands.items()}
        ticks = part[:, columns["loop.tick"]].astype(int)
        low, high = np.searchsorted(ticks, [begin, end])
        if low < high:
            ticks = ticks[low:high]
            group, starts = np.unique((ticks - begin) // size, return_index=True)
            bits = part[low:high, columns["loop.faults"]].astype(int)
            running = part[low:high, columns["loop.advanced"]] > 0.0
            for k in range(len(FAULTS)):
                there = np.flatnonzero(bits >> k & 1)
                counts[k] += len(there)
                if len(there):
                    firsts.setdefault(k, int(ticks[there[0]]))
            values = {name: part[low:high, columns[name]] for name in names}
            for each in followed:
                error, allowed = _tracking(rig, each, part, columns, sent, low, high)
                values |= {ERROR + each: error, ALLOWED + each: allowed}
                share = np.where(running, error / allowed, 0.0)
                record.worst_share[each] = float(np.fmax(record.worst_share.get(each, 0.0), np.nanmax(share)))
            for name, numbers in values.items():
                record.histories[name].put(group, starts, numbers)
                at = record.extremes[name]
                at.low, at.high = (
                    float(np.fmin.reduce(numbers, initial=at.low)),
                    float(np.fmax.reduce(numbers, initial=at.high)),
                )
        commands = {each: numbers[-3:] for each, numbers in sent.items()}
    record.counted = [
        Counted(name, int(counts[k]), record.time(firsts[k])) for k, name in enumerate(FAULTS) if counts[k]
    ]


def wanted(rig: Rig, columns: Mapping[str, int]) -> list[str]:
    """The columns whose histories are kept."""
    names = [f"command.{name}" for name in rig.commands] + [f"measured.{name}" for name in rig.measured]
    if rig.energy is not None:
        names += [name for name in (rig.energy.index, rig.energy.energy) if name in columns]
    return [*names, "loop.fade"]


def _tracking(
    rig: Rig, name: str, part: np.ndarray, columns: Mapping[str, int], sent: Mapping[str, np.ndarray], low: int,
    high: int,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Error and allowed error of some rows, as the guard compares them (hg_notice)."""
    one = rig.measured[name]
    assert one.follows is not None and one.tracking is not None
    track = sent[one.follows]
    kept = len(track) - len(part)
    at = np.arange(low, high) + kept
    before = [track[np.maximum(at - back, 0)] for back in (1, 2)]
    speed = np.abs(before[0] - before[1]) * rig.rate
    allowed = np.maximum(one.tracking.least, one.tracking.most * speed / rig.commands[one.follows].soft.velocity)
    return np.abs(before[0] - part[low:high, columns[f"measured.{name}"]]), allowed
