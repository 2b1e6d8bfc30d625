"""The adaptive time series compensator: what it does with held coefficients, what it learns, and where it holds."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from one_block import later, made, refusal, shapes, stepped
from scipy.optimize import lsq_linear
from scipy.signal import butter, lfilter

import hybsim as hs
from hybsim.blocks.compensators.adaptive_time_series import AdaptiveTimeSeries, learn
from hybsim.blocks.compensators.polynomial_predictor import Predictor
from hybsim.errors import ParameterError

DT = 0.001
LOWER, UPPER = np.array([0.7, 0.0, 0.0]), np.array([1.3, 0.08, 0.0032])
make = partial(made, AdaptiveTimeSeries, dt=DT, delay=0.008, window=0.2)


def rough(n=600, hertz=(1.0, 3.1, 7.3, 12.0), seed=0):
    """A smooth signal of several frequencies, from rest."""
    phases = np.random.default_rng(seed).uniform(0.0, 6.0, size=len(hertz))
    t = DT * np.arange(n)
    return sum((np.cos(2 * math.pi * f * t + p) - math.cos(p)) / f for f, p in zip(hertz, phases, strict=True))


def differences(values, dt=DT):
    """Columns x, x', x'' of backward differences."""
    x, x1, x2 = values, np.concatenate([[0.0], values[:-1]]), np.concatenate([[0.0, 0.0], values[:-2]])
    return np.column_stack([x, (3 * x - 4 * x1 + x2) / (2 * dt), (x - 2 * x1 + x2) / dt**2])


def with_plant(block, signal, plant):
    """Command, measured and coefficients with a plant (a function of all commands so far) in the loop."""
    x, rows, commands = block.getstate0(), [], []
    for value in signal:
        command, *a = block.output(0.0, [value, 0.0], x)
        commands.append(command)
        measured = plant(commands)
        x = block.next(0.0, [value, measured], x)
        rows.append([command, measured, *a])
    rows = np.array(rows)
    return rows[:, 0], rows[:, 1], rows[:, 2:]


def late(n):
    return lambda commands: commands[-1 - n] if len(commands) > n else 0.0


class Series:
    """The actuator that a compensator of this kind inverts: command = a0 m + a1 m' + a2 m''."""

    def __init__(self, a0, a1, a2):
        self.now = a0 + 1.5 * a1 / DT + a2 / DT**2
        self.before = (-2.0 * a1 / DT - 2.0 * a2 / DT**2, 0.5 * a1 / DT + a2 / DT**2)
        self.past = [0.0, 0.0]

    def __call__(self, commands):
        m = (commands[-1] - self.before[0] * self.past[0] - self.before[1] * self.past[1]) / self.now
        self.past = [m, self.past[0]]
        return m


# With coefficients as they start


@pytest.mark.parametrize("delay", [0.0, 0.0123])
def test_held_coefficients_are_the_predictor_of_order_two(delay):
    signal = np.random.default_rng(3).normal(size=50)
    expected = stepped(made(Predictor, DT, horizon=delay, order=2, initial=0.5), signal)
    got = stepped(make(delay=delay, initial=0.5), signal, signal)
    assert got == pytest.approx(expected, rel=1e-10, abs=1e-10)


def test_a_parabola_is_led_exactly():
    t = DT * np.arange(60)
    got = stepped(make(delay=0.0123), 1.0 - 4.0 * t + 30.0 * t**2, np.zeros(60))
    ahead = t + 0.0123
    assert got[2:] == pytest.approx((1.0 - 4.0 * ahead + 30.0 * ahead**2)[2:], rel=1e-10)


def test_the_filter_is_butterworths_and_acts_on_the_derivatives_alone():
    signal = rough(200)
    smooth = lfilter(*bilinear(30.0), signal)
    expected = np.column_stack([signal, differences(smooth)[:, 1:]]) @ [1.0, 0.01, 0.5e-4]
    assert stepped(make(delay=0.01, cutoff=30.0), signal, signal) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def bilinear(cutoff):
    """Butterworth's filter of order 2 by Tustin's rule at the true frequency, without prewarping."""
    warped = math.atan(math.pi * cutoff * DT) / (math.pi * DT)
    return butter(2, warped, fs=1.0 / DT)


def test_what_rests_stays_at_rest():
    got = stepped(make(initial=-2.0, cutoff=30.0), np.full(40, -2.0), np.full(40, -2.0))
    assert got == pytest.approx(np.full(40, -2.0), rel=1e-12)


# What is learnt


@pytest.mark.parametrize("true", [(1.05, 0.012, 9e-5), (0.93, 0.02, 1e-4), (1.0, 0.004, 1e-5)])
def test_the_coefficients_of_the_actuator_it_inverts_are_found(true):
    signal = rough(1200)
    _, measured, a = with_plant(make(), signal, Series(*true))
    assert a[-1] == pytest.approx(true, rel=2e-3)
    # and the actuator then follows the signal
    assert np.abs(measured - signal)[1000:].max() < 1e-4 * np.abs(signal).max()
    assert np.abs(measured - signal)[:199].max() > 2e-3 * np.abs(signal).max()


def test_the_coefficients_are_the_bounded_least_squares_of_the_window():
    signal, window = rough(900), 250
    command, measured, a = with_plant(make(window=0.25), signal, late(9))
    columns = differences(measured)[900 - window - 1 : 899]
    sizes = np.linalg.norm(columns, axis=0)
    fit = lsq_linear(columns / sizes, command[900 - window - 1 : 899], (LOWER * sizes, UPPER * sizes), tol=1e-14)
    # the worst determined combination follows the moving window with some delay
    assert a[-1] == pytest.approx(fit.x / sizes, rel=2e-2)
    left = np.linalg.norm(command[899 - window : 899] - columns @ a[-1])
    assert left == pytest.approx(math.sqrt(2.0 * fit.cost), rel=1e-3)


def test_nothing_is_learnt_before_the_window_is_filled():
    _, _, a = with_plant(make(), rough(260), late(12))
    assert np.all(a[:200] == a[0]) and a[0] == pytest.approx([1.0, 0.008, 3.2e-5])
    assert np.all(a[200] != a[0])


@pytest.mark.parametrize("gain", [0.2, 1.0, 5.0])
def test_bounds_hold_whatever_is_measured(gain):
    rng = np.random.default_rng(4)
    _, _, a = with_plant(make(), rough(700), lambda commands: gain * commands[-1] + rng.normal())
    assert np.all(a >= LOWER) and np.all(a <= UPPER)
    assert np.any(a[-1] == LOWER) or np.any(a[-1] == UPPER)


def test_a_small_motion_teaches_nothing():
    signal = 0.01 * rough(600) / np.abs(rough(600)).max()
    _, _, held = with_plant(make(threshold=0.05), signal, late(12))
    assert np.all(held == held[0])
    _, _, moved = with_plant(make(threshold=0.0005), signal, late(12))
    assert np.any(moved[-1] != moved[0])


def test_the_threshold_is_the_amplitude_of_a_sine():
    sine = np.sin(2.0 * math.pi * 10.0 * DT * np.arange(600))  # the window holds two periods
    for threshold, learns in ((0.999, True), (1.001, False)):
        block = make(threshold=threshold)
        x = block.getstate0()
        for value in sine:
            x = block.next(0.0, [value, value], x)
        assert (block.output(0.0, [0.0, 0.0], x)[1:] != [1.0, 0.008, 3.2e-5]) is learns


@pytest.mark.parametrize(("offset", "threshold"), [(0.0, 0.0), (0.5, 5e-3)])
def test_rest_after_motion_teaches_nothing(offset, threshold):
    # What remains in the sums until they are renewed is rounding, and must not count as motion.
    bump = 1e3 * (rough(650) * np.sin(math.pi * np.arange(650) / 649.0) ** 4 + offset * np.arange(650) / 649.0)
    signal = np.concatenate([bump, np.full(500, bump[-1])])
    signal[650:] = np.round(bump[-1], 9)
    _, _, a = with_plant(make(threshold=1e3 * threshold), signal, late(12))
    assert np.any(a[600] != a[0])
    assert np.all(a[870:] == a[870])  # from one window after the motion on, 1000 being the tick of renewal


def test_what_is_left_in_the_sums_by_rounding_teaches_nothing():
    largest, change = np.array([1e3, 1e6, 1e9]), np.full(3, math.inf)
    for share, learns in ((1e-13, False), (1e-11, True)):
        gram = np.diag(share * largest)
        sums = [*gram[np.triu_indices(3)], *(share * largest * [1.2, 0.05, 0.001]), 0.0]
        a = [1.0, 0.01, 5e-5]
        learn(a, sums, largest, change, LOWER, UPPER)
        assert a == pytest.approx([1.2, 0.05, 0.001] if learns else [1.0, 0.01, 5e-5], rel=1e-9)


def test_the_rate_limits_every_coefficient():
    _, _, a = with_plant(make(rate=0.5), rough(500), late(14))
    steps = np.abs(np.diff(a, axis=0)) / (UPPER - LOWER)
    assert steps.max() <= 0.5 * DT * (1 + 1e-9)
    assert steps[200:].max() == pytest.approx(0.5 * DT, rel=1e-9)


def test_a_million_ticks_do_not_drift():
    """A long run ends with the least squares of its last window, whatever its start left in the sums."""
    n, window = 1_000_000, 512
    bd = hs.BDSim().blockdiagram(dt=DT)
    noise = bd.NORMAL(name="noise", seed=2)
    # coloured, so that its derivatives are finite
    smooth = bd.ACTUATOR_S(name="smooth", system=([1.0], np.polymul([0.01, 1.0], [1e-4, 0.014, 1.0])), inputs=[noise])
    series = bd.ATS(name="series", delay=0.008, window=window * DT)
    plant = bd.ACTUATOR_S(name="plant", system="TS_1")
    signal = bd.SUM("++", name="signal")
    bd.connect(smooth, signal[0])
    bd.connect(bd.COSINEPULSE(name="pulse", amplitude=1e8, duration=0.5), signal[1])
    bd.connect(signal, series.signal)
    bd.connect(series.command, plant)
    bd.connect(plant, series.measured)
    program = hs.compile(bd)
    result = program.run((n - 1) * DT)
    command, measured = result["series.command"], result["plant.position"]
    columns = differences(measured[-window - 10 :])[9:-1]
    sizes = np.linalg.norm(columns, axis=0)
    fit = lsq_linear(columns / sizes, command[-window - 1 : -1], (LOWER * sizes, UPPER * sizes), tol=1e-14)
    last = np.array([result[f"series.a{i}"][-1] for i in range(3)])
    assert last == pytest.approx(fit.x / sizes, rel=2e-2)
    left = np.linalg.norm(command[-window - 1 : -1] - columns @ last)
    assert left == pytest.approx(math.sqrt(2.0 * fit.cost), rel=1e-3)


# Declaration


def test_ports_and_feedthrough():
    assert AdaptiveTimeSeries.inlabels == ["signal", "measured"]
    assert AdaptiveTimeSeries.outlabels == ["command", "a0", "a1", "a2"]
    nothing = frozenset()
    assert make()._kernels.feedthrough == dict(command=frozenset({"signal"}), a0=nothing, a1=nothing, a2=nothing)


def test_a_later_window_must_fit_the_block_as_it_was_made():
    with pytest.raises(ParameterError, match=r"window of 0\.3 s is longer than max_window=0\.2 s; declare max_window="):
        later(make(), window=0.3)
    block = make(max_window=0.5)
    assert shapes(later(block, window=0.3, cutoff=40.0, rate=1.0)) == shapes(block._prepared)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (dict(delay=-0.01), "'delay' of block 'AdaptiveTimeSeries' must be at least 0, got -0.01"),
        (dict(delay=0.09), "The delay of 0.09 s starts a1 at 0.09, which is not within its bounds [0, 0.08]; shorten"),
        (dict(lower=(1.1, 0.0, 0.0)), "starts a0 at 1, which is not within its bounds [1.1, 1.3]"),
        (dict(lower=(0.7, 0.0)), "lower must hold three numbers, for a0, a1 and a2, got 2"),
        (dict(upper=(0.7, 0.08, 0.0032)), "a0 has a lower bound of 0.7, which is not below 0.7"),
        (dict(window=0.003), "The window of 0.003 s has 3 ticks, but three coefficients need at least 8; use 0.008 s"),
        (dict(window=1e5), "window=100000 s is 100000000 ticks of 0.001 s, but at most 20000000 can be stored"),
        (dict(cutoff=500.0), "cutoff=500 Hz is not below 500 Hz, half the sampling rate"),
        (dict(rate=0.0), "'rate' of block 'AdaptiveTimeSeries' must be greater than 0, got 0.0"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    assert sentence in refusal(make, **parameters)
