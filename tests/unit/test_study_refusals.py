"""What a study refuses: in a sentence that names what is wrong, and names before anything runs."""

import pytest

import hybsim as hs
from hybsim.diagrams import fig_3_5
from hybsim.errors import ParameterError, RunError
from hybsim.studies.measures import eps_max, measure, peak
from hybsim.studies.running.chunk import InC
from hybsim.studies.study import Study, grid

U = "integrator.disp_target"
DURATION = 4.0


@pytest.fixture(scope="module")
def program():
    return hs.compile(fig_3_5(variance=0.1))


def refused(program, kind=ParameterError, **changed):
    keywords = dict(space=grid({"lag.mean": [0.0]}), duration=1.0, measures={"u": peak(U)})
    with pytest.raises(kind) as caught:
        Study(program, **{**keywords, **changed}).run()
    return str(caught.value)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (dict(measures={"u": peak("integrator.disp_targt")}), "There is no signal 'integrator.disp_targt' in this diagram. Did you mean 'integrator.disp_target'"),
        (dict(space=grid({"lag.maen": [0.0]})), "There is no parameter 'lag.maen' in this diagram. Did you mean 'lag.mean'"),
        (dict(reference={"lag.varience": 0.0}), "There is no parameter 'lag.varience' in this diagram. Did you mean 'lag.variance'"),
        (dict(seeds={"noise.sead": [1]}), "There is no parameter 'noise.sead' in this diagram. Did you mean 'noise.seed'"),
        (dict(space=[]), "The space of a study is empty"),
        (dict(seeds={"noise.seed": []}), "The values of 'noise.seed' must be a list that is not empty, got []."),
        (dict(seeds={"noise.seed": 3}), "The values of 'noise.seed' must be a list that is not empty, got 3."),
        (dict(seeds={"noise.seed": [1, 2], "noise.mean": [0.0]}), "All seeds must have the same number of values, but 'noise.seed' has 2, 'noise.mean' has 1."),
        (dict(seeds={"lag.mean": [0.0]}), "'lag.mean' is given by the space and by the seeds; leave it in one of them."),
        (dict(measures={}), "A study needs measures"),
        (dict(measures={"lag.mean": peak(U)}), "'lag.mean' is a parameter; give the measure another name."),
        (dict(measures={"stopped": peak(U)}), "A measure cannot be called 'stopped': rows() has a column of that name."),
        (dict(measures={"u": peak(U), "u_std": peak(U)}), "A measure cannot be called 'u_std'"),
        (dict(measures={"e": eps_max(U)}), "Measure 'e' compares with a reference run; give the study a reference"),
        (dict(measures={"u": "peak"}), "Measure 'u' must be one of hybsim.studies.measures"),
        (dict(space=grid({"lag.variance": [0.0, -1.0]})), "Parameter 'variance' of block 'lag' must be at least 0, got -1.0."),
        (dict(reference={"lag.variance": "none"}), "Parameter 'variance' of block 'lag' must be a single number, got 'none'."),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_a_sentence(program, changed, sentence):
    assert sentence in refused(program, **changed)


def test_a_bad_length_and_bad_jobs_are_refused(program):
    assert "The duration must be a number of seconds of at least 0, got -1" in refused(program, RunError, duration=-1.0)
    study = Study(program, space=[{}], duration=1.0, measures={"u": peak(U)})
    for jobs in (0, 1.5, True):
        with pytest.raises(ParameterError, match=r"jobs must be a whole number of at least 1"):
            study.run(jobs=jobs)
    with pytest.raises(ParameterError, match=r"must be one of concurrent.futures or a client of Dask"):
        study.run(executor="threads")


def test_names_are_refused_before_anything_runs(program, monkeypatch):
    monkeypatch.setattr(InC, "__call__", lambda *arguments: pytest.fail("something was simulated"))
    refused(program, measures={"u": peak(U), "v": peak("integrator.disp_targt")})
    refused(program, space=[{"lag.mean": 0.0}] * 99 + [{"lag.maen": 0.0}])


def failing(runs, reference):
    if (runs[U].max(axis=1) > 1.0).any():
        raise ValueError("too large")
    return runs[U].max(axis=1)


def test_a_measure_that_raises_is_named_with_its_point(program):
    peaks = [program.run(DURATION, params={"record.scale": scale})[U].max() for scale in (10.0, 500.0)]
    assert peaks[0] < 1.0 < peaks[1]
    sentence = refused(
        program,
        RunError,
        space=grid({"record.scale": [10.0, 10.0, 500.0]}),
        duration=DURATION,
        measures={"mine": measure(failing, U)},
    )
    assert sentence == "Measure 'mine' failed at the point {'record.scale': 500.0}: ValueError: too large."


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda runs, reference: 1.0, "it returned the shape () for 1 run, but must return (1,)"),
        (lambda runs, reference: runs[U], "it returned the shape (1, 101) for 1 run, but must return (1,)"),
        (lambda runs, reference: runs[U][:, 0] * 1j, "it returned numbers of the type complex128"),
        (lambda runs, reference: reference[U], "TypeError: 'NoneType' object is not subscriptable"),
    ],
)
def test_a_measure_that_returns_no_number_for_each_run_is_refused(program, function, reason):
    sentence = refused(program, RunError, space=grid({"lag.mean": [0.5, 0.6]}), measures={"mine": measure(function, U)})
    assert sentence == f"Measure 'mine' failed at the point {{'lag.mean': 0.5}}: {reason}."
