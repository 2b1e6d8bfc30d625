"""Who works on the chunks of a study: threads of this process, or any executor of concurrent.futures.

    study.run(jobs=4)                                    threads
    study.run(executor=ProcessPoolExecutor())            processes
    study.run(executor=dask.distributed.Client(...))     a cluster

An executor has `submit`, which gives a future of concurrent.futures; a client of Dask has `get_executor`.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

from hybsim.errors import HybsimError, ParameterError, RunError

Item = TypeVar("Item")
Found = TypeVar("Found")


def workers(executor: Any, jobs: int | None) -> int:
    """How many chunks are worked on at once: `jobs`, or what the executor says of itself, or the number of cores."""
    if jobs is not None:
        if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1:
            raise ParameterError(f"The number of jobs must be a whole number of at least 1, got {jobs!r}.")
        return jobs
    if hasattr(executor, "ncores"):  # a client of Dask: threads by worker
        return max(1, sum(executor.ncores().values()))
    return getattr(executor, "_max_workers", None) or os.cpu_count() or 1


@contextmanager
def working(executor: Any, jobs: int) -> Iterator[Any]:
    """The executor to submit to; threads of our own are there as long as they are needed."""
    if executor is None:
        # One thread more: one of them often waits for Python's lock, which the loops in C do without.
        pool = ThreadPoolExecutor(jobs + (jobs > 1), thread_name_prefix="hybsim-study")
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    elif hasattr(executor, "get_executor"):
        yield executor.get_executor(pure=False)
    elif hasattr(executor, "submit"):
        yield executor
    else:
        raise ParameterError(
            f"The executor must be one of concurrent.futures or a client of Dask (it needs `submit`), got {executor!r}."
        )


def check_picklable(executor: Any, measures: Mapping[str, Any]) -> None:
    """Refuse what a pool of processes could not be given; other executors have means of their own."""
    if isinstance(executor, ProcessPoolExecutor):
        for name, measure in measures.items():
            try:
                pickle.dumps(measure)
            except Exception as error:
                raise ParameterError(
                    f"Measure {name!r} cannot be sent to another process ({error}); define its function at the top of"
                    " a module, or run the study in threads."
                ) from error


def completed(executor: Any, function: Callable[[Item], Found], items: Iterable[Item], most: int) -> Iterator[Found]:
    """Results as they come, with at most `most` items under way: memory does not grow with their number."""
    waiting: set[Future[Found]] = set()
    items = iter(items)
    exhausted = False
    try:
        while not exhausted or waiting:
            while not exhausted and len(waiting) < most:
                item = next(items, None)
                if item is None:
                    exhausted = True
                else:
                    waiting.add(executor.submit(function, item))
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED) if waiting else (set(), waiting)
            for future in done:
                yield _result(future)
    finally:
        for future in waiting:
            future.cancel()


def _result(future: Future[Found]) -> Found:
    try:
        return future.result()
    except HybsimError:
        raise
    except BrokenExecutor as error:
        raise RunError(f"A worker of the study ended unexpectedly ({error}); start the study anew.") from error
    except Exception as error:
        raise RunError(f"A worker of the study failed with {type(error).__name__}: {error}") from error
