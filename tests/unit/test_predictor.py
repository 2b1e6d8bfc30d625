"""The polynomial predictor: Horiuchi's coefficients, exactness on polynomials, feedthrough and refusals."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_block import later, made, refusal, shapes, stepped

from hybsim.blocks.compensators.polynomial_predictor import Predictor
from hybsim.errors import ParameterError

make = partial(made, Predictor)


@pytest.mark.parametrize(
    ("order", "published"),
    # Horiuchi et al. (1999): coefficients for a horizon equal to the spacing.
    [
        (0, [1]),
        (1, [2, -1]),
        (2, [3, -3, 1]),
        (3, [4, -6, 4, -1]),
        (4, [5, -10, 10, -5, 1]),
        (5, [6, -15, 20, -15, 6, -1]),
    ],
)
def test_coefficients_are_the_binomial_ones_where_the_spacing_is_the_horizon(order, published):
    for delay in (0.01, 0.03, 0.07):
        assert make(horizon=delay, spacing=delay, order=order)._prepared.p["a"].tolist() == published


@given(order=st.integers(0, 5), stride=st.integers(1, 4), horizon=st.floats(0.0, 0.05), seed=st.integers(0, 99))
def test_a_polynomial_of_its_order_is_predicted_exactly(order, stride, horizon, seed):
    polynomial = np.polynomial.Polynomial(np.random.default_rng(seed).normal(size=order + 1))
    t = np.arange(order * stride + 6)  # in ticks
    got = stepped(make(horizon=horizon, spacing=stride * 0.01, order=order), polynomial(t / 10.0))
    expected = polynomial((t + horizon / 0.01) / 10.0)
    started = order * stride  # from here on all samples are the polynomial's
    assert got[started:] == pytest.approx(expected[started:], rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("ahead", [Fraction(1, 4), Fraction(5, 8), Fraction(11, 4), Fraction(13)])
def test_every_order_is_exact_between_ticks_too(order, ahead):
    # A polynomial with whole coefficients in ticks, so that the prediction is known without rounding.
    def polynomial(t):
        return sum((3 + power) * (-1) ** power * t**power for power in range(order + 1))

    got = stepped(make(dt=0.125, horizon=float(ahead) / 8.0, order=order), [float(polynomial(k)) for k in range(9)])
    exact = [float(polynomial(k + ahead)) for k in range(9)]
    assert got[order:] == pytest.approx(exact[order:], rel=1e-11)
    if order:
        t = np.arange(9.0)
        higher = stepped(make(dt=0.125, horizon=float(ahead) / 8.0, order=order - 1), t**order)
        # one order less misses t^n by n! times the product of the distances to the samples, over n!
        missed = float(np.prod([ahead + i for i in range(order)]))
        assert ((t + float(ahead)) ** order - higher)[order:] == pytest.approx(missed, rel=1e-6)


@pytest.mark.parametrize(
    ("order", "stride", "horizon"), [(0, 1, 0.02), (1, 1, 0.005), (2, 3, 0.013), (3, 2, 0.02), (5, 4, 0.03)]
)
def test_output_is_the_fit_through_the_present_and_past_samples(order, stride, horizon):
    signal = np.random.default_rng(1).normal(size=50)
    past = np.concatenate([np.full(order * stride, 0.7), signal])
    nodes = -stride * 0.01 * np.arange(order + 1)
    weights = np.linalg.solve(np.vander(nodes, increasing=True).T, horizon ** np.arange(order + 1.0))
    expected = [sum(w * past[order * stride + k - j * stride] for j, w in enumerate(weights)) for k in range(50)]
    got = stepped(make(order=order, spacing=stride * 0.01, horizon=horizon, initial=0.7), signal)
    assert got == pytest.approx(np.array(expected), rel=1e-9, abs=1e-9)


def test_it_makes_up_for_a_delay_of_a_slow_sine():
    # Third order with s = h: the error is the fourth difference, |1 - exp(-j w h)|^4 for a unit sine.
    omega, delay = 2.0 * math.pi * 2.0, 0.02
    t = 0.01 * np.arange(300)
    got = stepped(make(horizon=delay, spacing=delay), np.sin(omega * t))
    error = (got - np.sin(omega * (t + delay)))[50:]  # five whole periods, all samples the sine's
    amplitude = abs(1.0 - np.exp(-1j * omega * delay)) ** 4
    assert math.sqrt(2.0) * error.std() == pytest.approx(amplitude, rel=1e-9)


def test_the_spacing_is_the_tick_by_default():
    signal = np.random.default_rng(2).normal(size=20)
    assert np.array_equal(stepped(make(horizon=0.013), signal), stepped(make(horizon=0.013, spacing=0.01), signal))


def test_no_horizon_is_the_signal_itself():
    signal = np.random.default_rng(5).normal(size=20)
    assert np.array_equal(stepped(make(horizon=0.0), signal), signal)


def test_channels_are_predicted_side_by_side():
    signal = np.random.default_rng(4).normal(size=(30, 3))
    got = stepped(make(horizon=0.02, spacing=0.02, width=3), signal)
    alone = [stepped(make(horizon=0.02, spacing=0.02), c) for c in signal.T]
    assert np.array_equal(got, np.column_stack(alone))


def test_room_for_longer_spacings_does_not_change_the_output():
    signal = np.random.default_rng(6).normal(size=60)
    roomy = make(horizon=0.02, spacing=0.02, max_spacing=0.1)
    assert np.array_equal(stepped(roomy, signal), stepped(make(horizon=0.02, spacing=0.02), signal))


@pytest.mark.parametrize("order", range(6))
def test_the_present_sample_passes_through(order):
    block = make(horizon=0.02, order=order)
    assert block._kernels.feedthrough == {"predicted": frozenset({"signal"})}
    assert block._feedthrough is True


def test_ports():
    assert (Predictor.inlabels, Predictor.outlabels) == (["signal"], ["predicted"])


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(), "needs horizon= (time ahead in s)"),
        (dict(horizon=-0.01), "'horizon' of block 'Predictor' must be at least 0, got -0.01"),
        (dict(horizon=0.01, order=6), "'order' of block 'Predictor' must be at most 5, got 6"),
        (dict(horizon=0.01, order=1.5), "'order' of block 'Predictor' must be a whole number, got 1.5"),
        (dict(horizon=0.01, spacing=0.0), "'spacing' of block 'Predictor' must be greater than 0, got 0.0"),
        (
            dict(horizon=0.01, spacing=0.015),
            "spacing=0.015 s is 1.5 ticks of 0.01 s, but must be a whole number",
        ),
        (dict(horizon=0.01, spacing=0.001), "use a multiple such as 0.01 s"),
        (
            dict(horizon=0.01, spacing=0.02, max_spacing=0.01),
            "longer than max_spacing=0.01 s; declare max_spacing=",
        ),
        (dict(horizon=0.01, spacing=1e6), "max_spacing=1e+06 s is 100000000 ticks of 0.01 s, but at most"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    assert sentence in refusal(make, **parameters)


def test_a_later_spacing_must_fit_the_block_as_it_was_made():
    with pytest.raises(ParameterError, match=r"spacing of 0\.02 s is longer than max_spacing=0\.01 s; declare"):
        later(make(horizon=0.02), spacing=0.02)
    block = make(horizon=0.02, max_spacing=0.05)
    assert shapes(later(block, spacing=0.04, horizon=0.04)) == shapes(block._prepared)
