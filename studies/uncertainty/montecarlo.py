"""Lag, noise and miscalibration at once: which error spoils a test, and does the energy indicator warn of it?

The test is Case 1 of EERC Table 8-10 (T = 1 s, 5 % damping, El Centro), linear and elastic-plastic, with the errors of
`hybsim.diagrams.error_injection`. Each error is drawn from a distribution (INPUTS), for two laboratories
(LABORATORIES): one with the lag of its actuators as it is, one that compensates it but for a rest.

    Sobol indices   which error makes eps_max vary, and which makes HSEI_I vary
    alarms          tests with eps_max above the tolerance that an alarm on HSEI_I warns of in time, late or not at all
    alone           what each error does by itself: some change the response and leave HSEI_I at zero
    instability     the probability that a test is unstable

The random numbers of lag and noise are an input like the others (`draw`): its index says how much is left to chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import load_record
from hybsim.diagrams.eerc_chapter3 import SPECIMENS
from hybsim.diagrams.eerc_chapter8 import CASES, DAMPING_RATIO, DT, MODELS, STIFFNESS, YIELD_DISP
from hybsim.diagrams.error_injection import ERRORS, SEEDS, error_injection
from hybsim.errors import ParameterError
from hybsim.runtime import manifest
from hybsim.runtime.program import Program, compile
from hybsim.studies.measures import Histories, Measure, eps_max, final, measure
from hybsim.studies.outcome import Outcome, Progress, Settings
from hybsim.studies.study import Study
from hybsim.studies.uncertainty import alarms
from hybsim.studies.uncertainty.instability import Cycle, InstabilityCurve, curves, cycles
from hybsim.studies.uncertainty.sensitivity import DISP, HSEI_I, LEVEL, TOLERANCE
from hybsim.studies.uncertainty.sobol_indices import Indices, design, indices

CASE = CASES[1]
BASE = 1024
"""Rows of the samples A and B; a power of two."""

STRAIN_ENERGY = 0.5 * STIFFNESS * YIELD_DISP**2
YIELD_FORCE = STIFFNESS * YIELD_DISP

LABORATORIES = {"as it is": (0.0, 10.0), "compensated": (-1.0, 1.0)}
"""Bounds of the mean lag in ms."""


@dataclass(frozen=True)
class Input:
    """An error: its parameter in the program, its unit, its distribution, and a size at which it is tried alone."""

    prose: str
    unit: str
    text: str
    alone: float
    normal: float | None = None
    uniform: tuple[float, float] = (0.0, 0.0)

    @property
    def range(self) -> Any:
        from scipy.stats import norm

        return self.uniform if self.normal is None else norm(0.0, self.normal)


INPUTS = {
    "lag": Input("mean lag", "ms", "uniform", 3.0),
    "scatter": Input("variance of the lag", "ticks^2", "uniform, 0 to 0.2", 0.2, uniform=(0.0, 0.2)),
    "noise": Input("noise of the force", "kip", "RMS uniform, 0 to 0.2 (2 % of yield)", 0.2, uniform=(0.0, 0.2)),
    "force_gain": Input("gain of the load cell", "-", "normal, 1 %", 0.02, normal=0.01),
    "force_offset": Input("offset of the load cell", "kip", "normal, 0.05 (0.5 % of yield)", 0.1, normal=0.05),
    "disp_gain": Input("gain of the transducer", "-", "normal, 1 %", 0.02, normal=0.01),
    "disp_offset": Input("offset of the transducer", "in", "normal, 0.01 (1 % of yield)", 0.02, normal=0.01),
}
"""Errors by name; the mean lag is that of the laboratory."""

DRAW = "draw"
MISCALIBRATION = ("force_gain", "force_offset", "disp_gain", "disp_offset")


@dataclass(frozen=True)
class Sample:
    """All tests of one laboratory and one specimen, at the points of the design; rows A and B are independent tests."""

    laboratory: str
    specimen: str
    points: list[dict[str, Any]]
    values: Mapping[str, np.ndarray]
    lag_alone: Mapping[str, np.ndarray]
    indices: Mapping[str, Indices]

    @property
    def tests(self) -> int:
        return 2 * len(self.points) // (len(INPUTS) + 3)

    @property
    def independent(self) -> dict[str, np.ndarray]:
        """The measures of the independent tests."""
        return {name: values[: self.tests] for name, values in self.values.items()}


@dataclass(frozen=True)
class Alone:
    """One error by itself."""

    specimen: str
    error: str
    eps_max: float
    hsei_i: float
    second: float


@dataclass(frozen=True)
class MonteCarlo:
    """All samples, the errors alone, the instability, and how they were made."""

    seed: int
    base: int
    samples: list[Sample]
    alone: list[Alone]
    instability: list[InstabilityCurve]
    cycles: list[Cycle]
    manifest: dict[str, Any]
    runs: int

    def sample(self, laboratory: str, specimen: str) -> Sample:
        return next(s for s in self.samples if (s.laboratory, s.specimen) == (laboratory, specimen))


@dataclass(frozen=True)
class Detection:
    """Shares of tests: of those that went wrong, warned of in time, late or never; of the others, alarmed in vain."""

    in_time: np.ndarray
    late: np.ndarray
    missed: np.ndarray
    needless: np.ndarray


def run(settings: Settings, progress: Progress) -> Outcome:
    """The study; `runs` is the number of rows of the samples A and B, taken up to a power of two."""
    from hybsim.studies.uncertainty.montecarlo_outcome import outcome

    return outcome(computed(settings, progress))


def computed(settings: Settings, progress: Progress = lambda share: None) -> MonteCarlo:
    """All runs and what is made of them."""
    base = base_of(settings.runs)
    programs = {
        specimen: compile(
            error_injection(
                specimen=specimen, period=CASE.period, damping_ratio=DAMPING_RATIO, record=CASE.record,
                amplitude=CASE.scale[model], dt=DT,
            )
        )
        for specimen, model in zip(SPECIMENS, MODELS, strict=True)
    }  # fmt: skip
    samples = []
    for laboratory in LABORATORIES:
        for specimen, program in programs.items():
            samples.append(sampled(laboratory, specimen, program, base, settings.seed, settings.jobs))
            progress(0.8 * len(samples) / (len(LABORATORIES) * len(programs)))
    alone = [row for specimen, program in programs.items() for row in errors_alone(specimen, program, settings)]
    progress(0.85)
    unstable, swings = curves(base // 2, settings.seed, settings.jobs), cycles(settings.jobs)
    progress(1.0)
    first = programs[SPECIMENS[0]]
    about = manifest.describe(first, {}, "c" if first.compiler_problem is None else "python")
    runs = (
        sum(len(s.points) + s.tests for s in samples)
        + len(alone)
        + sum(c.tests * c.lags_ms.size for c in unstable)
        + sum(c.lags_ms.size for c in swings)
    )
    return MonteCarlo(settings.seed, base, samples, alone, unstable, swings, about, runs)


def base_of(runs: int | None) -> int:
    """A power of two, which a Sobol sequence needs to be even."""
    if runs is None:
        return BASE
    if runs < 16:
        raise ParameterError(f"The samples need at least 16 rows to give an index, got runs={runs}.")
    return 1 << (runs - 1).bit_length()


def sampled(
    laboratory: str, specimen: str, program: Program, base: int, seed: int, jobs: int | None
) -> Sample:  # fmt: skip
    """All tests of a laboratory, those with their lag alone, and the indices."""
    ranges = {name: given.range for name, given in INPUTS.items()}
    ranges |= {"lag": LABORATORIES[laboratory], DRAW: range(2**31)}
    points = design(ranges, base, seed=seed)
    values = measured(program, [parameters(p) for p in points], jobs)
    only_lag = [{name: p[name] for name in ("lag", "scatter", DRAW)} for p in points[: 2 * base]]
    lag_alone = measured(program, [parameters(p) for p in only_lag], jobs)
    names = list(ranges)
    found = {name: indices(names, values[name], seed=seed) for name in ("eps_max", "hsei_i")}
    return Sample(laboratory, specimen, points, values, lag_alone, found)


def errors_alone(specimen: str, program: Program, settings: Settings) -> list[Alone]:
    """Each error by itself at its size, positive."""
    points = [parameters({name: given.alone, DRAW: settings.seed}) for name, given in INPUTS.items()]
    values = measured(program, points, settings.jobs, second=measure(second_indicator, *SECOND))
    return [
        Alone(specimen, name, *(float(values[key][i]) for key in ("eps_max", "hsei_i", "second")))
        for i, name in enumerate(INPUTS)
    ]


def parameters(point: Mapping[str, Any]) -> dict[str, Any]:
    """The errors of a test as parameters of the program; what is not given is no error."""
    at = {**dict.fromkeys(INPUTS, 0.0), **point}
    lag_noise, force_noise = SEEDS
    return {
        "lag.mean": 0.001 * at["lag"] / DT, "lag.variance": at["scatter"],
        "force_noise.variance": at["noise"] ** 2,
        "load_cell.gain_error": at["force_gain"], "load_cell.offset": at["force_offset"],
        "position.gain_error": at["disp_gain"], "position.offset": at["disp_offset"],
        lag_noise: 2 * at[DRAW], force_noise: 2 * at[DRAW] + 1,
    }  # fmt: skip


def measured(
    program: Program, points: Sequence[Mapping[str, Any]], jobs: int | None, **more: Measure
) -> dict[str, np.ndarray]:
    """The measures of every test against the test without errors."""
    study = Study(
        program,
        space=points,
        duration=load_record(CASE.record).duration,
        reference=ERRORS | dict.fromkeys(SEEDS, 0),
        measures={
            "eps_max": eps_max(DISP), "hsei_i": final(HSEI_I), "worst": alarms.worst(HSEI_I),
            "heard": alarms.heard(DISP, HSEI_I, TOLERANCE), "unwarned": alarms.unwarned(DISP, HSEI_I, LEVEL), **more,
        },
    )  # fmt: skip
    return {name: values[:, 0] for name, values in study.run(jobs=jobs).values.items()}


def detection(values: Mapping[str, np.ndarray], levels: np.ndarray) -> Detection:
    """What an alarm at each level is worth, over independent tests."""
    wrong = values["eps_max"] > TOLERANCE
    in_time, alarmed = (_below(values[name][wrong], levels) for name in ("heard", "worst"))
    return Detection(in_time, alarmed - in_time, 1.0 - alarmed, _below(values["worst"][~wrong], levels))


def _below(values: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """The share of values below each level; nan where there are none."""
    return np.mean(values < levels[:, None], axis=1) if values.size else np.full(levels.shape, np.nan)


SECOND = ("second_energy.e_error", "energy.e_input")


def second_indicator(runs: Histories, reference: Histories) -> np.ndarray:
    """HSEI_I at the end, from the transducer on the specimen."""
    error, work = (runs[name][:, -1] for name in SECOND)
    return np.asarray(error / (STRAIN_ENERGY + work))
