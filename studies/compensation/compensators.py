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
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.blocks.sources.records import Record, load_record
from hybsim.errors import RunError
from hybsim.runtime import manifest
from hybsim.runtime.program import compile
from hybsim.studies.compensation.compensator_cases import CASES, DT, FRAME, PLANTS, Case, Plant, diagram
from hybsim.studies.outcome import Outcome, Progress, Settings
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

    seed: int
    duration: float
    lines: list[Row]

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

    def rows(self) -> list[dict[str, Any]]:
        return [row.numbers() for row in self.lines]

    def figure(self) -> Figure:
        """Errors and noise of every compensator, and a window of the histories of some."""
        from hybsim.studies.compensation.compensators_figure import draw

        return draw(self)


def run(settings: Settings, progress: Progress) -> Outcome:
    """The study as `hybsim study compensators` runs it."""
    from hybsim.studies.compensation.compensators_outcome import outcome

    return outcome(compare(settings, progress))


def compare(settings: Settings | None = None, progress: Progress | None = None) -> Comparison:
    """Run every compensator in front of every plant; `progress` is told the share that is done.

    >>> comparison = compare()                          # doctest: +SKIP
    >>> comparison.figure().savefig("comparison.png")   # doctest: +SKIP
    """
    settings = settings or Settings()
    record = load_record(settings.record or "elcentro")
    if record.pga == 0.0:
        raise RunError(f"The record {record.name!r} is zero throughout, so there is nothing to track.")
    duration = record.duration + AFTER
    pairs = [(case, plant) for plant in PLANTS for case in CASES]
    lines = []
    for done, (case, plant) in enumerate(pairs, 1):
        lines.append(tracked(case, plant, record, settings.seed, duration))
        if progress is not None:
            progress(done / len(pairs))
    return Comparison(settings.seed, duration, lines)


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
