"""The study `fht`: what the command writes, and what its column says beside the paper."""

from __future__ import annotations

import json

import pytest

from hybsim.cli import main
from hybsim.studies.fht import column, fht


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The column alone: the other sections have tests of their own."""
    out = tmp_path_factory.mktemp("fht")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fht, "SECTIONS", {"column": column.section})
        assert main(["study", "fht", "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def found(folder):
    return json.loads((folder / "fht.json").read_text())["column"]


@pytest.fixture(scope="module")
def rows(found):
    return {(row["variant"], row["rate_hz"]): row for row in found["rows"]}


def test_the_json_holds_what_the_paper_prints(found):
    structure = found["structure"]
    assert structure["stiffness_kip_in"] == [[432.6, -201.6], [-201.6, 115.6]]
    assert structure["mass_kip_s2_in"] == [[0.097, 0.0], [0.0, 0.097]]
    assert [round(value, 1) for value in structure["frequencies_hz"]] == [2.1, 11.8]
    assert found["record"]["pga_g"] == 0.3
    assert len(found["record"]["sha256"]) == 64
    assert found["integrator"]["iterations"] == 10
    assert found["integrator"]["rates"]["1000 Hz"] == {"rate_hz": 1000.0, "step_s": 0.01}
    assert found["integrator"]["rates"]["1024 Hz"] == {"rate_hz": 1024.0, "step_s": 0.009765625}
    assert "10.24 ticks" in found["refused"]["message"]
    assert "10.24" in found["errata"][0]


def test_the_report_explains_every_table_and_picture(folder):
    report = (folder / "report.html").read_text()
    for words in ("10.24 ticks", "no misprint", "Fig. 8", "edge of stability", "stand for damping that"):
        assert words in report
    for name in ("column_response", "column_compensation", "column_stability"):
        assert (folder / f"{name}.png").stat().st_size > 10_000
    assert len((folder / "column_histories.csv").read_text().splitlines()) == 3002  # 30 s, both ends, a heading


@pytest.mark.parametrize("rate", [1000.0, 1024.0])
def test_the_three_curves_of_figure_8_are_close(rows, found, rate):
    # "the results obtained from the three cases are all very close to each other"
    six = next(row for row in found["exact"] if row["damping"] == pytest.approx(0.06) and row["rate_hz"] == rate)
    for variant in ("ideal_damped_specimen", "feedforward_damped_specimen"):
        row = rows[variant, rate]
        for storey in ("1", "2"):
            assert row[f"peak_disp_{storey}"] == pytest.approx(six[f"peak_disp_{storey}"], rel=0.01)
            assert row[f"rms_error_{storey}"] < 0.03


@pytest.mark.parametrize("rate", [1000.0, 1024.0])
def test_a_late_actuator_needs_feedforward(rows, rate):
    # 12 ms of delay take 0.079 in mode 1 and 0.44 in mode 2, more than 4 %; one tick takes 0.037 in mode 2.
    assert not any(rows[variant, rate]["stable"] for variant in ("late", "late_0.5", "late_1"))
    assert all(rows[variant, rate]["stable"] for variant in ("feedforward", "both_0.5", "both_1", "tick"))
    assert rows["late", rate]["peak_disp_1"] is None


@pytest.mark.parametrize("rate", [1000.0, 1024.0])
def test_feedback_mends_what_feedforward_leaves(rows, rate):
    assert not rows["short", rate]["stable"]
    assert (
        rows["tick_1", rate]["rms_error_1"] < rows["tick_0.5", rate]["rms_error_1"] < rows["tick", rate]["rms_error_1"]
    )
    assert rows["tick", rate]["delay_ms_2"] == pytest.approx(1000.0 / rate, rel=0.02)


def test_runs_and_eigenvalues_agree_on_stability(rows, found):
    ranges = {row["assumed_lag_s"]: row["stable_lambda"] for row in found["stability"] if row["assumed_lag_s"]}
    cases = {"short": (0.009, 0.0), "short_0.5": (0.009, 0.5), "long": (0.012, 0.0), "long_1": (0.012, 1.0),
             "both_1": (0.010, 1.0)}  # fmt: skip
    for variant, (lag, gain) in cases.items():
        inside = any(low <= gain <= high for low, high in ranges[lag])
        assert rows[variant, 1000.0]["stable"] == inside
