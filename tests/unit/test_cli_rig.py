"""hybsim rig: the words of a fault, what is refused, and what the rig says while tests come and go."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rig_files import DIAGRAM, rig_file

from hybsim.cli.rig import changed
from hybsim.errors import ParameterError
from hybsim.runtime.set_up import Fault
from hybsim.studies.deployment.fault_words import KINDS, MOST_DELAY, OF_A_CHANNEL, ONE_TICK, WITH_VALUE, read_fault, say

CHANNELS = ["disp_meas", "rig/force[0]", "rig/force[1]"]
RATE = 1024.0
finite = st.floats(-1e6, 1e6, allow_nan=False)


def fault(words: str) -> Fault:
    return read_fault(words, CHANNELS, RATE)


# ---- the words of a fault


def test_the_kinds_are_those_of_the_virtual_rig() -> None:
    assert list(KINDS) == ["freeze", "nan", "stall", "drop", "delay", "offset"]
    assert set(KINDS) >= WITH_VALUE | OF_A_CHANNEL | ONE_TICK
    assert {kind for kind, meaning in KINDS.items() if "`value`" in meaning} == WITH_VALUE
    assert {kind for kind, meaning in KINDS.items() if "measured values" in meaning} == OF_A_CHANNEL


@pytest.mark.parametrize(
    "words, made",
    [
        ("freeze@3.0s", Fault(-1, 0, 3072, 0, 0.0)),
        ("freeze@3", Fault(-1, 0, 3072, 0, 0.0)),
        ("offset=0.5:disp_meas@2s+1s", Fault(0, 5, 2048, 1024, 0.5)),
        ("drop@3s", Fault(-1, 3, 3072, 1, 0.0)),
        ("drop@3s+0.01s", Fault(-1, 3, 3072, 10, 0.0)),
        ("delay=2@1s", Fault(-1, 4, 1024, 0, 2.0)),
        ("nan:rig/force[1]@0+0.5", Fault(2, 1, 0, 512, 0.0)),
        (" stall@1e0s+1e-1 s ", Fault(-1, 2, 1024, 102, 0.0)),
    ],
)
def test_examples(words, made) -> None:
    assert fault(words) == made


@given(
    kind=st.sampled_from(list(KINDS)), start=st.floats(0.0, 1e5), lasts=st.none() | st.floats(1.0 / RATE, 1e4),
    value=finite, ticks=st.integers(1, MOST_DELAY), channel=st.none() | st.sampled_from(CHANNELS),
)  # fmt: skip
def test_every_fault_that_can_be_meant_can_be_said(kind, start, lasts, value, ticks, channel) -> None:
    number = float(ticks) if kind == "delay" else value
    words = kind + (f"={number!r}" if kind in WITH_VALUE else "")
    words += f":{channel}" if channel is not None and kind in OF_A_CHANNEL else ""
    words += f"@{start!r}s" + (f"+{lasts!r}s" if lasts is not None else "")
    made = fault(words)
    assert made.kind == list(KINDS).index(kind) and abs(made.start - start * RATE) <= 0.5
    assert made.value == (number if kind in WITH_VALUE else 0.0)
    assert made.call == (CHANNELS.index(channel) if channel is not None and kind in OF_A_CHANNEL else -1)
    if lasts is None:
        assert made.ticks == (1 if kind in ONE_TICK else 0)
    else:
        assert made.ticks >= 1 and abs(made.ticks - lasts * RATE) <= 0.5
    assert say(made, CHANNELS, RATE).startswith(f"{kind}: ")


@given(st.text(max_size=12) | st.text("frezdlay=:@+-0123456789. s", max_size=24))
def test_whatever_is_typed_is_a_fault_or_a_sentence(text) -> None:
    try:
        made = fault(text)
    except ParameterError as error:
        assert str(error).startswith("--fault ") and str(error)[-1] in ".?"
    else:
        assert 0 <= made.kind < len(KINDS) and made.start >= 0 and math.isfinite(made.value)


@pytest.mark.parametrize(
    "words, says",
    [
        ("freeze", "give KIND[=VALUE][:CHANNEL]@TIME[+DURATION]"),
        ("@3", "give KIND"),
        ("freeze@soon", "give KIND"),
        ("freeze@inf", "give KIND"),
        ("freez@3", "there is no kind 'freez'. Did you mean 'freeze'?"),
        ("FREEZE@3", "Known: delay, drop, freeze, nan, offset, stall."),
        ("freeze@-1", "at least 0, got -1"),
        ("freeze@1e300", "at least 0, got 1e300"),
        ("freeze@1+0", "at least a tick, 0.000976562 s, got 0"),
        ("freeze@1+-1", "at least a tick"),
        ("freeze=1@2", "freeze takes no value; delay and offset do"),
        ("offset@2", "offset needs a value, such as offset=0.5, got none"),
        ("offset=much@2", "got 'much'"),
        ("offset=nan@2", "got 'nan'"),
        ("delay=1.5@2", "a whole number of ticks from 1 to 63, got 1.5"),
        ("delay=64@2", "from 1 to 63, got 64"),
        ("drop:disp_meas@2", "drop concerns the whole answer; leave out ':disp_meas'"),
        ("nan:disp@2", "there is no measured value 'disp'. Did you mean 'disp_meas'?"),
    ],
)
def test_what_cannot_be_meant_is_refused(words, says) -> None:
    with pytest.raises(ParameterError) as refused:
        fault(words)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    "words, said",
    [
        ("freeze@3", "freeze: the measured values stay as they are, from 3 s, to the end"),
        ("freeze:disp_meas@3+1", "freeze: disp_meas stays as it is, from 3 s, for 1 s"),
        ("nan:rig/force[0]@1", "nan: rig/force[0] is nan, from 1 s, to the end"),
        ("offset=0.5:disp_meas@2+1", "offset: 0.5 is added to disp_meas, from 2 s, for 1 s"),
        ("delay=2@1", "delay: answers are late by 2 ticks, from 1 s, to the end"),
        ("drop@3", "drop: answers are lost, from 3 s, for one tick"),
    ],
)
def test_a_fault_is_said_in_a_sentence(words, said) -> None:
    assert say(fault(words), CHANNELS, RATE) == said


# ---- the command


@pytest.mark.parametrize(
    "options, says",
    [
        (["--fault", "freez@3"], "there is no kind 'freez'"),
        (["--fault", "nan:force@3"], "Did you mean 'force_meas'?"),
        (["--seconds", "0"], "--seconds must be a number of seconds above 0"),
        (["--seconds", "nan"], "--seconds must be a number of seconds above 0"),
        (["--set", "structure.mas=1"], "Did you mean 'structure.mass'"),
        ([word for i in range(17) for word in ("--fault", f"drop@{i}")], "16 faults at most, got 17"),
    ],
)
def test_what_is_wrong_is_refused_before_the_rig_starts(cli, tmp_path, options, says) -> None:
    done = cli("rig", DIAGRAM, "--rig", rig_file(tmp_path), *options)
    assert done.code == 2 and says in done.err and done.out == ""


def test_a_rig_needs_a_rig_file_and_a_device_of_its_own(cli, tmp_path) -> None:
    assert "Name the rig file" in cli("rig", DIAGRAM).err
    done = cli("rig", DIAGRAM, "--rig", rig_file(tmp_path, "sim"))
    assert done.code == 2 and "Driver 'sim' has its rig inside the loop" in done.err


def test_it_waits_for_a_test_and_keeps_a_log_where_one_is_asked_for(cli, tmp_path) -> None:
    path, words = rig_file(tmp_path), ["--seconds", "0.1", "--fault", "offset=0.5:disp_meas@2s+1s"]
    done = cli("rig", DIAGRAM, "--rig", path, *words, "--out", tmp_path / "kept")
    assert (done.code, done.err) == (0, "")
    for part in (
        "Virtual rig of virtual_rig, cut at rig: shm at cli-", "1024 ticks per second; safe after 0.5 s",
        "Fault offset: 0.5 is added to disp_meas, from 2 s, for 1 s", "waiting for a test", "Its log is in",
    ):  # fmt: skip
        assert part in done.out, part
    assert (tmp_path / "kept" / "rig.hslog").is_file()
    again = cli("rig", DIAGRAM, "--rig", path, *words, "--out", tmp_path / "kept")
    assert again.code == 2 and "holds the log of another rig" in again.err


@pytest.mark.parametrize(
    "before, now, says",
    [
        ("safe", "idle", "a loop is there"),
        ("idle", "running", "a test begins"),
        ("running", "safe", "the test ended at tick 2048, 2.000 s"),
        (
            "running",
            "tripped",
            "the watchdog tripped at tick 2048, 2.000 s: the command is held until the test is reset",
        ),
        ("idle", "safe", "the loop is gone"),
        ("tripped", "safe", ""),
    ],
)
def test_what_a_change_means(before, now, says) -> None:
    assert changed(before, now, 2048, RATE) == says
