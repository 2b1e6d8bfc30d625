"""Phase lead: Tustin's coefficients against python-control, the benchmark's lead, rest, straight lines, refusals."""

from __future__ import annotations

from functools import partial

import control
import numpy as np
import pytest
from one_block import made, refusal, stepped
from scipy.signal import lfilter

from hybsim.blocks.compensators.phase_lead import PhaseLead

SIGNAL = np.random.default_rng(8).normal(size=200)
make = partial(made, PhaseLead, dt=0.001)


def discrete(num, den, dt):
    """Coefficients by python-control: numerator and denominator in powers of z^-1."""
    system = control.sample_system(control.tf(num, den), dt, method="tustin")
    return system.num[0][0], system.den[0][0]


@pytest.mark.parametrize(
    ("gain", "lead", "lag"), [(1.0, 0.02, 0.005), (2.5, 0.0, 0.01), (1.0, 0.004, 0.004), (-0.7, 0.01, 0.03)]
)
def test_output_is_that_of_the_discretised_transfer_function(gain, lead, lag):
    expected = lfilter(*discrete([gain * lead, gain], [lag, 1.0], 0.001), SIGNAL)
    assert stepped(make(gain=gain, lead=lead, lag=lag), SIGNAL) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_the_lead_of_the_benchmark_problem():
    c, d, dt = 50.8316336, 8570.39734, 1.0 / 4096.0
    block = make(dt=dt, lead=c / d, lag=1.0 / d)
    assert stepped(block, SIGNAL) == pytest.approx(lfilter(*discrete([c, d], [1.0, d], dt), SIGNAL), rel=1e-9, abs=1e-9)


def test_a_straight_line_is_led_by_lead_less_lag():
    t = 0.001 * np.arange(400)
    got = stepped(make(lead=0.012, lag=0.005), 2.0 * t)
    assert got[300:] == pytest.approx(2.0 * (t[300:] + 0.007), rel=1e-12)


def test_what_rests_stays_at_rest():
    got = stepped(make(lead=0.012, lag=0.005, gain=1.2, initial=-3.0), np.full(50, -3.0))
    assert got == pytest.approx(np.full(50, -3.6), rel=1e-13)


def test_high_frequencies_grow_by_lead_over_lag():
    alternating = np.where(np.arange(400) % 2 == 0, 1.0, -1.0)
    assert np.abs(stepped(make(lead=0.02, lag=0.004), alternating)[-2:]) == pytest.approx([5.0, 5.0], rel=1e-9)


def test_channels_side_by_side():
    signals = np.random.default_rng(2).normal(size=(30, 2))
    alone = np.column_stack([stepped(make(lead=0.02, lag=0.005), channel) for channel in signals.T])
    assert np.array_equal(stepped(make(lead=0.02, lag=0.005, width=2), signals), alone)


def test_ports_and_feedthrough():
    assert (PhaseLead.inlabels, PhaseLead.outlabels) == (["signal"], ["command"])
    assert make(lead=0.02, lag=0.005)._kernels.feedthrough == {"command": frozenset({"signal"})}


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(lag=0.01), "needs lead= (time constant of the zero in s)"),
        (dict(lead=0.01, lag=0.0), "'lag' of block 'PhaseLead' must be greater than 0, got 0.0"),
        (dict(lead=-0.01, lag=0.01), "'lead' of block 'PhaseLead' must be at least 0, got -0.01"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    assert sentence in refusal(make, **parameters)
