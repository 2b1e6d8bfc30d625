"""Sensor errors: gain, offset and drift, for one channel and several, and refusals."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from one_block import made, refusal, stepped

from hybsim.blocks.errors.sensor_error import SensorError

sensor = partial(made, SensorError)
SIGNAL = np.random.default_rng(1).normal(size=300)


@pytest.mark.parametrize("dt", [0.01, 0.001])
def test_gain_offset_and_drift(dt):
    # The time given is wrong on purpose: a sensor counts its own ticks.
    got = stepped(sensor(dt=dt, gain_error=-0.02, offset=0.3, drift=0.7), SIGNAL, time=123.0)
    assert got == pytest.approx(0.98 * SIGNAL + 0.3 + 0.7 * dt * np.arange(300), rel=1e-14)


def test_a_sensor_without_errors_gives_the_signal_back_bit_for_bit():
    assert np.array_equal(stepped(sensor(), SIGNAL), SIGNAL)


def test_channels_have_their_own_errors():
    signal = np.random.default_rng(2).normal(size=(50, 2))
    got = stepped(sensor(gain_error=[0.1, -0.1], offset=1.0, drift=[0.0, 5.0], width=2), signal)
    expected = signal * [1.1, 0.9] + 1.0 + np.outer(0.01 * np.arange(50), [0.0, 5.0])
    assert got == pytest.approx(expected, rel=1e-13)


def test_ports_and_feedthrough():
    assert (SensorError.inlabels, SensorError.outlabels) == (["signal"], ["measured"])
    assert sensor()._kernels.feedthrough == {"measured": frozenset({"signal"})}


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (dict(offset=[1.0, 2.0, 3.0], width=2), "offset has 3 numbers for 2 channel(s); give one for all of them"),
        (dict(gain_error=float("nan")), "'gain_error' of block 'sensor' must hold finite numbers only"),
        (dict(drift="much"), "'drift' of block 'sensor' must be a number or an array of numbers, got 'much'"),
        (dict(gain=0.1), "has no parameter 'gain'. Did you mean 'gain_error'"),
    ],
)
def test_refusals_are_one_sentence(parameters, words):
    assert words in refusal(sensor, name="sensor", **parameters)
