"""The numbers of docs/verification.md about command generators: every one is measured and agrees with its theory."""

from __future__ import annotations

import pytest

from hybsim.studies.verification.generators import MODES, row, smooth_duration, stepped_duration
from hybsim.studies.verification.rows import out_of_tolerance
from hybsim.studies.verification.section_generators import section


@pytest.fixture(scope="module")
def measured():
    return section()


def test_every_number_agrees_with_its_theory(measured):
    assert measured.failures == []


@pytest.mark.parametrize("block", ["COMMANDS", "EVENTDRIVEN", "EVENTDRIVEN_SMOOTH"])
def test_every_generator_of_targets_is_measured(measured, block):
    assert f"| `{block}` |" in measured.text


@pytest.mark.parametrize("block", ["EVENTDRIVEN", "EVENTDRIVEN_SMOOTH"])
@pytest.mark.parametrize("mode", [MODES[0], *MODES[2:]])
def test_every_path_of_the_chart_has_its_duration(measured, block, mode):
    durations = measured.text.split("###")[1]
    assert any(f"`{block}`" in line and mode in line for line in durations.splitlines())


def test_the_durations_are_those_of_the_document():
    """EERC Sec. 6.3.2 as corrected, in ms: 1.2 s, 0.84 s + dt_I/2, dt_I + 0.24 s."""
    assert [stepped_duration(a) for a in (160, 720)] == [1200, 1200]
    assert [stepped_duration(a) for a in (800, 1100)] == pytest.approx([840 + 400, 840 + 550])
    assert [stepped_duration(a) for a in (1200, 5000)] == pytest.approx([1440, 5240])
    assert smooth_duration(720) == 1200
    assert smooth_duration(1e5) == pytest.approx(1e5 + 240 + 120)


def test_a_number_that_is_off_is_named_in_a_sentence():
    off = [row("COMMANDS", "step", 0.11, 0.1, 1e-3), row("COMMANDS", "other step", 0.1, 0.1, 1e-3)]
    assert out_of_tolerance(off) == ["COMMANDS: step is 0.11, theory says 0.1."]
    assert out_of_tolerance([row("COMMANDS", "step", float("nan"), 0.0, 1.0)]) != []
