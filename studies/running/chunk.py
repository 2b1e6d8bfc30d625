"""A chunk of a study: some runs and their references, simulated and measured at once, here or in another process.

A chunk holds the C source of the program, vectors of numbers and the measures, and nothing of the diagram: any process
in which hybsim can be imported can work on it. It compiles the source, or takes the library from its cache.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hybsim.errors import ParameterError
from hybsim.runtime.engine_c import Loops
from hybsim.runtime.memory import fresh
from hybsim.runtime.program import Program
from hybsim.runtime.sweep import run_sweep
from hybsim.studies.measures import Histories, Measure

Places = Mapping[str, slice | int]
"""Where a signal lies among the columns that are kept: several for a vector, one for a number."""


def kept_signals(program: Program, measures: Mapping[str, Measure]) -> tuple[list[str], Places]:
    """The signals to keep, and the place of each that is measured; unknown ones are refused with the near ones."""
    keep: dict[str, int] = {}
    places: dict[str, slice | int] = {}
    width = 0
    for name, measure in measures.items():
        for text in measure.signals:
            match = re.fullmatch(r"(.+)\[(\d+)\]", text)
            signal = program.signal(match[1] if match else text)
            if match and int(match[2]) >= signal.width:
                raise ParameterError(
                    f"There is no signal {text!r}: {signal.name!r} has {signal.width} element(s), counted from 0."
                )
            if not match and signal.width > 1 and not measure.vectors:
                raise ParameterError(
                    f"Measure {name!r} takes single numbers, but {text!r} is a vector of {signal.width};"
                    f" name one component, such as '{text}[0]'."
                )
            if signal.name not in keep:
                keep[signal.name] = width
                width += signal.width
            first = keep[signal.name]
            if match or signal.width == 1:
                places[text] = first + int(match[2] if match else 0)
            else:
                places[text] = slice(first, first + signal.width)
    return list(keep), places


@dataclass(frozen=True)
class InC:
    """Simulates from vectors with the compiled loop."""

    source: str
    name: str
    width: int
    ticks: int
    columns: np.ndarray

    @classmethod
    def of(cls, program: Program, keep: list[str], ticks: int) -> InC:
        signals = [program.signal(name) for name in keep]
        columns = [column for s in signals for column in range(s.column, s.column + s.width)]
        return cls(program.c_source, program.graph.name, program.graph.columns, ticks, np.array(columns, np.int64))

    def __call__(self, runs: Any, rows: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The kept columns (runs, columns, ticks) and the finished ticks of all runs, or of those in `rows`."""
        p, x = runs.matrices(rows)
        kept = fresh(len(p), self.columns.size, self.ticks)
        done = _loops(self.source, self.name, self.width).sweep(p, x, self.columns, kept).done
        for i in np.flatnonzero(done < self.ticks):
            kept[i, :, done[i] :] = np.nan
        return kept, done


@lru_cache(maxsize=32)
def _loops(source: str, name: str, width: int) -> Loops:
    return Loops(source, name, width)


@dataclass(frozen=True)
class InPython:
    """Simulates from parameter sets with the Python engine, where there is no compiler."""

    program: Program
    keep: list[str]
    duration: float

    def __call__(self, runs: Any, rows: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        chosen = runs if rows is None else [runs[i] for i in rows]
        batch = run_sweep(
            self.program, chosen, duration=self.duration, keep=self.keep, engine="python", jobs=None, progress=None
        )
        columns = [batch[name] for name in self.keep]
        kept = [column[:, None] if column.ndim == 2 else column.transpose(0, 2, 1) for column in columns]
        done = [batch.t.size if stop is None else stop.tick for stop in batch.stopped]
        return np.concatenate(kept, axis=1), np.array(done, dtype=np.int64)


@dataclass(frozen=True)
class Task:
    """What all chunks of a study have in common."""

    simulate: Callable[..., tuple[np.ndarray, np.ndarray]]
    places: Places
    t: np.ndarray
    measures: Mapping[str, Measure]


@dataclass(frozen=True)
class Chunk:
    """Some runs, in the form their task simulates.

    reference  the reference of each run, if there is one
    groups     runs of one group have the same reference, apart from the seed
    seeds      the number of the seed of each run
    """

    number: int
    task: Task
    runs: Any
    reference: Any
    groups: np.ndarray
    seeds: np.ndarray


@dataclass(frozen=True)
class Measured:
    """The measures and finished ticks of the runs of a chunk."""

    number: int
    values: dict[str, np.ndarray]
    ticks: np.ndarray


@dataclass(frozen=True)
class Failure:
    """A measure that could not be taken, and in which run of the chunk."""

    number: int
    measure: str
    run: int
    reason: str


def work(chunk: Chunk) -> Measured | Failure:
    """Simulate and measure the runs of a chunk."""
    task = chunk.task
    kept, done = task.simulate(chunk.runs)
    runs, reference = _named(task, kept), _reference(chunk)
    stopped = done < task.t.size
    values = {}
    for name, measure in task.measures.items():
        found = _taken(measure, runs, reference, len(done))
        if isinstance(found, str):
            return Failure(chunk.number, name, *_first_failing(measure, runs, reference, len(done), found))
        found[stopped] = measure.of_stopped
        found[np.isnan(found)] = np.nan  # one nan for all of them, with the same bits everywhere
        values[name] = found
    return Measured(chunk.number, values, done)


def _named(task: Task, kept: np.ndarray) -> dict[str, np.ndarray]:
    """Histories by name: (runs, ticks), or (runs, ticks, n) for vectors."""
    named = {"t": task.t}
    for name, place in task.places.items():
        part = kept[:, place]
        named[name] = part.transpose(0, 2, 1) if isinstance(place, slice) else part
    return named


def _reference(chunk: Chunk) -> dict[str, np.ndarray] | None:
    """The histories of the references: one row for each run, or one for all.

    Runs of one group share a reference. In a group with different seeds that of one more seed is simulated: where it
    is not the same, the seed matters, and each run has its own.
    """
    if chunk.reference is None:
        return None
    task, seeds = chunk.task, chunk.seeds
    _, first, group = np.unique(chunk.groups, return_index=True, return_inverse=True)
    if len(first) < len(group):
        others = np.flatnonzero(seeds != seeds[first[group]])
        others = others[np.unique(group[others], return_index=True)[1]]
        kept, _ = task.simulate(chunk.reference, np.append(first, others))
        if kept[group[others]].tobytes() == kept[len(first) :].tobytes():
            return _named(task, kept[group] if len(first) > 1 else kept[:1])
    return _named(task, task.simulate(chunk.reference)[0])


def _taken(measure: Measure, runs: Histories, reference: Histories | None, count: int) -> np.ndarray | str:
    """One number for each run, or what went wrong."""
    try:
        found = measure(runs, reference)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if found.dtype.kind not in "fiub":
        return f"it returned numbers of the type {found.dtype}"
    if found.shape != (count,):
        return f"it returned the shape {found.shape} for {count} run{'s' * (count > 1)}, but must return ({count},)"
    return found.astype(float)


def _first_failing(
    measure: Measure, runs: Histories, reference: Histories | None, count: int, reason: str
) -> tuple[int, str]:
    """The first run with which a measure fails also on its own, and why; otherwise the first of all."""
    for i in range(count):
        alone = _row(runs, i)
        found = _taken(measure, alone, None if reference is None else _row(reference, i), 1)
        if isinstance(found, str):
            return i, found
    return 0, reason


def _row(histories: Histories, i: int) -> dict[str, np.ndarray]:
    return {
        name: values if name == "t" or len(values) == 1 else values[i : i + 1] for name, values in histories.items()
    }
