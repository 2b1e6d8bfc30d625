"""Root mean square and signal-to-noise ratio: windows, sums that do not drift, an error of zero, sweeps, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_block import by_name, later, made, refusal, shapes

from hybsim.blocks.monitors.root_mean_square import RunningRMS
from hybsim.blocks.monitors.signal_to_noise import SignalToNoise
from hybsim.errors import ParameterError
from hybsim.studies.verification.monitor_paths import watched

SIGNAL, ERROR = np.random.default_rng(1).normal(size=(2, 120))
WINDOWS = [None, 0.01, 0.05, 0.37, 5.0]


def root_mean_squares(signal, ticks):
    """Tick by tick, from the definition."""
    first = [0 if ticks is None else max(0, k + 1 - ticks) for k in range(len(signal))]
    return np.array([math.sqrt(np.mean(signal[j : k + 1] ** 2)) for k, j in enumerate(first)])


@pytest.mark.parametrize("window", WINDOWS)
def test_the_rms_is_that_of_the_window(window):
    expected = root_mean_squares(SIGNAL, None if window is None else round(window / 0.01))
    got = by_name(made(RunningRMS, window=window), SIGNAL)["rms"]
    np.testing.assert_allclose(got, expected, rtol=1e-13)


@pytest.mark.parametrize("window", WINDOWS)
def test_the_ratio_is_that_of_both_rms(window):
    ticks = None if window is None else round(window / 0.01)
    expected = root_mean_squares(SIGNAL, ticks) / root_mean_squares(ERROR, ticks)
    got = by_name(made(SignalToNoise, window=window), SIGNAL, ERROR)["snr"]
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_channels_are_watched_side_by_side():
    both = np.column_stack([SIGNAL, 10.0 * ERROR])
    swapped = both[:, ::-1]
    rms = by_name(made(RunningRMS, window=0.2, width=2), both)["rms"]
    alone = [by_name(made(RunningRMS, window=0.2), s)["rms"] for s in both.T]
    assert np.array_equal(rms, np.column_stack(alone))
    snr = by_name(made(SignalToNoise, window=0.2, width=2), both, swapped)["snr"]
    np.testing.assert_allclose(snr[:, 0] * snr[:, 1], 1.0, rtol=1e-13)


def test_a_peak_that_has_left_the_window_leaves_nothing_behind():
    signal = np.full(60, 1e-6)
    signal[10] = 1e8
    got = by_name(made(RunningRMS, window=0.2), signal)["rms"]
    assert got[29] == pytest.approx(1e8 / math.sqrt(20.0), rel=1e-14)
    assert got[30:] == pytest.approx(1e-6, rel=1e-12)


def test_a_signal_that_ends_gives_zero_and_never_a_root_of_a_negative_number():
    # Magnitudes from 1e-8 to 1e8: in some of these the rounded sum of what is left falls below zero.
    rng = np.random.default_rng(0)
    for _ in range(30):
        signal = np.concatenate([rng.normal(size=15) * 10.0 ** rng.uniform(-8.0, 8.0, size=15), np.zeros(15)])
        got = by_name(made(RunningRMS, window=0.05), signal)["rms"]
        assert np.isfinite(got).all()
        assert got[-10:].max() < 1e-15 * np.abs(signal).max()


def test_a_million_ticks_do_not_drift():
    # A thousand peaks pass; a plain moving sum has lost the noise between them after the first.
    signal = 1e-3 * np.random.default_rng(3).normal(size=1_000_000)
    signal[::1000] = 1e5
    got = watched("RUNNINGRMS", dict(window=1.0), signal)["rms"]
    for k in (100, 54_321, 999_999):
        assert got[k] == pytest.approx(math.sqrt(math.fsum(signal[k - 99 : k + 1] ** 2) / 100.0), rel=1e-12)


@pytest.mark.parametrize("error", [0.0, 1e-200, 1e-17])
def test_without_an_error_the_ratio_is_zero(error):
    got = by_name(made(SignalToNoise), SIGNAL, np.full(len(SIGNAL), error))["snr"]
    assert not got.any()


@given(st.floats(-1e150, 1e150), st.floats(-1e150, 1e150))
def test_the_ratio_is_always_finite(signal, error):
    assert np.isfinite(by_name(made(SignalToNoise, window=0.02), [signal] * 4, [error] * 4)["snr"]).all()


def test_without_a_signal_the_ratio_is_zero_too():
    assert not by_name(made(SignalToNoise), 0.0 * ERROR, ERROR)["snr"].any()


def test_ports_and_what_follows_what():
    assert made(RunningRMS, window=0.5)._kernels.feedthrough == {"rms": {"signal"}}
    assert made(SignalToNoise)._kernels.feedthrough == {"snr": {"signal", "error"}}
    assert made(SignalToNoise, width=3).widths == dict(signal=3, error=3, snr=3)


@pytest.mark.parametrize("window", [0.01, 0.2, 0.5, None])
def test_windows_up_to_the_longest_keep_the_shape_of_the_program(window):
    block = made(RunningRMS, window=0.3, max_window=0.5)
    assert shapes(later(block, window=window)) == shapes(block._prepared)


def test_room_for_longer_windows_does_not_change_the_result():
    roomy, tight = (by_name(made(RunningRMS, window=0.2, **m), SIGNAL)["rms"] for m in (dict(max_window=0.9), {}))
    assert np.array_equal(roomy, tight)


@pytest.mark.parametrize("cls", [RunningRMS, SignalToNoise])
@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (dict(window=0.015), "window=0.015 s is 1.5 ticks of 0.01 s, but must be a whole number of them"),
        (dict(window=0.0), "'window' of block 'monitor' must be greater than 0"),
        (dict(window=0.5, max_window=0.4), "window of 0.5 s is longer than max_window=0.4 s; declare max_window="),
        (dict(window=1e6), "but at most 20000000 can be stored; check its unit"),
        (dict(width=0), "'width' of block 'monitor' must be at least 1"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(cls, parameters, words):
    assert words in refusal(made, cls, name="monitor", **parameters)


def test_a_later_window_must_fit_the_block_as_it_was_made():
    with pytest.raises(ParameterError, match=r"window of 0\.5 s is longer than max_window=0\.3 s; declare max_window="):
        later(made(RunningRMS, window=0.3), window=0.5)
