"""R1, R4: each fault has its reaction in the same tick, on every channel; removing any row is noticed."""

from __future__ import annotations

import math
import re

import pytest
from guard_bench import COMMANDS, DT, MEASURED, Bench, configuration
from guard_scenarios import SCENARIOS, past_the_limit, paused, play, sensor, stopped, too_fast

from hybsim.runtime.c_sources import in_one
from hybsim.runtime.guard_tables import FAULTS


def test_every_row_has_its_scenario():
    assert set(SCENARIOS) == set(FAULTS)


@pytest.mark.parametrize("name", FAULTS)
def test_R1_the_reaction_of_each_row_comes_in_the_tick_of_the_fault(name):
    assert play(name)


@pytest.mark.parametrize("name", FAULTS)
def test_removing_a_row_is_noticed(name):
    whole = in_one("guard.c")
    without, removed = re.subn(rf' *X\({name}, \w+, "[^"]*"\)( \\)?\n', "", whole)
    assert removed == 1
    if not without.split("#define HG_FAULTS(X)")[1].split("\n\n")[0].rstrip().endswith(")"):
        without = without.replace(" \\\n\n", "\n\n")  # the last row ends the list
    assert not play(name, without)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("channel", range(COMMANDS))
def test_R1_position_limit_of_every_command(channel, sign):
    bench = Bench().to("RUNNING")
    assert past_the_limit(bench, channel, sign)
    bench.idle(200)
    edge = bench.config.high[channel] if sign > 0 else -bench.config.low[channel]
    assert edge - 0.5 < sign * bench.command[channel] <= edge, "it stopped within the limit, near it"


@pytest.mark.parametrize("channel", range(COMMANDS))
def test_R1_velocity_limit_of_every_command(channel):
    wide = dict(low=[-1e3] * 2, high=[1e3] * 2, range_high=[1e4] * 3, hard_high=[1e4] * 3)
    assert too_fast(Bench(configuration(acceleration=[8000.0] * 2, **wide)).to("RUNNING"), channel)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("channel", range(COMMANDS))
def test_R1_acceleration_limit_of_every_command(channel, sign):
    for share, state in ((0.999, "RUNNING"), (1.001, "PAUSED")):
        bench = Bench().to("RUNNING")
        wanted = bench.command
        wanted[channel] += share * sign * bench.config.acceleration[channel] * DT**2
        assert bench.tick(wanted=wanted) == state


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("channel", range(COMMANDS))
def test_R1_a_command_that_is_no_number(channel, value):
    bench = Bench().to("RUNNING")
    bench.drive(speed=20.0, ticks=40)
    good, speed = bench.command, bench.guard["speed"][0]
    wanted = bench.command
    wanted[channel] = value
    bench.tick(wanted=wanted)
    assert paused(bench) and "COMMAND_NOT_FINITE" in bench.cause
    assert good[0] < bench.command[0] < good[0] + speed * DT, "the bounded stop began in this very tick"


@pytest.mark.parametrize("limit", ["hard_low", "hard_high"])
@pytest.mark.parametrize("channel", range(MEASURED))
@pytest.mark.parametrize("state", ["ARMED", "RUNNING", "PAUSED", "RAMP_DOWN"])
def test_R1_hard_limit_of_every_sensor_in_every_live_state(state, channel, limit):
    bench = Bench(configuration(hard_rate=[1e9] * 3)).to(state)
    edge = getattr(bench.config, limit)[channel]
    assert sensor(bench, channel, 1.001 * edge) and "MEASURED_VALUE" in bench.cause
    bench.tick()
    assert stopped(bench), "safe in the tick after as well"


@pytest.mark.parametrize("channel", range(MEASURED))
def test_R1_rate_limit_of_every_sensor(channel):
    bench = Bench().to("RUNNING")
    rates = configuration(hard_rate=[30.0] * 3)
    bench.config = rates
    assert sensor(bench, channel, 0.031) and bench.cause == ["MEASURED_RATE"]


def test_R1_the_rate_of_a_sensor_is_that_over_the_frames_that_are_missing():
    """A lost frame makes no jump of a motion that two frames in a row would not show."""
    for frames, change, state in ((1, 0.9, "RUNNING"), (1, 1.1, "ESTOP"), (3, 2.9, "RUNNING"), (3, 3.1, "ESTOP")):
        wide = dict(error_least=[1e9] * 3, hard_rate=[30.0] * 3)
        bench = Bench(configuration(**wide)).to("RUNNING")
        bench.noise = 0.0
        bench.tick(measured=[0.0, 0.0, 0.0])
        for _ in range(frames - 1):
            bench.tick(frame=0)
        assert bench.tick(measured=[change * 30.0 * DT, 0.0, 0.0]) == state


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("channel", range(MEASURED))
def test_R1_a_sensor_that_gives_no_number(channel, value):
    bench = Bench().to("RUNNING")
    assert sensor(bench, channel, value) and "SENSOR_NOT_FINITE" in bench.cause


def test_tracking_widens_with_the_speed_and_a_good_tick_begins_anew():
    """At 40 of 100 allowed the error may be 0.4 * 0.5 = 0.2; at rest 0.05."""
    bench = Bench().to("RUNNING")
    bench.drive(speed=40.0, ticks=60)
    for _ in range(5):
        step = [bench.command[0] + 0.04, bench.command[1]]
        assert bench.tick(wanted=step, measured=[bench.sensors[0] - 0.19, 0.0, 0.0]) == "RUNNING"
    rest = Bench().to("RUNNING")
    for off in (0.06, 0.06, 0.0, 0.06, 0.06):
        assert rest.tick(measured=[off, 0.0, 0.0]) == "RUNNING"
    assert rest.tick(measured=[off, 0.0, 0.0]) == "PAUSED"


def test_energy_counts_only_negative_and_above_the_floor():
    bench = Bench().to("RUNNING")
    assert bench.tick(energy_index=+5.0) == "RUNNING"
    assert bench.tick(energy_index=-5.0, energy=0.99) == "RUNNING"
    assert bench.tick(energy_index=-5.0, energy=1.0) == "RAMP_DOWN"


@pytest.mark.parametrize("index", [math.nan, math.inf])
def test_an_energy_that_is_no_number_pauses(index):
    assert Bench().to("RUNNING").tick(energy_index=index) == "PAUSED"


def test_R4_three_overruns_in_ten_seconds_go_on_and_the_fourth_pauses():
    def late_at(*times):
        bench = Bench(configuration(dt=0.1)).to("RUNNING")
        for tick in range(max(times) + 1):
            bench.tick(late=0.01 if tick in times else 0.0)
        return bench.state

    assert late_at(0, 30, 60) == "RUNNING"
    assert late_at(0, 30, 60, 100) == "PAUSED", "four within ten seconds"
    assert late_at(0, 30, 60, 101) == "RUNNING", "the first is more than ten seconds back"


def test_R4_an_overrun_of_a_whole_period_pauses_at_once():
    assert Bench().to("RUNNING").tick(late=DT) == "PAUSED"
    assert Bench().to("RUNNING").tick(late=0.999 * DT) == "RUNNING"


def test_the_more_severe_reaction_wins():
    bench = Bench().to("RUNNING")
    assert bench.tick(energy_index=-0.2, supervisor_age=9.0) == "RAMP_DOWN" and bench.cause == ["ENERGY_STOP"]
    bench = Bench().to("RUNNING")
    assert bench.tick(energy_index=-0.2, driver_error=1, wanted=[math.nan, 0.0]) == "ESTOP"
    assert bench.cause == ["DRIVER_ERROR"] and {"ENERGY_STOP", "COMMAND_NOT_FINITE"} <= set(bench.faults)


def test_a_pausing_fault_neither_ends_a_ramp_down_nor_starts_from_armed():
    assert Bench().to("RAMP_DOWN").tick(supervisor_age=9.0) == "RAMP_DOWN"
    bench = Bench().to("ARMED")
    assert bench.tick("START", supervisor_age=9.0) == "ARMED" and bench.guard["refused"]


def test_a_rig_that_does_just_what_it_is_told_is_never_off_track():
    """What is read in a tick answers the command of the tick before: at any speed the error is that of the sensor."""
    bench = Bench(configuration(error_least=[1e-5] * 3, error_most=[1e-5] * 3)).to("RUNNING")
    bench.drive(speed=40.0, ticks=200)
    assert bench.state == "RUNNING" and bench.command[0] > 7.0
