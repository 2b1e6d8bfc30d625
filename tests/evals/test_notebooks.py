"""Every notebook runs from top to bottom, and says what its text says."""

from __future__ import annotations

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient", reason="notebooks are run only with the extra hybsim[notebook]")
nbformat = pytest.importorskip("nbformat", reason="notebooks are run only with the extra hybsim[notebook]")

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


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
