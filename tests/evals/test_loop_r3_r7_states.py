"""R3, R7: what the loop as a whole must not do: begin in the middle, take old news for new, or go on for ever."""

from __future__ import annotations

import ctypes

import pytest
from deployments import RIG, deployment, rehearsed

from hybsim.runtime.build import load
from hybsim.runtime.c_sources import DRIVERS, in_one
from hybsim.runtime.executable import LARGER
from hybsim.runtime.guard_tables import EVENTS, STATES
from hybsim.runtime.set_up import Fault

START = [(1, "RESET"), (2, "CONFIGURE"), (3, "ARM"), (4, "START")]
READ, STALE = 1, 4

SHIM = """
static hd_answer shim_answer;
static hd_status shim_read(hd_driver *d, hd_answer *a) { (void)d; *a = shim_answer; return HD_OK; }
int64_t shim_is_news(int64_t tick, int64_t answered, int64_t answer, int64_t safe) {
    int error = 0;
    l.driver.read = shim_read, l.clock.is_virtual = 1;
    l.tick = tick, l.answered = answered, l.g.safe[0] = safe, shim_answer.tick = answer;
    return hl_read(&error);
}
"""


def event(told, tick: int) -> tuple[str, str]:
    """What was asked for in a tick, and what of it was refused."""
    return tuple(list(EVENTS)[int(told[f"loop.{name}"][tick])] for name in ("event", "refused"))


@pytest.mark.parametrize("end", ["END", "KILL"])
def test_R3_a_second_test_does_not_begin_in_the_middle_of_the_first(end, tmp_path):
    """The diagram stands where it was left: a device that is made live again would be sent there."""
    again = [(2000, "RESET"), (2001, "CONFIGURE"), (2002, "ARM"), (2003, "START")]
    told = rehearsed(deployment(), tmp_path, 1.0, script=[*START, (10, end), *again])
    assert told["loop.test_tick"].max() > 0
    assert told.states.count("ARMED") == 1 and told.states[-1] == "CONFIGURED"
    assert event(told, 2002) == ("ARM", "ARM")


def test_R3_a_test_that_cannot_be_armed_ends(tmp_path):
    """The model of the rig rests at 0, the rig file wants it at 1."""
    told = rehearsed(deployment(text=RIG.replace("home = 0.0", "home = 1.0")), tmp_path, 1.0)
    assert told.states == ["ESTOP", "IDLE", "CONFIGURED"] and len(told.log.rows) < 10
    assert (event(told, 3), event(told, 4)) == (("ARM", "ARM"), ("START", "START"))


def test_R7_a_reset_after_a_safe_call_that_went_wrong_is_asked_for_at_all(tmp_path):
    """A test by script in ESTOP goes on while a reset is to come."""
    told = rehearsed(deployment(), tmp_path, 0.5, script=[*START, (200, "KILL"), (300, "RESET")])
    assert told.states[-2:] == ["ESTOP", "IDLE"] and event(told, 300) == ("RESET", "NONE")


def test_R7_a_device_that_repeats_its_answer_is_not_armed(tmp_path):
    """Before anything is live, too, the answer to a frame counts once."""
    told = rehearsed(
        deployment(), tmp_path, 0.5, faults=[Fault(READ, STALE, 3, 100)],
        script=[(1, "RESET"), (2, "CONFIGURE"), (20, "ARM")], last_tick=30,
    )  # fmt: skip
    assert list(STATES).index("ARMED") not in told["loop.state"] and event(told, 20) == ("ARM", "ARM")


def test_R7_an_answer_that_is_old_or_of_the_future_is_no_news():
    lib = load(LARGER + in_one(*DRIVERS, "guard.c", "loop.c") + SHIM, name="loop")
    news = lib.shim_is_news
    news.restype, news.argtypes = ctypes.c_int64, [ctypes.c_int64] * 4
    assert [news(100, 90, tick, 0) for tick in range(95, 102)] == [0, 0, 1, 1, 1, 0, 0]
    assert [news(100, 98, tick, 0) for tick in (97, 98, 99)] == [0, 0, 1], "each counts once"
    assert [news(100, 40, tick, 1) for tick in (39, 40, 41)] == [0, 1, 1], "safe frames share the last command's tick"
