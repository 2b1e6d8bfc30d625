"""Displacement lag: the formula of EERC Fig. 3-5 (as corrected), the start, the delay it means, refusals."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from one_block import made, refusal, stepped

from hybsim.blocks.errors.displacement_lag import DisplacementLag

lag = partial(made, DisplacementLag)


def test_error_is_a_normal_number_times_the_increment():
    rng = np.random.default_rng(1)
    u, e = rng.normal(size=500), rng.normal(size=500)
    du = np.diff(u, prepend=u[0])
    expected = u - (0.4 + math.sqrt(0.09) * e) * du
    np.testing.assert_allclose(stepped(lag(mean=0.4, variance=0.09), u, e), expected, rtol=0, atol=1e-14)


def test_mean_and_variance_are_those_of_eta():
    rng = np.random.default_rng(2)
    u = np.cumsum(1.0 + rng.random(100_000))
    eta = ((u - stepped(lag(mean=0.3, variance=0.04), u, rng.normal(size=u.size)))[1:]) / np.diff(u)
    # Three standard errors of a sample of this size.
    assert eta.mean() == pytest.approx(0.3, abs=3 * math.sqrt(0.04 / u.size))
    assert eta.var() == pytest.approx(0.04, abs=3 * 0.04 * math.sqrt(2 / u.size))


@pytest.mark.parametrize("mean", [0.2, 1.0, -0.5])
def test_a_sine_is_delayed_by_mean_times_dt(mean):
    dt, ticks = 0.01, 400
    k = np.arange(3 * ticks)
    u = np.sin(2 * math.pi * k / ticks)
    y = stepped(lag(dt=dt, mean=mean), u, np.zeros(k.size))[-ticks:]
    phase = np.angle(np.fft.rfft(y)[1] / np.fft.rfft(u[-ticks:])[1])
    omega = 2 * math.pi / (ticks * dt)
    exact = np.angle(1 - mean * (1 - np.exp(-1j * omega * dt)))
    assert phase == pytest.approx(exact, abs=1e-12)
    assert -phase / omega == pytest.approx(mean * dt, rel=1e-3)


def test_the_actuator_starts_at_rest_at_the_first_command():
    assert stepped(lag(mean=0.5), [2.0, 2.0, 3.0], [0.0, 0.0, 0.0]).tolist() == [2.0, 2.0, 2.5]


def test_channels_are_independent():
    block = lag(mean=0.5, variance=1.0, width=2)
    x = block.next(0.0, [[1.0, 10.0], [0.0, 0.0]], block.getstate0())
    assert block.output(0.0, [[2.0, 14.0], [0.0, 1.0]], x)[0].tolist() == [1.5, 14.0 - 1.5 * 4.0]


def test_command_and_noise_pass_through():
    assert lag(mean=0.1)._kernels.feedthrough == {"applied": frozenset({"disp_cmd", "noise"})}


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "needs mean= (mean of eta"),
        ({"mean": 0.1, "variance": -0.01}, "'variance' of block 'lag' must be at least 0, got -0.01"),
        ({"mean": math.inf}, "'mean' of block 'lag' must be finite"),
        ({"mean": 0.1, "width": 1.5}, "'width' of block 'lag' must be a whole number"),
        ({"means": 0.1}, "has no parameter 'means'. Did you mean 'mean'"),
    ],
)
def test_refusals_are_one_sentence(parameters, words):
    assert words in refusal(lag, name="lag", **parameters)
