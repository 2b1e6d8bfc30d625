"""Many runs of one program on all cores: parameters are data, each thread makes one C call for many runs."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.errors import ParameterError, RunError

from .engine_c import first_non_finite
from .layout import pack
from .result import Stop

if TYPE_CHECKING:
    from .graph import Node
    from .program import Program

Space = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]]

GROUP = 32
"""Runs a thread takes at a time."""

ROWS = 512
"""Ticks a run is computed in before they are looked at: small enough to stay in the cache."""

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
                raise ParameterError(f"The values of {name!r} in a sweep must be a list that is not empty, got {values!r}.")
        names = list(space)
        runs = [dict(zip(names, combination, strict=True)) for combination in itertools.product(*space.values())]
        return runs, tuple(len(v) for v in space.values())
    runs = [dict(r) for r in space]
    if not runs:
        raise ParameterError("A sweep needs at least one parameter set.")
    return runs, (len(runs),)


def run_sweep(
    program: Program,
    space: Space,
    *,
    duration: float,
    keep: Sequence[str] | None,
    jobs: int | None,
    progress: Callable[[int], None] | None,
) -> Batch:
    runs, shape = parameter_sets(space)
    ticks = max(program.ticks(duration, run) for run in runs[:1])
    for run in runs:
        program.split(run)
    signals = program.graph.signals if keep is None else [program.signal(name) for name in keep]
    columns = np.array([c for s in signals for c in range(s.column, s.column + s.width)], dtype=np.int64)
    size = len(runs) * ticks * columns.size * 8
    if size > MOST_BYTES:
        raise RunError(
            f"Keeping {columns.size} numbers of {ticks} ticks in {len(runs)} runs takes {size / 2**30:.1f} GiB;"
            " name the signals you need with keep=[...] (final values and peaks are always there)."
        )
    width = max(program.graph.columns, 1)
    kept = np.empty((len(runs), columns.size, ticks))
    last, peak = np.full((len(runs), width), np.nan), np.zeros((len(runs), width))
    done, fault = np.zeros(len(runs), np.int64), np.zeros(len(runs), np.int64)
    engine = program.engine_c
    rows = min(ROWS, ticks)

    def work(group: tuple[int, np.ndarray, np.ndarray]) -> int:
        start, p, x = group
        stop = start + len(p)
        scratch = np.empty((rows, width))
        engine.many(
            len(p), ticks, rows, p.ctypes.data, x.ctypes.data, scratch.ctypes.data, columns.ctypes.data, columns.size,
            kept[start:stop].ctypes.data, last[start:stop].ctypes.data, peak[start:stop].ctypes.data,
            done[start:stop].ctypes.data, fault[start:stop].ctypes.data,
        )  # fmt: skip
        return stop - start

    finished = 0
    jobs = jobs or os.cpu_count() or 1
    with ThreadPoolExecutor(jobs) as pool:
        for count in _bounded(pool, work, prepared_groups(program, runs, duration), 2 * jobs):
            finished += count
            if progress:
                progress(finished)
    stopped = [_stop(program, runs[i], int(done[i]), int(fault[i])) if done[i] < ticks else None for i in range(len(runs))]
    for i, stop in enumerate(stopped):
        if stop is not None:
            kept[i, :, stop.tick :] = np.nan
    histories = {}
    first = 0
    for signal in signals:
        part = kept[:, first : first + signal.width]
        histories[signal.name] = part[:, 0] if signal.width == 1 else part.transpose(0, 2, 1)
        first += signal.width
    return Batch(np.arange(ticks) * program.dt, runs, shape, stopped, program, histories, last, peak)


def prepared_groups(
    program: Program, runs: list[dict[str, Any]], duration: float
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Parameter and state vectors of the runs, a group at a time; a block is prepared once for equal values."""
    base_p, base_x = program.vectors({})
    known: dict[tuple[Node, Any], Any] = {}
    for start in range(0, len(runs), GROUP):
        group = runs[start : start + GROUP]
        p, x = np.tile(base_p, (len(group), 1)), np.tile(base_x, (len(group), 1))
        for i, run in enumerate(group):
            for node, changes in program.split(run).items():
                key = (node, _hashable(changes))
                if key[1] is None or key not in known:
                    values = {**node.spec.parameters, **changes}
                    node.spec.check_run(values, node.every * program.dt, float(duration))
                    prepared = program.prepare(node, changes)
                    if key[1] is not None and len(known) < 10_000:
                        known[key] = prepared
                else:
                    prepared = known[key]
                pack(program.layout, node, prepared, p[i], x[i])
        yield start, p, x


def _hashable(changes: Mapping[str, Any]) -> Any:
    key = tuple(changes.items())
    try:
        hash(key)
    except TypeError:
        return None
    return key


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
