"""The implicit integrators where the source documents are wrong, and at their limits of stability.

Each correction has a test that the printed formula fails; limits come from the difference equations in closed form.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from integrator_loop import in_loop
from one_block import made

from hybsim.blocks.integrators.alpha_os import AlphaOS
from hybsim.blocks.integrators.hht_alpha import HHTAlpha
from hybsim.blocks.integrators.implicit_explicit import ImplicitExplicit
from hybsim.blocks.integrators.newmark_beta import NewmarkBeta
from hybsim.blocks.integrators.operator_splitting import OperatorSplitting

OMEGA, ZETA = 2 * math.pi, 0.05


def targets(cls, dt, ticks, restoring, load=lambda t: 0.0, **parameters):
    """Target displacement and acceleration of every tick, mass 1."""
    d, _, a = in_loop(made(cls, dt, mass=1.0, **parameters), ticks, restoring, lambda k: load(k * dt))
    return d, a


def exact_forced(t):
    """From d = 1, v = 0 under 20 sin(3 t): m = 1, damping ratio ZETA."""
    damped = OMEGA * math.sqrt(1 - ZETA**2)
    response = 20.0 / complex(OMEGA**2 - 9.0, 2 * ZETA * OMEGA * 3.0)
    c = 1.0 - response.imag
    s = (-3.0 * response.real + ZETA * OMEGA * c) / damped
    free = math.exp(-ZETA * OMEGA * t) * (c * math.cos(damped * t) + s * math.sin(damped * t))
    return free + (response * complex(math.cos(3 * t), math.sin(3 * t))).imag


def order(final, steps=200):
    """Slope of the error at t = 2.2 s from `steps` to twice as many; final(steps) is the displacement there."""
    coarse, fine = (abs(final(n) - exact_forced(2.2)) for n in (steps, 2 * steps))
    return math.log2(coarse / fine)


def hht(steps, alpha, printed):
    """EERC Eqs. 2.20-2.22 for the oscillator of `exact_forced`; as printed only the restoring force is shifted."""
    dt, c, k = 2.2 / steps, 2 * ZETA * OMEGA, OMEGA**2
    beta, gamma, s = (1 - alpha) ** 2 / 4, 0.5 - alpha, 0.0 if printed else alpha
    d, v, a = 1.0, 0.0, -k
    loads = [20.0 * math.sin(3.0 * i * dt) for i in range(steps + 1)]
    for last, f in pairwise(loads):
        d_p, v_p = d + dt * v + dt**2 * (0.5 - beta) * a, v + dt * (1 - gamma) * a
        right = (1 + s) * (f - c * v_p) - s * (last - c * v) - (1 + alpha) * k * d_p + alpha * k * d
        a = right / (1 + (1 + s) * gamma * dt * c + (1 + alpha) * beta * dt**2 * k)
        d, v = d_p + beta * dt**2 * a, v_p + gamma * dt * a
    return d


@pytest.mark.parametrize("inside", [0.0, 0.5, 1.0])
def test_hht_shifts_damping_and_load_and_is_of_order_two(inside):
    """EERC Eq. 2.20 as printed shifts the restoring force only: order 1."""
    alpha = -0.2

    def block(steps):
        dt, outside = 2.2 / steps, (1 - inside) * OMEGA**2
        own = dict(damping=2 * ZETA * OMEGA, stiffness=inside * OMEGA**2, alpha=alpha, initial_disp=1.0)
        d, a = targets(HHTAlpha, dt, steps + 2, lambda d: outside * d, lambda t: 20.0 * math.sin(3.0 * t), **own)
        return d[-2] + (1 - alpha) ** 2 / 4 * dt**2 * (a[-1] - a[-2])

    assert order(block) == pytest.approx(2.0, abs=0.05)
    assert order(lambda n: hht(n, alpha, printed=False)) == pytest.approx(2.0, abs=0.05)
    assert order(lambda n: hht(n, alpha, printed=True), 3200) == pytest.approx(1.0, abs=0.05)
    if inside == 1.0:
        assert block(100) == pytest.approx(hht(100, alpha, printed=False), rel=1e-12)


def test_the_analytical_part_acts_on_the_corrected_displacement():
    """EERC Eq. 2.26 as printed takes K d~: then omega dt < 2, while K d is stable at any step."""
    d, _ = targets(ImplicitExplicit, 1.0, 2000, lambda d: 0.0, stiffness=100.0, initial_disp=1.0)
    assert np.abs(d).max() < 100.0


def test_the_corrector_has_the_factor_beta():
    """EERC Eq. 2.29 prints d = d~_i + dt^2 a. Right: the predictors obey the central difference formula."""
    dt = 0.1
    d, a = targets(ImplicitExplicit, dt, 300, lambda d: 30.0 * d, initial_disp=1.0, initial_vel=2.0)
    d, a = d[1:], a[1:]  # the first target is d_0 itself
    np.testing.assert_allclose(d[2:] - 2 * d[1:-1] + d[:-2], dt**2 * a[2:], rtol=0, atol=1e-13)
    theta = math.acos(1 - 30.0 * dt**2 / 2)
    np.testing.assert_allclose(d[2:] + d[:-2], 2 * math.cos(theta) * d[1:-1], rtol=0, atol=1e-12)


def test_explicit_damping_costs_an_order():
    """ERRATA: order 2 only if C_E = 0."""

    def run(steps, **damping):
        dt = 2.2 / steps
        d, a = targets(ImplicitExplicit, dt, steps + 2, lambda d: OMEGA**2 * d, lambda t: 20.0 * math.sin(3.0 * t),
                       initial_disp=1.0, **damping)  # fmt: skip
        return d[-2] + dt**2 / 4 * a[-1]

    c = 2 * ZETA * OMEGA
    assert order(lambda n: run(n, damping=c)) == pytest.approx(2.0, abs=0.05)
    assert order(lambda n: run(n, damping_explicit=c), 800) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(
    ("cls", "own"),
    [(NewmarkBeta, {}), (ImplicitExplicit, {}), (OperatorSplitting, {"stiffness": OMEGA**2})],
)
def test_the_restoring_force_is_that_of_the_new_step(cls, own):
    """EERC Eq. 2.6 as printed uses r_i: 5 % damping would then act as about 1.9 % (ERRATA)."""
    d, _ = targets(cls, 0.01, 1001, lambda d: OMEGA**2 * d, damping=2 * 0.05 * OMEGA, initial_disp=1.0, **own)
    peaks = max(d[0:50]), max(d[940:1001])  # ten cycles apart
    assert math.log(peaks[0] / peaks[1]) / (2 * math.pi * 10) == pytest.approx(0.05, rel=0.02)


# stability ----------------------------------------------------------------------------------------


def stable(cls, w, *, ticks=3000, zeta=0.0, **own):
    """Whether free vibration of omega dt = w stays bounded."""
    d, _ = targets(cls, 1.0, ticks, lambda d: w**2 * d, damping=2 * zeta * w, initial_disp=1.0, initial_vel=0.3, **own)
    return bool(np.abs(d[2 * ticks // 3 :]).max() < 3 * np.abs(d[: ticks // 3]).max())


@pytest.mark.parametrize("zeta", [0.0, 0.1])
@pytest.mark.parametrize("ratio", [0.2, 0.6, 0.9])
def test_a_specimen_stiffer_than_k0_limits_operator_splitting(ratio, zeta):
    """OSM: omega dt < 2 / sqrt(1 - alpha), alpha = K0/K, whatever the damping (ERRATA)."""
    limit = 2 / math.sqrt(1 - ratio)
    for w, expected in ((0.997 * limit, True), (1.003 * limit, False)):
        assert stable(OperatorSplitting, w, zeta=zeta, stiffness=ratio * w**2) is expected


@pytest.mark.parametrize("w", [3.0, 50.0])
@pytest.mark.parametrize("cls", [OperatorSplitting, AlphaOS])
def test_a_softer_specimen_never_does(cls, w):
    assert stable(cls, w, stiffness=w**2)
    assert stable(cls, w, stiffness=3.0 * w**2)


def test_alpha_os_far_stiffer_than_k0_is_driven_at_any_step():
    """K/K0 > (1 - alpha)^2 / (4 |alpha|): 4/3 for alpha = -1/3."""
    assert stable(AlphaOS, 0.5, alpha=-1 / 3, stiffness=0.25 / 1.25)
    assert not stable(AlphaOS, 0.5, ticks=9000, alpha=-1 / 3, stiffness=0.25 / 2.0)


@pytest.mark.parametrize("w_n", [0.0, 1.0, 30.0])
def test_the_numerical_part_does_not_limit_the_specimen(w_n):
    """Undamped limits of the specimen: sqrt(2) with the extrapolated target, 2 with the predictor."""
    for cls, limit in ((NewmarkBeta, math.sqrt(2)), (ImplicitExplicit, 2.0)):
        assert stable(cls, 0.997 * limit, stiffness=w_n**2)
        assert not stable(cls, 1.003 * limit, stiffness=w_n**2)


@pytest.mark.parametrize("zeta", [0.1, 0.4])
def test_explicit_damping_lowers_the_limit(zeta):
    """Hughes & Liu: omega dt < 2 [sqrt(1 + zeta^2) - zeta] for damping at the predictor."""
    limit = 2 * (math.sqrt(1 + zeta**2) - zeta)
    for w, expected in ((0.997 * limit, True), (1.003 * limit, False)):
        assert stable(ImplicitExplicit, w, damping_explicit=2 * zeta * w) is expected


def decay(cls, w, **own):
    """The damping ratio of free vibration, from the peaks of the first and the last part of a run."""
    d, _ = targets(cls, 1.0, 4000, lambda d: w**2 * d, initial_disp=1.0, **own)
    first, last = np.abs(d[:200]).max(), np.abs(d[3800:]).max()
    return math.log(first / last) / (w * 3800)


def test_the_extrapolated_target_damps_where_the_predictor_would_drive():
    """HHT with the whole force measured: about + beta Omega^3 / 2 and not - alpha^2 Omega^3 / 2."""
    w, alpha = 0.1, -0.1
    # theta^2 = Omega^2 (1 + i X theta^3): damping X Omega^3 / 2, X = beta (1 - alpha) - alpha^2.
    x = (1 - alpha) ** 3 / 4 - alpha**2
    assert decay(HHTAlpha, w, alpha=alpha) == pytest.approx(x * w**3 / 2, rel=0.03)
    assert decay(NewmarkBeta, w) == pytest.approx(0.25 * w**3 / 2, rel=0.03)
    # alpha-OS with K0 = 0 measures the shifted force at the predictor.
    assert decay(AlphaOS, w, alpha=alpha, stiffness=0.0) == pytest.approx(-(alpha**2) * w**3 / 2, rel=0.15)
