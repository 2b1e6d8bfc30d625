"""R10 with the loop itself: without a log ARM is refused; when the disk fills up it ramps down, and the ring is kept."""

from __future__ import annotations

import functools
import json
import os
import resource
import signal
import subprocess
import sys

import numpy as np
import pytest
from deployments import SLOWLY, deployment

from hybsim.runtime import set_up
from hybsim.runtime.deployment import START
from hybsim.runtime.guard_tables import EVENTS, STATES
from hybsim.runtime.log_frames import read_log
from hybsim.runtime.log_repair import repair
from hybsim.runtime.log_summary import summarise
from hybsim.runtime.processes import wait_for
from hybsim.runtime.region import Region
from hybsim.runtime.set_up import Options, address, loop_set_up, rig_set_up


@pytest.fixture
def regions(tmp_path):
    """A test on a virtual clock: its loop's region, its executable, and the names of the columns."""
    made = deployment("sim")
    options = Options(virtual_clock=True, test_ticks=3000, script=START, last_tick=6000, patience=30.0)
    loop, rig = loop_set_up(made.cut, made.rig, options), rig_set_up(made.cut, made.rig, options)
    address(loop.setup, str(tmp_path / "rig"))
    loop.setup["rows"] = 2048  # the loop waits for the logger with half of it, and has the rest for the way down
    with (
        Region.create(tmp_path / "rig", rig.setup, rig.guard, rig.p, rig.x),
        Region.create(tmp_path / "loop", loop.setup, loop.guard, loop.p, loop.x) as region,
    ):
        region["timing_passed"] = 1
        yield region, made.loop_executable(), loop.names


def test_R10_the_loop_refuses_to_arm_without_a_log(regions):
    region, executable, names = regions
    region.setup["last_tick"] = 60
    assert subprocess.run([executable, "loop", region.path]).returncode == 0
    assert region.state == "CONFIGURED"
    rows = region.rows(0, 50)
    refused = rows[:, names.index("loop.refused")]
    assert refused[3] == list(EVENTS).index("ARM") and refused[4] == list(EVENTS).index("START")
    assert not np.isin(rows[:, names.index("loop.state")], [list(STATES).index("ARMED")]).any()


def test_R10_a_disk_that_fills_up_in_a_test_ends_it_with_a_ramp_and_no_row_is_lost(regions, tmp_path):
    region, executable, names = regions
    head, log = tmp_path / "head.json", tmp_path / "run.hslog"
    about = {"kind": "loop", "diagram": "virtual_rig"}
    head.write_text(json.dumps({"names": names, "dt": 1.0 / 1024.0, "about": about, "bytes": 0}))
    room = 8 * len(names) * 1000  # of 3000 ticks
    logger = subprocess.Popen(
        [sys.executable, "-m", "hybsim.runtime.logger", region.path, log, head],
        preexec_fn=functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY)),
    )
    try:
        while not region["log_ready"]:
            assert logger.poll() is None
        assert subprocess.run([executable, "loop", region.path]).returncode == 0
        assert (region.state, region["log_failed"], region["lost"]) == ("FINISHED", 1, 0)
        assert region["stored"] < region["head"] and region["test_tick"] < 3000
    finally:
        logger.kill()
        logger.wait()
    done = repair(log, tmp_path / "whole.hslog", region.path)
    assert done.rows == region["head"] == region["tick"] + 1 and done.missing is None
    whole = read_log(tmp_path / "whole.hslog")
    assert np.array_equal(whole.column("loop.tick"), np.arange(done.rows))
    found = summarise(tmp_path / "whole.hslog")
    assert [entry.name for entry in found.states] == [
        "ESTOP", "IDLE", "CONFIGURED", "ARMED", "RUNNING", "RAMP_DOWN", "FINISHED"
    ]  # fmt: skip
    assert "LOG_FULL" in found.faults and found.problems == []
    assert found.faults["LOG_FULL"].tick == next(e.tick for e in found.states if e.name == "RAMP_DOWN")


@pytest.mark.parametrize("how", ["it says that it failed", "it hangs"])
def test_R10_a_test_whose_logger_does_not_write_is_ramped_down(how, tmp_path, monkeypatch):
    """At once where the logger says so, though the ring has room; else while the ring still has some."""
    monkeypatch.setattr(set_up, "RING_SECONDS", 1.0)
    monkeypatch.setattr(set_up, "LEAST_RING", 64)
    made = deployment("shm", text=SLOWLY)
    with made.virtual_rig(tmp_path), made.supervisor(tmp_path, 60.0, rehearsal=True) as test:
        region = test.region
        test.check_timing(0.05)
        test.ask("ARM")
        test.ask("START")
        if how == "it hangs":
            os.kill(region["logger_pid"], signal.SIGSTOP)
        else:
            region["log_failed"] = 1
        try:
            assert wait_for(lambda: region.state == "FINISHED", 20.0) and region.causes == ["LOG_FULL"]
            if how == "it hangs":
                assert wait_for(lambda: region["lost"] > 0, 20.0)
                assert region["head"] - region["stored"] == region.setup["rows"], "nothing was written over"
        finally:
            os.kill(region["logger_pid"], signal.SIGCONT)
