"""R15: simulate and a test against a virtual rig give the same bits, in one process or in two, over every driver."""

from __future__ import annotations

import numpy as np
import pytest
from deployments import deployment, gapless, rehearsed

from hybsim.runtime.log_frames import read_log


@pytest.mark.parametrize("specimen", ["linear", "bouc-wen"])
@pytest.mark.parametrize("driver", ["sim", "shm", "udp"])
def test_R15_the_loop_logs_what_simulate_computes(driver, specimen, tmp_path):
    made = deployment(driver, specimen=specimen)
    told = rehearsed(made, tmp_path, 3.0)
    assert told.states == ["ESTOP", "IDLE", "CONFIGURED", "ARMED", "RUNNING", "RAMP_DOWN", "FINISHED"]
    assert (told.done.state, told.done.causes, told.done.lost) == ("FINISHED", [], 0)
    assert gapless(told.log)
    simulated = made.cut.whole.run(3.0)
    advanced = told["loop.advanced"] == 1
    assert advanced.sum() == len(simulated.t)
    compared = [name for name in told.log.names if name in simulated.names]
    assert {"structure.disp_target", "energy.hsei_i", "hardware/force_meas.value"} <= set(compared)
    for name in compared:
        assert told[name][advanced].tobytes() == simulated[name].tobytes(), name
    inside = read_log(tmp_path / "rig.hslog")
    followed = inside.column("rig.mode") == 3
    for name in ("rig/specimen.force", "rig/actuator.position"):
        assert inside.column(name)[followed][: len(simulated.t)].tobytes() == simulated[name].tobytes(), name


def test_R15_parameters_reach_the_half_they_belong_to(tmp_path):
    made = deployment("shm")
    made.params = {"rig/specimen.stiffness": 8.0, "structure.mass": 0.3}
    told = rehearsed(made, tmp_path, 1.0)
    simulated = made.cut.whole.run(1.0, params=made.params)
    advanced = told["loop.advanced"] == 1
    assert np.ptp(simulated["structure.disp_target"]) > 0.0
    assert told["structure.disp_target"][advanced].tobytes() == simulated["structure.disp_target"].tobytes()


def test_R15_a_pause_in_between_leaves_no_trace_in_the_controllers_own_time(tmp_path):
    """Paused and resumed at the virtual clock: the diagram waits, and goes on with the tick it stopped at."""
    script = [(1, "RESET"), (2, "CONFIGURE"), (3, "ARM"), (4, "START"), (300, "PAUSE"), (600, "RESUME")]
    told = rehearsed(deployment("shm"), tmp_path, 1.0, script=script)
    assert told.states[4:] == ["RUNNING", "PAUSED", "RUNNING", "RAMP_DOWN", "FINISHED"]
    test_ticks = told["loop.test_tick"][told["loop.advanced"] == 1]
    assert np.array_equal(test_ticks, np.arange(len(test_ticks)))
