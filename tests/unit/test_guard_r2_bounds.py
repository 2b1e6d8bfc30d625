"""R2: no command that is sent ever breaks position, velocity or acceleration bounds, whatever the diagram asks.

Sequences are made in bulk and the guard runs in C; the bounds are checked on what was sent, with numpy.
"""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from guard_bench import COMMANDS, DT, MEASURED, Bench, configuration
from hypothesis import given
from hypothesis import strategies as st

from hybsim.runtime.guard_tables import EVENTS, STATES, Guard, Inputs

LIVE = [list(STATES).index(name) for name in ("ARMED", "RUNNING", "PAUSED", "RAMP_DOWN")]
TOLERANCE = 1e-9
"""Of the bound, for the rounding of differences."""

ODD = np.array([np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -5e-324, 0.0, -0.0, 9.99, -9.99, 10.0, -10.0, 1e-3])


def view(structure, count):
    """A number of structures as one array of records."""
    fields = [
        (name, "<i8" if kind._type_ is ctypes.c_int64 else "<f8", (kind._length_,)) for name, kind in structure._fields_
    ]
    return np.zeros(count, dtype=fields)


def wished(rng, sequences, ticks):
    """What a diagram may ask for: walks of any roughness, with steps, odd numbers and repeats."""
    rough = 10.0 ** rng.uniform(-8, 2, (sequences, 1, COMMANDS))
    walk = np.cumsum(np.cumsum(rough * rng.normal(size=(sequences, ticks, COMMANDS)), axis=1) * DT, axis=1)
    jumps = rng.random((sequences, ticks, COMMANDS)) < rng.choice([0.0, 0.01, 0.2], (sequences, 1, 1))
    return np.where(jumps, rng.choice(ODD, jumps.shape), walk)


def check(config, history):
    """The bounds on two commands and on three, where all were sent one after the other."""
    sent = (history["send"][:, 0] == 1) & np.isin(history["state"][:, 0], LIVE)
    held = history["held"][:, 0] == 1
    command = history["command"][:, :COMMANDS]
    low, high = np.array(config["low"][:COMMANDS]), np.array(config["high"][:COMMANDS])
    velocity = np.array(config["velocity"][:COMMANDS])
    acceleration = np.array(config["acceleration"][:COMMANDS])
    slack = TOLERANCE * (high - low)
    assert np.isfinite(command[sent]).all()
    assert (command[sent] >= low - slack).all() and (command[sent] <= high + slack).all()
    kept = command[sent & ~held]
    speed = np.diff(kept, axis=0) / DT
    assert (np.abs(speed) <= velocity * (1 + TOLERANCE) + slack).all()
    change = np.diff(speed, axis=0)
    assert (np.abs(change) <= acceleration * DT * (1 + TOLERANCE) + slack / DT).all()
    return int(sent.sum())


def play(config, wanted, events, late=None, energy=None, feedback=True):
    """One sequence from RUNNING; the device does what it is told where `feedback`."""
    bench = Bench(config).to("RUNNING")
    ticks = len(wanted)
    inputs = view(Inputs, ticks)
    for name in ("frame", "healthy", "log_ready", "timing_passed", "has_sample"):
        inputs[name] = 1
    inputs["event"][:, 0] = events
    inputs["wanted"][:, :COMMANDS] = wanted
    inputs["measured"][:, :MEASURED] = 1e-6 * (-1.0) ** np.arange(ticks)[:, None]
    if late is not None:
        inputs["late"][:, 0] = late
    history = view(Guard, ticks)
    bench.lib.hg_run(
        ctypes.byref(config), inputs.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(ticks), ctypes.byref(bench.guard),
        history.ctypes.data_as(ctypes.c_void_p),
    )  # fmt: skip
    return history


LOOSE = dict(error_least=[1e9] * 3, noise_floor=[1e9] * 3, hard_rate=[1e9] * 3)
"""Sensors that never trip: the bounds must hold by what the guard does to the commands."""


def random_play(rng, sequences, ticks, **changes):
    config = configuration(**LOOSE, **changes)
    asked = [list(EVENTS).index(name) for name in ("PAUSE", "RESUME", "END", "FADE")]
    wanted = wished(rng, sequences, ticks)
    total = 0
    for one in range(sequences):
        # Mostly nothing, then now and then an operator who pauses and goes on.
        events = np.where(rng.random(ticks) < 0.05, rng.choice(asked, ticks, p=[0.3, 0.6, 0.02, 0.08]), 0)
        late = np.where(rng.random(ticks) < 0.002, 0.3 * DT, 0.0)
        total += check(config, play(config, wanted[one], events, late))
    return total


def test_R2_a_thousand_random_sequences_stay_within_the_bounds():
    assert random_play(np.random.default_rng(20261118), 1000, 400) > 300_000


def test_R2_moves_as_hard_as_the_soft_limits_allow_stay_within_them_too():
    """The joints of a way back and a run-up in the other direction leave no slack for half an acceleration more."""
    hard = dict(move_acceleration=[4000.0, 2000.0], move_velocity=[100.0, 50.0])
    assert random_play(np.random.default_rng(3), 300, 400, **hard) > 90_000


@pytest.mark.slow
def test_R2_a_hundred_thousand_random_sequences_stay_within_the_bounds():
    assert random_play(np.random.default_rng(1), 100_000, 200) > 10_000_000


@given(st.lists(st.tuples(*[st.floats(allow_nan=True, allow_infinity=True)] * COMMANDS), min_size=1, max_size=60))
def test_R2_any_floats_stay_within_the_bounds(wanted):
    config = configuration(**LOOSE)
    check(config, play(config, np.array(wanted), np.zeros(len(wanted))))


def test_R2_a_fast_sine_is_followed_as_long_as_it_keeps_the_bounds():
    """The guard changes nothing of a good command: sent == wanted, bit for bit."""
    t = DT * np.arange(2000)
    place = 4.0 * np.sin(2 * np.pi * 2.0 * t) * (1.0 - np.cos(np.pi * np.minimum(t, 1.0))) / 2.0
    config = configuration(**LOOSE)
    history = play(config, np.stack([place, 0.5 * place], axis=1), np.zeros(len(t)))
    assert (history["state"][:, 0] == list(STATES).index("RUNNING")).all()
    np.testing.assert_array_equal(history["command"][:, 0], place)


def test_the_check_sees_a_broken_bound():
    """The check itself can fail: a jump, a speed and a kink that the guard would never send."""
    config = configuration()
    for bad in ([0.0, 11.0, 11.0], [0.0, 0.2, 0.4], [0.0, 0.0, 0.01]):
        history = view(Guard, len(bad))
        history["state"], history["send"] = LIVE[1], 1
        history["command"][:, 0] = bad
        with pytest.raises(AssertionError):
            check(config, history)
