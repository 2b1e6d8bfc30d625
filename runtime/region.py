"""The memory that the processes of a run share (runtime/c/region.h), from Python.

    with Region.create(path, setup, guard, p, x) as region: ...      the supervisor, before anything starts
    with Region.open(path) as region: ...                            logger, tests, a supervisor that takes over

Fields of `shared` are loaded and stored as atomics through a small compiled library: this is what makes a row whole
before its number can be seen, on any processor.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import time
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from hybsim.errors import RunError
from hybsim.runtime import guard_tables
from hybsim.runtime.build import load
from hybsim.runtime.c_sources import text
from hybsim.runtime.c_tables import Fields, meanings, rows, structure

_HEADER = text("region.h")
_LENGTHS = {name: int(value) for name, value in re.findall(r"(HL_[A-Z]+) = (\d+)", _HEADER)}
_LENGTHS["HG_FAULT_COUNT"] = len(guard_tables.FAULTS)
MAGIC = int(re.findall(r"HL_MAGIC = (0x\w+)", _HEADER)[0], 16)
BINS, SCRIPT, CHANNELS = _LENGTHS["HL_BINS"], _LENGTHS["HL_SCRIPT"], _LENGTHS["HL_CHANNELS"]
MOST_FAULTS, LONGEST_ADDRESS = _LENGTHS["HL_FAULTS"], _LENGTHS["HL_ADDRESS"] - 1

COLUMNS = meanings(_HEADER, "HL_COLUMNS")
"""The first columns of a row of the loop, with their meanings."""

RIG_COLUMNS = meanings(_HEADER, "HL_RIG_COLUMNS")
"""The first columns of a row of a virtual rig."""

Setup = structure("Setup", rows(_HEADER, "HL_SETUP"), _LENGTHS)
Shared = structure("Shared", [["int64_t", *row] for row in rows(_HEADER, "HL_SHARED")], _LENGTHS)

_ATOMIC = """
#include <stdatomic.h>
#include <stdint.h>
int64_t hl_load(_Atomic int64_t *place) { return atomic_load_explicit(place, memory_order_acquire); }
void hl_store(_Atomic int64_t *place, int64_t value) { atomic_store_explicit(place, value, memory_order_release); }
"""


class Whole(ctypes.Structure):
    """All that lies before p, x and the ring."""

    _fields_ = [("setup", Setup), ("guard", guard_tables.Config), ("shared", Shared)]


@cache
def _atomics() -> ctypes.CDLL:
    library = load(_ATOMIC, name="atomics")
    library.hl_load.argtypes, library.hl_load.restype = [ctypes.c_void_p], ctypes.c_int64
    library.hl_store.argtypes, library.hl_store.restype = [ctypes.c_void_p, ctypes.c_int64], None
    return library


def now() -> int:
    """The clock of the beats: monotonic time in ns."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


class Region:
    """A mapped region. `region["state"]` loads a shared field, `region["quit"] = 1` stores one."""

    def __init__(self, path: str | os.PathLike[str], file: int) -> None:
        self.path = Path(path)
        try:
            self._map = mmap.mmap(file, 0)
        finally:
            os.close(file)
        self._whole = Whole.from_buffer(self._map)
        self._base = ctypes.addressof(self._whole) + Whole.shared.offset
        self._lib = _atomics()

    @classmethod
    def create(cls, path: str | os.PathLike[str], setup: Fields, guard: Fields, p: np.ndarray, x: np.ndarray) -> Region:
        """A new region, its memory taken now, so that it cannot be lacking later."""
        setup["magic"], setup["size"] = MAGIC, ctypes.sizeof(Whole)
        setup["parameters"], setup["states"] = len(p), len(x)
        size = ctypes.sizeof(Whole) + 8 * (len(p) + len(x) + setup["rows"] * setup["columns"])
        try:
            file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                os.posix_fallocate(file, 0, size)
            except OSError:
                os.close(file)
                os.unlink(path)
                raise
        except OSError as error:
            raise RunError(
                f"There is no room for the memory of the run, {size / 2**20:.1f} MiB at '{path}': {error.strerror}."
            ) from error
        region = cls(path, file)
        region._whole.setup, region._whole.guard = setup, guard
        start = ctypes.sizeof(Whole)
        region._numbers(start, len(p))[:] = p
        region._numbers(start + 8 * len(p), len(x))[:] = x
        return region

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Region:
        try:
            file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise RunError(f"There is no run at '{path}': {error.strerror}.") from error
        if os.fstat(file).st_size < ctypes.sizeof(Whole):
            os.close(file)
            raise RunError(f"'{path}' is not the memory of a run.")
        region = cls(path, file)
        if (region.setup["magic"], region.setup["size"]) != (MAGIC, ctypes.sizeof(Whole)):
            region.close()
            raise RunError(f"'{path}' is not the memory of a run of this version of hybsim.")
        return region

    def _numbers(self, offset: int, count: int) -> np.ndarray:
        return np.frombuffer(self._map, dtype=np.float64, count=count, offset=offset)

    @property
    def setup(self) -> Any:
        return self._whole.setup

    @property
    def guard(self) -> Any:
        return self._whole.guard

    def _place(self, name: str, index: int = 0) -> int:
        return self._base + int(getattr(Shared, name).offset) + 8 * index

    def __getitem__(self, name: str) -> int:
        return int(self._lib.hl_load(self._place(name)))

    def __setitem__(self, name: str, value: int) -> None:
        self._lib.hl_store(self._place(name), value)

    def several(self, name: str) -> list[int]:
        """A shared field of several numbers."""
        return list(getattr(self._whole.shared, name))

    @property
    def state(self) -> str:
        return list(guard_tables.STATES)[self["state"]]

    @property
    def causes(self) -> list[str]:
        """The faults that led to this state."""
        return guard_tables.faults(self["cause"])

    def rows(self, first: int, count: int) -> np.ndarray:
        """A copy of rows of the ring, which the writer must have finished and nobody acknowledged."""
        length, columns = self.setup["rows"], self.setup["columns"]
        start = ctypes.sizeof(Whole) + 8 * (self.setup["parameters"] + self.setup["states"])
        ring = self._numbers(start, length * columns).reshape(length, columns)
        at = first % length
        return np.concatenate([ring[at : at + count], ring[: max(0, at + count - length)]])

    def ask(self, event: str) -> int:
        """Ask the loop for an event; the number that `handled` will reach."""
        number = self["event_number"] + 1
        self["event"] = list(guard_tables.EVENTS).index(event)
        self["event_number"] = number
        return number

    def close(self) -> None:
        del self._whole
        self._map.close()

    def __enter__(self) -> Region:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def duration(bins: list[int], share: float) -> float:
    """The duration in s that a share of all in a histogram does not exceed: the upper edge of its bin."""
    total = sum(bins)
    if total == 0:
        return float("nan")
    wanted, seen = share * total, 0
    for bin_, count in enumerate(bins):
        seen += count
        if count and seen >= wanted:
            return edge(bin_ + 1)
    raise AssertionError("the shares add up to one")


def edge(bin_: int) -> float:
    """Lower edge of a bin of a histogram of durations, in s: eight bins an octave, from 1 ns."""
    octave, part = divmod(bin_, 8)
    return 1e-9 * 2.0**octave * (1.0 + part / 8.0)
