"""The two-degree-of-freedom test of the Fast Hybrid Test system: Table 2, Fig. 8, and what each compensation does.

Shing, Wei, Jung, Stauffer (2004). An exact solution, a run with ideal actuators and runs with a model of the actuators
stand side by side, at 1000 Hz and at 1024 Hz, with feedforward, with feedback of the tracking error, and with both.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from hybsim.diagrams.fht_column import (
    ACTUATOR_DAMPING,
    ACTUATOR_LAG,
    CUTOFF,
    DIGITAL_DELAY,
    ITERATIONS,
    MASS,
    PGA,
    STIFFNESS,
    G,
    modal_damping,
    modes,
)
from hybsim.studies.fht import column_pictures as pictures
from hybsim.studies.fht import column_words as words
from hybsim.studies.fht.column_runs import (
    DAMPED_IDEAL,
    DAMPED_TEST,
    DAMPING,
    DURATION,
    FEEDFORWARD,
    IDEAL,
    RATES,
    SPECIMEN_DAMPING,
    STROKE,
    Found,
    Run,
    simulate,
)
from hybsim.studies.fht.column_stability import Stability, stability
from hybsim.studies.outcome import Picture, Progress, Settings, Table

PRINTED = (2.1, 11.8)
"""Frequencies of Table 2 in Hz."""


def section(settings: Settings, progress: Progress) -> tuple[list[Table], list[Picture], list[str], dict[str, Any]]:
    """Tables, pictures, notes and the summary of this part."""
    found = simulate(lambda share: progress(0.45 * share))
    area = stability(lambda share: progress(0.45 + 0.55 * share))
    tables = [properties_table(), *(response_table(found, rate) for rate in RATES), damping_table(found),
              edge_table(area)]  # fmt: skip
    drawn = [
        Picture("column_response", "The column: exact, ideal and with actuators (Fig. 8)", words.RESPONSE_FIGURE,
                partial(pictures.responses, found)),
        Picture("column_compensation", "The column: what each compensation leaves, and tests that fail",
                words.COMPENSATION_FIGURE, partial(pictures.compensation, found)),
        Picture("column_stability", "The column: where lambda is stable", words.STABLE_FIGURE,
                partial(pictures.stable_area, area)),
    ]  # fmt: skip
    return tables, drawn, words.notes(found, area), summary(found, area)


def properties_table() -> Table:
    """Table 2, and what it says of delays."""
    columns = ("mode", "frequency\n[Hz]", "Table 2\n[Hz]", "storey 2 over\nstorey 1", "delay that takes up\n4 % [ms]")
    omegas, shapes = modes()
    rows = [
        (
            f"mode {i + 1}", f"{omega / (2.0 * math.pi):.3f}", f"{PRINTED[i]:.1f}",
            f"{shapes[1, i] / shapes[0, i]:.3f}", f"{2000.0 * DAMPING / omega:.2f}",
        )
        for i, omega in enumerate(omegas)
    ]  # fmt: skip
    return Table("The column: frequencies of Table 2", columns, rows, words.PROPERTIES_TABLE)


def difference(run: Run, other: Run) -> np.ndarray:
    """Rms of the difference of two runs over the rms of the other, both storeys."""
    ratio: np.ndarray = np.sqrt(((run.disp - other.disp) ** 2).mean(axis=0) / (other.disp**2).mean(axis=0))
    return ratio


def of_ideal(found: Found, run: Run) -> np.ndarray:
    damped = run.variant.total_damping > DAMPING
    return difference(run, found.of(DAMPED_IDEAL if damped else IDEAL, run.rate))


def line(found: Found, run: Run, name: str) -> tuple[str, ...]:
    """A run as a row of a table."""
    if run.left_stroke is not None:
        return name, f"unstable, {run.left_stroke:.2f} s", *["-"] * 6
    return (
        name, *(f"{value:.3f}" for value in run.peak), *(f"{100.0 * value:.2f}" for value in run.error),
        *(f"{100.0 * value:.2f}" for value in of_ideal(found, run)), f"{round(run.delay_ms[1], 2) + 0.0:.2f}",
    )  # fmt: skip


COLUMNS = ("run", "peak 1\n[in]", "peak 2\n[in]", "error 1\n[%]", "error 2\n[%]", "to ideal\n1 [%]",
           "to ideal\n2 [%]", "delay\n[ms]")  # fmt: skip


def exact_line(run: Run, name: str) -> tuple[str, ...]:
    return name, *(f"{value:.3f}" for value in np.abs(run.exact).max(axis=0)), *["-"] * 5


def response_table(found: Found, rate: str) -> Table:
    """Peaks and errors of all runs with 4 % of damping at one rate."""
    rows = [exact_line(found.of(IDEAL, rate), "exact")]
    runs = [run for run in found.runs if run.rate == rate and run.variant.total_damping == DAMPING]
    rows += [line(found, run, run.variant.prose) for run in runs]
    title = f"The column with 4 % of damping, controller at {rate}, step {1000.0 * RATES[rate][1]:.4g} ms"
    return Table(title, COLUMNS, rows, words.RESPONSE_TABLE if rate == "1000 Hz" else "")


def damping_table(found: Found) -> Table:
    """4 % and 6 %."""
    rows = []
    for rate in RATES:
        rows += [
            exact_line(found.of(IDEAL, rate), f"{rate}: exact, 4 %"),
            line(found, found.of(FEEDFORWARD, rate), f"{rate}: feedforward, 4 %"),
            exact_line(found.of(DAMPED_IDEAL, rate), f"{rate}: exact, 6 %"),
            line(found, found.of(DAMPED_IDEAL, rate), f"{rate}: ideal, 4 % + 2 %"),
            line(found, found.of(DAMPED_TEST, rate), f"{rate}: feedforward, 4 % + 2 %"),
        ]
    return Table("The column: 4 % in the test, 6 % in the exact solution (Fig. 8)", COLUMNS, rows, words.DAMPING_TABLE)


def edge_table(area: Stability) -> Table:
    """Stable lambdas of every rig."""
    rows = []
    for row in area.rows():
        if row["assumed_lag_s"] is not None:
            name = f"feedforward for {1000.0 * row['assumed_lag_s']:g} ms (lag 10 ms)"
        elif row["rig"] == "pure delay":
            name = f"pure delay of {1000.0 * row['lag_s']:g} ms"
        else:
            name = row["rig"]
        stable = ", ".join(f"{low:.3g} to {high:.3g}" for low, high in row["stable_lambda"]) or "none"
        growths = (row["growth_without_feedback"], row["growth_at_lambda_1"])
        rows.append((name, *(f"{growth:+.2f}" for growth in growths), stable))
    columns = ("rig", "growth without\nfeedback [1/s]", "growth with\nlambda = 1 [1/s]", "stable lambda")
    return Table("The column: the edge of stability in lambda", columns, rows, words.EDGE_TABLE)


def summary(found: Found, area: Stability) -> dict[str, Any]:
    """The rows and everything that is needed to compute them again."""
    omegas, _ = modes()
    rows = []
    for run in found.runs:
        apart = [None, None] if run.left_stroke is not None else of_ideal(found, run).tolist()
        rows.append({**run.row(), "against_ideal_1": apart[0], "against_ideal_2": apart[1]})
    exact = [
        {"damping": run.variant.total_damping, "rate_hz": RATES[rate][0],
         **{f"peak_disp_{i + 1}": float(np.abs(run.exact[:, i]).max()) for i in (0, 1)}}
        for rate in RATES for run in (found.of(IDEAL, rate), found.of(DAMPED_IDEAL, rate))
    ]  # fmt: skip
    shown = {"exact_4": found.of(IDEAL).exact, "exact_6": found.of(DAMPED_TEST).exact, "ideal": found.of(IDEAL).disp,
             "feedforward": found.of(FEEDFORWARD).disp, "damped_specimen": found.of(DAMPED_TEST).disp}  # fmt: skip
    return {
        "rows": rows,
        "exact": exact,
        "stability": area.rows(),
        "histories": [
            {"t": float(t), **{f"{name}_{i + 1}": float(disp[k, i]) for name, disp in shown.items() for i in (0, 1)}}
            for k, t in enumerate(found.of(IDEAL).t)
        ],
        "conclusions": words.conclusions(found, area),
        "errata": [words.ERRATUM],
        "refused": {"rate_hz": 1024.0, "step_s": 0.01, "message": words.refusal()},
        "structure": {
            "stiffness_kip_in": STIFFNESS.tolist(), "mass_kip_s2_in": MASS.tolist(),
            "frequencies_hz": (omegas / (2.0 * math.pi)).tolist(), "frequencies_printed_hz": list(PRINTED),
            "damping": f"modal, {DAMPING:g} in both modes; runs with a damped specimen have {SPECIMEN_DAMPING:g} more"
            " there, in the measured force",
            "damping_kip_s_in": modal_damping(DAMPING).tolist(),
        },
        "record": {"name": found.record.name, "sha256": found.record.sha256, "pga_g": PGA,
                   "pga_of_the_file_g": found.record.pga, "dt_s": found.record.dt, "interpolation": "linear",
                   "source": found.record.source},
        "g_in_s2": G,
        "integrator": {"method": "alpha-method of FHT", "alpha": 0.0, "iterations": ITERATIONS,
                       "rates": {name: {"rate_hz": hz, "step_s": step} for name, (hz, step) in RATES.items()}},
        "actuator": {"lag_s": ACTUATOR_LAG, "damping_ratio": ACTUATOR_DAMPING,
                     "digital_delay_s": DIGITAL_DELAY, "feedforward_cutoff_hz": CUTOFF, "stroke_in": STROKE,
                     "basis": "assumed, within what the paper says in words"},
        "duration_s": DURATION,
        "seed": "none: nothing is random",
        "delay_estimator": "least squares of attained against computed displacement at the steps",
        "manifests": found.manifests,
    }  # fmt: skip
