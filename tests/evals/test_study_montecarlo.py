"""hybsim study montecarlo against closed forms, synthetic data and a second computation in numpy."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm
from whole_figures import assert_labelled_and_whole

from hybsim.blocks.sources.records import load_record
from hybsim.diagrams import error_injection, fig_3_5
from hybsim.diagrams.error_injection import ERRORS, SEEDS, structure_parameters
from hybsim.errors import ParameterError
from hybsim.runtime.export import plain
from hybsim.runtime.program import compile
from hybsim.studies.outcome import Settings
from hybsim.studies.uncertainty import instability
from hybsim.studies.uncertainty.montecarlo import (
    INPUTS,
    MonteCarlo,
    base_of,
    computed,
    detection,
    parameters,
    second_indicator,
)
from hybsim.studies.uncertainty.montecarlo_outcome import outcome

DURATION = 31.18
AMPLITUDES = {"linear": 0.2, "elastic-plastic": 1.0}
EVERY_ERROR = {
    "lag.mean": 0.4, "lag.variance": 0.1, "force_noise.variance": 0.01, "load_cell.gain_error": 0.013,
    "load_cell.offset": -0.04, "position.gain_error": -0.008, "position.offset": 0.015, "second.gain_error": 0.004,
    "second.offset": 0.002, "force_meas.step": 0.02, "lag_noise.seed": 11, "force_noise.seed": 12,
}  # fmt: skip


@pytest.fixture(scope="module")
def programs():
    return {name: compile(error_injection(specimen=name)) for name in AMPLITUDES}


@pytest.fixture(scope="module")
def found() -> MonteCarlo:
    return computed(Settings(runs=64))


# ---- the diagram


def second_computation(specimen: str, e: dict, lag_noise: np.ndarray, force_noise: np.ndarray) -> dict[str, np.ndarray]:
    """The test with every error, written down from the equations; the random numbers are given."""
    dt, k, uy, period, zeta = 0.01, 10.0, 1.0, 1.0, 0.05
    m = k * (period / (2.0 * math.pi)) ** 2
    c = 2.0 * zeta * math.sqrt(k * m)
    record = load_record("elcentro")
    t = np.arange(lag_noise.size) * dt
    accel = np.interp(t, np.arange(len(record.accel)) * record.dt, record.accel, right=0.0)
    f = -m * AMPLITUDES[specimen] * 386.1 * accel
    names = ("disp", "read", "stood", "force", "second")
    out = {name: np.zeros(t.size) for name in names}
    u, v, a, last, plastic = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(t.size):
        read = u - (e["lag.mean"] + math.sqrt(e["lag.variance"]) * lag_noise[i]) * (u - last)
        stood = (1.0 + e["position.gain_error"]) * read + e["position.offset"]
        r = k * (stood - plastic)
        if specimen != "linear" and abs(r) > k * uy:
            r = math.copysign(k * uy, r)
            plastic = stood - r / k
        r = (1.0 + e["load_cell.gain_error"]) * r + e["load_cell.offset"] + force_noise[i]
        r = e["force_meas.step"] * math.floor(r / e["force_meas.step"] + 0.5)
        out["disp"][i], out["read"][i], out["stood"][i], out["force"][i] = u, read, stood, r
        out["second"][i] = (1.0 + e["second.gain_error"]) * stood + e["second.offset"]
        v += 0.5 * dt * a
        a = (f[0] - r) / m if i == 0 else (f[i] - r - c * v) / (m + 0.5 * dt * c)
        v += 0.5 * dt * a if i else 0.0
        last, u = u, u + dt * v + 0.5 * dt**2 * a

    def work(forces, along):
        return np.concatenate([[0.0], np.cumsum(0.5 * (forces[1:] + forces[:-1]) * np.diff(along))])

    out["hsei_i"] = work(out["force"], out["disp"] - out["read"]) / np.maximum(5.0 + work(f, out["disp"]), 0.05)
    out["second_error"] = work(out["force"], out["disp"] - out["second"])
    return out


@pytest.mark.parametrize("specimen", AMPLITUDES)
def test_a_run_with_every_error_equals_a_second_computation(programs, specimen) -> None:
    run = programs[specimen].run(DURATION, params=EVERY_ERROR)
    mine = second_computation(specimen, EVERY_ERROR, run["lag_noise.value"], run["force_noise.value"])
    signals = {
        "disp": "integrator.disp_target", "read": "lag.applied", "stood": "position.measured",
        "force": "force_meas.quantised", "second": "second.measured", "hsei_i": "energy.hsei_i",
        "second_error": "second_energy.e_error",
    }  # fmt: skip
    for name, signal in signals.items():
        assert np.abs(mine[name] - run[signal]).max() < 1e-9 * np.abs(run[signal]).max(), name
    assert run["lag_noise.value"].std() == pytest.approx(1.0, abs=0.05)
    assert run["force_noise.value"].std() == pytest.approx(0.1, abs=0.005)


@pytest.mark.parametrize("specimen", AMPLITUDES)
@pytest.mark.parametrize("lag", [{}, {"mean": 0.3, "variance": 0.05}], ids=["without errors", "with lag"])
def test_without_the_other_errors_it_is_the_diagram_of_fig_3_5(programs, specimen, lag) -> None:
    theirs = compile(fig_3_5(specimen=specimen, **({"mean": 0.0, "variance": 0.0} | lag))).run(DURATION)
    mine = programs[specimen].run(DURATION, params={f"lag.{name}": value for name, value in lag.items()})
    for signal in ("integrator.disp_target", "specimen.force", "energy.hsei_i"):
        assert np.array_equal(mine[signal], theirs[signal]), "bit for bit"


@pytest.mark.parametrize("specimen", AMPLITUDES)
def test_the_engines_agree_with_every_error(programs, specimen) -> None:
    one, other = (programs[specimen].run(4.0, params=EVERY_ERROR, engine=engine) for engine in ("c", "python"))
    for name in one.names:
        assert np.array_equal(one[name].view(np.int64), other[name].view(np.int64)), name


def test_errors_and_structure_are_parameters_of_the_built_program(programs) -> None:
    program = programs["linear"]
    assert set(ERRORS) | set(SEEDS) <= set(program.parameters)
    none = {name: program.parameters[name] for name in ERRORS}
    assert {name: float(np.ravel(value)[0]) for name, value in none.items()} == ERRORS
    other = compile(error_injection(period=0.4, damping_ratio=0.1, amplitude=0.7, record="elcentro"))
    mine = program.run(5.0, params=structure_parameters(0.4, 0.1, 0.7))
    assert np.array_equal(mine["integrator.disp_target"], other.run(5.0)["integrator.disp_target"])


def test_the_keywords_of_the_diagram_are_its_errors() -> None:
    given = error_injection(
        mean=0.4, variance=0.1, force_noise=0.1, force_gain=0.013, force_offset=-0.04, disp_gain=-0.008,
        disp_offset=0.015, second_gain=0.004, second_offset=0.002, force_step=0.02, seed=11,
    )  # fmt: skip
    built = compile(given).parameters
    for name, value in EVERY_ERROR.items():
        assert float(np.ravel(built[name])[0]) == pytest.approx(value), name


def test_a_gain_error_of_either_sensor_is_another_stiffness(programs) -> None:
    """Linear: r = (1 + g) k u whichever sensor is wrong, so the response is that of a structure with (1 + g) k."""
    program, signal = programs["linear"], "integrator.disp_target"
    stiffer = program.run(DURATION, params={"specimen.stiffness": 10.2})[signal]
    for name in ("load_cell.gain_error", "position.gain_error"):
        run = program.run(DURATION, params={name: 0.02})
        assert np.abs(run[signal] - stiffer).max() < 1e-10
        assert not run["energy.e_error"].any(), "command and reading agree: no energy error at all"


def test_a_second_transducer_sees_the_gain_of_the_first_where_energy_is_dissipated(programs) -> None:
    """E^error = int r d(u^c - u) = -g / (1 + g) int r du: the specimen's energy, for a gain error g."""
    for specimen in AMPLITUDES:
        run = programs[specimen].run(DURATION, params={"position.gain_error": 0.02})
        force, stood = run["specimen.force"], run["position.measured"]
        taken = np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(stood))
        assert run["second_energy.e_error"][-1] == pytest.approx(-0.02 / 1.02 * taken, rel=1e-9)


# ---- points, alarms


def test_a_point_of_the_design_is_a_set_of_parameters() -> None:
    point = dict(
        lag=4.0,
        scatter=0.1,
        noise=0.1,
        force_gain=0.013,
        force_offset=-0.04,
        disp_gain=-0.008,
        disp_offset=0.015,
        draw=5,
    )
    wanted = {k: v for k, v in EVERY_ERROR.items() if not k.startswith(("second", "force_meas"))}
    assert parameters(point) == pytest.approx(wanted | {"lag_noise.seed": 10, "force_noise.seed": 11})
    quiet = parameters({"draw": 0})
    assert all(quiet[name] == ERRORS[name] for name in quiet if name not in SEEDS)


def test_detection_counts_what_an_alarm_is_worth() -> None:
    values = {
        "eps_max": np.array([0.2, 0.2, 0.2, 0.2, 0.05, 0.05]),
        "heard": np.array([-0.3, -0.05, -0.01, 0.0, -0.2, -0.01]),
        "worst": np.array([-0.3, -0.3, -0.30, 0.0, -0.2, -0.01]),
    }
    found = detection(values, np.array([-0.1, -0.02, -0.5]))
    assert found.in_time.tolist() == [0.25, 0.5, 0.0]
    assert found.late.tolist() == [0.5, 0.25, 0.0]
    assert found.missed.tolist() == [0.25, 0.25, 1.0]
    assert found.needless.tolist() == [0.5, 0.5, 0.0]
    fine = {name: array[4:] for name, array in values.items()}
    assert np.isnan(detection(fine, np.array([-0.1])).in_time).all(), "no test went wrong, so there is no share"


def test_the_second_indicator_is_that_of_the_last_tick() -> None:
    runs = {"second_energy.e_error": np.array([[0.0, -2.0]]), "energy.e_input": np.array([[0.0, 15.0]])}
    assert second_indicator(runs, runs).tolist() == [-0.1]


def test_the_number_of_rows_is_a_power_of_two() -> None:
    assert [base_of(n) for n in (None, 16, 17, 1000)] == [1024, 16, 32, 1024]
    with pytest.raises(ParameterError, match="at least 16 rows to give an index, got runs=15"):
        base_of(15)


# ---- instability


@pytest.mark.parametrize("count, n", [(0, 10), (3, 10), (10, 10), (137, 512)])
def test_the_band_is_that_of_wilson(count, n) -> None:
    low, high = instability.wilson([count], n)
    known = binomtest(count, n).proportion_ci(0.95, method="wilson")
    assert (low[0], high[0]) == pytest.approx((known.low, known.high), abs=1e-12)


def test_the_probability_is_that_of_the_spectral_radius() -> None:
    """The roots of (1 + zeta W) z^2 - (2 - (1 - eta) W^2) z + (1 - zeta W + eta W^2), drawn at random."""
    rng, n = np.random.default_rng(3), 20_000
    period, zeta, critical = 0.33, 0.05, 1000.0 * 0.33 * 0.05 / math.pi
    s = {name: math.sqrt(math.log(1.0 + cov**2)) for name, cov in instability.COV.items()}
    for share in (0.5, 0.8, 1.0, 1.5):
        w = 2.0 * math.pi * 0.01 / (period * np.exp(s["period"] * rng.standard_normal(n)))
        z = zeta * np.exp(s["damping_ratio"] * rng.standard_normal(n))
        eta = 0.1 * share * critical * np.exp(s["lag"] * rng.standard_normal(n))
        b, c = -(2.0 - (1.0 - eta) * w**2) / (1.0 + z * w), (1.0 - z * w + eta * w**2) / (1.0 + z * w)
        root = np.sqrt(b**2 - 4.0 * c + 0j)
        radius = np.maximum(np.abs(-b + root), np.abs(-b - root)) / 2.0
        expected = instability.probability(np.array([share * critical]), critical)[0]
        assert np.mean(radius > 1.0) == pytest.approx(expected, abs=4.0 * math.sqrt(expected * (1 - expected) / n))


def test_the_safe_share_is_the_inverse_of_the_probability() -> None:
    for chance in (0.001, 0.01, 0.5):
        share = instability.safe_share(chance)
        assert instability.probability(np.array([share]), 1.0)[0] == pytest.approx(chance, rel=1e-9)
    assert instability.safe_share(0.01) == pytest.approx(math.exp(norm.ppf(0.01) * instability.scatter()))


def test_growth_and_swing() -> None:
    t = np.arange(3001) * 0.01
    waves = np.array([np.exp(rate * t) * np.cos(20.0 * t) for rate in (-0.1, 0.1)])
    assert instability.grows({"integrator.disp_target": waves}).tolist() == [0.0, 1.0]
    moved = {"integrator.disp_target": (3.0 + 0.5 * np.cos(20.0 * t))[None], "t": t}
    assert instability.last_swing(moved) == pytest.approx(0.5, rel=1e-2)


def test_simulated_tests_are_unstable_as_often_as_the_closed_form_says(found) -> None:
    for curve in found.instability:
        low, high = instability.wilson(curve.unstable, curve.tests, z=3.5)
        assert np.all((low <= curve.theory) & (curve.theory <= high))
        assert np.all(np.diff(curve.unstable) >= 0), "the same tests at a longer lag"
        assert curve.critical_lag_ms == pytest.approx(1000 * curve.period * curve.damping_ratio / math.pi, rel=1e-6)


def test_a_yielding_specimen_comes_to_rest_only_below_the_critical_lag(found) -> None:
    for cycle in found.cycles:
        share = cycle.lags_ms / cycle.critical_lag_ms
        assert cycle.ductility[share < 0.9].max() < 0.01
        assert np.all((cycle.ductility[share > 1.15] > 1.0) & (cycle.ductility[share > 1.15] < 1.2))


# ---- the study


def test_the_indices_tell_the_laboratories_apart(found) -> None:
    for specimen in AMPLITUDES:
        as_it_is, compensated = (found.sample(lab, specimen) for lab in ("as it is", "compensated"))
        assert as_it_is.indices["hsei_i"].total["lag"] > 0.8 and compensated.indices["hsei_i"].total["lag"] > 0.8
        total = compensated.indices["eps_max"].total
        assert total["lag"] < 0.15 < max(total["force_gain"], total["force_offset"], total["disp_gain"])
    assert found.sample("as it is", "linear").indices["eps_max"].total["lag"] > 0.7


def test_what_the_indicator_does_not_see(found) -> None:
    for row in found.alone:
        if row.error in ("noise", "force_gain", "force_offset", "disp_gain", "disp_offset"):
            assert row.hsei_i == 0.0 and row.eps_max > 0.005, row
        if row.error == "lag":
            assert row.hsei_i < -0.05 and row.second == row.hsei_i


def test_equal_seeds_give_equal_numbers_whatever_the_threads(found) -> None:
    one, two, other = (computed(Settings(runs=16, seed=seed, jobs=jobs)) for seed, jobs in ((4, 1), (4, 3), (5, None)))
    for a, b, c in zip(one.samples, two.samples, other.samples, strict=True):
        assert a.points == b.points != c.points
        assert all(np.array_equal(a.values[name], b.values[name]) for name in a.values)
        assert a.indices == b.indices
        assert not np.array_equal(a.values["eps_max"], c.values["eps_max"])
    assert np.array_equal(one.instability[0].unstable, two.instability[0].unstable)


def test_the_outcome_is_complete_plain_and_says_how_to_compute_it_again(found) -> None:
    result = outcome(found)
    content = json.loads(json.dumps(plain(result.summary), allow_nan=False))
    assert content["seed"] == 1 and content["base_samples"] == 64 and content["record"]["record"] == "elcentro"
    assert len(content["record"]["sha256"]) == 64 and set(content["inputs"]) == set(INPUTS)
    assert len(content["rows"]) == 4 * 2 * (len(INPUTS) + 1) and len(content["detection"]) == 8
    assert {row["measure"] for row in content["rows"]} == {"eps_max", "hsei_i"}
    assert len(result.data["tests"]) == 4 * 128 and len(result.data["instability"]) == 2 * 19
    texts = [*result.conclusions, *result.introduction, *result.notes, *(p.explanation for p in result.pictures)]
    assert all(text and "nan" not in text.split() and "None" not in text for text in texts)
    for table in result.tables:
        assert all(len(row) == len(table.headings) for row in table.rows)


@pytest.mark.parametrize(
    "name, units",
    [
        ("montecarlo_indices", ("[-]", "")),
        ("montecarlo_tests", ("[-]", "[%]")),
        ("montecarlo_alarms", ("[%]", "[%]")),
        ("montecarlo_alone", ("[-]", "")),
        ("montecarlo_instability", ("[-]", "[%]")),
    ],
)
def test_figures_are_labelled_and_not_clipped(found, name, units) -> None:
    picture = next(p for p in outcome(found).pictures if p.name == name)
    assert_labelled_and_whole(picture.draw(), units)
