"""Ground-motion records: bundled values, arguments, scaling, resampling and the sentences of refusals.

Expected numbers come from the table of provenance (blocks/data/README.md), from numpy.interp or from exact
fractions.
"""

from __future__ import annotations

import copy
import csv
import hashlib
import math
import pickle
import re
import struct
from fractions import Fraction
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybsim.blocks.sources.records import Record, bundled, load_record
from hybsim.errors import RecordError


def refusal(source, **options) -> str:
    with pytest.raises(RecordError) as caught:
        load_record(source, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message[-1] in ".?"
    assert ".." not in message.replace("...", "")
    return message


# The bundled records


@pytest.mark.parametrize(
    ("name", "points", "pga", "last_time"),
    [("elcentro", 1560, 0.31882, 31.18), ("tabas", 2500, 0.8999, 49.98)],
)
def test_bundled_record_is_the_one_of_the_provenance_table(name, points, pga, last_time):
    record = load_record(name)
    assert len(record.accel) == points
    assert record.dt == 0.02
    assert record.pga == pytest.approx(pga, abs=0.5e-4)
    assert record.duration == pytest.approx(last_time, rel=1e-12)
    assert (record.name, record.unit) == (name, "g")


def test_bundled_elcentro_holds_the_values_of_the_file():
    text = (files("hybsim.blocks") / "data" / "elcentro_1940_ns.csv").read_text()
    rows = list(csv.reader(text.splitlines()))[1:]
    assert load_record("elcentro").accel.tolist() == [float(accel) for _, accel in rows]


def test_every_bundled_record_has_its_file_and_its_row_in_the_readme():
    folder = files("hybsim.blocks") / "data"
    readme = (folder / "README.md").read_text()
    assert set(bundled()) == {"elcentro", "tabas"}
    for name, entry in bundled().items():
        record = load_record(name)
        assert (folder / entry.file).is_file()
        assert (record.dt, record.unit) == (entry.dt, entry.unit)
        row = next(line for line in readme.splitlines() if line.startswith(f"| `{name}`"))
        cells = [cell.strip() for cell in row.split("|")]
        assert cells[2] == f"`{entry.file}`"
        assert float(cells[4].removesuffix(" s")) == record.dt
        assert int(cells[5]) == len(record.accel)
        assert float(cells[7].removesuffix(" g")) == pytest.approx(record.pga, abs=0.5e-4)


def test_changing_the_listing_does_not_change_what_is_bundled():
    bundled().clear()
    assert "elcentro" in bundled()


# Arguments, files that cannot be read, arrays and Records


def test_missing_and_unreadable_files(tmp_path):
    (tmp_path / "kobe_ns.csv").write_text("0 1\n")
    message = refusal(tmp_path / "kobe_n.csv")
    assert "kobe_n.csv' is neither a file nor a bundled record ('elcentro', 'tabas')." in message
    assert "Did you mean 'kobe_ns.csv'?" in message
    assert refusal("elcenro").endswith("Did you mean 'elcentro'?")
    assert refusal(tmp_path / "no" / "folder" / "zzz.csv").endswith("('elcentro', 'tabas').")
    assert "cannot be read as a record: Is a directory." in refusal(tmp_path)
    assert "cannot be read as a record: embedded null byte." in refusal("a\0b")
    assert "cannot be read as a record: File name too long." in refusal("x" * 5000)
    assert "is not a usable path;" in refusal("~no_such_user_here/x.csv")


def test_a_record_is_returned_as_it_is():
    record = load_record("tabas")
    assert load_record(record) is record
    assert load_record(record, dt=0.02) is record
    assert "dt=0.01 was given but the record says 0.02" in refusal(record, dt=0.01)


def test_arrays_are_copied_and_read_only():
    values = np.array([1.0, -3.0, 2.0])
    record = load_record(values, dt=0.5, unit="m/s2")
    values[1] = 99.0
    assert (record.pga, record.dt, record.unit, record.duration) == (3.0, 0.5, "m/s2", 1.0)
    for same in (record, pickle.loads(pickle.dumps(record)), copy.deepcopy(record)):
        assert same.sha256 == record.sha256
        with pytest.raises(ValueError, match="read-only"):
            same.accel[0] = 1.0
    assert load_record([1, 2], dt=1).accel.dtype == np.float64
    assert load_record(np.arange(6.0)[::2], dt=1).accel.tolist() == [0, 2, 4]


def test_refusals_of_arrays_and_arguments():
    assert "An array has no time in it, so give dt=" in refusal([1.0])
    assert "is empty; it needs at least one value." in refusal([], dt=0.1)
    assert "got shape (2, 2) of float64." in refusal(np.ones((2, 2)), dt=0.1)
    assert "real numbers, got shape (1,) of complex128." in refusal([1j], dt=0.1)
    assert "has nan at index 1; all values must be finite." in refusal([1.0, math.nan], dt=0.1)
    assert "has inf at index 0;" in refusal([math.inf], dt=0.1)
    assert "has nan at index 1;" in refusal(np.ma.masked_equal([1, 2], 2), dt=0.1)
    assert "must be a 1-D array of numbers" in refusal(["x"], dt=0.1)
    assert "must be a 1-D array of numbers" in refusal([[1], [1, 2]], dt=0.1)
    assert "A record is a bundled name ('elcentro', 'tabas'), a file, a Record" in refusal(None)
    assert "got 3." in refusal(3, dt=0.1)
    assert "column= and skip= are for files;" in refusal("tabas", skip=1)
    assert "column= and skip= are for files;" in refusal([1.0], dt=1, column=0)
    assert "The bundled record 'tabas' is in g, not 'm/s2'; leave unit= out." in refusal("tabas", unit="m/s2")
    assert "tabas: dt=0.01 was given but the record says 0.02;" in refusal("tabas", dt=0.01)
    assert "unit must be a name such as 'g' or 'm/s2', got ''." in refusal("tabas", unit="")
    assert "skip must be 0 or more lines, got -1." in refusal("x.txt", skip=-1)
    assert "skip must be a whole number, got 1.5." in refusal("x.txt", skip=1.5)
    assert "column must be a whole number, got 1.5." in refusal("x.txt", column=1.5)


@pytest.mark.parametrize(
    ("dt", "said"),
    [
        (0.0, "greater than 0, got 0."),
        (-0.01, "greater than 0, got -0.01."),
        (math.nan, "a finite number, got nan."),
        (math.inf, "a finite number, got inf."),
        ("fast", "a number, got 'fast'."),
    ],
)
def test_dt_that_is_not_a_positive_number(dt, said):
    assert refusal([1.0], dt=dt) == f"dt must be {said}"
    with pytest.raises(RecordError, match=re.escape(said)):
        Record("r", np.ones(2), dt)
    with pytest.raises(RecordError, match=re.escape(said)):
        load_record("tabas").resampled(dt)


def test_sha256_is_the_hash_of_little_endian_values_and_dt():
    record = load_record([1.5, -2.0, 0.0], dt=0.02)
    assert record.sha256 == hashlib.sha256(struct.pack("<4d", 1.5, -2.0, 0.0, 0.02)).hexdigest()
    assert record.sha256 != load_record([1.5, -2.0, 0.0], dt=0.01).sha256


# Scaling and resampling


def test_tabas_50_percent_of_eerc():
    tabas = load_record("tabas")
    scaled = tabas.scaled_to(0.378)
    assert scaled.pga == 0.378
    np.testing.assert_allclose(scaled.accel, tabas.accel * (0.378 / 0.899949), rtol=1e-14)
    assert scaled.source.endswith("scaled to a peak of 0.378 g")
    values = scaled.resampled(0.02 / math.sqrt(3), time_scale=1 / math.sqrt(3))
    assert values.tobytes() == scaled.accel.tobytes()


def test_scaled_to_refusals():
    with pytest.raises(RecordError, match="pga must be greater than 0, got -1"):
        load_record("tabas").scaled_to(-1)
    with pytest.raises(RecordError, match="'array' is zero throughout, so it cannot be scaled"):
        load_record([0.0, 0.0], dt=1).scaled_to(1)


@pytest.mark.parametrize("interpolation", ["linear", "hold"])
@pytest.mark.parametrize("per_sample", [1, 2, 3, 5, 7, 10, 20])
@pytest.mark.parametrize("name", ["elcentro", "tabas"])
def test_own_samples_come_back_bit_for_bit(name, per_sample, interpolation):
    record = load_record(name)
    values = record.resampled(0.02 / per_sample, interpolation=interpolation)
    assert len(values) == (len(record.accel) - 1) * per_sample + 1
    assert values[::per_sample].tobytes() == record.accel.tobytes()


@given(
    dt=st.floats(1e-4, 1.0),
    per_sample=st.integers(1, 12),
    time_scale=st.floats(0.1, 10.0),
    values=st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=200),
)
def test_coinciding_instants_are_exact_for_any_step(dt, per_sample, time_scale, values):
    record = load_record(values, dt=dt)
    resampled = record.resampled(dt * time_scale / per_sample, time_scale=time_scale)
    assert len(resampled) == (len(values) - 1) * per_sample + 1
    assert resampled[::per_sample].tobytes() == record.accel.tobytes()  # bytes: -0.0 stays -0.0


@given(
    dt=st.floats(1e-3, 0.1),
    tick=st.floats(1e-3, 0.1),
    time_scale=st.floats(0.2, 5.0),
    scale=st.floats(-10, 10),
    values=st.lists(st.floats(-10, 10), min_size=2, max_size=60),
)
def test_linear_interpolation_is_that_of_numpy(dt, tick, time_scale, scale, values):
    resampled = load_record(values, dt=dt).resampled(tick, scale=scale, time_scale=time_scale)
    times = np.arange(len(resampled)) * tick
    expected = scale * np.interp(times, np.arange(len(values)) * dt * time_scale, values)
    # Ticks within 1e-9 of a sample's time are put on it: 1e-9 x 60 samples x the steepest step x scale.
    np.testing.assert_allclose(resampled, expected, atol=1e-9 * 60 * 20 * 10, rtol=1e-9)


@given(
    dt=st.fractions(Fraction(1, 1000), Fraction(1, 10), max_denominator=1000),
    tick=st.fractions(Fraction(1, 1000), Fraction(1, 10), max_denominator=1000),
    time_scale=st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(3, 2), Fraction(7, 5)]),
    points=st.integers(1, 300),
)
def test_ticks_and_held_samples_are_those_of_exact_arithmetic(dt, tick, time_scale, points):
    record = load_record(np.arange(float(points)), dt=float(dt))
    held = record.resampled(float(tick), time_scale=float(time_scale), interpolation="hold")
    count = (points - 1) * dt * time_scale // tick + 1
    assert held.tolist() == [k * tick // (dt * time_scale) for k in range(count)]


def test_scale_and_time_scale_by_hand():
    record = load_record([0.0, 1.0, -1.0], dt=0.2)
    assert record.resampled(0.1).tolist() == pytest.approx([0, 0.5, 1, 0, -1], abs=1e-15)
    assert record.resampled(0.1, scale=2.0, time_scale=0.5).tolist() == [0, 2, -2]
    assert record.resampled(0.1, interpolation="hold").tolist() == [0, 0, 1, 1, -1]
    assert record.resampled(0.1, scale=3.0, interpolation="hold").tolist() == [0, 0, 3, 3, -3]
    assert record.resampled(0.3).tolist() == pytest.approx([0, 0])  # 0.6 lies after the end at 0.4
    assert record.resampled(5.0).tolist() == [0]


@pytest.mark.parametrize(("points", "tick", "time_scale"), [(30, 0.01, 1.0), (402, 0.001, 1.0), (12, 0.007, 0.7)])
def test_the_last_sample_is_kept_where_the_quotient_falls_just_short(points, tick, time_scale):
    assert (points - 1) * (0.02 * time_scale) / tick % 1 > 0.5  # 57.99999999999999 for the first
    record = load_record(np.arange(1.0, points + 1), dt=0.02)
    assert record.resampled(tick, time_scale=time_scale)[-1] == points


def test_resampling_does_not_touch_the_record():
    record = load_record("elcentro")
    before = record.sha256
    record.resampled(0.02)[:] = 7.0
    assert record.sha256 == before


def test_refusals_of_resampling():
    record = load_record([1e308, -1e308], dt=1.0)
    with pytest.raises(RecordError, match=r"interpolation='cubic' is not known; use 'linear' or 'hold'\."):
        record.resampled(0.1, interpolation="cubic")
    with pytest.raises(RecordError, match="time_scale must be greater than 0, got 0"):
        record.resampled(0.1, time_scale=0)
    with pytest.raises(RecordError, match="scale must be a finite number, got nan"):
        record.resampled(0.1, scale=math.nan)
    with pytest.raises(RecordError, match="with scale=10 exceeds the range of numbers"):
        record.resampled(1.0, scale=10)
    for dt, tick, time_scale in [(1.0, 1e-12, 1.0), (1.0, 1e-300, 1e300), (1e-200, 1.0, 1e-200)]:
        with pytest.raises(RecordError, match="does not fit 20000000 ticks; check dt and time_scale"):
            load_record([1.0, 2.0], dt=dt).resampled(tick, time_scale=time_scale)
