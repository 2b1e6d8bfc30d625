"""Delay, amplitude and error of complete records: against closed forms and independent estimates."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest

from hybsim.errors import ParameterError
from hybsim.studies import tracking
from hybsim.studies.tracking import delay_by_correlation, frequency_evaluation_index, nrms, peak_error

DT = 0.01
N = 2000
T = DT * np.arange(N)


def waves(*parts, late=0.0, gain=1.0):
    """A sum of sines (whole cycles in the record, amplitude), late by some seconds."""
    return gain * sum(a * np.sin(2.0 * math.pi * cycles / (N * DT) * (T - late)) for cycles, a in parts)


@pytest.mark.parametrize(("gain", "late"), [(1.0, 0.013), (0.8, 0.05), (1.2, -0.02), (1.0, 0.0)])
def test_a_sine_gives_its_gain_and_delay_exactly(gain, late):
    parts = ((24, 3.0),)
    index = frequency_evaluation_index(waves(*parts), waves(*parts, late=late, gain=gain), DT)
    assert index == pytest.approx((gain, late, 24 / (N * DT)), rel=1e-12, abs=1e-14)


def test_several_frequencies_are_weighted_by_their_power():
    parts, late, gain = ((20, 2.0), (50, 1.0), (90, 0.5)), 0.02, 0.9
    hertz = np.array([cycles / (N * DT) for cycles, _ in parts])
    weights = np.array([a**2 for _, a in parts]) / sum(a**2 for _, a in parts)
    exact = gain * np.sum(weights * np.exp(-2j * math.pi * hertz * late))
    index = frequency_evaluation_index(waves(*parts), waves(*parts, late=late, gain=gain), DT)
    f_eq = float(weights @ hertz)
    assert index == pytest.approx((abs(exact), -np.angle(exact) / (2.0 * math.pi * f_eq), f_eq), rel=1e-12)


def test_an_offset_and_frequencies_above_f_max_do_not_count():
    command = waves((20, 2.0), (90, 0.5))
    measured = 5.0 + waves((20, 2.0), late=0.02) + waves((90, 0.5), gain=0.1)
    index = frequency_evaluation_index(command, measured, DT, f_max=2.0)
    assert index == pytest.approx((1.0, 0.02, 1.0), rel=1e-12)


@pytest.mark.parametrize("ticks", [0, 3, -7, 40])
def test_correlation_finds_a_shift_of_whole_ticks(ticks):
    noise = np.random.default_rng(1).normal(size=N + 200)
    smooth = np.convolve(noise, np.hanning(40), mode="same")
    command, measured = smooth[100 : 100 + N], smooth[100 - ticks : 100 - ticks + N]
    assert delay_by_correlation(command, measured, DT, between_ticks=False) == pytest.approx(ticks * DT, abs=1e-15)
    assert delay_by_correlation(command, measured, DT) == pytest.approx(
        ticks * DT, abs=0.1 * DT
    )  # the ends of the record


def test_correlation_finds_a_shift_between_ticks():
    command, measured = waves((30, 1.0)), waves((30, 1.0), late=0.0234)
    assert delay_by_correlation(command, measured, DT) == pytest.approx(0.0234, abs=0.1 * DT)
    assert delay_by_correlation(command, measured, DT, between_ticks=False) == pytest.approx(0.02, abs=1e-15)


def test_correlation_stays_within_the_longest_delay():
    command = np.zeros(N)
    command[500] = 1.0
    late = np.roll(command, 40) + 0.5 * np.roll(command, 5)
    assert delay_by_correlation(command, late, DT, between_ticks=False) == pytest.approx(0.4)
    assert delay_by_correlation(command, late, DT, between_ticks=False, max_delay=0.1) == pytest.approx(0.05)


def test_nrms_of_a_late_sine_is_twice_the_sine_of_half_its_phase():
    late, cycles = 0.03, 30
    expected = 2.0 * math.sin(math.pi * cycles / (N * DT) * late)
    assert nrms(waves((cycles, 4.0)), waves((cycles, 4.0), late=late)) == pytest.approx(expected, rel=1e-12)


def test_an_offset_is_an_error_unless_means_are_taken_off():
    command = 3.0 + waves((10, 1.0))
    assert nrms(command, command + 0.5) == pytest.approx(0.5 / math.sqrt(9.5), rel=1e-12)
    assert nrms(command, command + 0.5, about_mean=True) == pytest.approx(0.0, abs=1e-14)
    benchmark = np.std(1.1 * command - command) / np.std(command)
    assert nrms(command, 1.1 * command, about_mean=True) == pytest.approx(benchmark, rel=1e-12)


def test_peak_error_is_the_largest_error_over_the_largest_command():
    assert peak_error([0.0, 2.0, -4.0, 1.0], [0.0, 2.5, -4.1, 3.0]) == 0.5


@pytest.mark.parametrize("function", [lambda c, m: frequency_evaluation_index(c, m, DT), lambda c, m: delay_by_correlation(c, m, DT), nrms, peak_error])  # fmt: skip
@pytest.mark.parametrize(
    ("command", "measured", "words"),
    [
        ([1.0, 2.0, 3.0], [1.0, 2.0], "got shapes (3,) and (2,); cut them to the same ticks"),
        ([1.0], [1.0], "the same length of 2 or more, got shapes (1,) and (1,)"),
        (np.ones((3, 2)), np.ones((3, 2)), "records of one channel"),
        ([1.0, math.nan], [1.0, 2.0], "must hold finite numbers only"),
        ([0.0, 0.0], [1.0, 2.0], "The command has no motion"),
    ],
)
def test_records_that_cannot_be_compared_are_refused_in_a_sentence(function, command, measured, words):
    with pytest.raises(ParameterError) as caught:
        function(command, measured)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_examples_hold():
    assert doctest.testmod(tracking).failed == 0
    assert doctest.testmod(tracking).attempted >= 6
