"""MR damper: against the equations of Spencer et al. solved by SciPy, and in two limits with closed forms."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from one_block import made, refusal, stepped
from scipy.integrate import solve_ivp

from hybsim.blocks.specimens.mr_damper import MRDamper, MRDamperRate
from hybsim.studies.verification.loops import area, complex_stiffness

PUBLISHED = dict(
    c0a=21.0, c0b=3.50, k0=46.9, c1a=283.0, c1b=2.95, k1=5.00, x0=14.3, alpha_a=140.0, alpha_b=695.0,
    gamma=363.0, beta=363.0, a=301.0, n=2.0, eta=190.0,
)  # fmt: skip
"""Spencer et al. (1997), parameters of the generalized model; N, cm, s, V."""


damper = partial(made, MRDamper)


def equations(t, state, disp, vel, voltage, q):
    """y', z', v' as printed, with the force they give."""
    y, z, v = state
    x, xd = disp(t), vel(t)
    alpha, c0, c1 = q["alpha_a"] + q["alpha_b"] * v, q["c0a"] + q["c0b"] * v, q["c1a"] + q["c1b"] * v
    yd = (alpha * z + c0 * xd + q["k0"] * (x - y)) / (c0 + c1)
    w = xd - yd
    zd = -q["gamma"] * abs(w) * z * abs(z) ** (q["n"] - 1) - q["beta"] * w * abs(z) ** q["n"] + q["a"] * w
    force = alpha * z + c0 * (xd - yd) + q["k0"] * (x - y) + q["k1"] * (x - q["x0"])
    return [yd, zd, -q["eta"] * (v - voltage(t))], force


def test_the_defaults_are_the_published_damper():
    assert {name: MRDamper.params[name].default for name in PUBLISHED} == PUBLISHED


def test_the_rate_form_is_the_printed_equations():
    block = MRDamperRate()
    for x, xd, y, z, v, voltage in np.random.default_rng(2).normal(size=(50, 6)):
        state = np.array([y, 0.3 * z, abs(v)])
        volts = min(abs(voltage), 2.25)
        rates, force = equations(0.0, state, lambda _, x=x: x, lambda _, xd=xd: xd, lambda _, u=volts: u, PUBLISHED)
        np.testing.assert_allclose(block.deriv(0.0, [x, xd, volts], state), rates, rtol=1e-11)
        # The printed force has two forms, equal by the equation of y'.
        assert block.output(0.0, [x, xd, volts], state)[0] == pytest.approx(force, rel=1e-10)


def solved(path, volts, dt, q):
    """Forces at the ticks for a path straight between them, the voltage of a tick held after it."""
    state, last, held, result = np.zeros(3), 0.0, 0.0, []
    for x, voltage in zip(path, volts, strict=True):
        vel = (x - last) / dt
        inputs = (lambda t, a=last, v=vel: a + v * t, lambda _, v=vel: v, lambda _, u=held: u, q)
        way = solve_ivp(
            lambda t, s, i=inputs: equations(t, s, *i)[0], (0, dt), state, method="LSODA", rtol=1e-9, atol=1e-11
        )
        state = way.y[:, -1]
        result.append(equations(dt, state, *inputs)[1])
        last, held = x, voltage
    return np.array(result)


@pytest.mark.parametrize("dt", [0.001, 0.01])
def test_at_ticks_it_agrees_with_the_equations_on_a_straight_path(dt):
    rng = np.random.default_rng(7)
    path = np.cumsum(rng.normal(scale=3.0 * dt, size=40))
    volts = np.repeat(rng.uniform(0.0, 2.25, size=8), 5)
    force = stepped(damper(dt), path, volts)
    expected = solved(path, volts, dt, PUBLISHED)
    np.testing.assert_allclose(force, expected, rtol=0, atol=1e-5 * np.ptp(expected))


def test_at_rest_only_the_accumulator_pushes():
    np.testing.assert_allclose(stepped(damper(0.001), np.zeros(5), np.ones(5)), -5.0 * 14.3, rtol=1e-12)


@pytest.mark.parametrize("voltage", [0.0, 1.5])
def test_small_motion_has_the_complex_stiffness_of_its_springs_and_dashpots(voltage):
    """For |z| far below z_u the Bouc-Wen element is a spring a A beside k_0 and c_0, all in series with c_1."""
    q, n, w = PUBLISHED, 2000, 2 * math.pi * 5.0
    alpha, c0, c1 = (q[a] + q[b] * voltage for a, b in (("alpha_a", "alpha_b"), ("c0a", "c0b"), ("c1a", "c1b")))
    element = q["k0"] + alpha * q["a"] + 1j * w * c0
    expected = q["k1"] + 1 / (1 / element + 1 / (1j * w * c1))
    dt = 2 * math.pi / (w * n)
    path = 1e-6 * np.sin(w * dt * np.arange(4 * n))
    force = stepped(damper(dt), path, np.full(4 * n, voltage))
    measured = complex_stiffness(path[-n:], force[-n:])
    # The velocity of a tick is half a tick late, which turns the dashpots' part a little.
    assert measured == pytest.approx(expected, rel=1.5 * w * dt)


def test_with_a_stiff_dashpot_it_is_a_yield_force_and_a_viscosity():
    """c_1 without bound: y' = 0, so r = a z_u + c_0 x' + k_0 x + k_1 (x - x_0) while the piston slides."""
    q, voltage, vel, dt = PUBLISHED, 1.5, 4.0, 0.001
    path = vel * dt * np.arange(101)
    force = stepped(damper(dt, c1a=1e9), path, np.full(101, voltage))
    z_u = math.sqrt(q["a"] / (q["beta"] + q["gamma"]))
    alpha, c0 = q["alpha_a"] + q["alpha_b"] * voltage, q["c0a"] + q["c0b"] * voltage
    x = path[-1]
    assert force[-1] == pytest.approx(alpha * z_u + c0 * vel + q["k0"] * x + q["k1"] * (x - q["x0"]), rel=1e-5)


def test_the_voltage_reaches_the_fluid_exponentially_and_after_its_tick():
    q, vel, dt = PUBLISHED, 4.0, 0.001
    path = vel * dt * np.arange(141)
    volts = np.where(np.arange(141) < 100, 0.0, 2.0)
    force = stepped(damper(dt, c1a=1e9), path, volts)
    z_u = math.sqrt(q["a"] / (q["beta"] + q["gamma"]))
    springs = q["k0"] * path + q["k1"] * (path - q["x0"])
    elapsed = dt * np.arange(41)
    v = 2.0 * (1 - np.exp(-q["eta"] * elapsed))
    expected = (q["alpha_a"] + q["alpha_b"] * v) * z_u + (q["c0a"] + q["c0b"] * v) * vel
    np.testing.assert_allclose((force - springs)[100:], expected, rtol=1e-5)


def test_more_voltage_dissipates_more_and_only_up_to_the_largest():
    dt, n = 0.001, 400
    path = 1.5 * np.sin(2 * math.pi * 2.5 * dt * np.arange(2 * n))
    work = []
    for voltage in (-1.0, 0.0, 1.5, 2.25, 9.0):
        force = stepped(damper(dt), path, np.full(2 * n, voltage))
        work.append(area(path[-n:], force[-n:]))
    assert work[0] == work[1] < 0.5 * work[2] < 0.9 * work[3]
    assert work[3] == work[4]


def test_a_jump_no_test_will_command_stays_finite():
    force = stepped(damper(0.01), np.array([1e6, -1e6, 0.0]), np.full(3, 2.0))
    assert np.isfinite(force).all()


def test_feedthrough():
    assert damper(0.01)._kernels.feedthrough == {"force": frozenset({"disp"})}
    assert MRDamperRate()._kernels.feedthrough == {"force": frozenset({"disp", "vel"})}


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"c1a": 0.0}, "'c1a' of block 'damper' must be greater than 0, got 0.0"),
        ({"k0": -1.0}, "'k0' of block 'damper' must be at least 0, got -1.0"),
        ({"beta": -400.0}, "needs beta + gamma greater than 0, got -400 + 363"),
        ({"max_voltage": [1.0, 2.0]}, "'max_voltage' of block 'damper' must be a single number"),
    ],
)
@pytest.mark.parametrize("cls", [MRDamper, MRDamperRate])
def test_refusals_are_one_sentence(cls, parameters, words):
    assert words in refusal(made, cls, name="damper", **parameters)
