"""Ground motion, sine sweep and cosine pulse, against theory and independent formulas."""

from __future__ import annotations

import hashlib
import math
import os
from types import SimpleNamespace

import numpy as np
import pytest
from one_block import made, played
from scipy import integrate, signal

from hybsim.blocks.sources import ground_motion, records
from hybsim.blocks.sources.cosine_pulse import CosinePulse
from hybsim.blocks.sources.ground_motion import GroundMotion
from hybsim.blocks.sources.records import Record, load_record
from hybsim.blocks.sources.sine_sweep import SineSweep
from hybsim.errors import HybsimError, ParameterError, RecordError

EVERY_SOURCE = [
    (GroundMotion, dict(record="elcentro"), "accel"),
    (SineSweep, dict(f_start=1.0, f_end=10.0, duration=2.0), "value"),
    (CosinePulse, dict(amplitude=1.0, duration=0.6), "value"),
]


@pytest.mark.parametrize(("cls", "parameters", "port"), EVERY_SOURCE)
def test_a_source_has_one_output_and_depends_on_no_input(cls, parameters, port):
    block = made(cls, **parameters)
    assert (cls.nin, cls.nout, cls.outlabels) == (0, 1, [port])
    assert block._kernels.feedthrough == {port: frozenset()}
    assert block._feedthrough is False


@pytest.mark.parametrize(("cls", "parameters", "port"), EVERY_SOURCE)
def test_a_source_counts_samples_and_does_not_read_the_time(cls, parameters, port):
    functions = made(cls, **parameters)._kernels.functions.values()
    assert not any(function.uses_time for function in functions)


# Ground motion


@pytest.mark.parametrize(("name", "samples"), [("elcentro", 1560), ("tabas", 2500)])
def test_bundled_record_at_its_own_step_is_played_sample_by_sample_then_zero(name, samples):
    block = made(GroundMotion, 0.02, record=name)
    assert np.array_equal(played(block, samples), load_record(name).accel)
    assert played(block, samples + 5)[samples:].tolist() == [0.0] * 5


def test_record_is_scaled_stretched_and_interpolated():
    accel, factor = [0.0, 1.0, -2.0, 0.5], 1.0 / math.sqrt(3.0)
    block = made(GroundMotion, record=accel, record_dt=0.05, scale=0.2 * 386.1, time_scale=factor)
    t = 0.01 * np.arange(14)
    inside = t <= 0.15 * factor
    expected = np.where(inside, 0.2 * 386.1 * np.interp(t, 0.05 * factor * np.arange(4), accel), 0.0)
    assert inside.sum() == 9
    assert played(block, 14) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_hold_repeats_the_last_sample():
    block = made(GroundMotion, record=[1.0, -2.0, 3.0], record_dt=0.03, interpolation="hold")
    assert played(block, 9).tolist() == [1.0, 1.0, 1.0, -2.0, -2.0, -2.0, 3.0, 0.0, 0.0]


def test_max_duration_fixes_the_length_of_the_table_and_changes_nothing_else():
    block = made(GroundMotion, record="elcentro", max_duration=60.0)
    spec = block.spec()
    lengths = {block._prepared.p["table"].size}
    for changed in (
        dict(record="tabas"),
        dict(time_scale=0.5),
        dict(time_scale=1.9),
        dict(record=[1.0], record_dt=1.0),
    ):
        lengths.add(spec.prepare({**spec.parameters, **changed}, 0.01).p["table"].size)
    assert lengths == {6001}
    assert np.array_equal(played(block, 3200), played(made(GroundMotion, record="elcentro"), 3200))


def test_a_later_record_may_be_shorter_but_not_longer():
    block = made(GroundMotion, record="elcentro")
    spec = block.spec()
    shorter = spec.prepare({**spec.parameters, "time_scale": 0.5}, 0.01)
    assert shorter.p["table"].shape == block._prepared.p["table"].shape
    with pytest.raises(
        ParameterError,
        match=r"record of 49\.98 s is longer than max_duration=31\.18 s; declare max_duration=",
    ):
        spec.prepare({**spec.parameters, "record": "tabas"}, 0.01)


def test_description_lets_anyone_find_the_record_again():
    block = made(GroundMotion, record="tabas", scale=2.0, time_scale=0.5, interpolation="hold")
    told = block.spec().describe(block.spec().parameters)
    values = np.append(load_record("tabas").accel, 0.02).astype("<f8")
    assert told["sha256"] == hashlib.sha256(values.tobytes()).hexdigest()
    assert told["pga"] == pytest.approx(0.8999, abs=1e-4)
    assert (told["record"], told["unit"], told["dt"], told["points"]) == ("tabas", "g", 0.02, 2500)
    assert (told["scale"], told["time_scale"], told["interpolation"]) == (2.0, 0.5, "hold")


@pytest.fixture
def reads(monkeypatch):
    """Every call of `load_record` that the block makes."""
    calls = []

    def counted(source, **options):
        calls.append(source)
        return load_record(source, **options)

    monkeypatch.setattr(ground_motion, "load_record", counted)
    ground_motion._read.cache_clear()
    yield calls
    ground_motion._read.cache_clear()


def test_a_file_is_read_once_until_it_changes(tmp_path, reads):
    path = tmp_path / "quake.txt"
    path.write_text("1.0\n2.0\n")
    spec = made(GroundMotion, record=path, record_dt=0.01, max_duration=1.0).spec()
    for scale in (1.0, 2.0, 3.0):
        spec.prepare({**spec.parameters, "scale": scale}, 0.01)
    assert len(reads) == 1
    before = path.stat().st_mtime_ns
    path.write_text("5.0\n6.0\n7.0\n")
    os.utime(path, ns=(before + 10**9, before + 10**9))
    table = spec.prepare(spec.parameters, 0.01).p["table"]
    assert len(reads) == 2
    assert table[:4].tolist() == [5.0, 6.0, 7.0, 0.0]


def test_a_file_is_looked_up_from_the_present_folder(tmp_path, monkeypatch):
    for folder, value in (("a", 1.0), ("b", 2.0)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "quake.txt").write_text(f"{value}\n")
        os.utime(tmp_path / folder / "quake.txt", ns=(10**18, 10**18))
        monkeypatch.chdir(tmp_path / folder)
        assert played(made(GroundMotion, record="quake.txt", record_dt=0.01), 1).tolist() == [value]


def test_a_record_object_brings_what_the_parameters_cannot_say():
    record = Record("pulse", [0.0, 4.0, 0.0], dt=0.02, unit="m/s2")
    block = made(GroundMotion, record=record)
    assert played(block, 6).tolist() == [0.0, 2.0, 4.0, 2.0, 0.0, 0.0]
    assert block.describe(SimpleNamespace(**block._values))["unit"] == "m/s2"


# Sine sweep


def swept(f, amplitude, phase, times):
    """The sweep by numerical integration of the frequency f(t)."""
    cycles = [integrate.quad(f, 0.0, t, epsabs=1e-12, epsrel=1e-12, limit=200)[0] for t in times]
    return amplitude * np.sin(phase + 2.0 * np.pi * np.array(cycles))


@pytest.mark.parametrize(("f_start", "f_end"), [(0.5, 20.0), (20.0, 0.5), (3.0, 3.0), (0.0, 10.0), (10.0, 0.0)])
def test_linear_sweep(f_start, f_end):
    block = made(SineSweep, amplitude=2.0, f_start=f_start, f_end=f_end, duration=1.5, phase=0.3)
    expected = swept(lambda t: f_start + (f_end - f_start) * t / 1.5, 2.0, 0.3, 0.01 * np.arange(151))
    assert played(block, 151) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("f_start", "f_end"), [(0.5, 20.0), (20.0, 0.5), (3.0, 3.0), (3.0, 3.0000001)])
def test_logarithmic_sweep(f_start, f_end):
    block = made(SineSweep, amplitude=2.0, f_start=f_start, f_end=f_end, duration=1.5, phase=0.3, law="logarithmic")
    expected = swept(lambda t: f_start * (f_end / f_start) ** (t / 1.5), 2.0, 0.3, 0.01 * np.arange(151))
    assert played(block, 151) == pytest.approx(expected, abs=1e-10)


def test_sweeps_are_scipys_chirp_with_a_sine():
    t = 0.01 * np.arange(301)
    for law in ("linear", "logarithmic"):
        chirp = signal.chirp(t, 1.0, 3.0, 12.0, method=law, phi=-90.0)
        assert played(made(SineSweep, f_start=1.0, f_end=12.0, duration=3.0, law=law), 301) == pytest.approx(
            chirp, abs=1e-9
        )


@pytest.mark.parametrize(("after", "expected"), [("zero", 0.0), ("hold", math.sin(2.0 * math.pi * 3.25 * 0.305))])
def test_after_the_sweep(after, expected):
    # 3.25 Hz is the mean frequency; the end, 0.305 s, lies between two ticks.
    block = made(SineSweep, f_start=3.0, f_end=3.5, duration=0.305, after=after)
    values = played(block, 40)
    assert values[30] == pytest.approx(math.sin(2.0 * math.pi * (3.0 * 0.3 + 0.25 * 0.09 / 0.305)), abs=1e-12)
    assert values[31:] == pytest.approx(np.full(9, expected), abs=1e-12)


def test_the_last_tick_of_a_sweep_belongs_to_it():
    # 0.29 / 0.01 is 28.999999999999996 in floating point.
    values = played(made(SineSweep, f_start=2.0, f_end=2.0, duration=0.29), 31)
    assert values[29] == pytest.approx(math.sin(2.0 * math.pi * 2.0 * 0.29), abs=1e-12)
    assert values[30] == 0.0


# Cosine pulse


def test_cosine_pulse_of_the_report():
    block = made(CosinePulse, amplitude=0.15, duration=0.6)
    t = 0.01 * np.arange(100)
    expected = np.where(t <= 0.6, 0.15 * np.sin(np.pi * t / 0.6) ** 2, 0.0)  # (1 - cos 2a) / 2 = sin^2 a
    values = played(block, 100)
    assert values == pytest.approx(expected, abs=1e-15)
    assert values[30] == pytest.approx(0.15, rel=1e-15)
    assert values[61:].tolist() == [0.0] * 39


def test_cosine_pulse_that_starts_later():
    values = played(made(CosinePulse, amplitude=-2.0, duration=0.2, start=0.105), 50)
    assert values[:11].tolist() == [0.0] * 11
    assert values[11] == pytest.approx(-2.0 * math.sin(math.pi * 0.005 / 0.2) ** 2, rel=1e-10)
    assert values[31:].tolist() == [0.0] * 19
    assert values.sum() * 0.01 == pytest.approx(-0.2, rel=1e-12)  # mean a/2 over a whole period


# Refusals


@pytest.mark.parametrize(
    ("cls", "parameters", "sentence"),
    [
        (GroundMotion, dict(), "needs record="),
        (GroundMotion, dict(record="elcentr"), "Did you mean 'elcentro'?"),
        (GroundMotion, dict(record=[1.0, 2.0]), "give dt="),
        (GroundMotion, dict(record=[], record_dt=0.01), "is empty"),
        (GroundMotion, dict(record="tabas", record_dt=-0.01), "'record_dt' must be greater than 0"),
        (GroundMotion, dict(record="tabas", time_scale=0.0), "'time_scale' must be greater than 0"),
        (GroundMotion, dict(record="tabas", scale=math.inf), "'scale' must be finite, got inf"),
        (GroundMotion, dict(record="tabas", interpolation="cubic"), "one of 'linear', 'hold', got 'cubic'"),
        (GroundMotion, dict(record="tabas", max_duration=10.0), "longer than max_duration=10 s; declare"),
        (GroundMotion, dict(record="tabas", max_duration=1e7), "is 1000000000 ticks of 0.01 s, but at"),
        (SineSweep, dict(f_start=1.0, f_end=60.0, duration=1.0), "f_end=60 Hz is above 50 Hz, half the"),
        (SineSweep, dict(f_start=-1.0, f_end=6.0, duration=1.0), "'f_start' must be at least 0"),
        (SineSweep, dict(f_start=0.0, f_end=6.0, duration=1.0, law="logarithmic"), "f_start must be greater"),
        (SineSweep, dict(f_start=1.0, f_end=0.0, duration=1.0, law="logarithmic"), "f_end must be greater"),
        (SineSweep, dict(f_start=1.0, f_end=6.0, duration=0.0), "'duration' must be greater than 0"),
        (SineSweep, dict(f_start=1.0, f_end=6.0, duration=1e300), "cannot be counted in ticks of 0.01 s"),
        (SineSweep, dict(f_start=1.0, f_end=6.0, duration=1.0, law="cubic"), "one of 'linear', "),
        (SineSweep, dict(f_start=1.0, f_end=6.0, duration=1.0, after="stop"), "one of 'zero', 'hold'"),
        (CosinePulse, dict(duration=1.0), "needs amplitude= (peak of the pulse)"),
        (CosinePulse, dict(amplitude=1.0, duration=-1.0), "'duration' must be greater than 0"),
        (CosinePulse, dict(amplitude=1.0, duration=1.0, start=-1.0), "'start' must be at least 0"),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused_in_a_sentence(cls, parameters, sentence):
    with pytest.raises(HybsimError) as caught:
        made(cls, **parameters)
    assert sentence in str(caught.value).replace(f" of block {cls.__name__!r}", "")
    assert isinstance(caught.value, ParameterError | RecordError)
    assert "\n" not in str(caught.value)


def test_bundled_names_are_those_of_the_declaration():
    assert all(repr(name) in GroundMotion.params["record"].prose for name in records.bundled())
