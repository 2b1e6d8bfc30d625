"""The study of EERC Chapters 6 and 7: a two-storey frame with two specimens, simulated beside the laboratory's tests.

Three tests (cosine pulse, Tabas-50%, Tabas-150%), each with ideal actuators, with the lag that was measured, with
the prediction that was set, and with the lag that the energies of the tests speak of; energies as in Table 7-3 and
Figs. 7-8 to 7-10, displacement errors as in Table 7-1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from hybsim.diagrams.eerc_chapter6 import (
    BOUC_WEN,
    COMPUTE_TIME,
    DAMPING_RATIO,
    FLOOR_WEIGHT,
    K_COMP,
    LAG,
    STEP,
    TIME_SCALE,
    WORK,
    G,
    frame_matrices,
)
from hybsim.diagrams.eerc_chapter6 import STIFFNESS as STOREY_STIFFNESS
from hybsim.studies.eerc import frame_figures as figures
from hybsim.studies.eerc import frame_words as words
from hybsim.studies.eerc.frame_laboratory import STROKE, TESTS, LaboratoryTest, damping_time, residual_lag
from hybsim.studies.eerc.frame_runs import (
    IDEAL,
    LAGGING,
    LATE,
    LEFT_OVER,
    NOISE,
    PREDICTED,
    STIFFNESS,
    STRONGER,
    TICKS,
    VARIANTS,
    Found,
    Run,
    simulate,
)
from hybsim.studies.outcome import Outcome, Picture, Progress, Settings, Table


def run(settings: Settings, progress: Progress) -> Outcome:
    """All runs, beside what the document prints of the tests."""
    found = simulate(settings, progress)
    return Outcome(
        title="EERC Chapters 6 and 7: the two-storey shear frame, simulated beside the tests",
        summary=summary(settings, found),
        tables=[*(energy_table(found, test) for test in TESTS), error_table(found), peak_table(found)],
        pictures=list(pictures(found)),
        data={
            "rows": [found_run.row() for found_run in found.runs],
            "tests": laboratory_rows(),
            "residual_lag": lag_rows(found),
            **{f"{test.name}_histories": found.of(test, LATE).histories() for test in TESTS},
        },
        introduction=words.introduction(),
        notes=words.notes(found),
        conclusions=words.conclusions(found),
    )


def label(found_run: Run) -> str:
    """A run as the first column of a table names it."""
    text = "linear columns, ideal" if found_run.specimen == "linear" else found_run.variant.prose
    return text if found_run.input_factor == 1.0 else f"{text}, input x {found_run.input_factor:g}"


def energy_table(found: Found, test: LaboratoryTest) -> Table:
    """Table 7-3 for one test, with a line for each run."""
    lab = test.measured
    lines = [("the test (Table 7-3)", lab.error, lab.hysteretic, lab.viscous, lab.work_input)]
    lines += [
        (label(r), r.error, float(r.hysteretic[-1]), float(r.viscous[-1]), float(r.work_input[-1]))
        for r in found.runs
        if r.test is test
    ]
    columns = ("run", "energy error\n[kip in]", "energy error\n[% of input]", "hysteretic\n[kip in]",
               "viscous\n[kip in]", "input\n[kip in]")  # fmt: skip
    rows = [
        (name, _signed(error, 4), _signed(100.0 * error / total, 2), *map(_energy, (*parts, total)))
        for name, error, *parts, total in lines
    ]
    return Table(f"{test.title}: energies at the end", columns, rows, words.ENERGY_TABLE if test is TESTS[0] else "")


def error_table(found: Found) -> Table:
    """Table 7-1: displacement errors, largest values."""
    columns = ("test and run", "actuator 1\n[1/1000 of 3 in]", "actuator 2\n[1/1000 of 3 in]",
               "actuator 1\n[% of its peak]", "actuator 2\n[% of its peak]",
               "delay 1\n[ms]", "delay 2\n[ms]")  # fmt: skip
    rows = []
    for test in TESTS:
        lab = test.measured
        rows.append((
            f"{test.title}: the test", *(f"{1000.0 * value:.1f}" for value in lab.over_stroke),
            *(f"{100.0 * value:.2f}" for value in lab.over_peak), "-", "-",
        ))  # fmt: skip
        for variant in (LAGGING, PREDICTED, LATE):
            r = found.of(test, variant)
            rows.append((
                f"{test.title}: {variant.name}", *(f"{1000.0 * value / STROKE:.2f}" for value in r.disp_error),
                *(f"{100.0 * value:.2f}" for value in r.disp_error / r.peak), *(_signed(ms, 1) for ms in r.delays),
            ))  # fmt: skip
    return Table("Displacement errors of the actuators, largest values", columns, rows, words.ERROR_TABLE)


def peak_table(found: Found) -> Table:
    """Peaks of the actuators and the drift that remains."""
    columns = ("test and run", "peak of\nactuator 1 [in]", "peak of\nactuator 2 [in]", "last drift of\nstorey 1 [in]")
    rows = []
    for test in TESTS:
        peaks = [test.measured.peak(actuator) for actuator in (0, 1)]
        rows.append((
            f"{test.title}: the test", *(f"{at:.2f} ({low:.2f} to {high:.2f})" for at, low, high in peaks),
            "1.8 (local: 1.3)" if test.name == "tabas_150" else "-",
        ))  # fmt: skip
        for r in found.runs:
            if r.test is test and r.variant in (IDEAL, LAGGING):
                rows.append((f"{test.title}: {label(r)}", *(f"{value:.3f}" for value in r.peak),
                             _signed(float(r.drift[-1, 0]), 2)))  # fmt: skip
    return Table("Peaks at the actuators, and the drift that remains", columns, rows, words.PEAK_TABLE)


def _energy(value: float) -> str:
    return f"{value:.3f}" if value < 10.0 else f"{value:.2f}"


def _signed(value: float, decimals: int) -> str:
    return f"{round(value, decimals) + 0.0:+.{decimals}f}"  # a small negative number is not -0.0


def pictures(found: Found) -> Iterator[Picture]:
    yield Picture("response", "Drifts of the three tests, and what lag does to them (Figs. 6-5, 6-7, 6-9)",
                  words.RESPONSE_FIGURE, partial(figures.response, found))  # fmt: skip
    yield Picture("loops", "Storey shear against drift (Figs. 6-6, 6-8, 6-10, 7-7)", words.LOOPS_FIGURE,
                  partial(figures.loops, found))  # fmt: skip
    for test in TESTS:
        yield Picture(
            f"energy_{test.name}", f"{test.title}: energy errors and total energy (Fig. {test.figure})",
            words.ENERGY_FIGURE, partial(figures.energies, found, test),
        )  # fmt: skip
    yield Picture("displacement_error", "Displacement errors of the actuators (Figs. 7-1 to 7-3)", words.ERROR_FIGURE,
                  partial(figures.displacement_errors, found))  # fmt: skip
    yield Picture("residual_lag", "The lag that prediction left over, read from energies", words.LAG_FIGURE,
                  partial(figures.residual_lag_picture, found))  # fmt: skip


def laboratory_rows() -> list[dict[str, Any]]:
    """Tables 7-1 and 7-3 of the document, and what follows from them."""
    rows = []
    for test in TESTS:
        lab = test.measured
        peaks = {
            f"peak_disp_{i + 1}{end}": value
            for i in (0, 1)
            for end, value in zip(("", "_least", "_most"), lab.peak(i), strict=True)
        }
        rows.append(
            {
                "test": test.name, "e_error": lab.error, "e_hysteretic": lab.hysteretic, "e_viscous": lab.viscous,
                "e_input": lab.work_input, "disp_error_1_over_stroke": lab.over_stroke[0],
                "disp_error_2_over_stroke": lab.over_stroke[1], "disp_error_1_over_peak": lab.over_peak[0],
                "disp_error_2_over_peak": lab.over_peak[1], **peaks, "lag_by_energy_ms": 1000.0 * lab.residual_lag,
            }
        )  # fmt: skip
    return rows


def lag_rows(found: Found) -> list[dict[str, Any]]:
    return [
        {
            "lag_beyond_prediction_ms": 1000.0 * seconds,
            "theory": -seconds / TIME_SCALE / damping_time(),
            **{name: float(ratios[i]) for name, ratios in found.ratios.items()},
        }
        for i, seconds in enumerate(LEFT_OVER)
    ]


def summary(settings: Settings, found: Found) -> dict[str, Any]:
    """The rows and everything that is needed to compute them again."""
    mass, damping, stiffness = frame_matrices()
    omega = np.sqrt(np.linalg.eigvalsh(np.linalg.solve(mass, stiffness)))
    return {
        "study": "frame",
        "rows": [r.row() for r in found.runs],
        "tests": laboratory_rows(),
        "residual_lag": lag_rows(found),
        "residual_lag_ms": 1000.0 * residual_lag(),
        "seed": settings.seed,
        "records": {name: about["blocks"]["record"] for name, about in found.manifests.items()},
        "g_in_s2": G,
        "dt_s": STEP,
        "durations_s": {test.name: test.duration for test in TESTS},
        "structure": {
            "floor_weight_kip": FLOOR_WEIGHT, "mass_kip_s2_in": mass.tolist(),
            "storey_stiffness_kip_in": STOREY_STIFFNESS, "stiffness_kip_in": stiffness.tolist(),
            "periods_s": (2.0 * math.pi / omega).tolist(), "damping_ratio": DAMPING_RATIO,
            "damping": "proportional to the design stiffness, C = (2 zeta / omega_1) K, 5 % in mode 1",
            "damping_kip_s_in": damping.tolist(), "integrator": "Newmark's explicit method",
        },
        "specimens": {
            "stiffness_kip_in": list(STIFFNESS), "first_storey": {"model": "Bouc-Wen, Table 7-2", **BOUC_WEN},
            "second_storey": "linear", "linear_runs_kip_in": {t.name: list(t.linear) for t in TESTS if t.linear},
        },
        "actuators": {
            "lag_s": list(LAG), "k_comp_s": list(K_COMP), "time_scale": TIME_SCALE, "compute_time_s": COMPUTE_TIME,
            "ticks_per_step": TICKS, "lag_model": "pure delay; times in the laboratory are 120 times the model's",
            "noise_in": {v.name: v.noise for v in VARIANTS}, "noise": "white, normal, on what the monitors measure",
        },
        "work_in_structure_over_work_at_actuators": WORK,
        "input_factor_tried": STRONGER,
        "transducer_noise_in": NOISE,
        "delay_estimators": {
            "delay_1_ms, delay_2_ms": "least squares of measured against command displacement, times 120",
            "lag_by_energy_ms": "-120 (E^error / E^vis) 2 zeta / omega_1",
        },
        "units": {"e_*": "kip in", "peak_disp_*": "in, at the actuator", "disp_error_*": "in, at the actuator",
                  "final_drift_1": "in, of the storey", "*_ms": "ms in the laboratory"},
        "manifests": found.manifests,
    }  # fmt: skip
