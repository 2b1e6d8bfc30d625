"""The logger: rows of the ring to disk, and only what is on disk is given back to the ring.

    python -m hybsim.runtime.logger REGION LOG HEAD.json

    rows [stored, head) -> frames -> fdatasync -> stored = head     every EVERY s, or when the ring is a quarter full

HEAD.json = {"names": [...], "dt": s, "about": {...}, "bytes": to reserve}; it is needed only where LOG does not exist
yet. A logger that was killed is replaced by another with the same words: it goes on at the row after the last sound
one of the file. `log_ready` is set once the space is taken. The logger ends when the loop has ended and all is stored;
signals are ignored, since a test must not lose its record to a closed terminal.

A write that fails sets `log_failed`, upon which the loop ramps down; the rows stay in the ring and are tried again.
Ends with code 0 when all rows are in the log, 1 when some are left in the ring, 2 when there is no log.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from hybsim.errors import HybsimError
from hybsim.runtime.log_frames import LogBusy, LogError, LogReader, LogWriter
from hybsim.runtime.log_reader import LARGEST
from hybsim.runtime.region import Region, now

EVERY = 0.1
"""Seconds between two syncs."""

LARGEST_FRAME = 4096
"""Rows."""

RETRY = 0.25
"""Seconds after a failed write before the next."""

PATIENCE = 10.0
"""Seconds for which failed writes are tried again after the loop has ended."""


class Loop:
    """The process that fills the ring: whether it is still there."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self._born = ""

    def over(self) -> bool:
        """Nothing more will come. A loop that was killed could not say so."""
        region = self.region
        if region["ended"]:
            return True
        if not region["started"]:
            return bool(region["quit"]) or not region.path.exists()
        born = self._birth(region["loop_pid"])
        self._born = self._born or born
        return born == "" or born != self._born

    @staticmethod
    def _birth(pid: int) -> str:
        """When a process started; nothing where there is none, or one that only waits to be reaped."""
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return ""
        return "" if fields[0] in "ZX" else fields[19]


class Drain:
    """Rows from a ring to a log."""

    def __init__(self, region: Region, writer: LogWriter) -> None:
        self.region, self.writer = region, writer
        self.ring, columns = region.setup["rows"], region.setup["columns"]
        self.at_once = max(1, min(LARGEST_FRAME, LARGEST // (8 * columns)))
        self.problem = ""
        self._begun = self._failed = float("-inf")

    @property
    def waiting(self) -> int:
        return self.region["head"] - self.region["stored"]

    def due(self, moment: float) -> bool:
        if self.problem and moment - self._failed < RETRY:
            return False
        return 4 * self.waiting > self.ring or (self.waiting > 0 and moment - self._begun >= EVERY)

    def store(self, moment: float) -> bool:
        """All rows there are; false if they could not be written, and are still in the ring."""
        self._begun = moment
        region, writer = self.region, self.writer
        try:
            head = region["head"]
            while writer.next_row < head:
                first = writer.next_row
                writer.rows(first, region.rows(first, min(self.at_once, head - first)))
                region["logger_beat"] = now()
            writer.sync()
        except OSError as error:
            self.problem, self._failed = error.strerror or str(error), moment
            writer.rewind()
            region["log_failed"] = 1
            return False
        self.problem = ""
        region["stored"] = head
        return True


def drain(region: Region, writer: LogWriter, *, patience: float = PATIENCE) -> int:
    """Until the loop has ended and all its rows are on disk; how many could not be stored."""
    loop, ring = Loop(region), Drain(region, writer)
    # On a virtual clock the loop waits for its logger; on a real one the ring lasts for seconds.
    pause = 0.001 if region.setup["virtual_clock"] else 0.02
    given_up = float("inf")
    while True:
        region["logger_beat"] = now()
        over = loop.over()  # asked before the rows are: none come after
        moment = time.monotonic()
        if over:
            given_up = min(given_up, moment + patience)
        if ring.due(moment) or (over and not ring.problem):
            ring.store(moment)
        if over and (ring.waiting == 0 or moment >= given_up):
            return ring.waiting
        time.sleep(pause)


def open_writer(region: Region, path: Path, head: Path) -> LogWriter:
    """The log of this run: a new one, its space taken, or that of a logger that was killed."""
    columns, stored = region.setup["columns"], region["stored"]
    if not path.exists():
        if stored:
            raise LogError(f"The log '{path}' is gone, and with it the {stored} rows that had been stored.")
        content = _read_head(head)
        if len(content["names"]) != columns:
            raise LogError(f"'{head}' names {len(content['names'])} columns, but the run has {columns}.")
        about = {"session": region.setup["session"], **content["about"]}
        return LogWriter(path, names=content["names"], dt=content["dt"], about=about, bytes_reserved=content["bytes"])
    with LogReader(path) as log:
        if len(log.names) != columns or log.about.get("session") != region.setup["session"]:
            raise LogError(f"'{path}' is the log of another run.")
    writer = LogWriter.resume(path, stored=stored)
    if writer.next_row > region["head"]:
        raise LogError(f"'{path}' holds more rows than the run has: it is the log of another one.")
    return writer


def _read_head(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {
            "names": [str(name) for name in content["names"]],
            "dt": float(content["dt"]),
            "about": dict(content["about"]),
            "bytes": int(content["bytes"]),
        }
    except OSError as error:
        raise LogError(f"The head for the log, '{path}', cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise LogError(f"The head for the log, '{path}', is not understood: {error}.") from error


def keep(region: Region, path: Path, head: Path) -> int:
    """Log a run to its end; the exit code of the process."""
    try:
        writer = open_writer(region, path, head)
    except LogBusy:
        raise  # it is in good hands
    except LogError:
        if region["log_ready"]:
            region["log_failed"] = 1  # a test without a log must not go on
        raise
    region["logger_pid"], region["logger_beat"] = os.getpid(), now()
    if writer.next_row > region["stored"]:
        region["stored"] = writer.next_row  # they were written, and synced by now
    region["log_ready"] = 1
    left = drain(region, writer)
    try:
        writer.close()
    except OSError as error:
        print(f"The space reserved for '{path}' could not be given back: {error.strerror}.", file=sys.stderr)
    if left:
        print(
            f"{left} rows could not be stored in '{path}'; they are kept in '{region.path}': make room, then"
            f" hybsim log repair {path} --ring {region.path} --to NEW",
            file=sys.stderr,
        )
    return 1 if left else 0


def main(words: list[str]) -> int:
    if len(words) != 3:
        print("usage: python -m hybsim.runtime.logger REGION LOG HEAD.json", file=sys.stderr)
        return 2
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    try:
        with Region.open(words[0]) as region:
            return keep(region, Path(words[1]), Path(words[2]))
    except (HybsimError, OSError) as error:
        print(f"The logger: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
