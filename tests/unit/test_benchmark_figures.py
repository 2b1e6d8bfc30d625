"""The arithmetic of the benchmark report: medians, quartiles, ratios and aims."""

import importlib
import json
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def timing(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("timing")


@pytest.fixture
def figures(timing):
    return importlib.import_module("figures")


def test_median_and_quartiles_of_known_samples(timing):
    # Inclusive quartiles of 1..5 are the second and the fourth number.
    found = timing.spread([5.0, 1.0, 4.0, 2.0, 3.0])
    assert (found.low, found.median, found.high) == (2.0, 3.0, 4.0)
    assert timing.spread([7.0]).median == 7.0


def test_a_ratio_is_taken_round_by_round(timing):
    # A round in which everything took ten times as long leaves the ratio as it is.
    assert timing.ratio([2.0, 20.0, 4.0], [1.0, 10.0, 1.0]).samples == (2.0, 2.0, 4.0)


def test_candidates_take_turns_after_one_call_that_does_not_count(timing):
    calls = []
    times = timing.by_turns(3, a=lambda: calls.append("a"), b=lambda: calls.append("b"))
    assert "".join(calls) == "ab" + "ab" + "ba" + "ab"
    assert [len(samples) for samples in times.values()] == [3, 3]


def test_the_clock_given_is_the_clock_used(timing):
    ticks = iter(range(100))
    times = timing.by_turns(2, lambda: float(next(ticks)), a=lambda: None)
    assert times == {"a": [1.0, 1.0]}


@pytest.mark.parametrize(
    ("median", "aim", "at_least", "reached"),
    [(1.15, 1.15, False, True), (1.16, 1.15, False, False), (0.85, 0.85, True, True), (0.84, 0.85, True, False)],
)
def test_an_aim_is_reached_up_to_its_bound(timing, figures, median, aim, at_least, reached):
    figure = figures.Figure("what", timing.spread([median]), aim=aim, at_least=at_least)
    assert figure.reached is reached


def test_a_figure_in_json_keeps_its_samples_and_says_what_has_no_aim(timing, figures):
    figure = figures.Figure("what", timing.spread([1.0, 3.0]), measured={"ours": timing.spread([0.5])})
    report = json.loads(json.dumps(figure.as_json()))
    assert report["aim"] is None and report["reached"] is None
    assert report["value"] == {"median": 2.0, "quartiles": [1.5, 2.5], "samples": [1.0, 3.0]}
    assert report["measured_s"]["ours"]["samples"] == [0.5]
