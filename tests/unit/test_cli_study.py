"""hybsim study: the list, what every study shows and writes, its settings, and what is refused before anything runs."""

from __future__ import annotations

import csv
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybsim.studies import catalogue
from hybsim.studies.catalogue import STUDIES, Entry
from hybsim.studies.outcome import Outcome, Picture, Settings, Table

# Lists the studies with hybsim as a bare package: what hybsim itself imports is not the command line's doing.
LISTED_ALONE = """
import importlib.util, sys, types
package = types.ModuleType("hybsim")
package.__path__ = list(importlib.util.find_spec("hybsim").submodule_search_locations)
sys.modules["hybsim"] = package
from hybsim.studies.catalogue import STUDIES
heavy = {"bdsim", "matplotlib", "numpy", "scipy", "control", "h5py"} & set(sys.modules)
studies = [name for name in sys.modules if name.startswith("hybsim.studies.")]
assert sorted(studies) == ["hybsim.studies.catalogue", "hybsim.studies.outcome"], studies
sys.exit(f"imported {sorted(heavy)}" if heavy else 0)
"""

ROWS = [{"number": "two", "square": 4.0}, {"number": "one third", "square": 1.0 / 9.0, "note": [1, 2]}]


def draw():
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().plot([2.0, 3.0], [4.0, 9.0])
    return figure


def found(settings: Settings) -> Outcome:
    return Outcome(
        "Squares [mm2]",
        summary={
            "rows": ROWS,
            "seed": settings.seed,
            "jobs": settings.jobs,
            "case": settings.case,
            "hole": float("nan"),
        },
        tables=[Table("Small ones", ("number", "square\n[mm2]"), [("two", "4.0"), ("three", "9.0")], "In `mm2`.")],
        pictures=[Picture("curve", "A parabola", "It opens upwards.", draw)],
        data={"squares": ROWS},
        notes=["A square is never negative."],
        conclusions=["Square what you like."],
    )


@pytest.fixture
def squares(monkeypatch) -> list[Settings]:
    """A study that takes no time; the settings of its runs."""
    asked: list[Settings] = []

    def run(settings: Settings, progress) -> Outcome:
        asked.append(settings)
        progress(1.0)
        return found(settings)

    takes, cases = ("seed", "jobs", "case", "runs", "variance", "tolerance"), (1, 2, 4)
    monkeypatch.setitem(STUDIES, "squares", Entry("squares", "Numbers times themselves.", run, takes, cases))
    return asked


# ---- the list


def test_the_list_names_every_study_with_what_it_shows_and_takes(cli, squares) -> None:
    done = cli("study", "list")
    lines = [line.strip() for line in done.out.splitlines()]
    assert done.code == 0 and done.err == ""
    for study in STUDIES.values():
        at = next(i for i, line in enumerate(lines) if line.split(maxsplit=1) == [study.name, study.summary])
        assert all(f"--{name}" in lines[at + 1] for name in study.takes)


def test_the_list_as_data(cli) -> None:
    content = json.loads(cli("study", "list", "--json").out)
    assert {entry["name"]: entry["takes"] for entry in content["studies"]} == {
        "ch3": ["seed", "jobs", "variance"],
        "ch8": ["seed", "jobs", "variance", "case"],
        "threshold": ["seed", "jobs", "variance", "case", "tolerance"],
        "frame": ["seed", "jobs"],
        "sensitivity": ["seed", "jobs", "runs"],
        "montecarlo": ["seed", "jobs", "runs"],
        "compensators": ["seed", "record"],
        "vrths": ["seed", "jobs", "runs"],
        "fht": ["seed"],
        "force": ["seed"],
        "osm": ["seed", "jobs", "variance"],
    }
    assert [entry["summary"] for entry in content["studies"]] == [s.summary for s in STUDIES.values()]


def test_the_list_imports_no_study_and_none_of_the_heavy_packages() -> None:
    done = subprocess.run([sys.executable, "-c", LISTED_ALONE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_study_has_a_name_for_a_file_and_one_line_about_it() -> None:
    for name, study in STUDIES.items():
        assert name == study.name and name.isidentifier() and name != "list"
        assert study.summary.endswith(".") and "\n" not in study.summary
        assert set(study.takes) <= set(Settings.__dataclass_fields__) and ("case" in study.takes) == bool(study.cases)
        assert catalogue.find(name) is study


# ---- a study


def test_a_study_shows_its_tables_and_sentences_and_writes_nothing(cli, squares, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = cli("study", "squares")
    assert done.code == 0 and done.err == ""
    lines = [" ".join(line.split()) for line in done.out.splitlines() if line.strip()]
    assert lines[0] == "Squares [mm2]" and "Small ones" in lines and "three 9.0" in lines and "In mm2." in lines
    assert lines[-4:] == ["Notes", "- A square is never negative.", "What to conclude", "- Square what you like."]
    assert list(tmp_path.iterdir()) == []
    assert squares == [Settings()]


def test_a_folder_gets_report_pictures_and_numbers(cli, squares, tmp_path) -> None:
    folder = tmp_path / "new" / "folder"
    done = cli("study", "squares", "--out", folder, "--seed", 7, "--jobs", 2, "--case", 4)
    assert done.code == 0 and done.err == ""
    assert done.out.splitlines()[-1] == f"Wrote 5 files to {folder}; start with {folder / 'report.html'}"
    names = ["curve.pdf", "curve.png", "report.html", "squares.csv", "squares.json"]
    assert sorted(path.name for path in folder.iterdir()) == names
    with open(folder / "squares.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["number"], float(row["square"])) for row in rows] == [("two", 4.0), ("one third", 1.0 / 9.0)]
    assert [row["note"] for row in rows] == ["", "[1, 2]"]
    content = json.loads((folder / "squares.json").read_text())
    assert content == {"rows": ROWS, "seed": 7, "jobs": 2, "case": 4, "hole": None}
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "curve.pdf").read_bytes().startswith(b"%PDF")
    again = f"hybsim study squares --seed 7 --jobs 2 --case 4 --out {folder}"
    assert again in (folder / "report.html").read_text()


def test_json_on_stdout_stands_alone_and_the_rest_goes_to_stderr(cli, squares, tmp_path) -> None:
    done = cli("study", "squares", "--json")
    assert done.code == 0 and done.err == "" and json.loads(done.out)["seed"] == 1
    done = cli("study", "squares", "--json", "-", "--out", tmp_path)
    assert json.loads(done.out) == json.loads((tmp_path / "squares.json").read_text())
    assert done.err.startswith("Wrote 5 files to") and done.err.count("\n") == 1


def test_json_in_a_file_stands_beside_the_tables(cli, squares, tmp_path) -> None:
    done = cli("study", "squares", "--json", tmp_path / "all.json")
    assert done.code == 0 and "Small ones" in done.out and "Wrote the results as JSON" in done.out
    assert json.loads((tmp_path / "all.json").read_text())["hole"] is None


SLOW = """
import time
from hybsim.studies.outcome import Outcome

def run(settings, progress):
    for share in range(1, 11):
        time.sleep(0.05)
        progress(share / 10)
    return Outcome("Slow", summary={"rows": []})
"""


def test_a_bar_shows_the_progress_on_a_terminal_also_beside_json(tmp_path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    ours, theirs = pty.openpty()
    start = "import sys; from hybsim.cli import main; sys.exit(main())"
    words = [sys.executable, "-c", start, "study", "slow.py", "--json", "-"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        shown = b"".join(_chunks(ours))
        assert process.stdout is not None
        assert json.loads(process.stdout.read()) == {"rows": []}
    assert process.returncode == 0
    assert b"Running" in shown and b"%" in shown


def _chunks(terminal: int) -> Iterator[bytes]:
    try:
        while chunk := os.read(terminal, 4096):
            yield chunk
    except OSError:
        return  # how Linux says that the other end is closed
    finally:
        os.close(terminal)


# ---- interruptions


def interrupted(settings: Settings, progress) -> Outcome:
    signal.raise_signal(signal.SIGINT)
    raise AssertionError("unreachable")


def test_an_interrupt_ends_the_command_and_says_what_is_kept(cli, squares, monkeypatch, tmp_path) -> None:
    monkeypatch.setitem(STUDIES, "squares", Entry("squares", "x.", interrupted, ()))
    done = cli("study", "squares", "--out", tmp_path)
    assert (done.code, done.out, done.err) == (130, "", "hybsim: nothing is kept.\nhybsim: interrupted.\n")
    assert list(tmp_path.iterdir()) == []

    def stop() -> None:
        signal.raise_signal(signal.SIGINT)

    def run(settings: Settings, progress) -> Outcome:
        outcome = found(settings)
        return Outcome("x", {}, pictures=[*outcome.pictures, Picture("second", "", "", stop)])

    monkeypatch.setitem(STUDIES, "squares", Entry("squares", "x.", run, ()))
    done = cli("study", "squares", "--out", tmp_path)
    assert done.code == 130
    assert done.err.splitlines() == [
        f"hybsim: curve.png, curve.pdf in '{tmp_path}' are complete, nothing else is kept.", "hybsim: interrupted.",
    ]  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == ["curve.pdf", "curve.png"]


# ---- refusals

KNOWN = f"Known: {', '.join(STUDIES)}, or a Python file of your own."


@pytest.mark.parametrize(
    "words, said",
    [
        (["study"], "Missing argument 'NAME|FILE.py|list'; see 'hybsim study --help'."),
        (["study", "compensaters"], f"There is no study 'compensaters'. Did you mean 'compensators'? {KNOWN}"),
        (["study", "chapter8"], f"There is no study 'chapter8'. Did you mean 'ch8'? {KNOWN}"),
        (["study", "CH8"], f"There is no study 'CH8'. {KNOWN}"),
        (["study", ""], f"There is no study ''. {KNOWN}"),
        (["study", "list", "--out", "x"], "'hybsim study list' runs nothing: leave out --out, or name a study."),
        (["study", "list", "--seed", "2", "--jobs", "1"], "leave out --seed and --jobs, or name a study."),
        (["study", "compensators", "--case", "1"], "The study 'compensators' does not take --case: it takes --seed and --record."),
        (["study", "ch3", "--case", "1"], "The study 'ch3' does not take --case: it takes --seed, --jobs and --variance."),
        (["study", "ch8", "--case", "6"], "There is no case '6': the study 'ch8' has the cases 1, 2, 3, 4, 5."),
        (["study", "ch8", "--case", "0"], "There is no case '0': the study 'ch8' has the cases 1, 2, 3, 4, 5."),
        (["study", "ch8", "--case", "one"], "There is no case 'one': the study 'ch8' has the cases 1, 2, 3, 4, 5."),
        (["study", "threshold", "--case", "-1"], "There is no case '-1': the study 'threshold' has the cases 1, 2, 3, 4, 5."),
        (["study", "ch8", "--jobs", "0"], "--jobs must be at least 1, got 0."),
        (["study", "ch8", "--variance", "-0.1"], "--variance must be a finite number of at least 0, got -0.1."),
        (["study", "ch8", "--variance", "nan"], "--variance must be a finite number of at least 0, got nan."),
        (["study", "ch8", "--variance", "inf"], "--variance must be a finite number of at least 0, got inf."),
        (["study", "threshold", "--tolerance", "0"], "--tolerance must be a finite number above 0, got 0."),
        (["study", "montecarlo", "--runs", "0"], "--runs must be at least 1, got 0."),
        (["study", "compensators", "--seed", "-1"], "--seed must be at least 0, got -1."),
        (["study", "compensators", "--seed", "one"], "Invalid value for '--seed'"),
        (["study", "compensators", "--record", "nope"], "'nope' is neither a file nor a bundled record"),
        (["study", "compensators", "--record", "zero.csv"], "The record 'zero' is zero throughout"),
        (["study", "compensators", "--out", "zero.csv"], "Cannot write into 'zero.csv': it is a file"),
        (["study", "compensators", "--out", "zero.csv/below"], "Cannot create the folder 'zero.csv/below'"),
        (["study", "compensators", "--out", "taken"], "report.html': it is a folder, so add a file name."),
        (["study", "compensators", "--json", "none/all.json"], "does not exist, so create it first."),
        (["study", "compensators", "--out", "r", "--json", "r/compensators.json"], "Two outputs would be written to"),
        (["study", "compensators", "--out", "r", "--json", "r/report.html"], "Two outputs would be written to"),
    ],
)  # fmt: skip
def test_a_refusal_is_one_sentence(cli, tmp_path, monkeypatch, words, said) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zero.csv").write_text("0.0,0.0\n0.1,0.0\n0.2,0.0")
    (tmp_path / "taken" / "report.html").mkdir(parents=True)
    done = cli(*words)
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("hybsim: ") and said in done.err and done.err.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["--out", "file"],
        ["--out", "file/below"],
        ["--json", "none/all.json"],
        ["--out", "r", "--json", "r/squares.json"],
        ["--case", "3", "--out", "r"],
        ["--record", "tabas", "--out", "r"],
    ],
)
def test_what_cannot_be_is_refused_before_anything_runs(cli, squares, tmp_path, monkeypatch, words) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    assert cli("study", "squares", *words).code == 2
    assert squares == []
    if "--json" not in words:
        assert not (tmp_path / "r").exists(), "nothing is made for a study that is refused"


def test_a_folder_without_permission_is_refused_before_anything_runs(cli, squares, tmp_path, monkeypatch) -> None:
    def refuse(*arguments, **keywords):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)  # the tests may run as a user who may write anywhere
    done = cli("study", "squares", "--out", tmp_path)
    assert done.code == 2 and "(Permission denied): choose another place" in done.err and squares == []


@pytest.mark.parametrize(
    "outcome, said",
    [
        (Outcome("x", {}, data={"a/b": []}), "The table 'a/b' cannot be a file: use letters, digits"),
        (Outcome("x", {}, pictures=2 * [Picture("a", "", "", draw)]), "Two of the pictures are called 'a'"),
    ],
)
def test_names_that_cannot_be_files_are_refused(cli, squares, monkeypatch, tmp_path, outcome, said) -> None:
    monkeypatch.setitem(STUDIES, "squares", Entry("squares", "x.", lambda settings, progress: outcome))
    done = cli("study", "squares", "--out", tmp_path)
    assert done.code == 2 and said in done.err
    assert [path.name for path in Path(tmp_path).iterdir()] == []
