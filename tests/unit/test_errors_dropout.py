"""Dropped samples: the two-state chain, what is held, share and bursts, impossible combinations."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from one_block import every_output, made, refusal

from hybsim.blocks.errors.dropout import Dropout

channel = partial(made, Dropout)


def test_a_lost_sample_is_replaced_by_the_last_one_received():
    signal = np.random.default_rng(1).normal(size=500)
    received, dropped = every_output(channel(probability=0.4, seed=3, initial=-7.0), signal)
    assert set(dropped) == {0.0, 1.0}
    last = -7.0
    for k in range(500):
        last = last if dropped[k] else signal[k]
        assert received[k] == last


@pytest.mark.parametrize(("probability", "burst"), [(0.1, None), (0.1, 3.0), (0.5, 1.0), (0.5, 4.0), (0.8, 4.0)])
def test_the_chain_has_the_share_and_the_mean_length_of_its_parameters(probability, burst):
    p = channel(probability=probability, burst=burst)._prepared.p
    leave, enter = 1.0 - p["again"], p["anew"]
    assert enter / (enter + leave) == pytest.approx(probability, rel=1e-14)  # the stationary share
    assert 1.0 / leave == pytest.approx(burst or 1.0 / (1.0 - probability), rel=1e-14)
    if burst is None:
        assert p["again"] == pytest.approx(p["anew"], rel=1e-14)


def test_bursts_of_one_never_lose_two_in_a_row():
    _, dropped = every_output(channel(probability=0.4, burst=1.0, seed=5), np.zeros(2000))
    assert dropped.sum() > 500
    assert not (dropped[1:] * dropped[:-1]).any()


def test_every_second_sample_is_lost_where_half_are_and_never_two():
    _, dropped = every_output(channel(probability=0.5, burst=1.0), np.zeros(40))
    assert (dropped[1:] != dropped[:-1]).all()


def test_nothing_is_lost_with_probability_zero():
    signal = np.random.default_rng(2).normal(size=300)
    received, dropped = every_output(channel(probability=0.0, burst=5.0), signal)
    assert np.array_equal(received, signal)
    assert not dropped.any()


def test_the_first_sample_is_lost_as_often_as_any():
    lost = np.mean([channel(probability=0.3, burst=2.0, seed=s)._x0[-1] for s in range(1000)])
    assert abs(lost - 0.3) < 4.5 * math.sqrt(0.3 * 0.7 / 1000)


def test_channels_are_lost_together():
    signal = np.random.default_rng(3).normal(size=(100, 2))
    received, dropped = every_output(channel(probability=0.3, width=2, seed=1), signal)
    assert dropped.shape == (100,)
    assert np.array_equal(received == signal, np.column_stack([dropped == 0.0] * 2))


def test_ports_and_feedthrough():
    assert (Dropout.inlabels, Dropout.outlabels) == (["signal"], ["received", "dropped"])
    assert channel(probability=0.1)._kernels.feedthrough == {
        "received": frozenset({"signal"}),
        "dropped": frozenset(),
    }


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (dict(), "needs probability= (share of the samples that is lost)"),
        (dict(probability=-0.1), "'probability' of block 'link' must be at least 0, got -0.1"),
        (dict(probability=1.0), "'probability' of block 'link' must be less than 1, got 1.0"),
        (dict(probability=math.nan), "'probability' of block 'link' must be finite"),
        (dict(probability=0.1, burst=0.5), "'burst' of block 'link' must be at least 1, got 0.5"),
        (
            dict(probability=0.8, burst=2.0),
            "A share of 0.8 cannot be lost in bursts of 2 on average: they must be at least 4 long, or the probability"
            " at most 0.666667.",
        ),
        (dict(probability=0.1, seed=0.5), "'seed' of block 'link' must be a whole number"),
    ],
)
def test_refusals_are_one_sentence(parameters, words):
    assert words in refusal(channel, name="link", **parameters)
