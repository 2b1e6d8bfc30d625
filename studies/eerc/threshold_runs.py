"""A threshold of HSEI_I from a tolerance on the displacement error, and what it is worth as an alarm.

    e(t)      = |u(t) - u^exact(t)| / max |u^exact|,    eps_max = max e(t)            (8.7)
    threshold = HSEI^I at the end of the record, at the lag where eps_max first passes the tolerance
    warning   = the lowest level of HSEI^I that warns in time in WARNED of the runs that pass the tolerance

The runs of a case of Table 8-10 with a fine grid of lags from 0 to 10 ms and REPEATS seeds. The threshold is that of
EERC Sec. 8.4.2, by interpolation between two lags, its spread that over the seeds: a test that ends below it is to be
doubted. An alarm during a test must sound before the error has passed the tolerance, when HSEI_I has not reached its
last value yet: HSEI_I < level at a time t_a before t_e, at which e first exceeds the tolerance. The block THRESHOLD in
the diagram trips and latches at t_a.

Of the runs that pass the tolerance the alarm comes in time (t_a <= t_e), late (t_a > t_e) or not at all; of those that
do not, it is false where it comes. All shares are of lags that are equally frequent between 0 and 10 ms.

EERC Sec. 8.4.2: -0.1 for 10 % in Case 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import load_record
from hybsim.diagrams.eerc_chapter8 import DT, MODELS, VARIANCE, Case, table_8_10, watched
from hybsim.errors import ParameterError
from hybsim.runtime.program import Program, compile
from hybsim.runtime.result import Result
from hybsim.studies.eerc.chapter8_runs import EXACT, REPEATS, part_of, roof, selected
from hybsim.studies.measures import Histories, eps_max, final, measure
from hybsim.studies.outcome import Progress, Settings
from hybsim.studies.study import Study, StudyResult, grid
from hybsim.studies.uncertainty.alarms import heard, unwarned, worst

CASE, TOLERANCE = 5, 0.1
"""Of the worked example of Sec. 8.4.2."""

EERC = -0.1
"""The threshold of HSEI_I that it reads from Fig. 8-11."""

LAGS = tuple(k / 50 for k in range(51))
"""Means of the lag in ticks."""

WARNED = 0.95
HSEI_I = "energy.hsei_i"


@dataclass(frozen=True)
class Derived:
    """One model over all lags and seeds; the values of `result` have the shape (lags, seeds)."""

    case: Case
    model: str
    tolerance: float
    program: Program
    duration: float
    result: StudyResult

    @property
    def passed(self) -> np.ndarray:
        """Runs whose error passes the tolerance; one that stopped early does."""
        return ~(self.result.values["eps_max"] <= self.tolerance)

    @cached_property
    def crossings(self) -> np.ndarray:
        """Lag in ticks and last HSEI_I where eps_max first passes the tolerance, for each seed; nan if nowhere."""
        error, hsei = self.result.values["eps_max"], self.result.values["hsei_i"]
        return np.array([_crossing(error[:, j], hsei[:, j], self.tolerance) for j in range(error.shape[1])])

    @property
    def known(self) -> np.ndarray:
        """The thresholds of the seeds that have one."""
        values = self.crossings[:, 1]
        return values[np.isfinite(values)]

    @property
    def threshold(self) -> float | None:
        """The mean of the thresholds of all seeds; None if HSEI_I does not tell these runs from others."""
        mean = float(self.known.mean()) if self.known.size else 0.0
        return mean if mean < 0.0 else None

    @property
    def deviation(self) -> float | None:
        return float(self.known.std(ddof=1)) if self.known.size > 1 else None

    @property
    def lag_ms(self) -> float | None:
        """The mean lag at which eps_max passes the tolerance."""
        lags = self.crossings[:, 0]
        lags = lags[np.isfinite(lags)]
        return 1000.0 * DT * float(lags.mean()) if lags.size else None

    @property
    def warning(self) -> float | None:
        """The lowest level that warns in time in WARNED of the runs that pass the tolerance."""
        reached = self.result.values["heard"][self.passed]
        reached = reached[np.isfinite(reached)]
        highest = float(np.quantile(reached, WARNED, method="higher")) if reached.size else 0.0
        # A little above what is reached, as an alarm sounds below its level.
        return float(np.nextafter(highest, 0.0)) if highest < 0.0 else None

    @property
    def levels(self) -> dict[str, float]:
        """The levels that are compared, by kind."""
        kinds = {"threshold": self.threshold, "warning": self.warning, "EERC": EERC}
        return {kind: level for kind, level in kinds.items() if level is not None}

    def row(self) -> dict[str, Any]:
        known = self.known
        return {
            "case": self.case.number, "model": self.model, "tolerance": self.tolerance, "threshold": self.threshold,
            "threshold_std": self.deviation, "threshold_min": float(known.min()) if known.size else None,
            "threshold_max": float(known.max()) if known.size else None, "lag_ms": self.lag_ms,
            "seeds": self.crossings.shape[0], "seeds_with_threshold": int(known.size),
            "warning_level": self.warning,
        }  # fmt: skip

    def runs(self) -> list[dict[str, Any]]:
        names = ("eps_max", "hsei_i", "heard", "worst")
        return [
            {"model": self.model, "mean": mean, "seed": seed, **{n: float(self.result.values[n][i, j]) for n in names}}
            for i, mean in enumerate(LAGS)
            for j, seed in enumerate(self.result.seeds["noise.seed"])
        ]


@dataclass(frozen=True)
class Monitored:
    """All runs of a model again, with the monitor in the diagram set to one level."""

    derived: Derived
    kind: str
    level: float
    result: StudyResult

    @cached_property
    def trip_time(self) -> np.ndarray:
        """Times at which the block tripped; inf where it did not."""
        times = self.result.values["trip_time"]
        return np.where(times >= 0.0, times, math.inf)

    def row(self) -> dict[str, Any]:
        passed, error_time = self.derived.passed, self.result.values["error_time"]
        tripped = np.isfinite(self.trip_time)
        in_time, both = passed & (self.trip_time <= error_time), passed & tripped
        return {
            "case": self.derived.case.number, "model": self.derived.model, "kind": self.kind,
            "level": self.level, "runs": int(passed.size), "runs_over_tolerance": int(passed.sum()),
            "in_time": _share(in_time, passed), "late": _share(both & ~in_time, passed),
            "missed": _share(passed & ~tripped, passed), "false_alarms": _share(~passed & tripped, ~passed),
            "median_lead_s": _median(error_time[both] - self.trip_time[both]),
            "median_error_at_trip": _median(self.result.values["unwarned"][both]),
        }  # fmt: skip


@dataclass(frozen=True)
class Trip:
    """One run with the monitor, beside the exact one."""

    derived: Derived
    mean: float
    kind: str
    level: float
    result: Result
    error: np.ndarray

    @property
    def trip_time(self) -> float | None:
        time = float(self.result.final("monitor.trip_time"))
        return time if time >= 0.0 else None

    @property
    def error_time(self) -> float | None:
        """When the error first exceeds the tolerance."""
        return float(self.result.t[np.argmax(over)]) if (over := self.error > self.derived.tolerance).any() else None

    @property
    def error_at_trip(self) -> float | None:
        """The largest error up to the trip."""
        if self.trip_time is None:
            return None
        return float(self.error[self.result.t <= self.trip_time + 0.5 * DT].max())

    def row(self) -> dict[str, Any]:
        trip, error = self.trip_time, self.error_time
        return {
            "case": self.derived.case.number, "model": self.derived.model, "kind": self.kind, "level": self.level,
            "lag_ms": 1000.0 * DT * self.mean, "trip_time_s": trip, "error_at_trip": self.error_at_trip,
            "error_time_s": error, "lead_s": None if trip is None or error is None else error - trip,
            "eps_max": float(self.error.max()),
        }  # fmt: skip


def derive(settings: Settings, progress: Progress) -> list[Derived]:
    """The runs of both models, without regard to the monitor."""
    case = selected(CASE if settings.case is None else settings.case)[0]
    tolerance = TOLERANCE if settings.tolerance is None else settings.tolerance
    if not (math.isfinite(tolerance) and tolerance > 0.0):
        raise ParameterError(f"The tolerance on eps_max must be a number above 0, such as 0.1, got {tolerance!r}.")
    found = []
    for number, model in enumerate(MODELS):
        variance = VARIANCE if settings.variance is None else settings.variance
        program = compile(watched(table_8_10(case.number, model=model, variance=variance), EERC))
        duration = load_record(case.record).duration
        seeds = range(settings.seed, settings.seed + (REPEATS if variance > 0.0 else 1))
        study = Study(
            program, space=grid({"lag.mean": LAGS}), duration=duration, reference=EXACT, seeds={"noise.seed": seeds},
            measures={
                "eps_max": eps_max(roof(case)), "hsei_i": final(HSEI_I),
                "heard": heard(roof(case), HSEI_I, tolerance), "worst": worst(HSEI_I),
            },
        )  # fmt: skip
        result = study.run(jobs=settings.jobs, progress=part_of(progress, number, len(MODELS)))
        found.append(Derived(case, model, tolerance, program, duration, result))
    return found


def monitor(derived: Derived, kind: str, level: float, jobs: int | None) -> Monitored:
    """All runs again, with the monitor at this level."""
    disp = roof(derived.case)
    study = Study(
        derived.program, space=grid({"lag.mean": LAGS, "monitor.level": [level]}), duration=derived.duration,
        reference=EXACT, seeds=derived.result.seeds,
        measures={
            "trip_time": final("monitor.trip_time"),
            "error_time": measure(partial(error_time, signal=disp, tolerance=derived.tolerance), disp),
            "unwarned": unwarned(disp, HSEI_I, level),
        },
    )  # fmt: skip
    return Monitored(derived, kind, level, study.run(jobs=jobs))


def trips(derived: Derived) -> list[Trip]:
    """One run, with the monitor at each level: the first seed, and a lag half as long again as at the tolerance."""
    mean = 0.5 if derived.lag_ms is None else min(1.0, round(1.5 * derived.lag_ms / (1000.0 * DT), 1))
    disp, seed = roof(derived.case), derived.result.seeds["noise.seed"][0]
    exact = derived.program.run(derived.duration, params=EXACT)[disp]
    found = []
    for kind, level in derived.levels.items():
        params = {"lag.mean": mean, "noise.seed": seed, "monitor.level": level}
        result = derived.program.run(derived.duration, params=params)
        error = np.abs(result[disp] - exact[: result.t.size]) / np.abs(exact).max()  # shorter, if the run stopped
        found.append(Trip(derived, mean, kind, level, result, error))
    return found


def error_time(runs: Histories, reference: Histories, *, signal: str, tolerance: float) -> np.ndarray:
    """When the error first exceeds the tolerance; inf if it never does."""
    exact = np.abs(reference[signal]).max(axis=1, keepdims=True)
    over = np.abs(runs[signal] - reference[signal]) > tolerance * exact
    return np.where(over.any(axis=1), runs["t"][over.argmax(axis=1)], math.inf)


def _crossing(error: np.ndarray, hsei: np.ndarray, tolerance: float) -> tuple[float, float]:
    over = np.flatnonzero(~(error <= tolerance))
    if over.size == 0 or over[0] == 0 or not np.isfinite(error[over[0]]):
        return math.nan, math.nan
    part = slice(over[0] - 1, over[0] + 1)
    return float(np.interp(tolerance, error[part], LAGS[part])), float(np.interp(tolerance, error[part], hsei[part]))


def _share(some: np.ndarray, of: np.ndarray) -> float | None:
    return float(some.sum() / of.sum()) if of.any() else None


def _median(values: np.ndarray) -> float | None:
    return float(np.median(values)) if values.size else None
