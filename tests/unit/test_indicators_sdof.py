"""Stability switches, critical delay and PSI against roots of the characteristic equation found numerically."""

from __future__ import annotations

import doctest
import math
import time
from itertools import pairwise

import numpy as np
import pytest
from delayed_oscillator import Partition, rightmost, turns, value
from scipy.optimize import brentq

from hybsim.errors import ParameterError
from hybsim.studies.eerc.delayed_response import critical_phase_delay
from hybsim.studies.indicators import characteristic, sdof
from hybsim.studies.indicators.printed_results import TABLE_2_2

PARTITIONS = [
    Partition(0.7, 0.4, 0.9, 0.1),
    Partition(0.9, 0.6, 0.7, 0.1),
    Partition(0.9, 0.6, 0.1, 0.05),
    Partition(0.8, 0.5, 0.65, 0.01),
    Partition(0.95, 0.5, 0.3, 0.01),
    Partition(1.0, 1.0, 0.0, 0.02),
    Partition(1.0, 0.0, 1.0, 0.3),
    Partition(0.6, 0.2, 0.55, 0.2),
    Partition(0.75, 0.82, 0.5, 0.0137),
    Partition(0.55, 0.9, 0.2, 0.7),
    Partition(0.9, 0.3, 0.8, 1.5),
]
UNCONDITIONAL = [
    Partition(0.75, 0.82, 0.75, 0.0137),
    Partition(0.9, 0.6, 0.9, 0.05),
    Partition(0.6, 1.0, 0.6, 0.5),  # both solutions of 2.17 negative: beyond Eq. 2.21
    Partition(0.6, 0.9, 0.5, 0.6),
    Partition(1.0, 1.0, 1.0, 0.02),
]


@pytest.mark.parametrize("part", PARTITIONS)
def test_the_critical_delay_is_where_the_rightmost_root_found_numerically_reaches_the_axis(part: Partition) -> None:
    found = sdof.critical(*part)

    def real_part(omega: float) -> float:
        return rightmost(part, omega, left=-0.8 if part.zeta < 0.5 else -1.4, right=3.0, top=9.0).real

    numerical = brentq(real_part, 0.8 * found.omega, 1.1 * found.omega, xtol=1e-11)
    assert found.omega == pytest.approx(numerical, rel=1e-8)
    assert found.phi == pytest.approx(rightmost(part, numerical).imag, rel=1e-8)
    assert not found.unconditional and not found.neutral and found.warnings == ()


@pytest.mark.parametrize("part", PARTITIONS)
def test_no_root_is_on_the_right_before_the_first_switch(part: Partition) -> None:
    omega = sdof.critical(*part).omega
    for share in (0.05, 0.3, 0.7, 0.99):
        assert turns(part, share * omega, 1e-9, 30.0, 60.0) == 0
    assert turns(part, 1.01 * omega, 1e-9, 30.0, 60.0) == 2


@pytest.mark.parametrize("part", PARTITIONS)
def test_every_switch_is_a_root_on_the_axis_and_roots_move_to_the_side_that_is_said(part: Partition) -> None:
    crossings = sdof.crossings(*part, below=20.0)
    assert crossings[0].omega == sdof.critical(*part).omega
    for each in crossings:
        assert abs(value(1j * each.phi, part, each.omega)) < 1e-11
    for each in crossings[:5]:
        others = [abs(each.omega - other.omega) for other in crossings if other is not each]
        near = min([0.05, *(0.4 * other for other in others)])
        before, after = (turns(part, each.omega + side, 1e-7, 10.0, 40.0) for side in (-near, near))
        assert after - before == (2 if each.to_right else -2)


def test_switches_are_the_crossings_at_which_the_test_becomes_unstable_or_stable_again() -> None:
    part = Partition(0.7, 0.4, 0.9, 0.1)
    found = sdof.switches(*part)
    assert [each.to_right for each in found] == [k % 2 == 0 for k in range(len(found))]
    edges = [0.0, *(each.omega for each in found), found[-1].omega + 1.0]
    for k, (low, high) in enumerate(pairwise(edges)):
        middle = 0.5 * (low + high)
        assert (turns(part, middle, 1e-9, 20.0, 40.0) == 0) == (k % 2 == 0)
        assert bool(sdof.is_stable(*part, middle)) == (k % 2 == 0)
    # After the last switch it stays unstable.
    assert not sdof.is_stable(*part, np.linspace(found[-1].omega + 1e-6, 200.0, 5001)).any()


@pytest.mark.parametrize("part", UNCONDITIONAL)
def test_a_partition_that_is_stable_with_any_delay_has_no_root_on_the_right(part: Partition) -> None:
    found = sdof.critical(*part)
    assert found.unconditional and math.isinf(found.omega) and math.isnan(found.phi)
    assert sdof.switches(*part) == ()
    for omega in (0.01, 0.3, 1.0, 2.0, 3.0, 4.0, 7.0, 15.0):
        assert turns(part, omega, 1e-6, 10.0, 40.0) == 0
    assert sdof.is_stable(*part, np.linspace(0.0, 100.0, 1001)).all()


def test_stable_is_what_turns_say_for_partitions_and_delays_at_random() -> None:
    rng = np.random.default_rng(6)
    seen = {True: 0, False: 0}
    for _ in range(120):
        part = Partition(rng.uniform(0.55, 1.0), rng.uniform(), rng.uniform(), 10.0 ** rng.uniform(-2.0, 0.3))
        omega = float(10.0 ** rng.uniform(-1.5, 1.0))
        stable = turns(part, omega, 0.0, 30.0, 60.0) == 0
        assert bool(sdof.is_stable(*part, omega)) == stable
        seen[stable] += 1
    assert min(seen.values()) > 20


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.4, 0.499])
@pytest.mark.parametrize("gamma", [0.1, 0.9])
def test_with_more_mass_delayed_than_not_no_delay_is_small_enough(alpha: float, gamma: float) -> None:
    found = sdof.critical(alpha, 0.4, gamma, 0.05)
    assert found.omega == 0.0 and found.neutral and not found.unconditional
    assert "more mass is delayed than not" in found.warnings[0] and "numerical substructure" in found.warnings[0]
    assert sdof.switches(alpha, 0.4, gamma, 0.05) == ()
    assert not sdof.is_stable(alpha, 0.4, gamma, 0.05, 1e-6)
    if 0.0 < alpha < 0.45:
        # A root on the right at a delay a thousand times below the smallest that the document would allow.
        part, omega = Partition(alpha, 0.4, gamma, 0.05), 1e-3
        limit = math.log((1.0 - alpha) / alpha) / omega
        assert turns(part, omega, 0.5 * limit, 1.5 * limit, 8.0 * math.pi / omega) > 0


def test_with_half_of_the_mass_delayed_roots_tend_to_the_axis() -> None:
    found = sdof.critical(0.5, 0.9, 0.4, 0.2)
    assert found.omega == 0.0 and found.neutral and "half of the mass is delayed" in found.warnings[0]
    part, top = Partition(0.5, 0.9, 0.4, 0.2), 200.0
    assert turns(part, 1.0, -1e-3, 1.0, top) > 20


@pytest.mark.parametrize("zeta", [0.01, 0.1, 1.0, 3.0])
def test_all_stiffness_and_nothing_else_delayed_is_the_structure_of_eerc(zeta: float) -> None:
    assert sdof.critical(1.0, 1.0, 0.0, zeta).omega == pytest.approx(critical_phase_delay(zeta), rel=1e-12)


def test_a_pair_that_only_touches_the_axis_is_said() -> None:
    found = sdof.critical(0.8, 0.5, 0.8, 0.02)
    assert found.omega == pytest.approx(math.pi, rel=1e-14) and found.phi == pytest.approx(1.0, rel=1e-14)
    assert not found.unconditional and "touches" in found.warnings[0]
    assert sdof.is_stable(0.8, 0.5, 0.8, 0.02, [3.1, math.pi, 3.2]).tolist() == [True, False, True]


@pytest.mark.parametrize("row", TABLE_2_2)
def test_table_2_2(row) -> None:
    part = {1: (0.7, 0.4, 0.9, 0.1), 2: (0.9, 0.6, 0.7, 0.10)}[row.configuration]
    found = sdof.critical(*part)
    assert found.omega == pytest.approx(row.omega_cr, abs=0.0006)
    assert float(sdof.psi(sdof.critical_delay(found.omega, row.omega_n))) == pytest.approx(row.psi, abs=0.006)


def test_psi_at_the_ends() -> None:
    assert sdof.psi([0.0, 0.001, math.inf]).tolist() == [-math.inf, 0.0, math.inf]
    assert float(sdof.psi(0.1, log10=True)) == 2.0


def test_the_map_is_the_critical_delay_of_each_point_and_quick() -> None:
    alpha, gamma = np.meshgrid(np.linspace(0.0, 1.0, 500), np.linspace(0.0, 1.0, 500))
    start = time.perf_counter()
    omega = sdof.omega_cr_map(alpha, 0.6, gamma, 0.05)
    assert time.perf_counter() - start < 5.0
    assert omega.shape == (500, 500) and not np.isnan(omega).any()
    assert (omega[alpha <= 0.5] == 0.0).all() and (omega[alpha > 0.5] > 0.0).all()
    assert np.isinf(omega).any()
    for i, j in ((3, 400), (100, 300), (250, 251), (499, 499), (499, 420)):
        assert omega[i, j] == pytest.approx(sdof.critical(alpha[i, j], 0.6, gamma[i, j], 0.05).omega, rel=1e-14)


@pytest.mark.parametrize(
    "part", [Partition(0.8, 0.5, 0.1, 0.02), Partition(0.9, 0.6, 0.95, 0.05), Partition(1, 1, 0, 0.01)]
)
def test_effective_damping_is_that_of_the_root_while_the_delay_is_small(part: Partition) -> None:
    for omega in (0.002, 0.02):
        root = rightmost(part, omega)
        exact = -root.real / abs(root)
        assert float(sdof.effective_damping(*part, omega)) == pytest.approx(exact, abs=2.0 * omega**2)
    assert float(sdof.effective_damping(*part, 0.0)) == part.zeta
    ratio = value(np.array(1j), part, 0.7).imag / 2.0
    assert float(sdof.effective_damping(*part, 0.7)) == pytest.approx(ratio, rel=1e-14)


BAD = [
    (dict(alpha=1.2), "alpha, the numerical share of the mass, M_n / M, must lie in [0, 1], got 1.2."),
    (dict(alpha=-0.1), "alpha, the numerical share of the mass, M_n / M, must lie in [0, 1], got -0.1."),
    (dict(beta=2.0), "beta, the numerical share of the damping, C_n / C, must lie in [0, 1], got 2."),
    (dict(gamma=math.nan), "gamma, the numerical share of the stiffness, K_n / K, must lie in [0, 1], got nan."),
    (dict(zeta=0.0), "zeta, the damping ratio of the reference structure, must be a finite number above 0, got 0."),
    (dict(zeta=math.inf), "zeta, the damping ratio of the reference structure, must be a finite number above 0, got inf."),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "words"), BAD)
def test_what_is_no_partition_is_refused(wrong: dict, words: str) -> None:
    part = {**dict(alpha=0.8, beta=0.5, gamma=0.1, zeta=0.02), **wrong}
    for function in (sdof.critical, sdof.switches, sdof.crossings, sdof.omega_cr_map):
        with pytest.raises(ParameterError) as refused:
            function(**part)
        assert str(refused.value) == words
    for function in (sdof.dominant_root, sdof.effective_damping, sdof.is_stable):
        with pytest.raises(ParameterError) as refused:
            function(**part, omega_tau=0.1)
        assert str(refused.value) == words


def test_delays_and_frequencies_that_cannot_be_are_refused() -> None:
    with pytest.raises(
        ParameterError, match="omega_tau, the delay times the natural frequency, .* of at least 0, got -0.1"
    ):
        sdof.dominant_root(0.8, 0.5, 0.1, 0.02, -0.1)
    with pytest.raises(ParameterError, match="omega_n, the natural frequency in rad/s, .* above 0, got 0"):
        sdof.critical_delay(1.0, 0.0)
    with pytest.raises(ParameterError, match="tau_cr must be at least 0 s, got -1"):
        sdof.psi(-1.0)
    with pytest.raises(ParameterError, match=r"must lie in \[0, 1\], got 1.5"):
        sdof.omega_cr_map(np.array([0.5, 1.5]), 0.5, 0.5, 0.05)


@pytest.mark.parametrize("module", [characteristic, sdof])
def test_the_examples_run(module) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 1 and found.failed == 0


def test_more_crossings_than_can_be_listed_are_refused():
    with pytest.raises(
        ParameterError, match="more than 1,000,000 crossings below Omega = 100; ask for fewer with below="
    ):
        sdof.crossings(0.5 + 1e-14, 0.6, 0.8, 0.05)
