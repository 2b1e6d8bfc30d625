"""The store of a study: what is finished, kept in a file as it comes, so that a study that was ended goes on.

    {"hybsim_study": 1, "study": {"program": "9f...", "points": "31...", ...}, "sum": "..."}      the header
    {"chunk": 0, "ticks": [3119, ...], "values": {"eps_max": [0.0105, ...]}, "sum": "..."}        one line a chunk

Numbers are written so that they read back as the same bits. `sum` is a checksum of the rest of its line: what was cut
short when a process was killed, or damaged since, is noticed and computed again. The header says of which study it is:
digests of everything the numbers depend on. One process at a time writes.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np

from hybsim.errors import RunError
from hybsim.studies.running.chunk import Measured

FORMAT = 1


class Store:
    """An open store; `finished` holds the chunks that were found in it."""

    def __init__(self, path: str | os.PathLike[str], study: Mapping[str, str]) -> None:
        self.path = Path(path).expanduser()
        self._file = _opened(self.path)
        try:
            self.finished = self._read(study)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, found: Measured) -> None:
        """Write a finished chunk; it is in the file when this returns."""
        values = {name: [_text(v) for v in column.tolist()] for name, column in found.values.items()}
        self._write(_line({"chunk": found.number, "ticks": found.ticks.tolist(), "values": values}))

    def _write(self, line: bytes) -> None:
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise RunError(
                f"The store '{self.path}' cannot be written ({error.strerror}); make room and run the study again:"
                " it goes on from what is there."
            ) from error

    def _read(self, study: Mapping[str, str]) -> list[Measured]:
        header = _line({"hybsim_study": FORMAT, "study": dict(study)})
        lines = self._file.read().splitlines(keepends=True)
        if not lines or (len(lines) == 1 and header.startswith(lines[0])):
            self._file.truncate(0)
            self._write(header)
            return []
        self._check_header(lines[0], study)
        found: dict[int, Measured] = {}
        end = 0
        for number, line in enumerate(lines):
            chunk = _chunk(line) if number else None
            if chunk is not None:
                found[chunk.number] = chunk
            # A last line that was cut short makes place for the next.
            end += len(line) if line.endswith(b"\n") else 0
        self._file.truncate(end)
        self._file.seek(end)
        return list(found.values())

    def _check_header(self, line: bytes, study: Mapping[str, str]) -> None:
        content = _content(line)
        if content is None or content.get("hybsim_study") != FORMAT:
            raise RunError(f"'{self.path}' is not a store of a study; name a new file, or delete this one.")
        there = content["study"]
        different = [name for name, digest in study.items() if there.get(name) != digest]
        if different:
            raise RunError(
                f"'{self.path}' is the store of another study, with other {' and '.join(different)};"
                " name a new file, or delete this one."
            )


def _opened(path: Path) -> BinaryIO:
    """The file, locked for this process."""
    if path.exists() and not path.is_file():
        raise RunError(f"The store '{path}' cannot be opened (it is not a file); name another file.")
    try:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
    except OSError as error:
        raise RunError(f"The store '{path}' cannot be opened ({error.strerror}); name another file.") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise RunError(
            f"The store '{path}' is being written by another run of the study; wait for it, or name another file."
        ) from error
    return file


def _line(content: Mapping[str, Any]) -> bytes:
    text = json.dumps(content, allow_nan=False)
    return f'{text[:-1]}, "sum": "{_sum(text)}"}}\n'.encode()


def _content(line: bytes) -> dict[str, Any] | None:
    """What a line says, or None if it is not whole."""
    try:
        content = json.loads(line)
        total = content.pop("sum")
    except (ValueError, AttributeError, KeyError, TypeError):
        return None
    return content if line.endswith(b"\n") and _sum(json.dumps(content)) == total else None


def _sum(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


def _chunk(line: bytes) -> Measured | None:
    content = _content(line)
    if content is None:
        return None
    values = {name: np.array([float(v) for v in column]) for name, column in content["values"].items()}
    ticks = np.array(content["ticks"], dtype=np.int64)
    return Measured(content["chunk"], values, ticks)


def _text(value: float) -> float | str:
    """A number as JSON has it; nan and inf, which it has not, as words."""
    return value if math.isfinite(value) else repr(value)
