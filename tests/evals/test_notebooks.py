"""Every notebook runs from top to bottom, and says what its text says."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient", reason="notebooks are run only with the extra hybsim[notebook]")
nbformat = pytest.importorskip("nbformat", reason="notebooks are run only with the extra hybsim[notebook]")

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@cache
def run(path: Path):
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    ).execute()
    return notebook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_runs(path):
    run(path)


def test_the_first_notebook_shows_agreeing_engines_and_figures():
    outputs = [o for cell in run(NOTEBOOKS[0]).cells if cell.cell_type == "code" for o in cell.outputs]
    texts = [o.data.get("text/plain", "") for o in outputs if o.output_type == "execute_result"]
    assert "True" in texts
    assert sum("image/png" in o.get("data", {}) for o in outputs) >= 4


def test_the_third_notebook_shows_the_same_bits_and_a_reaction_to_each_fault():
    outputs = [o for cell in run(NOTEBOOKS[2]).cells if cell.cell_type == "code" for o in cell.outputs]
    text = "".join(o.text for o in outputs if o.output_type == "stream" and o.name == "stdout")
    assert "the same bits as simulated: True" in text
    assert "SENSOR_NOT_FINITE -> ESTOP" in text and "SENSOR_FROZEN -> ESTOP" in text
    assert "FRAME_MISSED -> RUNNING  ends in FINISHED" in text
