"""Thresholds of the energy indicators over many structures: how far can one number serve as an alarm?

EERC Sec. 8.4.2 takes the HSEI_I of a test whose largest displacement error eps_max is 10 % for the threshold of an
alarm, finds -0.1 for one structure with two degrees of freedom, and says that another structure needs its own. Here the
same threshold is found for structures with one degree of freedom of many periods, three damping ratios, both records,
linear and elastic-plastic:

    tau_tol       = the lag at which eps_max first reaches the tolerance, by interpolation in the lag
    threshold     = HSEI(tau_tol) at the end of the record, by the same interpolation

For a linear specimen the theory is short. A lag tau does the work -k tau int v^2 dt, the damping c int v^2 dt, so that
the energy error is the share x = tau / tau_cr, tau_cr = c / k, of the damping energy E_d. With the energy balance
E_input + x E_d = E_d at the end of the motion,

    HSEI^S = -x E_d / E_strain,    HSEI^I = -x / (1 - x + E_strain / E_d)

So HSEI_I says which share of the damping the lag has taken, whatever the period; what is left to the structure and the
record is the error that this causes.

The amplitude of the record is chosen for each structure as EERC did: a peak just below yielding (0.95 u_y) for linear
specimens, a ductility of 4 for elastic-plastic ones (the smallest amplitude with it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import load_record
from hybsim.diagrams.eerc_chapter3 import SPECIMENS
from hybsim.diagrams.eerc_chapter8 import DT, STIFFNESS, YIELD_DISP
from hybsim.diagrams.error_injection import ERRORS, error_injection, structure_parameters
from hybsim.errors import ParameterError
from hybsim.runtime import manifest
from hybsim.runtime.program import Program, compile
from hybsim.studies.measures import eps_max, final
from hybsim.studies.outcome import Outcome, Progress, Settings
from hybsim.studies.study import Study
from hybsim.studies.uncertainty import alarms
from hybsim.studies.uncertainty.instability import critical_lag_ms

RECORDS = {"elcentro": "El Centro", "tabas": "Tabas"}
PERIODS = tuple(np.geomspace(0.2, 2.0, 21).tolist())
DAMPING_RATIOS = (0.02, 0.05, 0.10)
LINEAR_PEAK, DUCTILITY = 0.95, 4.0

TOLERANCE = 0.10
"""Of eps_max, as in EERC Sec. 8.4.2."""

LEVEL = -0.10
"""The threshold of HSEI_I that EERC Sec. 8.4.2 finds."""

LAGS, LEAST_LAGS, LONGEST_MS, ALARM_MS = 61, 15, 20.0, 10.0
"""Number of lags from 0 to the longest, and the fewest between which a threshold of the shortest period can be
interpolated; alarms are judged up to 10 ms, as far as EERC went."""

RANDOM_DAMPING, RANDOM_VARIANCE, RANDOM_SEEDS = 0.05, 0.1, 6
"""The part of the map that is repeated with the random lag of EERC Ch. 8."""

LARGEST_SCALE, LOOKS = 12.0, (24, 8)
"""The largest amplitude that is tried for the ductility, over that of the linear specimen; how many are tried."""

DISP, HSEI_I, HSEI_S = "integrator.disp_target", "energy.hsei_i", "energy.hsei_s"


@dataclass(frozen=True)
class Structure:
    """One degree of freedom, its specimen, and a record with its amplitude."""

    specimen: str
    record: str
    period: float
    damping_ratio: float
    amplitude: float = 1.0

    @property
    def parameters(self) -> dict[str, Any]:
        """What makes the program of the diagram this structure."""
        given = structure_parameters(self.period, self.damping_ratio, self.amplitude, STIFFNESS)
        return given | {"record.record": self.record}

    @property
    def critical_lag_ms(self) -> float:
        """The lag at which the test with a linear specimen becomes unstable."""
        return critical_lag_ms(self.period, self.damping_ratio)


@dataclass(frozen=True)
class Threshold:
    """Where eps_max reaches the tolerance; the indicators there, at the end of the record."""

    lag_ms: float
    hsei_i: float
    hsei_s: float


@dataclass(frozen=True)
class Curve:
    """One structure over all lags: the measures at each of them."""

    structure: Structure
    lags_ms: np.ndarray
    eps_max: np.ndarray
    hsei_i: np.ndarray
    hsei_s: np.ndarray
    heard: np.ndarray
    unwarned: np.ndarray

    @cached_property
    def threshold(self) -> Threshold | None:
        """None if the error stays below the tolerance at every lag."""
        found = first_crossing(self.eps_max, TOLERANCE)
        if found is None:
            return None
        return Threshold(*(at_crossing(values, found) for values in (self.lags_ms, self.hsei_i, self.hsei_s)))

    @property
    def went_wrong(self) -> np.ndarray:
        """Which of the lags up to 10 ms have an error above the tolerance."""
        return (self.lags_ms <= ALARM_MS) & (self.eps_max > TOLERANCE) & np.isfinite(self.heard)

    @property
    def went_well(self) -> np.ndarray:
        """Which of the lags up to 10 ms, other than none, have an error within the tolerance."""
        return (self.lags_ms > 0.0) & (self.lags_ms <= ALARM_MS) & (self.eps_max <= TOLERANCE)

    @property
    def level_in_time(self) -> float | None:
        """The lowest level that sounds in time at every lag that went wrong."""
        heard = self.heard[self.went_wrong]
        return float(heard.max()) if heard.size else None

    @property
    def most_unwarned(self) -> float:
        """The largest error before an alarm at EERC's level, over the lags up to 10 ms."""
        return float(np.nanmax(self.unwarned[self.lags_ms <= ALARM_MS]))

    def row(self) -> dict[str, Any]:
        s, t = self.structure, self.threshold
        return {
            "specimen": s.specimen, "record": s.record, "period_s": s.period, "damping_ratio": s.damping_ratio,
            "amplitude": s.amplitude, "critical_lag_ms": s.critical_lag_ms,
            "lag_ms": t and t.lag_ms, "hsei_i": t and t.hsei_i, "hsei_s": t and t.hsei_s,
            "lag_over_critical": t and t.lag_ms / s.critical_lag_ms,
            "hsei_i_in_time": self.level_in_time, "most_unwarned_error": self.most_unwarned,
        }  # fmt: skip


@dataclass(frozen=True)
class Sensitivity:
    """The map, its part with random lags (a list of curves for each seed), and how it was made."""

    seed: int
    curves: list[Curve]
    random: list[list[Curve]]
    manifest: dict[str, Any]
    records: list[dict[str, Any]]
    runs: int

    def of(self, **wanted: Any) -> list[Curve]:
        """The curves of some structures, such as of(specimen="linear", damping_ratio=0.05)."""
        return [c for c in self.curves if all(getattr(c.structure, key) == value for key, value in wanted.items())]


def run(settings: Settings, progress: Progress) -> Outcome:
    """The study; `runs` sets how many lags are tried for each structure."""
    from hybsim.studies.uncertainty.sensitivity_outcome import outcome

    return outcome(mapped(settings, progress))


def mapped(settings: Settings, progress: Progress = lambda share: None) -> Sensitivity:
    """All runs, and the thresholds in them."""
    lags = lags_of(settings.runs)
    every_second = lags[::2]
    programs = {specimen: compile(error_injection(specimen=specimen, record="tabas")) for specimen in SPECIMENS}
    structures = scaled(programs, settings.jobs)
    progress(0.15)
    curves: list[Curve] = []
    random: list[list[Curve]] = [[] for _ in range(RANDOM_SEEDS)]
    groups = [(specimen, record) for specimen in SPECIMENS for record in RECORDS]
    for done, (specimen, record) in enumerate(groups):
        some = [s for s in structures if (s.specimen, s.record) == (specimen, record)]
        program = programs[specimen]
        curves += swept(program, some, lags, settings.jobs)[0]
        progress(0.15 + 0.85 * (done + 0.5) / len(groups))
        some = [s for s in some if s.damping_ratio == RANDOM_DAMPING]
        seeds = range(settings.seed, settings.seed + RANDOM_SEEDS)
        for kept, found in zip(random, swept(program, some, every_second, settings.jobs, seeds), strict=True):
            kept.extend(found)
        progress(0.15 + 0.85 * (done + 1) / len(groups))
    about = manifest.describe(programs["linear"], {}, "c" if programs["linear"].compiler_problem is None else "python")
    records = [
        manifest.describe(programs["linear"], {"record.record": name}, "")["blocks"]["record"] for name in RECORDS
    ]
    of_map, of_amplitudes = sum(c.lags_ms.size for some in (curves, *random) for c in some), 1 + sum(LOOKS)
    runs = of_map + of_amplitudes * len(structures) // 2
    return Sensitivity(settings.seed, curves, random, about, records, runs)


def lags_of(runs: int | None) -> np.ndarray:
    """The lags in ms, closer together where they are small: there the short periods need them."""
    structures = len(PERIODS) * len(DAMPING_RATIOS) * len(RECORDS) * len(SPECIMENS)
    count = LAGS if runs is None else round(runs / structures)
    if count < LEAST_LAGS:
        raise ParameterError(
            f"The map has {structures} structures, each at {LEAST_LAGS} lags or more: give at least"
            f" {LEAST_LAGS * structures} runs, got {runs}."
        )
    return LONGEST_MS * np.linspace(0.0, 1.0, count) ** 2


def scaled(programs: dict[str, Program], jobs: int | None) -> list[Structure]:
    """Every structure with its amplitude."""
    linear, plastic = SPECIMENS
    structures = []
    for record in RECORDS:
        unit = [Structure(linear, record, period, zeta) for zeta in DAMPING_RATIOS for period in PERIODS]
        amplitudes = LINEAR_PEAK * YIELD_DISP / _peaks(programs[linear], unit, jobs)
        structures += [replace(s, amplitude=float(a)) for s, a in zip(unit, amplitudes, strict=True)]
        # A first look at all amplitudes, a second one between the two where the ductility is passed.
        low, high = amplitudes, LARGEST_SCALE * amplitudes
        for count in LOOKS:
            tried = np.geomspace(low, high, count, axis=1)
            points = [
                replace(s, specimen=plastic, amplitude=float(a))
                for s, row in zip(unit, tried, strict=True)
                for a in row
            ]
            ductility = _peaks(programs[plastic], points, jobs).reshape(tried.shape) / YIELD_DISP
            places = [_passed(row) for row in ductility]
            low, high = (np.array([row[k + i] for row, (k, _) in zip(tried, places, strict=True)]) for i in (0, 1))
        structures += [
            replace(s, specimen=plastic, amplitude=at_crossing(row, place))
            for s, row, place in zip(unit, tried, places, strict=True)
        ]
    return structures


def _peaks(program: Program, structures: Sequence[Structure], jobs: int | None) -> np.ndarray:
    """The largest displacement of every structure, without errors."""
    duration = load_record(structures[0].record).duration
    return program.sweep([s.parameters for s in structures], duration=duration, keep=[], jobs=jobs).peak(DISP)


def _passed(ductility: np.ndarray) -> tuple[int, float]:
    place = first_crossing(ductility, DUCTILITY)
    assert place is not None, f"no amplitude up to {LARGEST_SCALE:g} times the linear one gives the ductility"
    return place


def swept(
    program: Program, structures: Sequence[Structure], lags_ms: np.ndarray, jobs: int | None,
    seeds: Sequence[int] | None = None,
) -> list[list[Curve]]:  # fmt: skip
    """The curves of structures with one record: with the lag alone, or for each seed of a lag that is random too."""
    study = Study(
        program,
        space=[s.parameters | {"lag.mean": 0.001 * lag / DT} for s in structures for lag in lags_ms],
        duration=load_record(structures[0].record).duration,
        reference=ERRORS,
        measures={
            "eps_max": eps_max(DISP), "hsei_i": final(HSEI_I), "hsei_s": final(HSEI_S),
            "heard": alarms.heard(DISP, HSEI_I, TOLERANCE), "unwarned": alarms.unwarned(DISP, HSEI_I, LEVEL),
        },
        seeds=None if seeds is None else {"lag_noise.seed": seeds, "lag.variance": [RANDOM_VARIANCE] * len(seeds)},
    )  # fmt: skip
    values = study.run(jobs=jobs).values
    shape = (len(structures), len(lags_ms), -1)
    by_name = {name: array.reshape(shape) for name, array in values.items()}
    return [
        [
            Curve(s, lags_ms, **{name: array[i, :, repeat] for name, array in by_name.items()})
            for i, s in enumerate(structures)
        ]
        for repeat in range(1 if seeds is None else len(seeds))
    ]


def first_crossing(values: np.ndarray, level: float) -> tuple[int, float] | None:
    """The first place where values reach the level: the index before it and the share of the step to the next.

    The first value must be below the level. A value that is not finite counts as beyond it; the place is then the last
    one before.
    """
    beyond = ~(values < level)
    if not beyond.any():
        return None
    k = int(beyond.argmax())
    if k == 0:
        return 0, 0.0
    low, high = float(values[k - 1]), float(values[k])
    return k - 1, (level - low) / (high - low) if np.isfinite(high) else 0.0


def at_crossing(values: np.ndarray, place: tuple[int, float]) -> float:
    """Values at a place between two of them, by a straight line."""
    k, share = place
    return float(values[k] if share == 0.0 else values[k] + share * (values[k + 1] - values[k]))
