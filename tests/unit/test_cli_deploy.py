"""hybsim deploy: what it plans, what it refuses before anything starts, what it leaves, and its exit codes."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import struct
import sys
from pathlib import Path

import pytest
from rig_files import DIAGRAM, rig_file

LATE = """
import hybsim as hs

def rig(sub, disp_cmd):
    return {"force_meas": sub.SPRING(stiffness=100.0, name="specimen", inputs=[disp_cmd]),
            "disp_meas": sub.GAIN(1.0, name="sensor", inputs=[disp_cmd])}

def diagram():
    bd = hs.BDSim().blockdiagram("late", dt=1.0 / 1024.0)
    structure = bd.NEWMARK(mass=1.0, damping=1.0, name="structure")
    bd.connect(bd.WHITENOISE(name="load", power=1e-4, seed=1), structure.load)
    physical = hs.subsystem(bd, rig, inputs=[structure.disp_target])
    bd.connect(physical[0], structure.force)
    return bd
"""


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def deploy(cli, tmp_path, monkeypatch):
    """Run the command on diagrams.virtual_rig; `pieces` change the rig file."""
    monkeypatch.chdir(tmp_path)

    def run(*options: object, pieces: dict[str, str] | None = None, driver: str = "shm"):
        return cli("deploy", DIAGRAM, "--rig", rig_file(tmp_path, driver, pieces), *options)

    return run


# ---- the plan


def test_a_dry_run_says_what_would_happen_and_starts_nothing(deploy, tmp_path) -> None:
    done = deploy("--dry-run", "--duration", 10)
    text = words(done.out)
    assert (done.code, done.err) == (0, "")
    for part in (
        "subsystem rig: disp_cmd -> force_meas, disp_meas", "the cut adds no tick", "1024 ticks per second",
        "10 s of the diagram, 10241 ticks", "driver shm at cli-", "slower clocks none", "MiB reserved",
        "pauses after 0.5 s without a sign of the supervisor", "goes safe after 0.5 s without a command",
        "negative part of energy.hsei_i, once energy.e_input is 1000 or more: warns at 0.05, pauses at 0.1, ramps down at 0.2",
        "0 disp_cmd [in] 2 V per in 0 -4 to 4 50 5000", "0 disp_cmd [in] 5 100 0.501 1.26", "0 disp_meas [in] 2 V per in -5 to 5 -4.5 to 4.5 10000",
        "1 force_meas [kip] 0.125 V per kip +0.5 V -76 to 68 -60 to 60 100000", "disp_cmd 0.2 2 0.01",
        "Stability: go", "sensor frozen", "energy warn, frame missed, overrun", "-ffp-contract=off",
    ):  # fmt: skip
        assert part in text, part
    assert [path.name for path in tmp_path.iterdir()] == ["rig.toml"]


def test_ramps_take_as_long_as_their_cosine_needs(deploy) -> None:
    content = json.loads(deploy("--dry-run", "--duration", 1, "--json", "-").out)
    by_velocity, by_acceleration = math.pi * 4.0 / (2.0 * 5.0), math.pi * math.sqrt(4.0 / (2.0 * 100.0))
    assert content["ramp_s"]["disp_cmd"] == pytest.approx(max(by_velocity, by_acceleration), abs=2.0 / 1024.0)
    assert content["stop_s"]["disp_cmd"] == pytest.approx(50.0 / 100.0, abs=2.0 / 1024.0)
    assert content["ticks"] == 1025 and content["cut_adds_a_tick"] is False
    assert content["margin"]["verdict"] == "go" and content["margin"]["numbers"]["delay_margin_s"] > 0.0
    assert all(Path(path).is_file() for path in content["executables"].values())
    assert set(content["reactions"]["RAMP"]) == {"ENERGY_STOP", "TARGET_LATE", "LOG_FULL"}


def test_a_cut_that_adds_a_tick_is_named(cli, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "late.py").write_text(LATE)
    energy = rig_file(tmp_path).read_text().partition("[energy]")[0]
    (tmp_path / "rig.toml").write_text(energy)
    done = cli("deploy", "late.py", "--rig", "rig.toml", "--dry-run", "--duration", 1)
    assert done.code == 0 and "answers within the tick, so the cut adds one tick" in words(done.out)
    assert "energy not watched" in words(done.out)


def test_where_no_margin_is_found_it_says_why(deploy, monkeypatch) -> None:
    from hybsim.errors import DiagramError
    from hybsim.studies.deployment import margin

    def refuse(*_: object, **__: object) -> None:
        raise DiagramError("Block 'friction' has no slope at rest.")

    monkeypatch.setattr(margin, "preflight", refuse)
    done = deploy("--dry-run", "--duration", 1)
    assert done.code == 0 and "Stability: not found - Block 'friction' has no slope at rest." in words(done.out)


# ---- refusals, before anything starts

REFUSED = [
    ({"options": ["--dry-run", "--duration", "-1"]}, "duration must be a number of seconds"),
    ({"options": ["--dry-run", "--duration", "nan"]}, "duration must be a number of seconds"),
    ({"options": ["--dry-run", "--set", "structure.mas=2"]}, "Did you mean 'structure.mass'"),
    ({"options": ["--dry-run", "--arg", "specimen=steel"]}, "specimen must be one of"),
    ({"options": ["--virtual-clock", "--rehearsal"]}, "leave out --rehearsal"),
    ({"options": ["--virtual-clock", "--virtual"]}, "leave out --virtual"),
    ({"options": ["--attach", "somewhere"]}, "leave out FILE, --rig"),
    ({"options": ["--virtual"], "driver": "sim"}, "Driver 'sim' is a model within the loop's own process"),
    ({"options": ["--rehearsal"], "driver": "sim"}, "Driver 'sim' is a model within the loop's own process"),
    ({"options": ["--virtual-clock"], "pieces": {"rate = 1024.0": "rate = 1000.0"}}, "asks for 1000 ticks per second"),
    ({"options": ["--dry-run"], "pieces": {'cut = "rig"': 'cut = "rigs"'}}, "no subsystem 'rigs' to cut at"),
    ({"options": ["--dry-run"], "pieces": {"home = 0.0": "home = nan"}}, "home"),
    ({"options": ["--dry-run"], "pieces": {"unit = \"kip\"\n": ""}}, "unit"),
    ({"options": ["--dry-run"], "pieces": {"[measured.force_meas]": "[measured.force]"}}, "none of that name"),
    ({"options": ["--dry-run"], "pieces": {"energy.hsei_i": "energy.hsei"}}, "energy.index of the rig file"),
    ({"options": ["--virtual", "--target", "no-such-machine"]}, "unknown architecture"),
]  # fmt: skip


@pytest.mark.parametrize("given, says", REFUSED, ids=[says for _, says in REFUSED])
def test_what_is_wrong_is_refused_in_a_sentence(deploy, tmp_path, given, says) -> None:
    if "--target" in given["options"] and importlib.util.find_spec("ziglang") is None:
        says = "pip install 'hybsim[zig]'"
    done = deploy(*given["options"], pieces=given.get("pieces"), driver=given.get("driver", "shm"))
    assert done.code == 2 and says in done.err, done.err
    assert done.err.startswith("hybsim: ") and done.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["rig.toml"], "nothing was started"


def test_diagram_and_rig_file_are_both_needed(cli, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "Name the diagram and the rig file" in cli("deploy").err
    assert "Name the diagram and the rig file" in cli("deploy", DIAGRAM).err
    assert "cannot be read: No such file" in cli("deploy", DIAGRAM, "--rig", "none.toml", "--dry-run").err
    done = cli("deploy", "--attach", tmp_path)
    assert done.code == 2 and "run.hslog' cannot be read: No such file" in done.err


def test_the_folder_of_another_test_is_not_written_into(deploy, tmp_path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "run.hslog").write_bytes(b"")
    done = deploy("--virtual-clock", "--duration", 1, "--out", "old")
    assert done.code == 2 and "holds the record of another test (run.hslog)" in done.err
    assert [path.name for path in (tmp_path / "old").iterdir()] == ["run.hslog"]


# ---- the operator


class Terminal:
    """What an operator types."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        return self.lines.pop(0) if self.lines else ""


def test_without_a_terminal_nobody_arms(deploy) -> None:
    done = deploy("--duration", 1)
    assert done.code == 2 and "types 'arm'" in done.err and done.out == ""


@pytest.mark.parametrize("typed", ["", "yes\n", "\n", "disarm\n"])
def test_any_other_word_leaves_the_rig_as_it_is(deploy, tmp_path, monkeypatch, typed) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    done = deploy("--duration", 1)
    assert done.code == 2 and "The test was not armed; nothing was started." in done.err
    assert "Type arm" in done.out and [path.name for path in tmp_path.iterdir()] == ["rig.toml"]


def test_an_unstable_test_is_not_armed_by_an_option(deploy, tmp_path) -> None:
    # without compensation a delay of 13 ms takes 4.3 % of the damping at T = 1 s; only 1 % is there
    done = deploy("--duration", 1, "--yes", "--arg", "horizon=0.0", "--arg", "damping_ratio=0.01")
    assert done.code == 2 and "would not be stable, so --yes does not arm it" in done.err
    assert "Stability: no-go" in done.out and [path.name for path in tmp_path.iterdir()] == ["rig.toml"]


# ---- a test on a virtual clock, from the command line to the record


def test_a_test_on_a_virtual_clock_leaves_a_record_that_computes_again(deploy, cli, tmp_path) -> None:
    done = deploy("--virtual-clock", "--duration", 1, "--set", "structure.mass=0.3", "--out", "made", driver="sim")
    text = words(done.out)
    assert (done.code, done.err) == (0, "")
    assert "Finished: 1025 of 1025 ticks of the diagram were run." in text and "no row of the log is lost" in text
    folder = tmp_path / "made"
    names = {path.name for path in folder.iterdir()}
    assert {"run.hslog", "run.h5", "manifest.json", "report.html", "positions.png", "tracking.png", "forces.png",
            "energy.png", "states.png", "states.csv"} <= names  # fmt: skip
    assert not names & {"run.json", "plan.json", "loop.txt"}, "nothing that only the processes needed"
    about = json.loads((folder / "manifest.json").read_text())
    assert about["finished"] and about["state"] == "FINISHED" and about["how"] == "virtual clock"
    assert about["diagram"] == {
        "name": "virtual_rig",
        "target": DIAGRAM,
        "arguments": {},
        "params": {"structure.mass": 0.3},
    }
    assert about["rig_file"] == (tmp_path / "rig.toml").read_text()
    assert about["rig_file_sha256"] == hashlib.sha256((tmp_path / "rig.toml").read_bytes()).hexdigest()
    assert about["log_sha256"] == hashlib.sha256((folder / "run.hslog").read_bytes()).hexdigest()
    assert [each["state"] for each in about["states"]][-3:] == ["RUNNING", "RAMP_DOWN", "FINISHED"]
    assert about["session"] > 0 and len(about["digest"]) == 64 and about["plan"]["ticks"] == 1025
    report = (folder / "report.html").read_text()
    assert (
        report.count('<figure id="figure-') == 5
        and "hybsim deploy" in report
        and str(tmp_path) not in about["command"].split("--rig")[0]
    )
    again = cli(*about["replay"].split()[1:])
    assert again.code == 0 and "Identical, bit for bit." in again.out


@pytest.mark.parametrize(
    "pieces, state, cause",
    [
        (
            {"velocity = 50.0": "velocity = 2.5", "velocity = 5.0,": "velocity = 2.0,"},
            "FINISHED",
            "COMMAND_VELOCITY",
        ),
        ({"low = -60.0, high = 60.0": "low = -1.0, high = 1.0"}, "ESTOP", "MEASURED_VALUE"),
    ],
)
def test_a_test_that_ended_otherwise_has_code_1(deploy, tmp_path, pieces, state, cause) -> None:
    done = deploy("--virtual-clock", "--duration", 4, "--json", "-", "--out", "made", pieces=pieces, driver="sim")
    about = json.loads(done.out)
    assert done.code == 1 and not about["finished"]
    assert about["state"] == state and cause in [fault for each in about["states"] for fault in each["faults"]]
    assert about["test_ticks"] < about["planned_ticks"]
    assert cause in [each["fault"] for each in about["faults"]]
    assert (tmp_path / "made" / "report.html").is_file()


@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed")
def test_both_halves_are_built_for_another_machine(deploy, tmp_path) -> None:
    done = deploy("--target", "aarch64-linux-gnu", "--json", "-")
    content = json.loads(done.out)
    assert done.code == 0 and content["target"] == "aarch64-linux-gnu"
    for half in ("loop", "rig"):
        head = Path(content[half]).read_bytes()[:20]
        assert head[:4] == b"\x7fELF" and struct.unpack("<H", head[18:20]) == (183,), "AArch64"
    assert [path.name for path in tmp_path.iterdir()] == ["rig.toml"], "nothing ran"
