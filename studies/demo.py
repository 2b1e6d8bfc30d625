"""The demonstration: what a lagging actuator does to a test, computed by three engines.

The diagram of EERC Fig. 3-5 (one degree of freedom, T = 1 s, 5 % damping, El Centro) runs with a lag of 0, 2
and 10 ms, with a linear and an elastic-plastic specimen. A lag makes the force late against the command: the
loop is run through the wrong way, energy is added, and the structure moves further than it should. To first
order a lag tau of a linear structure is a damping ratio of -omega tau / 2: 10 ms take 3.1 % of the 5 % away.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.diagrams import fig_3_5
from hybsim.runtime.program import Program, compile
from hybsim.runtime.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPECIMENS = ("linear", "elastic-plastic")
LAGS_MS = (0.0, 2.0, 10.0)
DT = 0.01
DURATION = 40.0
DISP, FORCE = "integrator.disp_target", "specimen.force"


@dataclass(frozen=True)
class Case:
    """One run: a specimen, a lag, and what came out."""

    specimen: str
    lag_ms: float
    result: Result

    @property
    def peak_disp(self) -> float:
        return float(self.result.peak(DISP))

    @property
    def peak_force(self) -> float:
        return float(self.result.peak(FORCE))

    @property
    def hsei_s(self) -> float:
        return float(self.result.final("energy.hsei_s"))

    @property
    def hsei_i(self) -> float:
        return float(self.result.final("energy.hsei_i"))


@dataclass
class Agreement:
    """How another engine compares with the first one, over all cases and signals."""

    engine: str
    reference: str
    runs: int = 0
    samples: int = 0
    different: int = 0
    largest: float = 0.0

    def add(self, result: Result, reference: Result) -> None:
        """Compare the ticks that both results have, bit for bit."""
        ticks = min(result.t.size, reference.t.size)
        self.runs += 1
        for name in reference.names:
            mine, theirs = result[name][:ticks], reference[name][:ticks]
            unlike = mine.view(np.int64) != theirs.view(np.int64)
            self.samples += mine.size
            self.different += int(np.count_nonzero(unlike))
            if unlike.any():
                self.largest = max(self.largest, float(np.abs(mine - theirs).max()))

    @property
    def identical(self) -> bool:
        return self.samples > 0 and self.different == 0


@dataclass
class Demo:
    """The cases, the agreement of the engines and how long a run took in each (medians, in seconds)."""

    engine: str
    why_not_c: str | None
    cases: list[Case] = field(default_factory=list)
    agreements: list[Agreement] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def case(self, specimen: str, lag_ms: float) -> Case:
        return next(c for c in self.cases if c.specimen == specimen and c.lag_ms == lag_ms)

    def growth(self, case: Case) -> float:
        """How much further the structure moves than without lag, as a ratio."""
        return case.peak_disp / self.case(case.specimen, 0.0).peak_disp - 1.0

    def figure(self) -> Figure:
        """Displacement histories, force-displacement loops and HSEI."""
        from hybsim.studies.demo_figure import draw

        return draw(self)

    def summary(self) -> dict[str, Any]:
        """The numbers, as plain data."""
        return {
            "engine": self.engine,
            "why_not_c": self.why_not_c,
            "duration_s": DURATION,
            "dt_s": DT,
            "units": {"peak_disp": "in", "peak_force": "kip", "hsei_s": "", "hsei_i": ""},
            "cases": [
                {
                    "specimen": c.specimen, "lag_ms": c.lag_ms, "peak_disp": c.peak_disp, "peak_force": c.peak_force,
                    "hsei_s": c.hsei_s, "hsei_i": c.hsei_i, "growth": self.growth(c),
                }
                for c in self.cases
            ],
            "engines": [
                {
                    "engine": a.engine, "reference": a.reference, "identical": a.identical, "runs": a.runs,
                    "samples": a.samples, "different": a.different, "largest_difference": a.largest,
                }
                for a in self.agreements
            ],
            "seconds_per_run": self.seconds,
            "manifest": self.cases[0].result.manifest,
        }  # fmt: skip


def run_demo(progress: Callable[[float], None] | None = None) -> Demo:
    """Run all cases in all engines that work here; `progress` is told the share that is done.

    >>> demo = run_demo()                               # doctest: +SKIP
    >>> demo.figure().savefig("demo.png")               # doctest: +SKIP
    """
    programs = {s: compile(fig_3_5(specimen=s, mean=0.0, variance=0.0, dt=DT)) for s in SPECIMENS}
    problem = programs["linear"].compiler_problem
    first, *others = ("c", "python", "bdsim") if problem is None else ("python", "bdsim")
    demo = Demo(first, problem, agreements=[Agreement(engine, first) for engine in others])
    taken: dict[str, list[float]] = {engine: [] for engine in (first, *others)}
    runs = len(SPECIMENS) * len(LAGS_MS) * len(taken)
    for specimen, lag in ((s, lag) for s in SPECIMENS for lag in LAGS_MS):
        results = {}
        for engine in taken:
            results[engine], seconds = _timed(programs[specimen], engine, lag)
            taken[engine].append(seconds)
            if progress is not None:
                progress(sum(map(len, taken.values())) / runs)
        demo.cases.append(Case(specimen, lag, results[first]))
        for agreement in demo.agreements:
            agreement.add(results[agreement.engine], results[first])
    demo.seconds = {engine: _median(seconds) for engine, seconds in taken.items()}
    return demo


def _timed(program: Program, engine: str, lag_ms: float) -> tuple[Result, float]:
    begin = time.perf_counter()
    result = program.run(DURATION, engine=engine, params={"lag.mean": lag_ms / 1000.0 / DT})
    return result, time.perf_counter() - begin


def _median(values: Iterable[float]) -> float:
    return float(np.median(list(values)))
