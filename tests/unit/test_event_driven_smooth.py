"""EVENTDRIVEN_SMOOTH: the counter slows down and recovers gradually, lands on its targets, and times out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from event_driver import NAMES, TARGETS, answering, durations, generator, played
from hypothesis import example, given, settings
from hypothesis import strategies as st
from one_block import refusal

from hybsim.blocks.generators.counter_speed import NEAR, landing_factor
from hybsim.blocks.generators.event_driven import EventDriven
from hybsim.blocks.generators.event_driven_smooth import EventDrivenSmooth


def make(cls=EventDrivenSmooth, **parameters):
    return generator(cls, **dict(ticks_per_step=100, hold_timeout=10.0) | parameters)


def growths(run):
    """What the counter grew by to reach each tick, from the second on."""
    return np.diff(run.counter) + run.counter[:-1] * run.request[:-1]  # it starts anew after a landing


def test_undelayed_steps_are_those_of_eventdriven_bit_for_bit():
    waits = [0, 1, 30, 59, 60, 12]
    smooth, stepped = (
        played(make(cls, lead=0.0035), 601, answering(TARGETS, waits)) for cls in (EventDrivenSmooth, EventDriven)
    )
    assert all(np.array_equal(getattr(smooth, name), getattr(stepped, name)) for name in NAMES)


def test_the_counter_grows_by_4_minus_k_over_a_fifth_of_the_step():
    run = played(make(), 700, answering(TARGETS, [5]))
    grown = growths(run)
    for tick in range(100, 699):
        k = 0.0 if run.request[tick] else run.counter[tick]
        expected = 1.0 if k < 60 else 4.0 - k / 20.0
        assert grown[tick] == pytest.approx(expected, abs=1e-12)
    assert 79.999 < run.counter[-1] < 80.0


def test_hold_begins_at_a_hundredth_of_full_speed_and_ends_in_free_vibration():
    run = played(make(hold_timeout=0.05), 400, answering(TARGETS, [5]))
    begins = [int(np.flatnonzero(run.mode == mode)[0]) - 100 for mode in (2, 3, 4)]
    # Growths in slow are (1 - 1/20)^0, ^1, ...: the first at or below 0.01 belongs to tick 60 + m + 1.
    m = math.ceil(math.log(0.01) / math.log(1 - 1 / 20))
    assert begins == [61, 60 + m + 2, 60 + m + 2 + 50]
    assert (np.diff(run.counter[160 : 100 + begins[2]]) > 0).all()


@pytest.mark.parametrize("recovery", [1, 10, 25, 100])
@pytest.mark.parametrize("wait", [61, 70, 90, 150, 400])
def test_it_recovers_at_a_bounded_rate_and_lands_on_the_target(wait, recovery):
    run = played(make(recovery=recovery), 900, answering(TARGETS, [5, wait, 5, 5]))
    update = 100 + wait
    grown = growths(run)
    landing = int(np.flatnonzero(run.request)[2])
    assert run.command[landing] == TARGETS[1]
    left = 100.0 - run.counter[update]
    # Before each landing a factor keeps whole ticks; without it the growths follow the ramp.
    ramp = np.minimum(1.0, grown[update - 1] + np.arange(1, landing - update + 1) / recovery)
    factor = grown[update:landing] / ramp
    assert factor == pytest.approx(np.full(len(ramp), factor[0]), abs=1e-10)
    assert 1.0 - 1.0 / left < factor[0] <= 1.0 + 1e-7
    assert ramp[:-1].sum() < left + 1e-6
    # No growth beyond full speed, and no change of it beyond what the docstring says.
    assert grown[60:].max() <= 1.0 + 1e-7
    least_left = 20.0
    assert np.diff(grown[60:]).max() <= 1.0 / recovery + 1.0 / least_left
    assert np.diff(grown[60:]).min() >= -1.0 / least_left
    assert np.diff(np.flatnonzero(run.request))[-1] >= 100


@pytest.mark.parametrize("wait", [720, 721, 760, 900, 1200, 1260, 2000, 5000])
def test_a_step_lasts_as_the_closed_form_says(wait):
    """k' = 4 - k/(0.2 N) from 0.6 N on, then v' = 1/recovery up to 1: to one tick at N = 1200."""
    run = played(make(ticks_per_step=1200), 1200 + wait + 2000, answering(TARGETS, [5, wait, 5]))
    e = math.exp(-(wait - 720) / 240)
    theory = wait + 240 + 240 * e + 240 / 2 * (1 - e) ** 2
    assert abs(durations(run)[1] - theory) <= 1.0


@settings(max_examples=25)
@given(st.lists(st.integers(0, 90), min_size=1, max_size=5), st.integers(5, 40), st.data())
def test_every_target_is_reached_bit_for_bit(waits, n, data):
    recovery = data.draw(st.integers(1, n))
    run = played(
        make(ticks_per_step=n, recovery=recovery), 1 + sum(w + 4 * n + 2 for w in waits), answering(TARGETS, waits)
    )
    reached = np.flatnonzero(run.request)
    assert list(run.command[reached]) == [0.0, *TARGETS[: len(waits)]]
    assert list(run.counter[reached]) == [n] * (len(waits) + 1)
    assert growths(run).min() >= 0.0


@example(1.00001, 0.0, 1)
@example(1.0000005, 0.0, 1)
@given(st.floats(0.5, 500.0), st.floats(0.0, 1.0), st.integers(1, 500))
def test_the_landing_factor_needs_the_least_number_of_ticks(left, speed, recovery):
    rate = 1.0 / recovery
    factor = landing_factor(left, speed, rate)
    ramp = np.cumsum(np.minimum(1.0, speed + rate * np.arange(1, 2000)))
    n = int(np.abs(ramp - left / factor).argmin())
    assert factor == pytest.approx(left / ramp[n], rel=1e-4 * rate)  # a sum of the ramp, and the first to reach left
    assert ramp[n] >= left - 2 * NEAR
    assert n == 0 or ramp[n - 1] < left + 2 * NEAR


def test_no_velocity_step_on_slowing_down_where_eventdriven_has_one():
    ramp = 0.1 * np.arange(1.0, 20.0)
    worst = {}
    for cls in (EventDriven, EventDrivenSmooth):
        run = played(make(cls), 800, answering(ramp, [5, 5, 5, 5]))
        velocity = np.diff(run.command[401:]) * 100 / 0.1
        worst[cls] = np.abs(np.diff(velocity)).max()
    assert worst[EventDriven] == pytest.approx(0.5, abs=1e-9)
    assert worst[EventDrivenSmooth] == pytest.approx(1 / 20, abs=1e-9)


def test_no_input_passes_through_within_the_tick():
    block = make()
    assert block._kernels.feedthrough == dict.fromkeys(NAMES, frozenset())
    assert (EventDrivenSmooth.ins, EventDrivenSmooth.outs) == (EventDriven.ins, EventDriven.outs)


def test_without_a_number_it_recovers_in_as_many_ticks_as_it_slows_down():
    assert make(slow_at=0.5, hold_at=0.9)._prepared.p["recovery_rate"] == 1 / 40


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(recovery=0), "'recovery' of block 'EventDrivenSmooth' must be at least 1, got 0"),
        (dict(recovery=2.5), "'recovery' of block 'EventDrivenSmooth' must be a whole number, got 2.5"),
        (dict(recovery=101), "cannot take 101 ticks to recover in a step of 100; give recovery= up to ticks_per_step"),
        (dict(slow_at=0.8), "EventDrivenSmooth slows down at 80, holds at 80 and ends at 100 ticks, but each must be"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    assert sentence in refusal(make, **parameters)
