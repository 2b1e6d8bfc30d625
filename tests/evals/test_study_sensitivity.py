"""hybsim study sensitivity against theory, synthetic data and a second computation in numpy."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from whole_figures import assert_labelled_and_whole

from hybsim.blocks.sources.records import load_record
from hybsim.diagrams.error_injection import error_injection
from hybsim.errors import ParameterError
from hybsim.runtime.export import plain
from hybsim.runtime.program import compile
from hybsim.studies.outcome import Settings
from hybsim.studies.uncertainty import alarms
from hybsim.studies.uncertainty.sensitivity import (
    DAMPING_RATIOS,
    PERIODS,
    RECORDS,
    Curve,
    Sensitivity,
    Structure,
    at_crossing,
    first_crossing,
    lags_of,
    mapped,
    swept,
)
from hybsim.studies.uncertainty.sensitivity_outcome import outcome

ALL = len(PERIODS) * len(DAMPING_RATIOS) * len(RECORDS) * 2


@pytest.fixture(scope="module")
def programs():
    return {name: compile(error_injection(specimen=name, record="tabas")) for name in ("linear", "elastic-plastic")}


@pytest.fixture(scope="module")
def found() -> Sensitivity:
    return mapped(Settings(runs=15 * ALL))


# ---- thresholds on synthetic data


def curve(eps, hsei=None, lags=None, **more) -> Curve:
    eps = np.asarray(eps, dtype=float)
    lags = np.linspace(0.0, 10.0, eps.size) if lags is None else np.asarray(lags)
    hsei = -2.0 * eps if hsei is None else np.asarray(hsei)
    given = dict(heard=hsei, unwarned=eps) | more
    return Curve(Structure("linear", "elcentro", 1.0, 0.05), lags, eps, hsei, 10.0 * hsei, **given)


def test_the_threshold_of_straight_lines_is_exact() -> None:
    """eps = 0.03 per ms and HSEI = -0.04 per ms: 10 % at 10/3 ms, HSEI there -0.4/3."""
    lags = 20.0 * np.linspace(0.0, 1.0, 31) ** 2
    threshold = curve(0.03 * lags, -0.04 * lags, lags).threshold
    assert threshold.lag_ms == pytest.approx(10.0 / 3.0, rel=1e-12)
    assert threshold.hsei_i == pytest.approx(-0.4 / 3.0, rel=1e-12)
    assert threshold.hsei_s == pytest.approx(-4.0 / 3.0, rel=1e-12)


def test_the_first_of_several_crossings_counts() -> None:
    assert curve([0.0, 0.05, 0.15, 0.08, 0.3]).threshold.lag_ms == pytest.approx(2.5 + 1.25)


@pytest.mark.parametrize(
    "values, place",
    [
        ([0.0, 0.02, 0.09], None),
        ([0.0, 0.05, 0.10], (1, 1.0)),
        ([0.0, 0.05, math.nan], (1, 0.0)),
        ([0.0, 0.05, math.inf], (1, 0.0)),
        ([0.2, 0.3], (0, 0.0)),
        ([0.0, 0.08, 0.12, 0.0], (1, 0.5)),
    ],
)
def test_first_crossing(values, place) -> None:
    found = first_crossing(np.array(values), 0.10)
    assert (found is None) == (place is None)
    if place is not None:
        assert found == pytest.approx(place)


def test_values_at_a_crossing() -> None:
    values = np.array([0.0, 1.0, 4.0])
    assert at_crossing(values, (1, 0.5)) == 2.5 and at_crossing(values, (1, 0.0)) == 1.0
    assert at_crossing(np.array([0.0, 1.0, math.nan]), (1, 0.0)) == 1.0, "an overflow beyond the place does not matter"


def test_a_curve_below_the_tolerance_has_no_threshold() -> None:
    assert curve([0.0, 0.05, 0.09]).threshold is None
    assert curve([0.0, 0.05, 0.09]).level_in_time is None


def test_alarms_are_judged_up_to_10_ms_and_by_the_worst_lag() -> None:
    lags = [0.0, 2.0, 5.0, 10.0, 20.0]
    one = curve(
        [0.0, 0.05, 0.2, 0.3, 9.0], lags=lags, heard=np.array([0.0, -0.01, -0.06, -0.04, -0.001]),
        unwarned=np.array([0.0, 0.05, 0.12, 0.14, 5.0]),
    )  # fmt: skip
    assert one.level_in_time == -0.04 and one.most_unwarned == 0.14
    assert one.went_wrong.tolist() == [False, False, True, True, False]
    assert one.went_well.tolist() == [False, True, False, False, False]


# ---- what an alarm hears


def histories(error, indicator):
    """A reference of 2 at most, and runs that differ from it by `error` x 2."""
    exact = np.array([[0.0, 2.0, -1.0, 0.5]])
    runs = {"u": exact + 2.0 * np.array([error]), "h": np.array([indicator])}
    return runs, {"u": exact, "h": np.zeros((1, 4))}


@pytest.mark.parametrize(
    "error, indicator, expected",
    [
        # worst, heard (error passes 0.1 at a tick), unwarned (indicator passes -0.1 at a tick)
        ([0.0, 0.05, 0.2, 0.3], [0.0, -0.15, -0.05, -0.4], (-0.4, -0.15, 0.05)),
        ([0.0, 0.15, 0.2, 0.3], [0.0, -0.02, -0.05, -0.4], (-0.4, -0.02, 0.3)),
        ([0.0, -0.15, 0.0, 0.0], [0.0, -0.02, -0.2, 0.0], (-0.2, -0.02, 0.15)),
        ([0.0, 0.01, 0.02, 0.03], [0.0, -0.02, -0.05, 0.01], (-0.05, -0.05, 0.03)),
        ([0.0, 0.01, 0.5, 0.03], [0.0, 0.02, 0.05, 0.01], (0.0, 0.0, 0.5)),
    ],
)
def test_alarms(error, indicator, expected) -> None:
    runs, reference = histories(error, indicator)
    got = [
        m(runs, reference)[0] for m in (alarms.worst("h"), alarms.heard("u", "h", 0.1), alarms.unwarned("u", "h", -0.1))
    ]
    assert got == pytest.approx(expected)


# ---- structures


def test_lags_are_closer_where_they_are_small() -> None:
    lags = lags_of(None)
    assert len(lags) == 61 and lags[0] == 0.0 and lags[-1] == 20.0 and np.all(np.diff(lags, 2) > 0.0)
    assert len(lags_of(20 * ALL)) == 20
    with pytest.raises(ParameterError, match=f"at least {15 * ALL} runs, got 10"):
        lags_of(10)


@pytest.mark.parametrize("period, zeta", [(0.2, 0.02), (1.0, 0.05), (2.0, 0.1)])
def test_the_critical_lag_is_zeta_t_over_pi(period, zeta) -> None:
    critical = Structure("linear", "elcentro", period, zeta).critical_lag_ms
    assert critical == pytest.approx(1000.0 * zeta * period / math.pi, rel=1e-6)


def test_amplitudes_give_the_peaks_that_eerc_chose(programs, found) -> None:
    structures = [c.structure for c in found.curves]
    assert len(structures) == ALL
    wanted = (("linear", "tabas", 0.95, 1e-12), ("elastic-plastic", "elcentro", 4.0, 0.01))
    for specimen, record, level, tolerance in wanted:
        some = [s for s in structures if (s.specimen, s.record) == (specimen, record)]
        batch = programs[specimen].sweep([s.parameters for s in some], duration=load_record(record).duration, keep=[])
        assert batch.peak("integrator.disp_target") == pytest.approx(level, abs=tolerance)
    near_1_s = [s for s in structures if abs(s.period - 1.0) < 0.01 and s.damping_ratio == 0.05]
    scales = {(s.specimen, s.record): s.amplitude for s in near_1_s}
    assert scales["linear", "elcentro"] == pytest.approx(0.2, abs=0.02), "EERC Table 8-10, Case 1"
    assert scales["linear", "tabas"] == pytest.approx(0.13, abs=0.01), "Case 2"


# ---- the runs, a second time in numpy


def second_computation(s: Structure, lag_ms: float) -> tuple[np.ndarray, np.ndarray]:
    """Displacement and HSEI_I of a test, written down from the equations."""
    dt, k, uy = 0.01, 10.0, 1.0
    m = k * (s.period / (2.0 * math.pi)) ** 2
    c = 2.0 * s.damping_ratio * math.sqrt(k * m)
    record = load_record(s.record)
    t = np.arange(round(record.duration / dt) + 1) * dt
    f = -m * s.amplitude * 386.1 * np.interp(t, np.arange(len(record.accel)) * record.dt, record.accel)
    u, v, a, last, plastic = 0.0, 0.0, 0.0, 0.0, 0.0
    disp, applied, force = np.zeros((3, t.size))
    for i in range(t.size):
        disp[i], applied[i] = u, u - lag_ms / 10.0 * (u - last)
        r = k * (applied[i] - plastic)
        if s.specimen != "linear" and abs(r) > k * uy:
            r = math.copysign(k * uy, r)
            plastic = applied[i] - r / k
        force[i] = r
        if i == 0:
            a = (f[0] - r) / m
        else:
            v += 0.5 * dt * a
            a = (f[i] - r - c * v) / (m + 0.5 * dt * c)
            v += 0.5 * dt * a
        last, u = u, u + dt * v + 0.5 * dt**2 * a

    def work(forces, along):
        return np.concatenate([[0.0], np.cumsum(0.5 * (forces[1:] + forces[:-1]) * np.diff(along))])

    error = work(force, disp - applied)
    return disp, error / np.maximum(0.5 * k * uy**2 + work(f, disp), 0.05)


@pytest.mark.parametrize(
    "structure",
    [Structure("linear", "tabas", 0.5, 0.02, 0.3), Structure("elastic-plastic", "elcentro", 0.7, 0.05, 1.2)],
    ids=["linear", "elastic-plastic"],
)
def test_a_curve_equals_a_second_computation(programs, structure) -> None:
    lags = np.array([0.0, 0.5, 1.5, 4.0])
    [[one]] = swept(programs[structure.specimen], [structure], lags, None)
    exact, _ = second_computation(structure, 0.0)
    peak = np.abs(exact).max()
    for i, lag in enumerate(lags):
        disp, hsei = second_computation(structure, lag)
        error = np.abs(disp - exact) / peak
        assert one.eps_max[i] == pytest.approx(error.max(), rel=1e-8, abs=1e-12)
        assert one.hsei_i[i] == pytest.approx(hsei[-1], rel=1e-8, abs=1e-12)
        until = np.flatnonzero(error > 0.1)[0] if (error > 0.1).any() else len(error) - 1
        assert one.heard[i] == pytest.approx(hsei[: until + 1].min(), rel=1e-8, abs=1e-12)
        until = np.flatnonzero(hsei < -0.1)[0] if (hsei < -0.1).any() else len(error) - 1
        assert one.unwarned[i] == pytest.approx(error[: until + 1].max(), rel=1e-8, abs=1e-12)


def test_random_lags_follow_their_seeds(programs) -> None:
    structures, lags = [Structure("linear", "elcentro", 0.5, 0.05, 0.4)], np.array([0.0, 1.0, 3.0])
    first, second, again = swept(programs["linear"], structures, lags, None, [7, 8, 7])
    plain_lag = swept(programs["linear"], structures, lags, None)[0]
    assert np.array_equal(first[0].eps_max, again[0].eps_max)
    assert not np.array_equal(first[0].eps_max, second[0].eps_max)
    assert plain_lag[0].eps_max[0] == 0.0 and first[0].eps_max[0] > 0.0, "the reference has no lag at all"


# ---- the study


def test_linear_indicators_follow_the_theory(found) -> None:
    """HSEI_I = -x / (1 - x + E_strain / E_d) with x = lag / critical lag and E_d from HSEI_S = -x E_d / E_strain.

    It is for a structure at rest: the less is left of the motion at the end of the record, the closer it is.
    """
    compared = 0
    for c in found.of(specimen="linear"):
        at_rest = c.structure.record == "tabas" and c.structure.damping_ratio >= 0.05
        if c.structure.period > 1.01 and not at_rest:
            continue
        x = c.lags_ms / c.structure.critical_lag_ms
        part = (x > 0.02) & (x < 0.5)
        strain_over_damping = -x[part] / c.hsei_s[part]
        theory = -x[part] / (1.0 - x[part] + strain_over_damping)
        assert c.hsei_i[part] == pytest.approx(theory, rel=0.01 if at_rest else 0.03)
        compared += part.sum()
    assert compared > 300


def test_the_map_says_what_its_report_says(found) -> None:
    """Few lags must tell the same as many: all linear thresholds beyond -0.1, almost half of the others before it."""
    linear = [c.threshold.hsei_i for c in found.of(specimen="linear")]
    plastic = [c.threshold.hsei_i for c in found.of(specimen="elastic-plastic") if c.threshold]
    assert len(linear) == ALL // 2 and max(linear) < -0.1
    assert 0.35 < np.mean(np.array(plastic) > -0.1) < 0.55
    assert all(len(kept) == ALL // 3 for kept in found.random) and len(found.random) == 6


def test_the_outcome_is_complete_plain_and_says_how_to_compute_it_again(found) -> None:
    result = outcome(found)
    content = json.loads(json.dumps(plain(result.summary), allow_nan=False))
    assert len(content["rows"]) == ALL and content["seed"] == 1 and content["dt_s"] == 0.01
    assert [r["record"] for r in content["records"]] == list(RECORDS)
    assert all(len(r["sha256"]) == 64 and r["interpolation"] == "linear" for r in content["records"])
    assert len(content["lag"]["lags_ms"]) == 15 and content["runs"] > 15 * ALL
    assert len(result.data["thresholds"]) == ALL and len(result.data["runs"]) == 15 * ALL
    texts = [*result.conclusions, *result.introduction, *result.notes, *(p.explanation for p in result.pictures)]
    assert all(text and "nan" not in text.split() and "None" not in text for text in texts)
    assert f"{ALL // 2} structures" in result.conclusions[0]
    for table in result.tables:
        assert all(len(row) == len(table.headings) for row in table.rows)


@pytest.mark.parametrize(
    "name, units",
    [
        ("sensitivity_map", ("[s]", "[ms]")),
        ("sensitivity_thresholds", ("[s]", "[-]")),
        ("sensitivity_alarm", ("[s]", "[%]")),
        ("sensitivity_theory", ("[-]", "[-]")),
        ("sensitivity_random_lag", ("[s]", "[-]")),
    ],
)
def test_figures_are_labelled_and_not_clipped(found, name, units) -> None:
    picture = next(p for p in outcome(found).pictures if p.name == name)
    assert_labelled_and_whole(picture.draw(), units)
