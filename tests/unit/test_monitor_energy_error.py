"""Energy error of each actuator: both forms, their signs, and the identity between them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_block import by_name, made, refusal
from path_work import each_work

from hybsim.blocks.monitors.energy_error import EnergyError
from hybsim.blocks.monitors.energy_error_stiffness import EnergyErrorStiffness, EnergyErrorTangent
from hybsim.blocks.monitors.energy_indicators import EnergyIndicators

COUPLED = np.array([[30.0, -12.0], [-12.0, 20.0]])


def random_paths(*shape, seed=2):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("width", [1, 3])
def test_each_actuator_has_its_own_sums(width):
    command, measured, force = random_paths(3, 80, width)
    shown = by_name(made(EnergyError, width=width), command, measured, force)
    expected = dict(
        e_experimental=each_work(force, command),
        e_best=each_work(force, measured),
        e_error=each_work(force, command) - each_work(force, measured),
    )
    for name, values in expected.items():
        np.testing.assert_allclose(shown[name].reshape(80, width), values, rtol=0, atol=1e-12, err_msg=name)


def test_the_sum_over_the_actuators_is_that_of_energy():
    command, measured, force = random_paths(3, 80, 3)
    each = by_name(made(EnergyError, width=3), command, measured, force)
    total = by_name(made(EnergyIndicators, width=3, strain_energy=1.0), command, measured, force, force)
    for name in ("e_error", "e_experimental"):
        np.testing.assert_allclose(each[name].sum(axis=1), total[name], rtol=0, atol=1e-12)


def test_energies_do_not_depend_on_the_coordinates():
    """u^ac = T u and R = T^T r: what the actuators see is what the structure sees (Eqs. 7.9-7.13)."""
    transformation = np.array([[1.0, 0.0], [-1.0, 1.0]])
    u, u_meas, r = random_paths(3, 50, 2)
    local = by_name(made(EnergyError, width=2), u @ transformation.T, u_meas @ transformation.T, r)
    overall = by_name(made(EnergyError, width=2), u, u_meas, r @ transformation)
    for name in local:
        np.testing.assert_allclose(local[name].sum(axis=1), overall[name].sum(axis=1), rtol=0, atol=1e-12)


@pytest.mark.parametrize("width", [1, 2])
def test_the_form_with_a_stiffness_is_equation_7_18_with_the_other_sign(width):
    command, measured = random_paths(2, 80, width)
    stiffness = COUPLED[:width, :width]
    shown = by_name(made(EnergyErrorStiffness, stiffness=stiffness), command, measured)
    expected = -each_work((command - measured) @ stiffness.T, command)
    np.testing.assert_allclose(shown["e_error"].reshape(80, width), expected, rtol=0, atol=1e-11)


def test_the_tangent_is_read_by_rows_and_at_both_ends_of_a_step():
    command, measured = random_paths(2, 80, 2)
    tangents = random_paths(80, 2, 2, seed=8)  # not symmetric: rows and columns must not be mixed up
    shown = by_name(made(EnergyErrorTangent, width=2), command, measured, tangents.reshape(80, 4))
    forces = np.einsum("kij,kj->ki", tangents, command - measured)
    np.testing.assert_allclose(shown["e_error"], -each_work(forces, command), rtol=0, atol=1e-12)


def test_a_constant_tangent_gives_the_bits_of_the_constant_stiffness():
    command, measured = random_paths(2, 50, 2)
    constant = by_name(made(EnergyErrorStiffness, stiffness=COUPLED), command, measured)["e_error"]
    tangent = by_name(made(EnergyErrorTangent, width=2), command, measured, np.tile(COUPLED.ravel(), (50, 1)))
    assert np.array_equal(constant, tangent["e_error"])


def strain_energy(u, k):
    return 0.5 * np.einsum("ki,ij,kj->k", u, k, u)


@given(st.integers(0, 2**32 - 1))
def test_for_a_linear_specimen_the_forms_differ_by_strain_energy_alone(seed):
    """E_M - E_T = 1/2 u^cT K u^c - 1/2 u^mT K u^m since the first tick: summation by parts, exact at every tick."""
    command, measured = random_paths(2, 40, 2, seed=seed)
    m = by_name(made(EnergyError, width=2), command, measured, measured @ COUPLED)["e_error"].sum(axis=1)
    t = by_name(made(EnergyErrorStiffness, stiffness=COUPLED), command, measured)["e_error"].sum(axis=1)
    boundary = strain_energy(command, COUPLED) - strain_energy(measured, COUPLED)
    np.testing.assert_allclose(m - t, boundary - boundary[0], rtol=0, atol=1e-10)


def test_with_uncoupled_springs_the_identity_holds_for_each_actuator():
    k = np.array([5.0, 20.0])
    command, measured = random_paths(2, 40, 2)
    m = by_name(made(EnergyError, width=2), command, measured, measured * k)["e_error"]
    t = by_name(made(EnergyErrorStiffness, stiffness=np.diag(k)), command, measured)["e_error"]
    boundary = 0.5 * k * (command**2 - measured**2)
    np.testing.assert_allclose(m - t, boundary - boundary[0], rtol=0, atol=1e-11)


@pytest.mark.parametrize("phase", [0.05, -0.05])
def test_over_closed_cycles_both_forms_agree_and_a_lag_is_negative(phase):
    k, amplitude, ticks, cycles = 10.0, 2.0, 200, 3
    turn = 2 * math.pi * np.arange(cycles * ticks + 1) / ticks
    command, measured = amplitude * np.sin(turn), amplitude * np.sin(turn - phase)
    forms = (
        by_name(made(EnergyError), command, measured, k * measured)["e_error"],
        by_name(made(EnergyErrorStiffness, stiffness=k), command, measured)["e_error"],
        by_name(made(EnergyErrorTangent), command, measured, np.full(len(turn), k))["e_error"],
    )
    polygon = math.sin(2 * math.pi / ticks) / (2 * math.pi / ticks)
    theory = -math.pi * k * amplitude**2 * math.sin(phase) * polygon * np.arange(cycles + 1)
    for e_error in forms:
        np.testing.assert_allclose(e_error[::ticks], theory, rtol=1e-10, atol=1e-10)


def test_the_first_tick_is_the_starting_point():
    shown = by_name(made(EnergyError), [3.0, 5.0], [1.0, 2.0], [4.0, 6.0])
    # A mean force of 5 over 2, over 1 and over their difference.
    assert [shown[name].tolist() for name in ("e_experimental", "e_best", "e_error")] == [[0, 10], [0, 5], [0, 5]]
    shown = by_name(made(EnergyErrorStiffness, stiffness=10.0), [3.0, 5.0], [1.0, 2.0])
    assert shown["e_error"].tolist() == [0.0, -50.0]  # errors of 2 and 3: a mean force of -25 over 2


def test_ports_and_what_follows_what():
    cmd, meas, force = frozenset({"disp_cmd"}), frozenset({"disp_meas"}), frozenset({"force_meas"})
    assert made(EnergyError)._kernels.feedthrough == {
        "e_error": cmd | meas | force,
        "e_experimental": cmd | force,
        "e_best": meas | force,
    }
    assert made(EnergyErrorStiffness, stiffness=1.0)._kernels.feedthrough == {"e_error": cmd | meas}
    assert made(EnergyErrorTangent)._kernels.feedthrough == {"e_error": cmd | meas | {"stiffness"}}
    assert made(EnergyErrorTangent, width=3).widths == dict(disp_cmd=3, disp_meas=3, e_error=3, stiffness=9)


@pytest.mark.parametrize(
    ("cls", "parameters", "words"),
    [
        (EnergyError, dict(width=0), "'width' of block 'energy' must be at least 1, got 0"),
        (EnergyError, dict(stiffness=1.0), "has no parameter 'stiffness'"),
        (EnergyErrorStiffness, {}, "needs stiffness= (stiffness K of the specimens at the actuators"),
        (EnergyErrorStiffness, dict(stiffness=[[1.0, 2.0]]), "must be a number or a square matrix, got shape (1, 2)"),
        (EnergyErrorStiffness, dict(stiffness=math.nan), "must hold finite numbers only"),
        (EnergyErrorTangent, dict(width=1.5), "'width' of block 'energy' must be a whole number, got 1.5"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(cls, parameters, words):
    assert words in refusal(made, cls, name="energy", **parameters)
