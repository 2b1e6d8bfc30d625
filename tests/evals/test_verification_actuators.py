"""The numbers of docs/verification.md about actuators and the rig: every block is measured and agrees with theory."""

from __future__ import annotations

import pytest

from hybsim.blocks.actuators import BLOCKS
from hybsim.studies.verification import actuator_models, actuator_numbers, actuator_rig
from hybsim.studies.verification.rows import Response, listed, out_of_tolerance, row
from hybsim.studies.verification.section_actuators import listed_responses, section


@pytest.fixture(scope="module")
def responses():
    return actuator_models.rows()


@pytest.fixture(scope="module")
def numbers():
    return [*actuator_numbers.rows(), *actuator_rig.rows()]


def test_every_response_agrees_with_python_control(responses):
    assert out_of_tolerance(responses) == []


def test_every_number_agrees_with_its_theory(numbers):
    assert out_of_tolerance(numbers) == []


def test_every_block_is_measured(responses, numbers):
    assert {r.block for r in (*responses, *numbers)} == set(BLOCKS)


def test_the_specimen_is_part_of_the_actuator(responses):
    """Control-structure interaction: without the specimen's stiffness another gain comes out."""
    at = {r.path: abs(r.measured) for r in responses if r.block == "SERVOHYDRAULIC" and r.hertz == 10.0}
    assert at["position, k = 0"] > 1.15 * at["position"]
    assert at["position, k as a SPRING at `force`"] == pytest.approx(at["position"], rel=1e-9)


def test_a_number_that_is_off_is_named_in_a_sentence():
    off = row("FIRSTORDER", "cut-off, Hz", 3.3, 3.0, "1 / (2 pi T)", 1e-3)
    assert off.failure() == "FIRSTORDER: cut-off, Hz is 3.3, 1 / (2 pi T) says 3."
    assert row("FIRSTORDER", "cut-off, Hz", float("nan"), 3.0, "theory").failure() != ""
    assert row("BACKLASH", "area", 0.0, 0.0, "none").failure() == ""
    assert "| `FIRSTORDER` | cut-off, Hz | 3.3 | 3 | 1e-01 | 1 / (2 pi T) |" in listed([off])


def test_a_response_that_is_off_is_named_in_a_sentence():
    off = Response("ACTUATOR", "TS_1", 2.0, 0.9 - 0.1j, 1.0 + 0.0j, 1e-3, "python-control")
    assert off.failure() == "ACTUATOR: TS_1 at 2 Hz is 0.9-0.1j, python-control says 1+0j."
    assert "| `ACTUATOR` | TS_1 | 2 | 0.905539 | 1 | -6.340 | 0.000 | 1e-01 |" in listed_responses([off])


def test_the_section_says_what_failed(monkeypatch, responses, numbers):
    wrong = row("BACKLASH", "amplitude", 2.0, 1.0, "U - gap/2")
    monkeypatch.setattr(actuator_models, "rows", lambda: responses)
    monkeypatch.setattr(actuator_numbers, "rows", lambda: numbers)
    monkeypatch.setattr(actuator_rig, "rows", lambda: [wrong])
    made = section()
    assert made.failures == [wrong.failure()]
    assert "### Frequency responses" in made.text and "| `BACKLASH` | amplitude | 2 | 1 |" in made.text
