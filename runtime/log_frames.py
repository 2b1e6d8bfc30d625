"""The log of a run on a rig: framed records that survive a crash, a full disk and a flipped bit.

    file  = frame, frame, ..., zeros to the end of the preallocated space
    frame = magic  kind  first tick  rows  bytes of payload  CRC-32 of all else in the frame   | payload
            4s     u32   u64         u32   u32               u32                               | bytes

The first frame is the head (kind 0): JSON with the names of the columns, dt and the manifest. The others are rows
(kind 1): float64, little-endian, row after row, `first tick` that of the first. A frame counts when its CRC is right
and its ticks follow on those before. What was synced to disk before the crash is read back; a frame cut short after
that was never acknowledged.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hybsim.errors import HybsimError

MAGIC = b"hsLG"
HEAD, ROWS = 0, 1
_FIELDS = struct.Struct("<4sIQII")
_CRC = struct.Struct("<I")
LENGTH = _FIELDS.size + _CRC.size
LARGEST = 1 << 26
"""Bytes of a payload; more is not believed."""


class LogError(HybsimError):
    """A log cannot be read or written."""


def frame(kind: int, first: int, rows: int, payload: bytes) -> bytes:
    fields = _FIELDS.pack(MAGIC, kind, first, rows, len(payload))
    return fields + _CRC.pack(zlib.crc32(payload, zlib.crc32(fields))) + payload


class LogWriter:
    """Appends frames to a file of preallocated space; `sync` acknowledges all that was written before."""

    def __init__(self, path: str | os.PathLike[str], *, names: list[str], dt: float, about: dict[str, Any],
                 bytes_reserved: int) -> None:  # fmt: skip
        self.columns = len(names)
        head = json.dumps({"names": names, "dt": dt, "about": about}, allow_nan=False).encode()
        self._at = 0
        try:
            self._file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o644)
        except OSError as error:
            raise LogError(f"The log '{path}' cannot be made: {error.strerror}.") from error
        try:
            os.posix_fallocate(self._file, 0, max(bytes_reserved, LENGTH + len(head)))
            self._append(frame(HEAD, 0, 0, head))
            self.sync()
        except OSError as error:
            os.close(self._file)
            os.unlink(path)
            raise LogError(
                f"There is no room for the log '{path}' of {bytes_reserved / 2**20:.1f} MiB: {error.strerror};"
                " free space, or log for a shorter time."
            ) from error

    def _append(self, data: bytes) -> None:
        """All of it: a write may take only a part."""
        left = memoryview(data)
        while left:
            wrote = os.pwrite(self._file, left, self._at)
            self._at += wrote
            left = left[wrote:]

    def rows(self, first: int, values: np.ndarray) -> None:
        """Rows of consecutive ticks; on disk for certain only after `sync`."""
        if values.ndim != 2 or values.shape[1] != self.columns:
            raise LogError(f"The log has {self.columns} columns, got rows of shape {values.shape}.")
        self._append(frame(ROWS, first, len(values), np.ascontiguousarray(values, dtype="<f8").tobytes()))

    def sync(self) -> None:
        os.fdatasync(self._file)

    def close(self) -> None:
        """Give the space that was not used back."""
        os.ftruncate(self._file, self._at)
        os.fsync(self._file)
        os.close(self._file)


@dataclass
class Log:
    """What a file holds: the frames from its start that are whole and follow on each other."""

    names: list[str]
    dt: float
    about: dict[str, Any]
    ticks: np.ndarray
    rows: np.ndarray
    good_bytes: int
    """Where the sound part of the file ends."""
    problems: list[str] = field(default_factory=list)

    def column(self, name: str) -> np.ndarray:
        if name not in self.names:
            raise LogError(f"The log has no column {name!r}; it has {', '.join(self.names)}.")
        return self.rows[:, self.names.index(name)]


def read_log(path: str | os.PathLike[str]) -> Log:
    """All that can be trusted; `problems` says what follows after it. Without a sound head nothing can be."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise LogError(f"The log '{path}' cannot be read: {error.strerror}.") from error
    found = _frame_at(data, 0)
    if isinstance(found, str) or found[0] != HEAD:
        why = found if isinstance(found, str) else "its first frame is no head"
        raise LogError(f"'{path}' is no log that can be read: {why}.")
    try:
        head = json.loads(found[3])
        names, dt, about = [str(name) for name in head["names"]], float(head["dt"]), dict(head["about"])
    except (ValueError, KeyError, TypeError) as error:
        raise LogError(f"The head of the log '{path}' is not understood: {error}.") from error
    parts: list[tuple[int, np.ndarray]] = []
    problems: list[str] = []
    at, following = LENGTH + len(found[3]), 0
    while at < len(data):
        found = _frame_at(data, at)
        if isinstance(found, str):
            if any(data[at:]):
                problems.append(f"at byte {at}, after tick {following - 1}: {found}")
            break
        kind, first, count, payload = found
        if kind != ROWS or len(payload) != 8 * count * len(names):
            problems.append(f"at byte {at}: a frame that does not belong into this log")
            break
        if parts and first != following:
            problems.append(f"at byte {at}: ticks {following} to {first - 1} are missing")
            break
        parts.append((first, np.frombuffer(payload, dtype="<f8").reshape(count, len(names))))
        at, following = at + LENGTH + len(payload), first + count
    rows = np.concatenate([part for _, part in parts]) if parts else np.empty((0, len(names)))
    begin = parts[0][0] if parts else 0
    return Log(names, dt, about, np.arange(begin, begin + len(rows)), rows, at, problems)


def _frame_at(data: bytes, at: int) -> tuple[int, int, int, bytes] | str:
    """Kind, first tick, rows and payload; or what is wrong."""
    if len(data) - at < LENGTH:
        return "the file ends within a frame"
    magic, kind, first, rows, length = _FIELDS.unpack_from(data, at)
    if magic != MAGIC:
        return "no frame begins here"
    if length > LARGEST or at + LENGTH + length > len(data):
        return "the file ends within a frame"
    payload = data[at + LENGTH : at + LENGTH + length]
    (crc,) = _CRC.unpack_from(data, at + _FIELDS.size)
    if crc != zlib.crc32(payload, zlib.crc32(data[at : at + _FIELDS.size])):
        return "a frame is damaged (its checksum is wrong)"
    return kind, first, rows, payload


def repair_log(path: str | os.PathLike[str], to: str | os.PathLike[str]) -> Log:
    """The sound part of a log as a new file; the damaged one stays as it is."""
    log = read_log(path)
    sound = Path(path).read_bytes()[: log.good_bytes]
    try:
        with open(to, "xb") as file:
            file.write(sound)
    except OSError as error:
        raise LogError(f"The repaired log '{to}' cannot be written: {error.strerror}.") from error
    return log
