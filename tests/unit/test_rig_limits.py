"""Saturation, rate limit and backlash: what passes, what is cut, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_block import every_output, made, refusal, stepped

from hybsim.blocks.actuators.backlash import Backlash
from hybsim.blocks.actuators.rate_limit import RateLimit
from hybsim.blocks.actuators.saturation import Saturation

DT = 0.01
SIGNAL = 2.0 * np.random.default_rng(7).normal(size=80)


def rate_limit(**parameters):
    return made(RateLimit, DT, **parameters)


def backlash(**parameters):
    return made(Backlash, DT, **parameters)


# Saturation


@given(st.floats(-5.0, 5.0))
def test_a_signal_is_kept_within_its_limits_and_flagged(value):
    within, limited = Saturation(lower=-0.5, upper=2.0).output(0.0, [value], np.zeros(0))
    assert within == np.clip(value, -0.5, 2.0)
    assert limited == float(within != value)


def test_at_a_limit_nothing_is_flagged():
    block = Saturation(lower=-1.0, upper=2.0)
    assert [block.output(0.0, [v], np.zeros(0)) for v in (-1.0, 2.0)] == [[-1.0, 0.0], [2.0, 0.0]]


def test_each_channel_has_its_own_flag():
    within, limited = Saturation(lower=-1.0, upper=1.0, width=3).output(0.0, [[-2.0, 0.5, 3.0]], np.zeros(0))
    assert (list(within), list(limited)) == ([-1.0, 0.5, 1.0], [1.0, 0.0, 1.0])


# Rate limit


def test_the_rate_is_limited_both_ways():
    out = stepped(rate_limit(rising=30.0, falling=10.0), SIGNAL)
    expected, last = [], 0.0
    for value in SIGNAL:
        last = last + np.clip(value - last, -10.0 * DT, 30.0 * DT)
        expected.append(last)
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-14)
    steps = np.diff(out, prepend=0.0)
    assert steps.max() == pytest.approx(30.0 * DT, rel=1e-12)
    assert steps.min() == pytest.approx(-10.0 * DT, rel=1e-12)


def test_a_slow_signal_passes_bit_for_bit_and_without_a_flag():
    slow = np.sin(2.0 * math.pi * 0.5 * DT * np.arange(200))  # at most pi units/s
    out, limited = every_output(rate_limit(rising=3.2), slow)
    assert np.array_equal(out, slow)
    assert not limited.any()
    assert every_output(rate_limit(rising=2.0), slow)[1].any()


def test_a_step_takes_its_time_from_the_initial_value():
    out, limited = every_output(rate_limit(rising=25.0, initial=1.0), np.full(6, 2.0))
    np.testing.assert_allclose(out, [1.25, 1.5, 1.75, 2.0, 2.0, 2.0], rtol=1e-14)
    assert list(limited) == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]


def test_one_rate_serves_both_ways():
    assert np.array_equal(
        every_output(rate_limit(rising=20.0), SIGNAL), every_output(rate_limit(rising=20.0, falling=20.0), SIGNAL)
    )


# Backlash


def test_the_driven_side_moves_only_with_the_play_closed():
    path = [0.0, 0.2, 0.4, 1.0, 0.8, 0.4, 0.0, -0.3, 0.1]
    expected = [0.0, 0.0, 0.15, 0.75, 0.75, 0.65, 0.25, -0.05, -0.05]
    np.testing.assert_allclose(stepped(backlash(gap=0.5), path), expected, rtol=0, atol=1e-15)


@given(st.floats(0.0, 2.0), st.integers(0, 100))
def test_the_two_sides_are_never_further_apart_than_half_the_gap(gap, seed):
    path = np.random.default_rng(seed).normal(size=40)
    out = stepped(backlash(gap=gap), path)
    assert np.abs(out - path).max() <= 0.5 * gap + 1e-15
    still = np.abs(np.concatenate([[0.0], out[:-1]]) - path) < 0.5 * gap
    assert not np.diff(out, prepend=0.0)[still].any()


def test_no_play_passes_the_signal():
    assert np.array_equal(stepped(backlash(gap=0.0), SIGNAL), SIGNAL)


def test_a_cycle_loses_half_the_gap_and_adds_energy():
    gap, top = 0.4, 1.5
    path = top * np.sin(2.0 * math.pi * np.arange(20001) / 10000)
    out = stepped(backlash(gap=gap), path)
    path, out = path[10000:], out[10000:]
    assert (out.max(), out.min()) == (pytest.approx(top - gap / 2), pytest.approx(gap / 2 - top))
    work = np.sum(0.5 * (out[1:] + out[:-1]) * np.diff(path))
    assert work == pytest.approx(-2.0 * gap * (top - gap / 2), rel=1e-6)


def test_it_starts_where_it_is_told():
    assert list(stepped(backlash(gap=1.0, initial=2.0), [2.4, 2.6])) == [2.0, pytest.approx(2.1)]


# All of them


@pytest.mark.parametrize(
    ("block", "outs"),
    [
        (lambda: Saturation(lower=0.0, upper=1.0), ["within", "limited"]),
        (lambda: rate_limit(rising=1.0), ["followed", "limited"]),
        (lambda: backlash(gap=1.0), ["disp_driven"]),
    ],
)
def test_every_output_follows_the_input(block, outs):
    made = block()
    assert list(made.outs) == outs
    assert all(len(inputs) == 1 for inputs in made._kernels.feedthrough.values())


@pytest.mark.parametrize("make", [lambda w: rate_limit(rising=20.0, width=w), lambda w: backlash(gap=0.3, width=w)])
def test_channels_go_side_by_side(make):
    signals = np.random.default_rng(8).normal(size=(40, 3))
    got = stepped(make(3), signals)
    assert np.array_equal(got, np.column_stack([stepped(make(1), s) for s in signals.T]))


@pytest.mark.parametrize(
    ("make", "parameters", "sentence"),
    [
        (Saturation, dict(lower=1.0), "needs upper= (upper limit)"),
        (
            Saturation,
            dict(lower=2.0, upper=-1.0),
            "needs a lower limit below the upper one, got lower=2 and upper=-1; exchange them",
        ),
        (Saturation, dict(lower=1.0, upper=1.0), "needs a lower limit below the upper one"),
        (Saturation, dict(lower=-math.inf, upper=1.0), "'lower' of block 'limit' must be finite"),
        (rate_limit, {}, "needs rising="),
        (rate_limit, dict(rising=0.0), "'rising' of block 'limit' must be greater than 0, got 0.0"),
        (rate_limit, dict(rising=1.0, falling=-1.0), "'falling' of block 'limit' must be greater than 0, got -1.0"),
        (backlash, dict(gap=-0.1), "'gap' of block 'limit' must be at least 0, got -0.1"),
        (backlash, dict(gap="wide"), "must be a single number, got 'wide'"),
        (backlash, dict(gap=0.1, width=0), "'width' of block 'limit' must be at least 1, got 0"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(make, parameters, sentence):
    assert sentence in refusal(make, name="limit", **parameters)
