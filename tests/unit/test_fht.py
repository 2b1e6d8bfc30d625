"""FHT's alpha-method: iterations, commands, equilibrium, feedback of the tracking error, ports and refusals.

Expected values come from the equations of the paper in residual form (FHT Eqs. 7-12), from the implicit method
iterated to convergence, and from the geometry of the parabola.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from integrator_loop import in_loop
from one_block import made, refusal

from hybsim.blocks.integrators.fht_alpha import FHTAlpha, FHTAlphaFeedback
from hybsim.blocks.integrators.hht_alpha import HHTAlpha

MASS = np.array([[2.0, 0.1], [0.1, 1.5]])
DAMPING = np.array([[0.5, -0.2], [-0.1, 0.4]])
K0 = np.array([[90.0, -42.0], [-38.0, 40.0]])
OUTPUTS = ("disp_target", "vel", "accel")


def softening(d):
    return K0 @ d - 30.0 * d * np.abs(d)


def parabola(x, before, start, end):
    """Lagrange through x = -1, 0, 1."""
    return before * x * (x - 1) / 2 + start * (1 - x) * (1 + x) + end * x * (x + 1) / 2


def paper(steps, n, every, h, alpha, restoring, load, d, v, gain=0.0, actuator=lambda d: d):
    """FHT Eqs. 1-12 in residual form; commands of all ticks, and d, v, a, r of all steps."""
    beta, gamma, c, k = (1 - alpha) ** 2 / 4, 0.5 - alpha, DAMPING, K0
    m_bar = MASS + (1 + alpha) * gamma * h * c
    k_star = m_bar + h**2 * beta * (1 + alpha) * k
    r, f, f_before = restoring(actuator(d)), load(0), load(0)
    a = np.linalg.solve(MASS, f - r - c @ v)
    calculated = sent = [d - h * v + h**2 / 2 * a, d]
    shift, commands, states = np.zeros(2), [d], [(d, v, a, r)]
    for i in range(steps):

        def correction(at, force, f_new, d=d, v=v, a=a, r=r, f=f):
            d_tilde = d + h * v + h**2 * (0.5 - beta) * a
            bracket = (1 + alpha) * f_new - alpha * f - c @ v - (1 + alpha) * (1 - gamma) * h * c @ a + alpha * r
            residual = m_bar @ d_tilde + h**2 * beta * bracket - m_bar @ at - h**2 * beta * (1 + alpha) * force
            return np.linalg.solve(k_star, residual)

        estimate = d + correction(d, r, 2 * f - f_before)
        for tick in range(1, n + 1):
            x = tick / n
            at = parabola(x, *calculated, estimate)
            commands.append(parabola(x, *sent, estimate + shift))
            force = restoring(actuator(commands[-1]))
            if tick % every == 0 and tick < n:
                estimate = at + correction(at, force, f + (load(i * n + tick) - f) / x)
        f_new = load((i + 1) * n)
        delta = correction(at, force, f_new)
        a_new = (at + delta - d - h * v - h**2 * (0.5 - beta) * a) / (beta * h**2)
        d, v, a, r = at + delta, v + h * ((1 - gamma) * a + gamma * a_new), a_new, force + k @ delta
        f_before, f = f, f_new
        calculated, sent = [calculated[1], at], [sent[1], at + shift]
        shift = gain * (at - actuator(commands[-1]))
        states.append((d, v, a, r))
    return np.array(commands), *(np.array(column) for column in zip(*states, strict=True))


START = dict(initial_disp=[0.05, 0.0], initial_vel=[0.5, -1.0])


def wave(k):
    return np.array([8.0, 5.0]) * math.sin(0.06 * k) + np.array([0.3, -0.2]) * math.cos(0.9 * k)


@pytest.mark.parametrize(("n", "iterations", "alpha"), [(1, 1, -0.1), (4, 4, 0.0), (6, 3, -0.3), (5, 1, -0.05)])
def test_equations_in_residual_form(n, iterations, alpha):
    dt, steps = 0.004, 120
    block = made(
        FHTAlpha, dt, mass=MASS, damping=DAMPING, stiffness=K0, alpha=alpha, ticks_per_step=n,
        iterations=iterations, **START,
    )  # fmt: skip
    d, v, a = in_loop(block, n * steps + 1, softening, wave)
    commands, _, vels, accels, _ = paper(
        steps, n, n // iterations, n * dt, alpha, softening, wave, *(np.array(s) for s in START.values())
    )
    np.testing.assert_allclose(d, commands, rtol=0, atol=1e-11)
    # vel and accel are those of the last completed step, published from the tick after its end on.
    np.testing.assert_allclose(v[1::n], vels[: len(v[1::n])], rtol=0, atol=1e-9)
    np.testing.assert_allclose(a[1::n], accels[: len(a[1::n])], rtol=0, atol=1e-6)
    assert (v[1 : 1 + n] == v[1]).all()


@pytest.mark.parametrize("alpha", [0.0, -0.2])
def test_a_specimen_of_the_initial_stiffness_makes_it_hht(alpha):
    """Each iteration is exact then: all steps equal those of the implicit method."""
    n, h = 5, 0.1
    options = dict(mass=MASS, damping=DAMPING, stiffness=K0, alpha=alpha, **START)
    _, v, a = in_loop(made(FHTAlpha, h / n, ticks_per_step=n, **options), 100 * n + 2, lambda d: K0 @ d, wave)
    _, hht_v, hht_a = in_loop(made(HHTAlpha, h, **options), 102, lambda d: 0.0 * d, lambda i: wave(n * i))
    np.testing.assert_allclose(v[1::n], hht_v[1:], rtol=0, atol=1e-10)
    np.testing.assert_allclose(a[1::n], hht_a[1:], rtol=0, atol=1e-8)


def test_iterations_converge_to_the_implicit_solution():
    """The end of the first step, against Newton's method with the true force iterated to convergence."""
    h, beta, gamma = 0.1, 0.25, 0.5
    d, v = (np.array(s) for s in START.values())
    a = np.linalg.solve(MASS, -softening(d) - DAMPING @ v)
    new = d
    for _ in range(200):
        a_new = (new - d - h * v) / (beta * h**2) - (0.5 - beta) / beta * a
        residual = -softening(new) - DAMPING @ (v + h * ((1 - gamma) * a + gamma * a_new)) - MASS @ a_new
        new = new + np.linalg.solve(K0 + MASS / (beta * h**2), residual)
    errors = []
    for n in (2, 4, 8, 16):
        block = made(FHTAlpha, h / n, mass=MASS, damping=DAMPING, stiffness=K0, ticks_per_step=n, **START)
        _, _, a = in_loop(block, n + 2, softening)
        found = d + h * v + h**2 * ((0.5 - beta) * a[1] + beta * a[n + 1])
        errors.append(np.abs(found - new).max())
    assert errors[0] < 5e-4
    assert all(later < 0.6 * earlier for earlier, later in pairwise(errors))


def test_commands_run_on_a_parabola_when_the_estimate_stays():
    """K0 exact and a load straight over the step: the second differences inside a step are equal."""
    n = 8
    block = made(FHTAlpha, 0.005, mass=1.0, damping=0.4, stiffness=50.0, ticks_per_step=n, initial_vel=1.0)
    d, _, _ = in_loop(block, 5 * n + 1, lambda d: 50.0 * d, lambda k: 3.0 + 0.2 * k)
    for step in range(2, 5):
        inside = d[step * n : (step + 1) * n + 1]
        second = np.diff(inside, 2)
        np.testing.assert_allclose(second, second[0], rtol=0, atol=1e-13)
        ends = d[(step - 1) * n], d[step * n], d[(step + 1) * n]
        assert inside[3] == pytest.approx(parabola(3 / n, *ends), abs=1e-14)


def test_first_tick_publishes_the_initial_state_and_starts_in_equilibrium():
    block = made(FHTAlpha, mass=2.0, damping=0.5, stiffness=30.0, initial_disp=0.3, initial_vel=4.0)
    x = block.getstate0()
    assert block.output(0.0, [0.0, 0.0], x) == [0.3, 4.0, 0.0]
    _, v0, a0 = block.output(0.0, [0.0, 0.0], block.next(0.0, [7.0, 20.0], x))
    assert (v0, a0) == (4.0, (20.0 - 0.5 * 4.0 - 7.0) / 2.0)


# feedback -----------------------------------------------------------------------------------------


def feedback(gain, n=4, **own):
    options = dict(mass=MASS, damping=DAMPING, stiffness=K0, ticks_per_step=n, **START) | own
    return made(FHTAlphaFeedback, 0.005, feedback_gain=gain, **options)


def test_perfect_tracking_needs_no_compensation():
    plain = made(FHTAlpha, 0.005, mass=MASS, damping=DAMPING, stiffness=K0, ticks_per_step=4, **START)
    expected = in_loop(plain, 200, softening, wave)
    for found, right in zip(in_loop(feedback(0.7), 200, softening, wave), expected, strict=True):
        np.testing.assert_allclose(found, right, rtol=0, atol=1e-12)


@pytest.mark.parametrize("gain", [0.0, 0.6, 1.0])
def test_equations_of_the_compensation(gain):
    """d^a = d + lambda (calculated - measured) at the end of the step before, for an actuator that falls short."""

    def short(d):
        return 0.9 * d

    d, v, _ = in_loop(feedback(gain), 4 * 100 + 1, softening, wave, short)
    commands, _, vels, _, _ = paper(
        100, 4, 1, 0.02, 0.0, softening, wave, *(np.array(s) for s in START.values()), gain=gain, actuator=short
    )
    np.testing.assert_allclose(d, commands, rtol=0, atol=1e-11)
    np.testing.assert_allclose(v[1::4], vels[:-1], rtol=0, atol=1e-9)


def test_compensation_brings_the_specimen_closer_to_what_was_calculated():
    """An actuator that reaches 90 % of its command: static error e = 1 - 0.9 (1 + lambda e), 0.1 / (1 + 0.9 lambda)."""
    for gain in (0.0, 1.0):
        block = feedback(gain, mass=1.0, damping=30.0, stiffness=100.0, initial_disp=0.0, initial_vel=0.0)
        d, _, a = in_loop(block, 4000, lambda d: 100.0 * d, lambda k: 50.0, lambda d: 0.9 * d)
        assert abs(a[-1]) < 1e-9
        # The calculated displacement is d - shift; at rest shift = gain (calculated - 0.9 d).
        calculated = d[-1] / (1 + gain) * (1 + 0.9 * gain)
        assert 0.9 * d[-1] == pytest.approx(0.5, rel=1e-9)  # equilibrium of the specimen with the load
        expected = 0.1 / (1 + 0.9 * gain)
        assert 1 - 0.9 * d[-1] / calculated == pytest.approx(expected, rel=1e-9)


# ports and parameters -----------------------------------------------------------------------------


@pytest.mark.parametrize("block", [feedback(0.5), made(FHTAlpha, mass=1.0, stiffness=1.0)])
def test_nothing_passes_through_within_a_tick(block):
    assert block._kernels.feedthrough == dict.fromkeys(OUTPUTS, frozenset())


@pytest.mark.parametrize(
    ("cls", "parameters", "words"),
    [
        (FHTAlpha, {}, "needs stiffness="),
        (FHTAlpha, {"stiffness": np.eye(2)}, "a mass of 1 x 1 and a stiffness of 2 x 2"),
        (FHTAlpha, {"stiffness": 1.0, "alpha": 0.05}, "must be at most 0"),
        (FHTAlpha, {"stiffness": 1.0, "ticks_per_step": 0}, "must be at least 1"),
        (FHTAlpha, {"stiffness": 1.0, "ticks_per_step": 10.24}, "of block 'structure' must be a whole number"),
        (FHTAlpha, {"stiffness": 1.0, "ticks_per_step": 10, "iterations": 4}, "4 iterations evenly over 10 ticks"),
        (FHTAlpha, {"stiffness": 1.0, "feedback_gain": 1.0}, "has no parameter 'feedback_gain'"),
        (FHTAlphaFeedback, {"stiffness": 1.0, "feedback_gain": 1.5}, "must be at most 1"),
        (FHTAlpha, {"stiffness": 0.0, "damping": -20.0}, "is singular at dt = 0.01 s"),
    ],
)  # fmt: skip
def test_refusals_are_one_sentence(cls, parameters, words):
    assert words in refusal(made, cls, name="structure", mass=1.0, **parameters)
