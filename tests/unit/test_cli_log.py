"""hybsim log check, export, repair: what is shown, what is written, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from ring_bench import Ring, expected, writer

from hybsim.runtime.guard_tables import EVENTS, FAULTS, STATES
from hybsim.runtime.log_frames import LogWriter, read_log

NAMES = [f"loop.{name}" for name in ("tick", "state", "event", "refused", "faults", "advanced")]
NAMES += ["measured.disp[0]", "rig/actuator.position"]
ABOUT = {
    "kind": "loop", "diagram": "my_test.py", "units": {"rig/actuator.position": "in"}, "rig_file": "# 1 µm\n" * 9000,
}  # fmt: skip


def rows_of_a_test() -> np.ndarray:
    """Ten ticks: reset, configured, an ARM that is refused, a fault that pauses, and an emergency stop."""
    state, event = {name: i for i, name in enumerate(STATES)}, {name: i for i, name in enumerate(EVENTS)}
    rows = np.zeros((10, len(NAMES)))
    rows[:, 0] = np.arange(10)
    rows[:, 1] = [
        state[s] for s in ["ESTOP"] * 1 + ["IDLE"] * 2 + ["CONFIGURED"] * 2 + ["RUNNING"] * 3 + ["PAUSED", "ESTOP"]
    ]
    rows[1, 2], rows[3, 2], rows[4, 2:4] = event["RESET"], event["CONFIGURE"], event["ARM"]
    faults = list(FAULTS)
    rows[8, 4] = 1 << faults.index("TRACKING")
    rows[9, 4] = (1 << faults.index("TRACKING")) + (1 << faults.index("SENSOR_FROZEN"))
    rows[5:8, 5] = 1.0
    rows[:, 6] = np.random.default_rng(1).normal(size=10)
    rows[:, 7] = 1.0 / (rows[:, 0] + 3.0)
    return rows


def written(path: Path, rows: np.ndarray, *, about=ABOUT, names=NAMES) -> Path:
    log = LogWriter(path, names=names, dt=0.25, about=about, bytes_reserved=0)
    for start in range(0, len(rows), 4):
        log.rows(start, rows[start : start + 4])
    log.close()
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return written(tmp_path / "run.hslog", rows_of_a_test())


@pytest.fixture
def damaged(log: Path, tmp_path: Path) -> Path:
    """Its last frame is cut short."""
    (tmp_path / "damaged.hslog").write_bytes(log.read_bytes()[:-3])
    return tmp_path / "damaged.hslog"


def test_check_shows_what_happened(cli, log, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "150")  # as wide as the longest meaning
    done = cli("log", "check", log)
    assert (done.code, done.err) == (0, "")
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert f"{log}: loop of my_test.py" in lines
    assert "10 rows of 8 columns, ticks 0 to 9 of 0.25 s, 3 of them ticks of the diagram" in lines
    for line in (
        "0 0.0000 ESTOP", "1 0.2500 IDLE RESET", "3 0.7500 CONFIGURED CONFIGURE", "4 1.0000 ARM (refused)",
        "5 1.2500 RUNNING", "8 2.0000 PAUSED", "9 2.2500 ESTOP", "No problem was found.",
        f"TRACKING 2 8 {FAULTS['TRACKING'][1]}", f"SENSOR_FROZEN 1 9 {FAULTS['SENSOR_FROZEN'][1]}",
    ):  # fmt: skip
        assert line in lines


def test_check_gives_json(cli, log, damaged) -> None:
    content = json.loads(cli("log", "check", log, "--json", "-").out)
    assert [entry["name"] for entry in content["states"]] == [
        "ESTOP",
        "IDLE",
        "CONFIGURED",
        "RUNNING",
        "PAUSED",
        "ESTOP",
    ]
    assert content["faults"]["TRACKING"] == {"tick": 8, "time": 2.0, "ticks": 2}
    assert (content["columns"], content["about"], content["problems"]) == (NAMES, ABOUT, [])
    content = json.loads(cli("log", "check", damaged, "--json", "-").out)
    assert content["rows"] == 8 and len(content["problems"]) == 1


def test_check_fails_for_a_log_with_problems(cli, damaged, tmp_path) -> None:
    done = cli("log", "check", damaged)
    assert done.code == 1 and "Problem: at byte" in done.out and "the file ends within a frame" in done.out
    rows = rows_of_a_test()
    gap = written(tmp_path / "gap", np.concatenate([rows[:5], rows[7:]]))
    done = cli("log", "check", gap)
    assert done.code == 1 and "Problem: tick 7 follows on tick 4." in done.out


def test_a_long_history_is_shortened(cli, tmp_path) -> None:
    rows = np.zeros((400, len(NAMES)))
    rows[:, 0] = np.arange(400)
    rows[:, 1] = rows[:, 0] % 2
    done = cli("log", "check", written(tmp_path / "log", rows))
    assert done.code == 0 and "360 more" in done.out and len(done.out.splitlines()) < 60


def test_check_of_a_log_of_a_rig_or_of_nothing(cli, tmp_path) -> None:
    rig = written(
        tmp_path / "rig", np.array([[3.0, 1.0], [3.0, 2.0]]), names=["rig.tick", "a.b"], about={"kind": "rig"}
    )
    done = cli("log", "check", rig)
    assert done.code == 0 and "rig of an unnamed diagram" in done.out and "ticks 3 to 3" in done.out
    done = cli("log", "check", written(tmp_path / "empty", np.empty((0, len(NAMES)))))
    assert done.code == 0 and "0 rows of 8 columns, no ticks" in done.out


def read_back(path: Path) -> dict[str, np.ndarray]:
    if path.suffix == ".h5":
        import h5py

        with h5py.File(path) as file:
            assert file["rig/actuator.position"].attrs["units"] == "in" and file["t"].attrs["units"] == "s"
            text = file["manifest"][()] if "manifest" in file else file.attrs["manifest"]
            assert json.loads(text) == ABOUT and json.loads(file.attrs["problems"]) == []
            return {name: file[name][:] for name in ["t", *NAMES]}
    if path.suffix == ".npz":
        with np.load(path) as file:
            assert json.loads(str(file["manifest"])) == ABOUT
            return {name: file[name] for name in ["t", *NAMES]}
    if path.suffix == ".mat":
        from scipy.io import loadmat

        content = loadmat(path)
        names = {str(pair[1][0]): str(pair[0][0]) for pair in content["names"]}
        return {"t": content["t"].ravel(), **{name: content[names[name]].ravel() for name in NAMES}}
    lines = path.read_text().splitlines()
    assert json.loads(lines[0].removeprefix("# manifest: ")) == ABOUT
    names, *rows = csv.reader(lines[1:])
    return dict(zip(names, np.array(rows, dtype=float).T, strict=True))


@pytest.mark.parametrize("ending", [".h5", ".csv", ".npz", ".mat"])
def test_an_exported_log_has_every_column_bit_for_bit(cli, log, tmp_path, monkeypatch, ending) -> None:
    monkeypatch.setattr("hybsim.runtime.log_export.BLOCK", 5 * 8 * len(NAMES))  # in two pieces
    out = tmp_path / f"run{ending}"
    done = cli("log", "export", log, out)
    assert done.code == 0 and f"Wrote 10 rows of 8 columns to {out}" in done.out
    found, rows = read_back(out), rows_of_a_test()
    assert found["t"].tobytes() == (0.25 * np.arange(10.0)).tobytes()
    for i, name in enumerate(NAMES):
        assert np.ascontiguousarray(found[name], dtype=float).tobytes() == rows[:, i].tobytes(), name


def test_of_a_damaged_log_the_sound_part_is_exported_and_that_is_told(cli, damaged, tmp_path) -> None:
    done = cli("log", "export", damaged, tmp_path / "run.csv")
    assert done.code == 1 and "Wrote 8 rows" in done.out
    assert done.err.startswith("hybsim: warning: the log is not sound: at byte")


def test_repair_writes_the_sound_part(cli, damaged, tmp_path) -> None:
    before = damaged.read_bytes()
    done = cli("log", "repair", damaged, "--to", tmp_path / "good.hslog")
    assert done.code == 0 and "Wrote 8 rows to" in done.out and "Left out: at byte" in done.out
    assert read_log(tmp_path / "good.hslog").problems == []
    assert cli("log", "check", tmp_path / "good.hslog").code == 0
    assert damaged.read_bytes() == before


def test_R10_repair_takes_rows_from_a_kept_ring(cli, tmp_path) -> None:
    ring = Ring(tmp_path / "ring", rows=16)
    ring.put(8)
    log = writer(tmp_path / "log")
    log.rows(0, expected(0, 8))
    log.close()
    ring.region["stored"] = 8
    ring.put(16)
    ring.region["ended"] = 1
    done = cli("log", "repair", tmp_path / "log", "--ring", tmp_path / "ring", "--to", tmp_path / "whole")
    assert done.code == 0 and "Wrote 24 rows" in done.out and "16 of them from the ring" in done.out
    assert read_log(tmp_path / "whole").rows.tobytes() == expected(0, 24).tobytes()
    ring.region["stored"] = 24
    ring.put(16)
    ring.region["stored"] = 40
    done = cli("log", "repair", tmp_path / "log", "--ring", tmp_path / "ring", "--to", tmp_path / "part")
    assert done.code == 1 and "rows 8 to 24 are neither in the log nor in the ring" in done.err
    ring.close()


@pytest.mark.parametrize(
    "words, said",
    [
        (["check", "none"], "The log 'none' cannot be read: No such file or directory."),
        (["check", "text"], "'text' is no log that can be read: the file ends within a frame."),
        (["check", "."], "The log '.' cannot be read: Is a directory."),
        (["export", "run.hslog", "run.txt"], "its name must end in one of .h5, .hdf5, .csv, .npz, .mat."),
        (["export", "run.hslog", "there.h5"], "Cannot write 'there.h5': it is there already"),
        (["export", "none", "out.h5"], "cannot be read"),
        (["export", "run.hslog", "nowhere/out.h5"], "does not exist, so create it first."),
        (["repair", "run.hslog"], "Missing option '--to'; see 'hybsim log repair --help'."),
        (["repair", "run.hslog", "--to", "there.h5"], "Cannot write 'there.h5': it is there already"),
        (["repair", "run.hslog", "--to", "new", "--ring", "none"], "There is no run at 'none'"),
        (["repair", "run.hslog", "--to", "new", "--ring", "text"], "'text' is not the memory of a run."),
        (["chek"], "No such command 'chek'"),
    ],
)
def test_a_mistake_is_one_sentence_and_writes_nothing(cli, log, monkeypatch, words, said) -> None:
    monkeypatch.chdir(log.parent)
    for name in ("text", "there.h5"):
        Path(name).write_text("hello")
    before = sorted(path.name for path in Path().iterdir())
    done = cli("log", *words)
    assert done.code == 2 and said in done.err and done.err.count("hybsim: ") == 1
    assert sorted(path.name for path in Path().iterdir()) == before


def test_help_is_there(cli) -> None:
    assert "repair" in cli("log").out
    for words in (["log"], ["log", "check"], ["log", "export"], ["log", "repair"], ["replay"]):
        done = cli(*words, "--help")
        assert done.code == 0 and "Usage: hybsim" in done.out
