"""Cubic, coupled, bilinear and Menegotto-Pinto specimens: forces, loops, ports and refusals.

Expected values come from closed forms, from Prager's rule in increments, and from Steel's equation written out here.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from one_block import made, refusal, stepped
from scipy.integrate import quad
from scipy.optimize import brentq

from hybsim.blocks.specimens.bilinear import Bilinear
from hybsim.blocks.specimens.coupled_linear import CoupledSprings
from hybsim.blocks.specimens.cubic_spring import CubicSpring
from hybsim.blocks.specimens.menegotto_pinto import MenegottoPinto
from hybsim.studies.verification.loops import area, walk

# Cubic spring


def test_cubic_spring_is_k_u_plus_h_u_cubed_in_every_channel():
    block = CubicSpring(stiffness=2.0, cubic=-0.5, width=3)
    assert block.output(0.0, [[1.0, -2.0, 0.0]], None)[0].tolist() == [1.5, 0.0, 0.0]
    assert CubicSpring(stiffness=2.0, cubic=4.0).output(0.0, [0.5], None) == [1.5]
    assert block._kernels.feedthrough == {"force": frozenset({"disp"})}


def test_softening_ends_at_two_thirds_of_the_linear_force():
    k, h = 6.0, -0.5
    top = math.sqrt(k / (-3 * h))
    block = CubicSpring(stiffness=k, cubic=h)
    force = [block.output(0.0, [u], None)[0] for u in (0.999 * top, top, 1.001 * top)]
    assert force[1] == pytest.approx(2 / 3 * k * top, rel=1e-14)
    assert force[1] > max(force[0], force[2])


# Coupled springs


def test_coupled_springs_multiply_by_the_matrix():
    k = np.array([[3.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    block = CoupledSprings(stiffness=k)
    for u in np.random.default_rng(1).normal(size=(20, 3)):
        np.testing.assert_allclose(block.output(0.0, [u], None)[0], k @ u, rtol=0, atol=1e-14)
    assert block.widths == {"disp": 3, "force": 3}
    assert block._kernels.feedthrough == {"force": frozenset({"disp"})}
    assert CoupledSprings(stiffness=2.0).output(0.0, [3.0], None) == [6.0]


def test_a_specimen_that_floats_is_allowed():
    block = CoupledSprings(stiffness=[[1.0, -1.0], [-1.0, 1.0]])
    assert block.output(0.0, [[5.0, 5.0]], None)[0].tolist() == [0.0, 0.0]


# Bilinear


bilinear = partial(made, Bilinear, stiffness=10.0, yield_disp=0.5, alpha=0.1)


def test_bilinear_follows_the_kinematic_rule_in_increments():
    disps = np.cumsum(np.random.default_rng(3).normal(scale=0.3, size=1000))
    k, uy, alpha = 10.0, 0.5, 0.1
    expected, r, last = [], 0.0, 0.0
    for u in disps:
        # Prager: the elastic predictor, returned to the bounds that move along alpha k u.
        middle, half = alpha * k * u, (1 - alpha) * k * uy
        r, last = float(np.clip(r + k * (u - last), middle - half, middle + half)), u
        expected.append(r)
    yielding = np.abs(np.array(expected) - alpha * k * disps) > (1 - alpha) * k * uy * (1 - 1e-9)
    assert 100 < np.sum(yielding) < 900
    np.testing.assert_allclose(stepped(bilinear(), disps), expected, rtol=0, atol=1e-11)


def test_bilinear_yields_at_k_u_y_and_hardens_with_alpha_k():
    force = stepped(bilinear(), np.array([0.25, 0.5, 1.0, 2.0]))
    np.testing.assert_allclose(force, [2.5, 5.0, 5.0 + 0.5, 5.0 + 1.5], rtol=1e-14)


def test_bilinear_loop_area():
    k, uy, alpha, u_max = 10.0, 0.5, 0.1, 2.0
    # Steps of uy/2: the corners of the loop lie on ticks, so the trapezoidal rule is exact.
    disps = np.concatenate([walk(0.0, u_max, steps=8), walk(u_max, -u_max, u_max, steps=16)[1:]])
    force = stepped(bilinear(), disps)
    assert area(disps[8:], force[8:]) == pytest.approx(4 * (1 - alpha) * k * uy * (u_max - uy), rel=1e-13)
    assert max(force) == pytest.approx(k * uy + alpha * k * (u_max - uy), rel=1e-14)


def test_bilinear_does_not_drift_in_the_elastic_range():
    block, x = bilinear(), np.zeros(1)
    for u in [1.7, *1.2 + 0.499 * np.sin(np.linspace(0, 300, 2000))]:
        x = block.next(0.0, [u], x)
    assert x.tolist() == [1.7 - 0.5]


# Menegotto-Pinto


steel = partial(made, MenegottoPinto, stiffness=10.0, yield_disp=0.5, alpha=0.05)


def curve(w, b, r):
    return b * w + (1 - b) * w / (1 + abs(w) ** r) ** (1 / r)


def test_steel_first_loading_is_the_curve_from_the_origin_to_the_yield_point():
    disps = np.linspace(0.0, 3.0, 40)
    expected = 5.0 * np.array([curve(u / 0.5, 0.05, 20.0) for u in disps])
    np.testing.assert_allclose(stepped(steel(), disps), expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(stepped(steel(), -disps), -expected, rtol=0, atol=1e-13)


def test_steel_tangents_at_the_start_after_yielding_and_at_a_reversal():
    small = 1e-6
    path = np.array([small, 4.0 - small, 4.0, 4.0 - small])
    force = stepped(steel(), path)
    assert force[0] / small == pytest.approx(10.0, rel=1e-9)
    assert (force[2] - force[1]) / small == pytest.approx(0.05 * 10.0, rel=1e-6)
    assert (force[2] - force[3]) / small == pytest.approx(10.0, rel=1e-5)


def test_steel_branch_after_a_reversal():
    """Through the corner of its asymptotes, worked out by hand for one reversal."""
    b, r0, cr1, cr2, top = 0.05, 20.0, 0.925, 0.15, 6.0
    s_top = curve(top, b, r0)
    # Elastic line through (top, s_top) and hardening line through (-1, -1).
    e0, s0 = np.linalg.solve([[1.0, -1.0], [b, -1.0]], [top - s_top, 1.0 - b])
    x = abs(e0 + 1.0)
    r = r0 * (1 - cr1 * x / (cr2 + x))
    path = np.array([top, 3.0, 0.0, -4.0])
    expected = [s_top + (s0 - s_top) * curve((e - top) / (e0 - top), b, r) for e in path]
    np.testing.assert_allclose(stepped(steel(), 0.5 * path), 5.0 * np.array(expected), rtol=0, atol=1e-12)


def steady_loop(amplitude, b, r):
    """Stress at the top and area of the steady loop between -/+ amplitude, for a constant R, in e and s."""

    def branch(e, top):
        # From (-amplitude, -top) to the corner on the upper hardening line.
        e0 = 1.0 + (-amplitude + top) / (1 - b)
        s0 = 1.0 + b * (e0 - 1.0)
        return -top + (s0 + top) * curve((e + amplitude) / (e0 + amplitude), b, r)

    top = brentq(lambda s: branch(amplitude, s) - s, 0.5, 1.0 + b * amplitude, xtol=1e-14)
    up = quad(branch, -amplitude, amplitude, args=(top,), epsabs=1e-12, limit=200)[0]
    # The branch down is the same one turned by half a turn.
    return top, 2 * up


def test_steel_loop_area_and_peak_of_a_steady_loop():
    b, r, e_max, k, uy = 0.05, 6.0, 4.0, 10.0, 0.5
    top, enclosed = steady_loop(e_max, b, r)
    disps = walk(0.0, *[uy * e_max, -uy * e_max] * 8, uy * e_max, steps=400)
    force = stepped(steel(r0=r, cr1=0.0), disps)
    assert force[-1] == pytest.approx(k * uy * top, rel=1e-9)
    assert area(disps[-801:], force[-801:]) == pytest.approx(k * uy**2 * enclosed, rel=1e-5)


def test_steel_with_a_sharp_corner_is_bilinear():
    disps = np.cumsum(np.random.default_rng(6).normal(scale=0.4, size=300))
    sharp = stepped(steel(r0=4000.0, cr1=0.0), disps)
    expected = stepped(bilinear(alpha=0.05), disps)
    np.testing.assert_allclose(sharp, expected, rtol=0, atol=2e-3)


def test_steel_isotropic_hardening_moves_the_line_on_the_side_it_is_given_for():
    """After a first cycle the corner on the hardened side lies at the shift of Filippou's rule."""
    a, scale, top = 0.1, 2.0, 5.0
    path = np.array([top, -40.0])
    shift = 1 + a * ((top + 1) / (2 * scale)) ** 0.8
    # Far out on the asymptote: s = -shift + b (e + shift).
    expected = -shift + 0.05 * (-40.0 + shift)
    hardened = stepped(steel(a1=a, a2=scale, cr1=0.0), 0.5 * path)
    assert hardened[1] / 5.0 == pytest.approx(expected, rel=1e-6)
    other_side = stepped(steel(a3=a, a4=scale, cr1=0.0), 0.5 * path)
    assert other_side[1] / 5.0 == pytest.approx(-1 + 0.05 * -39.0, rel=1e-6)


def test_steel_stays_virgin_while_nothing_moves():
    assert stepped(steel(a1=0.1, a3=0.2), np.array([0.0, 0.0, 1e-9, 0.0])).tolist()[:2] == [0.0, 0.0]
    early = stepped(steel(), np.array([0.0, 0.0, 0.7, -0.3]))[2:]
    assert early.tolist() == stepped(steel(), np.array([0.7, -0.3])).tolist()


def test_a_tick_in_which_nothing_moves_changes_nothing():
    path = np.array([0.3, 1.4, 0.9, -0.5, 0.2])
    held = np.repeat(path, 3)
    np.testing.assert_array_equal(stepped(steel(), held)[2::3], stepped(steel(), path))


# Ports and refusals


def test_feedthrough():
    for block in (bilinear(), steel()):
        assert block._kernels.feedthrough == {"force": frozenset({"disp"})}
        assert math.isnan(block.output(0.0, [math.nan], block.getstate0())[0])


UNIT = {"stiffness": 1.0, "yield_disp": 1.0}


@pytest.mark.parametrize(
    ("cls", "parameters", "words"),
    [
        (
            CubicSpring,
            {"stiffness": -1.0, "cubic": 1.0},
            "'stiffness' of block 'specimen' must be at least 0, got -1.0",
        ),
        (CubicSpring, {"stiffness": 1.0}, "needs cubic= (cubic coefficient h"),
        (CubicSpring, {"stiffness": 1.0, "cubic": math.inf}, "must be finite"),
        (
            CoupledSprings,
            {"stiffness": [[1.0, 2.0], [2.0, 1.0]]},
            "'stiffness' of block 'specimen' must be positive semidefinite, its lowest eigenvalue is -1;"
            " check the signs of its entries",
        ),
        (CoupledSprings, {"stiffness": -3.0}, "must be positive semidefinite, got -3"),
        (CoupledSprings, {"stiffness": [[1.0, 0.5], [0.0, 1.0]]}, "must be symmetric, got [[1.0, 0.5], [0.0, 1.0]]"),
        (CoupledSprings, {"stiffness": [[1.0, 2.0, 3.0]]}, "a number or a square matrix, got shape (1, 3)"),
        (CoupledSprings, {"stiffness": np.ones((2, 2, 2))}, "must be a number, a list or a matrix of numbers"),
        (Bilinear, UNIT | {"stiffness": -1.0}, "'stiffness' of block 'specimen' must be greater than 0, got -1.0"),
        (Bilinear, UNIT | {"alpha": -0.1}, "'alpha' of block 'specimen' must be at least 0"),
        (Bilinear, UNIT | {"alpha": 1.1}, "'alpha' of block 'specimen' must be at most 1"),
        (MenegottoPinto, UNIT | {"yield_disp": 0.0}, "'yield_disp' of block 'specimen' must be greater than 0"),
        (MenegottoPinto, UNIT | {"alpha": 1.0}, "'alpha' of block 'specimen' must be less than 1"),
        (MenegottoPinto, UNIT | {"cr1": 1.0}, "'cr1' of block 'specimen' must be less than 1"),
        (MenegottoPinto, UNIT | {"a2": 0.0}, "'a2' of block 'specimen' must be greater than 0"),
    ],
)
def test_refusals_are_one_sentence(cls, parameters, words):
    assert words in refusal(made, cls, name="specimen", **parameters)
