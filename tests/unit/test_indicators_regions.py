"""Regions of no, one and two critical frequencies, and the range that is stable with any delay."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest
from delayed_oscillator import Partition, turns

from hybsim.errors import ParameterError
from hybsim.studies.indicators import regions
from hybsim.studies.indicators.regions import critical_frequencies, number_of_frequencies, unconditional_range
from hybsim.studies.indicators.sdof import omega_cr_map


def sizes_agree(part: Partition) -> int:
    """How often |P| = |Q| on the positive imaginary axis, by changes of sign."""
    phi = np.geomspace(1e-3, 1e3, 200_001)
    a, b, g, z = part
    numerical = (g - a * phi**2) ** 2 + (2 * b * z * phi) ** 2
    physical = (1 - g - (1 - a) * phi**2) ** 2 + (2 * (1 - b) * z * phi) ** 2
    return int(np.count_nonzero(np.diff(np.sign(numerical - physical))))


def test_the_number_of_critical_frequencies_is_that_of_changes_of_sign() -> None:
    rng = np.random.default_rng(2)
    seen = set()
    for _ in range(80):
        part = Partition(rng.uniform(0.52, 0.98), *rng.uniform(size=2), float(10.0 ** rng.uniform(-1.5, 0.2)))
        found = int(number_of_frequencies(*part))
        assert found == sizes_agree(part)
        seen.add(found)
    assert seen == {0, 1, 2}


def test_fig_2_4_case_ii_at_5_percent() -> None:
    gamma = np.linspace(0.0, 1.0, 1001)
    number = number_of_frequencies(0.9, 0.6, gamma, 0.05)
    low, high = unconditional_range(0.9, 0.6, 0.05)
    assert (number[gamma < 0.5] == 1).all()
    assert (number[(gamma > low) & (gamma < high)] == 0).all()
    assert (number[(gamma > 0.5) & ((gamma < low) | (gamma > high))] == 2).all()
    right, left = critical_frequencies(0.9, 0.6, gamma, 0.05)
    assert (right[number == 2] > left[number == 2]).all()


def test_the_range_is_where_2_22_vanishes_as_printed() -> None:
    for alpha, beta, zeta in ((0.9, 0.6, 0.05), (0.9, 0.6, 0.2), (0.75, 0.82, 0.014), (0.6, 0.9, 0.1)):
        b = 4 * (1 - 2 * beta) * zeta**2
        c = -4 * zeta**2 * (1 - 2 * beta) * (1 - 2 * alpha - (1 - 2 * beta) * zeta**2)
        expected = alpha + np.sort(np.roots([1.0, b, c]))
        assert np.array(unconditional_range(alpha, beta, zeta)) == pytest.approx(np.minimum(expected, 1.0), rel=1e-12)


def test_inside_the_range_no_delay_is_too_long_and_outside_one_is() -> None:
    rng = np.random.default_rng(9)
    for _ in range(12):
        alpha, beta, zeta = float(rng.uniform(0.55, 0.99)), float(rng.uniform(0.55, 1.0)), float(rng.uniform(0.01, 0.8))
        low, high = (float(each) for each in unconditional_range(alpha, beta, zeta))
        for gamma in np.linspace(low + 1e-6, high - 1e-6, 5):
            assert math.isinf(omega_cr_map(alpha, beta, gamma, zeta))
            for omega in (0.5, 2.0, 3.2, 6.0):
                assert turns(Partition(alpha, beta, float(gamma), zeta), omega, 1e-7, 5.0, 15.0) == 0
        for gamma in (low - 1e-6, high + 1e-6):
            if gamma <= 1.0:
                assert math.isfinite(omega_cr_map(alpha, beta, gamma, zeta))


def test_the_range_at_the_edges() -> None:
    low, high = unconditional_range(
        np.array([0.5, 0.3, 0.8, 0.8, 0.6]), np.array([0.9, 0.9, 0.4, 0.5, 1.0]), np.array([0.1, 0.1, 0.1, 0.1, 0.5])
    )
    assert np.isnan(low[:3]).all() and np.isnan(high[:3]).all()  # neutral twice, beta < 1/2
    assert low[3] == high[3] == pytest.approx(0.8, rel=1e-14)  # beta = 1/2: one point
    assert low[4] == 0.5 and high[4] == 1.0  # so much damping that all down to 1/2 is in


def test_bad_shares_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"beta, .* must lie in \[0, 1\], got 1.5"):
        unconditional_range(0.9, 1.5, 0.05)


def test_the_examples_run() -> None:
    found = doctest.testmod(regions)
    assert found.attempted > 2 and found.failed == 0
