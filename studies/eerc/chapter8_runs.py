"""The simulations of EERC Chapter 8: every case and model of Table 8-10 over the lags of Table 8-11.

    eps_max = max |u^exact - u| / max |u^exact|          (8.7)
    eps_rms = rms(u^exact - u) / max |u^exact|           (8.8)
    eps_enr = |E^input,exact - E^input| / E^input,exact  (8.9)
    HSEI^S  = E^error / E^strain                         (8.1)
    HSEI^I  = E^error / (E^strain + E^input)             (8.6)

u displacement of the structure, of the roof in Case 5; energies are summed over actuators and storeys. All over the
length of the record, indicators and energies at its end. The exact run has no lag and no variance. A row is one run
with the seed of the settings; repeats with REPEATS seeds, this one being the first, give mean and standard deviation.
The mean of eta goes from 0 to 1 in steps of 0.1: a lag of 0 to 10 ms.

The delay is estimated from the signals: least squares of (command - applied) over the increment of the command, the
mean of both actuators in Case 5 (hybsim.studies.measures).

A linear run is stable if the spectral radius of the amplification matrix at the mean lag is at most 1, an
elastic-plastic one if it comes to its end and its largest displacement is at most BOUND times the exact one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from hybsim.blocks.actuators.degrees_of_freedom import storey_drifts
from hybsim.blocks.sources.records import load_record
from hybsim.diagrams.eerc_chapter8 import CASES, DT, MODELS, STIFFNESS, VARIANCE, Case, table_8_10
from hybsim.errors import ParameterError
from hybsim.runtime.export import plain
from hybsim.runtime.program import Program, compile
from hybsim.studies.eerc.critical_lag import LaggingTest, is_unstable
from hybsim.studies.measures import (
    Histories,
    Measure,
    bounded,
    delay,
    eps_enr,
    eps_max,
    eps_rms,
    final,
    measure,
    peak,
)
from hybsim.studies.outcome import Progress, Settings
from hybsim.studies.study import Study, StudyResult, grid

MEANS = tuple(k / 10 for k in range(11))
REPEATS = 20
BOUND = 3.0
EXACT = {"lag.mean": 0.0, "lag.variance": 0.0}
ERRORS = ("eps_max", "eps_rms", "eps_enr")
MEASURES = ("delay_ms", "hsei_s", "hsei_i", *ERRORS)


@dataclass(frozen=True)
class Found:
    """One case and model over all lags; a value of `result` has the shape (lags, seeds)."""

    case: Case
    model: str
    program: Program
    duration: float
    exact_peak: float
    result: StudyResult

    @property
    def linear(self) -> bool:
        return self.model == "linear"

    @property
    def seeds(self) -> int:
        return self.result.ticks.shape[1]

    @cached_property
    def mean(self) -> dict[str, np.ndarray]:
        """Means over the seeds, of each measure at each lag."""
        return self.result.mean

    @cached_property
    def std(self) -> dict[str, np.ndarray]:
        """Standard deviations over the seeds; of unstable runs they may not be finite."""
        with np.errstate(all="ignore"):
            return self.result.std

    @cached_property
    def critical_lag_ms(self) -> float | None:
        """The mean lag from which on the linear test is unstable; None for elastic-plastic specimens."""
        return critical_lag_ms(self.case) if self.linear else None

    @cached_property
    def radius(self) -> list[float]:
        """Spectral radii of a linear test at each mean lag."""
        test = lagging_test(self.case)
        return [test.radius(mean) for mean in MEANS]

    @property
    def mean_square_lag_ms(self) -> float | None:
        """The mean lag from which on the mean square of the linear response grows, with the variance of the runs."""
        critical = lagging_test(self.case).critical_lag_mean_square(float(self.program.parameters["lag.variance"]))
        return None if critical is None else 1000.0 * critical

    @property
    def stable(self) -> np.ndarray:
        """For each lag, with the first seed."""
        if self.linear:
            return np.array([not is_unstable(radius) for radius in self.radius])
        return self.result.values["bounded"][:, 0] > 0.0

    def first(self, name: str) -> np.ndarray:
        """A measure at each lag, with the seed of the settings."""
        return self.result.values[name][:, 0]

    def rows(self) -> list[dict[str, Any]]:
        stable, radius = self.stable, self.radius if self.linear else [None] * len(MEANS)
        found: list[dict[str, Any]] = [
            {
                "case": self.case.number, "model": self.model, "mean": mean,
                **{name: self.first(name)[i] for name in MEASURES},
                "stable": bool(stable[i]), "critical_lag_ms": self.critical_lag_ms, "spectral_radius": radius[i],
                "peak_ratio": self.first("peak")[i] / self.exact_peak,
                "finished": bool(self.result.ticks[i, 0] == self.result.all_ticks),
            }
            for i, mean in enumerate(MEANS)
        ]  # fmt: skip
        return [plain(row) for row in found]

    def repeats(self) -> list[dict[str, Any]]:
        """Mean and standard deviation over the seeds at each lag."""
        found = []
        for i, mean in enumerate(MEANS):
            row: dict[str, Any] = {"case": self.case.number, "model": self.model, "mean": mean}
            for name in MEASURES:
                row |= {f"{name}_mean": self.mean[name][i], f"{name}_std": self.std[name][i]}
            unbounded = int((self.result.values["bounded"][i] == 0.0).sum())
            found.append(plain(row | {"runs": self.seeds, "runs_unbounded": unbounded}))
        return found

    def histories(self, means: Sequence[float], signals: Sequence[str]) -> tuple[np.ndarray, list[dict[str, Any]]]:
        """Time, and the histories of some signals: of the exact run, and of one for each mean with the first seed."""
        seed = {name: values[0] for name, values in self.result.seeds.items()}
        runs = [EXACT, *({"lag.mean": mean, **seed} for mean in means)]
        batch = self.program.sweep(runs, duration=self.duration, keep=list(signals))
        return batch.t, [{name: _last(batch[name][i]) for name in signals} for i in range(len(runs))]


def _last(history: np.ndarray) -> np.ndarray:
    """Of a vector signal the last component: the roof."""
    return history if history.ndim == 1 else history[:, -1]


def selected(case: int | None) -> list[Case]:
    """The case asked for, or all."""
    if case is None:
        return list(CASES.values())
    if case not in CASES:
        raise ParameterError(f"There is no case {case!r} in Table 8-10; the cases are {', '.join(map(str, CASES))}.")
    return [CASES[case]]


def simulate(settings: Settings, progress: Progress, *, repeats: int = REPEATS) -> list[Found]:
    """All runs of the cases asked for; `progress` is told the share that is done."""
    pairs = [(case, model) for case in selected(settings.case) for model in MODELS]
    return [
        found_by(lag_study(case, model, settings, repeats), case, model, settings, part_of(progress, i, len(pairs)))
        for i, (case, model) in enumerate(pairs)
    ]


def found_by(study: Study, case: Case, model: str, settings: Settings, progress: Progress) -> Found:
    """Make the runs of a study that is ready."""
    result = study.run(jobs=settings.jobs, progress=progress)
    exact = study.program.sweep([EXACT], duration=study.duration, keep=[])
    exact_peak = float(np.atleast_1d(exact.peak("integrator.disp_target")[0])[-1])
    return Found(case, model, study.program, study.duration, exact_peak, result)


def part_of(progress: Progress, number: int, parts: int) -> Progress:
    """The progress of one part of a whole."""
    return lambda share: progress((number + share) / parts)


def lag_study(
    case: Case, model: str, settings: Settings, repeats: int = REPEATS, *, means: Sequence[float] = MEANS
) -> Study:
    """The runs of one case and model, with their measures."""
    variance = VARIANCE if settings.variance is None else settings.variance
    seeds = range(settings.seed, settings.seed + (repeats if variance > 0.0 else 1))
    return Study(
        compile(table_8_10(case.number, model=model, variance=variance)),
        space=grid({"lag.mean": means}),
        duration=load_record(case.record).duration,
        reference=EXACT,
        measures=measures(case),
        seeds={"noise.seed": seeds},
    )


def roof(case: Case) -> str:
    """The displacement that is judged: of the only floor, or of the upper one."""
    return "integrator.disp_target" if case.storeys == 1 else f"integrator.disp_target[{case.storeys - 1}]"


def measures(case: Case) -> dict[str, Measure]:
    return {
        "delay_ms": measure(partial(mean_delay, command=case.command), case.command, "lag.applied"),
        "hsei_s": final("energy.hsei_s"),
        "hsei_i": final("energy.hsei_i"),
        "eps_max": eps_max(roof(case)),
        "eps_rms": eps_rms(roof(case)),
        "eps_enr": eps_enr("energy.e_input"),
        "peak": peak(roof(case)),
        "bounded": bounded(roof(case), BOUND),
    }


def mean_delay(runs: Histories, reference: Histories, *, command: str) -> np.ndarray:
    """The delay behind the command in ms, the mean of all actuators."""
    asked, applied = (np.atleast_3d(runs[name]) for name in (command, "lag.applied"))
    each = [
        delay("command", "applied")({"t": runs["t"], "command": asked[..., i], "applied": applied[..., i]})
        for i in range(asked.shape[-1])
    ]
    return np.mean(each, axis=0)


def lagging_test(case: Case) -> LaggingTest:
    """The linear test: a specimen in each storey."""
    specimens = [STIFFNESS * np.outer(drift, drift) for drift in storey_drifts(case.storeys)]
    return LaggingTest(case.mass, case.damping, specimens, DT)


def critical_lag_ms(case: Case) -> float | None:
    """The mean lag from which on the linear test is unstable."""
    critical = lagging_test(case).critical_lag()
    return None if critical is None else 1000.0 * critical
