"""The numbers of docs/verification.md about specimens: every specimen is measured and agrees with its theory."""

from __future__ import annotations

import builtins

import pytest

from hybsim.blocks import CATALOGUE
from hybsim.kernel import External
from hybsim.studies.verification import opensees_materials, specimens
from hybsim.studies.verification.rows import listed, out_of_tolerance, row


@pytest.fixture(scope="module")
def rows():
    return specimens.rows()


def test_every_number_agrees_with_its_theory(rows):
    assert out_of_tolerance(rows) == []


def test_every_specimen_is_measured(rows):
    listed_specimens = {n for n, cls in CATALOGUE.items() if cls.__module__.startswith("hybsim.blocks.specimens.")}
    external = {n for n, cls in CATALOGUE.items() if issubclass(cls, External)}  # these are what their model is
    assert {r.block for r in rows} == listed_specimens - external


def test_a_number_that_is_off_is_named_in_a_sentence():
    off = [row("SPRING", "initial stiffness", 10.1, 10.0, "k", 1e-3), row("SPRING", "loop area", 0.0, 0.0, "elastic")]
    assert out_of_tolerance(off) == ["SPRING: initial stiffness is 10.1, k says 10."]
    assert out_of_tolerance([row("SPRING", "loop area", float("nan"), 0.0, "elastic")]) != []
    assert "| `SPRING` | initial stiffness | 10.1 | 10 | 1e-02 | k |" in listed(off)


@pytest.mark.skipif(opensees_materials.missing() is not None, reason=opensees_materials.missing() or "")
def test_every_number_agrees_with_opensees():
    rows = opensees_materials.rows()
    assert len(rows) == 11
    assert out_of_tolerance(rows) == []


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (
            ModuleNotFoundError("No module named 'openseespy'"),
            "OpenSees is not installed (No module named 'openseespy')",
        ),
        (RuntimeError("Failed to import openseespy on Linux."), "OpenSees does not start (Failed to import openseespy"),
    ],
)
def test_why_opensees_is_missing_is_said_in_a_sentence(monkeypatch, problem, words):
    def refuse(name, *rest):
        if name.startswith("openseespy"):
            raise problem
        return real(name, *rest)

    real = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", refuse)
    text = opensees_materials.missing.__wrapped__()
    assert words in text
    assert "\n" not in text
