"""R3, R7: what the loop as a whole must not do: begin in the middle, take old news for new, or go on for ever."""

from __future__ import annotations

import ctypes
import math

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
static int64_t shim_fault;
static int64_t shim_outputs(const double *p, double *x, int64_t k, double *row) {
    (void)x, (void)k, row[0] = 1.0, row[1] = p[0];
    return shim_fault;
}
double shim_wanted(double other, int64_t fault, int64_t broken) {
    static hl_region region;
    static double p[1], x[1], row[2];
    static const hs_program program = {.signals = 2, .parameters = 1, .outputs = shim_outputs};
    hg_inputs in = {0};
    l.region = &region, l.program = &program, l.p = p, l.x = x, l.row = row, p[0] = other;
    l.s.outs[0] = 1, l.s.energy_column[0] = l.s.index_column[0] = l.s.fade_parameter[0] = -1;
    shim_fault = fault, l.broken = broken;
    hl_sample(&in);
    return in.has_sample[0] ? in.wanted[0] : 0.0;
}
static hd_status shim_well(hd_driver *d) { return (void)d, HD_OK; }
static hd_status shim_write(hd_driver *d, const hd_command *c) { return (void)d, (void)c, HD_OK; }
static int64_t shim_update(const double *p, double *x, int64_t k, double *row) {
    return (void)p, (void)x, (void)k, (void)row, shim_fault;
}
static int64_t shim_still(const double *p, double *x, int64_t k, double *row) {
    return (void)x, (void)k, row[0] = 0.0, row[1] = 2.0, row[2] = p[0], 0;
}
static struct { hl_region region; double ring[1000]; } all;
static void shim_set_up(int64_t fault, double index) {
    static double p[1], x[1], row[3];
    static const hs_program program = {.signals = 3, .outputs = shim_still, .update = shim_update};
    memset(&l, 0, sizeof l), memset(&all, 0, sizeof all), l.region = &all.region, p[0] = index;
    l.s.rows[0] = all.region.setup.rows[0] = 8, all.region.setup.columns[0] = HL_COLUMN_COUNT + 4, l.program = &program, l.p = p, l.x = x, l.row = row;
    l.driver = (hd_driver){.read = shim_read, .write = shim_write, .health = shim_well, .safe = shim_well};
    l.s.virtual_clock[0] = l.clock.is_virtual = 1, l.s.outs[0] = l.c.commands[0] = 1;
    l.s.out_scale[0] = l.c.dt[0] = l.c.velocity[0] = l.c.acceleration[0] = l.c.high[0] = 1.0, l.c.low[0] = -1.0;
    l.c.move_velocity[0] = l.c.move_acceleration[0] = l.c.energy_floor[0] = 1.0;
    l.c.energy_warn[0] = 0.1, l.c.energy_pause[0] = 0.2, l.c.energy_stop[0] = 0.3;
    l.s.energy_column[0] = 1, l.s.index_column[0] = 2, l.s.fade_parameter[0] = l.answered = -1;
    l.g.state[0] = HG_S_RUNNING, l.g.asks[0] = 1, shim_fault = fault;
}
int64_t shim_state_after(int64_t ticks, int64_t fault, double index) {
    shim_set_up(fault, index);
    for (; l.tick < ticks;) shim_answer.tick = l.tick - 1, hl_tick(0.0, 0.0, 0.0);
    return l.g.state[0];
}
static hd_status shim_slow(hd_driver *d, hd_answer *a) {
    (void)d, (void)a, l.clock.ns += l.tick == 2 || l.tick == 5 ? 1500000000 : 0;
    return HD_NONE;
}
int64_t shim_overruns(void) {
    shim_set_up(0, 0.0);
    l.driver.read = shim_slow, l.s.period[0] = 1.0, l.s.last_tick[0] = 10;
    hl_run();
    return all.region.shared.overruns[0];
}
"""


@pytest.fixture(scope="module")
def loop():
    """The functions of the loop that the texts above reach."""
    lib = load(LARGER + in_one(*DRIVERS, "guard.c", "loop.c") + SHIM, name="loop")
    lib.shim_is_news.restype, lib.shim_is_news.argtypes = ctypes.c_int64, [ctypes.c_int64] * 4
    lib.shim_wanted.restype, lib.shim_wanted.argtypes = ctypes.c_double, [ctypes.c_double, *[ctypes.c_int64] * 2]
    lib.shim_state_after.restype, lib.shim_state_after.argtypes = (
        ctypes.c_int64,
        [*[ctypes.c_int64] * 2, ctypes.c_double],
    )
    lib.shim_overruns.restype = ctypes.c_int64
    return lib


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


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_R1_a_sample_with_anything_in_it_that_is_no_number_is_none(value, loop):
    """Though the command itself be sound: what it was computed with may not be, one tick later."""
    assert loop.shim_wanted(2.0, 0, 0) == 1.0
    assert math.isnan(loop.shim_wanted(value, 0, 0))


def test_R1_a_sample_of_a_diagram_that_was_stopped_is_none(loop):
    """In the outputs of this tick, or in the update of the one before."""
    assert math.isnan(loop.shim_wanted(2.0, 7, 0)) and math.isnan(loop.shim_wanted(2.0, 0, 7))
    after = [[list(STATES)[loop.shim_state_after(ticks, fault, 0.0)] for ticks in (1, 2)] for fault in (0, 7)]
    assert after == [["RUNNING", "RUNNING"], ["RUNNING", "PAUSED"]]


def test_R16_ticks_that_begin_late_are_counted(loop):
    assert loop.shim_overruns() == 2


def test_R1_the_energy_that_the_diagram_computes_reaches_the_guard(loop):
    after = [list(STATES)[loop.shim_state_after(1, 0, index)] for index in (0.5, -0.15, -0.25, -0.35)]
    assert after == ["RUNNING", "RUNNING", "PAUSED", "RAMP_DOWN"]


def test_R7_an_answer_that_is_old_or_of_the_future_is_no_news(loop):
    news = loop.shim_is_news
    assert [news(100, 90, tick, 0) for tick in range(95, 102)] == [0, 0, 1, 1, 1, 0, 0]
    assert [news(100, 98, tick, 0) for tick in (97, 98, 99)] == [0, 0, 1], "each counts once"
    assert [news(100, 40, tick, 1) for tick in (39, 40, 41)] == [0, 1, 1], "safe frames share the last command's tick"
