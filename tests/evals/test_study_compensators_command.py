"""hybsim study compensators as a command: files, JSON, seed, record, a compensator that fails, and no compiler."""

from __future__ import annotations

import base64
import csv
import json
import math
import struct

import numpy as np
import pytest

from hybsim.cli import main
from hybsim.studies.compensation import compensators as study
from hybsim.studies.compensation.compensator_cases import CASES, PLANTS, Case
from hybsim.studies.compensation.compensators import compare
from hybsim.studies.outcome import Settings

DT = 1.0 / 1024.0
FEW = tuple(case for case in CASES if case.name in ("none", "PREDICTOR 3 (tau)", "ATS"))


@pytest.fixture
def few(monkeypatch) -> None:
    """Three compensators: what is written does not depend on how many there are."""
    monkeypatch.setattr(study, "CASES", FEW)


def test_the_command_writes_figure_and_tables(few, capfd, tmp_path) -> None:
    folder = tmp_path / "a/b"
    assert main(["study", "compensators", "--out", str(folder)]) == 0
    out, err = capfd.readouterr()
    assert err == "" and sorted(p.name for p in folder.iterdir()) == [
        *(f"compensators.{e}" for e in ("csv", "json", "pdf", "png")), "report.html",
    ]  # fmt: skip
    image = (folder / "compensators.png").read_bytes()
    width, height = struct.unpack(">II", image[16:24])
    assert image.startswith(b"\x89PNG") and width >= 1200 and height >= 1200
    assert (folder / "compensators.pdf").read_bytes().startswith(b"%PDF")
    with open(folder / "compensators.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    content = json.loads((folder / "compensators.json").read_text())
    assert len(rows) == len(content["rows"]) == 6
    for row, same in zip(rows, content["rows"], strict=True):
        assert all(row[key] == same[key] for key in ("plant", "compensator"))
        numbers = {key: float(value) for key, value in row.items() if key not in ("plant", "compensator")}
        assert numbers == {key: same[key] for key in numbers}
        shown = [f"{100 * numbers['nrms']:.2f}", f"{100 * numbers['peak']:.2f}"]
        assert any(
            line.strip().startswith(row["compensator"] + " ") and all(s in line for s in shown)
            for line in out.splitlines()
        )
    for plant in PLANTS:
        assert f"Plant: {plant.prose}, delay {1000 * plant.delay:.2f} ms" in out
    assert "not whether a test is stable" in " ".join(out.split())
    page = (folder / "report.html").read_text()
    assert base64.b64encode(image).decode() in page and "(c) how much of the noise" in page
    assert content["record"]["sha256"] in page and "hybsim study compensators --out" in page


def test_json_on_stdout_stands_alone(few, capfd) -> None:
    assert main(["study", "compensators", "--json"]) == 0
    out, err = capfd.readouterr()
    content = json.loads(out)
    assert err == "" and content["study"] == "compensators"
    assert [row["compensator"] for row in content["rows"]] == 2 * [case.name for case in FEW]


def test_the_seed_changes_the_noise_and_nothing_else(few) -> None:
    shares: list[float] = []
    one, same, other = (compare(Settings(seed=seed), shares.append).rows() for seed in (1, 1, 2))
    assert one == same
    assert shares == pytest.approx(3 * [n / 6 for n in range(1, 7)]), "what the progress bar is told"
    for a, b in zip(one, other, strict=True):
        assert all(a[key] == b[key] for key in ("nrms", "peak", "amplitude", "delay_s", "delay_corr_s"))
        assert a["noise_target"] != b["noise_target"]


def test_another_record_is_tracked(few, capfd, tmp_path) -> None:
    sine = np.sin(2.0 * math.pi * 2.0 * np.arange(500) * 0.01)
    (tmp_path / "sine.csv").write_text("\n".join(f"{i * 0.01:.2f},{value:.6f}" for i, value in enumerate(sine)))
    assert main(["study", "compensators", "--record", str(tmp_path / "sine.csv"), "--json", "-"]) == 0
    content = json.loads(capfd.readouterr().out)
    assert content["record"]["record"] == "sine" and content["duration_s"] == pytest.approx(9.99)
    none = content["rows"][0]
    # At resonance the error of a delay tau is 2 sin(w tau / 2) of the target.
    assert none["nrms"] == pytest.approx(2.0 * math.sin(2.0 * math.pi * 14 * DT), rel=0.01)
    assert compare(Settings(record="tabas")).record["pga"] == pytest.approx(0.8999, abs=1e-4)


def test_a_compensator_that_stops_leaves_a_hole_and_a_sentence(monkeypatch, capfd, tmp_path) -> None:
    def runaway(rig):
        control = rig.bd.PIDCONTROL(name="control", kp=2.0)
        rig.bd.connect(rig.target, control.reference)
        rig.bd.connect(rig.measured, control.measured)
        return control.command

    monkeypatch.setattr(study, "CASES", (*FEW[:1], Case("runaway", runaway)))
    assert main(["study", "compensators", "--out", str(tmp_path), "--json", str(tmp_path / "all.json")]) == 0
    out, err = capfd.readouterr()
    assert err == "" and "runaway, pure delay of 14 ticks: Stopped at tick " in out
    rows = json.loads((tmp_path / "all.json").read_text())["rows"]
    assert [row["nrms"] is None for row in rows] == [False, True, False, True]
    assert [row["stopped"] is None for row in rows] == [True, False, True, False]


def test_without_a_compiler_python_stands_in(monkeypatch, capfd, tmp_path) -> None:
    monkeypatch.setenv("HYBSIM_CC", "none")
    monkeypatch.setenv("HYBSIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(study, "CASES", FEW[:1])
    (tmp_path / "short.csv").write_text("0.0,0.0\n0.1,0.3\n0.2,-0.3\n0.3,0.0")
    monkeypatch.setattr(study, "AFTER", 0.5)
    assert main(["study", "compensators", "--record", str(tmp_path / "short.csv"), "--json", "-"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["engine"] == "python" and err.count("\n") == 1 and "slow Python engine" in err
