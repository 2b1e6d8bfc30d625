"""Ground-motion records: a uniformly sampled acceleration and its value at every tick of a diagram.

    a_k = scale a(k dt / time_scale),   k = 0, 1, ... up to the end of the record

    a(t)        between samples: a straight line ('linear') or the last sample ('hold')
    time_scale  multiplies time: 1/sqrt(3) makes the record shorter and its frequencies higher
    scale       multiplies the amplitude

At an instant of the record's own samples the value is that sample, bit for bit. A record begins at its
first sample, whatever its time column says there.
"""

from __future__ import annotations

import hashlib
import math
import operator
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, SupportsFloat

import numpy as np

from hybsim.blocks.sources.record_readers import FloatArray, agreed_dt, read_values
from hybsim.errors import RecordError, near

INTERPOLATIONS = ("linear", "hold")
COINCIDENT = 1e-9  # relative: tick times this close to a sample's time are that sample's time
MAX_TICKS = 20_000_000  # more is a slip in dt or time_scale, and would fill the memory


@dataclass(frozen=True, eq=False)
class Record:
    """One component of ground acceleration, sampled every `dt` seconds from time zero.

    >>> record = Record("pulse", [0.0, 1.0, 0.0], dt=0.02)
    >>> record.resampled(0.01).tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """

    name: str
    accel: FloatArray  # read-only copy of what was given
    dt: float
    unit: str = "g"
    source: str = ""  # where the values come from, for reports

    def __post_init__(self) -> None:
        accel = _vector(self.accel, self.name)
        accel.setflags(write=False)
        object.__setattr__(self, "accel", accel)
        object.__setattr__(self, "dt", _positive("dt", self.dt))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a pickled or deep-copied array would come back writable.
        return Record, (self.name, self.accel, self.dt, self.unit, self.source)

    @property
    def pga(self) -> float:
        """Peak ground acceleration, the largest |accel|, in `unit`."""
        return float(np.abs(self.accel).max())

    @property
    def duration(self) -> float:
        """Time of the last sample in seconds."""
        return (len(self.accel) - 1) * self.dt

    @property
    def sha256(self) -> str:
        """Fingerprint of the values and dt (all as little-endian float64), whatever the file looked like."""
        values = np.append(self.accel, self.dt).astype("<f8")
        return hashlib.sha256(values.tobytes()).hexdigest()

    def scaled_to(self, pga: float) -> Record:
        """The record with its amplitude scaled to a peak of `pga`, in the record's unit."""
        target, peak = _positive("pga", pga), self.pga
        if peak == 0.0:
            raise RecordError(f"Record {self.name!r} is zero throughout, so it cannot be scaled to a peak.")
        # Divided first: the peak becomes exactly 1 and then exactly `target`.
        source = f"{self.source}, scaled to a peak of {target:g} {self.unit}".lstrip(", ")
        return replace(self, accel=self.accel / peak * target, source=source)

    def resampled(
        self, dt: float, scale: float = 1.0, time_scale: float = 1.0, interpolation: str = "linear"
    ) -> FloatArray:
        """Values at k dt up to the (time-scaled) end, which is included where it falls on a tick."""
        tick, factor = _positive("dt", dt), _finite("scale", scale)
        unscaled = _at_ticks(self, tick, _positive("time_scale", time_scale), interpolation)
        with np.errstate(over="ignore", invalid="ignore"):
            values = unscaled * factor
        if not np.isfinite(values).all():
            raise RecordError(f"Record {self.name!r} with scale={factor:g} exceeds the range of numbers.")
        return values


@lru_cache(maxsize=4)
def _at_ticks(record: Record, tick: float, time_scale: float, interpolation: str) -> FloatArray:
    """Values at the ticks as they were recorded; kept, since runs of a study differ in the scale alone."""
    step = record.dt * time_scale
    if interpolation not in INTERPOLATIONS:
        raise RecordError(f"interpolation={interpolation!r} is not known; use 'linear' or 'hold'.")
    end = len(record.accel) - 1
    # A product or quotient beyond the range of numbers comes out as 0, inf or nan here.
    last = end * step / tick
    if step == 0.0 or not last < MAX_TICKS:
        raise RecordError(
            f"Record {record.name!r} of {end * step:g} s at dt={tick:g} does not fit {MAX_TICKS} ticks;"
            " check dt and time_scale."
        )
    ticks = np.arange(math.floor(_snapped(np.array([last]))[0]) + 1)
    position = np.minimum(_snapped(ticks * tick / step), end)
    left = np.floor(position).astype(np.intp)
    before = record.accel[left]
    if interpolation == "hold":
        return before
    after, fraction = record.accel[np.minimum(left + 1, end)], position - left
    with np.errstate(over="ignore", invalid="ignore"):
        # Chosen, not computed, at a sample: -0.0 + 0 * slope would lose its sign.
        return np.where(fraction == 0.0, before, before + fraction * (after - before))


class Bundled(NamedTuple):
    """A record that comes with the package; blocks/data/README.md has its provenance and licence."""

    file: str
    title: str
    dt: float
    unit: str


_BUNDLED = {
    "elcentro": Bundled("elcentro_1940_ns.csv", "1940 Imperial Valley, El Centro N-S", 0.02, "g"),
    "tabas": Bundled("tabas_1978_fn.txt", "1978 Tabas, fault normal (SAC NF01)", 0.02, "g"),
}


def bundled() -> dict[str, Bundled]:
    """The records that come with the package, by the name `load_record` takes."""
    return dict(_BUNDLED)


def load_record(
    source: Record | str | os.PathLike[str] | Sequence[float] | FloatArray,
    *,
    dt: float | None = None,
    column: int | str | None = None,
    skip: int = 0,
    unit: str = "g",
) -> Record:
    """A record from a bundled name, a file, a 1-D array with `dt`, or a Record (returned as it is).

    dt      seconds between samples; needed for one column and for arrays, otherwise checked
    column  number from 0, or name in the header line, where a file has more than two
    skip    lines to leave out at the top of a text or csv file
    unit    label of the values; no conversion is made

    >>> load_record("elcentro").pga
    0.31882
    """
    given_dt = None if dt is None else _positive("dt", dt)
    skipped = _whole("skip", skip)
    if skipped < 0:
        raise RecordError(f"skip must be 0 or more lines, got {skipped}.")
    wanted = column if column is None or isinstance(column, str) else _whole("column", column)
    if not isinstance(unit, str) or not unit.strip():
        raise RecordError(f"unit must be a name such as 'g' or 'm/s2', got {unit!r}.")
    is_bundled = isinstance(source, str) and source in _BUNDLED
    is_file = isinstance(source, (str, os.PathLike)) and not is_bundled
    if not is_file and (wanted is not None or skipped):
        raise RecordError("column= and skip= are for files; leave them out for bundled names, Records and arrays.")

    if isinstance(source, Record):
        agreed_dt(source.dt, given_dt, file=source.name)
        return source
    if isinstance(source, str) and source in _BUNDLED:
        return _load_bundled(source, given_dt, unit)
    if isinstance(source, (str, os.PathLike)):
        path = _path(source)
        data = _read_bytes(path)
        accel, step = read_values(data, file=str(path), dt=given_dt, column=wanted, skip=skipped, unit=unit)
        return Record(name=path.stem, accel=accel, dt=step, unit=unit, source=str(path))
    if source is None or np.ndim(_as_array(source)) == 0:
        raise RecordError(
            f"A record is a bundled name ({_names()}), a file, a Record or a 1-D array; got {source!r:.60}."
        )
    if given_dt is None:
        raise RecordError("An array has no time in it, so give dt=, the seconds between values.")
    return Record(name="array", accel=_vector(source, "array"), dt=given_dt, unit=unit, source="array")


def _load_bundled(name: str, dt: float | None, unit: str) -> Record:
    entry = _BUNDLED[name]
    if unit != entry.unit:
        raise RecordError(f"The bundled record {name!r} is in {entry.unit}, not {unit!r}; leave unit= out.")
    agreed_dt(entry.dt, dt, file=name)
    data = (files("hybsim.blocks") / "data" / entry.file).read_bytes()
    accel, step = read_values(data, file=entry.file, dt=entry.dt, column=None, skip=0, unit=unit)
    return Record(name=name, accel=accel, dt=step, unit=unit, source=f"{entry.title}; bundled {entry.file}")


def _names() -> str:
    return ", ".join(repr(name) for name in _BUNDLED)


def _path(source: str | os.PathLike[str]) -> Path:
    try:
        return Path(source).expanduser()
    except (RuntimeError, TypeError) as error:  # no such home folder; a path of bytes
        raise RecordError(f"{source!r:.200} is not a usable path; give the full path of the file.") from error


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise RecordError(
            f"{str(path)!r} is neither a file nor a bundled record ({_names()}).{_near_files(path)}"
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise RecordError(f"{str(path)!r:.200} cannot be read as a record: {reason}.") from error


def _near_files(path: Path) -> str:
    """The suggestion of `near` among bundled names and neighbouring files, without its list of all."""
    try:
        neighbours = [entry.name for entry in path.parent.iterdir()]
    except OSError:  # the folder itself is missing or closed: only the bundled names are left to suggest
        neighbours = []
    hint = near(path.name, [*_BUNDLED, *neighbours])
    return hint if hint.startswith(" Did you mean") else ""


def _as_array(values: Any) -> np.ndarray:
    try:
        if np.ma.isMaskedArray(values):
            return np.ma.filled(values.astype(np.float64), np.nan)  # so that a hole is refused, not read
        array = np.asarray(values)
        return array if np.iscomplexobj(array) else array.astype(np.float64)  # a copy in any case
    except (TypeError, ValueError, OverflowError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise RecordError(f"A record's values must be a 1-D array of numbers: {reason}.") from error


def _vector(values: Any, name: str) -> FloatArray:
    array = _as_array(values)
    if array.ndim != 1 or np.iscomplexobj(array):
        raise RecordError(
            f"Record {name!r} must be a 1-D array of real numbers, got shape {array.shape} of {array.dtype}."
        )
    if array.size == 0:
        raise RecordError(f"Record {name!r} is empty; it needs at least one value.")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise RecordError(f"Record {name!r} has {array[bad[0]]} at index {bad[0]}; all values must be finite.")
    return array


def _snapped(position: FloatArray) -> FloatArray:
    """Positions with those next to a whole number put on it: 0.08 / 0.02 must be 4, not 3.9999999."""
    nearest = np.rint(position)
    return np.where(np.abs(position - nearest) <= COINCIDENT * np.maximum(1.0, nearest), nearest, position)


def _finite(what: str, value: SupportsFloat) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise RecordError(f"{what} must be a number, got {value!r:.60}.") from error
    if not math.isfinite(number):
        raise RecordError(f"{what} must be a finite number, got {number}.")
    return number


def _positive(what: str, value: SupportsFloat) -> float:
    number = _finite(what, value)
    if number <= 0.0:
        raise RecordError(f"{what} must be greater than 0, got {number:g}.")
    return number


def _whole(what: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError as error:
        raise RecordError(f"{what} must be a whole number, got {value!r:.60}.") from error
