"""The section of the FHT study on the substructure test."""

from __future__ import annotations

import importlib.util
import json

import pytest

from hybsim.hw.opensees_process import Moment
from hybsim.studies.fht import fht, substructure
from hybsim.studies.outcome import Settings
from hybsim.studies.verification.opensees_materials import missing


def test_without_opensees_a_note_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    tables, pictures, notes, summary = substructure.section(Settings(), lambda share: None)
    assert tables == [] and pictures == [] and "left_out" in summary
    assert "pip install 'hybsim[opensees]'" in notes[0] and "libgfortran5" in notes[0]


def test_the_overhead_leaves_out_what_opensees_takes():
    """Steps asked for every 3 s, of which OpenSees takes 2: the coupling takes 1."""
    moments = [Moment(3.0 * k, 3.0 * k + 2.5, 2.0) for k in range(9)]
    assert substructure.overhead(moments) == (1.0, 2.0)


def test_the_study_has_the_section():
    assert fht.SECTIONS["substructure"] is substructure.section


@pytest.mark.skipif(missing() is not None, reason=missing() or "")
def test_the_section_agrees_with_the_paper_and_with_opensees():
    tables, pictures, notes, summary = substructure.section(Settings(), lambda share: None)
    for row in summary["frequencies"]:
        assert row["ours"] == pytest.approx(row["printed"], rel=1e-3)
        assert row["opensees"] == pytest.approx(row["ours"], rel=1e-9)
    assert len(summary["differences"]) == 6 and all(row["difference"] < 1e-6 for row in summary["differences"])
    assert all(row["difference_iterated"] < 1e-6 for row in summary["differences"])
    assert json.loads(json.dumps(summary)) == summary
    assert [len(table.rows) for table in tables] == [3, 6] and len(notes) == 2
    for picture in pictures:
        figure = picture.draw()
        assert all(area.get_ylabel() for area in figure.axes) and figure.axes[-1].get_xlabel()
