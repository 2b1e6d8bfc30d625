"""hybsim study: the list, the outputs of any study, and what is refused before anything runs."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from typing import Any

import pytest

from hybsim.studies import catalogue
from hybsim.studies.catalogue import STUDIES, Settings, Study, Table

# Lists the studies with hybsim as a bare package: what hybsim itself imports is not the command line's doing.
LISTED_ALONE = """
import importlib.util, sys, types
package = types.ModuleType("hybsim")
package.__path__ = list(importlib.util.find_spec("hybsim").submodule_search_locations)
sys.modules["hybsim"] = package
import hybsim.studies.catalogue
heavy = {"bdsim", "matplotlib", "numpy", "scipy", "control", "h5py"} & set(sys.modules)
sys.exit(f"imported {sorted(heavy)}" if heavy else 0)
"""


class Found:
    """The outcome of a small study."""

    title = "Squares [mm2]"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def tables(self) -> list[Table]:
        return [Table("Small ones", ("number", "square\n[mm2]"), [("two", "4.0"), ("three", "9.0")])]

    def notes(self) -> list[str]:
        return ["A square is never negative."]

    def rows(self) -> list[dict[str, Any]]:
        return [{"number": "two", "square": 4.0}, {"number": "one third", "square": 1.0 / 9.0}]

    def summary(self) -> dict[str, Any]:
        return {"rows": self.rows(), "seed": self.settings.seed, "record": self.settings.record, "hole": float("nan")}

    def figure(self):
        from matplotlib.figure import Figure

        figure = Figure()
        figure.subplots().plot([2.0, 3.0], [4.0, 9.0])
        return figure


@pytest.fixture
def squares(monkeypatch) -> list[Settings]:
    """A study that takes no time; the settings of its runs."""
    asked: list[Settings] = []

    def run(settings: Settings, progress) -> Found:
        asked.append(settings)
        progress(1.0)
        return Found(settings)

    monkeypatch.setitem(STUDIES, "squares", Study("squares", "Numbers times themselves.", run))
    return asked


# ---- the list


def test_the_list_names_every_study_with_what_it_shows(cli, squares) -> None:
    done = cli("study", "list")
    assert done.code == 0 and done.err == ""
    for study in STUDIES.values():
        assert any(line.split(maxsplit=1) == [study.name, study.summary] for line in done.out.splitlines())
    assert {"compensators", "squares"} <= set(STUDIES)


def test_the_list_as_data(cli) -> None:
    content = json.loads(cli("study", "list", "--json").out)
    assert content == {"studies": [{"name": s.name, "summary": s.summary} for s in STUDIES.values()]}


def test_the_list_needs_none_of_the_heavy_packages() -> None:
    done = subprocess.run([sys.executable, "-c", LISTED_ALONE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_study_has_a_name_for_a_file_and_one_line_about_it() -> None:
    for name, study in STUDIES.items():
        assert name == study.name and name.isidentifier() and name != "list"
        assert study.summary.endswith(".") and "\n" not in study.summary
        assert catalogue.find(name) is study


# ---- a study


def test_a_study_shows_its_tables_and_sentences_and_writes_nothing(cli, squares, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = cli("study", "squares")
    assert done.code == 0 and done.err == ""
    lines = [line.split() for line in done.out.splitlines() if line.strip()]
    assert lines[0] == ["Squares", "[mm2]"] and ["Small", "ones"] in lines
    assert ["three", "9.0"] in lines and lines[-1] == "A square is never negative.".split()
    assert list(tmp_path.iterdir()) == []
    assert squares == [Settings("elcentro", 1)]


def test_files_are_named_after_the_study(cli, squares, tmp_path) -> None:
    folder = tmp_path / "new" / "folder"
    done = cli("study", "squares", "--out", folder, "--seed", 7, "--record", "tabas")
    assert done.code == 0 and done.err == ""
    assert done.out.splitlines()[-1] == f"Wrote squares.png, squares.pdf, squares.csv, squares.json to {folder}"
    assert sorted(path.name for path in folder.iterdir()) == [f"squares.{e}" for e in ("csv", "json", "pdf", "png")]
    with open(folder / "squares.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["number"], float(row["square"])) for row in rows] == [("two", 4.0), ("one third", 1.0 / 9.0)]
    content = json.loads((folder / "squares.json").read_text())
    assert content == {"rows": Found(Settings()).rows(), "seed": 7, "record": "tabas", "hole": None}
    assert (folder / "squares.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "squares.pdf").read_bytes().startswith(b"%PDF")


def test_json_on_stdout_stands_alone_and_names_of_files_go_to_stderr(cli, squares, tmp_path) -> None:
    done = cli("study", "squares", "--json")
    assert done.code == 0 and done.err == "" and json.loads(done.out)["seed"] == 1
    done = cli("study", "squares", "--json", "-", "--out", tmp_path)
    assert json.loads(done.out) == json.loads((tmp_path / "squares.json").read_text())
    assert done.err.startswith("Wrote squares.png") and done.err.count("\n") == 1


def test_json_in_a_file_stands_beside_the_tables(cli, squares, tmp_path) -> None:
    done = cli("study", "squares", "--json", tmp_path / "all.json")
    assert done.code == 0 and "Small ones" in done.out and "Wrote the results as JSON" in done.out
    assert json.loads((tmp_path / "all.json").read_text())["hole"] is None


# ---- refusals


@pytest.mark.parametrize(
    "words, said",
    [
        (["study"], "Missing argument 'NAME|list'; see 'hybsim study --help'."),
        (["study", "compensaters"], "There is no study 'compensaters'. Did you mean 'compensators'?"),
        (["study", "xyz"], "There is no study 'xyz'. Known: compensators"),
        (["study", "list", "--out", "x"], "'hybsim study list' runs nothing: leave out --out, --record and --seed"),
        (["study", "list", "--seed", "2"], "'hybsim study list' runs nothing"),
        (["study", "compensators", "--record", "nope"], "'nope' is neither a file nor a bundled record"),
        (["study", "compensators", "--record", "zero.csv"], "The record 'zero' is zero throughout"),
        (["study", "compensators", "--seed", "-1"], "Parameter 'seed' of block 'target_noise' must be at least 0"),
        (["study", "compensators", "--seed", "one"], "Invalid value for '--seed'"),
        (["study", "compensators", "--out", "zero.csv"], "Cannot write into 'zero.csv': it is a file"),
        (["study", "compensators", "--out", "zero.csv/below"], "Cannot create the folder 'zero.csv/below'"),
        (["study", "compensators", "--out", "taken"], "compensators.csv': it is a folder, so add a file name."),
        (["study", "compensators", "--json", "none/all.json"], "does not exist, so create it first."),
        (["study", "compensators", "--out", "r", "--json", "r/compensators.json"], "Two outputs would be written to"),
    ],
)  # fmt: skip
def test_a_refusal_is_one_sentence(cli, tmp_path, monkeypatch, words, said) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zero.csv").write_text("0.0,0.0\n0.1,0.0\n0.2,0.0")
    (tmp_path / "taken" / "compensators.csv").mkdir(parents=True)
    done = cli(*words)
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("hybsim: ") and said in done.err and done.err.count("\n") == 1


@pytest.mark.parametrize(
    "words", [["--out", "file"], ["--json", "none/all.json"], ["--out", "r", "--json", "r/squares.json"]]
)
def test_what_cannot_be_written_is_refused_before_anything_runs(cli, squares, tmp_path, monkeypatch, words) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    assert cli("study", "squares", *words).code == 2
    assert squares == []
