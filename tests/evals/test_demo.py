"""hybsim demo against a second implementation: the loop of EERC Fig. 3-5 written out here in a few lines."""

from __future__ import annotations

import csv
import json
import math
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hybsim.cli import main
from hybsim.studies import demo as study
from hybsim.studies.demo import Demo, run_demo

ROOT = Path(__file__).parents[2]
G, K, UY, T, DT = 386.1, 10.0, 1.0, 1.0, 0.01
MASS = K * (T / (2.0 * math.pi)) ** 2
NAMES = [(specimen, lag) for specimen in ("linear", "elastic-plastic") for lag in (0.0, 2.0, 10.0)]


def ground(ticks: int, scale: float) -> np.ndarray:
    """El Centro at the ticks, from the file; zero after its end."""
    with open(ROOT / "blocks/data/elcentro_1940_ns.csv", newline="") as file:
        rows = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
    table = np.array([[float(v) for v in row] for row in rows if row[0][0].isdigit()])
    return scale * G * np.interp(np.arange(ticks) * DT, table[:, 0], table[:, 1], right=0.0)


def linear() -> Callable[[float], float]:
    return lambda u: K * u


def elastic_plastic() -> Callable[[float], float]:
    plastic = 0.0

    def force(u: float) -> float:
        nonlocal plastic
        r = K * (u - plastic)
        if abs(r) > K * UY:
            r = math.copysign(K * UY, r)
            plastic = u - r / K
        return r

    return force


def loop(specimen: str, lag: float, damping_ratio: float = 0.05, duration: float = 40.0) -> dict[str, np.ndarray]:
    """m a + c v + r(u applied) = -m a_g, central differences; the actuator is `lag` seconds late."""
    n = round(duration / DT) + 1
    c = 2.0 * damping_ratio * math.sqrt(K * MASS)
    load = -MASS * ground(n, 0.2 if specimen == "linear" else 1.0)
    restoring = linear() if specimen == "linear" else elastic_plastic()
    u, applied, r = np.zeros(n), np.zeros(n), np.zeros(n)
    before = None
    for i in range(n):
        last = u[i - 1] if i else u[0]
        applied[i] = u[i] - lag / DT * (u[i] - last)
        r[i] = restoring(applied[i])
        if before is None:  # from rest: u_{-1} = dt^2/2 a_0, with a_0 from the load alone
            before = 0.5 * DT**2 * (load[0] - r[0]) / MASS
        if i + 1 < n:
            inertia = MASS / DT**2
            right = load[i] - r[i] + inertia * (2.0 * u[i] - before) + c / (2.0 * DT) * before
            u[i + 1] = right / (inertia + c / (2.0 * DT))
            before = u[i]
    return {"u": u, "applied": applied, "r": r, "load": load}


def work(force: np.ndarray, disp: np.ndarray) -> float:
    return float(np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(disp)))


@pytest.fixture(scope="module")
def demo() -> Demo:
    return run_demo()


@pytest.mark.parametrize("specimen, lag_ms", NAMES)
def test_peaks_and_hsei_are_those_of_the_loop_above(demo, specimen, lag_ms) -> None:
    case, expected = demo.case(specimen, lag_ms), loop(specimen, lag_ms / 1000.0)
    assert case.result["integrator.disp_target"] == pytest.approx(expected["u"], rel=1e-8, abs=1e-9)
    assert case.peak_disp == pytest.approx(np.abs(expected["u"]).max(), rel=1e-9)
    assert case.peak_force == pytest.approx(np.abs(expected["r"]).max(), rel=1e-9)
    strain = 0.5 * K * UY**2
    error = work(expected["r"], expected["u"]) - work(expected["r"], expected["applied"])
    assert case.hsei_s == pytest.approx(error / strain, rel=1e-8, abs=1e-12)
    total = strain + work(expected["load"], expected["u"])
    assert case.hsei_i == pytest.approx(error / total, rel=1e-8, abs=1e-12)


def test_a_lag_adds_energy_and_displacement(demo) -> None:
    for specimen in ("linear", "elastic-plastic"):
        none, short, long = (demo.case(specimen, lag) for lag in (0.0, 2.0, 10.0))
        assert none.hsei_s == 0.0 and demo.growth(none) == 0.0
        assert 0.0 > short.hsei_s > long.hsei_s
        assert none.peak_disp < short.peak_disp < long.peak_disp


def test_a_lag_of_a_linear_structure_is_negative_damping(demo) -> None:
    """To first order the damping ratio falls by omega tau / 2."""
    for lag_ms in (2.0, 10.0):
        less = 0.05 - 0.5 * (2.0 * math.pi / T) * lag_ms / 1000.0
        alike = np.abs(loop("linear", 0.0, damping_ratio=less)["u"]).max()
        assert demo.case("linear", lag_ms).peak_disp == pytest.approx(alike, rel=0.03)


def test_the_three_engines_agree_in_every_bit(demo) -> None:
    assert demo.engine == "c" and demo.why_not_c is None
    assert [(a.engine, a.reference) for a in demo.agreements] == [("python", "c"), ("bdsim", "c")]
    for agreement in demo.agreements:
        assert agreement.identical and agreement.runs == 6 and agreement.largest == 0.0
        assert agreement.samples == 6 * 4001 * len(demo.cases[0].result.names)
    assert set(demo.seconds) == {"c", "python", "bdsim"}


def test_a_difference_in_the_last_bit_would_be_seen(demo) -> None:
    result = demo.case("linear", 10.0).result
    other = study.Agreement("python", "c")
    changed = {name: np.array(values) for name, values in result.items()}
    changed["specimen.force"][123] = np.nextafter(changed["specimen.force"][123], np.inf)
    other.add(type(result)(result.t, changed, engine="python", manifest={}), result)
    assert not other.identical and other.different == 1 and 0.0 < other.largest < 1e-14


def test_the_figure_is_labelled_complete_and_not_clipped(demo) -> None:
    figure = demo.figure()
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["lag 0 ms", "lag 2 ms", "lag 10 ms"]
    assert len(figure.axes) == 6
    assert [a.get_ylabel() for a in figure.axes[::2]] == [
        "command displacement [in]", "specimen force [kip]", "energy error indicator HSEI$^S$ [-]",
    ]  # fmt: skip
    assert {a.get_xlabel() for a in figure.axes} == {"time [s]", "command displacement [in]"}
    assert all(len(a.lines) == 3 for a in figure.axes)
    figure.canvas.draw()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height


def test_the_command_without_a_compiler(capfd, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HYBSIM_CC", "none")
    monkeypatch.setenv("HYBSIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(study, "DURATION", 6.0)
    assert main(["demo", "--json", "r.json"]) == 0
    out, err = capfd.readouterr()
    assert err == "" and out.count("Engine c is left out and python stands in for it: No C compiler is used") == 1
    assert "Engines python and bdsim agree in every bit" in out
    assert "Figure: hybsim-demo/displacement_lag.png" in out
    content = json.loads((tmp_path / "r.json").read_text())
    assert content["engine"] == "python" and content["engines"][0]["identical"]
    for case in content["cases"]:
        peak = np.abs(loop(case["specimen"], case["lag_ms"] / 1000.0, duration=6.0)["u"]).max()
        assert case["peak_disp"] == pytest.approx(peak, rel=1e-9)
        assert f"{case['peak_disp']:.4f}" in out


def test_the_command_with_json_on_stdout(capfd, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(study, "DURATION", 6.0)
    assert main(["demo", "--out", str(tmp_path / "a/b"), "--json", "-"]) == 0
    out, err = capfd.readouterr()
    content = json.loads(out)
    assert [(c["specimen"], c["lag_ms"]) for c in content["cases"]] == NAMES
    assert err == f"Figure: {content['figure']}\n"
    image = Path(content["figure"]).read_bytes()
    width, height = struct.unpack(">II", image[16:24])
    assert image.startswith(b"\x89PNG") and width >= 1200 and height >= 1200 and len(image) > 50_000


@pytest.mark.parametrize("where", ["file", "file/below", "/proc/nowhere"])
def test_a_folder_that_cannot_be_made_is_one_sentence_before_anything_runs(capfd, tmp_path, monkeypatch, where) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(study, "run_demo", None)
    assert main(["demo", "--out", where]) == 2
    out, err = capfd.readouterr()
    assert out == "" and err.startswith("hybsim: Cannot ") and err.count("\n") == 1
