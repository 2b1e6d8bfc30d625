"""hybsim deploy while a test runs: the operator's answers, Ctrl-C, and a test that is taken over.

Those in real time are rehearsals, since the machine of a test may be late.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rig_files import DIAGRAM, rig_file

from hybsim.cli import operator
from hybsim.errors import HybsimError

MAIN = "import sys; from hybsim.cli import main; sys.exit(main())"


class Watched:
    """Stands for a supervisor: a state, and the events it was asked for."""

    def __init__(self, state: str = "PAUSED") -> None:
        self.state, self.asked, self.notes, self.tended = state, [], [], 0
        self.region = self

    def __getitem__(self, name: str) -> int:
        return 7

    def ask(self, event: str) -> int:
        self.asked.append(event)
        return 1

    def tend(self) -> None:
        self.tended += 1
        if self.tended > 100:
            self.state = "ESTOP"


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """What the operator answers to a pause, having typed some lines."""
    from hybsim.cli.output import Report

    def run(typed: str, presses: int = 0) -> tuple[str, Watched]:
        (tmp_path / "typed").write_text(typed)
        with (tmp_path / "typed").open() as file:
            monkeypatch.setattr(sys, "stdin", file)
            monkeypatch.setattr(operator, "on_terminal", lambda: True)
            monkeypatch.setattr(operator.select, "select", lambda files, *_: (files, [], []))
            test = Watched()
            who = operator.Operator(test, Report(), 100)  # type: ignore[arg-type]
            who.presses = presses
            return who.on_pause(["TRACKING"]), test

    return run


@pytest.mark.parametrize(
    "typed, answer",
    [("resume\n", "RESUME"), ("R\n", "RESUME"), ("end\n", "END"), ("what\nresume\n", "RESUME"), ("", "END")],
)
def test_a_pause_is_answered_by_the_operator(asked, capfd, typed, answer) -> None:
    assert asked(typed)[0] == answer
    out = capfd.readouterr().out
    assert "paused: the measured position does not follow the command" in out and "resume or end?" in out


def test_ctrl_c_once_ends_and_twice_stops(asked) -> None:
    answer, test = asked("resume\n", presses=1)
    assert answer == "END" and test.asked == ["END"]

    from hybsim.cli.output import Report

    test = Watched("RUNNING")
    who = operator.Operator(test, Report(), 100)  # type: ignore[arg-type]
    who._pressed(2, None)
    assert test.asked == [], "the supervisor asks, not the handler"
    who.progress(1)
    who.progress(2)
    assert test.asked == ["END"]
    who._pressed(2, None)
    assert test.asked == ["END", "KILL"], "at once"
    who.progress(3)
    test.state = "ESTOP"
    who.progress(4)
    assert test.asked == ["END", "KILL", "KILL"], "until it has its effect"


@pytest.fixture
def started(tmp_path):
    """A rehearsal of 30 s in a process of its own, running; a busy machine may take more than one attempt."""
    command = [sys.executable, "-c", MAIN, "deploy", DIAGRAM, "--rig", str(rig_file(tmp_path))]
    options = ["--virtual", "--rehearsal", "--duration", "30", "--out", str(tmp_path / "made")]
    for _ in range(4):
        shutil.rmtree(tmp_path / "made", ignore_errors=True)
        with (tmp_path / "said.txt").open("w") as said:
            process = subprocess.Popen(
                [*command, *options], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=said, stderr=said
            )  # fmt: skip
        while process.poll() is None and look(tmp_path / "made")[1] < 10:
            time.sleep(0.02)
        if process.poll() is None:
            break
    yield process
    if process.poll() is None:
        process.kill()
        process.wait()


def look(folder: Path) -> tuple[str, int]:
    """State and tick of the test of a folder."""
    from hybsim.runtime.region import Region

    try:
        with Region.open(json.loads((folder / "run.json").read_text())["region"]) as region:
            return region.state, region["test_tick"]
    except (OSError, ValueError, KeyError, HybsimError):
        return "", 0


def record_of(folder: Path) -> dict:
    return json.loads((folder / "manifest.json").read_text())


def test_a_rehearsal_leaves_the_timing_too(cli, tmp_path) -> None:
    words = ["--virtual", "--rehearsal", "--duration", 1, "--out", tmp_path / "made"]
    done = cli("deploy", DIAGRAM, "--rig", rig_file(tmp_path), *words)
    about = record_of(tmp_path / "made")
    assert done.code == (0 if about["finished"] else 1), "a busy machine may lose frames, and then it pauses"
    assert about["how"] == "rehearsal" and about["rows_lost"] == 0
    assert sum(count for _, count in about["timing"]["wake"]["histogram"]) > 500
    assert about["timing"]["work"]["p50_s"] > 0.0
    assert "Timing of the loop" in (tmp_path / "made" / "report.html").read_text()
    assert not list((tmp_path / "made").glob("*.txt")), "what the processes had to say is nothing"


def test_ctrl_c_ramps_down_and_leaves_the_record(started, tmp_path) -> None:
    started.send_signal(signal.SIGINT)
    assert started.wait(60.0) == 1, (tmp_path / "said.txt").read_text()
    about = record_of(tmp_path / "made")
    assert about["interrupted"] or about["causes"], "a busy machine may have paused it before"
    assert not about["finished"]
    assert about["test_ticks"] < about["planned_ticks"] == 30 * 1024 + 1 and about["rows_lost"] == 0
    if about["interrupted"]:
        assert "Ctrl-C: ramping down" in (tmp_path / "said.txt").read_text()


def test_a_test_whose_supervisor_died_is_taken_over(started, cli, tmp_path) -> None:
    started.kill()
    started.wait()
    while look(tmp_path / "made")[0] == "RUNNING":
        time.sleep(0.02)
    done = cli("deploy", "--attach", tmp_path / "made")
    about = record_of(tmp_path / "made")
    assert done.code == 1 and "Taken over: " in done.out
    assert about["state"] == "FINISHED" and about["rows_lost"] == 0 and about["how"] == "rehearsal"
    assert about["diagram"]["name"] == "virtual_rig" and about["command"].startswith(f"hybsim deploy {DIAGRAM}")
    assert "SUPERVISOR_SILENT" in about["causes"] or "FRAMES_MISSING" in about["causes"]
    again = cli("deploy", "--attach", tmp_path / "made")
    assert again.code == 2 and "no folder of a running test" in again.err
