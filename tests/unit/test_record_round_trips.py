"""Properties of the record readers: files come back bit for bit, noise is refused in one line."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hybsim.blocks.sources.records import load_record
from hybsim.errors import RecordError

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


def written(folder: Path, text: str | bytes, name: str) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@given(
    values=st.lists(NUMBERS, min_size=2, max_size=50),
    dt=st.integers(1, 10**6).map(lambda micro: micro / 1e6),
    separator=st.sampled_from([" ", "\t", ",", ";", " , "]),
    header=st.booleans(),
)
def test_two_columns_round_trip(tmp_path_factory, values, dt, separator, header):
    lines = ["time" + separator + "accel"] if header else []
    lines += [f"{k * dt!r}{separator}{value!r}" for k, value in enumerate(values)]
    record = load_record(written(tmp_path_factory.getbasetemp(), "\n".join(lines), "round.txt"))
    assert record.accel.tobytes() == np.array(values).tobytes()
    assert record.dt == dt


@given(values=st.lists(NUMBERS, min_size=1, max_size=40), dt=st.floats(1e-5, 10.0), old=st.booleans())
def test_peer_round_trip(tmp_path_factory, values, dt, old):
    fourth = f" {len(values)}   {dt!r}   NPTS, DT" if old else f"NPTS= {len(values)}, DT= {dt!r} SEC,"
    rows = [" ".join(map(repr, values[i : i + 5])) for i in range(0, len(values), 5)]
    text = "\n".join(["PEER", "site", "ACCELERATION TIME SERIES IN UNITS OF G", fourth, *rows])
    record = load_record(written(tmp_path_factory.getbasetemp(), text, "round.AT2"))
    assert record.accel.tobytes() == np.array(values).tobytes()
    assert record.dt == dt


PIECES = ["0", "1.5", "-2e3", "1D5", "nan", "1e999", "x", "ab", ",", ";", "#", "%", "_", "-", "."]
HEADERS = ["NPTS=", "DT=", "NPTS, DT", "VELOCITY TIME", "UNITS OF G"]
BLANKS = ["\t", " ", "\n", "\r", '"', "\x1a", "\ufeff", "\x00", "\x85"]
NEARLY_A_RECORD = st.lists(st.sampled_from(PIECES + HEADERS + BLANKS), max_size=60).map("".join)


@settings(max_examples=300)
@given(
    content=st.one_of(st.binary(max_size=200), NEARLY_A_RECORD.map(str.encode)),
    name=st.sampled_from(["noise.txt", "noise.csv", "noise.AT2"]),
    dt=st.none() | st.floats(),
    column=st.none() | st.integers(-2, 4) | st.sampled_from(["x", ""]),
    skip=st.integers(0, 4),
)
def test_noise_is_read_or_refused_with_one_line(tmp_path_factory, content, name, dt, column, skip):
    path = written(tmp_path_factory.getbasetemp(), content, name)
    try:
        record = load_record(path, dt=dt, column=column, skip=skip)
    except RecordError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert np.isfinite(record.accel).all()
        assert record.accel.size > 0
        assert 0.0 < record.dt < math.inf
