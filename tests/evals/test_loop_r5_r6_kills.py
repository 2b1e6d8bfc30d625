"""R5, R6, R9: any process of a test is killed at any moment, and the test ends in a defined state with all its rows.

In real time, rehearsed: late ticks of a busy machine are counted, so that only what is tested here can pause a test.
HYBSIM_KILLS says how often each process is killed; `make soak` does it 50 times.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from deployments import SLOWLY, deployment, gapless

from hybsim.runtime.guard_tables import STATES
from hybsim.runtime.log_frames import read_log
from hybsim.runtime.processes import wait_for
from hybsim.runtime.region import Region
from hybsim.runtime.supervisor import RUN, Supervisor

KILLS = int(os.environ.get("HYBSIM_KILLS", "2"))
LONG = 60.0
"""Seconds of a test that is not meant to end by itself."""

PATIENCE = 20.0
SUPERVISED = Path(__file__).parent / "support" / "supervised.py"

pytestmark = pytest.mark.parametrize("round_", range(KILLS))


@pytest.fixture(autouse=True)
def nothing_left(tmp_path):
    """A killed rig leaves its device, a failed test its processes: none of them outlives the test."""
    yield
    run = tmp_path / RUN
    path = Path(json.loads(run.read_text())["region"]) if run.exists() else None
    if path and path.exists():
        with Region.open(path) as region:
            region["quit"] = 1
            for name in ("loop_pid", "logger_pid", "guardian_pid"):
                with suppress(ProcessLookupError):
                    if region[name] > 0:
                        os.kill(region[name], signal.SIGKILL)
        path.unlink(missing_ok=True)
    for device in Path("/dev/shm").glob(f"hybsim-test-{os.getpid()}-*"):
        device.unlink(missing_ok=True)


@contextmanager
def running(folder: Path, round_: int):
    """A test that runs against a virtual rig, at another moment every round: (supervisor, region of the rig)."""
    made = deployment("shm", text=SLOWLY)
    with (
        made.virtual_rig(folder) as (rig, _),
        made.supervisor(folder, LONG, rehearsal=True) as test,
    ):
        test.check_timing(0.05)
        test.ask("ARM")
        test.ask("START")
        assert wait_for(lambda: test.region["test_tick"] > 20 + 7 * round_, PATIENCE)
        yield test, rig


def whole(folder: Path, rows: int):
    """The log, with every row the loop wrote."""
    log = read_log(folder / "run.hslog")
    assert log.problems == [] and gapless(log) and len(log.rows) == rows
    return log


def test_R5_when_the_loop_is_killed_the_rig_makes_itself_safe(round_, tmp_path):
    with running(tmp_path, round_) as (test, rig):
        os.kill(test.region["loop_pid"], signal.SIGKILL)
        assert wait_for(lambda: list(STATES)[rig["state"]] == "ESTOP", PATIENCE), "ESTOP stands for safe in a rig"
        assert wait_for(lambda: not test.loop_runs(), PATIENCE)
        record = test.finish(test_timing(test))
        assert "The loop did not reach its end: it was ended by SIGKILL." in record.notes
        assert record.state == "RUNNING" and not record.finished
        whole(tmp_path, test.region["head"])


def test_R5_when_the_guardian_is_killed_with_the_loop_the_rig_finds_out_by_itself(round_, tmp_path):
    with running(tmp_path, round_) as (test, rig):
        for name in ("guardian_pid", "loop_pid"):
            os.kill(test.region[name], signal.SIGKILL)
        assert wait_for(lambda: list(STATES)[rig["state"]] == "ESTOP" and rig["device_bits"] == 1, PATIENCE), "tripped"


def test_R5_the_guardian_makes_the_rig_safe_where_the_loop_hangs(round_, tmp_path):
    """SIGSTOP: the process is there and does nothing."""
    with running(tmp_path, round_) as (test, rig):
        os.kill(test.region["loop_pid"], signal.SIGSTOP)
        assert wait_for(lambda: test.region["guardian_trips"] > 0, PATIENCE)
        assert wait_for(lambda: list(STATES)[rig["state"]] == "ESTOP" and rig["device_bits"] == 0, PATIENCE), "told so"
        os.kill(test.region["loop_pid"], signal.SIGCONT)
        assert wait_for(lambda: test.state == "ESTOP", PATIENCE), "the loop finds its device safe, and stops"
        assert set(test.region.causes) & {"DRIVER_ERROR", "FRAMES_LOST"}


def test_R6_when_the_supervisor_is_killed_the_loop_pauses_and_can_be_taken_over(round_, tmp_path):
    lose_supervisor(tmp_path, round_, signal.SIGKILL)


def test_R6_when_the_supervisor_hangs_the_loop_pauses(round_, tmp_path):
    lose_supervisor(tmp_path, round_, signal.SIGSTOP)


def lose_supervisor(folder: Path, round_: int, how: int) -> None:
    made = deployment("shm", text=SLOWLY)
    with made.virtual_rig(folder):
        words = [sys.executable, str(SUPERVISED), str(folder), made.rig.device.address, str(LONG)]
        process = subprocess.Popen(words)
        try:
            assert wait_for(lambda: (folder / RUN).exists(), PATIENCE)
            region = Region.open(json.loads((folder / RUN).read_text())["region"])
            assert wait_for(lambda: region["test_tick"] > 20 + 7 * round_, PATIENCE)
            process.send_signal(how)
            after = region["tick"]
            assert wait_for(lambda: region.state == "PAUSED", PATIENCE)
            assert "SUPERVISOR_SILENT" in region.causes
            process.kill()
            process.wait()
            with Supervisor.attach(folder, made.rig) as test:
                assert wait_for(lambda: not region["motion"], PATIENCE), "stopped, with bounded deceleration"
                test.ask("RESUME")
                before = region["test_tick"]
                assert wait_for(lambda: region["test_tick"] > before + 10, PATIENCE)
                test.ask("END")
                test.watch()
                assert test.state == "FINISHED"
                region["quit"] = 1
                assert wait_for(lambda: bool(region["ended"]) and region["stored"] == region["head"], PATIENCE)
            log = whole(folder, region["head"])
        finally:
            process.kill()
            process.wait()
    states = log.column("loop.state")
    paused = int(np.argmax(states == list(STATES).index("PAUSED")))
    assert paused - after <= 0.6 * made.rig.rate, "within 0.6 s of the last sign of life"


def test_R9_when_the_logger_is_killed_no_row_is_lost(round_, tmp_path):
    with running(tmp_path, round_) as (test, _):
        pid = test.processes["logger"].pid
        stored = test.region["stored"]
        os.kill(pid, signal.SIGKILL)
        assert wait_for(lambda: (test.tend(), test.processes["logger"].pid != pid)[1], PATIENCE)
        assert wait_for(lambda: test.region["stored"] > stored + 50, PATIENCE), "the new one goes on"
        test.ask("END")
        test.watch()
        record = test.finish(test_timing(test))
        assert (record.state, record.lost) == ("FINISHED", 0)
        assert any("The logger was ended by SIGKILL" in note for note in record.notes)
        whole(tmp_path, test.region["head"])


def test_R9_when_the_guardian_is_killed_it_is_replaced_and_the_test_goes_on(round_, tmp_path):
    with running(tmp_path, round_) as (test, _):
        pid = test.region["guardian_pid"]
        os.kill(pid, signal.SIGKILL)
        assert wait_for(lambda: (test.tend(), test.region["guardian_pid"] not in (0, pid))[1], PATIENCE)
        ticks = test.region["test_tick"]
        assert wait_for(lambda: test.region["test_tick"] > ticks + 10, PATIENCE) and test.state == "RUNNING"


def test_R5_when_the_virtual_rig_is_killed_the_loop_stops(round_, tmp_path):
    with running(tmp_path, round_) as (test, rig):
        os.kill(rig["loop_pid"], signal.SIGKILL)
        assert wait_for(lambda: test.state == "ESTOP", PATIENCE)
        assert set(test.region.causes) & {"FRAMES_LOST", "DRIVER_ERROR"}


def test_timing(test):
    """What finish wants to know of the check before."""
    from hybsim.runtime.timing import judge

    return judge([1], [1], 0, test.region.setup["period"])


test_timing.__test__ = False
