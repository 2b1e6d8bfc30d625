"""EVENTDRIVEN: the state chart, durations on every path, commands, packets out of order, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from event_driver import DT, NAMES, TARGETS, answering, durations, generator, played
from hypothesis import given
from hypothesis import strategies as st
from one_block import later, made, refusal, shapes

from hybsim.blocks.generators.event_driven import EventDriven
from hybsim.errors import ParameterError


@pytest.mark.parametrize(
    ("wait", "seconds"),
    [
        (0, 1.2),
        (160, 1.2),
        (720, 1.2),
        (721, 0.84 + 0.721 / 2),
        (800, 0.84 + 0.8 / 2),
        (1001, 0.84 + 1.001 / 2),
        (1199, 0.84 + 1.199 / 2),
        (1200, 1.2 + 0.24),
        (1260, 1.26 + 0.24),
        (2000, 2.0 + 0.24),
    ],
)
def test_a_step_lasts_as_the_document_says(wait, seconds):
    """EERC Sec. 6.3.2 and Fig. 6-3 at 1 kHz with k_max = 1200, to one tick; the steps after it are undelayed again."""
    block = generator(ticks_per_step=1200, hold_timeout=30.0)
    run = played(block, 1200 + wait + 1300 + 1201, answering(TARGETS, [5, wait, 5]))
    first, late, next_one = durations(run)
    assert (first, next_one) == (1200, 1200)
    assert abs(late - seconds / DT) <= 1.0


def test_the_counter_and_the_modes_tick_by_tick():
    """k_max = 20: slow at 12, hold at 16; the second target comes 23 ticks late."""
    run = played(generator(), 60, answering(TARGETS, [4, 23]))
    k, mode, request = run.counter, run.mode, run.request
    assert list(k[:6]) == [20, 1, 2, 3, 4, 5]
    assert list(mode[:6]) == [1, 0, 0, 0, 0, 1]
    assert list(np.flatnonzero(request)) == [0, 20, 47]
    assert list(k[20:33]) == [20, *range(1, 13)]
    assert list(mode[20:33]) == [1, *[0] * 12]
    assert list(k[33:42]) == [12.5, 13, 13.5, 14, 14.5, 15, 15.5, 16, 16]
    assert list(mode[33:42]) == [2] * 8 + [3]
    assert list(k[41:44]) == [16, 16, 16]
    assert list(mode[43:48]) == [3, 1, 1, 1, 1]  # the target came at tick 20 + 23
    assert list(k[43:49]) == [16, 17, 18, 19, 20, 1]
    assert list(run.steps[[0, 19, 20, 46, 47, 59]]) == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(("wait", "never"), [(12, 2), (20, 3)])
def test_a_target_at_the_tick_of_a_timeout_is_in_time(wait, never):
    run = played(generator(), 60, answering(TARGETS, [4, wait]))
    assert never not in run.mode[:45]
    late = played(generator(), 60, answering(TARGETS, [4, wait + 1]))
    assert never in late.mode[:45]


def test_hold_ends_in_free_vibration_after_its_timeout():
    run = played(generator(hold_timeout=0.05), 200, answering(TARGETS, [4]))
    begins = [int(np.flatnonzero(run.mode == mode)[0]) for mode in (2, 3, 4)]
    # From the tick at which step 1 ends: 12 extrapolating, 8 slow, 50 in hold.
    assert [begin - 20 for begin in begins] == [13, 21, 71]
    in_time = played(generator(hold_timeout=0.05), 200, answering(TARGETS, [4, 70]))
    assert durations(in_time)[1] == 70 + 4
    too_late = played(generator(hold_timeout=0.05), 200, answering(TARGETS, [4, 71]))
    assert np.array_equal(too_late.mode, run.mode)


def document_command(run, known, lead, k_max):
    """EERC Eqs. 6.5-6.7 from the modes, counters and targets of a run, as polynomials through four targets."""
    result = []
    for mode, k, steps, request in zip(run.mode, run.counter, run.steps, run.request, strict=True):
        reached = int(steps) - int(request)  # the target from which the command is on its way
        newest = reached + 1 if mode == 1 else reached
        at = np.arange(newest - 3, newest + 1)
        values = [known[max(n, 0)] for n in at]
        t = (k + lead) / k_max
        weights = [np.prod([(reached + t - m) / (n - m) for m in at if m != n]) for n in at]
        result.append(np.dot(weights, values))
    return np.array(result)


def test_commands_are_those_of_the_document():
    block = generator(lead=[0.0, 0.0019], width=2, initial_disp=[0.4, -0.1], hold_timeout=10.0)
    targets = np.random.default_rng(2).normal(size=(8, 2))
    run = played(block, 230, answering(targets, [3, 15, 9, 30, 0, 17, 8]))
    assert set(run.mode) == {0, 1, 2, 3}
    known = np.vstack([[0.4, -0.1], targets])
    # The first tick is the end of step 0, at rest; document_command would look for a step before it.
    for channel, lead in enumerate((0.0, 1.9)):
        expected = document_command(run, known[:, channel], lead, 20.0)
        np.testing.assert_allclose(run.command[1:, channel], expected[1:], rtol=0, atol=1e-12)
    assert list(run.command[0]) == pytest.approx([0.4, -0.1])


def test_targets_are_reached_bit_for_bit_on_every_path():
    waits = [3, 12, 13, 19, 20, 26, 0, 1, 17]
    run = played(generator(initial_disp=0.3), 260, answering(TARGETS, waits))
    reached = np.flatnonzero(run.request)
    assert len(reached) == len(waits) + 1
    assert list(run.command[reached]) == [0.3, *TARGETS[: len(waits)]]


def test_cubic_motion_is_followed_exactly_whatever_the_delays():
    motion = np.polynomial.Polynomial([0.0, 0.4, -0.05, 0.003])
    targets, waits = motion(np.arange(1.0, 12.0)), [2, 2, 2, 2, 5, 18, 25, 12, 40, 1]
    run = played(generator(lead=0.0012, hold_timeout=1.0), 300, answering(targets, waits))
    time = run.steps - run.request + (run.counter + 1.2) / 20.0
    settled = slice(int(np.flatnonzero(run.request)[4]) + 1, None)
    assert set(run.mode[settled]) == {0, 1, 2, 3}
    np.testing.assert_allclose(run.command[settled], motion(time[settled]), rtol=0, atol=1e-12)


@pytest.mark.parametrize("wait", [5, 15, 30])
def test_the_command_steps_with_the_fourth_difference_when_the_target_comes(wait):
    targets = np.sin(0.5 * np.arange(1.0, 9.0))
    run = played(generator(hold_timeout=1.0), 180, answering(targets, [2, 2, 2, 2, wait]))
    at = int(np.flatnonzero(run.request)[4]) + wait  # the last tick of the extrapolation
    t = run.counter[at] / 20.0
    interpolated = np.dot([4.0, -6.0, 4.0, -1.0], run.command[at + 1 : at + 5])  # back by one tick, along a cubic
    known = np.concatenate([[0.0], targets])
    theory = np.diff(known[1:6], 4)[0] * t * (1 + t) * (2 + t) / 6
    assert interpolated - run.command[at] == pytest.approx(theory, rel=1e-9)


def test_packets_that_are_old_doubled_or_ahead_do_no_harm():
    waits = [3, 15, 9, 30, 0, 17, 8]
    plain, rng = answering(TARGETS, waits), np.random.default_rng(7)

    def noisy(tick, row):
        target, step = plain(tick, row)
        following = row["steps"] + 1.0
        if row["mode"] == 1.0 and row["request"] == 0.0:
            return 100.0 * rng.normal(), float(rng.choice([following, rng.integers(12)]))  # its own once more, too
        if step != following:
            return 100.0 * rng.normal(), float(rng.choice([n for n in range(12) if n != following]))
        return target, step

    clean = played(generator(hold_timeout=1.0), 230, answering(TARGETS, waits))
    disturbed = played(generator(hold_timeout=1.0), 230, noisy)
    assert set(clean.mode) == {0, 1, 2, 3}
    assert all(np.array_equal(getattr(clean, name), getattr(disturbed, name)) for name in NAMES)


def test_it_starts_at_rest_with_a_request():
    run = played(generator(initial_disp=0.25), 60, answering(TARGETS, []))
    assert (run.request[0], run.steps[0]) == (1.0, 0.0)
    assert run.request[1:].sum() == 0
    np.testing.assert_allclose(run.command[run.mode < 4], 0.25, rtol=1e-15)


@given(
    st.lists(st.integers(0, 45), min_size=1, max_size=8),
    st.integers(5, 30),
    st.floats(0.2, 0.6),
    st.floats(0.65, 0.8),
)
def test_every_path_lands_in_the_time_of_its_formula(waits, n, slow_at, hold_at):
    slow, hold = slow_at * n, hold_at * n
    if hold - slow < 1.0 or n - hold < 1.0:
        return
    block = generator(ticks_per_step=n, slow_at=slow_at, hold_at=hold_at, hold_timeout=10.0)
    run = played(block, 1 + sum(w + n + 1 for w in waits), answering(TARGETS, waits))
    assert len(durations(run)) == len(waits)
    for wait, measured in zip(waits, durations(run), strict=True):
        # slow and hold begin at the first k at or beyond their limits, which here need not be whole.
        if wait <= math.ceil(slow):
            theory = n
        elif wait < math.ceil(slow) + 2.0 * (hold - math.ceil(slow)):
            theory = n - math.ceil(slow) / 2 + wait / 2
        else:
            theory = wait + n - hold
        assert abs(measured - theory) <= 1.0
    assert (np.diff(run.counter)[run.request[:-1] == 0] >= 0).all()


def test_no_input_passes_through_within_the_tick():
    block = generator()
    assert block._kernels.feedthrough == dict.fromkeys(NAMES, frozenset())
    assert block.inlabels == ["target", "step", "force_meas"]
    assert block.outlabels == list(NAMES)


def test_timing_is_swept_without_building_anew():
    block = generator()
    changed = dict(ticks_per_step=1200, slow_at=0.5, hold_at=0.9, hold_timeout=2.0, lead=0.095, step_time=0.02)
    prepared = later(block, **changed)
    assert shapes(prepared) == shapes(block._prepared)
    assert prepared.p["lead"] == [95.0]


@pytest.mark.parametrize(("part", "tick"), [(0.07, 7.0), (0.29, 29.0), (0.57, 57.0), (0.295, 29.5)])
def test_a_part_of_a_step_next_to_a_whole_tick_is_that_tick(part, tick):
    assert generator(ticks_per_step=100, slow_at=part)._prepared.p["slow"] == tick


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(slow_at=0.0), "'slow_at' of block 'EventDriven' must be greater than 0, got 0.0"),
        (dict(hold_at=1.0), "'hold_at' of block 'EventDriven' must be less than 1, got 1.0"),
        (
            dict(slow_at=0.8, hold_at=0.6),
            "EventDriven slows down at 16, holds at 12 and ends at 20 ticks, but each must be a tick or more after",
        ),
        (dict(ticks_per_step=4), "slows down at 2.4, holds at 3.2 and ends at 4 ticks, but each must be a tick"),
        (dict(ticks_per_step=1200, slow_at=1e-4), "slows down at 0.12, holds at 960 and ends at 1200 ticks"),
        (dict(hold_at=0.97), "slows down at 12, holds at 19.4 and ends at 20 ticks"),
        (dict(mass=0.0), "needs mass above 0 and damping of 0 or more in every channel to unload it, got mass [0.0]"),
        (dict(width=2, mass=[1.0, -2.0]), "got mass [1.0, -2.0] and damping [0.2, 0.2]"),
        (dict(damping=-0.1), "got mass [1.0] and damping [-0.1]"),
        (dict(width=3, mass=[1.0, 1.0]), "mass has 2 numbers for 3 channel(s); give one for all of them or"),
        (dict(initial_disp=[1.0, 1.0]), "initial_disp has 2 numbers for 1 channel(s)"),
        (dict(lead=0.021), "A lead of 0.021 s is 21 ticks of 0.001 s, but must be 0 to 20 (1 step(s) of 20)"),
        (dict(hold_timeout=0.0), "'hold_timeout' of block 'EventDriven' must be greater than 0"),
        (dict(step_time=0.0), "'step_time' of block 'EventDriven' must be greater than 0"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    assert sentence in refusal(generator, **parameters)


@pytest.mark.parametrize("name", ["step_time", "mass", "damping"])
def test_what_free_vibration_needs_must_be_given(name):
    given = dict(step_time=0.01, mass=1.0, damping=0.2)
    del given[name]
    with pytest.raises(ParameterError, match=f"needs {name}= "):
        made(EventDriven, DT, **given)
