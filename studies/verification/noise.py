"""Noise measured in the compiled engine over seeds: NORMAL, WHITENOISE, LOADCELL and the noise of LAG."""

from __future__ import annotations

import math

import numpy as np

from hybsim.runtime.program import compile
from hybsim.studies.verification.error_rows import around, chi2_bounds, exact
from hybsim.studies.verification.noise_statistics import distribution, independence, moments, spectrum, whiteness
from hybsim.studies.verification.rows import Bounded
from hybsim.wiring import BDSim

SEEDS, EACH = 64, 16384
HELD = 10
"""Ticks of 1 ms for which the band-limited noise is held: 0 to 50 Hz, as in EERC Sec. 3.4.1."""


def rows() -> list[Bounded]:
    """Every number of the noise."""
    return [*_normal(), *_channels(), *_white(), *_lag(), *_load_cell(), *_ratio_in_a_test()]


def _normal() -> list[Bounded]:
    mean, variance, dt = 0.5, 0.04, 0.01
    bd = BDSim().blockdiagram(dt=dt)
    bd.NORMAL(name="noise", mean=mean, variance=variance)
    batch = compile(bd).sweep({"noise.seed": range(SEEDS)}, duration=(EACH - 1) * dt)
    values = batch["noise"]
    name = "NORMAL"
    return [
        *moments(name, values, mean, variance),
        distribution(name, values, mean, variance),
        *whiteness(name, values),
        *spectrum(name, values - mean, variance * dt, dt, length=256),
        *independence(name, values),
    ]


def _channels() -> list[Bounded]:
    bd = BDSim().blockdiagram(dt=0.01)
    bd.NORMAL(name="noise", seed=7, width=16)
    values = compile(bd).run(duration=(EACH - 1) * 0.01)["noise"].T
    return independence("NORMAL", values, "channels")


def _white() -> list[Bounded]:
    power, dt = 0.3, 0.001
    bd = BDSim().blockdiagram(dt=dt)
    bd.WHITENOISE(name="noise", power=power, sample_time=HELD * dt)
    values = compile(bd).sweep({"noise.seed": range(SEEDS)}, duration=(EACH // 2 * HELD - 1) * dt)["noise"]
    drawn = values[:, ::HELD]
    name = "WHITENOISE"
    return [
        *moments(name, drawn, 0.0, power / (HELD * dt)),
        *whiteness(name, drawn),
        *spectrum(name, values, power, dt, length=64 * HELD, held=HELD),
    ]


def _lag() -> list[Bounded]:
    """eta of EERC Fig. 3-5, from a command that grows by 1 a tick."""
    mean, variance, dt = 0.2, 0.01, 0.01
    bd = BDSim().blockdiagram(dt=dt)
    command = bd.RAMP(0.0, slope=1.0 / dt, name="command")
    lag = bd.LAG(name="lag", mean=mean, variance=variance)
    bd.connect(command, lag.disp_cmd)
    bd.connect(bd.NORMAL(name="noise"), lag.noise)
    batch = compile(bd).sweep({"noise.seed": range(SEEDS)}, duration=1000 * dt)
    eta = (batch["command"] - batch["lag"])[:, 1:]
    return [*moments("LAG", eta, mean, variance)[:2], *whiteness("LAG", eta)[:1]]


def _load_cell() -> list[Bounded]:
    """A sine of known RMS; Eq. 3.3 as it stands, run by run."""
    dt, rms = 0.001, 5.0 / math.sqrt(2.0)
    bd = BDSim().blockdiagram(dt=dt)
    force = bd.SINESWEEP(name="force", amplitude=5.0, f_start=1.0, f_end=1.0, duration=1e4)
    bd.LOADCELL(name="cell", snr=78.0, signal_rms=rms, sample_time=HELD * dt, inputs=[force])
    program = compile(bd)
    count = 4000
    result = []
    for snr in (78.0, 7.8):
        space = [{"cell.snr": snr, "cell.seed": seed} for seed in range(SEEDS)]
        batch = program.sweep(space, duration=(count * HELD - 1) * dt)
        clean, error = batch["force"], batch["cell.error"]
        ratios = _rms(clean) / _rms(error)
        # RMS(e)^2 n / sigma^2 is chi-squared of n degrees.
        result += [
            around("LOADCELL", f"signal-to-noise ratio of {SEEDS} runs, {snr:g} requested", ratios.mean(), snr,
                   snr / math.sqrt(2.0 * count * SEEDS), f"EERC Eq. 3.3, {count} numbers a run"),
            _worst("LOADCELL", f"ratio of the worst run over {snr:g}", ratios / snr, count),
        ]  # fmt: skip
    added = float(np.abs(batch["cell.force_meas"] - clean - error).max())
    result.append(exact("LOADCELL", "measured force less force and error", added, 0.0, "force_meas = force + e"))
    sigma = rms / 7.8
    result += whiteness("LOADCELL", error[:, ::HELD])
    segments = error[:, : count // 32 * 32 * HELD]
    return [*result, *spectrum("LOADCELL", segments, sigma**2 * HELD * dt, dt, length=32 * HELD, held=HELD)]


def _ratio_in_a_test() -> list[Bounded]:
    """EERC Fig. 3-2: the ratio in a hybrid test, with the RMS from a run without noise."""
    dt, mass = 0.01, 10.0 / (2.0 * math.pi) ** 2
    bd = BDSim().blockdiagram(dt=dt)
    ground = bd.GROUNDMOTION(name="ground", record="elcentro")
    structure = bd.NEWMARK(name="structure", mass=mass, damping=0.1 * math.sqrt(mass * 10.0))
    specimen = bd.SPRING(name="specimen", stiffness=10.0)
    cell = bd.LOADCELL(name="cell", snr=1e12, signal_rms=1.0)
    bd.connect(bd.GAIN(-mass * 386.4, name="load", inputs=[ground]), structure.load)
    bd.connect(structure.disp_target, specimen)
    bd.connect(specimen, cell)
    bd.connect(cell[0], structure.force)
    program = compile(bd)
    duration = 20.0
    clean = program.run(duration=duration)["specimen.force"]
    level = float(_rms(clean))
    result = []
    for snr in (78.0, 7.8):
        space = [{"cell.snr": snr, "cell.signal_rms": level, "cell.seed": seed} for seed in range(SEEDS)]
        error = program.sweep(space, duration=duration, keep=["cell.error"])["cell.error"]
        count = error.shape[1]
        ratio = float(np.mean(level / _rms(error)))
        result.append(
            around("LOADCELL", f"ratio in a test under El Centro, {snr:g} requested", ratio, snr,
                   snr / math.sqrt(2.0 * count * SEEDS), f"{SEEDS} runs of {count} ticks")
        )  # fmt: skip
    return result


def _rms(values: np.ndarray) -> np.ndarray:
    result: np.ndarray = np.sqrt(np.mean(np.square(values), axis=-1))
    return result


def _worst(block: str, quantity: str, ratios: np.ndarray, count: int) -> Bounded:
    """The ratio that is farthest from 1."""
    low, high = chi2_bounds(count, len(ratios))
    worst = float(ratios[np.argmax(np.abs(np.log(ratios)))])
    return Bounded(block, quantity, worst, 1.0, math.sqrt(count / high), math.sqrt(count / low), "chi-squared")
