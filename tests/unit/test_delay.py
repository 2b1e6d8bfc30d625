"""The time delay: whole and fractional ticks, feedthrough, and delays that a built program cannot take."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_block import later, made, refusal, shapes, stepped

from hybsim.blocks.errors.time_delay import Delay
from hybsim.errors import ParameterError

make = partial(made, Delay)


def passes_through(block):
    return bool(block._kernels.feedthrough["delayed"])


SIGNAL = np.random.default_rng(3).normal(size=60)


@pytest.mark.parametrize(("delay", "n"), [(0.01, 1), (0.03, 3), (0.07, 7), (0.29, 29), (0.57, 57)])
def test_whole_ticks_give_the_samples_back_bit_for_bit(delay, n):
    expected = np.concatenate([np.full(n, -2.5), SIGNAL[:-n]])
    assert np.array_equal(stepped(make(delay=delay, initial=-2.5), SIGNAL), expected)


@pytest.mark.parametrize("delay", [0.03, 0.0300000000001, 0.0299999999999])
def test_a_delay_next_to_a_whole_tick_is_that_tick(delay):
    p = make(delay=delay)._prepared.p
    assert (p["whole"], p["fraction"]) == (3, 0.0)


@given(st.floats(0.0, 0.2), st.floats(-3.0, 3.0))
def test_fractions_are_interpolated_between_ticks(delay, initial):
    t = 0.01 * np.arange(len(SIGNAL))
    past = np.concatenate([[initial] * 30, SIGNAL])
    expected = np.interp(t - delay, 0.01 * np.arange(-30, len(SIGNAL)), past)
    got = stepped(make(delay=delay, initial=initial), SIGNAL)
    assert got == pytest.approx(expected, abs=2e-7)  # the rounding of n within 1e-9 of a tick included


def test_no_delay_is_the_signal_itself():
    assert np.array_equal(stepped(make(delay=0.0), SIGNAL), SIGNAL)


def test_a_straight_line_is_delayed_exactly_and_a_sine_loses_the_documented_gain():
    line = 4.0 * np.arange(40.0)
    assert stepped(make(delay=0.025), line)[5:] == pytest.approx(4.0 * (np.arange(5, 40) - 2.5), rel=1e-14)
    omega, f = 2.0 * math.pi * 10.0, 0.5
    wave = np.sin(omega * 0.01 * np.arange(400))
    got = stepped(make(delay=0.015), wave)[100:]
    gain = abs(1.0 - f + f * np.exp(-1j * omega * 0.01))
    assert math.sqrt(2.0) * got.std() == pytest.approx(gain, rel=1e-12)


def test_channels_are_delayed_side_by_side():
    signal = np.random.default_rng(4).normal(size=(30, 3))
    got = stepped(make(delay=0.034, width=3), signal)
    assert np.array_equal(got, np.column_stack([stepped(make(delay=0.034), c) for c in signal.T]))


def test_room_for_longer_delays_does_not_change_the_output():
    roomy = make(delay=0.0475, max_delay=0.5, min_delay=0.0)
    assert np.array_equal(stepped(roomy, SIGNAL), stepped(make(delay=0.0475), SIGNAL))


@pytest.mark.parametrize(
    ("parameters", "through"),
    [
        (dict(delay=0.0), True),
        (dict(delay=0.004), True),
        (dict(delay=0.01), False),
        (dict(delay=0.0100000000001), False),
        (dict(delay=0.015), False),
        (dict(delay=0.015, min_delay=0.0), True),
        (dict(delay=0.015, min_delay=0.01), False),
        (dict(delay=0.015, min_delay=0.005), True),
    ],
)
def test_the_input_passes_through_only_below_one_tick(parameters, through):
    block = make(**parameters)
    assert passes_through(block) is through
    assert block._feedthrough is through


def test_ports():
    assert (Delay.nin, Delay.nout) == (1, 1)
    assert (Delay.inlabels, Delay.outlabels) == (["signal"], ["delayed"])


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(), "needs delay= (delay in s)"),
        (dict(delay=-0.01), "'delay' of block 'Delay' must be at least 0, got -0.01"),
        (dict(delay=math.nan), "'delay' of block 'Delay' must be finite"),
        (dict(delay=10**400), "'delay' of block 'Delay' must be finite, got a whole number beyond"),
        (dict(delay="long"), "must be a single number, got 'long'"),
        (dict(delay=0.1, width=0), "'width' of block 'Delay' must be at least 1, got 0"),
        (dict(delay=0.1, delays=3), "has no parameter 'delays'. Did you mean 'delay'"),
        (
            dict(delay=0.1, max_delay=0.05),
            "delay of 0.1 s is longer than max_delay=0.05 s; declare max_delay=",
        ),
        (
            dict(delay=0.01, min_delay=0.02),
            "delay of 0.01 s is shorter than min_delay=0.02 s; declare min_delay=",
        ),
        (dict(delay=1e6), "max_delay=1e+06 s is 100000000 ticks of 0.01 s, but at most 20000000"),
        (dict(delay=1e300), "A time of 1e+300 s cannot be counted in ticks of 0.01 s; check its unit"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    assert sentence in refusal(make, **parameters)


def test_a_later_delay_must_fit_the_block_as_it_was_made():
    block = make(delay=0.03)
    with pytest.raises(ParameterError, match=r"delay of 0\.05 s is longer than max_delay=0\.03 s; declare max_delay="):
        later(block, delay=0.05)
    with pytest.raises(ParameterError, match=r"delay of 0\.004 s is shorter than min_delay=0\.01 s.*below one tick"):
        later(block, delay=0.004)


@pytest.mark.parametrize("delay", [0.01, 0.0133, 0.02, 0.2])
def test_delays_within_the_declared_limits_keep_the_shape_of_the_program(delay):
    block = make(delay=0.03, max_delay=0.2)
    assert shapes(later(block, delay=delay)) == shapes(block._prepared)


def test_a_delay_longer_than_the_run_is_refused():
    spec = make(delay=0.5).spec()
    spec.check_run(spec.parameters, 0.01, 0.5)
    with pytest.raises(ParameterError, match=r"delay of 0\.5 s is longer than the run of 0\.4 s; run longer or"):
        spec.check_run(spec.parameters, 0.01, 0.4)
