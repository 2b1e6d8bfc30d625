"""The column of the Fast Hybrid Test: Table 2, the alpha-method with ten iterations, delay, compensation, engines.

Expected values: frequencies as printed; the response from the matrix exponential; FHT Eqs. 7-12 in residual form; the
roots of the delayed equation of motion.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import expm

import hybsim as hs
from hybsim.blocks.sources.records import load_record
from hybsim.diagrams.fht_column import STIFFNESS, fht_column, modal_damping, modes
from hybsim.errors import ParameterError
from hybsim.studies.fht.column_exact import exact
from hybsim.studies.fht.column_stability import Loop
from hybsim.studies.indicators.linearise import linearise

K = np.array([[432.6, -201.6], [-201.6, 115.6]])
M = np.diag([0.097, 0.097])
G = 386.1


def modal():
    squares, shapes = np.linalg.eig(np.linalg.solve(M, K))
    order = np.argsort(squares)
    return np.sqrt(squares[order]), shapes[:, order]


def damping_matrix(ratio):
    """C with Phi^-1 M^-1 C Phi = diag(2 zeta omega)."""
    omega, shapes = modal()
    return M @ shapes @ np.diag(2 * ratio * omega) @ np.linalg.inv(shapes)


def ground(times):
    record = load_record("elcentro")
    return (
        0.3 * G / np.abs(record.accel).max() * np.interp(times, record.dt * np.arange(len(record.accel)), record.accel)
    )


def by_exponential(duration, ratio):
    """State space with a load that is straight over each 0.02 s of the record: displacements at 0.02 s."""
    h = 0.02
    a = np.zeros((6, 6))
    a[:2, 2:4] = np.eye(2)
    a[2:4, :2] = -np.linalg.solve(M, K)
    a[2:4, 2:4] = -np.linalg.solve(M, damping_matrix(ratio))
    a[2:4, 4] = -1.0
    a[4, 5] = 1.0
    step = expm(h * a)
    load = ground(h * np.arange(round(duration / h) + 1))
    z, found = np.zeros(6), [np.zeros(2)]
    for now, then in pairwise(load):
        z[4:] = now, (then - now) / h
        z = step @ z
        found.append(z[:2].copy())
    return np.array(found)


def targets(duration, engine="c", **options):
    return hs.compile(fht_column(**options)).run(duration, engine=engine)["integrator.disp_target"]


def test_frequencies_are_the_printed_ones():
    omega, _ = modal()
    assert [round(value / (2 * math.pi), 1) for value in omega] == [2.1, 11.8]
    assert np.array_equal(STIFFNESS, K)
    assert modes()[0] == pytest.approx(omega, rel=1e-12)
    assert modal_damping(0.04) == pytest.approx(damping_matrix(0.04), rel=1e-9)


@pytest.mark.parametrize("ratio", [0.04, 0.06])
def test_the_exact_solution_is_that_of_the_matrix_exponential(ratio):
    times = 0.02 * np.arange(501)
    found = exact(times, record=load_record("elcentro"), pga=0.3, damping=ratio)
    expected = by_exponential(10.0, ratio)
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()
    # Other times have other pieces, but the motion is the same.
    odd = exact(10.0 / 1024.0 * np.arange(1025), record=load_record("elcentro"), pga=0.3, damping=ratio)
    assert odd[-1] == pytest.approx(expected[-1], rel=1e-8)


def test_the_ideal_run_converges_with_order_two():
    expected = by_exponential(6.0, 0.04)
    errors = []
    for halvings in (1, 2, 4):
        step = 0.01 / halvings
        found = targets(6.0, rate=1000.0 * halvings, step=step, actuator=False)[:: 20 * halvings]
        errors.append(np.sqrt(((found - expected) ** 2).mean()))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders == pytest.approx([2.0, 2.0], abs=0.1)


@pytest.mark.parametrize("alpha", [0.0, -0.1])
def test_the_ideal_run_is_the_alpha_method_with_ten_iterations(alpha):
    steps, n, h = 500, 10, 0.01
    beta, gamma, c = (1 - alpha) ** 2 / 4, 0.5 - alpha, damping_matrix(0.04)
    m_bar = M + (1 + alpha) * gamma * h * c
    k_star = m_bar + h**2 * beta * (1 + alpha) * K
    f = -np.outer(ground(h / n * np.arange(steps * n + 1)), np.diag(M))
    d, v, a = np.zeros(2), np.zeros(2), np.linalg.solve(M, f[0])
    r, expected = np.zeros(2), [np.zeros(2)]
    for i in range(steps):
        old, new = f[i * n], f[(i + 1) * n]
        tilde = d + h * v + h**2 * (0.5 - beta) * a
        known = (1 + alpha) * new - alpha * old - c @ v - (1 + alpha) * (1 - gamma) * h * c @ a + alpha * r
        at = d
        for _ in range(n):
            residual = m_bar @ tilde + h**2 * beta * known - m_bar @ at - h**2 * beta * (1 + alpha) * (K @ at)
            at = at + np.linalg.solve(k_star, residual)
        a_new = (at - tilde) / (beta * h**2)
        v = v + h * ((1 - gamma) * a + gamma * a_new)
        d, a, r = at, a_new, K @ at
        expected.append(d)
    found = targets(5.0, actuator=False, alpha=alpha)[::10]
    assert np.abs(found - expected).max() < 1e-9


def growth(**options):
    linear = linearise(fht_column(**options))
    return math.log(linear.radius) / linear.dt


def test_a_small_delay_takes_damping_away_as_theory_says():
    # Growth of mode 2: -omega (zeta - omega tau / 2); short steps, so that only the delay acts.
    omega = modal()[0][1]
    for tau in (0.00025, 0.0005):
        late = growth(rate=4000.0, step=0.0025, lag=None, feedforward=False, digital_delay=tau, damping=0.001)
        assert late / omega == pytest.approx(omega * tau / 2 - 0.001, rel=0.05)


def test_a_test_run_shows_the_damping_that_a_delay_takes():
    # Free vibration in mode 1 after a push: the envelope decays with zeta - omega tau / 2.
    omega, tau, shape = modal()[0][0], 0.002, modal()[1][:, 0]
    push = np.zeros(1000)
    push[1:6] = 0.1
    logs = []
    for options in (dict(actuator=False), dict(lag=None, feedforward=False, digital_delay=tau)):
        bd = fht_column(rate=4000.0, step=0.0025, damping=0.1, record=load_record(push, dt=0.02), pga=0.1, **options)
        disp = hs.compile(bd).run(4.0)["integrator.disp_target"] @ (M @ shape)
        period = round(2 * math.pi / omega * 4000)
        peaks = [np.abs(disp[start : start + period]).max() for start in (4000, 4000 + 4 * period)]
        logs.append(math.log(peaks[0] / peaks[1]) / (4 * 2 * math.pi))
    assert logs[0] - logs[1] == pytest.approx(omega * tau / 2, rel=0.06)


def test_four_percent_carry_one_millisecond():
    # 2 zeta / omega_2 = 1.08 ms: one tick of 1 ms is stable, two are not; mode 1 alone would carry 5.9 ms.
    edge = 2 * 0.04 / modal()[0]
    assert edge == pytest.approx([0.00593, 0.00108], abs=1e-5)
    assert growth(lag=None, feedforward=False, digital_delay=0.001) < 0.0
    assert growth(lag=None, feedforward=False, digital_delay=0.0012) > 0.0


@pytest.mark.parametrize("gain", [0.0, 0.3, 0.8])
def test_two_loops_give_the_loop_at_every_lambda(gain):
    loop = Loop.of(assumed_lag=0.009)
    assert loop.growth(gain) == pytest.approx(growth(assumed_lag=0.009, feedback_gain=gain), rel=1e-6)


@pytest.mark.parametrize(("lag", "stable", "unstable"), [(0.009, 0.35, 0.23), (0.012, 0.80, 0.90)])
def test_runs_agree_with_the_edge_of_stability(lag, stable, unstable):
    # A free vibration long after a push: smaller or larger in its last part than before.
    push = np.zeros(100)
    push[1:4] = 0.1
    for gain, grows in ((stable, False), (unstable, True)):
        bd = fht_column(assumed_lag=lag, feedback_gain=gain, record=load_record(push, dt=0.02), pga=0.1)
        size = np.abs(hs.compile(bd).run(40.0)["integrator.disp_target"]).max(axis=1)
        assert (size[-5000:].max() > size[-20000:-15000].max()) == grows


VARIANTS = (
    dict(actuator=False),
    dict(feedforward=False),
    dict(),
    dict(feedback_gain=0.5),
    dict(feedforward=False, feedback_gain=1.0),
    dict(assumed_lag=0.012, feedback_gain=0.25),
    dict(lag=None, feedforward=False, digital_delay=0.0015),
    dict(specimen_damping=0.02, alpha=-0.1),
    dict(rate=1024.0, step=10 / 1024, feedback_gain=0.5),
)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_both_engines_give_the_same_bits(options):
    program = hs.compile(fht_column(**options))
    compiled, plain = (program.run(0.4, engine=engine) for engine in ("c", "python"))
    for name in ("integrator.disp_target", "integrator.accel", "position.out"):
        assert np.abs(plain[name]).max() > 0.0
        assert np.array_equal(compiled[name], plain[name])


def test_a_damped_specimen_adds_its_ratio():
    linear = linearise(fht_column(actuator=False, specimen_damping=0.02, rate=4000.0, step=0.0025))
    omega = modal()[0][0]
    assert -math.log(linear.radius) / linear.dt / omega == pytest.approx(0.06, rel=0.01)


def test_the_frequencies_that_the_notes_name():
    for options, printed in ((dict(actuator=False), 2.1438), ({}, 2.1460)):
        values = np.linalg.eigvals(linearise(fht_column(**options)).over_period)
        slow = [np.log(z) / 0.01 for z in values if abs(z) > 0.98 and z.imag > 0]
        assert min(abs(z) for z in slow) / (2 * math.pi) == pytest.approx(printed, abs=6e-5)


def test_1024_hz_with_a_hundredth_of_a_second_is_refused():
    with pytest.raises(ParameterError, match=r"1024 Hz has 10\.24 ticks in a step of 0\.01 s.*step=10/1024"):
        fht_column(rate=1024.0, step=0.01)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(rate=0.0), "above 0"),
        (dict(lag=None), "actuator to invert"),
        (dict(lag=-0.01), "lag must be above 0"),
        (dict(assumed_lag=0.0), "assumed_lag must be above 0"),
    ],
)
def test_rigs_that_cannot_be_are_refused(options, words):
    with pytest.raises(ParameterError, match=words):
        fht_column(**options)
