"""Viscous and Maxwell dampers and force relaxation: rate behaviour, energies, ports and refusals.

Expected values come from closed forms and from SciPy's solution of the differential equations.
"""

from __future__ import annotations

import math
import warnings
from functools import partial

import numpy as np
import pytest
from one_block import made, refusal, stepped
from scipy.integrate import solve_ivp
from scipy.special import gamma

from hybsim.blocks.specimens.elastic_plastic import ElasticPlastic
from hybsim.blocks.specimens.force_relaxation import ForceRelaxation
from hybsim.blocks.specimens.maxwell_damper import MaxwellDamper, MaxwellDamperRate
from hybsim.blocks.specimens.viscous_damper import ViscousDamper, ViscousDamperSampled
from hybsim.studies.verification.loops import area, complex_stiffness

# Viscous damper


@pytest.mark.parametrize("exponent", [1.0, 0.35, 2.0])
def test_viscous_damper_is_a_power_of_the_velocity(exponent):
    block = ViscousDamper(damping=3.0, exponent=exponent, width=4)
    vel = np.array([2.0, -2.0, 0.0, 1e-3])
    expected = 3.0 * np.sign(vel) * np.abs(vel) ** exponent
    np.testing.assert_allclose(block.output(0.0, [vel], None)[0], expected, rtol=1e-15)
    assert block._kernels.feedthrough == {"force": frozenset({"vel"})}


@pytest.mark.parametrize("exponent", [1.0, 0.35])
def test_viscous_damper_dissipates_what_its_exponent_says(exponent):
    c, amplitude, w, n = 3.0, 0.7, 5.0, 20000
    angle = 2 * math.pi * np.arange(n + 1) / n
    vel = amplitude * w * np.cos(angle)
    block = ViscousDamper(damping=c, exponent=exponent, width=n + 1)
    work = area(amplitude * np.sin(angle), block.output(0.0, [vel], None)[0])
    a = exponent
    expected = c * w**a * amplitude ** (1 + a) * 2 ** (2 + a) * gamma(1 + a / 2) ** 2 / gamma(2 + a)
    assert work == pytest.approx(expected, rel=1e-6)
    if a == 1.0:
        assert expected == pytest.approx(math.pi * c * w * amplitude**2, rel=1e-12)


def test_viscous_damper_at_ticks_takes_the_velocity_of_the_completed_step():
    block = made(ViscousDamperSampled, 0.02, damping=3.0, exponent=0.5, width=2)
    path = np.array([[0.0, 0.1], [0.01, 0.1], [-0.02, 0.3]])
    vel = np.diff(path, axis=0, prepend=np.zeros((1, 2))) / 0.02
    expected = 3.0 * np.sign(vel) * np.abs(vel) ** 0.5
    np.testing.assert_allclose(stepped(block, path), expected, rtol=1e-13)
    assert block._kernels.feedthrough == {"force": frozenset({"disp"})}


def test_the_sampled_viscous_damper_is_low_and_half_a_tick_late_as_stated():
    c, dt, n = 3.0, 0.01, 40
    disps = np.sin(2 * math.pi * np.arange(3 * n) / n)
    force = stepped(made(ViscousDamperSampled, dt, damping=c), disps)[n:]
    w = 2 * math.pi / (n * dt)
    late = np.exp(-0.5j * w * dt) * math.sin(w * dt / 2) / (w * dt / 2)
    assert complex_stiffness(disps[n:], force) == pytest.approx(1j * w * c * late, rel=1e-12)


# Maxwell damper


maxwell = partial(made, MaxwellDamper, stiffness=10.0, damping=2.0)


@pytest.mark.parametrize("dt", [0.001, 0.05, 1.0])
def test_maxwell_damper_is_exact_for_ramp_and_hold_whatever_the_tick(dt):
    k, c, v, ticks = 10.0, 2.0, 0.3, 40
    disps = v * dt * np.concatenate([np.arange(ticks + 1), np.full(ticks, ticks)])
    t = dt * np.arange(ticks + 1)
    ramp = c * v * (1 - np.exp(-t * k / c))
    hold = ramp[-1] * np.exp(-t[1:] * k / c)
    np.testing.assert_allclose(stepped(maxwell(dt), disps), [*ramp, *hold], rtol=1e-11, atol=1e-15)


def test_maxwell_damper_has_its_complex_stiffness():
    k, c, n = 10.0, 2.0, 400
    for w in (0.5, 5.0, 50.0):
        dt = 2 * math.pi / (w * n)
        settling = n * math.ceil(20.0 * c / k / (n * dt) + 1)
        disps = np.sin(w * dt * np.arange(settling + n))
        force = stepped(maxwell(dt), disps)
        expected = 1j * w * c / (1 + 1j * w * c / k)
        # A path straight between ticks is low by (w dt)^2 / 12; the corners of its velocity matter where dt nears c/k.
        tolerance = (w * dt) ** 2 / 6 * (1 + k / (w * c))
        assert complex_stiffness(disps[-n:], force[-n:]) == pytest.approx(expected, rel=tolerance)


def test_maxwell_damper_is_a_spring_at_once_and_a_dashpot_at_length():
    assert stepped(maxwell(1e-9), np.array([1e-3]))[0] == pytest.approx(10.0 * 1e-3, rel=1e-6)
    slow = stepped(maxwell(0.1), 0.01 * 0.1 * np.arange(100))
    assert slow[-1] == pytest.approx(2.0 * 0.01, rel=1e-12)


@pytest.mark.parametrize("exponent", [1.0, 0.5])
def test_maxwell_rate_is_the_spring_and_the_dashpot_in_series(exponent):
    block = MaxwellDamperRate(stiffness=10.0, damping=2.0, exponent=exponent)
    for v, r in np.random.default_rng(1).normal(size=(50, 2)):
        (rate,) = block.deriv(0.0, [v], np.array([r]))
        dashpot = v - rate / 10.0
        assert 2.0 * np.sign(dashpot) * abs(dashpot) ** exponent == pytest.approx(r, rel=1e-9)
        assert block.output(0.0, [v], np.array([r])) == [r]
    assert block._kernels.feedthrough == {"force": frozenset()}


def test_maxwell_rate_warns_of_a_tick_too_long_for_its_relaxation_time():
    import hybsim as hs

    bd = hs.BDSim().blockdiagram(dt=0.01)
    with pytest.warns(UserWarning, match=r"relaxes within c/k = 0\.002 s, too fast for a tick of 0\.01 s: use MAXWELL"):
        bd.MAXWELL_RATE(stiffness=1000.0, damping=2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bd.MAXWELL_RATE(stiffness=100.0, damping=2.0)


# Force relaxation

K, UY, MOST, TAU, UC = 10.0, 0.5, 0.4, 3.0, 0.05


def relaxed(disps, dt, static=None):
    """Forces of an elastic-plastic specimen with relaxation, and without."""
    if static is None:
        static = stepped(made(ElasticPlastic, dt, stiffness=K, yield_disp=UY), disps)
    block = made(ForceRelaxation, dt, stiffness=K, overstress=MOST, time=TAU, recovery_disp=UC)
    return stepped(block, disps, static), static


def test_nothing_relaxes_in_the_elastic_range():
    disps = 0.4 * np.sin(np.linspace(0.0, 20.0, 500))
    force, static = relaxed(disps, 0.01)
    np.testing.assert_allclose(force, static, rtol=0, atol=1e-13)


@pytest.mark.parametrize("speed", [0.003, 0.1, 20.0])
def test_overstress_of_steady_yielding(speed):
    dt = 0.01 / speed
    disps = speed * dt * np.arange(600)
    force, static = relaxed(disps, dt)
    assert force[-1] - static[-1] == pytest.approx(MOST / (1 + UC / (speed * TAU)), rel=1e-9)


@pytest.mark.parametrize(("hold", "lost"), [(0.2, 0.0645), (4.7, 0.791)])
def test_a_hold_takes_the_overstress_away_exponentially(hold, lost):
    """The two holds of EERC Sec. 6.5.5; with tau = 3 s the fractions 1 - exp(-hold/tau)."""
    dt = 0.01
    ramp = 0.1 * dt * np.arange(2001)
    disps = np.concatenate([ramp, np.full(round(hold / dt), ramp[-1])])
    force, static = relaxed(disps, dt)
    before, after = (force - static)[2000], (force - static)[-1]
    assert 1 - after / before == pytest.approx(lost, abs=5e-4)
    assert after == pytest.approx(before * math.exp(-hold / TAU), rel=1e-9)


def test_moving_on_recovers_the_force_within_some_u_c():
    dt, v = 0.01, 1.0
    ramp = v * dt * np.arange(201)
    disps = np.concatenate([ramp, np.full(2000, ramp[-1]), ramp[-1] + v * dt * np.arange(1, 51)])
    force, static = relaxed(disps, dt)
    s = force - static
    way = v * dt * np.arange(1, 51)
    steady = MOST / (1 + UC / (v * TAU))
    expected = steady + (s[2200] - steady) * np.exp(-way * (1 / UC + 1 / (v * TAU)))
    np.testing.assert_allclose(s[2201:], expected, rtol=1e-9)
    assert s[2200] < 0.002 * steady < steady < 1.001 * s[-1]


def test_relaxation_follows_its_differential_equation():
    dt = 0.05
    rng = np.random.default_rng(4)
    disps, static = np.cumsum(rng.normal(scale=0.05, size=40)), np.cumsum(rng.normal(scale=0.3, size=40))
    force, _ = relaxed(disps, dt, static)
    s, expected, last = 0.0, [], (0.0, 0.0)
    for u, g in zip(disps, static, strict=True):
        plastic = (u - last[0] - (g - last[1]) / K) / dt
        way = solve_ivp(
            lambda _, s, v=plastic: (MOST * v - abs(v) * s) / UC - s / TAU, (0, dt), [s], rtol=1e-10, atol=1e-12
        )
        s, last = float(way.y[0, -1]), (u, g)
        expected.append(g + s)
    np.testing.assert_allclose(force, expected, rtol=0, atol=1e-8)


def test_relaxation_is_bounded_and_follows_both_inputs():
    disps = np.cumsum(np.random.default_rng(4).normal(scale=0.3, size=500))
    force, static = relaxed(disps, 1e-3)
    assert 0.9 * MOST < np.abs(force - static).max() <= MOST
    block = made(ForceRelaxation, stiffness=K, overstress=MOST, time=TAU, recovery_disp=UC)
    assert block._kernels.feedthrough == {"force": frozenset({"disp", "force_static"})}


# Refusals


@pytest.mark.parametrize(
    ("cls", "parameters", "words"),
    [
        (ViscousDamper, {"damping": -1.0}, "'damping' of block 'damper' must be at least 0, got -1.0"),
        (ViscousDamper, {"damping": 1.0, "exponent": 0.0}, "'exponent' of block 'damper' must be greater than 0"),
        (ViscousDamperSampled, {"damping": [1.0, 2.0]}, "'damping' of block 'damper' must be a single number"),
        (ViscousDamperSampled, {"damping": 1.0, "width": 0}, "'width' of block 'damper' must be at least 1"),
        (MaxwellDamper, {"stiffness": -1.0, "damping": 1.0}, "'stiffness' of block 'damper' must be greater than 0"),
        (MaxwellDamper, {"stiffness": 1.0}, "needs damping= (damping coefficient c"),
        (
            MaxwellDamperRate,
            {"stiffness": 1.0, "damping": 1.0, "exponent": 1.5},
            "'exponent' of block 'damper' must be at most 1",
        ),
        (ForceRelaxation, {"stiffness": 1.0, "overstress": 1.0, "recovery_disp": 1.0}, "needs time= (relaxation time"),
        (
            ForceRelaxation,
            {"stiffness": 1.0, "overstress": -1.0, "time": 1.0, "recovery_disp": 1.0},
            "'overstress' of block 'damper' must be at least 0, got -1.0",
        ),
    ],
)
def test_refusals_are_one_sentence(cls, parameters, words):
    assert words in refusal(made, cls, name="damper", **parameters)
