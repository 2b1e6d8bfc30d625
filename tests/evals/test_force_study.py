"""hybsim study force: its numbers beside theory and an independent solution, its files, its report."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.signal import cont2discrete

from hybsim.cli import main
from hybsim.diagrams.force_based import white_noise
from hybsim.studies.force import force, laboratory
from hybsim.studies.force import force_words as words
from hybsim.studies.force.capacities import Demands
from hybsim.studies.force.cases import (
    ACTUATOR_LATE,
    ACTUATOR_SLOW,
    CASES,
    LINE_UP,
    MEASURED,
    PERFECT,
    TABLE_LATE,
    correlation,
)
from hybsim.studies.force.found import simulate
from hybsim.studies.force.late_loop import damping, root
from hybsim.studies.force.reference import solved
from hybsim.studies.outcome import Settings

M, W, DT = 79.1, 4.0 * math.pi, 1e-3
C, K = 0.04 * M * W, M * W * W


@pytest.fixture(scope="module")
def told():
    return []


@pytest.fixture(scope="module")
def found(told):
    return simulate(Settings(seed=1), told.append)


@pytest.fixture
def outcome(found, monkeypatch):
    monkeypatch.setattr(force, "simulate", lambda settings, progress: found)
    return force.run(Settings(seed=1), lambda share: None)


@pytest.fixture(scope="module")
def whole():
    a = np.array([[0.0, 1.0], [-K / M, -C / M]])
    a, b, *_ = cont2discrete((a, np.array([[0.0], [-1.0]]), np.eye(2), np.zeros((2, 1))), DT, "zoh")
    ground, z = white_noise(seed=1).accel, np.zeros((20001, 2))
    for k in range(20000):
        z[k + 1] = a @ z[k] + b[:, 0] * ground[k]
    return z


def rows_of(outcome):
    return {(row["case"], row["devices"]): row for row in outcome.summary["rows"]}


def test_progress_runs_from_nothing_to_all(found, told):
    assert told == sorted(told) and told[0] == 0.0 and told[-1] == 1.0


def test_table_3_is_shown_as_printed_corrected_and_computed(outcome):
    rows = {row["case"]: row for row in outcome.summary["table_3"]}
    assert (rows[5]["A_g_printed"], rows[5]["A_g_corrected"], rows[5]["A_x_printed"]) == (4.45, 4.35, 3.35)
    exact = {5: (1.0 / 0.23, 0.77 / 0.23, 0.0, 0.0), 6: (0.0, 0.0, -1.0, -0.77),
             7: (0.5 / 0.23, 0.385 / 0.23, -0.5, -0.385), 4: (0.5, 0.0, -0.5, 0.0)}  # fmt: skip
    for case, values in exact.items():
        for kind, tolerance in (("computed", 1e-12), ("in_run", 1e-9), ("corrected", 0.005)):
            got = [rows[case][f"{name}_{kind}"] for name in ("A_g", "A_x", "F_g", "F_x")]
            np.testing.assert_allclose(got, values, atol=tolerance)
    shown = {row[0]: row for row in outcome.tables[0].rows}
    assert shown["5"][4:] == ("4.45; 3.35", "4.35; 3.35", "4.3478; 3.3478", "4.3478; 3.3478")
    assert shown["7"][4:] == ("2.17; 1.67", "2.17; 1.67", "2.1739; 1.6739", "2.1739; 1.6739")
    assert any("4.35, printed 4.45" in note for note in outcome.notes)


def test_the_reference_is_that_of_an_independent_solution(whole):
    reference = solved(np.append(white_noise(seed=1).accel, 0.0), DT, mass=M, damping=C, stiffness=K)
    np.testing.assert_allclose(reference.disp[:, 0], whole[:, 0], atol=1e-12)
    np.testing.assert_allclose(reference.vel[:, 0], whole[:, 1], atol=1e-11)
    np.testing.assert_allclose(M * (reference.accel[:-1, 0] + white_noise(seed=1).accel) + C * whole[:-1, 1]
                               + K * whole[:-1, 0], 0.0, atol=1e-8)  # fmt: skip


def test_the_reference_of_floors_and_a_computed_one_is_that_of_an_ode_solver():
    m, k = np.array([[3.0, 0.2], [0.2, 2.0]]), np.array([[90.0, -40.0], [-40.0, 40.0]])
    got = solved(np.ones(1001), 0.002, mass=m, damping=0.02 * k, stiffness=k, numerical=(1.5, 20.0))

    def rate(t, z):
        x, y, v, w = z[:2], z[2], z[3:5], z[5]
        top = 20.0 * (y - x[1])
        return [*v, w, *(np.linalg.solve(m, [0.0, top] - 0.02 * k @ v - k @ x) - 1.0), -top / 1.5 - 1.0]

    exact = solve_ivp(rate, (0.0, 2.0), np.zeros(6), rtol=1e-11, atol=1e-13).y[:3, -1]
    np.testing.assert_allclose(got.disp[-1], exact, rtol=1e-8)


def test_ideal_devices_agree_and_late_ones_have_the_error_of_a_moved_response(outcome, whole):
    rows, x = rows_of(outcome), whole[:, 0]
    moved = np.concatenate([np.zeros(13), x[:-13]]) - x
    peak, rms = np.abs(moved).max() / np.abs(x).max(), math.sqrt(np.mean(moved**2) / np.mean(x**2))
    for case in CASES:
        assert rows[case, "ideal"]["peak_error"] < 1e-6
        assert rows[case, "ideal"]["peak_disp_whole_m"] == pytest.approx(np.abs(x).max(), rel=1e-9)
    # The table's share of the load is late; inertia from the model does not change that if the actuator applies it.
    for case, share in (("1", 1.0), ("2", 1.0), ("3", 0.0), ("4", 0.5), ("6", 0.0), ("5 (Eq. 2)", 1.0),
                        ("7 (Eq. 2)", 0.5)):  # fmt: skip
        row = rows[case, "table late"]
        assert (row["peak_error"], row["rms_error"]) == pytest.approx((share * peak, share * rms), rel=1e-5, abs=1e-7)
    assert rows["3", "actuator late"]["delay_s"] == pytest.approx(0.013, abs=1e-5)
    assert rows["3", "actuator late"]["amplitude"] == pytest.approx(1.0, abs=1e-4)
    # With a measured acceleration and a fast actuator the error is that of the built mass, 23 %.
    fast = rows["5 (Eq. 2)", "table late, measured"]["rms_error"]
    assert 0.23 * rms < fast < 0.23 * rms + rows["6", "table late, measured"]["rms_error"]
    assert ("5", "table late, measured") not in rows


def test_the_damping_of_the_late_loop_is_that_of_the_polynomial_and_of_small_delays():
    assert damping("7", PERFECT) == pytest.approx(0.02, rel=1e-9)
    lag, built = 0.013, 0.23
    model = np.polyadd(np.polymul([built * M, 0.0, 0.0], [lag, 1.0]),
                       np.polysub(np.polymul([C, K], [lag, 1.0]), [0.77 * C, 0.77 * K]))  # fmt: skip
    s = root("6", ACTUATOR_SLOW)
    assert np.abs(np.roots(model) - s).min() < 1e-6 * abs(s)
    measured = np.polyadd(np.polymul([built * M, C, K], [lag, 1.0]), [0.77 * M, 0.0, 0.0])
    assert np.abs(np.roots(measured) - root("6", MEASURED)).min() < 1e-6 * W
    assert damping("5", TABLE_LATE) == pytest.approx(damping("6", ACTUATOR_LATE), rel=1e-9)
    assert damping("5", TABLE_LATE) > damping("7", TABLE_LATE) > damping("4", TABLE_LATE)


def test_other_delays_and_frames_follow_the_response_of_one_frequency(outcome):
    for row in outcome.summary["delays"]:
        theory = 2.0 * math.sin(0.5 * W * row["table_delay_s"])
        assert row["rms_error_1"] == pytest.approx(theory, rel=0.01)
        assert row["rms_error_4"] == pytest.approx(0.5 * row["rms_error_1"], rel=1e-6)
        assert row["rms_error_1"] < 0.2 * row["rms_error_7"] or row["table_delay_s"] > 0.008
    assert len(outcome.summary["specimens"]) == 10
    for row in outcome.summary["specimens"]:
        # Not a single frequency: white noise fills the band of a resonance that is wide or near its end of 10 Hz.
        assert row["rms_error_1"] == pytest.approx(2.0 * math.sin(math.pi * row["frequency_hz"] * 0.013), rel=0.04)
        assert row["rms_error_4"] < row["rms_error_1"] < row["rms_error_7"] < row["rms_error_5"] and row["in_order"]


def test_correlation_finds_a_shift_and_a_factor():
    x = np.sin(0.01 * np.arange(2000.0)) + np.sin(0.027 * np.arange(2000.0))
    late = 0.5 * np.concatenate([np.zeros(7), x[:-7]])
    assert correlation(x, late, 7) == (pytest.approx(1.0), pytest.approx(0.5))
    assert correlation(late, x, -7) == (pytest.approx(1.0), pytest.approx(2.0))


def test_floors_agree_and_late_actuators_cost_more_than_a_late_table(outcome):
    rows = {row["devices"]: row for row in outcome.summary["floors"]}
    for floor in ("first_floor", "second_floor", "computed_floor"):
        assert rows["ideal devices"][f"{floor}_peak_error"] < 1e-6
        assert rows["ideal devices"][f"{floor}_peak_whole_m"] > 0.005
        one, thirteen = (rows[name][f"{floor}_rms_error"] for name in ("actuators 1 ms late", "actuators 13 ms late"))
        assert 0.01 < rows["table 13 ms late"][f"{floor}_rms_error"] < one < thirteen
    alpha_m = np.array(outcome.summary["two_floors"]["alpha_m"])
    assert alpha_m.shape == (2, 2) and np.abs(alpha_m[0, 1]) > 0.01


def test_the_chosen_splitting_is_feasible_and_its_demands_are_those_of_the_run(outcome, whole):
    caps, ground = outcome.summary["capacities"], white_noise(seed=1).accel
    x, v = whole[:-1].T
    inertia = -(C * v + K * x)
    assert caps["table_payload"] < 79.1, "neither the whole specimen on the table"
    light = 1.0 - caps["table_payload"] / M
    assert np.abs(light * inertia + (1.0 - light) * M * ground).max() > caps["actuator_force"], "nor actuators alone"
    for row in outcome.summary["laboratory"]:
        al, am = row["alpha_l"], row["alpha_m"]
        beta = 1.0 - al if row["inertia"] == "table 3" else 0.0
        theory = dict(
            actuator_force=np.abs((1.0 - beta) * am * inertia + al * (1.0 - am) * M * ground).max(),
            table_acceleration=np.abs((1.0 - al) * ground + beta * am / (1.0 - am) / M * inertia).max(),
            table_payload=(1.0 - am) * M,
        )
        for name, limit in caps.items():
            assert row[f"measured_{name}"] == pytest.approx(row[f"predicted_{name}"], rel=1e-6)
            assert row[f"measured_{name}"] <= limit
            if name in theory:
                assert row[f"measured_{name}"] == pytest.approx(theory[name], rel=1e-6)
        uses = sorted(row[f"measured_{name}"] / limit for name, limit in caps.items())
        assert row["margin"] == pytest.approx(1.0 - uses[-1], abs=1e-6)
        assert uses[-1] - uses[-3] < 0.002, "two shares are free, so three capacities are used alike"


def test_a_laboratory_that_is_too_small_is_told_so_and_the_study_goes_on(found):
    record = white_noise(seed=2)
    short = laboratory.verified(Demands(laboratory.response(record)), record)
    assert short.choice.margin < 0.0 and "No splitting is within the capacities" in short.refused
    told = words.conclusions(replace(found, choices=[short, found.choices[1]]))
    assert any(short.refused.rstrip(".") in sentence for sentence in told)
    assert all("No splitting" not in sentence for sentence in words.conclusions(found))


def test_refusals_are_quoted_and_what_was_refused_grows(outcome):
    said = outcome.summary["refusals"]
    assert len(said) == 9 and all(any(sentence in note for note in outcome.notes) for sentence in said.values())
    assert sum("unstable with any delay" in sentence for sentence in said.values()) == 2
    growth = outcome.summary["growth_in_each_delay"]
    assert growth["theory"] == pytest.approx(0.77 / 0.23)
    assert growth["measured"] == pytest.approx(0.77 / 0.23, rel=0.03)


def test_the_json_has_what_is_needed_to_compute_again(outcome):
    numbers = {
        name: part for name, part in outcome.summary.items() if name != "manifest"
    }  # integrators: no limits, inf
    summary = json.loads(json.dumps(numbers, allow_nan=False))
    assert outcome.summary["manifest"]["blocks"]["command"]["alpha_m"] == [0.77]
    assert len(summary["rows"]) == len(LINE_UP) * 9 + 7 == 79
    assert summary["record"]["sha256"] == white_noise(seed=1).sha256 and summary["record"]["pga"] == 1.0
    specimen = summary["specimen"]
    assert (specimen["mass_kg"], specimen["frequency_assumed_hz"], specimen["damping_ratio_assumed"]) == (
        79.1,
        2.0,
        0.02,
    )
    assert specimen["stiffness_N_m"] == pytest.approx(K) and specimen["damping_N_s_m"] == pytest.approx(C)
    assert (summary["seed"], summary["dt_s"], summary["table_delay_s"]) == (1, 0.001, 0.013)
    assert any("ASSUMPTIONS" in words for words in outcome.introduction)
    for table in outcome.tables:
        assert {len(row) for row in table.rows} == {len(table.headings)}, table.title
    for name, listed in outcome.data.items():
        assert len({tuple(row) for row in listed}) == 1, name


def test_every_figure_is_lettered_labelled_and_whole(outcome):
    assert [picture.name for picture in outcome.pictures] == ["responses", "errors", "delays", "floors", "feasible"]
    for picture in outcome.pictures:
        figure = picture.draw()
        figure.draw_without_rendering()
        box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height, picture.name
        panels = [area for area in figure.axes if area.get_label() != "<colorbar>"]
        letters = [f"({x})" for x in "abcdefgh"[: len(panels)]] if len(panels) > 1 else [""]
        assert [area.get_title(loc="left") for area in panels] == letters
        assert panels[-1].get_xlabel().endswith("]") and panels[0].get_ylabel().endswith("]")
        assert len(picture.explanation) > 100


def test_the_command_writes_report_and_numbers(outcome, capfd, tmp_path, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)  # set by pytest-xdist in its workers: tables of 80 columns fold cells
    assert main(["study", "force", "--out", str(tmp_path)]) == 0
    out, err = capfd.readouterr()
    assert err == "" and "4.3478; 3.3478" in out and "AGREES" in out and "DIFFERS" in out
    names = {path.name for path in tmp_path.iterdir()}
    assert {"report.html", "force.json", "rows.csv", "table_3.csv", "feasible.png", "responses.pdf"} <= names
    page = (tmp_path / "report.html").read_text()
    assert "Which splitting the laboratory can afford" in page and white_noise(seed=1).sha256 in page
    with open(tmp_path / "rows.csv", newline="") as file:
        listed = list(csv.DictReader(file))
    content = json.loads((tmp_path / "force.json").read_text())
    assert [float(row["rms_error"]) for row in listed] == [row["rms_error"] for row in content["rows"]]


def test_the_numbers_go_to_standard_output_as_json(outcome, capfd):
    assert main(["study", "force", "--json", "-"]) == 0
    out, err = capfd.readouterr()
    assert err == "" and json.loads(out)["study"] == "force"
