"""A progress bar with the time left, on stderr, where that is a terminal and the work takes a moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .output import console

PATIENCE = 0.3
"""Seconds of work before a bar appears: one that flashes up helps nobody."""


@contextmanager
def progress_bar(label: str, total: float) -> Iterator[Callable[[float], None]]:
    """Gives a function to call with the amount of work done so far."""
    stderr = console(stderr=True)
    if not stderr.is_terminal:
        yield lambda done: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(compact=True))
    bar = Progress(*columns, console=stderr, transient=True)
    task = bar.add_task(label, total=total)
    begin = time.monotonic()

    def advance(done: float) -> None:
        bar.update(task, completed=done)
        if not bar.live.is_started and time.monotonic() - begin > PATIENCE:
            bar.start()

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()
