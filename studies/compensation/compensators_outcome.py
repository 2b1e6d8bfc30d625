"""What the comparison of compensators says: title, tables, words and plain data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hybsim.studies.compensation.compensator_cases import ADAPTIVE_START, DAMPING_RATIO, DT, G_MM, PERIOD, PLANTS
from hybsim.studies.compensation.compensators import NOISE
from hybsim.studies.outcome import Outcome, Picture, Table

if TYPE_CHECKING:
    from hybsim.studies.compensation.compensators import Comparison, Measures, Row

QUIET = 10.0
"""Noise gain up to which a compensator is called quiet: noise of 0.016 mm is then 0.16 mm in the command."""


def outcome(comparison: Comparison) -> Outcome:
    """The study in the form in which every study gives what it found."""
    return Outcome(
        title=(
            f"Delay compensators, open loop: target of {comparison.peak_target:.2f} mm (T = {PERIOD:g} s,"
            f" {100 * DAMPING_RATIO:g} % damping), record {comparison.record['record']}, {1 / DT:g} Hz"
        ),
        introduction=INTRODUCTION,
        conclusions=conclusions(comparison),
        tables=[
            Table(
                f"Plant: {plant.prose}, delay {1000.0 * plant.delay:.2f} ms",
                ("compensator", *COLUMNS),
                [(row.case.name, *(show(row.measures) for show in COLUMNS.values())) for row in comparison.of(plant)],
            )
            for plant in PLANTS
        ],
        pictures=[Picture("compensators", "Every compensator in front of both plants", FIGURE, comparison.figure)],
        notes=[
            *NOTES,
            *(f"{row.case.name}, {row.plant.prose}: {row.stopped}" for row in comparison.lines if row.stopped),
        ],
        data={"compensators": comparison.rows()},
        summary=summary(comparison),
    )


INTRODUCTION = (
    "An actuator follows its command late. In a hybrid test the late force feeds energy into the structure, so that"
    " the command is made ahead of time by a compensator. Which of them tracks best, and what does that cost?",
    f"The target is the displacement of a structure with one degree of freedom (T = {PERIOD:g} s,"
    f" {100 * DAMPING_RATIO:g} % damping) under 20 % of a record. Each compensator makes the command of two plants: a"
    " pure delay, and the identified servo-hydraulic actuator TS_1 behind a hold. All are told the same delay, those"
    f" that adapt {ADAPTIVE_START:g} of it; no other parameter was tuned to the record.",
    "The loop is open: the measured force is not fed back to the structure, so that all compensators have the same"
    " task. Whether a closed loop is stable with them is another question.",
)

NOTES = (
    "NRMS and peak: root mean square and largest value of measured minus target, over those of the target.",
    "Amplitude and delay: of measured against target by the frequency evaluation index (FEI), corr.: delay by"
    " cross-correlation; a delay above zero is late.",
    f"Noise: RMS in the command for white noise of {NOISE:g} mm RMS on the target or the measurement, over that RMS.",
    "`(dt)`, `(tau)`: the samples of the polynomial are one tick or one delay apart.",
    f"Every compensator knows the delay, those that adapt start from {ADAPTIVE_START:g} of it. Nothing is fed back to"
    " the structure: this is how well a given target is tracked, not whether a test is stable.",
)

FIGURE = (
    "Above, one line for each compensator: (a) error of tracking; (b) delay that is left, with those beyond the axis in"
    " numbers; (c) how much of the noise on the target (full) or on the measurement (open) comes out in the command."
    " Best is what lies to the left in (a) and (c) and on the line in (b). Below, a second around the peak of the"
    " target: (d, e) target and measurement without compensation; (f, g) what error is left with one compensator of"
    " each kind."
)


def conclusions(comparison: Comparison) -> list[str]:
    """Sentences about the numbers of this comparison."""
    found = [[row for row in comparison.of(plant) if not row.stopped] for plant in PLANTS]
    sentences = []
    for plant, rows in zip(PLANTS, found, strict=True):
        none = next((row for row in rows if row.case.name == "none"), None)
        others = [row for row in rows if row is not none]
        if none is None or not others:
            continue
        best = min(others, key=_error)
        text = (
            f"{plant.prose[0].upper()}{plant.prose[1:]}: a delay of {1000.0 * none.measures.delay_s:.1f} ms is an error"
            f" of {100.0 * _error(none):.1f} % of the target. {best.case.name} leaves the smallest, {_cost(best)}."
        )
        quiet = [row for row in others if row.measures.noise_target <= QUIET]
        if quiet and best not in quiet:
            text += (
                f" Of those that amplify noise up to {QUIET:g} times, the best is {min(quiet, key=_error).case.name}"
            )
            text += f": {_cost(min(quiet, key=_error))}."
        sentences.append(text)
    noisy = [row for rows in found for row in rows if row.measures.noise_target * NOISE >= comparison.peak_target]
    if noisy:
        names = ", ".join(dict.fromkeys(row.case.name for row in noisy))
        sentences.append(
            f"With noise of {NOISE:g} mm on the target the command of {names} would be more noise than motion: what"
            " tracks best in a simulation without noise may be of no use in a laboratory."
        )
    sentences.append(
        "Choose by noise first and by error then, and try the choice in the closed loop: tracking says nothing about"
        " stability."
    )
    return sentences


def _error(row: Row) -> float:
    return row.measures.nrms


def _cost(row: Row) -> str:
    gain = _factor(row.measures.noise_target)
    return f"{100.0 * _error(row):.2f} %, with {gain} times the noise of the target in the command"


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


def summary(comparison: Comparison) -> dict[str, Any]:
    """Rows and everything that is needed to compute them again."""
    first = comparison.lines[0].manifest
    return {
        "study": "compensators",
        "engine": first["engine"],
        "seed": comparison.seed,
        "dt_s": DT,
        "duration_s": comparison.duration,
        "record": comparison.record,
        "g_mm_s2": G_MM,
        "structure": {
            "period_s": PERIOD, "damping_ratio": DAMPING_RATIO, "damping": "viscous, c = 2 zeta sqrt(k m)",
            "integrator": "NEWMARK", "peak_target_mm": comparison.peak_target,
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
            {**row.numbers(), "blocks": row.blocks(), "program": row.manifest["program"], "stopped": row.stopped}
            for row in comparison.lines
        ],
        "manifest": first,
    }  # fmt: skip
