"""The runs of the two-degree-of-freedom column: an ideal test, a late one, and both compensations of the paper.

Displacements are those that the integrator computes, in inches at the ends of its steps, both storeys. A run that
leaves the stroke of the actuators has failed: its peak and error are not given, but the time at which it left.

    error = |d - d_exact|_rms / |d_exact|_rms       each storey, over the whole run; exact with the same total damping
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import Record, load_record
from hybsim.diagrams.fht_column import ITERATIONS, PGA, fht_column
from hybsim.errors import RunError
from hybsim.runtime import manifest
from hybsim.runtime.program import Program, compile
from hybsim.studies import measures
from hybsim.studies.fht.column_exact import exact
from hybsim.studies.outcome import Progress

DURATION = 30.0
"""Seconds; the record has 31.2."""

STROKE = 5.0
"""Inches to either side (Table 1, 50-ton actuators)."""

DAMPING = 0.04
SPECIMEN_DAMPING = 0.02
"""What the paper adds to 4 % for "the additional damping effect introduced by the test specimen"."""

RATES = {"1000 Hz": (1000.0, 0.01), "1024 Hz": (1024.0, 10.0 / 1024.0)}
"""Rate of the controller in Hz and step in s."""


@dataclass(frozen=True)
class Variant:
    """How the test is run: words for a reader, options of the diagram, and lambda or None.

    ticks   the digital delay in ticks; None for that of the diagram
    """

    name: str
    prose: str
    options: tuple[tuple[str, Any], ...] = ()
    gain: float | None = None
    ticks: int | None = None

    @property
    def total_damping(self) -> float:
        """Of the computer and the specimen."""
        return DAMPING + float(dict(self.options).get("specimen_damping", 0.0))

    def diagram(self, rate: float, step: float) -> Any:
        options = dict(self.options)
        if self.ticks is not None:
            options["digital_delay"] = self.ticks / rate
        return fht_column(rate=rate, step=step, damping=DAMPING, feedback_gain=self.gain, **options)


NO_FEEDFORWARD = (("feedforward", False),)
DELAY_ONLY = (("feedforward", False), ("lag", None))
SHORT = (("assumed_lag", 0.009),)
LONG = (("assumed_lag", 0.012),)
DAMPED = (("specimen_damping", SPECIMEN_DAMPING),)
IDEAL = Variant("ideal", "ideal actuators", (("actuator", False),))
FEEDFORWARD = Variant("feedforward", "feedforward")
DAMPED_IDEAL = Variant("ideal_damped_specimen", "ideal actuators, specimen with 2 %", (("actuator", False), *DAMPED))
DAMPED_TEST = Variant("feedforward_damped_specimen", "feedforward, specimen with 2 %", DAMPED)
VARIANTS = (
    IDEAL,
    Variant("late", "actuator, no compensation", NO_FEEDFORWARD),
    *(Variant(f"late_{g:g}", f"feedback, lambda = {g:g}", NO_FEEDFORWARD, g) for g in (0.5, 1.0)),
    FEEDFORWARD,
    *(Variant(f"both_{g:g}", f"feedforward and lambda = {g:g}", (), g) for g in (0.25, 0.5, 0.75, 1.0)),
    Variant("short", "feedforward for 9 ms", SHORT),
    *(Variant(f"short_{g:g}", f"feedforward for 9 ms, lambda = {g:g}", SHORT, g) for g in (0.5, 1.0)),
    Variant("long", "feedforward for 12 ms", LONG),
    *(Variant(f"long_{g:g}", f"feedforward for 12 ms, lambda = {g:g}", LONG, g) for g in (0.5, 1.0)),
    Variant("tick", "one tick of delay only", DELAY_ONLY, ticks=1),
    *(Variant(f"tick_{g:g}", f"one tick of delay, lambda = {g:g}", DELAY_ONLY, g, ticks=1) for g in (0.5, 1.0)),
    DAMPED_IDEAL,
    DAMPED_TEST,
)


@dataclass(frozen=True, eq=False)
class Run:
    """One run at the ends of the steps: computed and attained displacements, and the exact ones, a row for each step.

    left_stroke   the time at which a displacement left the stroke of the actuators, or None
    """

    variant: Variant
    rate: str
    t: np.ndarray
    disp: np.ndarray
    position: np.ndarray
    exact: np.ndarray
    left_stroke: float | None

    @property
    def peak(self) -> np.ndarray:
        return np.abs(self.disp).max(axis=0)

    @property
    def error(self) -> np.ndarray:
        """Rms of the difference to the exact response over the rms of that."""
        difference: np.ndarray = np.sqrt(((self.disp - self.exact) ** 2).mean(axis=0))
        return difference / np.sqrt((self.exact**2).mean(axis=0))

    @property
    def delay_ms(self) -> list[float]:
        """Of the attained behind the computed displacements."""
        histories = {"t": self.t, "c": self.disp.T, "a": self.position.T}
        return [float(ms) for ms in measures.delay("c", "a")(histories)]

    def row(self) -> dict[str, Any]:
        rate, step = RATES[self.rate]
        stable = self.left_stroke is None
        about = {
            "variant": self.variant.name, "prose": self.variant.prose, "rate_hz": rate, "step_s": step,
            "lambda": self.variant.gain, "total_damping": self.variant.total_damping, "stable": stable,
            "left_stroke_s": self.left_stroke,
        }  # fmt: skip
        names = ("peak_disp", "rms_error", "delay_ms")
        pairs: tuple[Any, ...] = (self.peak, self.error, self.delay_ms) if stable else ((None, None),) * len(names)
        return about | {
            f"{name}_{storey + 1}": None if pair[storey] is None else float(pair[storey])
            for name, pair in zip(names, pairs, strict=True)
            for storey in (0, 1)
        }


@dataclass(frozen=True, eq=False)
class Found:
    """All runs, the record, and what each ideal program was made of."""

    runs: list[Run]
    record: Record
    manifests: dict[str, dict[str, Any]]

    def of(self, variant: Variant, rate: str = "1000 Hz") -> Run:
        return next(run for run in self.runs if (run.variant, run.rate) == (variant, rate))


def simulate(progress: Progress) -> Found:
    """Every variant at both rates."""
    record = load_record("elcentro")
    runs: list[Run] = []
    manifests = {}
    done = 0
    for rate, (hertz, step) in RATES.items():
        times = step * np.arange(int(DURATION / step + 1e-9) + 1)
        solutions: dict[float, np.ndarray] = {}
        for variant in VARIANTS:
            program = compile(variant.diagram(hertz, step))
            if variant.total_damping not in solutions:
                solutions[variant.total_damping] = exact(times, record=record, pga=PGA, damping=variant.total_damping)
            runs.append(_run(program, variant, rate, times, solutions[variant.total_damping]))
            if variant is IDEAL:
                engine = "c" if program.compiler_problem is None else "python"
                manifests[rate] = manifest.describe(program, {}, engine)
            done += 1
            progress(done / (len(RATES) * len(VARIANTS)))
    return Found(runs, record, manifests)


def _run(program: Program, variant: Variant, rate: str, times: np.ndarray, right: np.ndarray) -> Run:
    result = program.run(DURATION)
    if result.stopped is not None:
        raise RunError(f"The run '{variant.prose}' at {rate} did not come to its end: {result.stopped}.")
    disp, position = (result[name][::ITERATIONS] for name in ("integrator.disp_target", "position.out"))
    beyond = np.flatnonzero((np.abs(disp) > STROKE).any(axis=1))
    left = float(times[beyond[0]]) if len(beyond) else None
    return Run(variant, rate, times, disp, position, right, left)
