"""A study: runs of a diagram at every point of a parameter space, compared with reference runs, and measured.

    import hybsim as hs
    from hybsim.diagrams import fig_3_5
    from hybsim.studies.measures import eps_max, final

    study = hs.Study(
        fig_3_5(),
        space=hs.grid({"lag.mean": [0.0, 0.5, 1.0]}),
        duration=31.18,
        reference={"lag.mean": 0.0, "lag.variance": 0.0},
        measures={"eps_max": eps_max("integrator.disp_target"), "hsei_i": final("energy.hsei_i")},
        seeds={"noise.seed": range(20)},
    )
    result = study.run()
    result.mean["eps_max"], result.std["eps_max"]

The reference of a run is the same run with the parameters in `reference`. Where they make the seed irrelevant, as
here, all seeds of a point share one.

Runs are made in chunks on all cores. The results have the same bits whatever the number of threads, in processes and on
a cluster: `executor` takes any executor of concurrent.futures and a client of Dask. With `store` every chunk is kept in
a file when it is finished, and a study that was ended goes on from there.
"""

from __future__ import annotations

import platform
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from importlib.metadata import version
from os import PathLike
from typing import Any

import numpy as np

from hybsim.errors import ParameterError, RunError
from hybsim.runtime.program import NoCompilerWarning, Program, compile
from hybsim.runtime.vectors import Preparer, key_of
from hybsim.studies.measures import Measure, checked_measures
from hybsim.studies.running.chunk import Chunk, Failure, InC, InPython, Measured, Task, kept_signals, work
from hybsim.studies.running.executors import check_picklable, completed, workers, working
from hybsim.studies.running.fingerprint import digest
from hybsim.studies.running.store import Store
from hybsim.studies.running.study_result import StudyResult
from hybsim.studies.spaces import Point, Space, as_space, grid, random, seed_values, sobol

__all__ = ["Study", "StudyResult", "Space", "grid", "random", "sobol"]

MOST_RUNS = 64
"""Runs in a chunk; fewer in small studies, so that all cores have work, and where runs are long."""

LEAST_RUNS = 8
CHUNKS = 16
CHUNK_BYTES = 8 * 2**20


class Study:
    """Runs of a diagram, or of a program made of it, at every point of a space and for every seed.

    >>> from hybsim.diagrams import fig_3_5
    >>> from hybsim.studies.measures import peak
    >>> study = Study(
    ...     fig_3_5(), space=grid({"lag.mean": [0.0, 1.0]}), duration=5.0, measures={"force": peak("specimen.force")}
    ... )
    >>> less, more = study.run().mean["force"]
    >>> bool(less < more)
    True
    """

    def __init__(
        self,
        diagram: Any,
        *,
        space: Space | Sequence[Mapping[str, Any]],
        duration: float,
        measures: Mapping[str, Measure],
        reference: Mapping[str, Any] | None = None,
        seeds: Mapping[str, Iterable[Any]] | None = None,
    ) -> None:
        self.space, self.duration = as_space(space), duration
        self.seeds = seed_values(seeds or {})
        self.reference = None if reference is None else dict(reference)
        self.measures = checked_measures(measures, compared=self.reference is not None)
        self.program = diagram if isinstance(diagram, Program) else compile(diagram)
        self._repeats = [dict(zip(self.seeds, row, strict=True)) for row in zip(*self.seeds.values(), strict=True)]
        self._check_parameters()
        self._keep, self._places = kept_signals(self.program, self.measures)
        self._ticks = self.program.ticks(duration, self._run(0))
        self._size = self._chunk_size()

    def __len__(self) -> int:
        """The number of runs, references not counted."""
        return len(self.space) * max(1, len(self._repeats))

    def run(
        self,
        *,
        jobs: int | None = None,
        executor: Any = None,
        store: str | PathLike[str] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> StudyResult:
        """Make all runs and measure them.

        jobs      cores to keep busy, by default all; with an executor, chunks it works on at once
        executor  of concurrent.futures, or a client of Dask
        store     a file for what is finished; a study that was ended goes on from it
        progress  is told the share that is done
        """
        jobs = workers(executor, jobs)
        check_picklable(executor, self.measures)
        values = {name: np.full(len(self), np.nan) for name in self.measures}
        ticks = np.zeros(len(self), np.int64)
        missing = dict.fromkeys(range(-(-len(self) // self._size)))
        total = len(missing)

        def take(found: Measured) -> None:
            part = slice(found.number * self._size, (found.number + 1) * self._size)
            ticks[part] = found.ticks
            for name, column in values.items():
                column[part] = found.values[name]
            del missing[found.number]
            if progress:
                progress(1.0 - len(missing) / total)

        with nullcontext() if store is None else Store(store, self.digests()) as kept:
            for found in kept.finished if kept else ():
                take(found)
            for found in self._found(list(missing), jobs, executor):
                if kept:
                    kept.add(found)
                take(found)
        return self._result(values, ticks)

    def digests(self) -> dict[str, str]:
        """What tells this study from any other, part by part."""
        versions = [version("hybsim"), np.__version__, platform.python_version_tuple()[:2]]
        return {
            "program": digest([self.program.digest, *self.program.vectors({})]),
            "points": digest(self.space.points),
            "seeds": digest(self.seeds),
            "reference": digest(self.reference),
            "measures": digest(self.measures),
            "duration": digest([self.duration, self._ticks, self._size]),
            "versions": digest(versions),
        }

    # runs ---------------------------------------------------------------------------------

    def _run(self, number: int) -> Point:
        if not self._repeats:
            return self.space.points[number]
        point, seed = divmod(number, len(self._repeats))
        return {**self.space.points[point], **self._repeats[seed]}

    def _chunk_size(self) -> int:
        """The number of runs in a chunk; it depends on the study alone, as must the results."""
        one = self._ticks * max(1, sum(self.program.signal(name).width for name in self._keep)) * 8
        spread = max(LEAST_RUNS, -(-len(self) // CHUNKS))
        return max(1, min(MOST_RUNS, spread, CHUNK_BYTES // one))

    def _found(self, numbers: list[int], jobs: int, executor: Any) -> Iterator[Measured]:
        if not numbers:
            return
        problem = self.program.compiler_problem
        if problem is not None:
            without = "" if executor is None else ", here and not in the executor,"
            warnings.warn(
                f"The study runs{without} with the slow Python engine: {problem}", NoCompilerWarning, stacklevel=3
            )
            jobs, executor = 1, None
        with working(executor, jobs) as pool:
            for found in completed(pool, work, self._chunks(numbers, in_c=problem is None), 2 * jobs):
                if isinstance(found, Failure):
                    run = self._run(found.number * self._size + found.run)
                    raise RunError(f"Measure {found.measure!r} failed at the point {run}: {found.reason.rstrip('.')}.")
                yield found

    def _chunks(self, numbers: list[int], *, in_c: bool) -> Iterator[Chunk]:
        program, reference = self.program, self.reference
        simulate = InC.of(program, self._keep, self._ticks) if in_c else InPython(program, self._keep, self.duration)
        task = Task(simulate, self._places, np.arange(self._ticks) * program.dt, self.measures)
        preparer = Preparer(program, self.duration)
        for number in numbers:
            members = range(number * self._size, min(len(self), (number + 1) * self._size))
            runs = [self._run(i) for i in members]
            exact: Any = None
            if in_c:
                vectors = preparer.vectors(runs)
                exact = None if reference is None else preparer.changed(vectors, runs, reference)
            elif reference is not None:
                exact = [{**run, **reference} for run in runs]
            yield Chunk(number, task, vectors if in_c else runs, exact, *self._groups(members))

    def _groups(self, members: range) -> tuple[np.ndarray, np.ndarray]:
        """Of every run a number for its reference, equal where those differ in seeds at most, and one for its seed."""
        reference, seeds = self.reference or {}, max(1, len(self._repeats))
        known: dict[Any, int] = {}
        groups = []
        for i in members:
            point = self.space.points[i // seeds]
            key = key_of({name: value for name, value in point.items() if name not in reference})
            groups.append(known.setdefault(("point", i // seeds) if key is None else key, len(known)))
        free = any(seed not in reference for seed in self.seeds)
        return np.array(groups), np.array(members) % seeds if free else np.zeros(len(members), np.int64)

    def _result(self, values: dict[str, np.ndarray], ticks: np.ndarray) -> StudyResult:
        shape = len(self.space), max(1, len(self._repeats))
        return StudyResult(
            points=self.space.points,
            seeds=self.seeds,
            shape=self.space.shape,
            values={name: column.reshape(shape) for name, column in values.items()},
            ticks=ticks.reshape(shape),
            all_ticks=self._ticks,
        )

    # checks -------------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        """Refuse unknown names before anything runs."""
        for names in dict.fromkeys(tuple(point) for point in self.space.points):
            self.program.split(dict.fromkeys(names))
            for seed in self.seeds:
                if seed in names:
                    raise ParameterError(f"{seed!r} is given by the space and by the seeds; leave it in one of them.")
            for measure in self.measures:
                if measure in names:
                    raise ParameterError(f"{measure!r} is a parameter; give the measure another name.")
        self.program.split(dict.fromkeys(self.seeds))
        self.program.split(self.reference or {})
