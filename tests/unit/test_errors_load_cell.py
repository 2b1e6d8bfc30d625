"""Load cell: EERC Eq. 3.3 over seeds and channels, the band of its noise, refusals."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from one_block import every_output, made, played, refusal

from hybsim.blocks.errors.load_cell import LoadCell
from hybsim.blocks.sources.normal_noise import NormalNoise

cell = partial(made, LoadCell)


def rms(values):
    return np.sqrt(np.mean(np.square(values), axis=0))


FORCE = 10.0 * np.sin(0.1 * np.arange(3000))


@pytest.mark.parametrize("snr", [78.0, 7.8, 0.5])
def test_the_requested_ratio_is_met_over_seeds(snr):
    """Each ratio lies within 4.5 standard errors 1/sqrt(2n) of the requested one, their mean within 4.5/sqrt(5)."""
    ratios = []
    for seed in range(5):
        _, error = every_output(cell(snr=snr, signal_rms=rms(FORCE), seed=seed), FORCE)
        ratios.append(rms(FORCE) / rms(error) / snr)
    spread = 1.0 / math.sqrt(2.0 * len(FORCE))
    assert np.abs(np.array(ratios) - 1.0).max() < 4.5 * spread
    assert abs(np.mean(ratios) - 1.0) < 4.5 * spread / math.sqrt(5.0)
    assert np.ptp(ratios) > 0.0


def test_the_error_is_what_is_added():
    force, error = every_output(cell(snr=20.0, signal_rms=7.0, seed=3), FORCE[:200])
    assert np.array_equal(force, FORCE[:200] + error)


def test_the_noise_is_the_normal_stream_of_the_seed_times_rms_over_snr():
    _, error = every_output(cell(snr=20.0, signal_rms=7.0, seed=3), FORCE[:50])
    assert error == pytest.approx(7.0 / 20.0 * played(made(NormalNoise, seed=3), 50), rel=1e-15)


def test_noise_is_held_over_its_sample_time():
    _, error = every_output(cell(dt=0.001, snr=20.0, signal_rms=7.0, sample_time=0.01, seed=3), np.zeros(400))
    held = error.reshape(40, 10)
    assert (held == held[:, :1]).all()
    assert len(set(held[:, 0])) == 40


def test_each_channel_has_its_own_level_and_noise():
    levels = np.array([1.0, 5.0, 40.0])
    _, error = every_output(cell(snr=10.0, signal_rms=levels, width=3, seed=2), np.zeros((3000, 3)))
    assert rms(error) * 10.0 / levels == pytest.approx(np.ones(3), abs=4.5 / math.sqrt(6000))
    assert np.abs(np.corrcoef(error.T)[np.triu_indices(3, 1)]).max() < 4.5 / math.sqrt(3000)
    one, same = (every_output(cell(snr=10.0, signal_rms=s, width=2), np.zeros((20, 2)))[1] for s in (5.0, [5.0, 5.0]))
    assert np.array_equal(one, same)


def test_ports_and_feedthrough():
    assert (LoadCell.inlabels, LoadCell.outlabels) == (["force"], ["force_meas", "error"])
    assert cell(snr=1.0, signal_rms=1.0)._kernels.feedthrough == {
        "force_meas": frozenset({"force"}),
        "error": frozenset(),
    }


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (dict(signal_rms=1.0), "needs snr= (signal-to-noise ratio"),
        (
            dict(snr=10.0),
            "needs signal_rms= (RMS of the clean force, one number or one a channel: of a run without noise",
        ),
        (dict(snr=0.0, signal_rms=1.0), "'snr' of block 'cell' must be greater than 0, got 0.0"),
        (dict(snr=-3.0, signal_rms=1.0), "'snr' of block 'cell' must be greater than 0, got -3.0"),
        (dict(snr=math.nan, signal_rms=1.0), "'snr' of block 'cell' must be finite"),
        (dict(snr=10.0, signal_rms=0.0), "signal_rms must be greater than 0, got 0; take it from a run without noise"),
        (dict(snr=10.0, signal_rms=[1.0, -2.0], width=2), "signal_rms must be greater than 0, got -2"),
        (dict(snr=10.0, signal_rms=[1.0, 2.0]), "signal_rms has 2 numbers for 1 channel(s); give one for all"),
        (dict(snr=10.0, signal_rms=1.0, sample_time=0.015), "sample_time=0.015 s is 1.5 ticks of 0.01 s"),
        (dict(snr=10.0, signal_rms=1.0, seed=-1), "'seed' of block 'cell' must be at least 0"),
    ],
)
def test_refusals_are_one_sentence(parameters, words):
    assert words in refusal(cell, name="cell", **parameters)
