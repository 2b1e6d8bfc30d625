"""R3: every state x event pair is defined, ESTOP is latched; what each state sends."""

from __future__ import annotations

import ctypes
import math

import pytest
from guard_bench import DT, Bench, configuration, library
from hypothesis import given, settings
from hypothesis import strategies as st

from hybsim.runtime.c_sources import in_one
from hybsim.runtime.guard_tables import EVENTS, FAULTS, REACTIONS, STATES, TRANSITIONS, Config, Guard, Inputs

ASKED = list(EVENTS)[: list(EVENTS).index("HOME")]
"""The events an operator can give; the others the guard finds itself."""

ALLOWED = {
    ("ESTOP", "RESET"): "IDLE", ("IDLE", "CONFIGURE"): "CONFIGURED", ("CONFIGURED", "CONFIGURE"): "CONFIGURED",
    ("CONFIGURED", "ARM"): "ARMED", ("ARMED", "DISARM"): "CONFIGURED", ("ARMED", "START"): "RUNNING",
    ("ARMED", "END"): "RAMP_DOWN", ("RUNNING", "PAUSE"): "PAUSED", ("RUNNING", "FADE"): "RUNNING",
    ("RUNNING", "END"): "RAMP_DOWN", ("PAUSED", "PAUSE"): "PAUSED", ("PAUSED", "RESUME"): "RUNNING",
    ("PAUSED", "END"): "RAMP_DOWN", ("RAMP_DOWN", "END"): "RAMP_DOWN", ("FINISHED", "RESET"): "IDLE",
}  # fmt: skip
"""The state machine of the specification; beside it any state -> ESTOP by KILL, and the rest is refused."""


@pytest.mark.parametrize("event", ASKED)
@pytest.mark.parametrize("state", STATES)
def test_R3_every_pair_of_state_and_event_leads_where_the_specification_says(state, event):
    bench = Bench().to(state)
    if state == "PAUSED":
        bench.idle(50)
    after = bench.tick(event)
    if event == "KILL":
        assert after == "ESTOP"
    elif event == "NONE":
        assert (after, bench.guard["refused"]) == (state, 0)
    elif (state, event) in ALLOWED:
        assert (after, bench.guard["refused"]) == (ALLOWED[state, event], 0)
    else:
        assert (after, list(EVENTS)[bench.guard["refused"]]) == (state, event)


def test_R3_the_table_is_complete_and_its_words_are_known():
    assert set(TRANSITIONS) == set(STATES)
    for row in TRANSITIONS.values():
        assert set(row) == set(EVENTS)
        assert set(row.values()) <= {*STATES, "no", "same"}
    assert {reaction for reaction, _ in FAULTS.values()} <= set(REACTIONS)


@pytest.mark.parametrize("event", ["HOME", "PAUSING", "RAMPING", "STOPPING"])
def test_R3_nobody_can_give_the_guards_own_events(event):
    bench = Bench().to("RUNNING")
    assert bench.tick(event) == "RUNNING" and list(EVENTS)[bench.guard["refused"]] == event


def test_R3_an_event_that_does_not_exist_is_refused():
    bench = Bench().to("RUNNING")
    for number in (-1, len(EVENTS), 10**6):
        inputs = Inputs()
        inputs["event"], inputs["frame"] = number, 1
        inputs["measured"] = bench.sensors
        bench.lib.hg_tick(ctypes.byref(bench.config), ctypes.byref(inputs), ctypes.byref(bench.guard))
        assert bench.state == "RUNNING" and bench.guard["refused"] == number


def test_R3_it_boots_in_ESTOP_and_sends_nothing():
    bench = Bench()
    bench.tick()
    assert (bench.state, bench.guard["send"], bench.guard["safe"], bench.sent) == ("ESTOP", 0, 1, [])


def test_R3_ESTOP_is_latched_and_needs_the_cause_cleared_and_an_edge():
    bench = Bench().to("RUNNING")
    broken = dict(measured=[math.nan, 0.0, 0.0])
    assert bench.tick(**broken) == "ESTOP" and bench.cause == ["SENSOR_NOT_FINITE"]
    bench.idle(5)
    assert bench.state == "ESTOP" and bench.cause == ["SENSOR_NOT_FINITE"], "it stays when the cause is gone"
    assert bench.tick("RESET", **broken) == "ESTOP", "not while the cause is there"
    assert bench.tick("RESET") == "ESTOP", "a button held down is no edge"
    bench.tick()
    assert bench.tick("RESET", healthy=0) == "ESTOP", "not while the device is unwell"
    bench.tick()
    assert bench.tick("RESET") == "IDLE"


@pytest.mark.parametrize("lacking", [
    dict(healthy=0), dict(log_ready=0), dict(timing_passed=0), dict(frame=0), dict(measured=[0.06, 0.0, 0.0]),
    dict(measured=[0.0, -0.06, 0.0]), dict(measured=[math.nan, 0.0, 0.0]), dict(measured=[0.0, 0.0, 101.0]),
])  # fmt: skip
def test_R3_arming_needs_all_its_conditions(lacking):
    bench = Bench().to("CONFIGURED")
    assert bench.tick("ARM", **lacking) == "CONFIGURED"
    bench.tick()
    assert bench.tick("ARM") == "ARMED"


def test_R3_pause_and_resume_bring_the_diagram_back_with_its_speed():
    """Before the next sample the command is where it was, moving as it moved: no jump in position or velocity."""
    bench = Bench().to("RUNNING")
    bench.drive(speed=40.0, ticks=60)
    place, speed = bench.command, bench.guard["speed"][0]
    bench.tick("PAUSE")
    assert bench.guard["advance"] == 0
    bench.idle(100)
    assert bench.guard["speed"][0] == 0.0 and bench.command[0] > place[0], "stopped, not frozen"
    bench.tick("RESUME")
    while not bench.guard["asks"]:
        bench.tick()
        assert bench.guard["advance"] == 0
    assert bench.command == pytest.approx(place, abs=1e-12)
    assert bench.guard["speed"][0] == pytest.approx(speed, rel=1e-9)
    bench.tick(wanted=[place[0] + speed * DT, place[1]])
    assert (bench.state, bench.guard["advance"]) == ("RUNNING", 1)


def test_R3_ramp_down_ends_at_home_and_finishes():
    bench = Bench(configuration(home=[0.5, -0.25]))
    bench.sensors[:2] = [0.5, -0.25]
    bench.to("RAMP_DOWN").idle(2000)
    assert (bench.state, bench.command) == ("FINISHED", [0.5, -0.25])
    assert bench.guard["send"] == 0


def test_R3_it_is_known_at_home_what_led_there():
    bench = Bench().to("RUNNING")
    bench.tick(energy_index=-0.2)
    bench.idle(100)
    assert (bench.state, bench.cause) == ("FINISHED", ["ENERGY_STOP"])
    bench.tick("RESET")
    assert (bench.state, bench.cause) == ("IDLE", [])


def test_R3_free_vibration_is_running_and_ends_with_it():
    bench = Bench().to("RUNNING")
    assert bench.tick("FADE") == "RUNNING" and bench.guard["free_vibration"] == 1
    bench.tick("END")
    bench.idle(100)
    assert bench.state == "FINISHED" and bench.guard["free_vibration"] == 0


@settings(max_examples=200)
@given(st.lists(st.tuples(st.sampled_from(ASKED), st.integers(0, 30), st.booleans()), max_size=30))
def test_R3_a_model_of_the_machine_agrees_for_any_sequence(sequence):
    """An independent model in the test: the ALLOWED pairs, edges, and a stop that must be over before RESUME."""
    bench = Bench()
    model, before = "ESTOP", "NONE"
    for event, ticks, moving in sequence:
        resting = model != "PAUSED" or bench.guard["motion"] == 0
        allowed = ALLOWED.get((model, event))
        if event == "KILL":
            model = "ESTOP"
        elif allowed and not (event == "RESET" and before == "RESET") and not (event == "RESUME" and not resting):
            model = allowed
        assert bench.tick(event) == model
        before = event
        if moving and model == "RUNNING":
            bench.drive(speed=10.0 if bench.command[0] < 5.0 else -10.0, ticks=ticks)
        else:
            bench.idle(ticks)
        before = "NONE" if ticks else before
        if model == "RAMP_DOWN" and bench.state == "FINISHED":
            model = "FINISHED"
        assert bench.state == model, bench.faults


def test_the_structures_are_as_long_in_C_as_in_Python():
    kinds = {"hg_config": Config, "hg_inputs": Inputs, "hg_guard": Guard}
    sizes = library(
        in_one("guard.c")
        + f"\nint64_t hg_size(int i) {{ return (int64_t[]){{{', '.join(f'sizeof({kind})' for kind in kinds)}}}[i]; }}"
    ).hg_size
    sizes.restype = ctypes.c_int64
    assert [sizes(i) for i in range(3)] == [ctypes.sizeof(kind) for kind in kinds.values()]
