"""Peak hold and threshold: what is held, when a trip comes and how it ends, refusals."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_block import by_name, made, refusal

from hybsim.blocks.monitors.peak_hold import PeakHold
from hybsim.blocks.monitors.threshold import Threshold
from hybsim.errors import ParameterError

DT = 0.01
make = partial(made, dt=DT)


# peak hold -----------------------------------------------------------------------------------


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40))
def test_peaks_are_those_of_the_path_so_far(path):
    shown = by_name(make(PeakHold), path)
    assert np.array_equal(shown["largest"], np.maximum.accumulate(path))
    assert np.array_equal(shown["smallest"], np.minimum.accumulate(path))
    assert np.array_equal(shown["peak"], np.maximum.accumulate(np.abs(path)))
    first = [int(np.argmax(np.abs(path[: k + 1]))) for k in range(len(path))]
    np.testing.assert_allclose(shown["peak_time"], DT * np.array(first), rtol=1e-15)


def test_peaks_start_at_the_first_value_whatever_its_sign():
    for value in (-3.0, 2.0, 0.0):
        shown = by_name(make(PeakHold), [value])
        assert [shown[n][0] for n in PeakHold.outs] == [value, value, abs(value), 0.0]


def test_channels_hold_their_own_peaks():
    path = np.random.default_rng(1).normal(size=(40, 3))
    shown = by_name(make(PeakHold, width=3), path)
    assert np.array_equal(shown["smallest"], np.minimum.accumulate(path, axis=0))
    assert np.array_equal(shown["peak_time"][-1], DT * np.argmax(np.abs(path), axis=0))


# threshold -----------------------------------------------------------------------------------


def tripped(path, rearm=None, **parameters):
    """The ticks at which a threshold is tripped, as a word of 0 and 1."""
    shown = by_name(make(Threshold, **parameters), path, [0.0] * len(path) if rearm is None else rearm)
    return "".join(str(int(v)) for v in shown["tripped"])


@pytest.mark.parametrize(
    ("sense", "level", "path", "word"),
    [
        ("above", 1.0, [0.0, 1.0, 1.5, 0.0, -5.0], "00111"),
        ("below", -1.0, [0.0, -1.0, -1.5, 0.0, 5.0], "00111"),
        ("below", 2.0, [3.0, 2.0, 1.0, 3.0], "0011"),
        ("magnitude", 1.0, [1.0, -1.0, -1.1, 0.0], "0011"),
        ("magnitude", 0.0, [0.0, -0.0, 1e-300], "001"),
    ],
)
def test_a_trip_comes_in_the_tick_beyond_the_level_and_is_latched(sense, level, path, word):
    assert tripped(path, sense=sense, level=level) == word


def test_a_trip_needs_ticks_in_a_row():
    path = [2, 2, 0, 2, 2, 2, 0, 0]
    assert tripped(path, level=1.0, ticks=3) == "00000111"
    shown = by_name(make(Threshold, level=1.0, ticks=3), path, [0.0] * 8)
    assert shown["trip_time"].tolist() == [-1.0] * 5 + [5 * DT] * 3
    assert shown["exceedances"].tolist() == [1, 1, 1, 2, 2, 2, 2, 2]


def test_only_a_rising_edge_after_the_cause_has_cleared_ends_a_latched_trip():
    path = [2, 2, 2, 0, 0, 0, 0, 0]
    # high while the cause is there, and still high afterwards: no new edge
    assert tripped(path, [0, 1, 1, 1, 1, 1, 1, 1], level=1.0) == "11111111"
    # a new edge after the cause has cleared
    assert tripped(path, [0, 1, 0, 0, 1, 0, 0, 0], level=1.0) == "11110000"
    # high from the first tick on is no edge
    assert tripped([0, 2, 0, 0, 0], [1, 1, 1, 1, 1], level=1.0) == "01111"
    # an edge in the very tick in which the cause clears
    assert tripped(path, [0, 0, 0, 1, 0, 0, 0, 0], level=1.0) == "11100000"


def test_a_latched_trip_is_not_cleared_between_release_and_level():
    path = [2.0, 0.9, 0.9, 0.7, 0.7]
    assert tripped(path, [0, 1, 0, 1, 0], level=1.0, release=0.8) == "11100"
    assert tripped(path, [0, 1, 0, 0, 0], level=1.0, release=0.8) == "11111"


def test_after_rearming_it_trips_anew():
    path, rearm = [2, 0, 0, 2, 2, 2], [0, 0, 1, 1, 1, 1]
    shown = by_name(make(Threshold, level=1.0, ticks=2), [2, *path], [0, *rearm])
    assert shown["tripped"].tolist() == [0, 1, 1, 0, 0, 1, 1]
    assert shown["trip_time"].tolist() == [-1.0, DT, DT, DT, DT, 5 * DT, 5 * DT]
    assert shown["exceedances"][-1] == 2


@pytest.mark.parametrize(("sense", "sign"), [("above", 1.0), ("below", -1.0), ("magnitude", -1.0)])
def test_without_a_latch_it_releases_with_hysteresis(sense, sign):
    path = sign * np.array([0.0, 1.2, 0.9, 0.8, 0.9, 1.1, 0.85, 0.7])
    level, release = (1.0, 0.8) if sense == "magnitude" else (sign * 1.0, sign * 0.8)
    options = dict(sense=sense, level=level, latch=False)
    assert tripped(path, release=release, **options) == "01100110"
    assert tripped(path, **options) == "01000100"
    # rearm is not read
    assert tripped(path, [1, 0, 1, 0, 1, 0, 1, 0], release=release, **options) == "01100110"


def test_channels_trip_by_themselves_and_are_rearmed_together():
    path = np.array([[2.0, 0.0], [0.0, 2.0], [0.0, 2.0], [0.0, 0.0]])
    shown = by_name(make(Threshold, level=1.0, width=2), path, [0.0, 0.0, 1.0, 1.0])
    assert shown["tripped"].tolist() == [[1, 0], [1, 1], [0, 1], [0, 1]]
    assert shown["trip_time"][-1].tolist() == [0.0, DT]


def test_what_is_not_a_number_is_beyond_the_level_and_never_cleared():
    assert tripped([0.0, math.nan, math.nan, 0.0], level=1.0, latch=False) == "0110"
    assert tripped([0.0, math.nan, math.nan, math.nan], [0, 0, 1, 0], level=1.0) == "0111"


def test_ports_and_what_follows_what():
    assert make(PeakHold)._kernels.feedthrough == dict.fromkeys(PeakHold.outs, frozenset({"signal"}))
    assert make(Threshold, level=1.0)._kernels.feedthrough["tripped"] == {"signal", "rearm"}
    released = make(Threshold, level=1.0, latch=False)._kernels.feedthrough
    assert released == dict.fromkeys(Threshold.outs, frozenset({"signal"}))
    assert make(Threshold, level=1.0, width=2).widths == dict.fromkeys(("signal", *Threshold.outs), 2)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "needs level= (level beyond which"),
        (dict(level=-1.0), "A level of magnitude must not be negative, got -1; give level=0 or more"),
        (dict(level=1.0, sense="over"), "must be one of 'above', 'below', 'magnitude', got 'over'"),
        (dict(level=1.0, ticks=0), "'ticks' of block 'limit' must be at least 1, got 0"),
        (dict(level=1.0, latch=2), "'latch' of block 'limit' must be True or False, got 2"),
        (
            dict(level=1.0, release=1.1),
            "release=1.1 is not on the safe side of level=1 with sense='magnitude'; give a release from 0 to 1, or None",
        ),
        (dict(level=1.0, release=-0.1), "give a release from 0 to 1, or None"),
        (dict(level=1.0, sense="above", release=2.0), "give a release at most 1, or None"),
        (dict(level=1.0, sense="below", release=0.5), "give a release at least 1, or None"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, words):
    assert words in refusal(make, Threshold, name="limit", **parameters)


def test_peak_hold_needs_a_channel():
    with pytest.raises(ParameterError, match="'width' of block 'PeakHold' must be at least 1, got 0"):
        make(PeakHold, width=0)
