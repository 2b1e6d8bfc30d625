"""The runs of EERC Sec. 3.4: random noise in the measured force, and an actuator that lags its command.

    SNR       = RMS(r) / RMS(e)                                            noise              (3.3)
    pp_ratio  = peak-to-peak(e) / peak-to-peak(r)                          noise
    delay     = -dt sum e_i (u_i - u_{i-1}) / sum (u_i - u_{i-1})^2        lag
    max_error = max |u - u_exact| / max |u_exact|

Noise (Fig. 3-1): r is the restoring force that is fed back, e the noise in it. Lag (Fig. 3-5): u is the command, e the
applied displacement minus the command. u_exact is the displacement of the same structure without error.

The delay is the tau with the least sum of |applied_i - u(i dt - tau)|^2, u between two ticks being the straight line
(`measures.delay`). For the lag model it is dt times the mean of eta_i with the weights (u_i - u_{i-1})^2: mean x dt,
with a standard error of dt sqrt(variance sum (du)^4) / sum (du)^2, and mean x dt itself if the variance is 0.

The structure hears the noise, so the SNR is known only after a run. The gain of the noise starts from the RMS of the
exact restoring force over the SNR asked for, and is multiplied by the SNR measured over the one asked for until both
agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import load_record
from hybsim.diagrams import fig_3_1, fig_3_5
from hybsim.errors import RunError
from hybsim.runtime import manifest
from hybsim.runtime.program import Program, compile
from hybsim.runtime.result import Stop
from hybsim.studies import measures
from hybsim.studies.outcome import Progress, Settings

RECORD, DT = "elcentro", 0.01
PERIOD, DAMPING_RATIO, STIFFNESS, YIELD_DISP = 1.0, 0.05, 10.0, 1.0
VARIANCE = 0.01
SNR_TOLERANCE = 1e-6

DISP, FORCE, APPLIED = "integrator.disp_target", "specimen.force", "lag.applied"
NOISE, FED_BACK = "noise_gain.out", "force_meas.out"
WORK_OF_ERROR, INPUT = "energy.e_error", "energy.e_input"


@dataclass(frozen=True)
class Case:
    """One run of the chapter: noise of an SNR or a lag of `mean` ticks, and what the document prints for it.

    printed   noise: the peak-to-peak ratio in %, lag: the effective delay in ms
    """

    name: str
    figure: str
    specimen: str
    printed: str
    snr: float | None = None
    mean: float | None = None

    @property
    def delay(self) -> float:
        """mean x dt, in seconds."""
        return (self.mean or 0.0) * DT


CASES = (
    Case("noise_78", "3-2", "linear", "about 1", snr=78.0),
    Case("noise_7_8", "3-3", "linear", "about 10", snr=7.8),
    Case("noise_21_ep", "3-4", "elastic-plastic", "slightly under 10", snr=21.0),
    Case("lag_2", "3-6", "linear", "2.0", mean=0.2),
    Case("lag_10", "3-7", "linear", "9.9", mean=1.0),
    Case("lag_2_ep", "3-8", "elastic-plastic", "2.0", mean=0.2),
    Case("lag_10_ep", "3-9", "elastic-plastic", "9.7", mean=1.0),
)


@dataclass(frozen=True)
class Run:
    """A run beside the exact one: displacements in in, forces in kip, energies in kip in.

    error             noise in kip, or applied minus command displacement in in
    work_of_error     what the integrator accounts for the specimen minus what the specimen takes
    less_damped_peak  peak without lag but with the damping that the lag leaves to first order (linear specimens)
    """

    case: Case
    t: np.ndarray
    exact: np.ndarray
    disp: np.ndarray
    force: np.ndarray
    error: np.ndarray
    work_of_error: float
    input_energy: float
    parameters: Mapping[str, float]
    program: Program
    stopped: Stop | None = None
    less_damped_peak: float | None = None

    @property
    def exact_peak(self) -> float:
        return float(np.abs(self.exact).max())

    @property
    def peak(self) -> float:
        return float(np.abs(self.disp).max())

    @property
    def max_error(self) -> float:
        return float(np.abs(self.disp - self.exact).max()) / self.exact_peak

    @property
    def snr(self) -> float | None:
        return None if self.case.snr is None else signal_to_noise(self.force, self.error)

    @property
    def pp_ratio(self) -> float | None:
        return None if self.case.snr is None else float(np.ptp(self.error) / np.ptp(self.force))

    @property
    def delay_ms(self) -> float | None:
        if self.case.mean is None:
            return None
        histories = {"t": self.t, "command": self.disp[None], "applied": (self.disp + self.error)[None]}
        return float(measures.delay("command", "applied")(histories)[0])

    @property
    def delay_deviation_ms(self) -> float | None:
        """The standard error of the delay."""
        if self.case.mean is None:
            return None
        step2 = np.diff(self.disp) ** 2
        spread = np.sqrt(self.parameters["lag.variance"] * np.sum(step2**2)) / np.sum(step2)
        return 1000.0 * DT * float(spread)

    @property
    def energy_added(self) -> float:
        """Energy that the error gives to the structure, over that of the ground motion; below 0 it takes energy."""
        return math.nan if self.stopped is not None else -self.work_of_error / self.input_energy

    def row(self) -> dict[str, Any]:
        """The numbers of the run; None where they do not apply, or where the response is not bounded."""
        numbers = {
            "exact_peak": self.exact_peak, "peak": self.peak, "snr": self.snr, "pp_ratio": self.pp_ratio,
            "effective_delay_ms": self.delay_ms, "max_error": self.max_error,
        }  # fmt: skip
        return {"name": self.case.name, **{key: finite(value) for key, value in numbers.items()}}


def simulate(settings: Settings, progress: Progress) -> list[Run]:
    """The runs in the order of CASES."""
    found: dict[str, Run] = {}
    for make in (noise_runs, lag_runs):
        for specimen in ("linear", "elastic-plastic"):
            for run in make(specimen, settings):
                found[run.case.name] = run
                progress(len(found) / len(CASES))
    return [found[case.name] for case in CASES]


def noise_runs(specimen: str, settings: Settings) -> Iterator[Run]:
    """Fig. 3-1 without noise, and with the noise of each case."""
    program = compile(fig_3_1(specimen=specimen, noise_gain=0.0, seed=settings.seed, **structure()))
    runs_of = runner(program, [DISP, FORCE, NOISE, FED_BACK], settings.jobs)
    exact = runs_of([{}])
    for case in CASES:
        if case.specimen == specimen and case.snr is not None:
            gain, noisy = calibrated(runs_of, case.snr, rms(exact[FORCE][0]))
            disp, noise = noisy[DISP][0], noisy[NOISE][0]
            yield Run(
                case, noisy.t, exact[DISP][0], disp, noisy[FED_BACK][0], noise,
                work_of_error=float(np.sum(0.5 * (noise[1:] + noise[:-1]) * np.diff(disp))),
                input_energy=float(noisy.final(INPUT)[0]), parameters={"noise_gain.K": gain}, program=program,
            )  # fmt: skip


def calibrated(runs_of: Callable[..., Any], snr: float, exact_rms: float) -> tuple[float, Any]:
    """The noise gain in kip with which the SNR measured in the run is the one asked for, and that run."""
    gain = exact_rms / snr
    for _ in range(50):
        noisy = runs_of([{"noise_gain.K": gain}])
        measured = signal_to_noise(noisy[FED_BACK][0], noisy[NOISE][0])
        if abs(measured / snr - 1.0) < SNR_TOLERANCE:
            return gain, noisy
        gain *= measured / snr
    raise RunError(f"No noise gain gives an SNR of {snr:g}, the last one gave {measured:g}; choose another seed.")


def lag_runs(specimen: str, settings: Settings) -> Iterator[Run]:
    """Fig. 3-5 without lag, with the lag of each case, and without lag but with as much less damping."""
    variance = VARIANCE if settings.variance is None else settings.variance
    program = compile(fig_3_5(specimen=specimen, mean=0.0, variance=0.0, seed=settings.seed, **structure()))
    cases = [case for case in CASES if case.specimen == specimen and case.mean is not None]
    lags = [{"lag.mean": case.mean, "lag.variance": variance} for case in cases]
    less_damped = [{"integrator.damping": damping_constant(damping_left(case.delay))} for case in cases]
    batch = runner(program, [DISP, APPLIED, FORCE], settings.jobs)([{}, *lags, *less_damped])
    for i, case in enumerate(cases, 1):
        disp = batch[DISP][i]
        yield Run(
            case, batch.t, batch[DISP][0], disp, batch[FORCE][i], batch[APPLIED][i] - disp,
            work_of_error=float(batch.final(WORK_OF_ERROR)[i]), input_energy=float(batch.final(INPUT)[i]),
            parameters=batch.runs[i], program=program, stopped=batch.stopped[i],
            less_damped_peak=float(batch.peak(DISP)[i + len(cases)]) if specimen == "linear" else None,
        )  # fmt: skip


def runner(program: Program, keep: list[str], jobs: int | None) -> Callable[..., Any]:
    """A function that runs parameter sets for the length of the record."""
    duration = load_record(RECORD).duration
    return lambda points: program.sweep(points, duration=duration, keep=keep, jobs=jobs)


def described(run: Run) -> dict[str, Any]:
    """How a run was made: versions, engine and every block with its parameters."""
    engine = "c" if run.program.compiler_problem is None else "python"
    return manifest.describe(run.program, run.parameters, engine)


def structure() -> dict[str, Any]:
    return dict(
        period=PERIOD, damping_ratio=DAMPING_RATIO, stiffness=STIFFNESS, yield_disp=YIELD_DISP, record=RECORD, dt=DT
    )


def damping_left(delay: float) -> float:
    """The damping ratio that a delay in seconds leaves to first order: zeta - omega tau / 2."""
    return DAMPING_RATIO - math.pi * delay / PERIOD


def damping_constant(ratio: float) -> float:
    """c = 2 zeta sqrt(k m) = 2 zeta k / omega, in kip s/in."""
    return ratio * STIFFNESS * PERIOD / math.pi


def signal_to_noise(signal: np.ndarray, error: np.ndarray) -> float:
    return rms(signal) / rms(error)


def rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))


def finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
