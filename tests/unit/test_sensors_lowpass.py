"""The Butterworth low-pass filter against scipy's, its delay, its constant, its start, refusals."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from one_block import later, made, refusal, shapes, stepped
from scipy import signal as dsp

from hybsim.blocks.sensors.lowpass import LowPass

ORDERS = range(1, 9)
lowpass = partial(made, LowPass, dt=0.001)
NOISE = np.random.default_rng(7).normal(size=400)


@pytest.mark.parametrize("cutoff", [5.0, 50.0, 400.0])
@pytest.mark.parametrize("order", ORDERS)
def test_the_filter_is_scipys(order, cutoff):
    sections = dsp.butter(order, cutoff, fs=1000.0, output="sos")
    got = stepped(lowpass(cutoff=cutoff, order=order), NOISE)
    assert got == pytest.approx(dsp.sosfilt(sections, NOISE), rel=0, abs=1e-11)


@pytest.mark.parametrize("order", ORDERS)
def test_the_gain_at_the_cutoff_is_one_over_root_two(order):
    ticks, cycles = 500, 25  # 50 Hz
    wave = np.sin(2.0 * math.pi * cycles * np.arange(4 * ticks) / ticks)
    got = stepped(lowpass(cutoff=50.0, order=order), wave)[-ticks:]
    gain = abs(np.fft.rfft(got)[cycles] / np.fft.rfft(wave[-ticks:])[cycles])
    assert gain == pytest.approx(math.sqrt(0.5), abs=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_slow_signals_are_delayed_as_documented(order):
    """A ramp, in the steady state, is late by the delay at low frequency."""
    cutoff, dt = 50.0, 0.001
    ramp = np.arange(600.0)
    got = stepped(lowpass(dt=dt, cutoff=cutoff, order=order), ramp)
    late = (ramp[-1] - got[-1]) * dt
    half = math.sin(math.pi / (2 * order))
    assert late == pytest.approx(dt / (2.0 * math.tan(math.pi * cutoff * dt) * half), rel=1e-8)
    assert late == pytest.approx(1.0 / (2.0 * math.pi * cutoff * half), rel=0.01)


@pytest.mark.parametrize("cutoff", [0.01, 50.0, 499.9])
@pytest.mark.parametrize("order", ORDERS)
def test_a_settled_filter_passes_a_constant_to_the_last_bit(order, cutoff):
    constant = 0.1 + 1.0 / 3.0
    assert (stepped(lowpass(cutoff=cutoff, order=order, initial=constant), np.full(50, constant)) == constant).all()


@pytest.mark.parametrize("order", ORDERS)
def test_a_filter_at_rest_settles_at_a_constant(order):
    got = stepped(lowpass(cutoff=50.0, order=order), np.full(600, 3.7))
    assert abs(got[0]) < 3.7 / 2
    assert got[-1] == pytest.approx(3.7, rel=1e-13)


def test_channels_are_filtered_side_by_side():
    signal = np.random.default_rng(4).normal(size=(60, 3))
    got = stepped(lowpass(cutoff=40.0, order=5, width=3, initial=0.2), signal)
    alone = [stepped(lowpass(cutoff=40.0, order=5, initial=0.2), c) for c in signal.T]
    assert np.array_equal(got, np.column_stack(alone))


def test_the_order_is_a_parameter_of_one_program():
    block = lowpass(cutoff=40.0, order=1)
    assert shapes(later(block, order=8)) == shapes(block._prepared)


def test_ports_and_feedthrough():
    assert (LowPass.inlabels, LowPass.outlabels) == (["signal"], ["filtered"])
    assert lowpass(cutoff=1.0)._kernels.feedthrough == {"filtered": frozenset({"signal"})}


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (dict(), "needs cutoff= "),
        (dict(cutoff=0.0), "'cutoff' of block 'filter' must be greater than 0, got 0.0"),
        (
            dict(cutoff=500.0),
            "The cutoff of 500 Hz must be below 500 Hz, half the rate of the filter; lower it or use a shorter tick",
        ),
        (dict(cutoff=1e4), "The cutoff of 10000 Hz must be below 500 Hz"),
        (dict(cutoff=50.0, order=0), "'order' of block 'filter' must be at least 1, got 0"),
        (dict(cutoff=50.0, order=9), "'order' of block 'filter' must be at most 8, got 9"),
        (dict(cutoff=50.0, order=2.5), "'order' of block 'filter' must be a whole number, got 2.5"),
    ],
)
def test_refusals_are_one_sentence(parameters, words):
    assert words in refusal(lowpass, name="filter", **parameters)
