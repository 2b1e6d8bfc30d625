"""Measures: each against its definition, written out for one run at a time."""

import doctest
import pickle

import numpy as np
import pytest

from hybsim.errors import ParameterError
from hybsim.studies import measures
from hybsim.studies.measures import (
    as_measure,
    bounded,
    delay,
    eps_enr,
    eps_max,
    eps_rms,
    final,
    measure,
    peak,
    rms,
)

DT = 0.01
RNG = np.random.default_rng(5)
RUNS = {"t": DT * np.arange(400), "u": RNG.normal(size=(3, 400)), "v": RNG.normal(size=(3, 400))}
REFERENCE = {"t": RUNS["t"], "u": RNG.normal(size=(3, 400)), "v": RNG.normal(size=(3, 400))}


@pytest.mark.parametrize(
    ("taken", "formula"),
    [
        (final("u"), lambda s, e: s[-1]),
        (peak("u"), lambda s, e: max(abs(v) for v in s)),
        (rms("u"), lambda s, e: (sum(v * v for v in s) / len(s)) ** 0.5),
        (eps_max("u"), lambda s, e: max(abs(a - b) for a, b in zip(e, s, strict=True)) / max(map(abs, e))),
        (
            eps_rms("u"),
            lambda s, e: (sum((a - b) ** 2 for a, b in zip(e, s, strict=True)) / len(s)) ** 0.5 / max(map(abs, e)),
        ),
        (eps_enr("u"), lambda s, e: abs(e[-1] - s[-1]) / e[-1]),
        (bounded("u", 1.0), lambda s, e: float(max(map(abs, s)) <= max(map(abs, e)))),
    ],
    ids=lambda value: getattr(getattr(value, "function", None), "__name__", ""),
)
def test_a_measure_is_what_its_formula_says_with_a_reference_each_or_one_for_all(taken, formula):
    one_for_all = {"t": RUNS["t"], "u": REFERENCE["u"][:1]}
    for reference in (REFERENCE, one_for_all):
        exact = np.broadcast_to(reference["u"], RUNS["u"].shape)
        expected = [formula(s.tolist(), e.tolist()) for s, e in zip(RUNS["u"], exact, strict=True)]
        found = taken(RUNS, reference)
        assert found.shape == (3,)
        np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_every_measure_can_be_sent_to_another_process():
    for taken in (
        final("u"),
        peak("u"),
        rms("u"),
        eps_max("u"),
        eps_rms("u"),
        eps_enr("u"),
        delay("u", "v"),
        bounded("u"),
    ):
        again = pickle.loads(pickle.dumps(taken))
        assert (again.function, again.signals) == (taken.function, taken.signals)
        np.testing.assert_array_equal(again(RUNS, REFERENCE), taken(RUNS, REFERENCE))


def smooth(t):
    """A motion with a drift: no more than its delay shifts it."""
    return np.sin(2 * np.pi * 1.0 * t) + 0.4 * np.sin(2 * np.pi * 2.3 * t + 1.0) + 0.7 * t


@pytest.mark.parametrize("ms", [0.0, 2.0, 10.0, 25.0, 60.0, 100.0, -15.0])
def test_the_delay_of_a_shifted_motion_is_the_shift(ms):
    t = DT * np.arange(2000)
    runs = {"t": t, "c": smooth(t)[None], "a": smooth(t - ms / 1000.0)[None]}
    assert delay("c", "a")(runs)[0] == pytest.approx(ms, abs=0.1)


@pytest.mark.parametrize("eta", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_the_delay_of_a_displacement_lag_is_its_mean_times_the_tick(eta):
    """a_k = c_k - eta (c_k - c_{k-1}): e = eta sum (c_k - c_{k-1})^2 / sum (c_k - c_{k-1})^2."""
    c = np.cumsum(RNG.normal(size=500))
    a = c - eta * np.diff(c, prepend=c[0])
    runs = {"t": DT * np.arange(500), "c": c[None], "a": a[None]}
    assert delay("c", "a")(runs)[0] == pytest.approx(eta * 10.0, abs=1e-9)


def test_without_motion_there_is_no_delay_and_no_share_of_a_reference():
    still = {"t": DT * np.arange(50), "c": np.full((1, 50), 3.0), "a": np.full((1, 50), 3.0)}
    assert np.isnan(delay("c", "a")(still)).all()
    zero = {"u": np.zeros((1, 5))}
    assert np.isnan(eps_max("u")(zero, zero)).all()
    assert np.isposinf(eps_max("u")({"u": np.ones((1, 5))}, zero)).all()


def test_a_run_that_is_nan_has_nan_measures_and_is_not_bounded():
    runs = {"t": RUNS["t"], "u": np.where(np.arange(400) < 200, RUNS["u"], np.nan), "v": RUNS["v"]}
    for taken in (final("u"), peak("u"), rms("u"), eps_max("u"), eps_rms("u"), eps_enr("u"), delay("u", "v")):
        assert np.isnan(taken(runs, REFERENCE)).all()
    assert bounded("u")(runs, REFERENCE).tolist() == [0.0, 0.0, 0.0]


def test_a_function_of_ones_own_gets_the_histories_by_name():
    found = measure(lambda runs, reference: (runs["u"] - reference["v"])[:, 7], "u", "v")
    np.testing.assert_array_equal(found(RUNS, REFERENCE), RUNS["u"][:, 7] - REFERENCE["v"][:, 7])
    assert found.signals == ("u", "v")


class Crest:
    """An object that is called as a measure."""

    signals = ("u",)

    def __call__(self, runs, reference):
        return runs["u"].max(axis=1)


def test_any_object_with_signals_is_a_measure():
    taken = as_measure("crest", Crest())
    assert taken.signals == ("u",)
    np.testing.assert_array_equal(taken(RUNS), RUNS["u"].max(axis=1))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: measure(3.0, "u"), "A measure needs a function of (runs, reference), got 3.0."),
        (lambda: measure(len), "A measure needs the names of the signals it is made of, got ()."),
        (lambda: bounded("u", 0.0), "above 0, got 0.0."),
        (lambda: as_measure("m", "peak"), "Measure 'm' must be one of hybsim.studies.measures"),
        (lambda: as_measure("m", len), "Measure 'm' must be one of hybsim.studies.measures"),
    ],
)
def test_what_is_no_measure_is_refused(make, sentence):
    with pytest.raises(ParameterError) as refused:
        make()
    assert sentence in str(refused.value)


def test_the_examples_in_the_module_are_right():
    found = doctest.testmod(measures)
    assert found.failed == 0 and found.attempted >= 7
