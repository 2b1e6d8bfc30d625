"""The threshold of HSEI_I: against a numpy simulation, the document, by hand, and the monitor's trips."""

from __future__ import annotations

import io
import json
import math

import lagging_frame
import numpy as np
import pytest

from hybsim.blocks.sources.records import load_record
from hybsim.cli import main
from hybsim.diagrams.eerc_chapter8 import CASES, table_8_10, watched
from hybsim.errors import ParameterError
from hybsim.runtime.program import compile
from hybsim.studies.eerc.threshold import run
from hybsim.studies.eerc.threshold_runs import EERC, LAGS, Derived, Monitored, derive, monitor, trips
from hybsim.studies.outcome import Settings
from hybsim.studies.study import StudyResult


@pytest.fixture(scope="module")
def outcome():
    return run(Settings(), lambda share: None)


@pytest.fixture(scope="module")
def exact_lags():
    """Case 5 without variance, so that numpy can make the same runs."""
    return derive(Settings(variance=0.0), lambda share: None)


@pytest.fixture(scope="module")
def numpy_runs():
    record = load_record("elcentro")
    t = 0.01 * np.arange(round(record.duration / 0.01) + 1)
    accel = 386.1 * np.interp(t, record.dt * np.arange(len(record.accel)), record.accel)
    scales = {"linear": 0.2, "elastoplastic": 1.0}
    return {
        model: lagging_frame.simulate(scale * accel, 1.0, 2, model, np.array([0.0, *LAGS]))
        for model, scale in scales.items()
    }


def errors(histories: lagging_frame.Histories) -> np.ndarray:
    """(ticks, lags): the error of the roof over the exact peak."""
    exact = histories.roof[:, :1]
    return np.abs(histories.roof[:, 1:] - exact) / np.abs(exact).max()


@pytest.mark.parametrize("number", [0, 1])
def test_the_threshold_is_that_of_a_numpy_simulation(exact_lags, numpy_runs, number):
    derived = exact_lags[number]
    histories = numpy_runs[derived.model]
    worst, hsei = errors(histories).max(axis=0), histories.indicators()[1][-1, 1:]
    i = int(np.argmax(worst > 0.1))
    share = (0.1 - worst[i - 1]) / (worst[i] - worst[i - 1])
    assert derived.threshold == pytest.approx(hsei[i - 1] + share * (hsei[i] - hsei[i - 1]), rel=1e-8)
    assert derived.lag_ms == pytest.approx(10.0 * (LAGS[i - 1] + share * 0.02), rel=1e-8)
    assert derived.deviation is None and derived.row()["seeds"] == 1


@pytest.mark.parametrize("number", [0, 1])
def test_alarms_are_those_of_the_numpy_histories(exact_lags, numpy_runs, number):
    """Trips of the block, times of the error, and all shares, counted from histories that know no monitor."""
    derived = exact_lags[number]
    histories, level = numpy_runs[derived.model], -0.06
    error, hsei = errors(histories), histories.indicators()[1][:, 1:]
    t = 0.01 * np.arange(len(error))
    trip, late = (
        np.where(beyond.any(axis=0), t[beyond.argmax(axis=0)], math.inf) for beyond in (hsei < level, error > 0.1)
    )
    found = monitor(derived, "own", level, None)
    np.testing.assert_allclose(found.trip_time[:, 0], trip, rtol=0, atol=1e-12)
    passed = np.isfinite(late)
    assert 20 < passed.sum() < 45
    row = found.row()
    assert row["runs"] == 51 and row["runs_over_tolerance"] == passed.sum()
    assert row["in_time"] == pytest.approx(np.mean(trip[passed] <= late[passed]))
    assert row["missed"] == pytest.approx(np.mean(np.isinf(trip[passed])))
    assert row["in_time"] + row["late"] + row["missed"] == pytest.approx(1.0)
    assert row["false_alarms"] == pytest.approx(np.mean(np.isfinite(trip[~passed])))
    both = passed & np.isfinite(trip)
    assert row["median_lead_s"] == pytest.approx(np.median(late[both] - trip[both]), abs=1e-9)
    at_trip = [error[: round(100 * trip[i]) + 1, i].max() for i in np.flatnonzero(both)]
    assert row["median_error_at_trip"] == pytest.approx(np.median(at_trip), rel=1e-8)


@pytest.mark.parametrize("number", [0, 1])
def test_the_warning_level_is_the_lowest_that_warns_in_time(exact_lags, numpy_runs, number):
    derived = exact_lags[number]
    histories = numpy_runs[derived.model]
    error, hsei = errors(histories), histories.indicators()[1][:, 1:]
    passed = np.flatnonzero(error.max(axis=0) > 0.1)
    reached = [hsei[: int(np.argmax(error[:, i] > 0.1)) + 1, i].min() for i in passed]

    def in_time(level: float) -> float:
        return float(np.mean(np.array(reached) < level))

    assert in_time(derived.warning + 1e-9) >= 0.95 > in_time(derived.warning - 1e-6)
    assert monitor(derived, "warning", derived.warning, None).row()["in_time"] >= 0.95


def test_case_5_has_the_threshold_of_the_document(outcome):
    """EERC Sec. 8.4.2: -0.1 for both models, read from a figure with lags of whole milliseconds."""
    for row in outcome.summary["rows"]:
        assert row["tolerance"] == 0.1 and row["seeds_with_threshold"] == row["seeds"] == 20
        assert row["threshold"] == pytest.approx(-0.1, abs=0.03)
        assert row["threshold_min"] < row["threshold"] < row["threshold_max"] and 0.0 < row["threshold_std"] < 0.03
        assert 2.0 < row["lag_ms"] < 4.0


def test_as_an_alarm_the_threshold_of_the_linear_test_comes_late(outcome):
    levels = {(row["model"], row["kind"]): row for row in outcome.summary["levels"]}
    assert set(levels) == {(m, k) for m in ("linear", "elastoplastic") for k in ("threshold", "warning", "EERC")}
    late = levels["linear", "EERC"]
    assert late["level"] == EERC == -0.1 and late["in_time"] < 0.05 and late["median_lead_s"] < -0.3
    for model in ("linear", "elastoplastic"):
        warning = levels[model, "warning"]
        assert warning["in_time"] >= 0.95 and warning["median_lead_s"] > 0.0 and warning["missed"] == 0.0
        assert levels[model, "threshold"]["level"] < warning["level"] < 0.0
        assert warning["false_alarms"] > levels[model, "threshold"]["false_alarms"]
    assert any("two levels" in sentence for sentence in outcome.conclusions)


def test_the_monitor_latches_in_the_run_that_is_shown(outcome):
    derived = derive(Settings(), lambda share: None)
    for one in derived:
        for trip in trips(one):
            hsei, t = trip.result["energy.hsei_i"], trip.result.t
            first = int(np.argmax(hsei < trip.level))
            assert trip.trip_time == pytest.approx(t[first], abs=1e-12)
            expected = (np.arange(len(t)) >= first).astype(float)
            np.testing.assert_array_equal(trip.result["monitor.tripped"], expected)
            assert trip.error_at_trip == pytest.approx(trip.error[: first + 1].max())
    shown = outcome.summary["trips"]
    assert len(shown) == 6 and all(row["lead_s"] == row["error_time_s"] - row["trip_time_s"] for row in shown)


def fake(eps: list[list[float]], hsei: list[list[float]], tolerance: float) -> Derived:
    """Runs of LAGS x seeds with the last given value at all further lags."""
    fill = [np.vstack([rows, np.tile(rows[-1], (len(LAGS) - len(rows), 1))]) for rows in map(np.array, (eps, hsei))]
    values = dict(zip(("eps_max", "hsei_i"), fill, strict=True)) | {"heard": fill[1], "worst": fill[1]}
    points = [{"lag.mean": lag} for lag in LAGS]
    seeds = {"noise.seed": list(range(fill[0].shape[1]))}
    result = StudyResult(points, seeds, (len(LAGS),), values, np.full(fill[0].shape, 10), 10)
    return Derived(CASES[1], "linear", tolerance, compile(watched(table_8_10(1), -0.1)), 1.0, result)


def test_the_threshold_by_hand():
    """Seed 0 passes 0.1 half-way between the first two lags, seed 1 three quarters between the next two."""
    derived = fake([[0.05, 0.01], [0.15, 0.07], [0.2, 0.11]], [[-0.02, 0.0], [-0.06, -0.1], [-0.1, -0.14]], 0.1)
    assert derived.crossings == pytest.approx(np.array([[0.01, -0.04], [0.035, -0.13]]))
    assert derived.threshold == pytest.approx(-0.085) and derived.lag_ms == pytest.approx(0.225)
    assert derived.deviation == pytest.approx(0.09 / math.sqrt(2.0))


def test_an_error_that_is_too_large_without_lag_has_no_threshold():
    derived = fake([[0.3], [0.4]], [[0.0], [-0.1]], 0.1)
    assert derived.threshold is None and derived.known.size == 0


def test_an_error_that_stays_small_has_no_threshold():
    derived = fake([[0.01], [0.02]], [[0.0], [-0.1]], 0.1)
    assert derived.threshold is None and derived.warning is None and derived.levels == {"EERC": -0.1}
    outcome = run(Settings(case=1, tolerance=0.9, variance=0.0), lambda share: None)
    assert "There is no threshold for a tolerance of 90 %" in outcome.conclusions[0]
    assert [row["threshold"] for row in outcome.summary["rows"]] == [None, None]
    for picture in outcome.pictures:
        picture.draw()


def test_shares_without_runs_are_unknown():
    derived = fake([[0.01], [0.02]], [[0.0], [-0.1]], 0.1)
    shape = (len(LAGS), 1)
    values = {"trip_time": np.full(shape, -1.0), "error_time": np.full(shape, math.inf), "unwarned": np.zeros(shape)}
    result = StudyResult(derived.result.points, {}, shape, values, np.full(shape, 10), 10)
    row = Monitored(derived, "EERC", -0.1, result).row()
    assert row["in_time"] is None and row["median_lead_s"] is None and row["false_alarms"] == 0.0


@pytest.mark.parametrize("tolerance", [0.0, -0.1, math.nan, math.inf])
def test_a_tolerance_must_be_above_zero(tolerance):
    with pytest.raises(ParameterError, match="The tolerance on eps_max must be a number above 0, such as 0.1, got"):
        run(Settings(tolerance=tolerance), lambda share: None)


def test_the_summary_is_plain_and_tells_how_it_was_made(outcome):
    about = json.loads(json.dumps(outcome.summary, allow_nan=False))
    assert about["case"] == 5 and about["tolerance"] == 0.1 and about["variance"] == 0.1 and len(about["means"]) == 51
    assert about["structure"]["periods_s"] == pytest.approx([1.0, 0.38], abs=0.005)
    for model in ("linear", "elastoplastic"):
        assert about["manifests"][model]["blocks"]["record"]["record"] == "elcentro"
    assert len(outcome.data["runs"]) == 2 * 51 * 20


def test_pictures_can_be_drawn(outcome):
    assert [p.name for p in outcome.pictures] == ["threshold", "monitor", "levels"]
    for picture in outcome.pictures:
        picture.draw().savefig(file := io.BytesIO(), dpi=50)
        assert file.getvalue().startswith(b"\x89PNG") and picture.explanation


def test_progress_goes_to_one():
    shares: list[float] = []
    run(Settings(case=1, variance=0.0), shares.append)
    assert shares == sorted(shares) and shares[-1] == 1.0


def test_the_command_gives_json(capfd):
    assert main(["study", "threshold", "--case", "1", "--tolerance", "0.05", "--variance", "0", "--json", "-"]) == 0
    content = json.loads(capfd.readouterr().out)
    assert content["tolerance"] == 0.05 and [row["case"] for row in content["rows"]] == [1, 1]
