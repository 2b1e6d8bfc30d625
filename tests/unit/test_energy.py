"""Energy-error monitor: Eqs. 7.16-7.22 and 8.1-8.6 as corrected, signs, start, indicators, refusals."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from one_block import by_name, made, refusal
from path_work import total_work

from hybsim.blocks.monitors.energy_indicators import EnergyIndicators
from hybsim.errors import ParameterError

NAMES = ("e_experimental", "e_error", "e_input", "hsei_s", "hsei_i")
monitor = partial(made, EnergyIndicators, strain_energy=5.0)


@pytest.mark.parametrize("width", [1, 3])
def test_energies_are_the_trapezoidal_sums(width):
    command, measured, force, load = np.random.default_rng(width).normal(size=(4, 200, width))
    got = by_name(monitor(width=width), command, measured, force, load)
    np.testing.assert_allclose(got["e_experimental"], total_work(force, command), rtol=0, atol=1e-11)
    np.testing.assert_allclose(got["e_input"], total_work(load, command), rtol=0, atol=1e-11)
    error = total_work(force, command) - total_work(force, measured)
    np.testing.assert_allclose(got["e_error"], error, rtol=0, atol=1e-11)
    np.testing.assert_allclose(got["hsei_s"], error / 5.0, rtol=0, atol=1e-11)


@pytest.mark.parametrize("phase", [0.05, -0.05])
def test_a_lag_adds_energy_and_a_lead_takes_it(phase):
    """Each cycle of U sin(wt), applied with a phase lag, has an error of -pi k U^2 sin(phase)."""
    k, amplitude, ticks = 10.0, 2.0, 200
    turn = 2 * math.pi * np.arange(3 * ticks + 1) / ticks
    command, measured = amplitude * np.sin(turn), amplitude * np.sin(turn - phase)
    error = by_name(monitor(), command, measured, k * measured, 0.0 * turn)["e_error"]
    # At ticks the ellipse is a polygon, smaller by sin(2 pi / N) / (2 pi / N).
    polygon = math.sin(2 * math.pi / ticks) / (2 * math.pi / ticks)
    cycles = -math.pi * k * amplitude**2 * math.sin(phase) * polygon * np.arange(4)
    np.testing.assert_allclose(error[::ticks], cycles, rtol=1e-10, atol=1e-10)
    assert (error[-1] < 0) == (phase > 0)


@pytest.mark.parametrize("phase", [0.05, -0.05])
def test_indicators_are_negative_for_a_lag_and_positive_for_a_lead(phase):
    turn = 2 * math.pi * np.arange(401) / 200
    command, measured = np.sin(turn), np.sin(turn - phase)
    # The load drives the motion: its work is positive.
    got = by_name(monitor(), command, measured, 10.0 * measured, np.cos(turn))
    assert got["e_input"][-1] > 0.0
    for name in ("e_error", "hsei_s", "hsei_i"):
        assert np.sign(got[name][-1]) == -np.sign(phase), name
    assert got["hsei_i"][-1] == pytest.approx(got["e_error"][-1] / (5.0 + got["e_input"][-1]), rel=1e-14)


def test_no_error_if_the_actuator_is_perfect():
    command, force, load = np.random.default_rng(3).normal(size=(3, 100))
    got = by_name(monitor(), command, command, force, load)
    assert not got["e_error"].any()
    assert not got["hsei_i"].any()


def test_the_first_tick_is_the_starting_point():
    got = by_name(monitor(), [3.0, 5.0], [1.0, 2.0], [4.0, 6.0], [8.0, 2.0])
    assert [got[name][0] for name in NAMES] == [0.0] * 5
    # Means of 5 over 2, 5 over (2 - 1), 5 over 2; E_strain + E_input = 15.
    assert [got[name][1] for name in NAMES] == [10.0, 5.0, 10.0, 1.0, 5.0 / 15.0]


def test_constant_load_gives_load_times_displacement():
    command = np.linspace(1.0, 4.0, 50)
    got = by_name(monitor(), command, command, 0 * command, np.full(50, 7.0))
    assert got["e_input"][-1] == pytest.approx(7.0 * 3.0, rel=1e-13)


def test_negative_input_energy_keeps_the_indicator_finite_and_its_sign():
    # The load works against the motion: E_input falls from 0 through -E_strain = -5 to -10 in steps of 0.5.
    command = np.arange(21.0)
    measured = 0.9 * command
    got = by_name(monitor(), command, measured, np.full(21, -2.0), np.full(21, -0.5))
    e_input, e_error = got["e_input"], got["e_error"]
    assert e_input[10] == -5.0
    assert (e_error[1:] < 0).all()
    assert np.isfinite(got["hsei_i"]).all()
    assert (got["hsei_i"][1:] < 0).all()
    plain = e_input > -0.99 * 5.0
    np.testing.assert_allclose(got["hsei_i"][plain], e_error[plain] / (5.0 + e_input[plain]), rtol=1e-14)
    np.testing.assert_allclose(got["hsei_i"][~plain], e_error[~plain] / 0.05, rtol=1e-14)


def test_every_output_needs_only_the_inputs_of_its_equation():
    error = frozenset({"disp_cmd", "disp_meas", "force_meas"})
    assert monitor()._kernels.feedthrough == {
        "e_experimental": frozenset({"disp_cmd", "force_meas"}),
        "e_error": error,
        "e_input": frozenset({"disp_cmd", "load"}),
        "hsei_s": error,
        "hsei_i": error | {"load"},
    }


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"strain_energy": 0.0}, "'strain_energy' of block 'energy' must be greater than 0, got 0.0"),
        ({"width": 0}, "'width' of block 'energy' must be at least 1"),
        ({"strain": 1.0}, "has no parameter 'strain'"),
    ],
)
def test_refusals_are_one_sentence(parameters, words):
    assert words in refusal(monitor, name="energy", **parameters)


def test_the_strain_energy_must_be_given():
    with pytest.raises(ParameterError, match="needs strain_energy= "):
        made(EnergyIndicators, name="energy")
