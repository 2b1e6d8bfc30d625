"""The quantiser: its staircase, codes and saturation, the variance of its error, refusals."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from one_block import every_output, made, refusal

from hybsim.blocks.sensors.quantiser import Quantiser

quantiser = partial(made, Quantiser)


def test_values_are_rounded_to_the_nearest_step_and_halves_up():
    got, saturated = every_output(quantiser(step=0.5), [-0.76, -0.75, -0.26, -0.25, 0.0, 0.24, 0.25, 0.74, 0.75, 1.0])
    assert got.tolist() == [-1.0, -0.5, -0.5, 0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0]
    assert not saturated.any()


def test_an_18_bit_converter_over_10_volts():
    block = quantiser(bits=18, range=10.0)
    step = 20.0 / 2**18
    assert block._prepared.p["step"] == step
    signal = np.random.default_rng(1).uniform(-9.9, 9.9, 500)
    got, saturated = every_output(block, signal)
    codes = got / step
    assert np.array_equal(codes, np.floor(signal / step + 0.5))
    assert np.abs(got - signal).max() <= step / 2
    assert not saturated.any()


def test_codes_are_twos_complement_and_what_lies_beyond_is_flagged():
    # 3 bits over +/- 4: steps of 1, codes -4 ... 3.
    signal = [-9.0, -4.6, -4.5, -4.0, 3.0, 3.4, 3.5, 4.0, 9.0, 1e300, -1e300]
    got, saturated = every_output(quantiser(bits=3, range=4.0), signal)
    assert got.tolist() == [-4, -4, -4, -4, 3, 3, 3, 3, 3, 3, -4]
    assert saturated.tolist() == [1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1]


def test_one_bit_has_two_codes():
    assert every_output(quantiser(bits=1, range=2.0), [-3.0, -0.9, 0.9, 3.0])[0].tolist() == [-2.0, 0.0, 0.0, 0.0]


def test_a_step_and_a_range_are_a_converter_too():
    by_step, by_bits = (
        every_output(quantiser(**p), np.linspace(-6, 6, 97))
        for p in (dict(step=1.0, range=4.0), dict(bits=3, range=4.0))
    )
    assert np.array_equal(by_step, by_bits)


def test_large_values_pass_where_there_is_no_limit():
    large = [2.0**60, -(2.0**70), 1e200]
    got, saturated = every_output(quantiser(step=0.25), large)
    assert got.tolist() == large
    assert not saturated.any()


def test_the_error_has_the_variance_of_a_uniform_one():
    """step^2/12 within 4.5 standard errors: (e^2 - mean) has the variance step^4 (1/80 - 1/144)."""
    step, n = 0.02, 20_000
    signal = np.random.default_rng(5).normal(size=n)
    error = every_output(quantiser(step=step), signal)[0] - signal
    bound = 4.5 * math.sqrt((1 / 80 - 1 / 144) / n)
    assert abs(error.var() / step**2 - 1 / 12) < bound
    assert abs(error.mean()) < 4.5 * step / math.sqrt(12 * n)
    assert abs(np.corrcoef(error, signal)[0, 1]) < 4.5 / math.sqrt(n)


def test_channels_are_read_side_by_side():
    got, saturated = quantiser(step=1.0, range=2.0, width=3).output(0.0, [[0.4, 0.6, 5.0]], np.zeros(1))
    assert (got.tolist(), saturated.tolist()) == ([0.0, 1.0, 1.0], [0.0, 0.0, 1.0])


def test_ports_and_feedthrough():
    assert (Quantiser.inlabels, Quantiser.outlabels) == (["signal"], ["quantised", "saturated"])
    assert quantiser(step=1.0)._kernels.feedthrough == dict.fromkeys(("quantised", "saturated"), frozenset({"signal"}))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (dict(), "A quantiser takes bits= and range=, or step= with or without range=; got none."),
        (dict(bits=18), "or step= with or without range=; got bits."),
        (dict(range=10.0), "or step= with or without range=; got range."),
        (dict(step=0.1, bits=18), "or step= with or without range=; got step and bits."),
        (dict(step=0.1, bits=18, range=10.0), "or step= with or without range=; got step and bits and range."),
        (dict(bits=0, range=1.0), "'bits' of block 'adc' must be at least 1, got 0"),
        (dict(bits=33, range=1.0), "'bits' of block 'adc' must be at most 32, got 33"),
        (dict(bits=12.5, range=1.0), "'bits' of block 'adc' must be a whole number, got 12.5"),
        (dict(bits=12, range=-1.0), "'range' of block 'adc' must be greater than 0, got -1.0"),
        (dict(step=0.0), "'step' of block 'adc' must be greater than 0, got 0.0"),
        (
            dict(step=0.3, range=1.0),
            "range=1 is 3.33333 steps of 0.3, but must be a whole number of them; use a multiple such as 0.9",
        ),
        (dict(step=3.0, range=1.0), "use a multiple such as 3."),
    ],
)
def test_refusals_are_one_sentence(parameters, words):
    assert words in refusal(quantiser, name="adc", **parameters)
