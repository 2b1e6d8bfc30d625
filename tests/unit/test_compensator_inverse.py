"""Inverse compensation: the actuator it inverts, straight lines, gain and phase, refusals."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from one_block import made, refusal, stepped

from hybsim.blocks.compensators.inverse_compensation import InverseCompensation
from hybsim.blocks.compensators.polynomial_predictor import Predictor

DT = 0.001
SIGNAL = np.random.default_rng(7).normal(size=80)
make = partial(made, InverseCompensation, dt=DT)


@pytest.mark.parametrize("a", [1.0, 2.5, 11.0])
def test_the_command_is_the_papers(a):
    before = np.concatenate([[0.4], SIGNAL[:-1]])
    got = stepped(make(delay=(a - 1.0) * DT, initial=0.4), SIGNAL)
    assert got == pytest.approx(a * SIGNAL - (a - 1.0) * before, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("a", [1.0, 2.5, 11.0, 40.3])
def test_the_first_order_actuator_gives_the_signal_itself(a):
    commands = stepped(make(delay=(a - 1.0) * DT), SIGNAL)
    position, positions = 0.0, []
    for command in commands:
        position = position + (command - position) / a
        positions.append(position)
    assert positions == pytest.approx(SIGNAL, abs=1e-12)


@pytest.mark.parametrize("delay", [0.0, 0.0004, 0.01, 0.0237])
def test_a_straight_line_is_led_exactly(delay):
    t = DT * np.arange(20)
    assert stepped(make(delay=delay, initial=1.0 - 3.0 * DT), 1.0 + 3.0 * t) == pytest.approx(
        1.0 + 3.0 * (t + delay), rel=1e-14
    )


@pytest.mark.parametrize("hertz", [1.0, 10.0, 125.0, 500.0])
def test_gain_and_phase_are_the_documented_ones(hertz):
    a, w = 6.0, 2.0 * math.pi * hertz
    waves = stepped(make(delay=(a - 1.0) * DT), np.cos(w * DT * np.arange(1001)))[1:]
    # A real signal at half the sampling rate has no phase; elsewhere the sum over whole periods is the response.
    share = np.sum(waves * np.exp(-1j * w * DT * np.arange(1, 1001))) / (1000.0 if hertz == 500.0 else 500.0)
    assert abs(share) == pytest.approx(math.sqrt(1.0 + 4.0 * a * (a - 1.0) * math.sin(w * DT / 2.0) ** 2), rel=1e-10)
    phase = math.atan2((a - 1.0) * math.sin(w * DT), a - (a - 1.0) * math.cos(w * DT))
    assert np.angle(share) == pytest.approx(phase, abs=1e-10)
    if hertz == 500.0:
        assert abs(share) == pytest.approx(2.0 * a - 1.0, rel=1e-12)


def test_it_is_the_predictor_of_order_one():
    predicted = stepped(made(Predictor, DT, horizon=0.0123, order=1), SIGNAL)
    assert stepped(make(delay=0.0123), SIGNAL) == pytest.approx(predicted, rel=1e-12, abs=1e-12)


def test_channels_side_by_side():
    signals = np.random.default_rng(2).normal(size=(30, 3))
    alone = np.column_stack([stepped(make(delay=0.004), channel) for channel in signals.T])
    assert np.array_equal(stepped(make(delay=0.004, width=3), signals), alone)


def test_ports_and_feedthrough():
    assert (InverseCompensation.inlabels, InverseCompensation.outlabels) == (["signal"], ["command"])
    assert make(delay=0.01)._kernels.feedthrough == {"command": frozenset({"signal"})}


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(), "needs delay= (low-frequency delay of the actuator in s, (a - 1) dt)"),
        (dict(delay=-0.001), "'delay' of block 'InverseCompensation' must be at least 0, got -0.001"),
        (dict(delay=math.inf), "'delay' of block 'InverseCompensation' must be finite"),
        (dict(delay=0.01, width=0), "'width' of block 'InverseCompensation' must be at least 1, got 0"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    assert sentence in refusal(make, **parameters)
