"""Structure and actuator degrees of freedom: EERC Eqs. 6.2-6.4 and 7.9-7.10, stiffness, work, shapes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from one_block import refusal
from scipy.linalg import eigvals

from hybsim.blocks.actuators.degrees_of_freedom import ToActuators, ToStructure, storey_drifts

WIDE = np.array([[1.0, 0.5, 0.0], [-2.0, 1.0, 3.0]])  # two actuators at a structure of three degrees of freedom


def through(block, values):
    return np.ravel(block.output(0.0, [values], np.zeros(0))[0])


def test_storey_drifts_are_those_of_the_document():
    assert storey_drifts(2).tolist() == [[1.0, 0.0], [-1.0, 1.0]]
    assert storey_drifts(1).tolist() == [[1.0]]
    np.testing.assert_array_equal(storey_drifts(4) @ [1.0, 3.0, 6.0, 10.0], [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(ValueError, match=r"A frame has at least one storey, got 0\."):
        storey_drifts(0)


@pytest.mark.parametrize(("t", "scale"), [(storey_drifts(2), 0.5), (WIDE, 1.0), (WIDE.T, 3.0), ([[2.0]], 1.0)])
def test_both_ways(t, scale):
    rng, t = np.random.default_rng(1), np.asarray(t)
    actuators, freedoms = t.shape
    disp, force = rng.normal(size=freedoms), rng.normal(size=actuators)
    got = through(ToActuators(transformation=t, scale=scale), disp)
    np.testing.assert_allclose(got, scale * t @ disp, rtol=1e-14)
    got = through(ToStructure(transformation=t, scale=scale), force)
    np.testing.assert_allclose(got, scale * t.T @ force, rtol=1e-14)


def test_the_frame_of_the_document_has_its_stiffness_and_periods():
    """Half columns of 2.8 kip/in give storeys of 2.8 kip/in; 4 kip/g a floor give 0.62 and 0.24 s (EERC Sec. 6.2.1)."""
    t, k = storey_drifts(2), 2.8
    down, up = ToActuators(transformation=t, scale=0.5), ToStructure(transformation=t, scale=2.0)
    stiffness = np.column_stack([through(up, k * through(down, u)) for u in np.eye(2)])
    np.testing.assert_allclose(stiffness, [[2 * k, -k], [-k, k]], rtol=1e-14)
    periods = 2.0 * math.pi / np.sqrt(np.sort(eigvals(stiffness, 4.0 / 386.4 * np.eye(2)).real))
    assert periods == pytest.approx([0.62, 0.24], abs=0.005)


@pytest.mark.parametrize(("s_u", "s_f"), [(1.0, 1.0), (0.5, 0.5), (0.5, 2.0)])
def test_work_is_conserved_for_equal_scales_and_fourfold_for_those_of_the_document(s_u, s_f):
    rng = np.random.default_rng(2)
    disp, force_meas = rng.normal(size=3), rng.normal(size=2)
    disp_cmd = through(ToActuators(transformation=WIDE, scale=s_u), disp)
    force = through(ToStructure(transformation=WIDE, scale=s_f), force_meas)
    assert force @ disp == pytest.approx(s_f / s_u * (force_meas @ disp_cmd), rel=1e-13)


def test_a_number_is_a_matrix_of_one():
    assert list(through(ToActuators(transformation=-2.0), 3.0)) == [-6.0]


def test_ports_and_feedthrough():
    assert (list(ToActuators.ins), list(ToActuators.outs)) == (["disp"], ["disp_cmd"])
    assert (list(ToStructure.ins), list(ToStructure.outs)) == (["force_meas"], ["force"])
    assert ToActuators(transformation=WIDE).widths == {"disp": 3, "disp_cmd": 2}
    assert ToStructure(transformation=WIDE).widths == {"force_meas": 2, "force": 3}
    assert ToActuators(transformation=WIDE)._kernels.feedthrough == {"disp_cmd": frozenset({"disp"})}


@pytest.mark.parametrize("make", [ToActuators, ToStructure])
@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({}, "needs transformation= (T: a row for each actuator"),
        (dict(transformation=[1.0, 2.0]), "a row for each actuator and a column for each degree of freedom, got shape"),
        (dict(transformation=[]), "got shape (0,)"),
        (dict(transformation=np.zeros((2, 2, 2))), "got shape (2, 2, 2)"),
        (dict(transformation=[[1.0, 0.0], [1.0]]), "must be a number or a list of equally long rows of numbers, got"),
        (dict(transformation=[["a"]]), "must be a number or a list of equally long rows of numbers"),
        (dict(transformation=[[math.nan]]), "must hold finite numbers only"),
        (dict(transformation=WIDE, scale=0.0), "'scale' of block 't' must be greater than 0, got 0.0"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(make, parameters, sentence):
    assert sentence in refusal(make, name="t", **parameters)
