"""Many runs of one program on all cores: parameters are data, each thread makes one C call for many runs.

Without a compiler the runs are made one by one in Python.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.errors import ParameterError, RunError
from hybsim.runtime.engine_c import first_non_finite
from hybsim.runtime.result import Stop
from hybsim.runtime.vectors import Preparer, Vectors

if TYPE_CHECKING:
    from hybsim.runtime.graph import Signal
    from hybsim.runtime.program import Program

Runs = list[dict[str, Any]]
Space = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]]

GROUP = 32
"""Runs a thread takes at a time."""

MOST_BYTES = 4 * 2**30


@dataclass
class Batch:
    """The runs of a sweep, in order; histories have the shape (runs, ticks), or (runs, ticks, n) for vectors.

    `shape` is the shape of the grid: ``batch.peak("newmark.disp_target").reshape(batch.shape)``.
    """

    t: np.ndarray
    runs: list[dict[str, Any]]
    shape: tuple[int, ...]
    stopped: list[Stop | None]
    program: Program
    _kept: dict[str, np.ndarray]
    _last: np.ndarray
    _peak: np.ndarray

    @property
    def names(self) -> list[str]:
        """Signals whose histories were kept."""
        return list(self._kept)

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, name: str) -> np.ndarray:
        full = self.program.signal(name).name
        if full not in self._kept:
            raise ParameterError(f"The history of {name!r} was not kept; add it to keep=[...].")
        return self._kept[full]

    def final(self, name: str) -> np.ndarray:
        """The last value of a signal in every run."""
        return self.program.column(self._last, self.program.signal(name).name)

    def peak(self, name: str) -> np.ndarray:
        """The largest magnitude of a signal in every run."""
        return self.program.column(self._peak, self.program.signal(name).name)


def parameter_sets(space: Space) -> tuple[list[dict[str, Any]], tuple[int, ...]]:
    """The runs a space stands for, and the shape of its grid."""
    if isinstance(space, Mapping):
        for name, values in space.items():
            if isinstance(values, str) or not hasattr(values, "__len__") or len(values) == 0:
                raise ParameterError(
                    f"The values of {name!r} in a sweep must be a list that is not empty, got {values!r}."
                )
        names = list(space)
        runs = [dict(zip(names, combination, strict=True)) for combination in itertools.product(*space.values())]
        return runs, tuple(len(v) for v in space.values())
    runs = [dict(r) for r in space]
    if not runs:
        raise ParameterError("A sweep needs at least one parameter set.")
    return runs, (len(runs),)


@dataclass
class Store:
    """What is kept of the runs: the histories of some columns, last rows, peaks, finished ticks and stops."""

    ticks: int
    columns: np.ndarray
    kept: np.ndarray
    last: np.ndarray
    peak: np.ndarray
    stopped: list[Stop | None]


def run_sweep(
    program: Program,
    space: Space,
    *,
    duration: float,
    keep: Sequence[str] | None,
    engine: str,
    jobs: int | None,
    progress: Callable[[int], None] | None,
) -> Batch:
    """The runs of a space, by the engine "c" or "python"."""
    if program.graph.externals:
        raise RunError(
            f"A sweep cannot run block {program.graph.externals[0].name!r}, which is computed outside the program;"
            " call run(duration, params=...) for each parameter set."
        )
    runs, shape = parameter_sets(space)
    ticks = program.ticks(duration, runs[0])
    for run in runs:
        program.split(run)
    signals = program.graph.signals if keep is None else [program.signal(name) for name in keep]
    store = empty_store(program, len(runs), ticks, signals)
    if engine == "c":
        counts = _runs_in_c(program, runs, duration, store, jobs or os.cpu_count() or 1)
    else:
        counts = _runs_in_python(program, runs, duration, store)
    finished = 0
    for count in counts:
        finished += count
        if progress:
            progress(finished)
    for i, stop in enumerate(store.stopped):
        if stop is not None:
            store.kept[i, :, stop.tick :] = np.nan
    histories, first = {}, 0
    for signal in signals:
        part = store.kept[:, first : first + signal.width]
        histories[signal.name] = part[:, 0] if signal.width == 1 else part.transpose(0, 2, 1)
        first += signal.width
    t = np.arange(ticks) * program.dt
    return Batch(t, runs, shape, store.stopped, program, histories, store.last, store.peak)


def empty_store(program: Program, runs: int, ticks: int, signals: Sequence[Signal]) -> Store:
    columns = np.array([c for s in signals for c in range(s.column, s.column + s.width)], dtype=np.int64)
    size = runs * ticks * columns.size * 8
    if size > MOST_BYTES:
        raise RunError(
            f"Keeping {columns.size} numbers of {ticks} ticks in {runs} runs takes {size / 2**30:.1f} GiB;"
            " name the signals you need with keep=[...] (final values and peaks are always there)."
        )
    width = max(program.graph.columns, 1)
    kept = np.empty((runs, columns.size, ticks))
    return Store(ticks, columns, kept, np.full((runs, width), np.nan), np.zeros((runs, width)), [None] * runs)


def _runs_in_c(program: Program, runs: Runs, duration: float, store: Store, jobs: int) -> Iterator[int]:
    engine = program.engine_c
    done, fault = np.zeros(len(runs), np.int64), np.zeros(len(runs), np.int64)

    def work(group: tuple[int, Vectors]) -> int:
        start, vectors = group
        part = slice(start, start + vectors.runs)
        found = engine.sweep(*vectors.matrices(), store.columns, store.kept[part])
        store.last[part], store.peak[part], done[part], fault[part] = found
        return vectors.runs

    def groups() -> Iterator[tuple[int, Vectors]]:
        preparer = Preparer(program, duration)
        for start in range(0, len(runs), GROUP):
            yield start, preparer.vectors(runs[start : start + GROUP])

    with ThreadPoolExecutor(jobs) as pool:
        yield from _bounded(pool, work, groups(), 2 * jobs)
    for i in np.flatnonzero(done < store.ticks):
        store.stopped[i] = _stop(program, runs[i], int(done[i]), int(fault[i]))


def _runs_in_python(program: Program, runs: Runs, duration: float, store: Store) -> Iterator[int]:
    for i, run in enumerate(runs):
        program.ticks(duration, run)  # which checks that the parameters fit the duration
        rows = np.empty((store.ticks, store.last.shape[1]))
        stop = store.stopped[i] = program.engine_python(run).run(store.ticks, rows)
        rows = rows if stop is None else rows[: stop.tick]
        store.kept[i, :, : len(rows)] = rows[:, store.columns].T
        if len(rows):
            store.last[i], store.peak[i] = rows[-1], np.abs(rows).max(axis=0)
        yield 1


def _bounded(pool: ThreadPoolExecutor, work: Callable[[Any], int], items: Iterator[Any], most: int) -> Iterator[int]:
    """Results in order of submission, with at most `most` items waiting: memory does not grow with the sweep."""
    waiting: list[Any] = []
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) >= most:
            yield waiting.pop(0).result()
    for future in waiting:
        yield future.result()


def _stop(program: Program, run: Mapping[str, Any], tick: int, fault: int) -> Stop:
    """Where a run ended: by a fault in a kernel, or at the first nan or inf (that one tick is computed again)."""
    if fault:
        return program.engine_c.fault(fault, tick)
    p, x = program.vectors(run)
    rows = np.empty((tick + 1, max(program.graph.columns, 1)))
    found = program.engine_c.run(p, x, rows)
    return found or first_non_finite(program.graph, rows, 0)
