"""The delay estimator: exact without noise, unbiased with it, and where it holds its value."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from one_block import every_output, later, made, refusal, shapes

import hybsim as hs
from hybsim.blocks.compensators.delay_estimator import DelayEstimator
from hybsim.errors import ParameterError

DT = 0.001
make = partial(made, DelayEstimator, dt=DT, max_delay=0.03, window=0.3)


def drive(block, command, measured):
    """Delay in ticks and amplitude at every tick."""
    return np.column_stack(every_output(block, command, measured)) / [DT, 1.0]


def motion(t):
    """A smooth signal of a few Hz, known at any time."""
    return np.sin(2 * math.pi * 1.3 * t) + 0.6 * np.sin(2 * math.pi * 3.1 * t + 1.0) + 0.1 * np.cos(55.0 * t)


T = DT * np.arange(420)


@pytest.mark.parametrize("delay", [0.0, 0.3, 1.0, 7.5, 10.0, 12.37, 29.9, 30.0])
@pytest.mark.parametrize(("amplitude", "offset"), [(1.0, 0.0), (0.8, 0.0), (1.1, -5.0)])
def test_a_shifted_signal_is_measured_to_a_hundredth_of_a_tick(delay, amplitude, offset):
    found = drive(make(), motion(T), amplitude * motion(T - delay * DT) + offset)[-1]
    assert found[0] == pytest.approx(delay, abs=0.01)
    assert found[1] == pytest.approx(amplitude, rel=1e-3)


@pytest.mark.parametrize("delay", [0.0, 4.0, 11.25])
def test_a_linearly_interpolated_delay_is_found_exactly(delay):
    noise = np.convolve(np.random.default_rng(1).normal(size=440), np.ones(20) / 20.0)[:420]
    late = np.interp(np.arange(420) - delay, np.arange(420), noise)
    found = drive(make(), noise, 0.9 * late)[-1]
    assert found == pytest.approx([delay, 0.9], rel=1e-7, abs=1e-7)


def test_noise_does_not_bias_it():
    """Estimates of 200 windows, each over the deviation that least squares give it for noise of 5 %."""
    n, window, delay = 200, 300, 0.01137
    t = DT * np.arange(n * window + 40)
    size = 0.05 * motion(t).std()
    late = 0.9 * motion(t - delay)
    bd = hs.BDSim().blockdiagram(dt=DT)
    estimator = bd.DELAYESTIMATOR(name="estimator", max_delay=0.03, window=window * DT)
    noisy = late + size * np.random.default_rng(0).normal(size=len(t))
    bd.connect(bd.GROUNDMOTION(name="command", record=motion(t), record_dt=DT), estimator.command)
    bd.connect(bd.GROUNDMOTION(name="measured", record=noisy, record_dt=DT), estimator.measured)
    result = hs.compile(bd).run(t[-1])
    errors = []
    for k in range(2 * window, len(t) - 1, window):  # the estimate of tick k appears at k + 1
        # delay, amplitude and offset are estimated together
        rows = slice(k - window + 1, k + 1)
        columns = np.column_stack([-np.gradient(late, DT)[rows], late[rows] / 0.9, np.ones(window)])
        deviation = size * np.sqrt(np.diag(np.linalg.inv(columns.T @ columns)))
        found = result["estimator.delay"][k + 1] - delay, result["estimator.amplitude"][k + 1] - 0.9
        errors.append(found / deviation[:2])
    assert np.abs(np.mean(errors, axis=0)).max() < 3.0 / math.sqrt(len(errors))
    assert np.std(errors, axis=0) == pytest.approx([1.0, 1.0], rel=0.2)


def test_it_follows_a_delay_that_changes():
    t = DT * np.arange(1500)
    delay = np.where(t < 0.7, 8.0, 15.0)
    found = drive(make(), motion(t), motion(t - delay * DT))[:, 0]
    assert found[699] == pytest.approx(8.0, abs=0.01)
    assert found[1100:] == pytest.approx(15.0, abs=0.01)


def test_it_starts_from_the_initial_delay_and_an_amplitude_of_one():
    found = drive(make(initial_delay=0.02), motion(T), 0.7 * motion(T - 0.01))
    wait = 300 + 31  # the window, and the command as far back as the longest delay
    assert np.all(found[:wait, 0] == 20.0) and np.all(found[:wait, 1] == 1.0)
    assert found[wait] == pytest.approx([10.0, 0.7], rel=1e-3)


def test_a_small_or_resting_command_leaves_the_estimate():
    command = np.concatenate([motion(T), np.full(700, 3.0)])
    measured = np.concatenate([np.zeros(9), 0.95 * command[:-9]]) + 1e-4 * np.random.default_rng(0).normal(size=1120)
    found = drive(make(threshold=0.01), command, measured)
    assert found[419] == pytest.approx([9.0, 0.95], abs=0.01)
    assert np.all(found[760:] == found[760])
    assert np.all(drive(make(threshold=9.9), command, measured) == [0.0, 1.0])


def test_rest_at_zero_leaves_the_estimate_without_a_threshold():
    # What remains in the sums until they are renewed is rounding.
    command = np.concatenate([1e3 * motion(T), np.zeros(700)])
    measured = np.concatenate([np.zeros(9), 0.95 * command[:-9]])
    found = drive(make(), command, measured)
    assert found[-1] == pytest.approx([9.0, 0.95], abs=1e-6)


def test_the_threshold_is_the_amplitude_of_a_sine_around_its_mean():
    sine = 4.0 + np.sin(2 * math.pi * 10.0 * DT * np.arange(400))  # the window holds three periods
    for threshold, learns in ((0.999, True), (1.001, False)):
        found = drive(make(threshold=threshold, max_delay=0.01), sine, np.roll(sine, 5))
        assert bool(found[-1, 0] != 0.0) is learns


def test_signals_that_move_against_each_other_leave_the_estimate():
    found = drive(make(max_delay=0.02, initial_delay=0.004), motion(T), -motion(T))
    assert np.all(found == [4.0, 1.0])


def test_the_estimate_stays_within_its_limits():
    rng = np.random.default_rng(3)
    found = drive(make(max_delay=0.0123), rng.normal(size=900), rng.normal(size=900))
    assert found[:, 0].min() >= 0.0 and found[:, 0].max() <= 12.3 + 1e-9
    assert np.ptp(found[:, 0]) > 1.0
    beyond = drive(make(max_delay=0.0123), motion(T), motion(T - 0.02))
    assert beyond[-1, 0] == pytest.approx(12.3, abs=1e-9)


def test_it_drives_an_adaptive_predictor():
    """The predictor learns a delay it was not told, and the plant then follows the signal."""
    bd = hs.BDSim().blockdiagram(dt=DT)
    signal = bd.SINESWEEP(name="signal", f_start=1.0, f_end=4.0, duration=6.0)
    predictor = bd.PREDICTOR_ADAPTIVE(name="predictor", max_horizon=0.03)
    plant = bd.DELAY(name="plant", delay=0.0124)
    estimator = bd.DELAYESTIMATOR(name="estimator", max_delay=0.03, window=0.5)
    bd.connect(signal, predictor.signal)
    bd.connect(predictor.command, plant, estimator.command)
    bd.connect(plant, estimator.measured)
    bd.connect(estimator.delay, predictor.horizon)
    result = hs.compile(bd).run(6.0)
    assert result.stopped is None
    assert result["estimator.delay"][-1] == pytest.approx(0.0124, abs=1e-8)
    error = np.abs(result["plant"] - result["signal"])
    assert error[200:500].max() > 0.05
    assert error[1500:].max() < 1e-3


def test_ports_and_feedthrough():
    assert DelayEstimator.inlabels == ["command", "measured"]
    assert DelayEstimator.outlabels == ["delay", "amplitude"]
    assert not any(make()._kernels.feedthrough.values())


def test_a_later_window_must_fit_the_block_as_it_was_made():
    with pytest.raises(ParameterError, match=r"window of 0\.4 s is longer than max_window=0\.3 s; declare max_window="):
        later(make(), window=0.4)
    block = make(max_window=0.5)
    assert shapes(later(block, window=0.45)) == shapes(block._prepared)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(max_delay=0.0), "'max_delay' of block 'DelayEstimator' must be greater than 0, got 0.0"),
        (dict(max_delay=-0.01), "'max_delay' of block 'DelayEstimator' must be greater than 0, got -0.01"),
        (dict(initial_delay=-0.01), "'initial_delay' of block 'DelayEstimator' must be at least 0, got -0.01"),
        (dict(initial_delay=0.04), "initial_delay=0.04 s is longer than max_delay=0.03 s; declare max_delay="),
        (dict(window=0.005), "The window of 0.005 s has 5 ticks, but delay, amplitude and offset need at least 8; use"),
        (dict(max_delay=1e5), "max_delay=100000 s is 100000000 ticks of 0.001 s, but at most 20000000 can be stored"),
        (dict(threshold=-1.0), "'threshold' of block 'DelayEstimator' must be at least 0, got -1.0"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    assert sentence in refusal(make, **parameters)
