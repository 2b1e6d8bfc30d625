"""The study of EERC Chapter 3: what random noise and a lag of the actuator do to a hybrid simulation.

Seven runs (Figs. 3-2 to 3-9, `chapter3_runs`) and the frequency response of a structure whose restoring force is late
(Fig. 3-11, `delayed_response`), with the phase delay from which on it has none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from hybsim.diagrams.eerc_chapter3 import G
from hybsim.studies.eerc import chapter3_figures as figures
from hybsim.studies.eerc import chapter3_words as words
from hybsim.studies.eerc.chapter3_runs import (
    DAMPING_RATIO,
    DT,
    PERIOD,
    SNR_TOLERANCE,
    STIFFNESS,
    VARIANCE,
    YIELD_DISP,
    Run,
    described,
    finite,
    simulate,
)
from hybsim.studies.eerc.delayed_response import critical_phase_delay, effective_damping, frequency_response, resonance
from hybsim.studies.outcome import Outcome, Picture, Progress, Settings, Table

RESPONSE_DAMPING = 0.10
SMALL_DELAYS, LARGE_DELAYS = (0.0, 1.0, 2.0, 3.0, 5.0), (0.0, 5.0, 10.0, 15.0, 20.0, 30.0)
"""Phase delays of Fig. 3-11 in degrees."""


@dataclass(frozen=True)
class Delayed:
    """A structure with 10 % damping and a phase delay; it has a resonance only where it is stable."""

    phase_delay_deg: float
    stable: bool
    effective_damping: float
    resonance_ratio: float | None
    resonance_amplitude: float | None

    @property
    def phase_delay(self) -> float:
        return math.radians(self.phase_delay_deg)

    def amplitude(self, frequency_ratio: np.ndarray) -> np.ndarray:
        """Displacement over static displacement; refused where the structure is unstable."""
        return np.abs(frequency_response(frequency_ratio, damping_ratio=RESPONSE_DAMPING, phase_delay=self.phase_delay))


def run(settings: Settings, progress: Progress) -> Outcome:
    """The seven runs and the frequency response, with tables, figures and words."""
    with np.errstate(over="ignore", invalid="ignore"):  # the numbers of a run that is not bounded are not finite
        runs = simulate(settings, progress)
        delayed = [delayed_structure(degrees) for degrees in sorted({*SMALL_DELAYS, *LARGE_DELAYS})]
        critical_deg = math.degrees(critical_phase_delay(RESPONSE_DAMPING))
        return Outcome(
            title="EERC Chapter 3: random noise and lag in a hybrid simulation",
            summary=summary(settings, runs, delayed, critical_deg),
            tables=[noise_table(runs), lag_table(runs), delay_table(delayed, critical_deg)],
            pictures=list(pictures(runs, delayed, critical_deg)),
            data={
                "rows": [run.row() for run in runs],
                "histories": histories(runs),
                "frequency_response": responses(delayed),
            },
            introduction=words.introduction(),
            notes=words.notes(runs),
            conclusions=words.conclusions(runs, critical_deg),
        )


def delayed_structure(phase_delay_deg: float) -> Delayed:
    phase = math.radians(phase_delay_deg)
    stable = phase < critical_phase_delay(RESPONSE_DAMPING)
    ratio, amplitude = resonance(RESPONSE_DAMPING, phase) if stable else (None, None)
    return Delayed(phase_delay_deg, stable, effective_damping(RESPONSE_DAMPING, phase), ratio, amplitude)


def noise_table(runs: Sequence[Run]) -> Table:
    columns = ("noise", "SNR\nasked", "SNR", "p-p ratio\n[%]", "EERC\n[%]", "exact peak\n[in]", "peak\n[in]",
               "max error\n[%]", "energy added\n[% of input]")  # fmt: skip
    rows = [
        (
            f"{run.case.specimen}, Fig. {run.case.figure}", f"{run.case.snr:g}", shown(run.snr, 3),
            shown(run.pp_ratio, 2, 100.0), run.case.printed, shown(run.exact_peak, 4), shown(run.peak, 4),
            shown(run.max_error, 2, 100.0), shown(run.energy_added, 1, 100.0),
        )
        for run in runs if run.case.snr is not None
    ]  # fmt: skip
    return Table("Random noise in the measured force", columns, rows, words.NOISE_TABLE)


def lag_table(runs: Sequence[Run]) -> Table:
    columns = ("lag", "mean x dt\n[ms]", "delay\n[ms]", "st. error\n[ms]", "EERC\n[ms]", "exact peak\n[in]",
               "peak\n[in]", "max error\n[%]", "energy added\n[% of input]")  # fmt: skip
    rows = [
        (
            f"{run.case.specimen}, Fig. {run.case.figure}", f"{1000.0 * run.case.delay:g}", shown(run.delay_ms, 2),
            shown(run.delay_deviation_ms, 2), run.case.printed, shown(run.exact_peak, 4), shown(run.peak, 4),
            shown(run.max_error, 2, 100.0), shown(run.energy_added, 1, 100.0),
        )
        for run in runs if run.case.mean is not None
    ]  # fmt: skip
    return Table("Actuator that lags its command", columns, rows, words.LAG_TABLE)


def delay_table(delayed: Sequence[Delayed], critical_deg: float) -> Table:
    columns = ("phase delay", "of a 1 s period\n[ms]", "damping left\n[%]", "zeta - phi/2\n[%]", "resonance\nrho [-]",
               "amplitude\n[-]")  # fmt: skip
    rows = [
        (
            f"{one.phase_delay_deg:g} degrees{'' if one.stable else ', unstable'}",
            f"{1000.0 * one.phase_delay_deg / 360.0:.1f}", f"{100.0 * one.effective_damping:.2f}",
            f"{100.0 * (RESPONSE_DAMPING - 0.5 * one.phase_delay):.2f}", shown(one.resonance_ratio, 4),
            shown(one.resonance_amplitude, 2),
        )
        for one in delayed
    ]  # fmt: skip
    title = f"Delayed restoring force, {100.0 * RESPONSE_DAMPING:g} % damping: unstable from {critical_deg:.2f} degrees"
    return Table(title, columns, rows, words.DELAY_TABLE)


def shown(value: float | None, digits: int, factor: float = 1.0) -> str:
    """A number as the tables print it, a dash where there is none."""
    number = finite(value)
    return "-" if number is None else f"{round(factor * number, digits) + 0.0:.{digits}f}"


def pictures(runs: Sequence[Run], delayed: Sequence[Delayed], critical_deg: float) -> Iterator[Picture]:
    """In the order of the document."""
    noise = next(run for run in runs if run.case.snr is not None)
    lag = next(run for run in runs if run.case.mean is not None)
    for run in runs:
        if run is noise:
            yield Picture("fig_3_1", "EERC Fig. 3-1: noise in the force", words.FIG_3_1, noise.program.draw)
        if run is lag:
            yield Picture("fig_3_5", "EERC Fig. 3-5: lag of the actuator", words.FIG_3_5, lag.program.draw)
        name = f"fig_{run.case.figure.replace('-', '_')}"
        title = f"EERC Fig. {run.case.figure}: {words.name_of(run.case)}"
        yield Picture(name, title, words.explanation(run), partial(figures.draw_run, run))
    yield Picture(
        "fig_3_11", "EERC Fig. 3-11: frequency response with a delayed restoring force",
        words.response_explanation(delayed, critical_deg),
        partial(figures.draw_responses, delayed, SMALL_DELAYS, LARGE_DELAYS, critical_deg, RESPONSE_DAMPING),
    )  # fmt: skip


def histories(runs: Sequence[Run]) -> list[dict[str, float]]:
    """One row a tick: exact displacement, displacement, force and error of every run."""
    columns = {"t_s": runs[0].t}
    for run in runs:
        unit = "kip" if run.case.snr is not None else "in"
        columns[f"exact_{'linear' if run.case.specimen == 'linear' else 'ep'}_in"] = run.exact
        columns[f"{run.case.name}_disp_in"] = run.disp
        columns[f"{run.case.name}_force_kip"] = run.force
        columns[f"{run.case.name}_error_{unit}"] = run.error
    return [dict(zip(columns, row, strict=True)) for row in np.column_stack(list(columns.values())).tolist()]


def responses(delayed: Sequence[Delayed]) -> list[dict[str, float]]:
    """One row a frequency: the amplitude of every structure that has a response."""
    columns = {"frequency_ratio": figures.FREQUENCY_RATIOS}
    columns |= {
        f"phase_delay_{one.phase_delay_deg:g}_deg": one.amplitude(figures.FREQUENCY_RATIOS)
        for one in delayed if one.stable
    }  # fmt: skip
    return [dict(zip(columns, row, strict=True)) for row in np.column_stack(list(columns.values())).tolist()]


def summary(
    settings: Settings, runs: Sequence[Run], delayed: Sequence[Delayed], critical_deg: float
) -> dict[str, Any]:  # fmt: skip
    """Rows and everything that is needed to compute them again."""
    about = {run.case.name: described(run) for run in runs}
    first = about[runs[0].case.name]
    record = first["blocks"]["record"]
    return {
        "study": "ch3",
        "rows": [run.row() for run in runs],
        "critical_phase_delay_deg": critical_deg,
        "units": {"exact_peak": "in", "peak": "in", "snr": "", "pp_ratio": "", "effective_delay_ms": "ms",
                  "max_error": ""},
        "engine": first["engine"],
        "seed": settings.seed,
        "dt_s": DT,
        "duration_s": float(runs[0].t[-1]),
        "record": {name: record[name] for name in ("record", "sha256", "pga", "unit", "interpolation")},
        "g_in_s2": G,
        "structure": {
            "period_s": PERIOD, "damping_ratio": DAMPING_RATIO, "damping": "viscous, c = 2 zeta sqrt(k m)",
            "stiffness_kip_in": STIFFNESS, "mass_kip_s2_in": STIFFNESS * (PERIOD / (2.0 * math.pi)) ** 2,
            "yield_disp_in": YIELD_DISP, "integrator": "NEWMARK",
            "record_scale": {
                run.case.specimen: about[run.case.name]["blocks"]["record"]["scale"] / G for run in runs
            },
        },
        "lag_variance": VARIANCE if settings.variance is None else settings.variance,
        "definitions": words.DEFINITIONS,
        "snr_tolerance": SNR_TOLERANCE,
        "frequency_response": {"damping_ratio": RESPONSE_DAMPING, "phase_delays": [asdict(one) for one in delayed]},
        "runs": {
            run.case.name: {
                "figure": run.case.figure, "specimen": run.case.specimen, "parameters": dict(run.parameters),
                "eerc": run.case.printed, "energy_added": finite(run.energy_added),
                "delay_standard_error_ms": finite(run.delay_deviation_ms),
                "stopped": None if run.stopped is None else str(run.stopped),
                "blocks": about[run.case.name]["blocks"], "program": about[run.case.name]["program"],
            }
            for run in runs
        },
        "manifest": first,
    }  # fmt: skip
