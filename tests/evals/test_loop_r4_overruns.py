"""R4: late ticks, made by a driver that takes its time on a virtual clock, in the loop as it runs on the rig."""

from __future__ import annotations

import numpy as np
from deployments import deployment, rehearsed

from hybsim.runtime.deployment import START
from hybsim.runtime.set_up import Fault

READ, WRITE, HANGS = 1, 2, 1
PERIOD = 1.0 / 1024.0


def hanging(*ticks: int, periods: float = 1.5) -> list[Fault]:
    """read takes so many periods at these ticks of the loop."""
    return [Fault(READ, HANGS, tick, 1, periods * PERIOD) for tick in ticks]


def test_R4_one_late_tick_is_counted_and_its_command_held(tmp_path):
    told = rehearsed(deployment(), tmp_path, 1.0, faults=hanging(200))
    late = np.flatnonzero(told["loop.late"] > 0)
    assert len(late) == 1 and told.states.count("PAUSED") == 0
    tick = int(late[0])
    assert 199 <= tick <= 202
    assert (
        told["loop.late"][tick] == np.float64(0.5 * PERIOD).round(9)
        or abs(told["loop.late"][tick] - 0.5 * PERIOD) < 2e-9
    )
    assert told["command.disp_cmd"][tick] == told["command.disp_cmd"][tick - 1]
    assert (told["loop.sampled"][tick], told["loop.advanced"][tick]) == (1, 0)
    assert told.faults_at(tick) == ["OVERRUN"]
    assert told["loop.test_tick"][tick + 1] == told["loop.test_tick"][tick], "the diagram's sample waited"


def test_R4_two_late_ticks_in_a_row_pause(tmp_path):
    told = rehearsed(deployment(), tmp_path, 1.0, faults=hanging(200, 201), last_tick=400)
    paused = told.first("PAUSED")
    assert "OVERRUNS_IN_A_ROW" in told.faults_at(paused)
    assert told["loop.late"][paused] > 0 and told["loop.late"][paused - 1] > 0
    assert told.states[-1] == "PAUSED"


def test_R4_the_fourth_late_tick_within_ten_seconds_pauses(tmp_path):
    told = rehearsed(deployment(), tmp_path, 2.0, faults=hanging(200, 500, 800, 1100), last_tick=1300)
    late = np.flatnonzero(told["loop.late"] > 0)
    assert len(late) == 4 and told.first("PAUSED") == late[3]
    assert "OVERRUNS_OFTEN" in told.faults_at(int(late[3]))


def test_R4_a_tick_late_by_a_period_pauses_and_is_not_made_up_for(tmp_path):
    # The read of a tick comes before its write: the tick of the last frame written is then one less.
    slow = [Fault(READ, HANGS, 199, 1, 1.3 * PERIOD), Fault(WRITE, HANGS, 200, 1, 1.3 * PERIOD)]
    told = rehearsed(deployment(), tmp_path, 1.0, faults=slow, script=[*START, (300, "END")])
    paused = told.first("PAUSED")
    assert told["loop.late"][paused] >= PERIOD
    assert "OVERRUNS_IN_A_ROW" in told.faults_at(paused) and "DRIVER_HANG" not in told.faults_at(paused)
    after = told["loop.wake"][paused + 1 : paused + 5]
    assert len(after) == 4 and (after == 0.0).all(), "the deadlines after it are counted from there"


def test_a_test_by_script_ends_where_it_is_paused_and_nothing_more_is_to_come(tmp_path):
    script = [(1, "RESET"), (2, "CONFIGURE"), (3, "ARM"), (4, "START"), (300, "PAUSE")]
    told = rehearsed(deployment(), tmp_path, 1.0, script=script)
    assert (told.states[-1], told.done.causes) == ("PAUSED", [])
    assert told["loop.tick"][-1] < 700
