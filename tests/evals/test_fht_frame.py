"""FHT's substructure test: the frequencies of the paper, and the hybrid run against OpenSees on its own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from agreement import assert_same_bits

import hybsim as hs
from hybsim.diagrams import fht_opensees
from hybsim.diagrams.fht_frame import (
    completed,
    fht_frame,
    frequencies,
    monolithic,
    opensees_frequencies,
    rayleigh,
)
from hybsim.hw.opensees_process import recorded
from hybsim.studies.verification.opensees_materials import missing

NEEDS_OPENSEES = pytest.mark.skipif(missing() is not None, reason=missing() or "")


def cut(number: float, digits: int) -> float:
    """To some significant digits, the rest dropped."""
    scale = 10.0 ** (digits - 1 - math.floor(math.log10(number)))
    return math.floor(number * scale) / scale


def test_the_printed_frequencies_are_ours_with_the_digits_beyond_cut_off():
    assert [cut(omega, 4) for omega in frequencies()[:3]] == [14.33, 41.47, 241.1]


def test_other_ways_to_spread_the_mass_miss_the_third_frequency(monkeypatch):
    for shares in ((1 / 3, 1 / 3, 1 / 3), (0.4, 0.2, 0.4)):
        monkeypatch.setattr(fht_opensees, "SHARES", shares)
        assert abs(frequencies()[2] / 241.1 - 1.0) > 0.1


def test_the_support_of_the_column_is_that_of_the_paper():
    """17.25 kip/in on a fixed base, 13 on the flexible one: 19e5 kip in/rad."""
    fixed = 3.0 * fht_opensees.E * fht_opensees.INERTIA / fht_opensees.STOREY**3
    assert fixed == pytest.approx(17.25, rel=3e-3)
    assert fht_opensees.support_stiffness() == pytest.approx(19e5, rel=0.01)


def test_the_damping_is_two_percent_in_the_first_two_modes():
    a0, a1 = rayleigh()
    for omega in frequencies()[:2]:
        assert a0 / (2.0 * omega) + a1 * omega / 2.0 == pytest.approx(0.02, rel=1e-12)


@NEEDS_OPENSEES
def test_opensees_finds_the_same_frequencies():
    np.testing.assert_allclose(opensees_frequencies(), frequencies(), rtol=1e-9)


@NEEDS_OPENSEES
def test_the_hybrid_run_is_the_monolithic_run():
    program = hs.compile(fht_frame())
    with recorded() as moments:
        result = program.run(12.0, engine="c")
    alone = monolithic(result["record.accel"])[:-1]
    assert np.abs(alone).max() > 1.0, "the frame moves"
    difference = np.abs(completed(result) - alone).max(axis=0) / np.abs(alone).max(axis=0)
    assert difference.max() < 1e-6
    assert len(moments) == result.t.size
    assert all(moment.answered - moment.asked >= moment.inside > 0.0 for moment in moments)


@NEEDS_OPENSEES
def test_the_iterated_run_is_the_monolithic_run_too():
    """The paper's integrator: ten analyses a step by OpenSees, and the same trapezoidal rule at the end of it."""
    with recorded() as moments:
        result = hs.compile(fht_frame(iterated=True)).run(6.0)
    alone = monolithic(result["record.accel"][::10])[:-1]
    difference = np.abs(completed(result) - alone).max(axis=0) / np.abs(alone).max(axis=0)
    assert np.abs(alone).max() > 1.0 and difference.max() < 1e-6
    assert len(moments) == result.t.size == 6001


@NEEDS_OPENSEES
def test_both_engines_give_the_same_bits():
    program = hs.compile(fht_frame())
    assert_same_bits(program.run(3.0, engine="c"), program.run(3.0, engine="python"))


@NEEDS_OPENSEES
def test_another_column_is_another_structure():
    """The comparison can fail: a column stiffer by 1 % is seen."""
    result = hs.compile(fht_frame()).run(12.0, params={"column.stiffness": 1.01 * fht_opensees.COLUMN})
    alone = monolithic(result["record.accel"])[:-1]
    assert np.abs(completed(result) - alone).max() > 1e-4 * np.abs(alone).max()
