"""Specimens: restoring forces, loops, what they dissipate, ports and refusals.

Expected values come from closed forms, from a return mapping in increments and from SciPy's solution of the
differential equation.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from one_block import made, refusal
from scipy.integrate import solve_ivp

from hybsim.blocks.specimens.bouc_wen import BoucWen, BoucWenRate
from hybsim.blocks.specimens.elastic_plastic import ElasticPlastic
from hybsim.blocks.specimens.spring import Spring
from hybsim.studies.verification.loops import area, walk


def forces(block, disps):
    """The force of every tick; outputs must not change the state, so each is asked for twice."""
    x, result = block.getstate0(), []
    for u in disps:
        first, again = block.output(0.0, [u], x)[0], block.output(0.0, [u], x)[0]
        assert first == again
        result.append(first)
        x = block.next(0.0, [u], x)
    return np.array(result)


# Linear spring


def test_spring_is_linear_in_every_channel():
    assert Spring(stiffness=2.5).output(0.0, [4.0], None) == [10.0]
    assert Spring(stiffness=2.5, width=3).output(0.0, [[4.0, -2.0, 0.0]], None)[0].tolist() == [
        10.0,
        -5.0,
        0.0,
    ]
    assert Spring(stiffness=2.5, width=3)._kernels.feedthrough == {"force": frozenset({"disp"})}


# Elastic-perfectly-plastic


elastic_plastic = partial(made, ElasticPlastic, stiffness=10.0, yield_disp=1.0)


def test_elastic_plastic_follows_the_return_mapping_in_increments():
    disps = np.cumsum(np.random.default_rng(3).normal(scale=0.4, size=1000))
    expected, r, last = [], 0.0, 0.0
    for u in disps:
        r, last = float(np.clip(r + 10.0 * (u - last), -10.0, 10.0)), u
        expected.append(r)
    assert 100 < np.sum(np.abs(expected) == 10.0) < 900
    np.testing.assert_allclose(forces(elastic_plastic(), disps), expected, rtol=0, atol=1e-11)


def test_elastic_plastic_loop_encloses_four_times_yield_force_times_plastic_range():
    k, uy, u_max = 8.0, 0.5, 2.0
    # Steps of uy/2: the corners of the loop lie on ticks, so the trapezoidal rule is exact.
    disps = np.concatenate([walk(0.0, u_max, steps=8), walk(u_max, -u_max, u_max, steps=16)[1:]])
    loop = disps[8:], forces(elastic_plastic(stiffness=k, yield_disp=uy), disps)[8:]
    assert area(*loop) == pytest.approx(4 * k * uy * (u_max - uy), rel=1e-13)
    assert max(loop[1]) == k * uy
    assert min(loop[1]) == -k * uy


def test_elastic_plastic_does_not_drift_in_the_elastic_range():
    block, x = elastic_plastic(), np.zeros(1)
    for u in [1.7, *0.7 + 0.999 * np.sin(np.linspace(0, 300, 2000))]:
        x = block.next(0.0, [u], x)
    assert x.tolist() == [1.7 - 1.0]


def test_elastic_plastic_passes_nan_on():
    assert math.isnan(elastic_plastic().output(0.0, [math.nan], np.zeros(1))[0])


# Bouc-Wen


bouc_wen = partial(made, BoucWen, stiffness=10.0, yield_disp=0.5)


@pytest.mark.parametrize("steps", [1, 7, 500])
def test_bouc_wen_first_loading_is_exponential_for_n_1_and_tanh_for_n_2(steps):
    k, uy, c = 10.0, 0.5, 0.8 + 0.5
    disps = walk(0.0, 1.5, steps=steps)
    s = disps / uy
    first = forces(bouc_wen(beta=0.8, gamma=0.5, n=1.0), disps)
    np.testing.assert_allclose(first, k * uy * (1 - np.exp(-c * s)) / c, rtol=0, atol=1e-5)
    second = forces(bouc_wen(beta=0.8, gamma=0.5, n=2.0), disps)
    np.testing.assert_allclose(second, k * uy * np.tanh(math.sqrt(c) * s) / math.sqrt(c), rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("beta", "gamma", "n"), [(0.55, 0.45, 2.0), (0.1, 0.5, 1.0), (-0.2, 0.9, 3.5), (2.0, 3.0, 1.3)]
)
def test_bouc_wen_ultimate_force(beta, gamma, n):
    ultimate = 10.0 * 0.5 * (beta + gamma) ** (-1 / n)
    block = bouc_wen(beta=beta, gamma=gamma, n=n)
    path = walk(0.0, 30.0, -30.0, steps=300)
    force = forces(block, path)
    assert force[300] == pytest.approx(ultimate, rel=1e-9)
    assert force[-1] == pytest.approx(-ultimate, rel=1e-9)
    assert np.abs(force).max() <= ultimate * (1 + 1e-12)
    # Also in a single tick, and for an increment no test will ever command.
    assert forces(block, [30.0, -30.0]).tolist() == pytest.approx([ultimate, -ultimate], rel=1e-6)
    assert forces(block, [1e300, -1e300]).tolist() == pytest.approx([ultimate, -ultimate], rel=1e-6)


def solved(corners, uy, beta, gamma, n):
    """z at each corner and the work of z on the way, by SciPy from Eq. 7.3 as printed with u' = +/- 1."""

    def rates(_, state, du):
        z = state[0]
        return [(du - gamma * abs(du) * z * abs(z) ** (n - 1) - beta * du * abs(z) ** n) / uy, z * du]

    z, work, result = 0.0, 0.0, [(0.0, 0.0)]
    for a, b in pairwise(corners):
        way = solve_ivp(
            rates,
            (0, abs(b - a)),
            [z, work],
            args=(np.sign(b - a),),
            rtol=1e-11,
            atol=1e-13,
            max_step=uy / 20,
        )
        z, work = way.y[:, -1]
        result.append((z, work))
    return np.array(result)


@pytest.mark.parametrize(
    ("beta", "gamma", "n"), [(0.55, 0.45, 2.0), (0.1, 0.9, 1.0), (-0.3, 0.8, 1.5), (0.5, 0.5, 4.0)]
)
@pytest.mark.parametrize("steps", [1, 3, 40])
def test_bouc_wen_agrees_with_the_differential_equation_whatever_the_increment(beta, gamma, n, steps):
    corners = [0.0, 0.4, -0.7, 1.2, 0.9, 1.1, -2.0, -1.9, 0.05]
    expected = 5.0 * solved(corners, 0.5, beta, gamma, n)[:, 0]
    force = forces(bouc_wen(beta=beta, gamma=gamma, n=n), walk(*corners, steps=steps))
    np.testing.assert_allclose(force[::steps], expected, rtol=0, atol=1e-5)


def test_bouc_wen_converges_with_the_fourth_order():
    corners = [0.0, 0.4, -0.7, 1.2, 0.9]
    expected = 5.0 * solved(corners, 0.5, 0.1, 0.9, 1.0)[:, 0]
    errors = []
    for steps in (40, 80):
        force = forces(bouc_wen(beta=0.1, gamma=0.9, n=1.0), walk(*corners, steps=steps))
        errors.append(np.abs(force[::steps] - expected).max())
    # n = 1 has a corner at z = 0: without the split there the order would be lost.
    assert errors[0] / errors[1] > 10.0


def test_bouc_wen_loop_area():
    alpha, k, uy = 0.1, 10.0, 0.5
    corners = [0.0, 2.0, -2.0, 2.0, -2.0, 2.0]
    expected = (1 - alpha) * k * uy * np.diff(solved(corners, uy, 0.55, 0.45, 2.0)[-3::2, 1])[0]
    disps = walk(*corners, steps=400)
    force = forces(bouc_wen(alpha=alpha), disps)
    assert area(disps[-801:], force[-801:]) == pytest.approx(expected, rel=1e-4)


def test_bouc_wen_is_linear_at_first_and_with_alpha_1():
    assert forces(bouc_wen(), [1e-6])[0] == pytest.approx(10.0 * 1e-6, rel=1e-9)
    disps = np.random.default_rng(4).normal(size=50)
    np.testing.assert_allclose(forces(bouc_wen(alpha=1.0), disps), 10.0 * disps, rtol=1e-15)


def test_bouc_wen_rate_is_equation_7_3():
    block = BoucWenRate(stiffness=10.0, yield_disp=0.5, alpha=0.2, beta=0.3, gamma=0.6, n=1.7)
    for u, v, z in np.random.default_rng(5).normal(size=(50, 3)):
        (dz,) = block.deriv(0.0, [u, v], np.array([z]))
        residual = 0.5 * dz + 0.6 * abs(v) * z * abs(z) ** 0.7 + 0.3 * v * abs(z) ** 1.7 - v
        assert residual == pytest.approx(0.0, abs=1e-14)
        force = block.output(0.0, [u, v], np.array([z]))[0]
        assert force == pytest.approx(0.2 * 10.0 * u + 0.8 * 10.0 * 0.5 * z, rel=1e-14)


def test_bouc_wen_forms_agree_on_a_sine():
    rate = BoucWenRate(stiffness=10.0, yield_disp=0.5)

    def dz(t, z):
        return rate.deriv(t, [math.sin(t), math.cos(t)], z)

    times = np.linspace(0.0, 10.0, 2001)
    way = solve_ivp(dz, (0.0, 10.0), [0.0], t_eval=times, rtol=1e-9, atol=1e-11, max_step=0.02)
    expected = [rate.output(t, [math.sin(t), math.cos(t)], [z])[0] for t, z in zip(times, way.y[0], strict=True)]
    # Between two ticks around a peak the path is not monotonic: 1/2 (dt/2)^2 of displacement is missed there.
    np.testing.assert_allclose(forces(bouc_wen(), np.sin(times)), expected, rtol=0, atol=10.0 * 4 * 0.5 * 0.0025**2)


UNIT = {"stiffness": 1.0, "yield_disp": 1.0}


def test_feedthrough_of_the_specimens_with_state():
    for block in (elastic_plastic(), bouc_wen(), BoucWenRate(stiffness=1.0, yield_disp=1.0)):
        assert block._kernels.feedthrough == {"force": frozenset({"disp"})}


@pytest.mark.parametrize(
    ("cls", "parameters", "words"),
    [
        (Spring, {"stiffness": -1.0}, "'stiffness' of block 'specimen' must be at least 0, got -1.0"),
        (Spring, {"stiffness": 1.0, "width": 0}, "'width' of block 'specimen' must be at least 1"),
        (Spring, {"stiffness": [1.0, 2.0]}, "must be a single number"),
        (ElasticPlastic, {"stiffness": -1.0, "yield_disp": 1.0}, "must be greater than 0, got -1.0"),
        (
            ElasticPlastic,
            {"stiffness": 1.0, "yield_disp": 0.0},
            "'yield_disp' of block 'specimen' must be greater",
        ),
        (ElasticPlastic, {"stiffness": 1.0}, "needs yield_disp= (yield displacement u_y)"),
        (
            BoucWen,
            {"stiffness": -1.0, "yield_disp": 1.0},
            "'stiffness' of block 'specimen' must be greater than 0",
        ),
        (BoucWen, UNIT | {"alpha": 1.5}, "'alpha' of block 'specimen' must be at most 1"),
        (BoucWen, UNIT | {"n": 0.5}, "'n' of block 'specimen' must be at least 1"),
        (BoucWen, UNIT | {"gamma": -0.1}, "'gamma' of block 'specimen' must be at least 0"),
        (BoucWen, UNIT | {"beta": -0.6}, "BoucWen needs beta + gamma greater than 0, got -0.6 + 0.45"),
        (BoucWenRate, UNIT | {"beta": -0.45}, "BoucWenRate needs beta + gamma greater than 0"),
    ],
)
def test_refusals_are_one_sentence(cls, parameters, words):
    assert words in refusal(made, cls, name="specimen", **parameters)
