"""The study of EERC Chapter 8: against a numpy simulation, the document, theory, and as plain data."""

from __future__ import annotations

import io
import json
import math

import lagging_frame
import numpy as np
import pytest
from agreement import agreed

from hybsim.blocks.sources.records import load_record
from hybsim.cli import main
from hybsim.diagrams import fig_3_5, table_8_10
from hybsim.diagrams.eerc_chapter8 import CASES, MODELS, watched
from hybsim.errors import ParameterError
from hybsim.runtime.program import compile
from hybsim.studies.eerc.chapter8 import run
from hybsim.studies.eerc.chapter8_runs import MEANS, critical_lag_ms, lagging_test, simulate
from hybsim.studies.outcome import Settings

NUMBERS = ("delay_ms", "hsei_s", "hsei_i", "eps_max", "eps_rms", "eps_enr")

TABLE_8_10 = {
    1: (1, 1.0, "elcentro", 0.2, 1.0), 2: (1, 1.0, "tabas", 0.13, 0.35), 3: (1, 0.33, "elcentro", 1.0, 5.0),
    4: (1, 0.33, "tabas", 0.5, 1.5), 5: (2, 1.0, "elcentro", 0.2, 1.0),
}  # fmt: skip
"""Storeys, first period, record and amplitudes, as corrected."""


@pytest.fixture(scope="module")
def outcome():
    return run(Settings(), lambda share: None)


@pytest.fixture(scope="module")
def rows(outcome):
    return outcome.summary["rows"]


def of(rows, case, model):
    return [row for row in rows if row["case"] == case and row["model"] == model]


def ground(case: int, model: str) -> np.ndarray:
    """The record at the ticks, by numpy's own interpolation."""
    record = load_record(TABLE_8_10[case][2])
    t = 0.01 * np.arange(round(record.duration / 0.01) + 1)
    scale = TABLE_8_10[case][3 if model == "linear" else 4]
    return scale * lagging_frame.G * np.interp(t, record.dt * np.arange(len(record.accel)), record.accel)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", [1, 5])
def test_rows_are_those_of_a_numpy_simulation(case, model):
    """Lags without variance: the exact run and all eleven lags, measures and indicators."""
    found = of(run(Settings(case=case, variance=0.0), lambda share: None).summary["rows"], case, model)
    storeys, period, *_ = TABLE_8_10[case]
    histories = lagging_frame.simulate(ground(case, model), period, storeys, model, np.array([0.0, *MEANS]))
    exact, roof = histories.roof[:, :1], histories.roof[:, 1:]
    peak = np.abs(exact).max()
    hsei_s, hsei_i = (values[-1, 1:] for values in histories.indicators())
    put_in = histories.energies()[1][-1]
    expected = {
        "hsei_s": hsei_s,
        "hsei_i": hsei_i,
        "eps_max": np.abs(roof - exact).max(axis=0) / peak,
        "eps_rms": np.sqrt(np.mean((roof - exact) ** 2, axis=0)) / peak,
        "eps_enr": np.abs(put_in[1:] - put_in[0]) / put_in[0],
        "peak_ratio": np.abs(roof).max(axis=0) / peak,
        "delay_ms": 10.0 * np.array(MEANS),
    }
    # A growing run multiplies rounding too: those that are stable are compared to 1e-9, the others to 1e-6.
    for row, *values in zip(found, *expected.values(), strict=True):
        for name, value in zip(expected, values, strict=True):
            assert row[name] == pytest.approx(value, rel=1e-9 if row["stable"] else 1e-6, abs=1e-9), (row["mean"], name)


def test_random_lags_are_those_of_the_noise_block():
    """Case 5 with variance: numpy is given the noise of the run and makes the same of it."""
    program = compile(table_8_10(5, model="elastoplastic", mean=0.4, variance=0.1, seed=7))
    result = program.run(31.18)
    noise = result["noise.value"]
    assert noise.shape == (3119, 2) and abs(np.corrcoef(noise.T)[0, 1]) < 0.06
    eta = math.sqrt(0.1) * noise
    histories = lagging_frame.simulate(ground(5, "elastoplastic"), 1.0, 2, "elastoplastic", np.array([0.4]), eta)
    np.testing.assert_allclose(result["integrator.disp_target"], histories.disp[:, 0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(result["energy.hsei_i"], histories.indicators()[1][:, 0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("case", [1, 2, 3, 4])
def test_cases_of_one_degree_of_freedom_are_figure_3_5(case):
    _, period, record, *amplitudes = TABLE_8_10[case]
    for model, specimen, amplitude in zip(MODELS, ("linear", "elastic-plastic"), amplitudes, strict=True):
        ours, theirs = (
            compile(bd).run(20.0)
            for bd in (
                table_8_10(case, model=model, mean=0.5, seed=4),
                fig_3_5(specimen=specimen, mean=0.5, variance=0.1, seed=4, period=period, record=record, amplitude=amplitude),
            )
        )  # fmt: skip
        for name in ("integrator.disp_target", "energy.hsei_i"):
            np.testing.assert_array_equal(ours[name], theirs[name])


def test_the_frame_has_the_periods_and_the_damping_of_the_document():
    case = CASES[5]
    squares, shapes = np.linalg.eig(np.linalg.inv(case.mass) @ case.stiffness)
    order = np.argsort(squares)
    omegas, shapes = np.sqrt(squares[order]), shapes[:, order]
    assert 2.0 * np.pi / omegas == pytest.approx([1.0, 0.38], abs=0.005)
    for omega, shape in zip(omegas, shapes.T, strict=True):
        assert shape @ case.damping @ shape / (2.0 * omega * (shape @ case.mass @ shape)) == pytest.approx(0.05)
    assert case.stiffness.tolist() == [[20.0, -10.0], [-10.0, 10.0]]


def test_all_engines_run_the_frame_with_its_monitor():
    for model in MODELS:
        result = agreed(compile(watched(table_8_10(5, model=model, mean=1.0), -0.02)), 5.0, ("c", "python", "bdsim"))
        assert result.final("monitor.tripped") == 1.0


def test_there_are_110_rows_of_plain_data(outcome, rows):
    assert len(rows) == 110
    assert [(r["case"], r["model"], r["mean"]) for r in rows] == [
        (case, model, mean) for case in (1, 2, 3, 4, 5) for model in MODELS for mean in [k / 10 for k in range(11)]
    ]
    for row in rows:
        assert {"case", "model", "mean", *NUMBERS, "stable", "critical_lag_ms"} <= set(row)
        assert isinstance(row["stable"], bool) and all(isinstance(row[name], float) for name in NUMBERS)
        assert (row["critical_lag_ms"] is None) == (row["model"] == "elastoplastic")
    assert json.loads(json.dumps(outcome.summary, allow_nan=False))["rows"] == rows
    about = outcome.summary
    assert about["seed"] == 1 and about["variance"] == 0.1 and about["dt_s"] == 0.01 and about["g_in_s2"] == 386.1
    for one in about["cases"]:
        record = one["manifest"]["blocks"]["record"]
        assert len(record["sha256"]) == 64 and record["interpolation"] == "linear" and record["pga"] > 0.0
        storeys, period, name, linear, plastic = TABLE_8_10[one["case"]]
        assert record["record"] == name and one["periods_s"][0] == pytest.approx(period)
        assert record["scale"] == pytest.approx(lagging_frame.G * (linear if one["model"] == "linear" else plastic))
        assert len(one["mass"]) == storeys


def test_every_run_is_repeated_with_other_seeds(outcome, rows):
    repeats = outcome.summary["repeats"]
    assert len(repeats) == 110 and all(row["runs"] == 20 for row in repeats)
    assert outcome.summary["seeds_of_repeats"] == list(range(1, 21))
    others = [of(run(Settings(case=1, seed=seed), lambda share: None).summary["rows"], 1, "linear") for seed in (1, 2)]
    assert others[0] == of(rows, 1, "linear") and others[1][5]["eps_max"] != others[0][5]["eps_max"]
    found = simulate(Settings(case=1), lambda share: None)[0]
    assert found.result.values["eps_max"][5, :2].tolist() == [other[5]["eps_max"] for other in others]
    row = of(repeats, 1, "linear")[5]
    assert row["eps_max_mean"] == pytest.approx(np.mean(found.result.values["eps_max"][5]))
    assert row["eps_max_std"] == pytest.approx(np.std(found.result.values["eps_max"][5], ddof=1))


def test_a_lag_adds_energy(outcome):
    """E_error < 0 from 1 ms on, whatever the seed; at 0 ms it may have either sign and is small."""
    for row in outcome.summary["repeats"]:
        for name in ("hsei_s", "hsei_i"):
            if row["mean"] > 0.0:
                assert row[f"{name}_mean"] < 0.0, row
        if row["mean"] == 0.0:
            assert abs(row["hsei_i_mean"]) < 0.03 + 0.02 * row["hsei_i_std"]


def test_critical_lags_are_those_of_theory():
    for number, shortest in ((1, 1.0), (2, 1.0), (3, 0.33), (4, 0.33), (5, 2.0 / (3.0 + math.sqrt(5.0)))):
        assert critical_lag_ms(CASES[number]) == pytest.approx(1000.0 * 0.05 * shortest / math.pi, rel=1e-9)


@pytest.mark.parametrize(("case", "unstable_from"), [(1, None), (2, None), (3, 0.6), (4, 0.6), (5, 0.7)])
def test_linear_runs_are_unstable_above_about_5_ms(rows, case, unstable_from):
    """EERC: the linear simulations of Cases 3 to 5 became unstable above 5 ms (critical: 5.25, 5.25 and 6.08 ms)."""
    linear = of(rows, case, "linear")
    assert [row["stable"] for row in linear] == [unstable_from is None or row["mean"] < unstable_from for row in linear]
    if unstable_from is not None:
        last = linear[-1]
        assert last["peak_ratio"] > 1e4 and last["hsei_i"] < -1e4
        assert 5.0 < linear[0]["critical_lag_ms"] < 6.1
    assert all(row["stable"] for row in of(rows, case, "elastoplastic"))


@pytest.mark.parametrize("number", [1, 3, 5])
def test_free_vibration_grows_just_above_the_critical_lag_and_dies_just_below(number):
    """The diagram itself, without ground motion: the rate of growth is the spectral radius."""
    case = CASES[number]
    program = compile(table_8_10(number, model="linear", variance=0.0))
    critical = critical_lag_ms(case) / 10.0
    test = lagging_test(case)
    for factor in (0.9, 1.1):
        params = {
            "record.scale": 0.0, "lag.mean": factor * critical, "integrator.initial_vel": 1.0 if number < 5 else [1.0, -1.0],
        }  # fmt: skip
        result = program.run(90.0, params=params)
        disp = result["integrator.disp_target"].reshape(len(result.t), -1)[:, 0]
        early, late = (np.abs(disp[k : k + 500]).max() for k in (3000, 8000))
        assert (late > early) == (factor > 1.0)
        assert (late / early) ** (1.0 / 5000.0) == pytest.approx(test.radius(factor * critical), abs=2e-6)


def test_numbers_of_the_document(outcome, rows):
    """Peaks under u_y and ductilities of about four; ranges of HSEI_I and delays of Case 1; eps_enr of Case 5."""
    for one in outcome.summary["cases"]:
        if one["model"] == "linear":
            assert 0.8 < one["exact_peak_in"] < (1.0 if one["case"] < 5 else 1.1)  # the roof of two storeys
        else:
            assert one["exact_peak_in"] == pytest.approx(4.0, abs=0.45)
    assert of(rows, 1, "linear")[-1]["hsei_i"] == pytest.approx(-0.9, abs=0.05)
    assert of(rows, 1, "elastoplastic")[-1]["hsei_i"] == pytest.approx(-0.3, abs=0.03)
    printed = {
        "linear": [0.0, 1.0, 2.0, 2.9, 3.9, 4.9, 5.9, 6.9, 7.9, 8.9, 9.9],
        "elastoplastic": [0.0, 1.0, 2.0, 2.9, 3.9, 4.9, 5.8, 6.8, 7.8, 8.7, 9.7],
    }
    for model in MODELS:
        assert [row["delay_ms"] for row in of(rows, 1, model)] == pytest.approx(printed[model], abs=0.2)
    for row in rows:
        if row["stable"]:
            assert row["delay_ms"] == pytest.approx(10.0 * row["mean"], abs=0.35)
    assert all(0.03 < row["eps_enr"] < 0.13 for row in of(rows, 5, "elastoplastic")[4:])
    # The errors of Case 1 are larger in the linear simulations for the same lag (Fig. 8-5a), from 2 ms on.
    for linear, plastic in zip(of(rows, 1, "linear")[2:], of(rows, 1, "elastoplastic")[2:], strict=True):
        assert all(linear[name] > plastic[name] for name in ("eps_max", "eps_rms", "eps_enr"))


def test_a_case_may_be_chosen():
    outcome = run(Settings(case=3), lambda share: None)
    assert len(outcome.summary["rows"]) == 22 and {row["case"] for row in outcome.summary["rows"]} == {3}
    assert [p.name for p in outcome.pictures] == [
        "case_3_histories_2_ms", "case_3_histories_10_ms", "case_3_lags", "fig_8_8",
    ]  # fmt: skip


def test_an_unknown_case_lists_the_cases():
    with pytest.raises(ParameterError, match="There is no case 7 in Table 8-10; the cases are 1, 2, 3, 4, 5"):
        run(Settings(case=7), lambda share: None)
    with pytest.raises(ParameterError, match="Table 8-10 has the cases 1, 2, 3, 4, 5, got 9"):
        table_8_10(9)
    with pytest.raises(ParameterError, match="'linear', 'elastoplastic', got 'plastic'"):
        table_8_10(1, model="plastic")


def test_all_pictures_can_be_drawn(outcome):
    assert [p.name for p in outcome.pictures] == [f"fig_8_{k}" for k in range(3, 12)]
    for picture in outcome.pictures:
        assert picture.title and picture.explanation
        if picture.name in ("fig_8_3", "fig_8_5", "fig_8_8", "fig_8_11"):
            figure = picture.draw()
            for area in figure.axes:
                assert area.get_xlabel() or area.get_shared_x_axes().get_siblings(area) != [area]
            figure.savefig(file := io.BytesIO(), dpi=50)
            assert file.getvalue().startswith(b"\x89PNG")
    words = " ".join(t.get_text() for area in picture_areas(outcome, "fig_8_8") for t in area.texts)
    assert "linear at 6, 7, 8, 9, 10 ms: unstable" in words


def picture_areas(outcome, name):
    return next(p for p in outcome.pictures if p.name == name).draw().axes


def test_runs_that_leave_the_range_of_numbers_have_no_values():
    """A variance at which linear runs overflow: they stop early, their values are null, and all is written."""
    outcome = run(Settings(case=3, variance=1e6), lambda share: None)
    linear = of(outcome.summary["rows"], 3, "linear")
    stopped = [row for row in linear if not row["finished"]]
    assert stopped
    for row in stopped:
        assert all(row[name] is None for name in NUMBERS) and row["peak_ratio"] is None
    json.dumps(outcome.summary, allow_nan=False)
    assert any("left the range of numbers" in note for note in outcome.notes)
    for picture in outcome.pictures:
        picture.draw()


def test_without_variance_there_are_no_repeats():
    outcome = run(Settings(case=1, variance=0.0), lambda share: None)
    assert all(row["runs"] == 1 and row["eps_max_std"] is None for row in outcome.summary["repeats"])
    assert of(outcome.summary["rows"], 1, "linear")[0]["eps_max"] == 0.0


def test_progress_goes_to_one():
    shares: list[float] = []
    run(Settings(case=1, variance=0.0), shares.append)
    assert shares == sorted(shares) and shares[-1] == 1.0


def test_the_command_gives_json(capfd):
    assert main(["study", "ch8", "--case", "2", "--json", "-"]) == 0
    content = json.loads(capfd.readouterr().out)
    assert len(content["rows"]) == 22 and content["rows"][0]["critical_lag_ms"] == pytest.approx(15.9155, abs=1e-3)
