"""All delay compensators on one record: how well the plant follows the target, and what that costs in noise.

The target is the displacement in mm of a structure with one degree of freedom (T = 0.5 s, 5 % damping) under 20 % of a
record, at 1024 Hz. Each compensator makes the command of two plants: a pure delay of 14 ticks, and the identified
actuator TS_1. It tracks a given target and nothing is fed back to the structure, so that all have the same task; what
a compensator does to the stability of a closed loop is not shown.

    nrms        rms(measured - target) / rms(target)
    peak        max |measured - target| / max |target|
    amplitude   |FEI| - 1                                   of measured over target; below 0 it is too small
    delay       -arg(FEI) / (2 pi f_eq)                     above 0 it is late; the FEI weighs with the target's power
    delay_corr  the shift of maximum cross-correlation
    noise       rms(command with noise - command without) / rms(noise)

The noise is white up to 512 Hz, of 0.016 mm RMS (the sensor noise of the 2020 benchmark problem for real-time hybrid
simulation), and stands once on the target and once on the measurement. For a linear compensator with the impulse
response h the ratio is sqrt(sum h^2); for one that adapts it depends on the size of the noise.

Delays are counted from tick to tick. A sampled delay of n ticks is n ticks; a hold in front of a continuous actuator
adds half a tick to its low-frequency delay a1/a0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.blocks.sources.records import Record, load_record
from hybsim.errors import RunError
from hybsim.runtime import manifest
from hybsim.runtime.program import compile
from hybsim.studies.catalogue import Progress, Settings, Table
from hybsim.studies.compensator_cases import (
    ADAPTIVE_START,
    CASES,
    DAMPING_RATIO,
    DT,
    FRAME,
    G_MM,
    PERIOD,
    PLANTS,
    Case,
    Plant,
    diagram,
)
from hybsim.studies.tracking import delay_by_correlation, frequency_evaluation_index, nrms, peak_error

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AFTER = 5.0
"""Seconds of free vibration after the record: the FEI is of a signal that begins and ends near rest."""

NOISE = 0.016
"""RMS in mm."""


@dataclass(frozen=True)
class Measures:
    """The numbers of one compensator and one plant."""

    nrms: float
    peak: float
    amplitude: float
    delay_s: float
    delay_corr_s: float
    noise_target: float
    noise_measured: float


@dataclass(frozen=True)
class Row:
    """One compensator in front of one plant: the numbers, the run without noise in mm, and why it stopped if it did."""

    case: Case
    plant: Plant
    measures: Measures
    t: np.ndarray
    target: np.ndarray
    command: np.ndarray
    measured: np.ndarray
    manifest: dict[str, Any]
    stopped: str | None

    def blocks(self) -> dict[str, Any]:
        """What the compensator is made of, with all parameters."""
        return {name: block for name, block in self.manifest["blocks"].items() if name not in FRAME}

    def numbers(self) -> dict[str, Any]:
        return {"plant": self.plant.name, "compensator": self.case.name, **asdict(self.measures)}


@dataclass(frozen=True)
class Comparison:
    """The study: every compensator in front of every plant."""

    settings: Settings
    duration: float
    lines: list[Row]

    @property
    def title(self) -> str:
        return (
            f"Delay compensators, open loop: target of {self.peak_target:.2f} mm (T = {PERIOD:g} s,"
            f" {100 * DAMPING_RATIO:g} % damping), record {self.record['record']}, {1 / DT:g} Hz"
        )

    @property
    def peak_target(self) -> float:
        return float(np.abs(self.lines[0].target).max())

    @property
    def record(self) -> dict[str, Any]:
        """The record as the run describes it: name, hash, PGA, interpolation and scale."""
        described: dict[str, Any] = self.lines[0].manifest["blocks"]["record"]
        return described

    def of(self, plant: Plant) -> list[Row]:
        return [row for row in self.lines if row.plant is plant]

    def tables(self) -> list[Table]:
        return [
            Table(
                f"Plant: {plant.prose}, delay {1000.0 * plant.delay:.2f} ms",
                ("compensator", *COLUMNS),
                [(row.case.name, *(show(row.measures) for show in COLUMNS.values())) for row in self.of(plant)],
            )
            for plant in PLANTS
        ]

    def notes(self) -> list[str]:
        return [
            "NRMS, peak: measured minus target, over RMS and peak of the target. Amplitude and delay: of measured",
            "against target by the frequency evaluation index; corr.: delay by cross-correlation; above zero, late.",
            f"Noise: RMS in the command for white noise of {NOISE:g} mm RMS on target or measurement, over that RMS.",
            "(dt), (tau): samples of the polynomial one tick or the delay apart.",
            f"Every compensator knows the delay, those that adapt start from {ADAPTIVE_START:g} of it. Nothing is fed",
            "back to the structure: this is how well a given target is tracked, not whether a test is stable.",
            *(f"{row.case.name}, {row.plant.prose}: {row.stopped}" for row in self.lines if row.stopped),
        ]

    def rows(self) -> list[dict[str, Any]]:
        return [row.numbers() for row in self.lines]

    def summary(self) -> dict[str, Any]:
        first = self.lines[0].manifest
        return {
            "study": "compensators",
            "engine": first["engine"],
            "seed": self.settings.seed,
            "dt_s": DT,
            "duration_s": self.duration,
            "record": self.record,
            "g_mm_s2": G_MM,
            "structure": {
                "period_s": PERIOD, "damping_ratio": DAMPING_RATIO, "damping": "viscous, c = 2 zeta sqrt(k m)",
                "integrator": "NEWMARK", "peak_target_mm": self.peak_target,
            },
            "noise": {"rms_mm": NOISE, "kind": "white, normal, a new number every tick"},
            "delay_estimators": {
                "delay_s": "frequency evaluation index, -arg(FEI) / (2 pi f_eq)",
                "delay_corr_s": "maximum cross-correlation",
            },
            "units": {"nrms": "", "peak": "", "amplitude": "", "delay_s": "s", "delay_corr_s": "s",
                      "noise_target": "mm/mm", "noise_measured": "mm/mm"},
            "adaptive_start": ADAPTIVE_START,
            "plants": [
                {"name": p.name, "prose": p.prose, "delay_s": p.delay, "block": p.block, "parameters": p.parameters,
                 "model": p.model, "hold_s": p.hold} for p in PLANTS
            ],
            "rows": [
                {**row.numbers(), "blocks": row.blocks(), "program": row.manifest["program"],
                 "stopped": row.stopped}
                for row in self.lines
            ],
            "manifest": first,
        }  # fmt: skip

    def figure(self) -> Figure:
        """Errors and noise of every compensator, and a window of the histories of some."""
        from hybsim.studies.compensators_figure import draw

        return draw(self)


COLUMNS: dict[str, Callable[[Measures], str]] = {
    "NRMS\n[%]": lambda m: f"{100.0 * m.nrms:.2f}",
    "peak\n[%]": lambda m: f"{100.0 * m.peak:.2f}",
    "ampl.\n[%]": lambda m: _signed(100.0 * m.amplitude),
    "delay\n[ms]": lambda m: _signed(1000.0 * m.delay_s),
    "corr.\n[ms]": lambda m: _signed(1000.0 * m.delay_corr_s),
    "noise\ntarget": lambda m: _factor(m.noise_target),
    "noise\nmeas.": lambda m: _factor(m.noise_measured),
}


def _signed(value: float) -> str:
    return f"{round(value, 2) + 0.0:+.2f}"  # a small negative number is not -0.00


def _factor(value: float) -> str:
    return f"{value:.2f}" if value < 99.995 else f"{value:.0f}"


def compare(settings: Settings | None = None, progress: Progress | None = None) -> Comparison:
    """Run every compensator in front of every plant; `progress` is told the share that is done.

    >>> comparison = compare()                          # doctest: +SKIP
    >>> comparison.figure().savefig("comparison.png")   # doctest: +SKIP
    """
    settings = settings or Settings()
    record = load_record(settings.record)
    if record.pga == 0.0:
        raise RunError(f"The record {record.name!r} is zero throughout, so there is nothing to track.")
    duration = record.duration + AFTER
    pairs = [(case, plant) for plant in PLANTS for case in CASES]
    lines = []
    for done, (case, plant) in enumerate(pairs, 1):
        lines.append(tracked(case, plant, record, settings.seed, duration))
        if progress is not None:
            progress(done / len(pairs))
    return Comparison(settings, duration, lines)


def tracked(case: Case, plant: Plant, record: Record, seed: int, duration: float) -> Row:
    """One compensator in front of one plant: a run without noise, and one with each noise."""
    program = compile(diagram(case, plant, record, seed))
    quiet, on_target, on_measured = 0, 1, 2
    noises: list[dict[str, float]] = [
        {}, {"target_noise.variance": NOISE**2}, {"measured_noise.variance": NOISE**2},
    ]  # fmt: skip
    runs = program.sweep(noises, duration=duration, keep=["structure.disp_target", "command", "plant"])
    target, position = runs["structure.disp_target"][quiet], runs["plant"][quiet]
    command = runs["command"]
    stopped = next((str(stop) for stop in runs.stopped if stop), None)
    if stopped:
        measures = Measures(*[math.nan] * len(fields(Measures)))
    else:
        index = frequency_evaluation_index(target, position, DT)
        measures = Measures(
            nrms=nrms(target, position),
            peak=peak_error(target, position),
            amplitude=index.amplitude - 1.0,
            delay_s=index.delay,
            delay_corr_s=delay_by_correlation(target, position, DT),
            noise_target=_rms(command[on_target] - command[quiet]) / NOISE,
            noise_measured=_rms(command[on_measured] - command[quiet]) / NOISE,
        )
    engine = "c" if program.compiler_problem is None else "python"
    about = manifest.describe(program, {}, engine)
    return Row(case, plant, measures, runs.t, target, command[quiet], position, about, stopped)


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))
