"""A log made whole: its sound part as a new file, and behind it the rows that a logger could not store.

    rows of the run = sound part of the log, then rows of the ring

After a failed write the memory of the run is kept. Its ring holds at least the rows that were never acknowledged;
older ones are still there as long as nothing was written over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hybsim.runtime.log_frames import LogError, LogReader, LogWriter, repair_log
from hybsim.runtime.logger import LARGEST_FRAME, Loop
from hybsim.runtime.region import Region


@dataclass(frozen=True)
class Repaired:
    """What became of a log."""

    rows: int
    from_ring: int
    missing: tuple[int, int] | None
    """First and last row that are neither in the log nor in the ring any more."""
    problems: list[str]


def rows_left(region: Region) -> tuple[int, np.ndarray]:
    """The rows that no log has acknowledged: the number of the first, and a copy of them."""
    first = region["stored"]
    return first, region.rows(first, region["head"] - first)


def repair(path: Path, to: Path, ring: Path | None = None) -> Repaired:
    """Write the repaired log as a new file; the log and the ring stay as they are."""
    if ring is None:
        log = repair_log(path, to)
        return Repaired(log.next_row - log.first, 0, None, log.problems)
    with Region.open(ring) as region:
        _check(region, path, ring)
        log = repair_log(path, to)
        head = region["head"]
        # The slot of the oldest row may be half overwritten, unless the ring was full of rows nobody acknowledged.
        oldest = min(region["stored"], max(0, head - region.setup["rows"] + 1))
        if log.next_row < oldest:
            return Repaired(log.next_row - log.first, 0, (log.next_row, oldest - 1), log.problems)
        writer = LogWriter.resume(to)
        try:
            while writer.next_row < head:
                first = writer.next_row
                writer.rows(first, region.rows(first, min(LARGEST_FRAME, head - first)))
            writer.close()
        except OSError as error:
            raise LogError(f"The repaired log '{to}' cannot be written: {error.strerror}.") from error
        return Repaired(head - log.first, max(0, head - log.next_row), None, log.problems)


def _check(region: Region, path: Path, ring: Path) -> None:
    """A ring that belongs to the log, and that nobody fills any more."""
    with LogReader(path) as log:
        if len(log.names) != region.setup["columns"] or log.about.get("session") != region.setup["session"]:
            raise LogError(f"'{ring}' and '{path}' are of different runs.")
    if region["started"] and not Loop(region).over():
        raise LogError(f"The test of '{ring}' is still running; repair its log when it has ended.")
