"""Zero- and first-order hold: samples, lines, frequency responses against theory, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from one_block import made, refusal, stepped

from hybsim.blocks.sensors.first_order_hold import FirstOrderHold
from hybsim.blocks.sensors.hold import Hold

SIGNAL = np.random.default_rng(3).normal(size=63)


@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_hold_keeps_the_sample_of_every_period(n):
    got = stepped(made(Hold, period=n * 0.01), SIGNAL)
    assert np.array_equal(got, SIGNAL[np.arange(63) // n * n])


@pytest.mark.parametrize("n", [1, 2, 5, 7])
@pytest.mark.parametrize("mode", ["extrapolated", "delayed"])
def test_first_order_hold_draws_the_line_through_two_samples(mode, n):
    got = stepped(made(FirstOrderHold, period=n * 0.01, mode=mode, initial=0.4), SIGNAL)
    samples = np.concatenate([[0.4], SIGNAL[::n]])
    k = np.arange(63)
    j, share = k // n + 1, (k % n) / n
    start = samples[j] if mode == "extrapolated" else samples[j - 1]
    assert got == pytest.approx(start + (samples[j] - samples[j - 1]) * share, abs=1e-14)


def test_a_ramp_is_followed_without_delay_or_a_period_late():
    ramp = 3.0 * np.arange(50.0)
    assert stepped(made(FirstOrderHold, period=0.05), ramp)[5:] == pytest.approx(ramp[5:], rel=1e-14)
    late = stepped(made(FirstOrderHold, period=0.05, mode="delayed"), ramp)
    assert late[10:] == pytest.approx(ramp[5:-5], rel=1e-14)


def test_the_delayed_line_is_continuous():
    got = stepped(made(FirstOrderHold, period=0.07, mode="delayed"), SIGNAL)
    samples = np.concatenate([[0.0], SIGNAL[::7]])
    assert np.abs(np.diff(got)).max() <= np.abs(np.diff(samples)).max() / 7 + 1e-14


# Whole cycles of a sine, not so short that an image of it falls on the frequency itself.
N, CYCLES, TICKS = 10, (1, 7, 23, 41), 1000


def response(block, cycles):
    """The complex gain at `cycles` in TICKS ticks, in the steady state."""
    wave = np.sin(2.0 * math.pi * cycles * np.arange(2 * TICKS) / TICKS)
    got = stepped(block, wave)[-TICKS:]
    return np.fft.rfft(got)[cycles] / np.fft.rfft(wave[-TICKS:])[cycles]


def at_ticks(cycles):
    """The mean of N ticks."""
    z = np.exp(2j * math.pi * cycles / TICKS)
    return (1.0 - z**-N) / (N * (1.0 - 1.0 / z))


def in_time(cycles):
    """H_0(j w) = (1 - exp(-j w T)) / (j w T)."""
    wt = 2.0 * math.pi * cycles * N / TICKS
    return (1.0 - np.exp(-1j * wt)) / (1j * wt), wt


@pytest.mark.parametrize("cycles", CYCLES)
def test_frequency_responses_are_those_of_theory(cycles):
    z = np.exp(2j * math.pi * cycles / TICKS)
    zero = response(made(Hold, period=N * 0.01), cycles)
    late = response(made(FirstOrderHold, period=N * 0.01, mode="delayed"), cycles)
    ahead = response(made(FirstOrderHold, period=N * 0.01), cycles)
    assert zero == pytest.approx(at_ticks(cycles), abs=1e-12)
    # The triangle of the delayed hold is two means of N ticks, from the second tick on.
    assert late == pytest.approx(at_ticks(cycles) ** 2 / z, abs=1e-12)
    ramp = np.sum(np.arange(N) / N * z ** -np.arange(N)) / N
    assert ahead == pytest.approx(at_ticks(cycles) + (1.0 - z**-N) * ramp, abs=1e-12)
    # In continuous time, with the tick's own hold of dt/2; the line is itself taken at ticks.
    exact, wt = in_time(cycles)
    tick = (1.0 - 1.0 / z) / (1j * wt / N)
    assert zero * tick == pytest.approx(exact, abs=1e-12)
    assert late * tick**2 * z == pytest.approx(exact**2, abs=1e-12)
    assert abs(ahead) == pytest.approx(abs((1.0 + 1j * wt) * exact**2), rel=0.08)


def test_a_hold_delays_slow_signals_by_half_its_period():
    omega = 2.0 * math.pi / (TICKS * 0.01)
    zero, late = (
        response(made(c, period=N * 0.01, **m), 1) for c, m in ((Hold, {}), (FirstOrderHold, dict(mode="delayed")))
    )
    # (T - dt)/2 at the ticks; the tick's own hold adds dt/2.
    assert -np.angle(zero) / omega + 0.005 == pytest.approx(0.05, rel=1e-9)
    assert -np.angle(late) / omega == pytest.approx(0.1, rel=1e-9)


@pytest.mark.parametrize("cls", [Hold, FirstOrderHold])
def test_channels_are_held_side_by_side(cls):
    signal = np.random.default_rng(4).normal(size=(30, 3))
    got = stepped(made(cls, period=0.04, width=3), signal)
    assert np.array_equal(got, np.column_stack([stepped(made(cls, period=0.04), c) for c in signal.T]))


def test_ports_and_feedthrough():
    for cls in (Hold, FirstOrderHold):
        assert (cls.inlabels, cls.outlabels) == (["signal"], ["held"])
        assert made(cls, period=0.05)._kernels.feedthrough == {"held": frozenset({"signal"})}
    assert made(FirstOrderHold, period=0.05, mode="delayed")._kernels.feedthrough == {"held": frozenset()}


@pytest.mark.parametrize(
    ("cls", "parameters", "words"),
    [
        (Hold, dict(), "needs period= (seconds between samples, a whole number of ticks)"),
        (Hold, dict(period=0.0), "'period' of block 'hold' must be greater than 0, got 0.0"),
        (Hold, dict(period=0.025), "period=0.025 s is 2.5 ticks of 0.01 s, but must be a whole number of them"),
        (Hold, dict(period=0.004), "use a multiple such as 0.01 s"),
        (Hold, dict(period=0.05, width=0), "'width' of block 'hold' must be at least 1, got 0"),
        (FirstOrderHold, dict(period=0.025), "period=0.025 s is 2.5 ticks of 0.01 s"),
        (FirstOrderHold, dict(period=0.05, mode="late"), "'mode' of block 'hold' must be one of 'extrapolated', 'delayed', got 'late'"),
    ],
)  # fmt: skip
def test_refusals_are_one_sentence(cls, parameters, words):
    assert words in refusal(made, cls, name="hold", **parameters)
