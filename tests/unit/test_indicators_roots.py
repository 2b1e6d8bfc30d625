"""The rightmost root and the number of roots beyond a line, against roots found and counted in another way."""

from __future__ import annotations

import doctest
import math
import time

import numpy as np
import pytest
from delayed_oscillator import Partition, rightmost, turns, value

from hybsim.studies.eerc.delayed_response import rightmost_root
from hybsim.studies.indicators import roots as subject
from hybsim.studies.indicators.roots import count_right, dominant_root, dominant_root_map

CASES = [
    (Partition(0.8, 0.5, 0.1, 0.02), 0.1),
    (Partition(0.7, 0.4, 0.9, 0.1), 3.0),
    (Partition(0.7, 0.4, 0.9, 0.1), 8.0),
    (Partition(1.0, 0.0, 0.5, 0.3), 1.0),
    (Partition(0.9, 0.3, 0.8, 1.5), 0.05),
    (Partition(0.6, 0.9, 0.7, 0.2), 2.0),
    (Partition(0.55, 0.5, 0.1, 0.05), 5.0),
    (Partition(1.0, 1.0, 0.0, 0.01), 12.0),
]


@pytest.mark.parametrize(("part", "omega"), CASES)
def test_the_rightmost_root_is_the_one_found_from_many_starts(part: Partition, omega: float) -> None:
    found = dominant_root(*part, omega)
    assert abs(value(np.array(found), part, omega)) < 1e-12
    assert found == pytest.approx(rightmost(part, omega, left=min(-0.05, found.real - 0.3), top=20.0), rel=1e-9)


@pytest.mark.parametrize("zeta", [0.01, 0.2, 1.0, 3.0])
@pytest.mark.parametrize("omega", [0.01, 0.4, 3.0, 30.0])
def test_a_delayed_spring_alone_is_as_by_the_discretised_history_of_eerc(zeta: float, omega: float) -> None:
    assert dominant_root(1.0, 1.0, 0.0, zeta, omega) == pytest.approx(rightmost_root(zeta, omega), rel=1e-9, abs=1e-9)


def test_roots_beyond_a_line_are_as_many_as_the_turns_along_a_box() -> None:
    rng = np.random.default_rng(11)
    numbers = []
    for _ in range(150):
        part = Partition(*rng.uniform(size=3), float(10.0 ** rng.uniform(-2.0, 0.3)))
        omega = float(10.0 ** rng.uniform(-1.0, 1.0))
        limit = math.log((1.0 - part.alpha) / part.alpha) / omega
        line = max(-1.0, limit + 0.3) + float(rng.uniform(0.0, 0.4))
        expected = turns(part, omega, line, line + 60.0, 120.0)
        assert float(count_right(line, *part, omega)) == expected
        numbers.append(expected)
    assert len(set(numbers)) > 3


def test_no_root_lies_to_the_right_of_the_rightmost() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        part = Partition(rng.uniform(0.51, 1.0), *rng.uniform(size=2), float(10.0 ** rng.uniform(-2.0, 0.3)))
        omega = float(10.0 ** rng.uniform(-1.0, 1.0))
        found = dominant_root(*part, omega)
        assert turns(part, omega, found.real + 1e-4, found.real + 40.0, 80.0) == 0
        if math.isfinite(found.imag):
            assert abs(value(np.array(found), part, omega)) < 1e-10
            box = (found.real - 1e-5, found.real + 1e-4, found.imag + 1.0)
            assert turns(part, omega, *box) > 0


@pytest.mark.parametrize(
    ("zeta", "expected"),
    [(0.05, complex(-0.05, math.sqrt(1 - 0.05**2))), (1.0, -1.0), (1e4, -0.5e-4), (2.0, -2.0 + math.sqrt(3.0))],
)
def test_without_delay_it_is_the_root_of_the_reference_structure(zeta: float, expected: complex) -> None:
    assert dominant_root(0.3, 0.5, 0.7, zeta, 0.0) == pytest.approx(expected, rel=1e-8)


def test_nothing_delayed_is_the_reference_structure_at_any_delay() -> None:
    assert dominant_root(1.0, 1.0, 1.0, 0.05, 4.0) == pytest.approx(complex(-0.05, math.sqrt(1 - 0.05**2)), rel=1e-12)


def test_where_no_root_attains_the_largest_real_part_it_is_the_limit_of_the_roots_of_high_frequency() -> None:
    # More damped than its roots of high frequency: they tend to ln(0.45/0.55)/3 from the left.
    part, omega = Partition(0.55, 0.9, 0.55, 0.6), 3.0
    limit = math.log(0.45 / 0.55) / omega
    found = dominant_root(*part, omega)
    assert found.real == pytest.approx(limit, rel=1e-12) and found.imag == math.inf
    assert turns(part, omega, limit + 1e-4, 20.0, 300.0) == 0
    assert turns(part, omega, limit - 2e-3, 20.0, 300.0) > 100
    neutral = dominant_root(0.0, 0.5, 0.5, 0.05, 0.1)
    assert neutral.real == math.inf


def test_a_double_root_is_found_too() -> None:
    # Nothing is delayed, and the structure is critically damped.
    assert dominant_root(1.0, 1.0, 1.0, 1.0, 0.3) == pytest.approx(-1.0, abs=1e-6)


def test_maps_broadcast_and_are_quick() -> None:
    gamma, omega = np.linspace(0.0, 1.0, 60)[:, None], np.linspace(0.0, 3.0, 50)[None, :]
    start = time.perf_counter()
    found = dominant_root_map(0.9, 0.6, gamma, 0.05, omega)
    assert time.perf_counter() - start < 2.0
    assert found.shape == (60, 50)
    assert found[7, 11] == pytest.approx(
        dominant_root(0.9, 0.6, float(gamma[7, 0]), 0.05, float(omega[0, 11])), rel=1e-13
    )


def test_the_examples_run() -> None:
    found = doctest.testmod(subject)
    assert found.attempted > 1 and found.failed == 0
