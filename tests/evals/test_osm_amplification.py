"""Amplification matrices of OSM, OSM-US and alpha-OS, against the blocks run step by step and against theory."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import hybsim as hs
from hybsim.diagrams.osm_columns import largest_step
from hybsim.errors import ParameterError
from hybsim.studies.osm.amplification import (
    alpha_os_matrix,
    characteristics,
    curve,
    figures_14_to_17,
    osm_matrix,
    spectral_radius,
)

WS = (0.1, 0.7, 2.0, 5.0)


def one_osm_step(state, w, xi, alpha, beta):
    """Eqs. 2, 3 and 13 written out, mass 1 and dt 1: from the predictors and the acceleration of a step to the next."""
    d_pred, v_pred, a = state
    d, v = d_pred + a / 4, v_pred + a / 2
    d_next, v_next = d + v + a / 4, v + a / 2
    effective = 1 + beta * 2 * xi * w / 2 + alpha * w * w / 4
    return np.array([d_next, v_next, (-(w * w) * d_next - 2 * xi * w * v_next) / effective])


def one_alpha_os_step(state, w, xi, al, ratio):
    """Eq. 5 of the paper, literally, mass 1 and dt 1."""
    d, v, a, d_before = state
    beta, gamma, c, k, k0 = (1 - al) ** 2 / 4, 0.5 - al, 2 * xi * w, w * w, ratio * w * w
    v_before = v - gamma * a  # the predictor of the last step
    d_pred, v_pred = d + v + (1 - 2 * beta) / 2 * a, v + (1 - gamma) * a
    right = al * k * d_before - (1 + al) * k * d_pred + al * c * v_before - (1 + al) * c * v_pred
    right += al * (gamma * c + beta * k0) * a
    a_new = right / (1 + gamma * (1 + al) * c + beta * (1 + al) * k0)
    return np.array([d_pred + beta * a_new, v_pred + gamma * a_new, a_new, d_pred])


@pytest.mark.parametrize("w", WS)
@pytest.mark.parametrize(("xi", "alpha", "beta"), [(0.0, 1.0, 1.0), (0.02, 0.8, 1.0), (0.05, 1.5, 2.0)])
def test_osm_matrix_is_one_step_from_unit_vectors(w, xi, alpha, beta):
    columns = np.array([one_osm_step(unit, w, xi, alpha, beta) for unit in np.eye(3)]).T
    np.testing.assert_allclose(osm_matrix(w, xi, alpha=alpha, beta=beta), columns, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("w", WS)
@pytest.mark.parametrize(("xi", "al", "ratio"), [(0.0, -0.1, 1.0), (0.05, -0.3, 1.0), (0.02, -0.2, 1.4)])
def test_alpha_os_matrix_is_equation_5_from_unit_vectors(w, xi, al, ratio):
    """The paper's last term uses the corrector of the last step: r_n = r~_n + K (d_n - d~_n), so K is K0 there."""
    states = np.random.default_rng(1).normal(size=(6, 4))
    for state in states:
        d, v, a, _ = state
        beta = (1 - al) ** 2 / 4
        state = np.array([d, v, a, d - beta * a])  # a state that a step can have left: d = d~ + beta a
        expected = one_alpha_os_step(state, w, xi, al, ratio)
        np.testing.assert_allclose(alpha_os_matrix(w, xi, dissipation=al, alpha=ratio) @ state, expected, rtol=1e-12)


def free_vibration(block, w, xi, ratio, ticks, **own):
    """Targets of the block itself, mass 1 and dt 1, a spring of w^2, released at 1 with no velocity."""
    bd = hs.BDSim().blockdiagram(dt=1.0)
    structure = getattr(bd, block)(
        name="s", mass=1.0, damping=2 * xi * w, stiffness=ratio * w * w, initial_disp=1.0, **own
    )
    spring = bd.SPRING(name="k", stiffness=w * w)
    bd.connect(structure.disp_target, spring)
    bd.connect(spring, structure.force)
    bd.connect(bd.CONSTANT(0.0, name="f"), structure.load)
    result = hs.compile(bd).run(float(ticks))
    return result["s.disp_target"]


@pytest.mark.parametrize("w", (0.3, 1.1))
@pytest.mark.parametrize(("xi", "ratio"), [(0.0, 1.0), (0.03, 1.0), (0.03, 0.8), (0.0, 1.5)])
def test_the_block_os_runs_as_the_matrix_says(w, xi, ratio):
    seen = free_vibration("OS", w, xi, ratio, 40)
    # At the first tick the block takes a_0 = -w^2 at d_0 = 1: then d_1~ = 1 + a_0/4, v_1~ = a_0/2, and Eq. 13 for a_1.
    d, v = 1.0 - w * w / 4, -w * w / 2
    x = np.array([d, v, (-w * w * d - 2 * xi * w * v) / (1 + xi * w + ratio * w * w / 4)])
    matrix = osm_matrix(w, xi, alpha=ratio)
    for target in seen[1:]:
        assert target == pytest.approx(x[0], rel=1e-9, abs=1e-9)
        x = matrix @ x


@pytest.mark.parametrize("w", (0.3, 1.1))
def test_the_block_osm_us_finds_the_tangent_and_runs_with_alpha_1(w):
    """Told 1.5 times the stiffness, it knows better after the first increment: from there on alpha is 1."""
    seen = free_vibration("OSM_US", w, 0.0, 1.5, 12, steps=1)
    matrix = osm_matrix(w, 0.0)
    trace, product = 2 + matrix[2, 1], 1 + matrix[2, 1] - matrix[2, 0]
    turn = int(np.argmin(seen))
    for k in range(4, min(turn, 12)):  # until the first reversal the estimate stands
        assert seen[k] == pytest.approx(trace * seen[k - 1] - product * seen[k - 2], rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("w", (0.3, 1.1))
@pytest.mark.parametrize(("al", "ratio"), [(-0.1, 1.0), (-0.3, 1.3)])
def test_the_block_alpha_os_obeys_the_characteristic_polynomial(w, al, ratio):
    """Cayley-Hamilton: targets of a linear system satisfy the polynomial of its matrix, whatever the start."""
    seen = free_vibration("ALPHA_OS", w, 0.03, ratio, 40, alpha=al)
    polynomial = np.poly(alpha_os_matrix(w, 0.03, dissipation=al, alpha=ratio))
    for k in range(6, len(seen)):
        assert abs(polynomial @ seen[k - 4 : k + 1][::-1]) < 1e-10


def test_no_dissipation_is_osm():
    for w in WS:
        ours = np.sort_complex(np.linalg.eigvals(alpha_os_matrix(w, 0.02, dissipation=0.0, alpha=0.9)))
        osm = np.linalg.eigvals(osm_matrix(w, 0.02, alpha=0.9))
        nonzero = osm[np.abs(osm) > 1e-9]
        for value in nonzero:
            assert np.abs(ours - value).min() < 1e-7


@pytest.mark.parametrize("w", WS)
def test_osm_with_the_exact_stiffness_is_the_average_acceleration_method(w):
    """tan(W^/2) = W/2 and no numerical damping (Newmark 1959)."""
    found = characteristics(osm_matrix(w, 0.0), w, 0.0)
    assert found.radius == pytest.approx(1.0, abs=1e-7)
    assert found.numerical_damping == pytest.approx(0.0, abs=1e-7)
    assert found.elongation == pytest.approx(w / (2 * math.atan(w / 2)) - 1, rel=1e-6)


def test_elongation_of_a_small_step_is_of_order_two():
    """The angle is W (1 - W^2 (alpha/8 - 1/24)): twice the step, four times the elongation W^2 (3 alpha - 1) / 24."""
    for ratio in (0.8, 1.0, 2.0):
        small = characteristics(osm_matrix(0.05, 0.0, alpha=ratio), 0.05, 0.0).elongation
        assert small == pytest.approx(0.05**2 * (3 * ratio - 1) / 24, rel=5e-3)


@pytest.mark.parametrize("ratio", (0.2, 0.5, 0.9))
def test_the_limit_of_an_underestimated_stiffness(ratio):
    """ERRATA: W = 2 / sqrt(1 - alpha), whatever the damping if that is known."""
    limit = 2 / math.sqrt(1 - ratio)
    assert largest_step(ratio) == pytest.approx(limit, rel=1e-14)
    for xi in (0.0, 0.05):
        assert spectral_radius(osm_matrix(limit * 0.999, xi, alpha=ratio)) <= 1 + 1e-7
        assert spectral_radius(osm_matrix(limit * 1.001, xi, alpha=ratio)) > 1.001
    assert math.isinf(largest_step(1.0))
    assert spectral_radius(osm_matrix(1e3, 0.02, alpha=1.0)) <= 1 + 1e-9


@pytest.mark.parametrize(("al", "ratio"), [(-0.1, 0.7), (-0.2, 0.8), (-0.3, 0.85)])
def test_the_limit_of_alpha_os(al, ratio):
    limit = largest_step(ratio, al)
    assert 0 < limit < math.inf
    assert spectral_radius(alpha_os_matrix(limit * 0.999, 0.0, dissipation=al, alpha=ratio)) <= 1 + 1e-9
    assert spectral_radius(alpha_os_matrix(limit * 1.001, 0.0, dissipation=al, alpha=ratio)) > 1 + 1e-6


def test_no_step_is_stable_below_the_least_ratio_of_alpha_os():
    al = -0.2
    least = 4 * abs(al) / (1 - al) ** 2
    assert largest_step(0.9 * least, al) == 0.0
    assert spectral_radius(alpha_os_matrix(0.5, 0.0, dissipation=al, alpha=0.9 * least)) > 1 + 1e-5
    assert spectral_radius(alpha_os_matrix(0.5, 0.0, dissipation=al, alpha=1.1 * least)) < 1 - 1e-5


def test_alpha_os_with_the_exact_stiffness_is_hht():
    """HHT-alpha at W -> infinity: |lambda| = (1 - |al|) / (1 + |al|) at al = -1/3 is 1/2 (Hilber et al. 1977)."""
    assert spectral_radius(alpha_os_matrix(1e5, 0.0, dissipation=-1 / 3)) == pytest.approx(0.5, abs=2e-3)


def test_what_the_paper_reads_off_its_figures():
    lines = {(c.figure, c.label): c for c in figures_14_to_17()}
    by_xi = [c for (figure, _), c in lines.items() if figure == "xi"]
    for less, more in pairwise(by_xi):
        assert (more.radius < less.radius + 1e-12).all()  # Fig. 14: more damping, smaller radius
        assert (more.numerical_damping <= 1e-9).all()  # Fig. 16a: negative and growing with W and xi
        below = more.w < 2
        assert (np.diff(more.numerical_damping[below]) < 0).all()
        assert (more.numerical_damping[below] <= less.numerical_damping[below] + 1e-9).all()
    elongations = [c.elongation[c.w < 1.5] for (figure, _), c in lines.items() if figure == "alpha"]
    for softer, stiffer in pairwise(elongations):
        assert (stiffer > softer).all()  # Fig. 17a
    by_beta = [c for (figure, _), c in lines.items() if figure == "beta"]
    ends = [c.elongation[49] for c in by_beta]
    assert max(ends) - min(ends) < 0.1 * ends[1] + 0.02  # Fig. 17b: little effect


def test_bad_parameters_are_refused():
    with pytest.raises(ParameterError, match="W = omega dt"):
        osm_matrix(0.0, 0.02)
    with pytest.raises(ParameterError, match="damping ratio"):
        curve("xi", "", np.array([0.1]), xi=1.0)
    with pytest.raises(ParameterError, match="dissipation"):
        alpha_os_matrix(0.1, 0.0, dissipation=-0.5)
