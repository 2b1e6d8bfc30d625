"""The log of a run on a rig: framed records that survive a crash, a full disk and a flipped bit.

    file  = frame, frame, ..., zeros to the end of the preallocated space
    frame = magic  kind  first row  rows  bytes of payload  CRC-32 of all else in the frame   | payload
            4s     u32   u64        u32   u32               u32                               | bytes

The first frame is the head (kind 0): JSON with the names of the columns, dt and the manifest. The others are rows
(kind 1): float64, little-endian, row after row, `first row` the number of the first. A frame counts when its CRC is
right and its rows follow on those before. What was synced to disk before the crash is read back; a frame cut short
after that was never acknowledged.

This is how a log is read; log_frames.py writes it.
"""

from __future__ import annotations

import errno
import json
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from hybsim.errors import HybsimError

MAGIC = b"hsLG"
HEAD, ROWS = 0, 1
_FIELDS = struct.Struct("<4sIQII")
_CRC = struct.Struct("<I")
LENGTH = _FIELDS.size + _CRC.size
LARGEST = 1 << 26
"""Bytes of a payload; more is not believed."""

PIECE = 1 << 20
"""Bytes that are copied or looked at in one go."""


class LogError(HybsimError):
    """A log cannot be read or written."""


class LogBusy(LogError):
    """Another process is writing to the log."""


def frame(kind: int, first: int, rows: int, payload: bytes) -> bytes:
    fields = _FIELDS.pack(MAGIC, kind, first, rows, len(payload))
    return fields + _CRC.pack(zlib.crc32(payload, zlib.crc32(fields))) + payload


class _Frame(NamedTuple):
    kind: int
    first: int
    rows: int
    payload: bytes


class LogReader:
    """An open log: its head at once, its rows frame by frame, so that a file of any size can be read.

    good_bytes    where the sound part ends, as far as the frames were read
    first, next_row   the rows read so far
    problems      what follows on the sound part, once all frames were read
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise LogError(f"The log '{path}' cannot be read: {error.strerror}.") from error
        try:
            self._open()
        except OSError as error:
            os.close(self._file)
            raise LogError(f"The log '{path}' cannot be read: {error.strerror}.") from error
        except BaseException:
            os.close(self._file)
            raise

    def _open(self) -> None:
        self.size = os.fstat(self._file).st_size
        found = self._frame(0)
        if isinstance(found, str) or found.kind != HEAD:
            why = found if isinstance(found, str) else "its first frame is no head"
            raise LogError(f"'{self.path}' is no log that can be read: {why}.")
        try:
            head = json.loads(found.payload)
            self.names = [str(name) for name in head["names"]]
            self.dt, self.about = float(head["dt"]), dict(head["about"])
        except (ValueError, KeyError, TypeError) as error:
            raise LogError(f"The head of the log '{self.path}' is not understood: {error}.") from error
        self.begin = LENGTH + len(found.payload)
        self._reset()

    def _reset(self) -> None:
        self.good_bytes, self.first, self.next_row = self.begin, 0, 0
        self.problems: list[str] = []

    def frames(self, *, trusted: int = 0) -> Iterator[tuple[int, np.ndarray]]:
        """The number of the first row, and the rows, of each sound frame.

        Frames of the first `trusted` rows are stepped over, from head to head, their rows neither read nor checked.
        """
        self._reset()
        at, begun = self.begin, False
        while at < self.size:
            if self.next_row < trusted and (length := self._step(at, trusted)):
                at, begun = at + length, True
                continue
            found = self._frame(at)
            if isinstance(found, str):
                if any(map(filled, pieces(self._file, at, self.size))):
                    self.problems.append(f"at byte {at}, after tick {self.next_row - 1}: {found}")
                return
            if found.kind != ROWS or len(found.payload) != 8 * found.rows * len(self.names):
                self.problems.append(f"at byte {at}: a frame that does not belong into this log")
                return
            if begun and found.first != self.next_row:
                self.problems.append(f"at byte {at}: ticks {self.next_row} to {found.first - 1} are missing")
                return
            if not begun:
                self.first, begun = found.first, True
            at += LENGTH + len(found.payload)
            self.good_bytes, self.next_row = at, found.first + found.rows
            yield found.first, np.frombuffer(found.payload, dtype="<f8").reshape(found.rows, len(self.names))

    def _step(self, at: int, trusted: int) -> int:
        """The length of a frame of trusted rows that follows on those before; 0 where none is there."""
        start = os.pread(self._file, LENGTH, at)
        if len(start) < LENGTH:
            return 0
        magic, kind, first, rows, length = _FIELDS.unpack_from(start)
        sound = magic == MAGIC and kind == ROWS and length == 8 * rows * len(self.names) and first == self.next_row
        if not sound or rows == 0 or first + rows > trusted or at + LENGTH + length > self.size:
            return 0
        self.good_bytes, self.next_row = at + LENGTH + length, first + rows
        return LENGTH + int(length)

    def _frame(self, at: int) -> _Frame | str:
        """A frame, or what is wrong with it."""
        if self.size - at < LENGTH:
            return "the file ends within a frame"
        start = os.pread(self._file, LENGTH, at)
        if len(start) < LENGTH:
            return "the file ends within a frame"
        magic, kind, first, rows, length = _FIELDS.unpack_from(start)
        if magic != MAGIC:
            return "no frame begins here"
        if length > LARGEST or at + LENGTH + length > self.size:
            return "the file ends within a frame"
        payload = os.pread(self._file, length, at + LENGTH)
        (crc,) = _CRC.unpack_from(start, _FIELDS.size)
        if len(payload) != length or crc != zlib.crc32(payload, zlib.crc32(start[: _FIELDS.size])):
            return "a frame is damaged (its checksum is wrong)"
        return _Frame(kind, first, rows, payload)

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> LogReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def pieces(file: int, begin: int, end: int) -> Iterator[tuple[int, bytes]]:
    """What a file holds between two places, but for holes, which are zeros: space that is only reserved is skipped."""
    at = begin
    while at < end:
        try:
            at = max(at, os.lseek(file, at, os.SEEK_DATA))
        except OSError as error:
            if error.errno == errno.ENXIO:  # nothing but a hole until the end
                return
        piece = os.pread(file, min(PIECE, end - at), at)
        if not piece:
            return
        yield at, piece
        at += len(piece)


def filled(piece: tuple[int, bytes]) -> bool:
    """Whether a piece holds anything but zeros."""
    return bool(np.frombuffer(piece[1], np.uint8).any())


def frames(path: str | os.PathLike[str]) -> Iterator[tuple[int, np.ndarray]]:
    """The sound frames of a log, one after the other."""
    with LogReader(path) as log:
        yield from log.frames()


@dataclass
class Log:
    """What a file holds: the frames from its start that are whole and follow on each other."""

    names: list[str]
    dt: float
    about: dict[str, Any]
    ticks: np.ndarray
    """The numbers of the rows; a tick of the loop each."""
    rows: np.ndarray
    good_bytes: int
    """Where the sound part of the file ends."""
    problems: list[str] = field(default_factory=list)

    def column(self, name: str) -> np.ndarray:
        if name not in self.names:
            raise LogError(f"The log has no column {name!r}; it has {', '.join(self.names)}.")
        return self.rows[:, self.names.index(name)]


def read_log(path: str | os.PathLike[str]) -> Log:
    """All that can be trusted, in memory once; `problems` says what follows. Without a head there is nothing."""
    with LogReader(path) as log:
        # There cannot be more rows than the file has room for; memory that is not written to is not taken.
        most = (log.size - log.begin) // (8 * len(log.names)) if log.names else 0
        rows = np.empty((most, len(log.names)))
        filled = 0
        for _, part in log.frames():
            rows[filled : filled + len(part)] = part
            filled += len(part)
        ticks = np.arange(log.first, log.first + filled)
        return Log(log.names, log.dt, log.about, ticks, rows[:filled], log.good_bytes, log.problems)
