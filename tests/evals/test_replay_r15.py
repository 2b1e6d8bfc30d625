"""R15: a test computed again from its log gives the same bits; one bit changed in the log is found."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from logged_tests import DIAGRAM, changed, described, flip, logged

import hybsim as hs
from hybsim import diagrams
from hybsim.diagrams.virtual_rig import virtual_rig
from hybsim.errors import RunError
from hybsim.hw.rig_file import read_rig
from hybsim.runtime.deployment import START, Deployment
from hybsim.runtime.log_about import about_test
from hybsim.runtime.log_reader import LogReader, read_log
from hybsim.runtime.replay import ENGINES, OtherProgram, Replayed, replay

RIGS = Path(diagrams.__file__).with_name("rigs")
EVENTS = {
    "undisturbed": [],
    "free vibration": [(600, "FADE")],
    "paused and resumed": [(300, "PAUSE"), (700, "RESUME"), (750, "PAUSE"), (1100, "RESUME")],
    "stopped": [(500, "KILL")],
    "free vibration, paused on the way": [(600, "FADE"), (700, "PAUSE"), (900, "RESUME")],
}


@pytest.fixture(scope="module")
def cut():
    return hs.compile(virtual_rig()).cut("rig")


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return logged(tmp_path_factory.mktemp("test"), events=EVENTS["free vibration"])


def replayed(path, cut, **options) -> Replayed:
    with LogReader(path) as reader:
        return replay(reader, cut, **options)


@pytest.mark.parametrize("events", EVENTS.values(), ids=EVENTS)
def test_R15_a_test_is_replayed_bit_for_bit_by_both_engines(events, cut, tmp_path):
    path = logged(tmp_path, events=events)
    rows = read_log(path)
    for engine in ENGINES:
        found = replayed(path, cut, engine=engine)
        assert (found.identical, found.differing, found.first, found.problems) == (True, 0, None, [])
        assert found.rows == len(rows.rows) and found.signals == len(cut.controller.names)
        assert found.advanced == np.count_nonzero(rows.column("loop.advanced") == 1) > 400
    if events == EVENTS["free vibration"]:
        assert 0.0 < rows.column("loop.fade")[900] < 1.0 and np.ptp(rows.column("loop.fade")) == 1.0


@pytest.mark.parametrize("file", sorted(path.name for path in RIGS.glob("*.toml")))
def test_R15_every_diagram_with_a_rig_file_is_replayed_bit_for_bit(file, tmp_path):
    rig = read_rig(RIGS / file)
    rig = rig.model_copy(update={"device": rig.device.model_copy(update={"driver": "sim"})})
    cut = hs.compile(getattr(diagrams, file.removesuffix(".toml"))()).cut(rig.cut)
    assert rig.free_vibration is not None
    made = Deployment(cut, rig, about_test(cut, rig))
    path = made.rehearse(tmp_path, 300 * cut.dt, script=[*START, (100, "FADE")]).log
    for engine in ENGINES:
        found = replayed(path, cut, engine=engine)
        assert found.identical and found.advanced > 200


def test_R15_parameters_and_arguments_are_those_of_the_test(tmp_path):
    params = {"structure.mass": 0.3, "rig/specimen.stiffness": 8.0}
    path = logged(tmp_path, 0.5, params=params, horizon=0.012)
    cut = hs.compile(virtual_rig(horizon=0.012)).cut("rig")
    assert replayed(path, cut).identical and replayed(path, cut, engine="python").identical
    ignored = changed(path, tmp_path / "other", lambda log: None, params={})
    with pytest.raises(OtherProgram, match="other parameters or states"):
        replayed(ignored, cut)
    assert not replayed(ignored, cut, anyway=True).identical


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("bit", [0, 51, 62, 63])
def test_R15_one_bit_of_one_signal_is_found(bit, engine, log, cut, tmp_path):
    path = changed(log, tmp_path / "log", flip("structure.disp_target", 400, bit))
    found = replayed(path, cut, engine=engine)
    assert not found.identical and found.differing == 1
    assert found.by_signal == {"structure.disp_target": 1}
    assert found.first is not None and (found.first.tick, found.first.signal) == (400, "structure.disp_target")
    assert found.first.test_tick == read_log(log).column("loop.test_tick")[400]
    assert found.first.found == read_log(log).column("structure.disp_target")[400]


def test_R15_every_signal_is_compared(log, cut, tmp_path):
    for name in read_log(log).names[-len(cut.controller.names) :]:
        found = replayed(changed(log, tmp_path / name.replace("/", "_"), flip(name, 17, 3)), cut)
        assert (found.differing, found.by_signal) == (1, {name: 1})


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["measured.force_meas", "measured.disp_meas", "loop.fade"])
def test_R15_one_bit_of_what_drives_the_diagram_is_found(name, engine, log, cut, tmp_path):
    found = replayed(changed(log, tmp_path / "log", flip(name, 900, 51)), cut, engine=engine)
    assert not found.identical and found.first is not None and found.first.tick == 900


def test_R15_a_tick_that_did_not_advance_is_found(log, cut, tmp_path):
    def change(rows) -> None:
        rows.rows[500, rows.names.index("loop.advanced")] = 0.0

    found = replayed(changed(log, tmp_path / "log", change), cut)
    assert found.first is not None and found.first.tick == 501


def test_another_program_is_refused_unless_it_is_wanted(log, cut, tmp_path):
    other = hs.compile(virtual_rig(order=3)).cut("rig")
    with pytest.raises(OtherProgram, match="is not the one that ran in the test by hybsim .*--anyway"):
        replayed(log, other)
    found = replayed(log, other, anyway=True)
    assert found.other and found.differing
    renamed = changed(log, tmp_path / "digest", lambda log: None, digest="0")
    assert replayed(renamed, cut, anyway=True).identical, "told, but the bits are the same"


def test_refusals(log, cut, tmp_path):
    def later(rows) -> None:
        rows.rows[:, 0] += 1.0

    for title, change, about, said in (
        ("rig", lambda log: None, {"kind": "rig"}, "not the log of a loop, but of a rig"),
        ("gap", later, {}, "The log lacks tick 0"),
    ):
        with pytest.raises(RunError, match=said):
            replayed(changed(log, tmp_path / title, change, **about), cut)
    with pytest.raises(RunError, match=r"no engine 'C'"):
        replayed(log, cut, engine="C")
    bd = virtual_rig()
    bd.COSINEPULSE(name="extra", amplitude=1.0, duration=1.0)
    with pytest.raises(RunError, match="other signals than the diagram"):
        replayed(log, hs.compile(bd).cut("rig"), anyway=True)


def hybsim(capfd, *words: object) -> tuple[int, str, str]:
    from hybsim.cli import main

    capfd.readouterr()
    code = main([str(word) for word in words])
    return (code, *capfd.readouterr())


def test_R15_the_command_replays_what_the_log_names(log, tmp_path, capfd):
    for engine in ENGINES:
        code, out, err = hybsim(capfd, "replay", log, "--engine", engine)
        assert (code, err) == (0, "")
        assert f"{DIAGRAM}, engine {engine}: " in out and "Identical, bit for bit." in out
    bad = changed(log, tmp_path / "bad", flip("energy.hsei_i", 321))
    code, out, _ = hybsim(capfd, "replay", bad)
    assert code == 1 and "Different: 1 numbers in 1 signals." in out and "First at tick 321 (tick 316 of" in out
    code, out, _ = hybsim(capfd, "replay", bad, "--json", "-")
    content = json.loads(out)
    assert code == 1 and not content["identical"] and content["first"]["signal"] == "energy.hsei_i"


def test_R15_the_command_says_what_it_cannot_do(log, tmp_path, capfd):
    code, _, err = hybsim(capfd, "replay", log, DIAGRAM, "--arg", "order=3")
    assert code == 2 and "its C source differs. Replay it all the same with --anyway." in err
    code, out, err = hybsim(capfd, "replay", log, DIAGRAM, "--arg", "order=3", "--anyway")
    assert code == 1 and "Different" in out and "hybsim: warning: The controller half built now" in err
    (tmp_path / "cut").write_bytes(changed(log, tmp_path / "whole", lambda log: None).read_bytes()[:-9])
    code, out, err = hybsim(capfd, "replay", tmp_path / "cut")
    assert code == 0 and "Identical" in out and "was replayed until there: at byte" in err
    unnamed = changed(log, tmp_path / "unnamed", lambda log: None, diagram=None)
    code, _, err = hybsim(capfd, "replay", unnamed)
    assert code == 2 and "does not say which diagram it is of: name one after it" in err
    assert hybsim(capfd, "replay", unnamed, DIAGRAM)[0] == 0
    assert hybsim(capfd, "replay", tmp_path / "none")[0] == 2


def test_the_head_of_a_log_is_json_that_gives_the_same_numbers(cut):
    from deployments import deployment

    made = deployment()
    made.params = {"structure.mass": np.float64(0.1) + 0.2, "load.K": [0.1]}
    head = described(made, period=np.pi).head
    assert json.loads(json.dumps(head, allow_nan=False)) == head
    assert head["params"] == {"structure.mass": 0.1 + 0.2, "load.K": [0.1]} and head["arguments"] == {"period": np.pi}
    assert head["units"]["measured.force_meas"] == "kip" and head["units"]["loop.wake"] == "s"
