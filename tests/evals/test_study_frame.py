"""The study of the two-storey frame: what it says beside Tables 7-1 and 7-3 of the document."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import hybsim as hs
from hybsim.blocks.sources.records import Record
from hybsim.diagrams import fig_6_1
from hybsim.studies.eerc import frame
from hybsim.studies.eerc.frame_laboratory import TESTS, residual_lag
from hybsim.studies.eerc.frame_runs import IDEAL, LATE, PREDICTED, simulate
from hybsim.studies.outcome import Settings

TABLE_7_3 = {
    "pulse": (-0.0381, 0.442, 2.38, 2.82),
    "tabas_50": (-0.0760, 0.542, 5.15, 5.70),
    "tabas_150": (-0.3999, 38.06, 32.69, 70.77),
}
"""Energy error, hysteretic, viscous, input in kip in; the signs as corrected."""


@pytest.fixture(scope="module")
def told():
    return []


@pytest.fixture(scope="module")
def outcome(told):
    return frame.run(Settings(seed=1), told.append)


@pytest.fixture(scope="module")
def rows(outcome):
    return {(r["test"], r["variant"], r["specimen"], r["input_factor"]): r for r in outcome.data["rows"]}


def of(rows, test, variant, specimen="bouc-wen", factor=1.0):
    return rows[test, variant, specimen, factor]


def test_progress_runs_from_nothing_to_all(outcome, told):
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_the_numbers_of_the_tests_are_those_of_the_document(outcome):
    for row in outcome.data["tests"]:
        printed = TABLE_7_3[row["test"]]
        assert (row["e_error"], row["e_hysteretic"], row["e_viscous"], row["e_input"]) == printed
    # Eq. 7.6 closes with E^E, so "hysteretic dissipation" is E^E; ERRATA: the pulse's error is 1.35 % of its input.
    for error, hysteretic, viscous, total in TABLE_7_3.values():
        assert hysteretic + viscous == pytest.approx(total, abs=0.025)
        assert error < 0.0
    shown = {table.title: table.rows[0] for table in outcome.tables[:3]}
    assert shown["Cosine Pulse: energies at the end"][1:3] == ("-0.0381", "-1.35")


def test_peaks_of_the_tests_are_the_quotients_of_table_7_1():
    pulse, half, full = (test.measured for test in TESTS)
    assert pulse.peak(0)[0] == pytest.approx(3.0 * 0.0006 / 0.0035)
    assert half.peak(1)[0] == pytest.approx(3.0 * 0.0007 / 0.0093)
    at, low, high = full.peak(0)
    assert low < at < high
    assert (low, high) == (pytest.approx(3.0 * 0.00165 / 0.00265), pytest.approx(3.0 * 0.00175 / 0.00255))


def test_the_residual_lag_follows_from_the_elastic_tests():
    """Two equal storeys: omega_1 = sqrt(k/m) (sqrt 5 - 1) / 2; a step of 0.01 s took 1.2 s."""
    omega = math.sqrt(2.8 * 386.1 / 4.0) * (math.sqrt(5.0) - 1.0) / 2.0
    expected = np.mean([0.0381 / 2.38, 0.0760 / 5.15]) * 0.1 / omega * 120.0
    assert residual_lag() == pytest.approx(expected, rel=1e-12)
    assert residual_lag() == pytest.approx(0.018, abs=0.001)


@pytest.mark.parametrize("test", TABLE_7_3)
def test_energy_errors_have_the_sign_and_size_of_the_lag(rows, test):
    error, _, _, _ = TABLE_7_3[test]
    assert of(rows, test, "ideal")["e_error"] == 0.0
    assert of(rows, test, "lag")["e_error"] < 3.5 * error, "without prediction several times the test's"
    assert 0.0 < of(rows, test, "predicted")["e_error"] < -0.5 * error, "k_comp is slightly more than the measured lag"
    assert of(rows, test, "late")["e_error"] == pytest.approx(error, rel=0.2)


@pytest.mark.parametrize("test", TABLE_7_3)
def test_delays_are_those_that_were_put_in(rows, test):
    for variant, delays in (("lag", (90.0, 78.0)), ("predicted", (-5.0, -7.0))):
        row = of(rows, test, variant)
        assert (row["delay_1_ms"], row["delay_2_ms"]) == pytest.approx(delays, abs=0.15)
    assert of(rows, test, "late")["lag_by_energy_ms"] == pytest.approx(1000.0 * residual_lag(), rel=0.15)


def test_displacement_errors_of_the_elastic_tests_are_those_of_table_7_1(rows):
    for test, printed in (("pulse", (0.0006, 0.0007)), ("tabas_50", (0.0006, 0.0007))):
        row = of(rows, test, "late")
        found = row["disp_error_1_over_stroke"], row["disp_error_2_over_stroke"]
        np.testing.assert_allclose(found, printed, atol=0.0002)


def test_a_whole_cycle_of_a_cosine_is_the_pulse_of_the_document(rows):
    row, measured = of(rows, "pulse", "ideal", "linear"), TESTS[0].measured
    assert row["e_input"] == pytest.approx(2.82, rel=0.05)
    for actuator in (0, 1):
        _, low, high = measured.peak(actuator)
        assert low < row[f"peak_disp_{actuator + 1}"] < high
    t = 0.01 * np.arange(61)
    push = Record("push", 0.075 * (1.0 - np.cos(2.0 * math.pi * t / 0.6)), 0.01)
    bd = fig_6_1(specimen="linear", stiffness=(2.81, 2.82), record=push, pga=None, record_time_scale=1.0,
                 lag=(0.0, 0.0), lead=(0.0, 0.0), ticks_per_step=4)  # fmt: skip
    assert hs.compile(bd).run(10.0)["balance.e_input"][-1] == pytest.approx(0.75, abs=0.005)


def test_an_input_a_tenth_stronger_agrees_with_both_tabas_tests(rows):
    for key, test in (
        (("tabas_50", "ideal", "linear", 1.1), TESTS[1]),
        (("tabas_150", "ideal", "bouc-wen", 1.1), TESTS[2]),
    ):
        row = rows[key]
        assert row["e_input"] == pytest.approx(test.measured.work_input, rel=0.02)
        _, low, high = test.measured.peak(0)
        assert low < row["peak_disp_1"] < high
    as_printed = of(rows, "tabas_150", "ideal")
    assert as_printed["e_input"] < 0.85 * 70.77, "what the study says does not agree"


def test_energies_close_and_both_forms_of_the_error_agree(rows):
    for row in rows.values():
        parts = row["e_hysteretic"] + row["e_viscous"] + row["e_kinetic"]
        assert parts == pytest.approx(row["e_input"], abs=row["balance_residual"] + 1e-12)
        assert row["balance_residual"] < 0.002 * row["e_input"]
        assert row["e_error_tangent"] == pytest.approx(row["e_error"], rel=0.01, abs=1e-12)
    late = of(rows, "tabas_150", "late")
    assert abs(late["e_error_initial"]) > 1.05 * abs(late["e_error"]), "the column yields"


def test_the_row_of_lags_follows_theory_where_the_frame_is_elastic(outcome):
    lags = outcome.data["residual_lag"]
    assert len(lags) == 7
    for row in lags:
        for test, below in (("pulse", 0.06), ("tabas_50", 0.04)):
            # The Bouc-Wen column is softer than the stiffness behind the damping, a little at any amplitude.
            assert row[test] == pytest.approx(row["theory"], rel=below, abs=1e-5)
        assert abs(row["tabas_150"]) <= abs(row["theory"]) + 1e-5


def test_seed_and_jobs_change_the_noise_and_nothing():
    quiet = simulate(Settings(seed=1, jobs=1), lambda share: None)
    other = simulate(Settings(seed=2, jobs=2), lambda share: None)
    for one, two in zip(quiet.runs, other.runs, strict=True):
        assert one.target.tobytes() == two.target.tobytes()
        assert (one.measured.tobytes() == two.measured.tobytes()) is (one.variant.noise == 0.0)
    full = TESTS[2]
    assert quiet.of(full, PREDICTED).error == other.of(full, PREDICTED).error
    assert quiet.of(full, LATE).error == pytest.approx(other.of(full, LATE).error, rel=0.1)
    assert quiet.of(full, IDEAL).error == 0.0


def test_the_outcome_is_complete(outcome):
    text = json.dumps(outcome.summary, allow_nan=False)
    for name in (
        "rows",
        "records",
        "g_in_s2",
        "dt_s",
        "seed",
        "structure",
        "specimens",
        "delay_estimators",
        "manifests",
    ):
        assert name in outcome.summary, name
    assert outcome.summary["records"]["tabas_50"]["sha256"] in text
    np.testing.assert_allclose(outcome.summary["structure"]["periods_s"], [0.62, 0.24], atol=0.005)
    assert [len(table.rows) for table in outcome.tables] == [6, 7, 6, 12, 13]
    for table in outcome.tables:
        assert {len(row) for row in table.rows} == {len(table.headings)}
    for name, listed in outcome.data.items():
        assert len({tuple(row) for row in listed}) == 1, name
    assert len(outcome.data["tabas_150_histories"]) == 3001
    assert len(outcome.conclusions) >= 5
    assert len(outcome.notes) >= 5


def test_every_figure_has_its_axes_named_with_units(outcome):
    assert len({picture.name for picture in outcome.pictures}) == 7
    for picture in outcome.pictures:
        areas = picture.draw().get_axes()
        assert areas, picture.name
        assert all("[" in label for area in areas for label in (area.get_xlabel(), area.get_ylabel()) if label)
        assert any(area.get_xlabel() for area in areas), picture.name
        assert any(area.get_ylabel() for area in areas), picture.name
