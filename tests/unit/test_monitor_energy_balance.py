"""Energy balance: its terms, its timing and its known residual, against sums made in numpy; refusals."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from one_block import by_name, made, refusal
from path_work import total_work

from hybsim.blocks.monitors.energy_balance import EnergyBalance

DT = 0.01
MASS = np.array([[2.0, 0.3], [0.3, 1.0]])
DAMPING = np.array([[0.8, -0.2], [-0.2, 0.5]])
monitor = partial(made, EnergyBalance, dt=DT, mass=2.0, damping=0.5)


def random_test(n=60, dofs=2):
    """Displacements, velocities and forces of every tick, as unrelated as can be."""
    return np.random.default_rng(5).normal(size=(5, n, dofs))


def published(v):
    """What an integrator shows of its velocities: v_0 twice, then each a tick late."""
    return np.concatenate([v[:1], v[:-1]])


def test_every_term_is_that_of_the_step_before():
    d, v, f, num, meas = random_test()
    shown = by_name(monitor(mass=MASS, damping=DAMPING), d, published(v), f, num, meas)
    late = {name: values[1:] for name, values in shown.items()}
    expected = dict(
        e_kinetic=0.5 * np.einsum("ki,ij,kj->k", v, MASS, v),
        e_viscous=total_work(v @ DAMPING.T, d),
        e_numerical=total_work(num, d),
        e_experimental=total_work(meas, d),
        e_input=total_work(f, d),
    )
    for name, values in expected.items():
        np.testing.assert_allclose(late[name], values[:-1], rtol=0, atol=1e-11, err_msg=name)
    kinetic, *others, work = expected.values()
    np.testing.assert_allclose(late["residual"], (kinetic[0] + work - kinetic - sum(others))[:-1], rtol=0, atol=1e-11)


def test_the_first_tick_shows_the_start():
    d, v, f, num, meas = random_test(n=2)
    shown = by_name(monitor(mass=MASS, damping=DAMPING), d, published(v), f, num, meas)
    kinetic = 0.5 * v[0] @ MASS @ v[0]
    for tick in (0, 1):
        assert shown["e_kinetic"][tick] == pytest.approx(kinetic, rel=1e-14)
        for name in ("e_viscous", "e_numerical", "e_experimental", "e_input", "residual"):
            assert shown[name][tick] == 0.0, name


def newmark(dt, steps, force, load, d, v):
    """Newmark's explicit method with M and C above: d, v, a, r and f of every tick."""
    d, v = np.array(d), np.array(v)
    inverse = np.linalg.inv(MASS + 0.5 * dt * DAMPING)
    a = None
    rows = []
    for k in range(steps):
        r, f = force(d), load(k * dt)
        if a is None:
            a = np.linalg.solve(MASS, f - r - DAMPING @ v)
        else:
            v = v + 0.5 * dt * a
            a = inverse @ (f - r - DAMPING @ v)
            v = v + 0.5 * dt * a
        rows.append((d, v, a, r, f))
        d = d + dt * v + 0.5 * dt**2 * a
    return (np.array(column) for column in zip(*rows, strict=True))


def hardening(d):
    return np.array([[30.0, -10.0], [-10.0, 20.0]]) @ d + 40.0 * d**3


def pushed(t):
    return np.array([3.0 * np.sin(4.0 * t), 2.0 * np.cos(9.0 * t)])


@pytest.mark.parametrize("dt", [0.02, 0.01])
def test_the_residual_of_explicit_newmark_is_known_to_rounding(dt):
    d, v, a, r, f = newmark(dt, 400, hardening, pushed, [0.3, -0.2], [1.0, 2.0])
    half = 0.4 * r  # any share of the force may be the numerical one
    block = made(EnergyBalance, dt, mass=MASS, damping=DAMPING)
    shown = by_name(block, d, published(v), f, half, r - half)
    inertia = np.einsum("ki,ij,kj->k", a, MASS, a)
    expected = -(dt**2) / 8.0 * (inertia - inertia[0])
    np.testing.assert_allclose(shown["residual"][1:], expected[:-1], rtol=0, atol=1e-12)
    assert np.abs(shown["residual"]).max() > 1e-6  # it is not 0


def test_a_wrong_mass_opens_the_balance():
    d, v, _, r, f = newmark(0.01, 400, hardening, pushed, [0.3, -0.2], [1.0, 2.0])
    right, wrong = (
        np.abs(by_name(monitor(mass=m, damping=DAMPING), d, published(v), f, 0.0 * r, r)["residual"]).max()
        for m in (MASS, 1.01 * MASS)
    )
    assert wrong > 5.0 * right


def test_outputs_follow_the_velocity_alone():
    through = monitor()._kernels.feedthrough
    for name in ("e_kinetic", "e_viscous", "residual"):
        assert through[name] == {"vel"}, name
    for name in ("e_numerical", "e_experimental", "e_input"):
        assert through[name] == frozenset(), name


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (dict(mass=-1.0), "'mass' of block 'balance' must be positive definite, got -1"),
        (dict(mass=[[1.0, 2.0], [0.0, 1.0]]), "'mass' of block 'balance' must be symmetric"),
        (dict(mass=MASS, damping=0.5), "has a mass of 2 x 2 and a damping of 1 x 1; give a damping of 2 x 2"),
        (dict(stiffness=3.0), "has no parameter 'stiffness'"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, words):
    assert words in refusal(monitor, name="balance", **parameters)
