"""hybsim run: numbers, files, figures and JSON; every mistake is one sentence and exit code 2."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.io

# A pulse of amplitude 1 and length 1 s on a spring of stiffness 10: the force is 5 (1 - cos 2 pi t).
PULSE = """
import hybsim as hs

def diagram(stiffness=10.0):
    bd = hs.BDSim().blockdiagram("pulse", dt=0.01)
    pulse = bd.COSINEPULSE(name="pulse", amplitude=1.0, duration=1.0)
    bd.SPRING(name="spring", stiffness=stiffness, inputs=[pulse])
    bd.units = {"spring.force": "kN"}
    return bd
"""

# Two channels, a limit that is infinite in the manifest, and a block with several outputs.
VECTOR = """
import numpy as np
import hybsim as hs

bd = hs.BDSim().blockdiagram("vector", dt=0.01)
load = bd.CONSTANT(np.array([1.0, 2.0]), name="load")
clip = bd.CLIP(max=np.inf, name="clip", inputs=[load])
free = bd.CONSTANT(np.zeros(2), name="free")
mass = bd.NEWMARK(name="mass", mass=np.eye(2))
bd.connect(free, mass.force)
bd.connect(clip, mass.load)
"""

# An explicit integrator far above its stability limit grows until it overflows.
# The subsystem answers within the tick.
CUT = """
import hybsim as hs

def rig(sub, disp):
    return {"force": sub.SPRING(name="specimen", stiffness=10.0, inputs=[disp])}

def diagram():
    bd = hs.BDSim().blockdiagram("cut", dt=0.01)
    pulse = bd.COSINEPULSE(name="pulse", amplitude=1.0, duration=1.0)
    bd.GAIN(2.0, name="sink", inputs=[hs.subsystem(bd, rig, inputs=[pulse])])
    return bd
"""

DIVERGING = """
import hybsim as hs

def diagram():
    bd = hs.BDSim().blockdiagram("diverging", dt=0.01)
    mass = bd.NEWMARK(name="mass", mass=1.0, initial_disp=1.0)
    spring = bd.SPRING(name="spring", stiffness=1e9)
    pulse = bd.COSINEPULSE(name="pulse", amplitude=1.0, duration=1.0)
    bd.connect(pulse, mass.load)
    bd.connect(mass.disp_target, spring.disp)
    bd.connect(spring, mass.force)
    return bd
"""

RECORD = """
import hybsim as hs

def diagram():
    bd = hs.BDSim().blockdiagram("record", dt=0.01)
    bd.GROUNDMOTION(name="record", record="elcentro")
    return bd
"""


@pytest.fixture
def pulse(tmp_path: Path) -> Path:
    return written(tmp_path, "pulse.py", PULSE)


def written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text)
    return file


def force(t: np.ndarray, stiffness: float = 10.0) -> np.ndarray:
    return stiffness * 0.5 * (1.0 - np.cos(2.0 * np.pi * t)) * (t <= 1.0)


def strict(text: str) -> dict:
    """JSON without the words NaN and Infinity, which are not JSON."""

    def refuse(word: str) -> float:
        raise AssertionError(f"{word} in JSON")

    return json.loads(text, parse_constant=refuse)


def test_the_summary_shows_peak_time_and_final_value(cli, pulse) -> None:
    done = cli("run", pulse, "--duration", 0.75)
    assert done.code == 0 and done.err == ""
    assert done.out.startswith("pulse: 76 ticks of 0.01 s, engine c\n")
    row = next(line.split() for line in done.out.splitlines() if "spring.force" in line)
    assert row == ["spring.force", "kN", "10", "0.5", "5"]


@pytest.mark.parametrize("engine", ["c", "python", "bdsim"])
def test_json_holds_time_signals_and_manifest(cli, pulse, engine) -> None:
    done = cli("run", pulse, "--duration", 1.5, "--engine", engine, "--set", "spring.stiffness=4", "--json", "-")
    content = strict(done.out)
    assert done.code == 0 and content["stopped"] is None and content["engine"] == engine
    assert content["manifest"]["blocks"]["spring"]["stiffness"] == 4.0
    t = np.array(content["t"])
    assert t == pytest.approx(np.arange(151) * 0.01)
    assert set(content["signals"]) == {"pulse.value", "spring.force"}
    assert content["signals"]["spring.force"] == pytest.approx(force(t, 4.0), abs=1e-12)
    assert done.err == ""


def test_signals_are_chosen_also_by_component_and_by_block(cli, tmp_path) -> None:
    file = written(tmp_path, "vector.py", VECTOR)
    done = cli("run", file, "--duration", 1, "--signals", "mass.accel[1], clip", "--json", "-")
    content = strict(done.out)
    assert list(content["signals"]) == ["mass.accel[1]", "clip.out"]
    # Constant loads of 1 and 2 on unit masses; the acceleration of the completed step.
    assert content["signals"]["mass.accel[1]"] == [0.0] + [2.0] * 100
    assert content["signals"]["clip.out"] == [[1.0, 2.0]] * 101
    assert content["manifest"]["blocks"]["clip"]["max"] is None, "an infinite limit is null"


def test_a_json_file_is_written_beside_the_table(cli, pulse, tmp_path) -> None:
    done = cli("run", pulse, "--duration", 1, "--json", tmp_path / "r.json")
    content = strict((tmp_path / "r.json").read_text())
    assert "spring.force" in done.out and str(tmp_path / "r.json") in done.out
    assert max(content["signals"]["spring.force"]) == 10.0


def test_files_of_every_kind_hold_the_chosen_signal(cli, pulse, tmp_path) -> None:
    t = np.arange(101) * 0.01
    for ending in ("csv", "npz", "h5", "mat", "json"):
        out = tmp_path / f"r.{ending}"
        done = cli("run", pulse, "--duration", 1, "--signals", "spring", "--out", out)
        assert done.code == 0 and f"Wrote 1 signals to {out}" in done.out
    read = {
        "csv": np.genfromtxt(tmp_path / "r.csv", delimiter=",", skip_header=4)[:, 1],
        "npz": np.load(tmp_path / "r.npz")["spring.force"],
        "h5": h5py.File(tmp_path / "r.h5")["spring.force"][:],
        "mat": scipy.io.loadmat(tmp_path / "r.mat")["spring_force"][:, 0],
        "json": np.array(strict((tmp_path / "r.json").read_text())["signals"]["spring.force"]),
    }
    for ending, values in read.items():
        assert values == pytest.approx(force(t), abs=1e-12), ending
    assert "pulse.value" not in np.load(tmp_path / "r.npz")


def test_a_figure_is_written(cli, pulse, tmp_path) -> None:
    assert cli("run", pulse, "--duration", 1, "--plot", tmp_path / "r.png").code == 0
    content = (tmp_path / "r.png").read_bytes()
    width, height = struct.unpack(">II", content[16:24])
    assert content.startswith(b"\x89PNG") and width > 800 and height > 400


def test_a_run_that_diverges_says_where_and_keeps_what_it_has(cli, tmp_path) -> None:
    file = written(tmp_path, "diverging.py", DIVERGING)
    done = cli("run", file, "--json", "-")
    content = strict(done.out)
    assert done.code == 1
    assert done.err.splitlines()[0].startswith("hybsim: warning: Stopped at tick ")
    assert content["stopped"]["block"] == "spring" and content["stopped"]["signal"] == "force"
    assert len(content["t"]) == content["stopped"]["tick"]
    assert all(math.isfinite(v) for v in content["signals"]["mass.disp_target"])


def test_without_a_duration_a_run_is_as_long_as_its_record(cli, tmp_path) -> None:
    content = strict(cli("run", written(tmp_path, "record.py", RECORD), "--json", "-").out)
    assert content["t"][-1] == pytest.approx(1559 * 0.02)  # 1560 points at 0.02 s
    half = cli("run", tmp_path / "record.py", "--set", "record.time_scale=0.5", "--json", "-")
    assert strict(half.out)["t"][-1] == pytest.approx(1559 * 0.01)


def test_without_a_duration_or_record_a_run_takes_ten_seconds(cli, pulse) -> None:
    assert "1001 ticks of 0.01 s" in cli("run", pulse).out


MISTAKES = {
    "engine": (["--engine", "cc"], "There is no engine 'cc'. Did you mean 'c'?"),
    "parameter": (["--set", "spring.stifness=1"], "'spring.stifness' in this diagram. Did you mean 'spring.stiffness'"),
    "value": (["--set", "spring.stiffness=-1"], "'stiffness' of block 'spring' must be at least 0, got -1.0."),
    "word": (
        ["--set", "spring.stiffness=stiff"],
        "'stiffness' of block 'spring' must be a single number, got 'stiff'.",
    ),
    "assignment": (["--set", "spring"], "--set needs name=value, got 'spring'."),
    "signal": (["--signals", "sprong"], "There is no signal 'sprong'"),
    "component": (["--signals", "spring[0]"], "'spring.force' is not a vector"),
    "negative": (["--duration", "-1"], "The duration must be a number of seconds of at least 0, got -1.0."),
    "nan": (["--duration", "nan"], "got nan."),
    "no number": (["--duration", "long"], "Invalid value for '--duration'"),
    "solver": (["--solver", "rk5"], "There is no solver 'rk5'. Did you mean 'rk4'?"),
    "ending": (["--out", "r.doc"], "Cannot write 'r.doc': its name must end in one of .csv, .npz"),
    "figure": (["--plot", "r.doc"], "Cannot write 'r.doc': its name must end in one of .png, .pdf"),
    "folder": (["--out", "nowhere/r.csv"], "nowhere' does not exist, so create it first."),
    "json": (["--json", "nowhere/r.json"], "nowhere' does not exist, so create it first."),
    "twice": (["--out", "r.json", "--json", "./r.json"], "Two outputs would be written to './r.json'"),
    "option": (["--durations", "1"], "No such option: --durations"),
    "argument": (["--arg", "stiff=1"], "got an unexpected keyword argument 'stiff'"),
}


@pytest.mark.parametrize("words, said", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_sentence(cli, pulse, monkeypatch, words, said) -> None:
    monkeypatch.chdir(pulse.parent)
    done = cli("run", pulse, *words)
    assert done.code == 2 and done.out == ""
    assert done.err.startswith("hybsim: ") and said in done.err
    assert done.err.count("\n") == 1, "one line"


@pytest.mark.parametrize("option", ["--out", "--plot", "--json"])
def test_an_output_that_cannot_be_written_stops_the_run_before_it_starts(cli, tmp_path, option) -> None:
    file = written(tmp_path, "loud.py", "open(__file__ + '.was_run', 'w')\n" + PULSE)
    for place in (tmp_path, "/proc/r"):
        name = f"{place}.csv" if option == "--out" else f"{place}.png"
        (tmp_path.parent / Path(name).name).mkdir(exist_ok=True)
        assert cli("run", file, option, name).code == 2
    assert not Path(f"{file}.was_run").exists()
    assert cli("run", file).code == 0
    assert Path(f"{file}.was_run").exists()


def test_arguments_reach_the_function(cli, pulse) -> None:
    assert " 70 " in cli("run", pulse, "--arg", "stiffness=70", "--signals", "spring").out


def test_without_a_compiler_the_python_engine_runs_and_says_so_once(cli, pulse, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("HYBSIM_CC", "none")
    monkeypatch.setenv("HYBSIM_CACHE", str(tmp_path / "cache"))
    done = cli("run", pulse)
    assert done.code == 0 and "engine python" in done.out
    assert done.err.startswith("hybsim: warning: Running with the slow Python engine: ") and done.err.count("\n") == 1
    done = cli("run", pulse, "--engine", "c")
    assert done.code == 2 and done.err.startswith("hybsim: No C compiler is used because HYBSIM_CC is 'none'")


def test_a_cut_adds_the_tick_that_hardware_takes(cli, tmp_path) -> None:
    written(tmp_path, "cut.py", CUT)
    whole, cut = (
        strict(cli("run", tmp_path / "cut.py", "--duration", "0.1", *words, "--json", "-").out)["signals"]
        for words in ([], ["--cut", "rig"])
    )
    force = whole["rig/specimen.force"]
    assert whole["sink.out"] == [2.0 * value for value in force], "drawn, it answers within the tick"
    assert cut["sink.out"][1:] == [2.0 * value for value in force[:-1]], "cut, its answer is read a tick later"
    done = cli("run", tmp_path / "cut.py", "--cut", "rigs")
    assert done.code == 2 and "There is no subsystem 'rigs' to cut at. Did you mean 'rig'?" in done.err
