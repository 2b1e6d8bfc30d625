"""The numbers of docs/verification.md about compensators: every one is measured and agrees with its theory."""

from __future__ import annotations

import pytest

from hybsim.blocks.compensators import BLOCKS
from hybsim.studies.verification import section_compensators as page
from hybsim.studies.verification.compensator_sweeps import CASES, HERTZ, PLANTS
from hybsim.studies.verification.compensator_theory import TS_1, held
from hybsim.studies.verification.rows import Response, out_of_tolerance


@pytest.fixture(scope="module")
def section():
    return page.section()


def test_every_number_agrees_with_its_theory(section):
    assert section.failures == []


def test_every_compensator_is_measured(section):
    for name in BLOCKS:
        assert any(f"| {cell}" in section.text for cell in (f"`{name}` ", f"{name} ", f"{name},")), name
    rows = [line for line in section.text.splitlines() if line.startswith("| ATS, filter 40 Hz")]
    assert len(rows) == 2 * len(PLANTS) and all(row.count(" / ") == len(HERTZ) for row in rows)


def test_a_response_that_is_off_is_named_in_a_sentence():
    path, hertz, theory = "response in front of DELAY", 2.0, 1.0 + 0.0j
    good = Response("INVERSECOMP", path, hertz, 1.0 + 1e-9j, theory, 1e-6)
    bad = Response("INVERSECOMP", path, hertz, 1.01 + 0.0j, theory, 1e-6)
    lost = Response("INVERSECOMP", path, hertz, complex("nan"), theory, 1e-6)
    assert out_of_tolerance([good]) == []
    assert out_of_tolerance([bad]) == ["INVERSECOMP: response in front of DELAY at 2 Hz is 1.01+0j, theory says 1+0j."]
    assert len(out_of_tolerance([lost])) == 1


def test_cases_have_their_own_names():
    assert len({case.name for case in CASES}) == len(CASES)


def test_the_theory_of_a_hold_is_that_of_python_control():
    import control

    sampled = control.sample_system(control.tf(*TS_1), 0.001, method="zoh")
    for z in (1.0 + 0.0j, 0.998 + 0.06j, -1.0 + 0.0j):
        assert held(*TS_1, 0.001)(z) == pytest.approx(sampled(z), rel=1e-6)
