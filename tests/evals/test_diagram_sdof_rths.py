"""The virtual test of one degree of freedom against independent integrations, its critical delay, and both engines."""

from __future__ import annotations

import math

import numpy as np
import pytest
from agreement import agreed

import hybsim as hs
from hybsim.blocks.sources.records import Record
from hybsim.diagrams.sdof_rths import delay_parameter, partition_parameters, sdof_rths, with_mean_square
from hybsim.errors import ParameterError

TS_1 = (2.382e9, [485.5, 1.317e5, 3.182e7, 2.382e9])
LENGTH = 3.0


def ground(t):
    """A smooth ground acceleration that begins at rest, in m/s^2."""
    return 1.5 * np.sin(2.1 * t) ** 2 * np.cos(7.0 * t)


def in_the_diagram(dt, partition, omega_n, delay, rig="delay"):
    """Displacements of reference and test at 0, 0.01, 0.02, ... s."""
    alpha, beta, gamma, zeta = partition
    t = np.arange(round(LENGTH / dt) + 1) * dt
    bd = sdof_rths(
        alpha=alpha, beta=beta, gamma=gamma, zeta=zeta, omega_n=omega_n, delay=delay, rig=rig, dt=dt, scale=1.0,
        record=Record("smooth", ground(t), dt),
    )  # fmt: skip
    result = hs.compile(bd).run(LENGTH)
    return np.array([result[f"{name}.disp_target"] for name in ("reference", "numerical")])[:, :: round(0.01 / dt)]


def by_runge_kutta(partition, omega_n, delay, steps=8, actuator=None):
    """The same by the method of steps: Runge-Kutta of order 4, the past from cubic Hermite polynomials.

    The delay is `steps` steps; with an actuator (b, [a3, a2, a1, a0]) the command is late, otherwise the force.
    """
    alpha, beta, gamma, zeta = partition
    numerical = alpha, 2.0 * beta * zeta * omega_n, gamma * omega_n**2
    physical = 1.0 - alpha, 2.0 * (1.0 - beta) * zeta * omega_n, (1.0 - gamma) * omega_n**2
    h = delay / steps
    count = math.ceil(LENGTH / h) + 1
    states = 2 if actuator is None else 6
    y = np.zeros((count + 1, states))
    rate = np.zeros((count + 1, states))
    feedback = {0: 0.0}  # force of the physical part by half steps, as far as it is known

    def acceleration(t, state, force):
        return -(ground(t) + numerical[1] * state[1] + numerical[2] * state[0] + force) / numerical[0]

    def derivative(half, state):
        t = 0.5 * half * h
        if actuator is None:
            force = feedback.get(half - 2 * steps, 0.0)
            return np.array([state[1], acceleration(t, state, force)])
        gain, coefficients = actuator
        motion = state[2:]
        force = physical[0] * motion[2] + physical[1] * motion[1] + physical[2] * motion[0]
        jerk = gain * command(half - 2 * steps) - np.dot(coefficients, motion[::-1])
        return np.array([state[1], acceleration(t, state, force), *motion[1:], jerk])

    def between(k):
        """The state half a step after step k."""
        return 0.5 * (y[k] + y[k + 1]) + h / 8.0 * (rate[k] - rate[k + 1])

    def command(half):
        if half <= 0:
            return 0.0
        return y[half // 2, 0] if half % 2 == 0 else between(half // 2)[0]

    def keep(half, state):
        a = acceleration(0.5 * half * h, state, feedback.get(half - 2 * steps, 0.0))
        feedback[half] = physical[0] * a + physical[1] * state[1] + physical[2] * state[0]

    rate[0] = derivative(0, y[0])
    for k in range(count):
        k1 = rate[k]
        k2 = derivative(2 * k + 1, y[k] + 0.5 * h * k1)
        k3 = derivative(2 * k + 1, y[k] + 0.5 * h * k2)
        k4 = derivative(2 * k + 2, y[k] + h * k3)
        y[k + 1] = y[k] + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        rate[k + 1] = derivative(2 * k + 2, y[k + 1])
        if actuator is None:
            keep(2 * k + 1, between(k))
            keep(2 * k + 2, y[k + 1])
    times = np.arange(0.0, LENGTH + 0.005, 0.01)
    k = np.minimum((times / h + 1e-9).astype(int), count - 1)
    s = times / h - k
    start, end, v0, v1 = y[k, 0], y[k + 1, 0], h * rate[k, 0], h * rate[k + 1, 0]
    return (1 + 2 * s) * (1 - s) ** 2 * start + s * (1 - s) ** 2 * v0 + s**2 * (3 - 2 * s) * end + s**2 * (s - 1) * v1


PARTITION = (0.8, 0.4, 0.65, 0.02)


@pytest.mark.parametrize(
    ("delay", "dt", "rig", "actuator", "steps"),
    [
        (0.012, 0.001, "delay", None, 24),
        (0.0123, 0.001, "delay", None, 24),  # 12.3 ticks: interpolated
        (0.002, 0.0005, ([TS_1[0]], [1.0, *TS_1[1]]), TS_1, 4),
    ],
    ids=["delay", "delay between ticks", "actuator"],
)
def test_the_diagram_solves_the_delay_differential_equation(delay, dt, rig, actuator, steps):
    """The error falls with dt^2; what is left after taking that off is below 1e-6 of the peak."""
    omega_n = 12.0
    expected = by_runge_kutta(PARTITION, omega_n, delay, steps, actuator)
    finer = by_runge_kutta(PARTITION, omega_n, delay, 2 * steps, actuator)
    peak = np.abs(expected).max()
    assert np.abs(finer - expected).max() < 1e-8 * peak  # the expectation itself is good enough
    coarse, fine = (in_the_diagram(tick, PARTITION, omega_n, delay, rig)[1] for tick in (dt, 0.5 * dt))
    before, after = np.abs(coarse - finer).max(), np.abs(fine - finer).max()
    assert after < 1e-4 * peak
    assert before / after == pytest.approx(4.0, abs=0.2)
    assert np.abs((4.0 * fine - coarse) / 3.0 - finer).max() < 1e-6 * peak


def test_the_reference_is_the_undivided_structure():
    """Without a physical part the test is the reference, bit for bit; so it is whatever the delay."""
    both = in_the_diagram(0.001, (1.0, 1.0, 1.0, 0.02), 12.0, 0.05)
    np.testing.assert_allclose(both[0], both[1], rtol=1e-12, atol=1e-15)
    divided = in_the_diagram(0.001, PARTITION, 12.0, 0.05)
    assert divided[0].tobytes() == both[0].tobytes()
    assert np.abs(divided[1] - divided[0]).max() > 0.01 * np.abs(both[0]).max()


def growth(partition, omega_n, delay, dt, rig="delay", duration=40.0):
    """The rate at which a free vibration grows, by its amplitude in two windows."""
    alpha, beta, gamma, zeta = partition
    bd = sdof_rths(
        alpha=alpha, beta=beta, gamma=gamma, zeta=zeta, omega_n=omega_n, delay=delay, rig=rig, spectrum=0.0,
        initial_disp=1.0, dt=dt,
    )  # fmt: skip
    result = hs.compile(bd).run(duration)
    d, v = result["numerical.disp_target"][:-1] * omega_n, result["numerical.vel"][1:]
    level = 0.5 * np.log(d**2 + v**2)
    window = round(2.0 * math.pi / omega_n / dt)
    first, last = (level[k : k + window].mean() for k in (len(level) // 2, len(level) - window))
    return (last - first) / (dt * (len(level) - window - len(level) // 2))


@pytest.mark.parametrize("partition", [(0.8, 0.5, 0.65, 0.01), (0.9, 0.6, 0.1, 0.05), (0.7, 0.4, 0.9, 0.1)])
def test_a_test_decays_below_its_critical_delay_and_grows_above(partition):
    """tau_cr from Gamma(j phi) = 0: |P| = |Q| is scanned for phi, and the phase gives Omega."""
    alpha, beta, gamma, zeta = partition
    phi = np.linspace(0.2, 3.0, 2_000_001)
    p = gamma - alpha * phi**2 + 2j * beta * zeta * phi
    q = 1.0 - gamma - (1.0 - alpha) * phi**2 + 2j * (1.0 - beta) * zeta * phi
    there = np.flatnonzero(np.diff(np.sign(np.abs(p) - np.abs(q))))
    omega_cr = min(float(np.angle(-q[i] / p[i]) % (2.0 * math.pi) / phi[i]) for i in there)
    omega_n = 4.0
    tau = omega_cr / omega_n
    dt = tau / 20.0 if tau < 0.1 else 0.005
    slower, faster = (growth(partition, omega_n, share * tau, dt) for share in (0.97, 1.03))
    assert slower < -1e-4 < 1e-4 < faster


def test_an_actuator_is_unstable_where_its_loop_is():
    """TS_1 alone brings a light structure over the edge; the rate is that of the exact root."""
    partition, omega_n = (0.8, 0.5, 0.6, 0.01), 20.0
    alpha, beta, gamma, zeta = partition

    def loop(s):
        p = alpha * s * s + 2.0 * beta * zeta * omega_n * s + gamma * omega_n**2
        q = (1 - alpha) * s * s + 2.0 * (1 - beta) * zeta * omega_n * s + (1 - gamma) * omega_n**2
        return p + q * TS_1[0] / np.polyval([1.0, *TS_1[1]], s)

    s = 1j * omega_n
    for _ in range(50):
        s -= loop(s) / ((loop(s + 1e-6) - loop(s - 1e-6)) / 2e-6)
    assert s.real > 0.1
    found = growth(partition, omega_n, 0.0, 0.0005, rig="TS_1", duration=8.0)
    assert found == pytest.approx(s.real, rel=2e-3)


@pytest.mark.parametrize(
    "given",
    [
        dict(delay=0.013, spectrum=0.3),
        dict(delay=0.001, gamma=0.65, sample_time=0.004),
        dict(rig="TS_1", delay=0.0015, seed=7),
        dict(rig="TS_1", delay=0.0, record="elcentro"),
        dict(delay=0.0144, record="tabas", scale=0.5),
    ],
)
def test_engines_agree(given):
    result = agreed(hs.compile(with_mean_square(sdof_rths(**given), start=0.5)), 4.0)
    assert result.peak("error") > 0.0
    squares = np.where(result.t >= 0.5, result["error"] ** 2, 0.0)
    assert result["sum_of_squares"][-1] == pytest.approx(0.001 * squares[:-1].sum(), rel=1e-12)


@pytest.mark.parametrize("rig", ["delay", "TS_1"])
def test_bdsim_runs_it_too(rig):
    one, other = (hs.compile(sdof_rths(rig=rig, delay=0.005)).run(0.2, engine=engine) for engine in ("c", "bdsim"))
    np.testing.assert_allclose(one["error"], other["error"], rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("rig", ["delay", "TS_1"])
def test_everything_can_be_swept_without_building_anew(rig):
    shares = dict(alpha=0.75, beta=0.82, gamma=0.7, zeta=0.014, omega_n=32.9)
    program = hs.compile(sdof_rths(rig=rig, max_delay=0.03))
    params = {**partition_parameters(**shares), **delay_parameter(0.0148, 0.001, rig), "ground.power": 2.0}
    swept = program.run(2.0, params=params)
    built = hs.compile(sdof_rths(rig=rig, delay=0.0148, max_delay=0.03, spectrum=2.0, **shares)).run(2.0)
    assert swept["error"].tobytes() == built["error"].tobytes()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (dict(alpha=1.2), r"alpha .* must lie in \[0, 1\], got 1.2"),
        (dict(alpha=0.0), "alpha must be above 0"),
        (dict(gamma=-0.1), "gamma .* got -0.1"),
        (dict(zeta=0.0), "zeta must be a finite number above 0, got 0"),
        (dict(omega_n=math.inf), "omega_n must be a finite number above 0"),
        (dict(delay=0.0005), "shorter than a tick of 0.001 s, .* use a shorter tick"),
        (dict(rig="TS_3"), "The rig must be 'delay', 'TS_1', 'TS_2' or a pair .num, den., got 'TS_3'"),
        (dict(rig=([1.0], [0.01, 1.0])), "needs two poles more than zeros"),
        (dict(rig=([1.0, 1.0, 1.0], [1.0, 1.0])), "must be proper"),
    ],
)
def test_what_is_no_test_is_refused_in_one_sentence(given, words):
    with pytest.raises(ParameterError, match=words):
        sdof_rths(**given)


def test_ts_2_is_used_with_unit_gain_and_says_so():
    with pytest.warns(UserWarning, match="TS_2 is used with unit DC gain"):
        bd = sdof_rths(rig="TS_2", delay=0.001, record=Record("step", np.ones(6001), 0.001), scale=1.0, zeta=0.3)
    result = hs.compile(bd).run(6.0)
    # At rest the rig has the displacement of the command: the whole stiffness carries the load.
    assert result["numerical.disp_target"][-1] == pytest.approx(-1.0 / 25.0, rel=1e-3)
