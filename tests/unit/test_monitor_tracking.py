"""Tracking indicator and frequency evaluation index: signs, closed forms, start, refusals."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from one_block import by_name, made, refusal
from path_work import each_work

from hybsim.blocks.monitors.energy_error import EnergyError
from hybsim.blocks.monitors.frequency_evaluation import FrequencyEvaluation
from hybsim.blocks.monitors.tracking_indicator import TrackingIndicator
from hybsim.studies.tracking import frequency_evaluation_index
from hybsim.studies.verification.monitor_paths import watched

DT = 0.01
SENSE = np.random.default_rng(6).normal(size=(2, 150))
make = partial(made, dt=DT)


# the tracking indicator ----------------------------------------------------------------------


def test_the_areas_are_those_of_the_definition():
    command, measured = SENSE
    shown = by_name(make(TrackingIndicator), command, measured)
    np.testing.assert_allclose(shown["area"], each_work(command, measured), rtol=0, atol=1e-12)
    np.testing.assert_allclose(shown["complement"], each_work(measured, command), rtol=0, atol=1e-12)
    # The indicator is the area between the path and the origin, as by the shoelace formula.
    shoelace = np.concatenate([[0.0], np.cumsum(0.5 * (command[:-1] * measured[1:] - command[1:] * measured[:-1]))])
    np.testing.assert_allclose(shown["indicator"], shoelace, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        shown["area"] + shown["complement"], command * measured - command[0] * measured[0], rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("phase", [0.1, -0.1, 0.0])
@pytest.mark.parametrize("gain", [1.0, 0.7])
def test_each_cycle_adds_pi_times_the_amplitudes_and_the_sine_of_the_phase(phase, gain):
    ticks, cycles, amplitude = 100, 3, 2.0
    turn = 2.0 * math.pi * np.arange(cycles * ticks + 1) / ticks
    command, measured = amplitude * np.sin(turn), gain * amplitude * np.sin(turn - phase)
    shown = by_name(make(TrackingIndicator), command, measured)["indicator"]
    polygon = math.sin(2.0 * math.pi / ticks) / (2.0 * math.pi / ticks)
    theory = math.pi * gain * amplitude**2 * math.sin(phase) * polygon * np.arange(cycles + 1)
    np.testing.assert_allclose(shown[::ticks], theory, rtol=1e-12, atol=1e-12)
    # The slope is the same all along: a lag grows at every tick, a lead falls.
    assert (np.diff(shown) * np.sign(phase) > 0.0).all() or phase == 0.0


def test_with_a_spring_the_energy_error_of_a_cycle_is_minus_the_stiffness_times_the_indicator():
    turn = 2.0 * math.pi * np.arange(401) / 100
    command, measured = np.sin(turn), 0.8 * np.sin(turn - 0.2)
    energy = by_name(make(EnergyError), command, measured, 25.0 * measured)["e_error"]
    indicator = by_name(make(TrackingIndicator), command, measured)["indicator"]
    np.testing.assert_allclose(energy[::100], -25.0 * indicator[::100], rtol=0, atol=1e-10)


def test_an_error_of_amplitude_alone_goes_unnoticed():
    command = SENSE[0]
    shown = by_name(make(TrackingIndicator), command, 0.5 * command)["indicator"]
    np.testing.assert_allclose(shown, 0.0, atol=1e-12)


# the frequency evaluation index --------------------------------------------------------------


@pytest.mark.parametrize("late", [0.3, -0.2, 0.0])
def test_a_sine_gives_its_gain_its_delay_and_its_frequency(late):
    n, cycles, gain = 400, 6, 0.85
    turn = 2.0 * math.pi * cycles * np.arange(n + 1) / n
    command, measured = np.sin(turn), gain * np.sin(turn - late)
    hertz = cycles / (n * DT)
    shown = by_name(make(FrequencyEvaluation, f_max=20 / (n * DT), lines=20, interval=1), command, measured)
    # The last tick shows the n ticks before it: whole cycles.
    assert shown["amplitude"][-1] == pytest.approx(gain, rel=1e-12)
    assert shown["delay"][-1] == pytest.approx(late / (2.0 * math.pi * hertz), rel=1e-11, abs=1e-14)
    assert shown["frequency"][-1] == pytest.approx(hertz, rel=1e-12)


def test_the_sums_are_those_of_the_fast_fourier_transform():
    command, measured = SENSE
    n = len(command)
    again = [np.append(s, 0.0) for s in (command, measured)]
    shown = by_name(make(FrequencyEvaluation, f_max=30 / (n * DT), lines=30, interval=1), *again)
    amplitude, delay, frequency = frequency_evaluation_index(command, measured, DT, f_max=30.5 / (n * DT))
    assert shown["amplitude"][-1] == pytest.approx(amplitude, rel=1e-11)
    assert shown["delay"][-1] == pytest.approx(delay, rel=1e-11)
    assert shown["frequency"][-1] == pytest.approx(frequency, rel=1e-11)


def test_an_index_of_any_tick_is_that_of_the_record_before():
    command, measured = SENSE
    lines, f_max = 12, 6.0
    shown = by_name(make(FrequencyEvaluation, f_max=f_max, lines=lines, interval=1), command, measured)
    frequencies = f_max / lines * np.arange(1, lines + 1)
    for k in (2, 37, 149):
        turning = np.exp(-2j * math.pi * np.outer(frequencies, DT * np.arange(k)))
        i, o = turning @ command[:k], turning @ measured[:k]
        index = np.vdot(i, o) / np.vdot(i, i).real
        f_eq = float(frequencies @ np.abs(i) ** 2 / np.vdot(i, i).real)
        assert shown["amplitude"][k] == pytest.approx(abs(index), rel=1e-10)
        assert shown["frequency"][k] == pytest.approx(f_eq, rel=1e-10)
        assert shown["delay"][k] == pytest.approx(-np.angle(index) / (2.0 * math.pi * f_eq), rel=1e-9)


def test_the_index_is_renewed_every_interval():
    command, measured = SENSE
    every, some = (
        by_name(make(FrequencyEvaluation, f_max=6.0, lines=12, interval=n), command, measured)["amplitude"]
        for n in (1, 25)
    )
    assert (some[:25] == 1.0).all()
    for start in range(25, 150, 25):
        assert (some[start : start + 25] == every[start]).all()


def test_before_the_command_moves_there_is_no_error():
    still = np.zeros(30)
    shown = by_name(make(FrequencyEvaluation, f_max=6.0, lines=12, interval=1), still, SENSE[0][:30])
    assert (shown["amplitude"] == 1.0).all()
    assert not shown["delay"].any() and not shown["frequency"].any()


def test_phases_do_not_drift_over_a_long_record():
    n, cycles, late = 400_000, 8_000, 0.1
    turn = 2.0 * math.pi * np.arange(n + 1) * (cycles / n)
    shown = watched("FEI", dict(f_max=8 * 2.0, lines=8, interval=n), np.sin(turn), 0.9 * np.sin(turn - late), dt=DT)
    assert shown["frequency"][-1] == pytest.approx(2.0, rel=1e-9)
    assert shown["amplitude"][-1] == pytest.approx(0.9, rel=1e-9)
    assert shown["delay"][-1] == pytest.approx(late / (4.0 * math.pi), rel=1e-8)


@pytest.mark.parametrize(
    ("cls", "parameters"), [(TrackingIndicator, {}), (FrequencyEvaluation, dict(f_max=6.0, lines=12, interval=3))]
)
def test_channels_are_watched_side_by_side(cls, parameters):
    command, measured = np.random.default_rng(9).normal(size=(2, 60, 2))
    both = by_name(make(cls, width=2, **parameters), command, measured)
    alone = [by_name(make(cls, **parameters), command[:, i], measured[:, i]) for i in (0, 1)]
    for name, values in both.items():
        assert np.array_equal(values, np.column_stack([one[name] for one in alone])), name


def test_ports_and_what_follows_what():
    both = frozenset({"disp_cmd", "disp_meas"})
    assert make(TrackingIndicator)._kernels.feedthrough == dict.fromkeys(TrackingIndicator.outs, both)
    nothing = dict.fromkeys(FrequencyEvaluation.outs, frozenset())
    assert make(FrequencyEvaluation, f_max=5.0)._kernels.feedthrough == nothing


@pytest.mark.parametrize(
    ("cls", "parameters", "words"),
    [
        (TrackingIndicator, dict(width=0), "'width' of block 'monitor' must be at least 1, got 0"),
        (FrequencyEvaluation, {}, "needs f_max= (highest frequency in Hz"),
        (
            FrequencyEvaluation,
            dict(f_max=60.0),
            "f_max=60 Hz is above half the frequency of the ticks, 50 Hz; give a lower",
        ),
        (FrequencyEvaluation, dict(f_max=5.0, lines=0), "'lines' of block 'monitor' must be at least 1, got 0"),
        (FrequencyEvaluation, dict(f_max=5.0, interval=0), "'interval' of block 'monitor' must be at least 1, got 0"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(cls, parameters, words):
    assert words in refusal(make, cls, name="monitor", **parameters)


def test_half_the_frequency_of_the_ticks_is_allowed():
    make(FrequencyEvaluation, f_max=50.0)
    make(FrequencyEvaluation, f_max=500.0, dt=0.001)
