"""Ground motion: a recorded acceleration, sampled at the ticks.

    y_k = scale a(k dt / time_scale)   up to the end of the record,   0 afterwards

    a(t)        between the record's samples: a straight line ('linear') or the last sample ('hold')
    scale       multiplies the accelerations: 0.2 * 386.1 makes 20 % of a record in g into in/s^2
    time_scale  multiplies time: 1/sqrt(3) makes the record shorter

Other columns, header lines to skip or units: pass what `load_record` returns as `record`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import INTERPOLATIONS, Record, bundled, load_record
from hybsim.blocks.ticks import stored_ticks
from hybsim.errors import ParameterError
from hybsim.kernel import Choice, Param, Params, Ports, Positive, Prepared, Real, Sampled, State, kernel


class GroundMotion(Sampled):
    """A recorded ground acceleration."""

    outs = Ports(accel="ground acceleration")
    params = Params(
        record=Param("'elcentro', 'tabas', a file, an array or a Record"),
        record_dt=Positive("seconds between samples, for arrays and one-column files", None, optional=True),
        scale=Real("factor on the accelerations", 1.0),
        time_scale=Positive("factor on time", 1.0),
        interpolation=Choice("values between samples", "linear", among=INTERPOLATIONS),
        max_duration=Real("longest record of a sweep in s; None for this record's", None, at_least=0.0, optional=True),
    )
    state = State(k=0.0)
    example = dict(record="elcentro", scale=386.1)

    @classmethod
    def settle(cls, q: SimpleNamespace, dt: float) -> dict[str, float]:
        # The length of the table belongs to the built program.
        natural = (sampled(q, dt).size - 1) * dt
        return {"max_duration": natural if q.max_duration is None else q.max_duration}

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        accel = sampled(q, dt)
        length = accel.size if q.max_duration is None else stored_ticks("max_duration", q.max_duration, dt) + 1
        if accel.size > length:
            raise ParameterError(
                f"The record of {(accel.size - 1) * dt:g} s is longer than max_duration={q.max_duration:g} s;"
                " declare max_duration= for the longest record of a sweep."
            )
        table = accel if accel.size == length else np.append(accel, np.zeros(length - accel.size))
        return Prepared(p=dict(table=table, count=accel.size), x=cls.state)

    @classmethod
    def describe(cls, q: SimpleNamespace) -> Mapping[str, Any]:
        record = loaded(q.record, q.record_dt)
        return dict(
            record=record.name, source=record.source, sha256=record.sha256,
            pga=record.pga, unit=record.unit, dt=record.dt, points=len(record.accel),
            interpolation=q.interpolation, scale=q.scale, time_scale=q.time_scale,
        )  # fmt: skip

    @kernel
    def outputs(u, x, p, y):
        k = int(x.k)
        if k < p.count:
            y.accel = p.table[k]
        else:
            y.accel = 0.0

    @kernel
    def update(u, x, p):
        x.k += 1.0


def sampled(q: SimpleNamespace, dt: float) -> np.ndarray:
    """The record at the ticks."""
    return loaded(q.record, q.record_dt).resampled(dt, q.scale, q.time_scale, q.interpolation)


def loaded(source: Any, dt: float | None) -> Record:
    """The record; a file is read again only when it has changed, so that a sweep reads it once."""
    if isinstance(source, str) and source in bundled():
        return _read(source, dt, ())
    if isinstance(source, str | os.PathLike):
        try:
            seen = Path(source).expanduser().stat()
        except (OSError, ValueError, RuntimeError, TypeError):
            return load_record(source, dt=dt)  # which says in a sentence what is wrong with the path
        return _read(os.fspath(source), dt, (seen.st_dev, seen.st_ino, seen.st_mtime_ns, seen.st_size))
    return load_record(source, dt=dt)


@lru_cache(maxsize=32)
def _read(source: str, dt: float | None, version: tuple[int, ...]) -> Record:
    return load_record(source, dt=dt)
