"""Writing the log of a run: appended to in space that was taken before, acknowledged by a sync, resumed after a crash.

    writer = LogWriter(path, names=..., dt=..., about=..., bytes_reserved=...)      or LogWriter.resume(path)
    writer.rows(writer.next_row, values)
    writer.sync()                           everything until here is on disk; after an OSError: writer.rewind()
    writer.close()

A log appears under its name with its head on disk or not at all, and has one writer at a time. What the file looks
like, and how it is read, is in log_reader.py.
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from hybsim.runtime.log_reader import (
    HEAD,
    PIECE,
    ROWS,
    Log,
    LogBusy,
    LogError,
    LogReader,
    filled,
    frame,
    frames,
    pieces,
    read_log,
)  # fmt: skip

__all__ = ["Log", "LogBusy", "LogError", "LogReader", "LogWriter", "frame", "frames", "read_log", "repair_log"]


class LogWriter:
    """Appends frames to a file of preallocated space; `sync` acknowledges all that was written before.

    `next_row` is the number of the row after the last one written.
    """

    def __init__(self, path: str | os.PathLike[str], *, names: list[str], dt: float, about: dict[str, Any],
                 bytes_reserved: int) -> None:  # fmt: skip
        head = frame(HEAD, 0, 0, json.dumps({"names": names, "dt": dt, "about": about}, allow_nan=False).encode())
        target = Path(path)
        draft = target.with_name(f".{target.name}.new")
        try:
            file = _locked(draft, os.O_CREAT | os.O_RDWR)
        except OSError as error:
            raise LogError(f"The log '{path}' cannot be made: {error.strerror}.") from error
        try:
            if os.path.lexists(target):  # asked while the draft is locked: of two that make it, one is refused
                raise LogError(f"The log '{path}' cannot be made: File exists.")
            os.ftruncate(file, 0)  # a draft that a crash left behind
            self._begin(target, file, len(names), 0, 0)
            os.posix_fallocate(file, 0, max(bytes_reserved, len(head)))
            self._append(head)
            self.sync()
            os.rename(draft, target)
            _sync_folder(target.parent)
        except OSError as error:
            draft.unlink(missing_ok=True)
            os.close(file)
            raise LogError(
                f"There is no room for the log '{path}' of {bytes_reserved / 2**20:.1f} MiB: {error.strerror};"
                " free space, or log for a shorter time."
            ) from error
        except BaseException:
            draft.unlink(missing_ok=True)
            os.close(file)
            raise

    @classmethod
    def resume(cls, path: str | os.PathLike[str], *, stored: int = 0) -> LogWriter:
        """Go on with the log of a writer that was killed: after its sound part, what follows put back to zeros.

        `stored` is the number of rows that were acknowledged. They were on disk, so their checksums are left for later:
        the ring does not wait for gigabytes to be read. A file that lacks any of them is damaged, not cut short, and is
        left as it is.
        """
        try:
            file = _locked(Path(path), os.O_RDWR)
        except OSError as error:
            raise LogError(f"The log '{path}' cannot be continued: {error.strerror}.") from error
        try:
            with LogReader(path) as log:
                for _ in log.frames(trusted=stored):
                    pass
            if log.next_row < stored:
                why = "; ".join(log.problems) or "the rest is gone"
                raise LogError(
                    f"The log '{path}' is damaged: rows {log.next_row} to {stored - 1} had been stored, but {why}."
                )
            if log.problems:
                for at, piece in filter(filled, pieces(file, log.good_bytes, log.size)):
                    _write(file, bytes(len(piece)), at)
            os.fdatasync(file)
        except OSError as error:
            os.close(file)
            raise LogError(f"The log '{path}' cannot be continued: {error.strerror}.") from error
        except BaseException:
            os.close(file)
            raise
        writer = cls.__new__(cls)
        writer._begin(Path(path), file, len(log.names), log.good_bytes, log.next_row)
        return writer

    def _begin(self, path: Path, file: int, columns: int, at: int, next_row: int) -> None:
        self.path, self.columns = path, columns
        self._file, self._at, self.next_row = file, at, next_row
        self._synced = (at, next_row)

    def _append(self, data: bytes) -> None:
        _write(self._file, data, self._at)
        self._at += len(data)

    def rows(self, first: int, values: np.ndarray) -> None:
        """Rows of consecutive ticks; on disk for certain only after `sync`."""
        if values.ndim != 2 or values.shape[1] != self.columns:
            raise LogError(f"The log has {self.columns} columns, got rows of shape {values.shape}.")
        self._append(frame(ROWS, first, len(values), np.ascontiguousarray(values, dtype="<f8").tobytes()))
        self.next_row = first + len(values)

    def sync(self) -> None:
        os.fdatasync(self._file)
        self._synced = (self._at, self.next_row)

    def rewind(self) -> None:
        """Back to what was synced last. After a failed sync nothing else is certain: the system may have forgotten
        the pages it could not write, and the next sync would succeed without them."""
        self._at, self.next_row = self._synced

    def close(self) -> None:
        """Give the space that was not used back."""
        try:
            os.ftruncate(self._file, self._at)
            os.fsync(self._file)
        finally:
            os.close(self._file)


def _write(file: int, data: bytes, at: int) -> None:
    """All of it: a write may take only a part."""
    left = memoryview(data)
    while left:
        wrote = os.pwrite(file, left, at)
        at += wrote
        left = left[wrote:]


def _locked(path: Path, how: int) -> int:
    """The open file, which no other writer has; the lock ends with the process, however that ends."""
    file = os.open(path, how | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise LogBusy(f"Another process is writing to '{path}'.") from None
    return file


def _sync_folder(folder: Path) -> None:
    """A name in a folder survives a power failure only once the folder was synced."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def repair_log(path: str | os.PathLike[str], to: str | os.PathLike[str]) -> LogReader:
    """The sound part of a log as a new file; the damaged one stays as it is. What was found, with the problems."""
    with LogReader(path) as log:
        for _ in log.frames():
            pass
        try:
            with open(path, "rb") as old, open(to, "xb") as new:
                left = log.good_bytes
                while left:
                    piece = old.read(min(PIECE, left))
                    new.write(piece)
                    left -= len(piece)
                new.flush()
                os.fsync(new.fileno())
        except OSError as error:
            raise LogError(f"The repaired log '{to}' cannot be written: {error.strerror}.") from error
        return log
