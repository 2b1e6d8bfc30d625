"""Normal and band-limited white noise: moments, spectrum, seeds and channels, within 4.5 to 5 sigma."""

from __future__ import annotations

import math

import numpy as np
import pytest
from one_block import made, played

from hybsim.blocks.sources.normal_noise import NormalNoise
from hybsim.blocks.sources.white_noise import WhiteNoise
from hybsim.errors import ParameterError


@pytest.mark.parametrize(("cls", "parameters"), [(NormalNoise, {}), (WhiteNoise, dict(power=1.0))])
def test_noise_comes_out_of_the_state_alone(cls, parameters):
    block = made(cls, **parameters)
    assert (cls.nin, cls.nout, cls.outlabels) == (0, 1, ["value"])
    assert block._kernels.feedthrough == {"value": frozenset()}
    assert block._feedthrough is False
    assert block.output(0.0, [], block._x0) == block.output(3.0, [], block._x0)


def test_normal_noise_has_its_mean_and_variance():
    count = 10_000
    values = played(made(NormalNoise, mean=0.5, variance=0.04, seed=11), count)
    assert abs(values.mean() - 0.5) < 4.5 * 0.2 / math.sqrt(count)
    assert abs(values.var() - 0.04) < 4.5 * 0.04 * math.sqrt(2.0 / count)
    assert abs(np.corrcoef(values[1:], values[:-1])[0, 1]) < 4.5 / math.sqrt(count)


def test_mean_and_variance_only_shift_and_stretch_the_noise_of_a_seed():
    plain = played(made(NormalNoise, seed=3), 50)
    assert played(made(NormalNoise, seed=3, mean=2.0, variance=9.0), 50) == pytest.approx(2.0 + 3.0 * plain, rel=1e-14)
    assert played(made(NormalNoise, seed=3, mean=2.0, variance=0.0), 50).tolist() == [2.0] * 50


@pytest.mark.parametrize(("cls", "parameters"), [(NormalNoise, {}), (WhiteNoise, dict(power=1.0))])
def test_seeds_make_noise_repeatable_and_different(cls, parameters):
    a, b, c = (played(made(cls, seed=s, **parameters), 200) for s in (1, 1, 2))
    assert np.array_equal(a, b)
    assert abs(np.corrcoef(a, c)[0, 1]) < 5.0 / math.sqrt(200)


@pytest.mark.parametrize(("cls", "parameters"), [(NormalNoise, {}), (WhiteNoise, dict(power=0.01))])
def test_channels_of_noise_are_independent(cls, parameters):
    count = 3000
    values = played(made(cls, seed=5, width=3, **parameters), count)
    assert values.shape == (count, 3)
    correlation = np.corrcoef(values.T)[np.triu_indices(3, 1)]
    assert np.abs(correlation).max() < 4.5 / math.sqrt(count)
    assert np.abs(values.var(axis=0) - 1.0).max() < 4.5 * math.sqrt(2.0 / count)


def test_white_noise_is_held_between_its_samples():
    values = played(made(WhiteNoise, power=1.0, sample_time=0.05, seed=8), 500).reshape(100, 5)
    assert (values == values[:, :1]).all()
    assert len(set(values[:, 0])) == 100
    every_tick = played(made(WhiteNoise, power=1.0, seed=8), 100)
    assert values[:, 0] == pytest.approx(every_tick / math.sqrt(5.0), rel=1e-12)  # variance = power / sample_time


def test_white_noise_has_its_spectral_density():
    # Two-sided, per Hz: the mean periodogram |sum y exp(-jwt) dt|^2 / T is `power` below 1/(2 sample_time).
    dt, power, segments, length = 0.01, 0.3, 160, 64
    values = played(made(WhiteNoise, dt, power=power, seed=21), segments * length).reshape(segments, length)
    density = (np.abs(np.fft.fft(values, axis=1)) ** 2 * dt / length).mean(axis=0)
    assert abs(density.mean() - power) < 4.5 * power * math.sqrt(2.0 / (segments * length))
    # Each frequency averages `segments` exponential variables (the two real ones are wider).
    assert np.abs(np.delete(density, [0, length // 2]) - power).max() < 5.0 * power / math.sqrt(segments)


@pytest.mark.parametrize(
    ("cls", "parameters", "sentence"),
    [
        (NormalNoise, dict(variance=-1.0), "'variance' must be at least 0, got -1.0"),
        (NormalNoise, dict(seed=-1), "'seed' must be at least 0"),
        (NormalNoise, dict(seed=1.5), "'seed' must be a whole number, got 1.5"),
        (NormalNoise, dict(seed=2**53), "'seed' must be less than 9.0072e+15"),
        (NormalNoise, dict(std=1.0), "has no parameter 'std'"),
        (WhiteNoise, dict(), "needs power="),
        (WhiteNoise, dict(power=-1.0), "'power' must be at least 0, got -1.0"),
        (WhiteNoise, dict(power=1.0, sample_time=0.015), "sample_time=0.015 s is 1.5 ticks of 0.01 s"),
        (WhiteNoise, dict(power=1.0, sample_time=0.004), "use a multiple such as 0.01 s"),
        (WhiteNoise, dict(power=1.0, width=0), "'width' must be at least 1, got 0"),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused_in_a_sentence(cls, parameters, sentence):
    with pytest.raises(ParameterError) as caught:
        made(cls, **parameters)
    assert sentence in str(caught.value).replace(f" of block {cls.__name__!r}", "")
    assert "\n" not in str(caught.value)
