"""docs/guard.md says what the guard's tables say, and docs/deployment.md knows every key of a rig file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from hybsim.hw.rig_model import Rig
from hybsim.runtime.guard_page import page
from hybsim.runtime.guard_tables import FAULTS, STATES

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_up_to_date():
    assert (DOCS / "guard.md").read_text(encoding="utf-8") == page(), "run `make docs`"


def test_the_page_has_every_fault_with_its_reaction_and_every_state():
    text = page()
    for name, (reaction, meaning) in FAULTS.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| {name} |"))
        assert (
            meaning in row
            and {"COUNT": "counted", "STOP": "ESTOP", "RAMP": "RAMP_DOWN", "PAUSE": "PAUSED"}[reaction] in row
        )
    assert all(f"| {state} |" in text for state in STATES)


def keys(model: type[BaseModel]) -> set[str]:
    found = set()
    for name, field in model.model_fields.items():
        found.add(name)
        kinds = re.findall(r"\b[A-Z]\w+", str(field.annotation))
        for kind in kinds:
            inner = getattr(__import__("hybsim.hw.rig_model", fromlist=[kind]), kind, None)
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                found |= keys(inner)
    return found


def test_every_key_of_a_rig_file_is_explained():
    text = (DOCS / "deployment.md").read_text(encoding="utf-8")
    known = keys(Rig)
    assert {"cut", "soft", "acceleration", "noise_floor", "fade", "key_file"} <= known
    missing = [key for key in sorted(known) if f"`{key}`" not in text]
    assert not missing, missing


@pytest.mark.parametrize("page_", ["deployment.md", "guard.md"])
def test_links_lead_somewhere(page_):
    text = (DOCS / page_).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith("http"):
            assert (DOCS / target).exists(), target
