"""A ring without a loop: the test fills it as the loop would, and the logger under test empties it."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from hybsim.runtime.guard_tables import Config
from hybsim.runtime.log_frames import LogWriter, read_log
from hybsim.runtime.region import Region, Setup, Whole

NAMES = ["loop.tick", "a.value", "b.value", "c.value"]
DT = 0.01

PATIENCE = 300.0
"""Seconds after which a test that hangs is ended."""


def expected(first: int, count: int) -> np.ndarray:
    """Rows that differ in every bit that matters: the tick, and numbers that only this tick has."""
    k = np.arange(first, first + count, dtype=np.float64)
    return np.column_stack([k, k / 3.0, -1.0 / (k + 1.0), np.where(k % 7 == 3, np.nan, k * k)])


def same(rows: np.ndarray, first: int = 0) -> bool:
    """Bit for bit what was put into the ring."""
    return rows.tobytes() == expected(first, len(rows)).tobytes()


class Ring:
    """A region that this process fills."""

    def __init__(self, path: Path, *, rows: int = 64, session: int = 7, pid: int | None = None) -> None:
        setup = Setup()
        setup["rows"], setup["columns"], setup["virtual_clock"] = rows, len(NAMES), 1
        setup["session"], setup["period"] = session, DT
        self.region = Region.create(path, setup, Config(), np.zeros(1), np.zeros(1))
        start = ctypes.sizeof(Whole) + 16
        self._rows = np.frombuffer(self.region._map, dtype=np.float64, offset=start).reshape(rows, len(NAMES))
        self.region["loop_pid"] = os.getpid() if pid is None else pid
        self.region["started"] = 1

    def room(self) -> int:
        return int(len(self._rows) - (self.region["head"] - self.region["stored"]))

    def put(self, count: int) -> None:
        """As many rows as there is room for, up to `count`: each whole before its number is seen."""
        first = self.region["head"]
        count = min(count, self.room())
        self._rows[np.arange(first, first + count) % len(self._rows)] = expected(first, count)
        self.region["head"] = first + count

    def fill(self, total: int, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Rows until there are `total`, never over rows that were not acknowledged."""
        end = time.monotonic() + PATIENCE
        while self.region["head"] < total:
            assert time.monotonic() < end, "nobody empties the ring"
            self.put(min(37, total - self.region["head"]))
            meanwhile()
            if not self.room():
                time.sleep(0.0005)

    def close(self) -> None:
        del self._rows
        self.region.close()


def head_file(folder: Path, *, reserved: int = 1 << 16, names: list[str] = NAMES) -> Path:
    path = folder / "head.json"
    path.write_text(json.dumps({"names": names, "dt": DT, "about": {"kind": "loop"}, "bytes": reserved}))
    return path


def writer(path: Path, *, reserved: int = 1 << 16) -> LogWriter:
    return LogWriter(path, names=NAMES, dt=DT, about={"kind": "loop", "session": 7}, bytes_reserved=reserved)


def logger(ring: Ring, path: Path, head: Path, **options: object) -> subprocess.Popen[str]:
    """A logger as the supervisor starts it."""
    words = [sys.executable, "-P", "-m", "hybsim.runtime.logger", ring.region.path, path, head]
    return subprocess.Popen([str(word) for word in words], stderr=subprocess.PIPE, text=True, **options)  # type: ignore[call-overload,no-any-return]


def wait(condition: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> bool:
    """Until it is so; false if the process ends first."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        if process is not None and process.poll() is not None:
            return condition()
        time.sleep(0.001)
    return True


def rows_of(path: Path) -> np.ndarray:
    return read_log(path).rows
