"""The study of EERC Chapter 8: what energy error indicators say about the errors of a hybrid simulation.

Five cases of Table 8-10, linear and elastic-plastic, with actuators that lag by 0 to 10 ms: 110 runs
(`chapter8_runs`), repeated over seeds for their spread, the stability limit from the amplification matrix
(`critical_lag`), and Figs. 8-3 to 8-11. How to derive a threshold is the study `threshold`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from hybsim.diagrams.eerc_chapter3 import G
from hybsim.diagrams.eerc_chapter8 import DAMPING_RATIO, DT, STIFFNESS, VARIANCE, YIELD_DISP
from hybsim.runtime import manifest
from hybsim.studies.eerc import chapter8_figures as figures
from hybsim.studies.eerc import chapter8_words as words
from hybsim.studies.eerc.chapter8_runs import BOUND, EXACT, MEANS, MEASURES, Found, simulate
from hybsim.studies.outcome import Outcome, Picture, Progress, Settings, Table

HISTORY_MEANS = (0.2, 1.0)
"""Of Figs. 8-3 and 8-4: 2 and 10 ms."""


def run(settings: Settings, progress: Progress) -> Outcome:
    """All runs of the cases asked for, with tables, figures and words."""
    found = simulate(settings, progress)
    pairs = [list(pair) for _, pair in groupby(found, key=lambda one: one.case.number)]
    rows = [row for one in found for row in one.rows()]
    repeats = [row for one in found for row in one.repeats()]
    return Outcome(
        title="EERC Chapter 8: energy error indicators and the errors of a hybrid simulation",
        summary={**conventions(settings, found), "repeats": repeats, "rows": rows},
        tables=[*map(case_table, pairs), overview(found), comparison(pairs)],
        pictures=[picture for pair in pairs for picture in pictures(pair, alone=len(pairs) == 1)],
        data={"rows": rows, "repeats": repeats},
        introduction=words.introduction(variance_of(settings)),
        notes=words.notes(found),
        conclusions=words.conclusions(pairs),
    )


def variance_of(settings: Settings) -> float:
    return VARIANCE if settings.variance is None else settings.variance


def pictures(pair: list[Found], *, alone: bool) -> Iterator[Picture]:
    """The figures of one case; histories and lags of Case 1, as in the document, or of the case asked for."""
    case = pair[0].case
    if alone or case.number == 1:
        numbers = ("8_3", "8_4", "8_5") if case.number == 1 else ()
        names = [f"fig_{number}" for number in numbers] or [
            *(f"case_{case.number}_histories_{1000.0 * DT * mean:g}_ms" for mean in HISTORY_MEANS),
            f"case_{case.number}_lags",
        ]
        for name, mean in zip(names, HISTORY_MEANS, strict=False):
            yield Picture(
                name, words.history_title(case, mean), words.history(pair, mean),
                partial(figures.draw_histories, pair, mean),
            )  # fmt: skip
        yield Picture(names[-1], words.lags_title(case), words.lags(pair), partial(figures.draw_lags, pair))
    yield Picture(
        f"fig_8_{case.number + 5}", words.measures_title(case), words.measures(pair),
        partial(figures.draw_measures, pair),
    )  # fmt: skip
    if case.number == 5:
        yield Picture("fig_8_11", words.ZOOM_TITLE, words.zoom(pair), partial(figures.draw_zoom, pair))


def case_table(pair: Sequence[Found]) -> Table:
    headings = ("model, mean lag", "delay\n[ms]", "HSEI_S\n[-]", "HSEI_I\n[-]", "eps_max\n[-]", "eps_rms\n[-]",
                "eps_enr\n[-]", "peak over\nexact", "eps_max of 20 seeds\nmean (st. dev.)")  # fmt: skip
    rows = []
    for found in pair:
        mean, std = found.mean["eps_max"], found.std["eps_max"]
        for i, (row, stable) in enumerate(zip(found.rows(), found.stable, strict=True)):
            rows.append((
                f"{words.MODEL_NAMES[found.model]}, {1000.0 * DT * row['mean']:g} ms{'' if stable else ': unstable'}",
                shown(row["delay_ms"], 2), *(shown(row[name]) for name in MEASURES[1:]), shown(row["peak_ratio"]),
                f"{shown(mean[i])} ({shown(std[i])})" if stable else "-",
            ))  # fmt: skip
    headings = (*headings[:-1], headings[-1].replace("20", str(pair[0].seeds)))
    return Table(f"Case {pair[0].case.number}: {pair[0].case.prose}", headings, rows, words.CASE_TABLE)


def overview(found: Sequence[Found]) -> Table:
    headings = ("case, model", "exact peak\n[in]", "critical\nlag [ms]", "unstable\nruns",
                "eps_max\n2 ms", "eps_max\n5 ms", "eps_max\n10 ms", "HSEI_I\n2 ms", "HSEI_I\n5 ms", "HSEI_I\n10 ms",
                )  # fmt: skip
    rows = []
    for one in found:
        at = [MEANS.index(mean) for mean in (0.2, 0.5, 1.0)]
        values = [
            shown(one.first(name)[i]) if one.stable[i] else "unstable" for name in ("eps_max", "hsei_i") for i in at
        ]
        rows.append((
            f"{one.case.number}, {words.MODEL_NAMES[one.model]}", f"{one.exact_peak:.3f}",
            shown(one.critical_lag_ms, 2), f"{np.sum(~one.stable)}", *values,
        ))  # fmt: skip
    return Table("All cases in short", headings, rows, words.OVERVIEW_TABLE)


def comparison(pairs: Sequence[Sequence[Found]]) -> Table:
    return Table(
        "Beside the document", ("what", "EERC", "found here"), list(words.compared(pairs)), words.COMPARISON_TABLE
    )


def shown(value: float | None, digits: int = 3) -> str:
    """A number as the tables print it; large ones with a power of ten, a dash where there is none."""
    if value is None or not np.isfinite(value):
        return "-"
    return f"{round(value, digits) + 0.0:.{digits}f}" if abs(value) < 1000.0 else f"{value:.1e}"


def conventions(settings: Settings, found: Sequence[Found]) -> dict[str, Any]:
    """Everything that is needed to compute the rows again."""
    engine = "c" if found[0].program.compiler_problem is None else "python"
    first = found[0].result
    return {
        "study": "ch8",
        "engine": engine,
        "seed": settings.seed,
        "seeds_of_repeats": first.seeds["noise.seed"],
        "variance": variance_of(settings),
        "means": list(MEANS),
        "dt_s": DT,
        "g_in_s2": G,
        "units": {"delay_ms": "ms", "critical_lag_ms": "ms", "force": "kip", "length": "in", "others": "-"},
        "structure": {
            "stiffness_kip_in": STIFFNESS, "yield_disp_in": YIELD_DISP, "damping_ratio": DAMPING_RATIO,
            "damping": "viscous; 1-DOF: c = 2 zeta sqrt(k m); 2-DOF: C = a_0 M + a_1 K with 5 % in both modes",
            "frame": "Case 5: equal floor masses, equal storey stiffnesses, yielding in drift, an actuator a storey",
            "integrator": "NEWMARK (explicit)",
        },
        "definitions": words.DEFINITIONS,
        "bound": BOUND,
        "exact_run": EXACT,
        "cases": [
            {
                "case": one.case.number, "model": one.model, "periods_s": (2.0 * np.pi / one.case.frequencies).tolist(),
                "mass": one.case.mass.tolist(), "damping": one.case.damping.tolist(),
                "stiffness": one.case.stiffness.tolist(), "duration_s": one.duration,
                "exact_peak_in": one.exact_peak,
                "critical_lag_ms": one.critical_lag_ms,
                "critical_lag_mean_square_ms": one.mean_square_lag_ms if one.linear else None,
                "manifest": manifest.describe(one.program, {}, engine),
            }
            for one in found
        ],
    }  # fmt: skip
