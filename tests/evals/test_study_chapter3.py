"""hybsim study ch3 against a second computation: the loops of EERC Figs. 3-1 and 3-5 written out in a few lines."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import brentq

from hybsim.blocks.sources.random_numbers import seeded_normals
from hybsim.runtime.program import compile
from hybsim.studies.eerc.chapter3 import run
from hybsim.studies.eerc.chapter3_runs import simulate
from hybsim.studies.eerc.delayed_response import critical_phase_delay
from hybsim.studies.outcome import Outcome, Settings
from hybsim.wiring import BDSim

ROOT = Path(__file__).parents[2]
G, K, UY, T, DT, ZETA = 386.1, 10.0, 1.0, 1.0, 0.01, 0.05
MASS = K * (T / (2.0 * math.pi)) ** 2
NOISE = {"noise_78": ("linear", 78.0), "noise_7_8": ("linear", 7.8), "noise_21_ep": ("elastic-plastic", 21.0)}
LAG = {
    "lag_2": ("linear", 0.2), "lag_10": ("linear", 1.0),
    "lag_2_ep": ("elastic-plastic", 0.2), "lag_10_ep": ("elastic-plastic", 1.0),
}  # fmt: skip


# ---- the second computation


def ground() -> np.ndarray:
    """El Centro at the ticks in g, from the file."""
    with open(ROOT / "blocks/data/elcentro_1940_ns.csv", newline="") as file:
        rows = [row for row in csv.reader(file) if row and row[0][0].isdigit()]
    table = np.array([[float(v) for v in row] for row in rows])
    return np.interp(np.arange(round(table[-1, 0] / DT) + 1) * DT, table[:, 0], table[:, 1])


GROUND = ground()


def specimen_of(model: str) -> Callable[[float], float]:
    plastic = 0.0

    def force(u: float) -> float:
        nonlocal plastic
        r = K * (u - plastic)
        if model == "elastic-plastic" and abs(r) > K * UY:
            r = math.copysign(K * UY, r)
            plastic = u - r / K
        return r

    return force


def loop(model: str, *, noise: np.ndarray | None = None, eta: np.ndarray | None = None, zeta: float = ZETA):
    """m a + c v + r = -m a_g by central differences; `noise` in the force, `eta` times the step in the displacement."""
    n = len(GROUND)
    c = 2.0 * zeta * math.sqrt(K * MASS)
    load = (-MASS * G * (0.2 if model == "linear" else 1.0) * GROUND).tolist()
    e = [0.0] * n if noise is None else noise.tolist()
    late = [0.0] * n if eta is None else eta.tolist()
    restoring = specimen_of(model)
    u, applied, r = [0.0] * n, [0.0] * n, [0.0] * n
    before = 0.0
    for i in range(n):
        applied[i] = u[i] - late[i] * (u[i] - (u[i - 1] if i else u[0]))
        r[i] = restoring(applied[i]) + e[i]
        if i == 0:  # from rest: u_{-1} = dt^2/2 a_0
            before = 0.5 * DT**2 * (load[0] - r[0]) / MASS
        if i + 1 < n:
            right = load[i] - r[i] + MASS / DT**2 * (2.0 * u[i] - before) + c / (2.0 * DT) * before
            before, u[i + 1] = u[i], right / (MASS / DT**2 + c / (2.0 * DT))
    return SimpleNamespace(u=np.array(u), applied=np.array(applied), r=np.array(r), load=np.array(load))


def normals(seed: int = 1) -> np.ndarray:
    return seeded_normals(seed, len(GROUND))[1]


def rms(x: np.ndarray) -> float:
    return math.sqrt(np.mean(x**2))


def work(force: np.ndarray, disp: np.ndarray) -> float:
    return float(np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(disp)))


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return run(Settings(), lambda share: None)


@pytest.fixture(scope="module")
def rows(outcome) -> dict[str, dict]:
    return {row["name"]: row for row in outcome.summary["rows"]}


# ---- random noise


@pytest.mark.parametrize("name", NOISE)
def test_noise_rows_are_those_of_the_loop_above(outcome, rows, name) -> None:
    """The gain is found here by bisection, with the same random numbers."""
    model, snr = NOISE[name]
    z, exact = normals(), loop(model)

    def excess(log_gain: float) -> float:
        noise = math.exp(log_gain) * z
        return rms(loop(model, noise=noise).r) / rms(noise) - snr

    guess = math.log(rms(exact.r) / snr)
    gain = math.exp(brentq(excess, guess - 0.3, guess + 0.3, xtol=1e-9))
    noisy, row = loop(model, noise=gain * z), rows[name]
    assert row["snr"] == pytest.approx(snr, rel=1e-5)
    assert row["exact_peak"] == pytest.approx(np.abs(exact.u).max(), rel=1e-9)
    assert row["peak"] == pytest.approx(np.abs(noisy.u).max(), rel=1e-6)
    assert row["pp_ratio"] == pytest.approx(np.ptp(gain * z) / np.ptp(noisy.r), rel=1e-5)
    error = np.abs(noisy.u - exact.u).max() / np.abs(exact.u).max()
    assert row["max_error"] == pytest.approx(error, rel=1e-4)
    about = outcome.summary["runs"][name]
    assert about["parameters"]["noise_gain.K"] == pytest.approx(gain, rel=1e-5)
    assert about["energy_added"] == pytest.approx(-work(gain * z, noisy.u) / work(noisy.load, noisy.u), rel=1e-4)


def test_the_noise_levels_of_the_document(rows) -> None:
    """Sec. 3.4.1: about 1 %, about 10 %, slightly under 10 %; the response hardly changes."""
    assert rows["noise_78"]["pp_ratio"] == pytest.approx(0.01, rel=0.05)
    assert rows["noise_7_8"]["pp_ratio"] == pytest.approx(0.10, rel=0.05)
    assert 0.08 < rows["noise_21_ep"]["pp_ratio"] < 0.10
    assert rows["noise_78"]["max_error"] < 0.01 and rows["noise_7_8"]["max_error"] < 0.06


def test_linear_noise_is_in_proportion(rows) -> None:
    """The displacement error of a linear structure is that of the noise alone, so in proportion to the gain."""
    small, large = rows["noise_78"], rows["noise_7_8"]
    assert large["max_error"] / small["max_error"] == pytest.approx(10.0, rel=0.01)


@pytest.mark.parametrize("seed", [2, 3, 1234567])
def test_the_snr_is_met_whatever_the_seed(seed) -> None:
    found = {one.case.name: one for one in simulate(Settings(seed=seed), lambda share: None)}
    for name, (_, snr) in NOISE.items():
        assert found[name].snr == pytest.approx(snr, rel=1e-5)
        assert rms(found[name].force) / rms(found[name].error) == pytest.approx(snr, rel=1e-5)
        assert found[name].max_error < 0.08


# ---- lag


@pytest.mark.parametrize("variance", [0.01, 0.0, 0.1])
def test_lag_rows_are_those_of_the_loop_above(variance) -> None:
    settings = Settings(seed=5, variance=variance)
    found = {one.case.name: one for one in simulate(settings, lambda share: None)}
    for name, (model, mean) in LAG.items():
        one, row = found[name], found[name].row()
        eta = mean + math.sqrt(variance) * normals(5)
        exact, late = loop(model), loop(model, eta=eta)
        assert one.disp == pytest.approx(late.u, rel=1e-8, abs=1e-9)
        assert one.force == pytest.approx(late.r, rel=1e-8, abs=1e-8)
        assert one.error == pytest.approx(late.applied - late.u, rel=1e-8, abs=1e-10)
        assert row["exact_peak"] == pytest.approx(np.abs(exact.u).max(), rel=1e-9)
        assert row["peak"] == pytest.approx(np.abs(late.u).max(), rel=1e-9)
        assert row["max_error"] == pytest.approx(np.abs(late.u - exact.u).max() / row["exact_peak"], rel=1e-7)
        # the estimate is the mean of eta with the squares of the steps as weights
        weights = np.diff(late.u) ** 2
        assert row["effective_delay_ms"] == pytest.approx(
            1000.0 * DT * np.sum(eta[1:] * weights) / weights.sum(), rel=2e-3 if variance else 1e-9
        )
        added = work(late.r, late.applied) - work(late.r, late.u)
        assert one.energy_added == pytest.approx(added / work(late.load, late.u), rel=1e-6)
        assert one.energy_added > 0.0


def test_the_delay_is_mean_times_dt_within_its_standard_error() -> None:
    """Over 20 seeds the estimates scatter about mean x dt as the standard error says."""
    off = []
    for seed in range(20):
        for one in simulate(Settings(seed=seed), lambda share: None):
            if one.case.mean is not None:
                off.append((one.delay_ms - 1000.0 * DT * one.case.mean) / one.delay_deviation_ms)
    assert abs(np.mean(off)) < 0.6 and 0.6 < np.std(off) < 1.5 and np.abs(off).max() < 4.5


def test_the_delays_of_the_document(rows) -> None:
    """Sec. 3.4.2 and Table 8-11 print 2.0, 9.9 and, elastic-plastic, 2.0, 9.7; theory says 2 and 10."""
    found = [rows[name]["effective_delay_ms"] for name in LAG]
    assert found == pytest.approx([2.0, 10.0, 2.0, 10.0], abs=0.15)
    assert found == pytest.approx([2.0, 9.9, 2.0, 9.7], abs=0.4)


def test_the_amplitudes_of_the_document(rows) -> None:
    """Sec. 8.4: the peak is just under the yield displacement, or a ductility of four."""
    assert 0.85 * UY < rows["lag_2"]["exact_peak"] < UY
    assert rows["lag_2_ep"]["exact_peak"] == pytest.approx(4.0 * UY, rel=0.03)


def test_a_lag_of_a_linear_structure_is_damping_lost(outcome, rows) -> None:
    found = {one.case.name: one for one in simulate(Settings(variance=0.0), lambda share: None)}
    for name in ("lag_2", "lag_10"):
        left = ZETA - math.pi / T * DT * LAG[name][1]
        alike = np.abs(loop("linear", zeta=left).u).max()
        assert found[name].less_damped_peak == pytest.approx(alike, rel=1e-9)
        assert found[name].peak == pytest.approx(alike, rel=0.01)
    assert found["lag_10_ep"].less_damped_peak is None
    text = " ".join(outcome.conclusions)
    assert "2 ms leave 4.37 % and 10 ms 1.86 %" in text and f"{100 * rows['lag_10']['max_error']:.1f} %" in text


# ---- delayed restoring force


def test_the_blocks_of_the_diagram_become_unstable_at_the_critical_phase_delay(outcome) -> None:
    """A pure delay in the force of a structure with 10 % damping and a period of 1 s, at a tick of 1 ms."""
    critical = outcome.summary["critical_phase_delay_deg"]
    assert critical == pytest.approx(math.degrees(critical_phase_delay(0.1)))
    limit_ms = 1000.0 * T * critical / 360.0
    assert 32.0 < limit_ms < 32.1
    bd = BDSim().blockdiagram(dt=0.001)
    structure = bd.NEWMARK(
        name="structure", mass=MASS, damping=0.2 * math.sqrt(K * MASS), initial_disp=1.0, initial_vel=0.0
    )
    bd.connect(bd.CONSTANT(0.0, name="load"), structure.load)
    spring = bd.SPRING(name="spring", stiffness=K)
    delay = bd.DELAY(name="delay", delay=0.03, max_delay=0.04)
    bd.connect(structure.disp_target, spring.disp)
    bd.connect(spring, delay)
    bd.connect(delay, structure.force)
    delays = [0.031, 0.032, 0.033]
    batch = compile(bd).sweep({"delay.delay": delays}, duration=60.0, keep=["structure.disp_target"])
    disp = np.abs(batch["structure.disp_target"])
    growth = np.log(disp[:, 50_000:].max(axis=1) / disp[:, 10_000:20_000].max(axis=1))
    assert growth[0] < -0.5 and growth[2] > 0.5
    assert abs(growth[1]) < 0.1, "32 ms is next to the limit"


def test_the_table_of_phase_delays(outcome) -> None:
    found = outcome.summary["frequency_response"]
    assert found["damping_ratio"] == 0.1
    by_delay = {one["phase_delay_deg"]: one for one in found["phase_delays"]}
    assert [delay for delay, one in by_delay.items() if not one["stable"]] == [15.0, 20.0, 30.0]
    for delay, one in by_delay.items():
        assert (one["resonance_amplitude"] is None) == (delay > 11.54) == (one["effective_damping"] < 0.0)
    rho = np.linspace(0.9, 1.1, 20_001)
    for delay in (0.0, 1.0, 2.0, 3.0, 5.0, 10.0):
        phi = math.radians(delay)
        size = 1.0 / np.hypot(np.cos(rho * phi) - rho**2, 0.2 * rho - np.sin(rho * phi))
        assert by_delay[delay]["resonance_amplitude"] == pytest.approx(size.max(), rel=1e-4)
    drawn = outcome.data["frequency_response"]
    assert "phase_delay_10_deg" in drawn[0] and not any("15" in key or "30" in key for key in drawn[0])
