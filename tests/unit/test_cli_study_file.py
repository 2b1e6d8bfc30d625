"""hybsim study FILE.py: a Study or a function of the user's own, its mistakes, and how it goes on after a stop."""

from __future__ import annotations

import csv
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

STUDY = '''
"""How far a spring is pushed.

The command is a cosine pulse.

A second paragraph
on two lines.
"""
import hybsim as hs
from hybsim.studies.measures import eps_max, final, measure, peak


def diagram():
    bd = hs.BDSim().blockdiagram("pushed", dt=0.1)
    bd.units = {"spring.force": "kip"}
    pulse = bd.COSINEPULSE(name="pulse", amplitude=1.0, duration=1.0)
    noise = bd.NORMAL(name="noise", seed=1, variance=0.0)
    total = bd.SUM("++", name="total", inputs=[pulse, noise])
    bd.SPRING(name="spring", stiffness=10.0, inputs=[total])
    return bd


def twice(runs, reference):
    """Twice the largest force."""
    return 2.0 * runs["spring.force"].max(axis=1)


study = hs.Study(
    diagram(),
    space=hs.grid({"spring.stiffness": [10.0, 20.0, 30.0], "pulse.amplitude": [1.0, 2.0]}),
    duration=1.0,
    reference={"spring.stiffness": 10.0},
    measures={
        "force": peak("spring.force"), "error": eps_max("spring.force"), "twice": measure(twice, "spring.force"),
    },
)
'''
SEEDED = STUDY.replace(
    "    duration=1.0,\n    ref", '    seeds={"noise.seed": range(3, 7)},\n    duration=1.0,\n    ref'
)
SEEDED = SEEDED.replace("variance=0.0", "variance=0.01")

FUNCTION = """
from hybsim.studies.outcome import Outcome, Picture

takes = ("seed", "case")

def draw():
    return {draw}

def run(settings, progress):
    progress(1.0)
    return Outcome("Own", summary={{"seed": settings.seed, "case": settings.case}}, pictures=[{pictures}])
"""


@pytest.fixture
def user_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "my.py") -> str:
        (tmp_path / name).write_text(text)
        return name

    return write


# ---- a Study


def test_a_study_is_shown_with_what_its_numbers_say(cli, user_file) -> None:
    done = cli("study", user_file(STUDY))
    assert done.code == 0 and done.err == ""
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert lines[0] == "How far a spring is pushed"
    assert "point spring.stiffness pulse.amplitude force error twice" in lines
    assert "1 10 1 10 0 20" in lines and "6 30 2 60 2 120" in lines
    text = " ".join(lines)
    assert "force is smallest, 10, at spring.stiffness = 10, pulse.amplitude = 1, and largest, 60, at" in text
    assert "error is smallest, 0, at 2 points, and largest, 2, at 2 points." in text


def test_a_study_writes_a_report_with_a_picture_of_each_measure(cli, user_file, tmp_path) -> None:
    done = cli("study", user_file(STUDY), "--out", "results", "--jobs", 1)
    assert done.code == 0 and done.err == ""
    folder = tmp_path / "results"
    names = [f"my_{measure}.{ending}" for measure in ("error", "force", "twice") for ending in ("pdf", "png")]
    assert sorted(p.name for p in folder.iterdir() if p.name[0] != ".") == sorted(
        [*names, "my.csv", "my.json", "report.html"]
    )
    with open(folder / "my.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["force"]) for row in rows] == [10.0, 20.0, 20.0, 40.0, 30.0, 60.0]
    assert [float(row["error"]) for row in rows] == [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    page = (folder / "report.html").read_text()
    for said in (
        "<h1>How far a spring is pushed</h1>",
        "<p>The command is a cosine pulse.</p>\n<p>A second paragraph on two lines.</p>",
        "twice the largest force; of <code>spring.force</code>",
        "the largest difference to the reference",
        "hybsim study my.py --jobs 1 --out results",
        "study = hs.Study(",
    ):
        assert said in page
    content = json.loads((folder / "my.json").read_text())
    assert (
        content["duration_s"] == 1.0 and content["dt_s"] == 0.1 and content["reference"] == {"spring.stiffness": 10.0}
    )
    assert (
        content["manifest"]["blocks"]["spring"]["type"] == "Spring" and content["points"] == len(content["rows"]) == 6
    )


def test_seeds_give_means_and_deviations_and_their_runs(cli, user_file, tmp_path) -> None:
    done = cli("study", user_file(SEEDED), "--out", "results")
    assert done.code == 0 and "±" in done.out and "over 4 seeds" in done.out
    with open(tmp_path / "results" / "my_runs.csv", newline="") as file:
        runs = list(csv.DictReader(file))
    rows = json.loads((tmp_path / "results" / "my.json").read_text())["rows"]
    assert [run["noise.seed"] for run in runs] == 6 * ["3", "4", "5", "6"]
    forces = [float(run["force"]) for run in runs[:4]]
    mean = sum(forces) / 4
    assert rows[0]["force"] == pytest.approx(mean, rel=1e-12)
    assert rows[0]["force_std"] == pytest.approx(math.sqrt(sum((f - mean) ** 2 for f in forces) / 3), rel=1e-9)


def test_the_seed_picks_another_set_of_seeds(cli, user_file) -> None:
    name = user_file(SEEDED)
    for seed, first in ((1, 3), (2, 7), (3, 11)):
        content = json.loads(cli("study", name, "--json", "--seed", seed).out)
        assert content["seeds"] == {"noise.seed": list(range(first, first + 4))}
    for words in ((), ("--out", "results")):
        assert "--seed picks a set of seeds" in cli("study", name, "--seed", 0, *words).err
    done = cli("study", user_file(STUDY), "--seed", 2)
    assert done.code == 2 and done.err == "hybsim: The study 'my' does not take --seed: it takes --jobs.\n"


def test_another_variable_of_the_file_may_be_meant(cli, user_file) -> None:
    name = user_file(
        STUDY + "\nother = hs.Study(diagram(), space=[{}], duration=1.0, measures={'last': final('pulse')})\n"
    )
    done = cli("study", f"{name}:other", "--json")
    content = json.loads(done.out)
    assert done.code == 0 and content["points"] == 1 and content["parameters"] == []
    assert cli("study", "./my.py").out.startswith("How far a spring is pushed\n")


# ---- going on

# Thirty-two runs in chunks of eight; the third call of the measure ends the program in one way or another.
ENDING = """
import os
import time
import hybsim as hs
from hybsim.studies.measures import measure

def diagram():
    bd = hs.BDSim().blockdiagram("pushed", dt=0.1)
    bd.SPRING(name="spring", stiffness=1.0, inputs=[bd.COSINEPULSE(name="pulse", amplitude=1.0, duration=1.0)])
    return bd

def counted(runs, reference):
    with open("calls", "a") as file:
        file.write("x")
    if "END" in os.environ and os.path.getsize("calls") == 3:
        exec(os.environ["END"])
    return runs["spring.force"].max(axis=1)

study = hs.Study(
    diagram(), space=hs.grid({"spring.stiffness": [float(k) for k in range(1, 33)]}), duration=1.0, reference={},
    measures={"force": measure(counted, "spring.force")},
)
"""


def calls() -> int:
    return len(Path("calls").read_text())


def test_a_killed_study_goes_on_from_what_was_finished(cli, user_file, tmp_path) -> None:
    name = user_file(ENDING)
    start = "import sys; from hybsim.cli import main; sys.exit(main())"
    words = [sys.executable, "-c", start, "study", name, "--out", "results", "--jobs", "1"]
    done = subprocess.run(
        words, env={**os.environ, "END": "time.sleep(0.3); os._exit(9)"}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr, calls()) == (9, "", "", 3)
    (store,) = (tmp_path / "results" / ".study").iterdir()
    assert not (tmp_path / "results" / "my.json").exists()
    done = cli("study", name, "--out", "results", "--jobs", 1)
    assert done.code == 0 and done.out.startswith("Going on from the runs kept in results/.study/my-")
    assert calls() in (3 + 2, 3 + 3), "the third chunk was not finished, and the second may not have been stored"
    rows = json.loads((tmp_path / "results" / "my.json").read_text())["rows"]
    assert [row["force"] for row in rows] == [float(k) for k in range(1, 33)]
    assert list((tmp_path / "results" / ".study").iterdir()) == [store]


def test_an_interrupted_study_says_what_is_kept(cli, user_file, monkeypatch) -> None:
    name = user_file(ENDING)
    monkeypatch.setenv("END", "time.sleep(0.3); raise KeyboardInterrupt")
    done = cli("study", name, "--jobs", 1)
    assert (done.code, done.out, done.err) == (130, "", "hybsim: nothing is kept.\nhybsim: interrupted.\n")
    Path("calls").unlink()
    done = cli("study", name, "--out", "results", "--jobs", 1)
    first, second = done.err.splitlines()
    assert done.code == 130 and second == "hybsim: interrupted." and done.out == ""
    assert first.startswith("hybsim: the finished runs are kept in 'results/.study/my-")
    assert first.endswith(".jsonl': the same command goes on from there.")
    before = calls()
    assert cli("study", name, "--out", "results", "--json").err.startswith(
        "Going on from the runs kept in results/.study"
    )
    assert 1 <= calls() - before <= 3, "of four chunks"


def test_a_study_that_was_changed_starts_anew(cli, user_file) -> None:
    assert cli("study", user_file(ENDING), "--out", "results").code == 0
    done = cli("study", user_file(ENDING.replace(".max(axis=1)", ".max(axis=1) * 2.0")), "--out", "results")
    assert done.code == 0 and done.out.startswith("Study of") and "force is smallest, 2," in done.out and calls() == 8
    done = cli("study", user_file(ENDING), "--out", "results")
    assert done.out.startswith("Going on from") and "force is smallest, 1," in done.out and calls() == 8


# ---- a function


def test_a_function_of_the_file_is_a_study(cli, user_file) -> None:
    name = user_file(FUNCTION.format(draw="None", pictures=""))
    assert json.loads(cli("study", name, "--seed", 4, "--case", 7, "--json").out) == {"seed": 4, "case": 7}
    done = cli("study", name, "--jobs", 2)
    assert done.code == 2
    assert done.err == "hybsim: The study 'my' does not take --jobs: it takes --seed and --case.\n"


def test_what_the_file_prints_does_not_mix_with_the_data(cli, user_file) -> None:
    name = user_file("print('hello')\n" + FUNCTION.format(draw="None", pictures=""))
    done = cli("study", name, "--json")
    assert json.loads(done.out)["seed"] == 1 and done.err == "hello\n"


# ---- mistakes

RUN = "def run(settings, progress):\n    "
MISTAKES = {
    "syntax": ("x = 1\ndef run(:\n", "my.py:2: invalid syntax (Python cannot read the file)."),
    "at import": ("import math\nmath.sqrt(-1)\n", "my.py:2: ValueError: "),
    "in the function": (f"{RUN}return settings.sed\n", "my.py:2: AttributeError: "),
    "of hybsim": (f"import hybsim as hs\n{RUN}hs.grid({{}})\n", "my.py:3: A grid needs a mapping"),
    "no outcome": (f"{RUN}return 7\n", "run of 'my.py' gives a value of type int: let it return a"),
    "nothing": (f"{RUN}pass\n", "run of 'my.py' gives nothing: let it return a hybsim.studies.outcome.Outcome."),
    "no study": ("x = 1\n", "'my.py' has no study: set a variable `study = hs.Study(...)` or write a function"),
    "no function": ("study = 7\n", "'my.py' gives a value of type int, neither a Study nor a function."),
    "arguments": ("def run(settings): pass\n", "run of 'my.py' must be called as run(settings, progress): too many"),
    "settings": (f"takes = ['toleranse']\n{RUN}pass\n", "`takes` of 'my.py' has 'toleranse', which is no setting. Did you mean 'tolerance'"),
    "signal": (STUDY.replace('peak("spring.force")', 'peak("spring.forse")'), "my.py:28: There is no signal 'spring.forse'"),
    "parameter": (STUDY.replace('{"spring.stiffness": [', '{"spring.stifness": ['), ": There is no parameter 'spring.stifness'"),
    "own measure": (STUDY.replace("2.0 * runs[", "2.0 * runz["), "NameError: name 'runz' is not defined (my.py:25)."),
}  # fmt: skip


@pytest.mark.parametrize("text, said", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_the_file_is_one_sentence_with_its_line(cli, user_file, text, said) -> None:
    done = cli("study", user_file(text))
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("hybsim: ") and said in done.err and "Traceback" not in done.err
    assert done.err.count("\n") == 1


def test_a_mistake_in_a_picture_is_one_sentence_with_its_line(cli, user_file) -> None:
    name = user_file(FUNCTION.format(draw="1 / 0", pictures='Picture("a", "A", "", draw)'))
    done = cli("study", name, "--out", "results")
    assert done.code == 2 and done.err.startswith("hybsim: my.py:7: ZeroDivisionError: ")


@pytest.mark.parametrize(
    "target, said",
    [
        ("mi.py", "There is no file 'mi.py'. Did you mean 'my.py'?"),
        ("nowhere/my.py", "There is no folder 'nowhere' either."),
        ("my.py:sudy", "'my.py' has no variable or function 'sudy'. Did you mean 'study'?"),
        (".", "'.' is a folder: name a Python file in it."),
    ],
)
def test_a_file_that_does_not_exist_makes_no_folder(cli, user_file, tmp_path, target, said) -> None:
    user_file(STUDY)
    done = cli("study", target, "--out", "results")
    assert done.code == 2 and said in done.err and done.err.count("\n") == 1
    assert target == "my.py:sudy" or not (tmp_path / "results").exists()


def test_a_folder_that_cannot_be_written_is_refused_before_the_file_is_read(cli, user_file, tmp_path) -> None:
    name = user_file("open('read', 'w')\n" + STUDY)
    (tmp_path / "taken").write_text("")
    done = cli("study", name, "--out", "taken")
    assert done.code == 2 and "Cannot write into 'taken': it is a file" in done.err
    assert not (tmp_path / "read").exists()
