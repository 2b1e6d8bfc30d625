"""Sobol indices against functions whose indices are known in closed form."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import norm

from hybsim.errors import ParameterError
from hybsim.studies.uncertainty.sobol_indices import Indices, design, indices

A, B = 7.0, 0.1
ISHIGAMI_VARIANCE = A**2 / 8 + B * math.pi**4 / 5 + B**2 * math.pi**8 / 18 + 0.5
FIRST_ORDER = {"x": 0.5 * (1 + B * math.pi**4 / 5) ** 2, "y": A**2 / 8, "z": 0.0}
WITH_Z = 8 * B**2 * math.pi**8 / 225
TOTAL = {"x": FIRST_ORDER["x"] + WITH_Z, "y": FIRST_ORDER["y"], "z": WITH_Z}

G = {"a": 0.0, "b": 1.0, "c": 4.5, "d": 9.0, "e": 99.0}


def ishigami(p) -> float:
    return math.sin(p["x"]) + A * math.sin(p["y"]) ** 2 + B * p["z"] ** 4 * math.sin(p["x"])


def g_function(p) -> float:
    return math.prod((abs(4.0 * p[name] - 2.0) + a) / (1.0 + a) for name, a in G.items())


def of(function, ranges, base, *, seed=1, **options) -> Indices:
    return indices(list(ranges), np.array([function(p) for p in design(ranges, base, seed=seed)]), **options)


def g_closed_form() -> tuple[dict[str, float], dict[str, float]]:
    parts = {name: 1.0 / (3.0 * (1.0 + a) ** 2) for name, a in G.items()}
    variance = math.prod(1.0 + v for v in parts.values()) - 1.0
    total = {n: v * math.prod(1.0 + w for m, w in parts.items() if m != n) / variance for n, v in parts.items()}
    return {n: v / variance for n, v in parts.items()}, total


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_ishigami_function(seed) -> None:
    """Interaction of x and z only: z acts through x, and has no effect by itself."""
    found = of(ishigami, dict.fromkeys("xyz", (-math.pi, math.pi)), 2048, seed=seed)
    for name in "xyz":
        assert found.first[name] == pytest.approx(FIRST_ORDER[name] / ISHIGAMI_VARIANCE, abs=0.02)
        assert found.total[name] == pytest.approx(TOTAL[name] / ISHIGAMI_VARIANCE, abs=0.02)
        low, high = found.first_interval[name]
        assert low < FIRST_ORDER[name] / ISHIGAMI_VARIANCE < high
        low, high = found.total_interval[name]
        assert low < TOTAL[name] / ISHIGAMI_VARIANCE < high


def test_g_function() -> None:
    first, total = g_closed_form()
    found = of(g_function, dict.fromkeys(G, (0.0, 1.0)), 4096)
    assert found.first == pytest.approx(first, abs=0.02)
    assert found.total == pytest.approx(total, abs=0.02)
    for name in G:
        assert found.first_interval[name][0] < first[name] < found.first_interval[name][1]
        assert found.total_interval[name][0] < total[name] < found.total_interval[name][1]


def test_a_sum_of_normal_inputs() -> None:
    """Var = sum of c^2 sigma^2, and nothing interacts; also with a large mean, which must not cost digits."""
    ranges = {"a": norm(0.0, 1.0), "b": norm(5.0, 2.0), "c": norm(0.0, 1.0)}
    found = of(lambda p: 1e4 + p["a"] + p["b"] + 2.0 * p["c"], ranges, 1024)
    shares = {"a": 1 / 9, "b": 4 / 9, "c": 4 / 9}
    assert found.first == pytest.approx(shares, abs=0.02)
    assert found.total == pytest.approx(shares, abs=0.02)


def test_the_intervals_hold_the_truth_about_as_often_as_they_claim() -> None:
    """Independent samples: for those the bootstrap is made; a Sobol sequence only does better."""
    inside = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        a, b = rng.uniform(-math.pi, math.pi, (2, 256, 3))
        rows = [a, b, *(np.where(np.arange(3) == i, b, a) for i in range(3))]
        y = [ishigami(dict(zip("xyz", row, strict=True))) for part in rows for row in part]
        found = indices("xyz", np.array(y), resamples=200, seed=seed)
        for name in "xyz":
            low, high = found.total_interval[name]
            inside.append(low <= TOTAL[name] / ISHIGAMI_VARIANCE <= high)
    assert 0.88 < np.mean(inside) < 0.99


def test_more_rows_make_narrower_intervals() -> None:
    ranges = dict.fromkeys("xyz", (-math.pi, math.pi))
    widths = []
    for base in (64, 512, 4096):
        low, high = of(ishigami, ranges, base).total_interval["x"]
        widths.append(high - low)
    for wide, narrow in pairwise(widths):
        assert 2.0 < wide / narrow < 4.0, "by about sqrt(8)"


def test_an_input_without_effect_has_no_total_index() -> None:
    found = of(lambda p: p["x"] ** 2, {"x": (0.0, 1.0), "idle": (0.0, 1.0)}, 64)
    assert found.total["idle"] == 0.0 and found.total_interval["idle"] == (0.0, 0.0)


def test_a_value_that_does_not_vary_has_no_indices() -> None:
    found = of(lambda p: 3.0, {"x": (0.0, 1.0)}, 16)
    assert found.first == {"x": 0.0} and found.total == {"x": 0.0}


def test_the_design_exchanges_one_input_at_a_time() -> None:
    ranges = {"x": (0.0, 1.0), "y": (10.0, 20.0), "n": range(1000)}
    points = design(ranges, 8, seed=5)
    a, b = points[:8], points[8:16]
    assert len(points) == 8 * 5
    for i, name in enumerate(ranges):
        mixed = points[8 * (i + 2) : 8 * (i + 3)]
        assert mixed == [{**one, name: other[name]} for one, other in zip(a, b, strict=True)]
    assert a != b and points == design(ranges, 8, seed=5) != design(ranges, 8, seed=6)


def test_equal_seeds_give_equal_indices_and_rows_are_plain() -> None:
    one, two = (of(ishigami, dict.fromkeys("xyz", (-math.pi, math.pi)), 64, seed=9) for _ in range(2))
    assert one == two
    assert [row["input"] for row in one.rows()] == ["x", "y", "z"]
    assert one.rows()[0]["total_high"] == one.total_interval["x"][1]


@pytest.mark.parametrize(
    "values, words",
    [
        ([1.0] * 7, "a multiple of 4 points, got values of the shape \\(7,\\)"),
        ([], "a multiple of 4 points, got values of the shape \\(0,\\)"),
        ([1.0, 2.0, math.nan, 4.0], "1 of 4 values are not finite"),
    ],
)
def test_values_that_are_no_design_are_refused(values, words) -> None:
    with pytest.raises(ParameterError, match=words):
        indices(["x", "y"], np.array(values))
