"""Readers for ground-motion files: what is written in a file, as numbers and a time step.

Layouts, told apart by content:

    PEER .AT2    four header lines, the last ` 4000   0.0050   NPTS, DT` (old style) or
                 `NPTS=  4000, DT=   .0050 SEC,` (new style); then the values row by row
    one column   acceleration; the time step is given by the caller
    two columns  time, acceleration; the time step is read from the time column
    more         the caller names the column; the first one is time unless dt is given

Cells are separated by blanks, or by `,` or `;` where a line has one. Numbers may carry a Fortran `D`
exponent. Text after `#` or `%` and blank lines are skipped; a header line may name the columns.
"""

from __future__ import annotations

import codecs
import math
import re
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from hybsim.errors import RecordError, near

FloatArray = npt.NDArray[np.float64]
Row = tuple[int, list[str]]  # line number in the file, cells

UNIFORM = 1e-6  # of dt: how far a step of the time column, or a given dt, may be off
HEADER_LINES = 20  # PEER writes four; spectrally matched files carry the old header as well

# Stricter than float(), which also takes '1_000', 'nan' and digits of other scripts.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_COMMENT = re.compile(r"(?:^|\s)[#%].*", re.DOTALL)
_OLD_HEADER = re.compile(rf"^\s*([0-9]{{1,12}})\s*,?\s+({_NUMBER.pattern})\s*,?\s*NPTS\s*,\s*DT\b", re.IGNORECASE)
_NEW_HEADER = re.compile(rf"\bNPTS\s*=\s*([0-9]{{1,12}})\s*,?\s*DT\s*=\s*({_NUMBER.pattern})", re.IGNORECASE)
_HEADER_UNIT = re.compile(r"\bUNITS?\s+OF\s+([^\s,]+)", re.IGNORECASE)
_OTHER_QUANTITY = re.compile(r"\b(VELOCITY|DISPLACEMENT)\s+TIME\b", re.IGNORECASE)


def read_values(
    data: bytes, *, file: str, dt: float | None, column: int | str | None, skip: int, unit: str
) -> tuple[FloatArray, float]:
    """The accelerations and the time step held by a file's bytes; `file` names it in messages."""
    lines = _lines(data)
    header = _find_peer_header(lines)
    if header is not None:
        if column is not None or skip:
            raise RecordError(f"{file}: its NPTS, DT header says where the values are, so leave out column= and skip=.")
        return _read_peer(lines, *header, file=file, dt=dt, unit=unit)
    if file.lower().endswith(".at2"):
        raise RecordError(
            f"{file}: no 'NPTS, DT' line among the first {HEADER_LINES} lines, as PEER .AT2 files have;"
            " for plain text use another suffix, such as .txt."
        )
    return _read_columns(lines, file=file, dt=dt, column=column, skip=skip)


def agreed_dt(written: float, given: float | None, *, file: str) -> float:
    """The caller's dt where it is given, after checking it against the one the record states."""
    if given is None:
        return written
    if abs(given - written) > UNIFORM * written:
        raise RecordError(f"{file}: dt={given:g} was given but the record says {written:g}; leave dt= out.")
    return given


def _lines(data: bytes) -> list[str]:
    """Lines as an editor counts them; str.splitlines would also break at form feeds and the like."""
    utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = data.decode("utf-16" if utf16 else "utf-8-sig", errors="replace")
    # Old PEER files end with the DOS end-of-file character.
    return text.rstrip("\x1a").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _cells(line: str) -> list[str]:
    content = _COMMENT.sub("", line).strip()
    for separator in (";", ","):
        if separator in content:
            cells = [cell.strip().strip("\"'") for cell in content.split(separator)]
            return cells[:-1] if cells[-1] == "" else cells
    return content.split()


def _rows(lines: list[str], first: int) -> list[Row]:
    numbered = ((i + 1, _cells(lines[i])) for i in range(first, len(lines)))
    return [(line, cells) for line, cells in numbered if cells]


def _number(token: str, *, file: str, line: int) -> float:
    shown = repr(token if len(token) <= 40 else token[:37] + "...")
    if _NUMBER.fullmatch(token):
        value = float(token.replace("D", "e").replace("d", "e"))
        if math.isfinite(value):
            return value
    elif not _NOT_FINITE.fullmatch(token):
        raise RecordError(f"{file}, line {line}: {shown} is not a number.")
    raise RecordError(f"{file}, line {line}: {shown} is not a finite number.")


def _refuse_empty(file: str) -> NoReturn:
    raise RecordError(f"{file}: the record is empty; it needs at least one value.")


def _find_peer_header(lines: list[str]) -> tuple[int, int, float] | None:
    """Index of the first line of values, NPTS and DT; None where the file has no such header."""
    for i, line in enumerate(lines[:HEADER_LINES]):
        if line.lstrip()[:1] in ("#", "%"):
            continue
        found = _OLD_HEADER.search(line) or _NEW_HEADER.search(line)
        if found:
            return i + 1, int(found[1]), float(found[2].upper().replace("D", "E"))
    return None


def _read_peer(
    lines: list[str], first: int, npts: int, dt_header: float, *, file: str, dt: float | None, unit: str
) -> tuple[FloatArray, float]:
    header = " ".join(lines[:first])
    quantity = _OTHER_QUANTITY.search(header)
    if quantity:
        raise RecordError(f"{file}: the header says {quantity[1].lower()}; give the acceleration (.AT2).")
    stated = _HEADER_UNIT.search(header)
    if stated and stated[1].strip("().'").lower() != unit.lower():
        raise RecordError(f"{file}: the header says unit {stated[1]!r} but unit={unit!r}; make them agree.")
    if not (math.isfinite(dt_header) and dt_header > 0):
        raise RecordError(f"{file}, line {first}: DT must be greater than 0 and finite, got {dt_header:g}.")
    values = [_number(token, file=file, line=line) for line, cells in _rows(lines, first) for token in cells]
    if len(values) != npts:
        raise RecordError(
            f"{file}, line {first}: the header promises NPTS={npts} values but the file holds {len(values)};"
            " get a complete copy or correct NPTS."
        )
    if not values:
        _refuse_empty(file)
    return np.array(values), agreed_dt(dt_header, dt, file=file)


def _read_columns(
    lines: list[str], *, file: str, dt: float | None, column: int | str | None, skip: int
) -> tuple[FloatArray, float]:
    rows = _rows(lines, skip)
    names: list[str] = []
    if rows and _is_header(lines[rows[0][0] - 1], rows[0][1], file):
        names = [" ".join(cell.split()) for cell in rows.pop(0)[1]]
    if not rows:
        _refuse_empty(file)
    first_line, width = rows[0][0], len(rows[0][1])
    for line, cells in rows:
        if len(cells) != width:
            raise RecordError(f"{file}, line {line}: {_columns(len(cells))} where line {first_line} has {width}.")
    index = _column_index(column, width, names, file=file)
    # With both dt and column given the first column need not be time: three components, say.
    timed = width > 1 and (dt is None or column is None)
    if timed and index == 0:
        raise RecordError(f"{file}: column 0 is the time unless dt= is given as well.")
    # Row by row, so that the first bad line is the one that is named.
    times, values = [], []
    for line, cells in rows:
        if timed:
            times.append(_number(cells[0], file=file, line=line))
        values.append(_number(cells[index], file=file, line=line))
    if dt is not None and len(times) < 2:
        return np.array(values), dt
    if not timed:
        raise RecordError(f"{file}: one column has no time in it, so give dt=, the seconds between values.")
    written = _uniform_dt(np.array(times), [line for line, _ in rows], file=file)
    return np.array(values), agreed_dt(written, dt, file=file)


def _is_header(line: str, cells: list[str], file: str) -> bool:
    """Whether the first line names columns.

    A lone word in a text file is taken for a spoilt value, and so is a cell such as 'O.0063': a name does
    not begin like a number, and has no digits, two letters in a row, or brackets as in '(m/s2)'.
    """
    if len(cells) == 1 and not file.lower().endswith(".csv") and not re.search("[,;]", line):
        return False
    return all(
        re.match(r"[^0-9+.\-]", cell)
        and not _NOT_FINITE.fullmatch(cell)
        and (not re.search("[0-9]", cell) or re.search(r"[A-Za-z]{2}|^[(\[]", cell))
        for cell in cells
    )


def _columns(count: int) -> str:
    return f"{count} column" if count == 1 else f"{count} columns"


def _column_index(column: int | str | None, width: int, names: list[str], *, file: str) -> int:
    if column is None:
        if width <= 2:
            return width - 1
        listed = f" ({', '.join(names)})" if names else ""
        raise RecordError(f"{file}: it has {width} columns{listed}, so say which one with column=.")
    if isinstance(column, str):
        lowered = [name.lower() for name in names]
        if column.strip().lower() in lowered[:width]:
            return lowered.index(column.strip().lower())
        known = near(column, names) if names else " It has no header line; give the column's number from 0."
        raise RecordError(f"{file}: no column is called {column!r}.{known}")
    if not 0 <= column < width:
        raise RecordError(f"{file}: column={column} is not one of 0 to {width - 1}.")
    return column


def _uniform_dt(times: FloatArray, line_numbers: list[int], *, file: str) -> float:
    """dt of a time column. The middle step is the reference, so that a gap shows where it is."""
    if len(times) < 2:
        raise RecordError(f"{file}: one row does not give a time step; give dt= as well.")
    with np.errstate(over="ignore"):
        steps = np.diff(times)
        span = float(times[-1] - times[0])
    if not (math.isfinite(span) and np.isfinite(steps).all()):
        raise RecordError(f"{file}: the times are too far apart to be subtracted.")
    middle = float(np.sort(steps)[(len(steps) - 1) // 2])
    resolution = float(np.spacing(np.abs(times).max()))
    stalled = np.flatnonzero(steps <= 0.0)
    with np.errstate(over="ignore"):
        uneven = np.flatnonzero(np.abs(steps - middle) > UNIFORM * abs(middle) + 2.0 * resolution)
    if stalled.size:
        raise RecordError(f"{file}, line {line_numbers[stalled[0] + 1]}: the time does not increase.")
    if uneven.size:
        i = int(uneven[0])
        raise RecordError(
            f"{file}, line {line_numbers[i + 1]}: the time step jumps to {steps[i]:g} where dt is {middle:g};"
            " resample the record to a uniform step first."
        )
    count = len(steps)
    mean = span / count
    # 31.18 / 1559 need not be the 0.02 that was meant: take the short decimal if the times allow it.
    short = float(f"{mean:.12g}")
    return short if abs(short - mean) <= resolution / count + 4.0 * float(np.spacing(mean)) else mean
