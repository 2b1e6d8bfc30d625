"""A study: its numbers are those of single runs, its statistics those of a textbook, and it refuses what it cannot do."""

import csv
import doctest
import json
import math
import warnings

import numpy as np
import pytest

import hybsim as hs
from hybsim.diagrams import fig_3_5
from hybsim.errors import HybsimError, ParameterError
from hybsim.studies import study as study_module
from hybsim.studies.measures import bounded, delay, eps_max, eps_rms, final, measure, peak, rms
from hybsim.studies.running.chunk import InC
from hybsim.studies.running.study_result import StudyResult
from hybsim.studies.study import Study, grid

U, HSEI = "integrator.disp_target", "energy.hsei_i"
EXACT = {"lag.mean": 0.0, "lag.variance": 0.0}
DURATION = 4.0


@pytest.fixture(scope="module")
def program():
    return hs.compile(fig_3_5(variance=0.1))


def single(program, params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return program.run(DURATION, params=params)


def test_values_are_those_of_single_runs_bit_for_bit(program):
    study = Study(
        program, space=grid({"lag.mean": [0.0, 0.3, 0.9], "record.scale": [50.0, 100.0]}), duration=DURATION,
        reference=EXACT, seeds={"noise.seed": [3, 11, 4]},
        measures={"eps": eps_max(U), "eps_rms": eps_rms(U), "hsei": final(HSEI), "d": delay(U, "lag.applied"), "f": rms("specimen")},
    )  # fmt: skip
    result = study.run()
    assert len(study) == 18 and result.shape == (3, 2) and result.values["eps"].shape == (6, 3)
    t = DURATION / 400 * np.arange(401)
    for i, point in enumerate(result.points):
        for k, seed in enumerate((3, 11, 4)):
            run = single(program, {**point, "noise.seed": seed})
            exact = single(program, {**point, "noise.seed": seed, **EXACT})
            histories = {"t": t, **{name: run[name][None] for name in (U, HSEI, "lag.applied", "specimen")}}
            for name, taken in study.measures.items():
                assert result.values[name][i, k] == taken(histories, {U: exact[U][None]})[0], (name, point, seed)


def test_means_and_deviations_are_those_of_a_sample(program):
    result = Study(
        program,
        space={"lag.mean": [0.2, 0.8]},
        duration=DURATION,
        measures={"u": peak(U)},
        seeds={"noise.seed": range(5)},
    ).run()
    for i in range(2):
        values = result.values["u"][i].tolist()
        mean = sum(values) / 5
        assert result.mean["u"][i] == pytest.approx(mean, rel=1e-14)
        assert result.std["u"][i] == pytest.approx(math.sqrt(sum((v - mean) ** 2 for v in values) / 4), rel=1e-12)
    rows = result.rows()
    assert [list(row) for row in rows] == [["lag.mean", "u", "u_std", "runs", "stopped"]] * 2
    assert rows[1] == {
        "lag.mean": 0.8, "u": result.mean["u"][1], "u_std": result.std["u"][1], "runs": 5, "stopped": 0,
    }  # fmt: skip


def test_one_seed_has_no_deviation(program):
    result = Study(program, space=[{"lag.mean": 0.2}], duration=DURATION, measures={"u": peak(U)}).run()
    assert result.values["u"].shape == (1, 1) and np.isnan(result.std["u"]).all()
    assert list(result.rows()[0]) == ["lag.mean", "u", "runs", "stopped"]


# ---- runs that stop


@pytest.fixture(scope="module")
def diverging():
    """A lag of 30 ticks is far beyond the critical one: in 300 s the response overflows."""
    program = hs.compile(fig_3_5(variance=0.0))
    space = grid({"lag.mean": [0.0, 30.0]})
    return Study(
        program, space=space, duration=300.0, measures={"u": peak(U), "ok": bounded(U)}, reference={"lag.mean": 0.0}
    ).run()


def test_a_run_that_stops_early_has_no_measures_and_is_counted(diverging):
    assert diverging.stopped.tolist() == [0, 1]
    assert diverging.ticks[0, 0] == diverging.all_ticks == 30001 > diverging.ticks[1, 0]
    assert np.isfinite(diverging.values["u"][0, 0]) and np.isnan(diverging.values["u"][1, 0])
    assert diverging.values["ok"].tolist() == [[1.0], [0.0]]
    assert diverging.rows()[1]["stopped"] == 1 and "1 runs stopped early" in repr(diverging)


def test_after_its_last_tick_a_stopped_run_is_nan_and_so_is_what_is_made_of_it():
    """Also a measure that leaves nan out says nothing of a run that did not come to its end."""
    seen = []

    def largest(runs, reference):
        seen.append(np.isfinite(runs[U]).sum(axis=1).tolist())
        return np.nanmax(runs[U], axis=1)

    def lost(runs, reference):
        return np.zeros(len(runs[U]))

    study = Study(
        fig_3_5(variance=0.0), space=grid({"lag.mean": [0.0, 30.0]}), duration=300.0,
        measures={"u": measure(largest, U), "lost": measure(lost, U, of_stopped=1.0)},
    )  # fmt: skip
    result = study.run()
    assert seen == [result.ticks[:, 0].tolist()] and seen[0][1] < seen[0][0] == result.all_ticks
    assert np.isfinite(result.values["u"][0, 0]) and np.isnan(result.values["u"][1, 0])
    assert result.values["lost"].tolist() == [[0.0], [1.0]]


def test_a_stopped_run_does_not_vanish_from_the_mean_unless_asked():
    values = {
        "u": np.array([[1.0, 3.0, np.nan], [1.0, 2.0, 6.0], [np.nan] * 3]),
        "ok": np.array([[1.0, 1.0, 0.0], [1.0] * 3, [0.0] * 3]),
    }
    ticks = np.array([[9, 9, 4], [9, 9, 9], [1, 2, 3]])
    result = StudyResult([{"a": 1}, {"a": 2}, {"a": 3}], {"s": [1, 2, 3]}, (3,), values, ticks, 9)
    assert result.stopped.tolist() == [1, 0, 3]
    np.testing.assert_array_equal(result.mean["u"], [np.nan, 3.0, np.nan])
    finished = result.without_stopped()
    np.testing.assert_array_equal(finished.mean["u"], [2.0, 3.0, np.nan])
    np.testing.assert_allclose(finished.std["u"], [math.sqrt(2.0), math.sqrt(7.0), np.nan])
    # What is known of a stopped run is not left out: it was not bounded.
    np.testing.assert_allclose(finished.mean["ok"], [2 / 3, 1.0, 0.0])
    assert finished.stopped.tolist() == [1, 0, 3]


# ---- references


@pytest.fixture
def simulated(monkeypatch):
    """How many runs are simulated, references included."""
    counts = []
    simulate = InC.__call__

    def counting(self, runs, rows=None):
        counts.append(runs.runs if rows is None else len(rows))
        return simulate(self, runs, rows)

    monkeypatch.setattr(InC, "__call__", counting)
    return counts


def test_seeds_that_do_not_matter_to_the_reference_share_one(program, simulated):
    points, seeds = 2, 4
    Study(
        program, space={"record.scale": [50.0, 80.0]}, duration=DURATION, measures={"e": eps_max(U)},
        reference=EXACT, seeds={"noise.seed": range(seeds)},
    ).run()  # fmt: skip
    # One reference a point, and one more to see that the seed does not matter.
    assert sum(simulated) == points * seeds + 2 * points


def test_points_whose_references_are_equal_share_one(program, simulated):
    Study(
        program, space={"lag.mean": [0.1, 0.5, 0.9]}, duration=DURATION, measures={"e": eps_max(U)}, reference=EXACT
    ).run()
    assert sum(simulated) == 3 + 1


def test_a_reference_that_names_the_seed_is_simulated_once(program, simulated):
    Study(
        program, space={"lag.mean": [0.1, 0.5]}, duration=DURATION, measures={"e": eps_max(U)},
        reference={**EXACT, "noise.seed": 0}, seeds={"noise.seed": range(4)},
    ).run()  # fmt: skip
    assert sum(simulated) == 8 + 1


@pytest.mark.parametrize("variances", [[1.0, 0.5], [0.0, 1.0], [1.0, 0.0]])
def test_a_seed_that_matters_to_the_reference_has_its_own(variances):
    """Noise in the load: the reference of a run must have the same noise, also where some points have none."""
    bd = hs.BDSim().blockdiagram("noisy", dt=0.01)
    load = bd.SUM("++", name="load", inputs=[bd.NORMAL(name="noise"), bd.COSINEPULSE(amplitude=1.0, duration=1.0)])
    lag = bd.LAG(name="lag", mean=0.5)
    structure = bd.NEWMARK(name="structure", mass=1.0, damping=0.1)
    spring = bd.SPRING(name="spring", stiffness=40.0)
    bd.connect(load, structure.load)
    bd.connect(structure.disp_target, lag.disp_cmd)
    bd.connect(bd.CONSTANT(0.0), lag.noise)
    bd.connect(lag, spring.disp)
    bd.connect(spring, structure.force)
    program, u = hs.compile(bd), "structure.disp_target"
    found = Study(
        program, space={"noise.variance": variances}, duration=DURATION, measures={"e": eps_max(u)},
        reference={"lag.mean": 0.0}, seeds={"noise.seed": [5, 6, 7]},
    ).run().values["e"]  # fmt: skip
    for i, variance in enumerate(variances):
        for k, seed in enumerate((5, 6, 7)):
            params = {"noise.variance": variance, "noise.seed": seed}
            run, exact = (program.run(DURATION, params={**params, **lag})[u] for lag in ({}, {"lag.mean": 0.0}))
            assert found[i, k] == np.abs(exact - run).max() / np.abs(exact).max()


def test_parameters_of_any_kind_may_vary_from_point_to_point(program):
    """Points with different names, and values that cannot be compared with ==."""
    record = np.sin(np.arange(300) / 10.0)
    points = [
        {"lag.mean": 0.4},
        {"record.record": record, "record.record_dt": 0.01},
        {},
        {"record.record": 2 * record, "record.record_dt": 0.01},
    ]
    study = Study(program, space=points, duration=DURATION, measures={"u": peak(U), "e": eps_max(U)}, reference=EXACT)
    found = study.run().values
    for i, point in enumerate(points):
        run, exact = single(program, point), single(program, {**point, **EXACT})
        assert found["u"][i, 0] == run.peak(U)
        assert found["e"][i, 0] == np.abs(exact[U] - run[U]).max() / exact.peak(U)


# ---- vectors


def test_a_component_of_a_vector_is_measured_and_a_function_may_take_the_whole():
    bd = hs.BDSim().blockdiagram("vectors", dt=0.01)
    bd.NORMAL(name="noise", width=3)
    study = Study(
        bd, space={"noise.seed": [1, 2]}, duration=1.0,
        measures={"one": peak("noise[1]"), "all": measure(lambda runs, reference: np.abs(runs["noise.value"]).max(axis=(1, 2)), "noise.value")},
    )  # fmt: skip
    found = study.run().values
    for i, seed in enumerate((1, 2)):
        noise = np.abs(study.program.run(1.0, params={"noise.seed": seed})["noise.value"])
        assert found["one"][i, 0] == noise[:, 1].max() and found["all"][i, 0] == noise.max()
    with pytest.raises(
        ParameterError,
        match=r"takes single numbers, but 'noise' is a vector of 3; name one component, such as 'noise\[0\]'",
    ):
        Study(study.program, space=[{}], duration=1.0, measures={"one": peak("noise")})
    with pytest.raises(ParameterError, match=r"no signal 'noise\[3\]': 'noise.value' has 3 element"):
        Study(study.program, space=[{}], duration=1.0, measures={"one": peak("noise[3]")})


# ---- files and names


def test_results_are_written_as_csv_and_json(program, diverging, tmp_path):
    result = Study(
        program, space={"lag.mean": [0.1, 0.7]}, duration=1.0, measures={"u": peak(U)}, seeds={"noise.seed": [1, 2]}
    ).run()
    with open(result.to_csv(tmp_path / "points.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [{name: float(text) for name, text in row.items()} for row in rows] == result.rows()
    found = result.to_json(tmp_path / "result.json")
    assert json.loads((tmp_path / "result.json").read_text()) == found
    assert found["values"]["u"] == result.values["u"].tolist() and found["points"] == [
        {"lag.mean": 0.1},
        {"lag.mean": 0.7},
    ]
    assert diverging.to_json()["values"]["u"][1] == [None] and diverging.to_json()["rows"][1]["u"] is None
    with pytest.raises(HybsimError, match="does not exist"):
        result.to_csv(tmp_path / "missing" / "points.csv")


def test_progress_is_told_the_share_that_is_done(program):
    told = []
    Study(program, space={"lag.mean": np.linspace(0, 1, 40).tolist()}, duration=1.0, measures={"u": peak(U)}).run(
        progress=told.append
    )
    assert told == sorted(told) and told[-1] == 1.0 and len(told) == 5


def test_the_public_name_is_this_class_and_its_example_is_right():
    assert hs.Study is Study
    found = doctest.testmod(study_module)
    assert found.failed == 0 and found.attempted >= 4


def test_every_public_name_is_there():
    for name in hs.__all__:
        assert getattr(hs, name) is not None
    assert set(hs.__all__) <= set(dir(hs))
