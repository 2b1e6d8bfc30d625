"""The two-storey frame of EERC Chapter 6 as a whole diagram, against theory and independent solutions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from agreement import agreed
from scipy.integrate import solve_ivp

import hybsim as hs
from hybsim.blocks.integrators.newmark_within_step import NewmarkWithinStep
from hybsim.blocks.sources.records import load_record
from hybsim.diagrams import fig_6_1
from hybsim.diagrams.eerc_chapter6 import cosine_pulse, frame_matrices
from hybsim.errors import ParameterError

DT, G, MASS, K = 0.01, 386.1, 4.0 / 386.1, 2.8
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
"""Two equal storeys: omega = sqrt(k/m) times the golden ratio and its inverse."""
OMEGA = math.sqrt(K / MASS) * np.array([GOLDEN, 1.0 / GOLDEN])
DAMPING_TIME = 2.0 * 0.05 / OMEGA[0]
DRIFTS = np.array([[1.0, 0.0], [-1.0, 1.0]])
STIFFNESS = K * np.array([[2.0, -1.0], [-1.0, 1.0]])
IDEAL = dict(lag=(0.0, 0.0), lead=(0.0, 0.0))
PULSE = dict(record=cosine_pulse(), pga=None, record_time_scale=1.0)


def steps(result, name, ticks):
    return result[name][::ticks]


def run(duration, ticks=10, **parameters):
    return hs.compile(fig_6_1(ticks_per_step=ticks, **parameters)).run(duration)


def tabas(pga, count):
    """The scaled record at the steps, in in/s2."""
    record = load_record("tabas")
    t = DT * np.arange(count)
    own = record.dt / math.sqrt(3.0) * np.arange(len(record.accel))
    return np.interp(t, own, record.accel, right=0.0) * pga / np.abs(record.accel).max() * G


def test_periods_and_damping_are_those_of_the_document():
    mass, damping, stiffness = frame_matrices()
    np.testing.assert_allclose(stiffness, STIFFNESS)
    squares, modes = np.linalg.eigh(np.linalg.solve(mass, stiffness))
    np.testing.assert_allclose(np.sqrt(squares), OMEGA, rtol=1e-12)
    np.testing.assert_allclose(2.0 * math.pi / OMEGA, [0.62, 0.24], atol=0.005)
    ratios = np.diag(modes.T @ damping @ modes) / np.diag(modes.T @ mass @ modes) / (2.0 * OMEGA)
    np.testing.assert_allclose(ratios, 0.05 * OMEGA / OMEGA[0], rtol=1e-9)


def test_free_vibration_has_the_first_period_and_five_percent_damping():
    """After the pulse the second mode, of 13 % damping, is soon gone."""
    result = run(8.0, specimen="linear", stiffness=(K, K), **PULSE, **IDEAL)
    drift, t = steps(result, "target.disp_cmd", 10)[:, 0], DT * np.arange(801)
    peaks = [i for i in range(250, 799) if drift[i - 1] < drift[i] >= drift[i + 1]]
    tops = [np.polyfit([-1.0, 0.0, 1.0], drift[i - 1 : i + 2], 2) for i in peaks]
    times = [t[i] - DT * b / (2.0 * a) for i, (a, b, _) in zip(peaks, tops, strict=True)]
    heights = [c - b * b / (4.0 * a) for a, b, c in tops]
    damped = 2.0 * math.pi / (OMEGA[0] * math.sqrt(1.0 - 0.05**2))
    assert np.mean(np.diff(times)) == pytest.approx(damped, rel=1e-3)
    decrement = -np.mean(np.diff(np.log(heights)))
    assert decrement == pytest.approx(2.0 * math.pi * 0.05 / math.sqrt(1.0 - 0.05**2), rel=5e-3)


def newmark(load):
    """Newmark's explicit method with linear storeys, written as central differences: displacements of the floors."""
    mass, damping = MASS * np.eye(2) / DT**2, DAMPING_TIME * STIFFNESS / (2.0 * DT)
    disp = [np.linalg.solve(mass, 0.5 * load[0]), np.zeros(2)]  # d_{-1} and d_0 of a start at rest
    for f in load[:-1]:
        right = f - STIFFNESS @ disp[-1] + mass @ (2.0 * disp[-1] - disp[-2]) + damping @ disp[-2]
        disp.append(np.linalg.solve(mass + damping, right))
    return np.array(disp[1:])


@pytest.mark.parametrize("ticks", [4, 40])
def test_an_ideal_test_of_many_ticks_a_step_is_the_integrator_itself(ticks):
    """The commands between the steps leave no trace in a linear frame, whatever their number."""
    result = run(12.0, ticks, specimen="linear", stiffness=(K, K), **IDEAL)
    disp = newmark(-MASS * np.outer(tabas(0.378, 1201), [1.0, 1.0]))
    np.testing.assert_allclose(steps(result, "integrator.disp_target", ticks), disp, rtol=0.0, atol=1e-10)
    assert np.abs(disp).max() > 0.5


def test_the_yielding_frame_follows_its_differential_equation():
    """Bouc-Wen column at the actuator: in the storey drift and force double (Table 7-2)."""
    duration, accel = 9.0, tabas(1.133, 901)
    yield_drift, k = 2.0 * 0.675, 2.74

    def rate(t, state):
        d, v, z = state[:2], state[2:4], state[4]
        drift, way = DRIFTS @ d, DRIFTS @ v
        shear = np.array([k * yield_drift * z, k * drift[1]])
        a = -np.interp(t, DT * np.arange(901), accel) - (DAMPING_TIME * STIFFNESS @ v + DRIFTS.T @ shear) / MASS
        return [*v, *a, (way[0] - 0.45 * abs(way[0]) * z * abs(z) - 0.55 * way[0] * z * z) / yield_drift]

    exact = solve_ivp(
        rate, (0.0, duration), np.zeros(5), t_eval=DT * np.arange(901), max_step=DT, rtol=1e-8, atol=1e-10
    )
    drift = exact.y[:2].T @ DRIFTS.T
    result = run(duration, 40, pga=1.133, **IDEAL)
    off = np.abs(2.0 * steps(result, "target.disp_cmd", 40) - drift).max(axis=0)
    assert np.abs(drift[:, 0]).max() > 2.0 * yield_drift, "the first storey should yield"
    assert (off < [0.03, 0.02]).all(), off


@pytest.mark.parametrize("parameters", [dict(IDEAL), dict(lead=(0.0, 0.0)), {}], ids=["ideal", "lag", "prediction"])
def test_the_energy_balance_closes_and_the_work_at_the_actuators_is_a_quarter(parameters):
    """What Newmark's explicit method leaves is -dt^2/8 (a^T M a - a_0^T M a_0), errors of the actuators or not."""
    result = run(10.0, pga=1.133, **parameters)
    accel = steps(result, "integrator.accel", 10)
    inertia = MASS * np.sum(accel**2, axis=1)
    expected = -(DT**2) / 8.0 * (inertia - inertia[1])
    np.testing.assert_allclose(steps(result, "balance.residual", 10)[1:], expected[1:], rtol=0.0, atol=1e-11)
    at_actuators = steps(result, "error.e_experimental", 10).sum(axis=1)
    in_structure = steps(result, "balance.e_experimental", 10)
    np.testing.assert_allclose(in_structure[1:], 4.0 * at_actuators[:-1], rtol=0.0, atol=1e-11)
    assert in_structure[-1] > 10.0


@pytest.mark.parametrize(("lag", "lead"), [(0.09, 0.0), (0.113, 0.095), (0.09, 0.095)])
def test_energy_error_over_viscous_energy_is_the_lag_over_the_damping_time(lag, lead):
    """-k tau against 2 zeta / omega_1 k, for both modes; a lag adds energy, too long a lead takes it."""
    result = run(10.0, 40, specimen="linear", stiffness=(K, K), lag=(lag, lag), lead=(lead, lead), **PULSE)
    ratio = 4.0 * result["error.e_error"][-1].sum() / result["balance.e_viscous"][-1]
    assert ratio == pytest.approx(-(lag - lead) / 120.0 / DAMPING_TIME, rel=0.03)


def test_a_lead_as_long_as_the_lag_leaves_next_to_nothing():
    lag = (0.09, 0.078)
    energies = {}
    for lead in ((0.0, 0.0), lag):
        result = run(30.0, 40, pga=1.133, lag=lag, lead=lead)
        energies[lead] = result["error.e_error"][-1]
    assert (energies[0.0, 0.0] < -0.1).all()
    assert (np.abs(energies[lag]) < 1e-3 * np.abs(energies[0.0, 0.0])).all()


def test_forty_ticks_do_what_twelve_hundred_did():
    energies = []
    for ticks in (40, 1200):
        program = hs.compile(fig_6_1(pga=1.133, ticks_per_step=ticks))
        batch = program.sweep([{}], duration=9.0, keep=[])
        names = ("balance.e_input", "balance.e_viscous", "balance.e_experimental")
        energies.append([batch.final(name)[0] for name in names] + list(batch.final("error.e_error")[0]))
    np.testing.assert_allclose(energies[0], energies[1], rtol=0.01)


def test_noise_reaches_the_monitors_and_not_the_specimens():
    quiet, noisy = run(4.0), run(4.0, noise=0.0005, seed=3)
    np.testing.assert_array_equal(quiet["integrator.disp_target"], noisy["integrator.disp_target"])
    noise = steps(noisy, "measured.out", 10) - steps(noisy, "position.out", 10)
    assert np.std(noise, axis=0) == pytest.approx(0.0005, rel=0.15)
    assert not np.array_equal(quiet["error.e_error"], noisy["error.e_error"])


@pytest.mark.parametrize("specimen", ["bouc-wen", "linear"])
def test_engines_agree_on_the_frame(specimen):
    bd = fig_6_1(specimen=specimen, ticks_per_step=5, noise=0.0005, **PULSE)
    result = agreed(hs.compile(bd), 0.8, ("c", "python", "bdsim"))
    assert np.abs(result["integrator.disp_target"]).max() > 0.5


def test_one_tick_a_step_is_newmark():
    bd = hs.BDSim().blockdiagram(dt=DT)
    load = bd.GAIN(np.array([1.0, -0.5]), name="load", inputs=[bd.WAVEFORM("sine", freq=1.3, name="wave")])
    mass, damping, _ = frame_matrices()
    made = {
        "known": bd.NEWMARK(name="known", mass=mass, damping=damping),
        "within": NewmarkWithinStep(bd=bd, name="within", mass=mass, damping=damping, ticks_per_step=1),
    }
    for name, block in made.items():
        bd.connect(bd.GAIN(STIFFNESS, premul=True, name=f"force_{name}", inputs=[block.disp_target]), block.force)
        bd.connect(load, block.load)
    result = agreed(hs.compile(bd), 2.0)
    for port in ("disp_target", "vel", "accel"):
        assert result[f"within.{port}"].tobytes() == result[f"known.{port}"].tobytes()


def test_the_next_target_is_shown_within_the_step():
    result = run(0.05, 10, **IDEAL)
    disp = result["integrator.disp_target"][:, 1]
    changes = np.flatnonzero(np.diff(disp)) + 1
    np.testing.assert_array_equal(changes, [1, 11, 21, 31, 41])


def test_an_unknown_specimen_is_refused():
    with pytest.raises(ParameterError, match="must be one of 'bouc-wen', 'linear', got 'steel'"):
        fig_6_1(specimen="steel")
