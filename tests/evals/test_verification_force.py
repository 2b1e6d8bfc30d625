"""The numbers of docs/verification.md about the force-based formulation, and that wrong ones are named."""

from __future__ import annotations

import numpy as np
import pytest

from hybsim.studies.verification import force, force_delay, section_force
from hybsim.studies.verification.rows import out_of_tolerance


@pytest.fixture(scope="module")
def section():
    return section_force.section()


def test_every_number_agrees_with_its_theory(section):
    assert section.failures == []


def test_the_page_shows_what_was_measured(section):
    assert "| 5 | 0.77 | 0 | 1 | 4.34783 | 3.34783 | 0 | 0 |" in section.text
    assert "| 7 | 0.77 | 0.5 | 0.5 | 2.17391 | 1.67391 | -0.5 | -0.385 |" in section.text
    for specimen in force.SPECIMENS:
        assert f"| {specimen.name} | < 1e-11 |" in section.text
    assert section.text.count("| stable |") == 4 and section.text.count("| unstable |") == 3


def test_a_specimen_built_otherwise_than_split_is_named(monkeypatch):
    monkeypatch.setattr(force, "whole", lambda alpha, dofs: 0.99 * np.eye(dofs) * alpha)
    monkeypatch.setattr(force, "SPECIMENS", force.SPECIMENS[:1])
    monkeypatch.setattr(section_force, "SPLITTINGS", 1)
    failures = out_of_tolerance(section_force.splittings())
    assert len(failures) == 3
    assert failures[0].startswith("one floor, linear: difference from the whole specimen is ")


def test_growth_where_theory_says_stable_is_named(monkeypatch):
    monkeypatch.setattr(force_delay, "grown", lambda *rest: 2.0)
    assert "alpha_m = 0.25: grown is 2, stability says 0." in out_of_tolerance(section_force.late_rows())


@pytest.mark.parametrize("specimen", force.SPECIMENS[:4:3], ids=lambda s: s.name)
def test_the_reference_is_not_still(specimen):
    """Both sides of a comparison at rest would agree too."""
    assert np.abs(force.reference(specimen)).max() > 0.03
    assert np.abs(force.run(specimen, None)["disp"]).max() > 0.03
