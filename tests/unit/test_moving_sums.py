"""Sums over a moving window: equal to the plain sum, and without the drift of adding and taking away."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hybsim.blocks.moving_sums import renew, slide


def moved(values, window, renewing=True):
    """The sum at every tick."""
    sums, fresh, result = [0.0], [0.0], []
    for k, new in enumerate(values):
        slide(sums, fresh, 0, new, values[k - window] if k >= window else 0.0)
        if renewing and (k + 1) % window == 0:
            renew(sums, fresh)
        result.append(sums[0])
    return np.array(result)


def test_it_is_the_plain_sum_over_the_window():
    values = np.random.default_rng(1).normal(size=500).tolist()
    expected = [math.fsum(values[max(0, k - 36) : k + 1]) for k in range(500)]
    assert moved(values, 37) == pytest.approx(expected, abs=1e-13)


def test_a_million_ticks_and_a_large_number_long_gone_leave_no_trace():
    window, n = 100, 1_000_000
    values = np.random.default_rng(2).normal(size=n)
    values[1000] = 1e12
    values = values.tolist()
    exact = math.fsum(values[n - window - 50 : n - 50])
    errors = [abs(moved(values, window, renewing)[n - 51] - exact) for renewing in (True, False)]
    assert errors[0] < 1e-12
    assert errors[1] > 1e-6  # what is avoided
