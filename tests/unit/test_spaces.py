"""Parameter spaces: grids in order, random points in their ranges, Sobol points that fill the space evenly."""

import doctest

import numpy as np
import pytest
from scipy import stats

import hybsim as hs
from hybsim.errors import ParameterError
from hybsim.studies import spaces
from hybsim.studies.spaces import Space, as_space, grid, random, sobol


def test_a_grid_has_every_combination_with_the_last_name_fastest():
    space = grid({"a": [1, 2], "b": np.array([0.5, 1.5, 2.5])})
    assert space.shape == (2, 3) and len(space) == 6
    assert space.points[:4] == [{"a": 1, "b": 0.5}, {"a": 1, "b": 1.5}, {"a": 1, "b": 2.5}, {"a": 2, "b": 0.5}]
    assert type(space.points[0]["b"]) is float


def test_a_mapping_of_lists_and_a_list_of_points_are_spaces_too():
    assert as_space({"a": [1, 2]}) == grid({"a": [1, 2]})
    assert as_space([{"a": 1}, {"b": 2}]) == Space([{"a": 1}, {"b": 2}], (2,))


@pytest.mark.parametrize("spread", [random, sobol])
def test_points_lie_in_their_ranges_and_follow_the_seed(spread):
    ranges = {"u": (2.0, 3.0), "whole": range(10, 20, 2), "word": ["x", "y"], "normal": stats.norm(5.0, 0.1)}
    space = spread(ranges, 512, seed=3)
    columns = {name: [point[name] for point in space.points] for name in ranges}
    assert space.shape == (512,) and list(space.points[0]) == list(ranges)
    assert all(2.0 <= u < 3.0 for u in columns["u"])
    assert set(columns["whole"]) == {10, 12, 14, 16, 18} and all(type(w) is int for w in columns["whole"])
    assert set(columns["word"]) == {"x", "y"}
    # Standard errors of the mean: 0.29 / sqrt(512) for the uniform one, 0.1 / sqrt(512) for the normal one.
    assert np.mean(columns["u"]) == pytest.approx(2.5, abs=4 * 0.29 / 512**0.5)
    assert np.mean(columns["normal"]) == pytest.approx(5.0, abs=4 * 0.1 / 512**0.5)
    assert spread(ranges, 512, seed=3).points == space.points
    assert spread(ranges, 512, seed=4).points != space.points


def test_a_power_of_two_of_sobol_points_is_balanced_in_every_direction():
    """64 = 2^6 points in two directions are a (0, 6, 2)-net: one in each of 8 x 8 squares and of 64 slabs either way."""
    points = np.array([list(p.values()) for p in sobol({"a": (0.0, 1.0), "b": (0.0, 1.0)}, 64).points])
    for column in points.T:
        assert sorted((column * 64).astype(int)) == list(range(64))
    squares = np.histogram2d(*points.T, bins=8, range=[[0, 1], [0, 1]])[0]
    assert squares.max() == squares.min() == 1


def test_fewer_points_than_a_power_of_two_are_the_first_of_them():
    ranges = {"a": (0.0, 1.0)}
    assert sobol(ranges, 5).points == sobol(ranges, 8).points[:5]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: grid({}), "A grid needs a mapping from parameters to lists of values, got {}."),
        (lambda: grid({"a": []}), "The values of 'a' must be a list that is not empty, got []."),
        (lambda: grid({"a": 3.0}), "The values of 'a' must be a list that is not empty, got 3.0."),
        (lambda: grid({"a": "text"}), "The values of 'a' must be a list that is not empty, got 'text'."),
        (lambda: random({}, 3), "The ranges must be a mapping from parameters to (low, high), got {}."),
        (lambda: random({"a": (0.0, 1.0)}, 0), "The number of points must be a whole number of at least 1, got 0."),
        (lambda: random({"a": (0.0, 1.0)}, 2.5), "The number of points must be a whole number of at least 1, got 2.5."),
        (lambda: sobol({"a": (0.0, 1.0)}, 2, seed=-1), "The seed must be a whole number of at least 0, got -1."),
        (
            lambda: random({"a": (1.0, 0.0)}, 2),
            "The range of 'a' must be two numbers (low, high) with low <= high, got (1.0, 0.0).",
        ),
        (lambda: random({"a": (0.0, 1.0, 2.0)}, 2), "must be two numbers (low, high)"),
        (lambda: random({"a": (0.0, np.inf)}, 2), "must be two numbers (low, high)"),
        (lambda: random({"a": range(0)}, 2), "The range of 'a' is empty: range(0, 0)."),
        (
            lambda: random({"a": 3.0}, 2),
            "must be (low, high), a range, a list or a distribution of scipy.stats, got 3.0.",
        ),
        (lambda: random({"a": stats.norm(np.nan, 1.0)}, 2), "The distribution of 'a' gives nan;"),
        (lambda: as_space([]), "The space of a study is empty; give it at least one point."),
        (
            lambda: as_space("lag.mean"),
            "must be grid(...), random(...), sobol(...) or a list of mappings, got 'lag.mean'.",
        ),
        (lambda: as_space([1.0]), "A point of a study must be a mapping from parameters to values, got 1.0."),
    ],
)
def test_a_space_that_makes_no_sense_is_refused(make, sentence):
    with pytest.raises(ParameterError) as refused:
        make()
    assert sentence in str(refused.value)


def test_the_public_names_are_these_functions():
    assert (hs.grid, hs.random, hs.sobol) == (grid, random, sobol)


def test_the_examples_in_the_module_are_right():
    found = doctest.testmod(spaces)
    assert found.failed == 0 and found.attempted >= 4
