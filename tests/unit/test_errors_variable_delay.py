"""The variable delay: interpolation, limits that a running signal must keep, feedthrough, refusals."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_block import made, refusal, stepped

from hybsim.blocks.errors.time_delay import Delay
from hybsim.blocks.errors.variable_delay import VariableDelay
from hybsim.kernel.ieee import KernelFault

make = partial(made, VariableDelay)
SIGNAL = np.random.default_rng(3).normal(size=80)


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.004, 0.03, 0.0337, 0.29, 0.3])
def test_a_constant_delay_is_that_of_delay_bit_for_bit(delay):
    got = stepped(make(max_delay=0.3, initial=-2.5), SIGNAL, np.full(80, delay))
    fixed = made(Delay, delay=delay, max_delay=0.3, min_delay=0.0, initial=-2.5)
    assert np.array_equal(got, stepped(fixed, SIGNAL))


@given(st.lists(st.floats(0.0, 0.2), min_size=80, max_size=80), st.floats(-3.0, 3.0))
def test_a_changing_delay_reads_the_line_through_the_samples(delays, initial):
    t = 0.01 * np.arange(80)
    past = np.concatenate([[initial] * 30, SIGNAL])
    expected = np.interp(t - np.array(delays), 0.01 * np.arange(-30, 80), past)
    got = stepped(make(max_delay=0.2, initial=initial), SIGNAL, delays)
    assert got == pytest.approx(expected, abs=2e-7)  # the rounding of delays within 1e-9 of a tick included


def test_a_growing_delay_lowers_the_frequency():
    """The Doppler effect: a delay that grows by a share of time stretches the signal by as much."""
    k = np.arange(2000)
    wave = np.sin(2.0 * math.pi * 0.01 * k)
    got = stepped(make(max_delay=3.0), wave, 0.1 * 0.01 * k)
    assert got == pytest.approx(np.sin(2.0 * math.pi * 0.01 * 0.9 * k), abs=2 * (2 * math.pi * 0.01) ** 2 / 8)


def test_channels_are_delayed_side_by_side():
    signal = np.random.default_rng(4).normal(size=(60, 2))
    delays = np.linspace(0.0, 0.1, 60)
    got = stepped(make(max_delay=0.1, width=2), signal, delays)
    assert np.array_equal(got, np.column_stack([stepped(make(max_delay=0.1), c, delays) for c in signal.T]))


@pytest.mark.parametrize(
    ("parameters", "needed"),
    [
        (dict(max_delay=0.1), {"signal", "delay"}),
        (dict(max_delay=0.1, min_delay=0.005), {"signal", "delay"}),
        (dict(max_delay=0.1, min_delay=0.01), {"delay"}),
    ],
)
def test_the_signal_passes_through_only_below_one_tick(parameters, needed):
    assert make(**parameters)._kernels.feedthrough == {"delayed": frozenset(needed)}


def test_ports():
    assert (VariableDelay.inlabels, VariableDelay.outlabels) == (["signal", "delay"], ["delayed"])


@pytest.mark.parametrize(
    ("delay", "reason"),
    [
        (-0.01, "the delay is below min_delay"),
        (0.019, "the delay is below min_delay"),
        (math.nan, "the delay is below min_delay (0 s unless declared) or not a number; limit the signal"),
        (-math.inf, "the delay is below min_delay"),
        (0.1001, "the delay is beyond max_delay; declare a longer max_delay or limit the signal"),
        (1e300, "the delay is beyond max_delay"),
        (math.inf, "the delay is beyond max_delay"),
    ],
)
def test_a_delay_outside_its_limits_stops_the_run_and_is_not_used(delay, reason):
    block = make(max_delay=0.1, min_delay=0.02)
    x = block._x0
    for value in SIGNAL[:30]:
        x = block.next(0.0, [value, 0.05], x)
    assert math.isfinite(block.output(0.0, [1.0, delay], x)[0])
    with pytest.raises(KernelFault) as caught:
        block.next(0.0, [1.0, delay], x)
    assert reason in str(caught.value)


@pytest.mark.parametrize("delay", [0.1, 0.1 * (1 + 1e-12), 0.02, 0.02 * (1 - 1e-12)])
def test_a_delay_next_to_its_limit_is_within(delay):
    block = make(max_delay=0.1, min_delay=0.02)
    block.next(0.0, [1.0, delay], block._x0)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (dict(), "needs max_delay= (longest delay in s"),
        (dict(max_delay=-0.1), "'max_delay' of block 'late' must be at least 0, got -0.1"),
        (dict(max_delay=0.1, min_delay=-0.1), "'min_delay' of block 'late' must be at least 0, got -0.1"),
        (dict(max_delay=0.1, min_delay=0.2), "min_delay=0.2 s is longer than max_delay=0.1 s; exchange or widen them"),
        (dict(max_delay=1e6), "max_delay=1e+06 s is 100000000 ticks of 0.01 s, but at most 20000000"),
    ],
)
def test_refusals_are_one_sentence(parameters, words):
    assert words in refusal(make, name="late", **parameters)
