"""Bouc-Wen with degradation and pinching: against closed forms, plain Bouc-Wen and SciPy's solution."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from one_block import made, refusal, stepped
from scipy.integrate import solve_ivp

from hybsim.blocks.specimens.bouc_wen import BoucWen
from hybsim.blocks.specimens.bouc_wen_degrading import BoucWenDegrading, BoucWenDegradingRate
from hybsim.studies.verification.loops import area, walk

K, UY = 10.0, 0.5
CORNERS = [0.0, 0.4, -0.7, 1.2, 0.9, 1.1, -2.0, -1.9, 0.05, 1.5, -1.5, 1.5]
DEGRADING = dict(delta_a=0.004, delta_nu=0.03, delta_eta=0.05)
PINCHING = dict(zeta_s=0.9, q=0.15, p=0.4, psi=0.2, delta_psi=0.01, lam=0.3)


specimen = partial(made, BoucWenDegrading, stiffness=K, yield_disp=UY)


def rates(_, state, du, alpha, beta, gamma, n, d):
    """The equations of the block's docstring with u' = du, written out a second time."""
    z, e = state
    a, nu, eta = 1 - d["delta_a"] * e, 1 + d["delta_nu"] * e, 1 + d["delta_eta"] * e
    zeta_1 = d["zeta_s"] * (1 - math.exp(-d["p"] * e))
    zeta_2 = (d["psi"] + d["delta_psi"] * e) * (d["lam"] + zeta_1)
    z_u = (a / (nu * (beta + gamma))) ** (1 / n)
    h = 1 - zeta_1 * math.exp(-((z * np.sign(du) - d["q"] * z_u) ** 2) / zeta_2**2)
    dz = h * (a * du - nu * (gamma * abs(du) * z * abs(z) ** (n - 1) + beta * du * abs(z) ** n)) / eta / UY
    return [dz, (1 - alpha) * z * du / UY]


def solved(corners, alpha, beta, gamma, n, **d):
    """Forces at the corners, by SciPy."""
    none = dict.fromkeys(("delta_a", "delta_nu", "delta_eta", "zeta_s", "q", "p", "delta_psi"), 0.0)
    d = none | {"psi": 1.0, "lam": 1.0} | d
    state, result = np.zeros(2), [0.0]
    for a, b in pairwise(corners):
        way = solve_ivp(
            rates, (0, abs(b - a)), state, args=(np.sign(b - a), alpha, beta, gamma, n, d),
            rtol=1e-10, atol=1e-12, max_step=UY / 50,
        )  # fmt: skip
        state = way.y[:, -1]
        result.append(alpha * K * b + (1 - alpha) * K * UY * state[0])
    return np.array(result)


@pytest.mark.parametrize(
    ("beta", "gamma", "n"), [(0.55, 0.45, 2.0), (0.1, 0.9, 1.0), (-0.3, 0.8, 1.5), (0.5, 0.5, 4.0)]
)
@pytest.mark.parametrize("extra", [DEGRADING, PINCHING, DEGRADING | PINCHING], ids=["degrading", "pinching", "both"])
def test_agrees_with_the_differential_equations_whatever_the_increment(beta, gamma, n, extra):
    shape = dict(alpha=0.1, beta=beta, gamma=gamma, n=n)
    expected = solved(CORNERS, **shape, **extra)
    for steps in (1, 40):
        force = stepped(specimen(**shape, **extra), walk(*CORNERS, steps=steps))
        np.testing.assert_allclose(force[::steps], expected, rtol=0, atol=2e-5)


def test_the_corner_at_z_0_does_not_cost_the_order():
    extra = DEGRADING | PINCHING
    shape = dict(alpha=0.0, beta=0.1, gamma=0.9, n=1.0)
    expected = solved(CORNERS, **shape, **extra)
    errors = [
        np.abs(stepped(specimen(**shape, **extra), walk(*CORNERS, steps=steps))[::steps] - expected).max()
        for steps in (160, 640)
    ]
    # n = 1 has a corner at z = 0; steps across it would leave the first order, a factor of 4.
    assert errors[0] / errors[1] > 64.0


@pytest.mark.parametrize(("n", "tolerance"), [(2.0, 2e-5), (1.4, 1e-4)])
def test_without_degradation_it_is_bouc_wen(n, tolerance):
    disps = np.cumsum(np.random.default_rng(2).normal(scale=0.2, size=400))
    plain = stepped(made(BoucWen, stiffness=K, yield_disp=UY, alpha=0.1, n=n), disps)
    np.testing.assert_allclose(stepped(specimen(alpha=0.1, n=n), disps), plain, rtol=0, atol=tolerance)


def test_initial_stiffness_is_k():
    force = stepped(specimen(alpha=0.1, **DEGRADING, **PINCHING), np.array([1e-6]))
    assert force[0] == pytest.approx(K * 1e-6, rel=1e-5)


def test_energy_of_first_loading_with_stiffness_degradation():
    """n = 1, beta + gamma = 1: de/dz = z (1 + d e) / (1 - z), so ln(1 + d e) = -d (z + ln(1 - z))."""
    d = 0.3
    disps = walk(0.0, 2.0, steps=4000)
    force = stepped(specimen(beta=0.6, gamma=0.4, n=1.0, delta_eta=d), disps)
    z, e = force[-1] / (K * UY), area(disps, force) / (K * UY**2)
    assert z > 0.8
    assert math.log(1 + d * e) == pytest.approx(-d * (z + math.log(1 - z)), rel=1e-6)


def test_stiffness_at_zero_force_is_k_over_eta():
    d = 0.1
    disps = walk(0.0, *[2.0, -2.0] * 3, steps=2000)
    force = stepped(specimen(delta_eta=d), disps)
    crossing = np.flatnonzero(np.diff(np.sign(force)))[-1]
    e = area(disps[: crossing + 1], force[: crossing + 1]) / (K * UY**2)
    tangent = np.diff(force)[crossing] / np.diff(disps)[crossing]
    assert e > 15.0
    assert tangent == pytest.approx(K / (1 + d * e), rel=1e-3)


def test_strength_decreases_with_the_energy():
    """On the plateau |z| follows z_u = (nu (beta + gamma))^(-1/n); it lags by less than delta_nu."""
    d, n = 0.002, 2.0
    disps = walk(0.0, *[4.0, -4.0] * 4, steps=2000)
    force = stepped(specimen(beta=0.55, gamma=0.45, n=n, delta_nu=d), disps)
    e = area(disps, force) / (K * UY**2)
    assert e > 80.0
    assert -force[-1] == pytest.approx(K * UY * (1 + d * e) ** (-1 / n), rel=d)


def test_pinching_takes_energy_out_of_the_loop_around_zero_force():
    disps = walk(0.0, *[2.0, -2.0] * 4, steps=200)
    plain, pinched = stepped(specimen(), disps), stepped(specimen(**PINCHING), disps)
    assert area(disps[-400:], pinched[-400:]) < 0.75 * area(disps[-400:], plain[-400:])
    # The ultimate force is the same: only the way to it is softer.
    assert np.abs(pinched).max() == pytest.approx(np.abs(plain).max(), rel=2e-3)


def test_a_stays_at_zero_once_it_has_come_down_to_it():
    force = stepped(specimen(delta_a=0.5), walk(0.0, *[3.0, -3.0] * 4, steps=50))
    assert np.isfinite(force).all()
    assert np.abs(force[-20:]).max() < 0.3 * np.abs(force).max()


def test_an_increment_no_test_will_command_stays_finite():
    force = stepped(specimen(**DEGRADING, **PINCHING), np.array([1e300, -1e300, 0.0]))
    assert np.isfinite(force).all()
    assert np.abs(force).max() <= K * UY


def test_the_rate_form_is_the_same_equation():
    shape = dict(alpha=0.2, beta=0.3, gamma=0.6, n=1.7)
    block = BoucWenDegradingRate(stiffness=K, yield_disp=UY, **shape, **DEGRADING, **PINCHING)
    for v, z, e in np.random.default_rng(5).normal(size=(50, 3)):
        state = np.array([z, abs(10 * e)])
        expected = rates(0.0, state, v, *shape.values(), DEGRADING | PINCHING)
        np.testing.assert_allclose(block.deriv(0.0, [0.4, v], state), expected, rtol=1e-12, atol=1e-13)
        force = block.output(0.0, [0.4, v], state)[0]
        assert force == pytest.approx(0.2 * K * 0.4 + 0.8 * K * UY * z, rel=1e-14)


def test_feedthrough_and_nan():
    for block in (specimen(**PINCHING), BoucWenDegradingRate(stiffness=K, yield_disp=UY)):
        assert block._kernels.feedthrough == {"force": frozenset({"disp"})}
    assert math.isnan(specimen().output(0.0, [math.nan], np.zeros(3))[0])


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"stiffness": -1.0}, "'stiffness' of block 'specimen' must be greater than 0, got -1.0"),
        ({"delta_nu": -0.1}, "'delta_nu' of block 'specimen' must be at least 0, got -0.1"),
        ({"zeta_s": 1.0}, "'zeta_s' of block 'specimen' must be less than 1, got 1.0"),
        ({"psi": 0.0}, "'psi' of block 'specimen' must be greater than 0, got 0.0"),
        ({"delta_mu": 0.1}, "has no parameter 'delta_mu'. Did you mean"),
        ({"beta": -0.6}, "needs beta + gamma greater than 0, got -0.6 + 0.45"),
    ],
)
@pytest.mark.parametrize("cls", [BoucWenDegrading, BoucWenDegradingRate])
def test_refusals_are_one_sentence(cls, parameters, words):
    assert words in refusal(made, cls, name="specimen", **({"stiffness": 1.0, "yield_disp": 1.0} | parameters))
