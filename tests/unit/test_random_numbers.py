"""MRG32k3a, its seeding and its normal deviates, against published values and exact integer arithmetic."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hybsim.blocks.sources.random_numbers import normal, seeded, seeded_normals, splitmix64, uniform

M1, M2 = 2**32 - 209, 2**32 - 22853


def reference(seeds):
    """L'Ecuyer (1999) in Python's unlimited integers: the stream of u_n."""
    a, b = list(seeds[:3]), list(seeds[3:])
    while True:
        a = [*a[1:], (1403580 * a[1] - 810728 * a[0]) % M1]
        b = [*b[1:], (527612 * b[2] - 1370589 * b[0]) % M2]
        z = (a[2] - b[2]) % M1
        yield (z or M1) * (1.0 / (M1 + 1))


def drawn(seeds, count):
    state = [float(s) for s in seeds]
    return [uniform(state) for _ in range(count)]


def test_published_values_for_the_seed_12345():
    # RngStreams, L'Ecuyer et al. 2002: the first numbers of the first stream.
    expected = [0.127011122046577, 0.318527565396795, 0.309186015583270, 0.825846862927114, 0.221629915782023]
    assert drawn([12345] * 6, 5) == pytest.approx(expected, abs=6e-16)


first = st.integers(0, M1 - 1)
second = st.integers(0, M2 - 1)


@given(st.tuples(first, first, first, second, second, second))
def test_float_state_is_exact_integer_arithmetic(seeds):
    assert drawn(seeds, 50) == list(itertools.islice(reference(seeds), 50))


@pytest.mark.parametrize(
    "seeds",
    [
        [M1 - 1] * 3 + [M2 - 1] * 3,
        [0, M1 - 1, 0, 0, 0, M2 - 1],  # the largest products
        [M1 - 1, 0, 0, M2 - 1, 0, 0],  # the most negative ones
        [0, 0, 1, 0, 0, 1],
    ],
)
def test_extreme_states_are_exact(seeds):
    assert drawn(seeds, 2000) == list(itertools.islice(reference(seeds), 2000))


def test_equal_components_give_a_number_below_one_not_zero():
    # a_n = b_n = 0 is the only state with remainder 0 that is easy to reach: u = m1 / (m1 + 1).
    (u,) = drawn([0, 0, 1, 0, 1, 0], 1)
    assert u == pytest.approx(M1 / (M1 + 1), rel=1e-15)
    assert u < 1.0


def test_splitmix64_gives_its_published_sequence():
    # The vector for seed 1234567 that ports of Vigna's splitmix64.c are checked with.
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert splitmix64(1234567, 4) == expected
    assert splitmix64(0, 1) == [0xE220A8397B1DCDAF]


@given(st.integers(0, 2**53 - 1))
def test_seeds_are_valid_states(seed):
    state = seeded(seed)
    assert len(state) == 6
    assert all(s == int(s) for s in state)
    assert all(1 <= s < M1 for s in state[:3])
    assert all(1 <= s < M2 for s in state[3:])


def test_neighbouring_seeds_give_unrelated_streams():
    count = 2000
    streams = np.array([seeded_normals(seed, count)[1] for seed in (0, 1, 2, 3, 2**32, 2**53 - 1)])
    correlation = np.corrcoef(streams)[np.triu_indices(len(streams), 1)]
    assert np.abs(correlation).max() < 5.0 / math.sqrt(count)
    assert len({tuple(seeded(seed)) for seed in range(1000)}) == 1000


def test_normals_are_box_muller_of_the_uniform_stream():
    seeds = [int(s) for s in seeded(7)]
    u = list(itertools.islice(reference(seeds), 40))
    expected = [
        math.sqrt(-2.0 * math.log(r)) * math.cos(2.0 * math.pi * a) for r, a in zip(u[::2], u[1::2], strict=True)
    ]
    state, numbers = seeded_normals(7, 20)
    assert numbers.tolist() == expected
    assert normal(state) == pytest.approx(seeded_normals(7, 21)[1][-1], rel=1e-15)


def test_normals_are_distributed_normally():
    count = 20_000
    z = seeded_normals(2024, count)[1]
    assert abs(z.mean()) < 4.5 / math.sqrt(count)
    assert abs(z.var() - 1.0) < 4.5 * math.sqrt(2.0 / count)
    assert abs(stats.skew(z)) < 4.5 * math.sqrt(6.0 / count)
    assert abs(stats.kurtosis(z)) < 4.5 * math.sqrt(24.0 / count)
    assert stats.kstest(z, "norm").pvalue > 1e-5
    lagged = np.corrcoef(z[:-1], z[1:])[0, 1]
    assert abs(lagged) < 4.5 / math.sqrt(count)


def test_uniform_numbers_fill_the_unit_interval_evenly():
    u = drawn([int(s) for s in seeded(99)], 20_000)
    assert 0.0 < min(u) < 1e-3
    assert 1.0 - 1e-3 < max(u) < 1.0
    assert stats.kstest(u, "uniform").pvalue > 1e-5
