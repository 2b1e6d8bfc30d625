"""R7: each call of the driver fails, hangs, gives nan, the wrong shape or something old: the loop ends in a defined state.

In the loop as it runs on the rig, on a virtual clock, with driver `faulty` around driver `sim`. The faults begin at
tick 200 of the loop, in the middle of the test.
"""

from __future__ import annotations

import pytest
from deployments import deployment, rehearsed

from hybsim.errors import RunError
from hybsim.runtime.set_up import Fault

PERIOD = 1.0 / 1024.0
CALLS = {"open": 0, "read": 1, "write": 2, "health": 3, "safe": 4}
KINDS = {"error": 0, "hang": 1, "NaN": 2, "wrong shape": 3, "stale": 4}
START = [(1, "RESET"), (2, "CONFIGURE"), (3, "ARM"), (4, "START")]

EXPECTED = {
    ("read", "error"): ("ESTOP", "DRIVER_ERROR"),
    ("read", "hang"): ("ESTOP", "DRIVER_HANG"),
    ("read", "NaN"): ("ESTOP", "SENSOR_NOT_FINITE"),
    ("read", "wrong shape"): ("ESTOP", "DRIVER_ERROR"),
    ("read", "stale"): ("ESTOP", "FRAMES_LOST"),  # PAUSED on the way there
    ("write", "error"): ("ESTOP", "DRIVER_ERROR"),
    ("write", "hang"): ("ESTOP", "DRIVER_HANG"),
    ("write", "NaN"): ("ESTOP", "DRIVER_ERROR"),  # the rig tripped, and said so
    ("write", "wrong shape"): ("ESTOP", "DRIVER_ERROR"),
    ("write", "stale"): ("ESTOP", "FRAMES_LOST"),
    ("health", "error"): ("ESTOP", "DRIVER_ERROR"),
    ("health", "hang"): ("ESTOP", "DRIVER_HANG"),
    ("health", "NaN"): ("ESTOP", "DRIVER_ERROR"),
    ("health", "wrong shape"): ("ESTOP", "DRIVER_ERROR"),
    ("health", "stale"): ("FINISHED", None),  # an old "well" is no news while all is well
}


@pytest.mark.parametrize(("call", "kind"), EXPECTED, ids=" ".join)
def test_R7_a_fault_of_the_driver_in_the_middle_of_a_test(call, kind, tmp_path):
    state, fault = EXPECTED[call, kind]
    made = Fault(CALLS[call], KINDS[kind], 200, 30, 2.5 * PERIOD)
    told = rehearsed(deployment(), tmp_path, 0.5, faults=[made])
    assert told.done.state == state
    assert told.log.problems == [] and told.done.lost == 0
    if fault is None:
        assert told.done.causes == []
        return
    tick = told.first("ESTOP") if told.states[0] != "ESTOP" else last_entry(told)
    assert fault in told.faults_at(tick)
    assert 200 <= tick <= 200 + 13, "at once; frames that stay away are waited for through ten ticks"
    assert told.states[-1] == "ESTOP", "latched"
    if fault == "FRAMES_LOST":
        assert told.states[-2] == "PAUSED"


def last_entry(told) -> int:
    """The tick of the loop at which ESTOP was entered from a live state: the log begins in ESTOP too."""
    states = told["loop.state"]
    return int(max(i for i in range(1, len(states)) if states[i] == 0 and states[i - 1] != 0))


@pytest.mark.parametrize("kind", KINDS)
def test_R7_a_safe_call_that_goes_wrong_leaves_ESTOP_latched(kind, tmp_path):
    """KILL at tick 200, a reset asked for at 300: refused while the device cannot be told to be safe.

    A driver that only says that all is as well as before is found out by the answers that do not come.
    """
    made = Fault(CALLS["safe"], KINDS[kind], 190, 200, 2.5 * PERIOD)  # from the last command before the stop
    script = [*START, (200, "KILL"), (300, "RESET")]
    told = rehearsed(deployment(), tmp_path, 0.5, faults=[made], script=script, last_tick=320)
    assert told["loop.state"][200] == 0
    assert (told.done.state, told.refused_at(300)) == ("ESTOP", ["RESET"])


@pytest.mark.parametrize("kind", ["error", "NaN", "wrong shape", "stale"])
def test_R7_a_device_that_cannot_be_opened_is_not_driven(kind, tmp_path):
    with pytest.raises(RunError, match=r"The loop ended with code 1: .+"):
        deployment().rehearse(tmp_path, 0.5, faults=[Fault(CALLS["open"], KINDS[kind], 0, 1)])


def test_R7_a_device_that_is_slow_to_open_is_driven_when_it_is_there(tmp_path):
    made = Fault(CALLS["open"], KINDS["hang"], 0, 1, 2.5 * PERIOD)
    assert rehearsed(deployment(), tmp_path, 0.2, faults=[made]).done.state == "FINISHED"


def test_all_25_cases_are_here():
    assert len(EXPECTED) + 2 * len(KINDS) == len(CALLS) * len(KINDS)
