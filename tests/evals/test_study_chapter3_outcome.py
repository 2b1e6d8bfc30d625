"""hybsim study ch3 as a whole: the published names, conventions, tables, figures, and runs without bounds."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from hybsim.errors import ParameterError
from hybsim.runtime.export import plain
from hybsim.studies.eerc.chapter3 import run
from hybsim.studies.outcome import Outcome, Settings

G, K, T, DT, ZETA = 386.1, 10.0, 1.0, 0.01, 0.05
MASS = K * (T / (2.0 * math.pi)) ** 2
NOISE = ("noise_78", "noise_7_8", "noise_21_ep")
LAG = {
    "lag_2": ("linear", 0.2), "lag_10": ("linear", 1.0),
    "lag_2_ep": ("elastic-plastic", 0.2), "lag_10_ep": ("elastic-plastic", 1.0),
}  # fmt: skip
KEYS = ["name", "exact_peak", "peak", "snr", "pp_ratio", "effective_delay_ms", "max_error"]


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return run(Settings(), lambda share: None)


@pytest.fixture(scope="module")
def rows(outcome) -> dict[str, dict]:
    return {row["name"]: row for row in outcome.summary["rows"]}


def test_the_rows_have_the_published_names_and_holes(outcome) -> None:
    content = json.loads(json.dumps(plain(outcome.summary), allow_nan=False))
    assert [row["name"] for row in content["rows"]] == [*NOISE, *LAG]
    assert content["critical_phase_delay_deg"] == pytest.approx(11.535, abs=0.001)
    for row in content["rows"]:
        assert list(row) == KEYS
        none = {"effective_delay_ms"} if row["name"] in NOISE else {"snr", "pp_ratio"}
        assert {key for key, value in row.items() if value is None} == none
    assert outcome.data["rows"] == outcome.summary["rows"]


def test_the_summary_says_how_to_compute_it_again(outcome) -> None:
    content = json.loads(json.dumps(plain(outcome.summary), allow_nan=False))
    record = content["record"]
    assert (record["record"], record["pga"], record["interpolation"]) == ("elcentro", 0.31882, "linear")
    assert len(record["sha256"]) == 64 and content["duration_s"] == 31.18 and content["dt_s"] == DT
    assert content["seed"] == 1 and content["g_in_s2"] == G and content["lag_variance"] == 0.01
    structure = content["structure"]
    assert structure["mass_kip_s2_in"] == pytest.approx(MASS) and structure["damping_ratio"] == ZETA
    assert structure["record_scale"] == pytest.approx({"linear": 0.2, "elastic-plastic": 1.0})
    assert "least squares" in content["definitions"]["effective_delay_ms"]
    for name in NOISE:
        assert content["runs"][name]["blocks"]["noise_gain"]["K"] == content["runs"][name]["parameters"]["noise_gain.K"]
    for name, (model, mean) in LAG.items():
        blocks = content["runs"][name]["blocks"]
        assert (blocks["lag"]["mean"], blocks["lag"]["variance"], blocks["noise"]["seed"]) == (mean, 0.01, 1)
        assert (blocks["specimen"]["type"] == "ElasticPlastic") == (model == "elastic-plastic")
        assert np.ravel(blocks["integrator"]["damping"]) == pytest.approx([2.0 * ZETA * math.sqrt(K * MASS)])


def test_histories_are_complete(outcome, rows) -> None:
    table = outcome.data["histories"]
    assert len(table) == 3119 and table[-1]["t_s"] == pytest.approx(31.18)
    for name in rows:
        assert max(abs(row[f"{name}_disp_in"]) for row in table) == rows[name]["peak"]
    assert max(abs(row["exact_ep_in"]) for row in table) == rows["lag_2_ep"]["exact_peak"]


def test_the_jobs_and_a_second_run_change_nothing(outcome) -> None:
    shares: list[float] = []
    again = run(Settings(jobs=1), shares.append)
    assert again.summary["rows"] == outcome.summary["rows"]
    assert shares == sorted(shares) and shares[-1] == 1.0 and len(shares) == 7
    other = run(Settings(seed=2), lambda share: None)
    for mine, theirs in zip(outcome.summary["rows"], other.summary["rows"], strict=True):
        assert mine["peak"] != theirs["peak"] and mine["exact_peak"] == theirs["exact_peak"]


def test_the_tables_set_the_document_beside(outcome, rows) -> None:
    noise, lag, delay = outcome.tables
    for table in outcome.tables:
        assert all(len(row) == len(table.headings) for row in table.rows) and table.explanation
    assert [row[4] for row in noise.rows] == ["about 1", "about 10", "slightly under 10"]
    assert [row[4] for row in lag.rows] == ["2.0", "9.9", "2.0", "9.7"]
    assert [row[3] for row in noise.rows] == [f"{100 * rows[name]['pp_ratio']:.2f}" for name in NOISE]
    assert [row[2] for row in lag.rows] == [f"{rows[name]['effective_delay_ms']:.2f}" for name in LAG]
    assert "11.54" in delay.title and delay.rows[-1][0] == "30 degrees, unstable" and delay.rows[-1][-1] == "-"


def test_the_figures_are_labelled_complete_and_not_clipped(outcome) -> None:
    names = [f"fig_3_{number}" for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 11)]
    assert [picture.name for picture in outcome.pictures] == names
    for picture in outcome.pictures:
        assert picture.title and picture.explanation.endswith(".")
        figure = picture.draw()
        figure.canvas.draw()
        box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height, picture.name
        if picture.name in ("fig_3_1", "fig_3_5"):
            continue
        assert [area.get_title(loc="left") for area in figure.axes] == ["(a)", "(b)", "(c)"]
        for area in figure.axes:
            assert "[" in area.get_xlabel() and "[" in area.get_ylabel()


@pytest.mark.parametrize("name, figure", [("noise_7_8", "fig_3_3"), ("lag_10", "fig_3_7"), ("lag_10_ep", "fig_3_9")])
def test_a_figure_shows_the_run(outcome, rows, name, figure) -> None:
    picture = next(picture for picture in outcome.pictures if picture.name == figure)
    history, force, error = picture.draw().axes
    exact, disp = history.lines
    assert next(text.get_text() for text in history.get_legend().get_texts()) == "exact"
    assert np.abs(exact.get_ydata()).max() == rows[name]["exact_peak"]
    assert np.abs(disp.get_ydata()).max() == rows[name]["peak"]
    column = "error_kip" if name in NOISE else "error_in"
    expected = [row[f"{name}_{column}"] for row in outcome.data["histories"]]
    assert np.array_equal(error.lines[0].get_ydata(), expected)
    assert np.array_equal(force.lines[0].get_ydata(), [row[f"{name}_force_kip"] for row in outcome.data["histories"]])


def test_unstable_responses_are_marked_and_not_drawn(outcome) -> None:
    small, large, damping = outcome.pictures[-1].draw().axes
    assert len(small.lines) == 5
    labels = {line.get_label(): line for line in large.lines}
    for degrees in (0, 5, 10, 15, 20, 30):
        (label,) = [label for label in labels if f" {degrees}\N{DEGREE SIGN}" in label]
        drawn = len(labels[label].get_xdata())
        assert (drawn == 0) == label.endswith("unstable") == (degrees > 11.54)
    assert any(text.get_text() == "critical: 11.54\N{DEGREE SIGN}" for text in damping.texts)
    assert "11.54 degrees" in outcome.pictures[-1].explanation


@pytest.mark.filterwarnings("error")
def test_a_response_without_bounds_has_no_numbers_and_says_so() -> None:
    """A variance of 1e6 is a random force a thousand times that of a step."""
    wild = run(Settings(variance=1e6), lambda share: None)
    row = next(row for row in wild.summary["rows"] if row["name"] == "lag_10")
    assert row["exact_peak"] > 0.0
    assert [row[key] for key in ("peak", "effective_delay_ms", "max_error")] == [None, None, None]
    json.dumps(plain(wild.summary), allow_nan=False)
    assert any("lag of 10 ms: Stopped at tick" in note for note in wild.notes)
    assert any("these runs say nothing about a lag" in text for text in wild.conclusions)
    (picture,) = [picture for picture in wild.pictures if picture.name == "fig_3_7"]
    assert picture.explanation.startswith("The response is not bounded")
    figure = picture.draw()
    figure.canvas.draw()
    assert [text.get_text() for text in figure.axes[0].texts] == ["not bounded"]
    assert "-" in next(line for line in wild.tables[1].rows if "3-7" in line[0])


@pytest.mark.parametrize("variance", [-0.01, math.nan])
def test_a_variance_below_zero_is_refused(variance) -> None:
    with pytest.raises(ParameterError, match="'variance' of block 'lag' must be"):
        run(Settings(variance=variance), lambda share: None)
