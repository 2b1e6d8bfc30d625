"""The worked example of EERC Sec. 8.4.2: from a tolerance on eps_max to a threshold of HSEI_I, and its alarm in a run.

EERC reads the threshold from the values at the end of simulations (Fig. 8-11) and suggests to pause a test when HSEI_I
passes it. Here it is derived with its spread, a monitor in the diagram trips on it, and the trips are compared with the
moments at which the error, known only in a simulation, passes the tolerance (`threshold_runs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from hybsim.diagrams.eerc_chapter3 import G
from hybsim.diagrams.eerc_chapter8 import DT
from hybsim.runtime import manifest
from hybsim.runtime.export import plain
from hybsim.studies.eerc import threshold_figures as figures
from hybsim.studies.eerc.chapter8_words import MODEL_NAMES
from hybsim.studies.eerc.threshold_runs import EERC, LAGS, WARNED, Derived, Monitored, Trip, derive, monitor, trips
from hybsim.studies.outcome import Outcome, Picture, Progress, Settings, Table

KINDS = {"threshold": "threshold", "warning": "warning level", "EERC": "EERC, Case 5"}


def run(settings: Settings, progress: Progress) -> Outcome:
    """The threshold of both models of a case, the monitor at three levels, and one run that trips."""
    derived = derive(settings, lambda share: progress(0.4 * share))
    asked = [(one, kind, level) for one in derived for kind, level in one.levels.items()]
    monitored = []
    for number, (one, kind, level) in enumerate(asked, 1):
        monitored.append(monitor(one, kind, level, settings.jobs))
        progress(0.4 + 0.6 * number / len(asked))
    shown = [trip for one in derived for trip in trips(one)]
    case, tolerance = derived[0].case, derived[0].tolerance
    rows = {
        "thresholds": [plain(one.row()) for one in derived],
        "levels": [plain(one.row()) for one in monitored],
        "trips": [plain(one.row()) for one in shown],
    }
    return Outcome(
        title=f"A threshold of HSEI_I for an error of {100.0 * tolerance:g} %: Case {case.number}, {case.prose}",
        summary={
            **conventions(settings, derived),
            "rows": rows["thresholds"],
            "levels": rows["levels"],
            "trips": rows["trips"],
        },
        tables=[threshold_table(derived), level_table(monitored), trip_table(shown)],
        pictures=list(pictures(derived, shown)),
        data={**rows, "runs": [row for one in derived for row in one.runs()]},
        introduction=introduction(tolerance),
        notes=NOTES,
        conclusions=conclusions(derived, monitored),
    )


def threshold_table(derived: Sequence[Derived]) -> Table:
    headings = ("model", "HSEI_I\nthreshold", "standard\ndeviation", "lowest", "highest", "seeds", "lag there\n[ms]",
                "warning\nlevel")  # fmt: skip
    rows = []
    for one in derived:
        row = one.row()
        numbers = [row[name] for name in ("threshold", "threshold_std", "threshold_min", "threshold_max")]
        seeds = f"{row['seeds_with_threshold']} of {row['seeds']}"
        rows.append(
            (MODEL_NAMES[one.model], *map(number, numbers), seeds, number(one.lag_ms, 2), number(one.warning)),
        )
    return Table(
        f"Threshold of HSEI_I for eps_max = {derived[0].tolerance:g}", headings, rows,
        "HSEI_I at the end of the record where eps_max first passes the tolerance, over the seeds; EERC has -0.1"
        f" (Case 5, 10 %). Warning level: the lowest level that is passed in time in {100.0 * WARNED:g} % of the runs"
        " that go wrong.",
    )  # fmt: skip


def level_table(monitored: Sequence[Monitored]) -> Table:
    headings = ("model, level", "HSEI_I", "in time\n[%]", "late\n[%]", "missed\n[%]", "false\n[%]",
                "median\nlead [s]", "error at\ntrip [%]")  # fmt: skip
    rows = []
    for one in monitored:
        row = one.row()
        shares = [percent(row[name], 0) for name in ("in_time", "late", "missed", "false_alarms")]
        rows.append((
            f"{MODEL_NAMES[one.derived.model]}, {KINDS[one.kind]}", number(one.level), *shares,
            number(row["median_lead_s"], 2), percent(row["median_error_at_trip"], 1),
        ))  # fmt: skip
    return Table(
        "What an alarm at each level is worth", headings, rows,
        "In time, late, missed: share of the runs whose error passes the tolerance. False: share of the others that"
        " trip. Lead: from the trip to the moment at which the error passes the tolerance, negative if the trip is"
        " late.",
    )  # fmt: skip


def trip_table(shown: Sequence[Trip]) -> Table:
    headings = ("run, level", "HSEI_I", "trips at\n[s]", "largest error\nso far [%]", "error passes\nat [s]",
                "lead\n[s]", "eps_max\n[%]")  # fmt: skip
    rows = []
    for one in shown:
        row = one.row()
        rows.append((
            f"{MODEL_NAMES[one.derived.model]}, {row['lag_ms']:g} ms, {KINDS[one.kind]}", number(one.level),
            number(one.trip_time, 2), percent(one.error_at_trip, 1), number(one.error_time, 2),
            number(row["lead_s"], 2), percent(row["eps_max"], 1),
        ))  # fmt: skip
    return Table(
        "The monitor in one run of each model", headings, rows,
        "A lag half as long again as that at which the tolerance is passed (5 ms if there is none), with the first"
        " seed; the monitor latches.",
    )  # fmt: skip


def pictures(derived: Sequence[Derived], shown: Sequence[Trip]) -> Iterator[Picture]:
    yield Picture(
        "threshold", "From the tolerance to the threshold",
        "Each point is a run: its largest displacement error against HSEI_I at its end, for all lags and seeds. Where"
        " the error passes the tolerance (horizontal line) HSEI_I is the threshold; the band is its mean and one"
        " standard deviation over the seeds, the dashed line EERC's -0.1 for Case 5.",
        partial(figures.draw_thresholds, derived),
    )  # fmt: skip
    yield Picture(
        "monitor", "The monitor trips during a run",
        "Above the error of the displacement over the exact peak, which a laboratory cannot know, below HSEI_I, which"
        " it can. Vertical lines: where the monitor trips at each level. The alarm is in time if it comes before the"
        " error crosses the tolerance (black dot).",
        partial(figures.draw_trips, shown),
    )  # fmt: skip
    yield Picture(
        "levels", "What a level catches, and what it costs",
        "Full line: share of the runs with an error above the tolerance that are warned in time if the monitor is set"
        " to this level. Broken line: share of the other runs that trip as well. Lags between 0 and 10 ms, equally"
        " frequent.",
        partial(figures.draw_levels, derived),
    )  # fmt: skip


def introduction(tolerance: float) -> list[str]:
    return [
        f"A laboratory decides that displacements may be wrong by {100.0 * tolerance:g} % of the peak. The error"
        " itself is not known during a test; HSEI_I, the energy that the actuators' errors add over the energy of the"
        " ground motion and the strain energy at yielding, is. At which HSEI_I should the test be paused?",
        "EERC Sec. 8.4.2 simulates the test with lags of all sizes and takes the HSEI_I at the end of the run whose"
        " error just reaches the tolerance. Here this is done with many lags and seeds, and the alarm is put to the"
        " test: a monitor in the diagram trips on the level, and each trip is compared with the moment at which the"
        " error passes the tolerance.",
    ]


NOTES = (
    "Error: |u - u_exact| / max |u_exact|, u the displacement of the structure, of the roof in Case 5; its largest"
    " value is eps_max (EERC Eq. 8.7).",
    "The peak of the exact run is that of the whole record, so the error is measured as it is judged in the end.",
    "A run that left the range of numbers counts as one whose error passes the tolerance.",
)


def conclusions(derived: Sequence[Derived], monitored: Sequence[Monitored]) -> list[str]:
    told = [
        f"{one.threshold:.3f}{'' if one.deviation is None else f' +/- {one.deviation:.3f}'} ({MODEL_NAMES[one.model]})"
        for one in derived
        if one.threshold is not None
    ]
    tolerance = f"{100.0 * derived[0].tolerance:g} %"
    if not told:
        return [
            f"There is no threshold for a tolerance of {tolerance}: with lags up to {1000.0 * DT * LAGS[-1]:g} ms the"
            " error stays below it, or is above it without any lag."
        ]
    sentences = [f"For an error of {tolerance} the threshold of HSEI_I at the end of the test is {' and '.join(told)}."]
    few = [one for one in derived if one.known.size < one.crossings.shape[0]]
    if few:
        names = " and ".join(f"{one.known.size} of {one.crossings.shape[0]} {MODEL_NAMES[one.model]}" for one in few)
        sentences.append(
            f"Only {names} series have such a threshold; in the others the tolerance is passed without any lag, by"
            " random errors that the indicator does not see, or never."
        )
    by_kind = {kind: [one.row() for one in monitored if one.kind == kind] for kind in ("threshold", "warning")}
    in_time = [alarm_words(row) for row in by_kind["threshold"] if row["in_time"] is not None]
    if in_time:
        sentences.append(f"A monitor that trips on this threshold during the test warns in time {'; '.join(in_time)}.")
    earlier = [
        f"{row['level']:.3f} ({MODEL_NAMES[row['model']]}; {percent(row['false_alarms'], 0)} % false alarms)"
        for row in by_kind["warning"]
    ]
    if earlier:
        sentences.append(
            f"To be warned in time in {100.0 * WARNED:g} % of the runs that go wrong, set the alarm at"
            f" {' and '.join(earlier)}. A false alarm costs a pause and a look at the actuators; a late one may cost"
            " the specimen."
        )
    if any(row["in_time"] is not None and row["in_time"] < WARNED for row in by_kind["threshold"]):
        sentences.append(
            "HSEI_I reaches its last value at the end of the record, the error its largest before. So use two levels:"
            " the warning level to pause, and the threshold to judge the test when it is over."
        )
    sentences.append("All levels belong to this structure, this record and this tolerance.")
    return sentences


def alarm_words(row: Mapping[str, Any]) -> str:
    """How often a level warns in time, and by how much in the middle."""
    lead = row["median_lead_s"]
    when = "" if lead is None else f", in the median {abs(lead):.1f} s {'before' if lead > 0.0 else 'after'} the error"
    return f"in {percent(row['in_time'], 0)} % of the {MODEL_NAMES[row['model']]} runs that go wrong{when}"


def number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def percent(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{100.0 * value:.{digits}f}"


def conventions(settings: Settings, derived: Sequence[Derived]) -> dict[str, Any]:
    """Everything that is needed to compute the rows again."""
    first = derived[0]
    engine = "c" if first.program.compiler_problem is None else "python"
    return {
        "study": "threshold",
        "engine": engine,
        "case": first.case.number,
        "tolerance": first.tolerance,
        "seed": settings.seed,
        "seeds": first.result.seeds["noise.seed"],
        "variance": first.program.parameters["lag.variance"],
        "means": list(LAGS),
        "share_warned": WARNED,
        "eerc_threshold": EERC,
        "dt_s": DT,
        "duration_s": first.duration,
        "g_in_s2": G,
        "definitions": {
            "threshold": "HSEI_I at the end of the record, interpolated to the lag at which eps_max first passes the"
            " tolerance; mean over the seeds",
            "warning_level": "lowest level of HSEI_I passed no later than the error passes the tolerance, in"
            " share_warned of the runs whose error does",
            "lead_s": "time at which the error passes the tolerance minus time of the trip",
        },
        "structure": {
            "periods_s": (2.0 * np.pi / first.case.frequencies).tolist(),
            "mass": first.case.mass.tolist(), "damping": first.case.damping.tolist(),
            "stiffness": first.case.stiffness.tolist(), "damping_definition": "viscous, 5 % in every mode",
        },
        "manifests": {one.model: manifest.describe(one.program, {}, engine) for one in derived},
    }  # fmt: skip
