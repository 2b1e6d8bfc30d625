"""The log of a test as a file that others read: .h5, .csv, .npz, .mat.

Every file holds `t`, the time of each tick in s from the loop's first one, every column under its name with its bits,
and what the log says about itself as JSON text. Logs are exported block by block (.h5, .csv); .npz and .mat need
the memory for all of it. A file appears complete or not at all, and none is written over.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hybsim.errors import RunError
from hybsim.runtime.export import complete_file, write_mat, write_npz
from hybsim.runtime.log_reader import LogReader
from hybsim.runtime.result import Result

BLOCK = 1 << 23
"""Bytes that are written in one go."""

LONGEST_ATTRIBUTE = 60_000
"""Bytes; longer texts do not fit into an attribute of HDF5 and are datasets."""


@dataclass(frozen=True)
class Exported:
    rows: int
    columns: int
    problems: list[str]


def export_log(path: str | os.PathLike[str], to: str | os.PathLike[str]) -> Exported:
    """Write the sound part of a log in the format that the ending of `to` names."""
    ending = Path(to).suffix.lower()
    if ending not in WRITERS:
        raise RunError(f"Cannot write '{to}': its name must end in one of {', '.join(WRITERS)}.")
    if os.path.lexists(to):
        raise RunError(f"Cannot write '{to}': it is there already, so remove it or choose another name.")
    with LogReader(path) as log:
        rows = WRITERS[ending](log, Path(to))
        return Exported(rows, len(log.names), log.problems)


def blocks(log: LogReader) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Times and rows of many frames together: files are written in large pieces."""
    enough = max(1, BLOCK // (8 * max(1, len(log.names))))
    kept: list[np.ndarray] = []
    first = count = 0
    for number, rows in log.frames():
        first = first if kept else number
        kept.append(rows)
        count += len(rows)
        if count >= enough:
            yield _timed(log, first, np.concatenate(kept))
            kept, count = [], 0
    if kept:
        yield _timed(log, first, np.concatenate(kept))


def _timed(log: LogReader, first: int, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    for name in ("loop.tick", "rig.tick"):
        if name in log.names:
            return rows[:, log.names.index(name)] * log.dt, rows
    return np.arange(first, first + len(rows)) * log.dt, rows


def _manifest(log: LogReader) -> str:
    return json.dumps(log.about, allow_nan=False, ensure_ascii=False)


def _hdf5(log: LogReader, to: Path) -> int:
    """One dataset a column, subsystems as groups, units as attributes."""
    import h5py

    units = log.about.get("units", {})
    with complete_file(to) as draft, h5py.File(draft, "w") as file:
        names = ["t", *log.names]
        sets = []
        for name in names:
            made = file.create_dataset(name, shape=(0,), maxshape=(None,), dtype="<f8", chunks=(4096,))
            if unit := "s" if name == "t" else units.get(name):
                made.attrs["units"] = unit
            sets.append(made)
        total = 0
        for times, rows in blocks(log):
            for number, made in enumerate(sets):
                made.resize((total + len(rows),))
                made[total:] = times if number == 0 else rows[:, number - 1]
            total += len(rows)
        file.attrs["dt"] = log.dt
        for name, text in (("manifest", _manifest(log)), ("problems", json.dumps(log.problems))):
            if len(text.encode()) > LONGEST_ATTRIBUTE:
                file[name] = text
            else:
                file.attrs[name] = text
    return total


def _csv(log: LogReader, to: Path) -> int:
    """Comment lines with `# `, a line of names, then one line a tick."""
    total = 0
    with complete_file(to) as draft, open(draft, "w", encoding="utf-8", newline="") as file:
        file.write(f"# manifest: {_manifest(log)}\n")
        csv.writer(file, lineterminator="\n").writerow(["t", *log.names])
        for times, rows in blocks(log):
            for start in range(0, len(rows), 4096):
                part = np.column_stack([times[start : start + 4096], rows[start : start + 4096]]).tolist()
                # repr is the shortest text that reads back as the same number
                file.writelines(",".join(map(repr, row)) + "\n" for row in part)
            total += len(rows)
    return total


def _whole(write: Callable[[Result, Path], Any]) -> Callable[[LogReader, Path], int]:
    def written(log: LogReader, to: Path) -> int:
        parts = list(blocks(log)) or [(np.empty(0), np.empty((0, len(log.names))))]
        rows = np.concatenate([rows for _, rows in parts])
        t = np.concatenate([times for times, _ in parts])
        columns = {name: rows[:, i] for i, name in enumerate(log.names)}
        write(Result(t, columns, engine=str(log.about.get("kind", "log")), manifest=log.about), to)
        return len(rows)

    return written


WRITERS: dict[str, Callable[[LogReader, Path], int]] = {
    ".h5": _hdf5, ".hdf5": _hdf5, ".csv": _csv, ".npz": _whole(write_npz), ".mat": _whole(write_mat),
}  # fmt: skip
