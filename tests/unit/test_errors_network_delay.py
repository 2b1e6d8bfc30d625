"""The network delay: packets against a list of their arrivals, the five distributions, EERC Fig. 5-12d, refusals."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from one_block import every_output, later, made, refusal, shapes
from scipy import integrate, stats

from hybsim.blocks.errors.network_delay import NetworkDelay
from hybsim.blocks.sources.random_numbers import seeded, uniform

WAN = dict(distribution="lognormal", minimum=0.16, mean=0.3007, deviation=0.2333, max_delay=1.26)
network = partial(made, NetworkDelay)


def lognormal(minimum, mean, deviation):
    """scipy's distribution with a mean and a deviation."""
    s = math.sqrt(math.log(1.0 + (deviation / (mean - minimum)) ** 2))
    return stats.lognorm(s, loc=minimum, scale=(mean - minimum) * math.exp(-0.5 * s * s))


DISTRIBUTIONS = [
    (dict(distribution="uniform", minimum=0.03, maximum=0.2, max_delay=0.3), stats.uniform(0.03, 0.17)),
    (dict(distribution="exponential", minimum=0.03, mean=0.1, max_delay=0.3), stats.expon(0.03, 0.07)),
    (WAN, lognormal(0.16, 0.3007, 0.2333)),
    (dict(distribution="normal", mean=0.05, deviation=0.04, max_delay=0.3), stats.norm(0.05, 0.04)),
    (dict(distribution="normal", minimum=0.02, mean=0.05, deviation=0.04, max_delay=0.085), stats.norm(0.05, 0.04)),
]


def truncated(theory, parameters, t):
    """The distribution function within its limits."""
    low, high = theory.cdf([parameters.get("minimum", 0.0), parameters["max_delay"]])
    return np.clip((theory.cdf(np.minimum(t, parameters["max_delay"])) - low) / (high - low), 0.0, 1.0)


@pytest.mark.parametrize("dt", [0.01, 0.004])
@pytest.mark.parametrize(("parameters", "theory"), DISTRIBUTIONS)
def test_probabilities_of_arrival_are_those_of_the_truncated_distribution(parameters, theory, dt):
    within = network(dt=dt, **parameters)._prepared.p["within"]
    t = dt * np.arange(1, len(within) + 1)
    assert len(within) == math.ceil(parameters["max_delay"] / dt - 1e-9)
    assert within == pytest.approx(truncated(theory, parameters, t), abs=1e-14)
    assert within[-1] == 1.0
    assert (np.diff(within) >= 0.0).all()


def test_discrete_delays_arrive_at_their_ticks():
    parameters = dict(distribution="discrete", delays=[0.07, 0.02, 0.031, 0.07], probabilities=[0.1, 0.2, 0.3, 0.4])
    within = network(max_delay=0.1, **parameters)._prepared.p["within"]
    assert within == pytest.approx([0.0, 0.2, 0.2, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0], abs=1e-15)
    assert within[6] == 1.0


@pytest.mark.parametrize("delay", [0.01, 0.03, 0.07, 0.29, 0.35, 0.57])
def test_a_discrete_delay_of_whole_ticks_is_that_many(delay):
    n = round(delay / 0.01)
    signal = np.random.default_rng(1).normal(size=80)
    block = network(distribution="discrete", delays=delay, probabilities=1.0, max_delay=0.6, initial=-2.5)
    received, age, arrived = every_output(block, signal)
    assert np.array_equal(received, np.concatenate([np.full(n, -2.5), signal[:-n]]))
    assert age == pytest.approx(np.concatenate([0.01 * np.arange(n), np.full(80 - n, delay)]))
    assert np.array_equal(arrived, np.arange(80) >= n)


@pytest.mark.parametrize("interval", [1, 3, 50])
@pytest.mark.parametrize(("parameters", "theory"), DISTRIBUTIONS)
def test_the_newest_packet_that_has_arrived_is_shown(parameters, theory, interval):
    """Every packet in a list with its arrival, drawn with scipy's quantiles from the same uniform numbers."""
    ticks, seed, dt = 600, 11, 0.01
    signal = np.random.default_rng(2).normal(size=ticks)
    state = seeded(seed)
    low, high = theory.cdf([parameters.get("minimum", 0.0), parameters["max_delay"]])
    packets = []
    for s in range(0, ticks, interval):
        delay = theory.ppf(low + (high - low) * uniform(state))
        packets.append((s, s + math.ceil(delay / dt)))
    block = network(dt=dt, seed=seed, interval=interval * dt, initial=0.5, **parameters)
    received, age, arrived = every_output(block, signal)
    shown = -1
    for k in range(ticks):
        newest = max((s for s, arrival in packets if arrival <= k), default=-1)
        assert received[k] == (signal[newest] if newest >= 0 else 0.5), k
        assert age[k] == pytest.approx((k - newest) * dt if newest >= 0 else k * dt), k
        assert arrived[k] == float(newest != shown), k
        shown = newest
    assert 0 < arrived.sum() <= len(packets)
    if interval == 1:
        assert arrived.sum() < 0.9 * len(packets), "some packets are overtaken"


def test_a_packet_takes_at_least_one_tick():
    received, _, _ = every_output(network(distribution="uniform", maximum=0.002, max_delay=0.002), np.arange(1.0, 21.0))
    assert received.tolist() == [0.0, *range(1, 20)]


def test_channels_travel_together():
    signal = np.random.default_rng(4).normal(size=(200, 3))
    received, _, _ = every_output(network(width=3, seed=5, **WAN), signal)
    alone = [every_output(network(seed=5, **WAN), c)[0] for c in signal.T]
    assert np.array_equal(received, np.column_stack(alone))


def test_seeds_make_delays_repeatable_and_different():
    signal = np.arange(1.0, 400.0)
    a, b, c = (every_output(network(seed=s, **WAN), signal)[0] for s in (1, 1, 2))
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


def test_the_lognormal_delay_has_the_figures_of_eerc_fig_5_12d():
    theory = lognormal(0.16, 0.3007, 0.2333)
    within = theory.cdf(1.26)
    mean = integrate.quad(lambda t: t * theory.pdf(t), 0.16, 1.26, limit=200)[0] / within
    assert mean == pytest.approx(0.286, abs=0.0005)
    assert theory.cdf(0.6) / within == pytest.approx(0.95, abs=0.001)
    # The median of the shortest and of the longest of 500 steps: 0.16 and 1.26 s were seen.
    assert theory.ppf(within * (1.0 - 0.5 ** (1 / 500))) == pytest.approx(0.16, abs=0.005)
    assert theory.ppf(within * 0.5 ** (1 / 500)) == pytest.approx(1.26, rel=0.06)


def test_the_exponential_delay_has_too_few_long_steps_for_eerc_fig_5_12d():
    theory = stats.expon(0.16, 0.126)
    assert theory.cdf(0.6) / theory.cdf(1.26) == pytest.approx(0.970, abs=0.0005)


def test_nothing_passes_through_within_a_tick():
    assert (NetworkDelay.inlabels, NetworkDelay.outlabels) == (["signal"], ["received", "age", "arrived"])
    assert network(**WAN)._kernels.feedthrough == dict.fromkeys(("received", "age", "arrived"), frozenset())


def test_distributions_are_parameters_of_one_program():
    block = network(**WAN)
    none = dict.fromkeys(("mean", "deviation"))
    other = dict(distribution="discrete", delays=[0.2, 0.4], probabilities=[0.5, 0.5], interval=0.05, **none)
    assert shapes(later(block, **other)) == shapes(block._prepared)


DISCRETE = dict(distribution="discrete", max_delay=0.5)
HALF = dict(delays=[0.1, 0.2], probabilities=[0.5, 0.5])


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (dict(max_delay=1.0), "needs distribution= "),
        (dict(distribution="gamma", max_delay=1.0), "must be one of 'uniform', 'exponential', 'lognormal', 'normal'"),
        (dict(distribution="uniform", maximum=0.2), "needs max_delay= "),
        (dict(distribution="uniform", max_delay=0.2), "A uniform delay needs maximum=; it takes maximum."),
        (dict(distribution="lognormal", mean=0.1, max_delay=0.5), "A lognormal delay needs deviation=; it takes mean and deviation"),
        (dict(distribution="exponential", mean=0.1, deviation=0.1, max_delay=0.5), "An exponential delay has no deviation; leave it out"),
        (dict(distribution="uniform", minimum=-0.1, maximum=0.2, max_delay=0.5), "'minimum' of block 'wan' must be at least 0, got -0.1"),
        (dict(distribution="uniform", minimum=0.2, maximum=0.2, max_delay=0.5), "has maximum=0.2 s, but it must be greater than minimum=0.2 s"),
        (dict(distribution="exponential", minimum=0.2, mean=0.1, max_delay=0.5), "has mean=0.1 s, but it must be greater than minimum=0.2 s"),
        (dict(distribution="uniform", maximum=0.6, max_delay=0.5), "The delay of 0.6 s in maximum is longer than max_delay=0.5 s; declare max_delay="),
        (dict(distribution="exponential", mean=0.5, max_delay=0.2), "Only 33 % of the exponential delay lies between minimum=0 s and max_delay=0.2 s"),
        (dict(distribution="normal", mean=-0.1, deviation=0.1, max_delay=0.2), "'mean' of block 'wan' must be greater than 0"),
        (dict(distribution="normal", minimum=0.3, mean=0.1, deviation=0.1, max_delay=0.9), "Only 2.28 % of the normal delay"),
        (dict(distribution="normal", minimum=0.8, mean=0.4, deviation=0.1, max_delay=0.5), "Only 0 % of the normal delay"),
        (dict(DISCRETE, delays=[0.1, 0.2], probabilities=[0.5, 0.6]), "The probabilities must sum to 1, got 1.1; divide them by it"),
        (dict(DISCRETE, delays=[0.1, 0.2], probabilities=[1.5, -0.5]), "The probabilities must be at least 0, got -0.5"),
        (dict(DISCRETE, delays=[0.1, 0.2], probabilities=[1.0]), "There are 2 delays with 1 probabilities; give one for each delay"),
        (dict(DISCRETE, delays=[-0.1, 0.2], probabilities=[0.5, 0.5]), "The delays must be greater than 0 and at least minimum=0 s, got -0.1 s"),
        (dict(DISCRETE, minimum=0.15, **HALF), "at least minimum=0.15 s, got 0.1 s"),
        (dict(HALF, distribution="discrete", max_delay=0.15), "The delay of 0.2 s in delays is longer than max_delay=0.15 s"),
        (dict(DISCRETE, delays=[0.1, math.nan], probabilities=[0.5, 0.5]), "'delays' of block 'wan' must hold finite numbers only"),
        (dict(WAN, interval=0.025), "interval=0.025 s is 2.5 ticks of 0.01 s"),
        (dict(WAN, max_delay=1e7), "max_delay=1e+07 s is 1000000000 ticks of 0.01 s, but at most 20000000"),
    ],
)  # fmt: skip
def test_refusals_are_one_sentence(parameters, words):
    assert words in refusal(network, name="wan", **parameters)
