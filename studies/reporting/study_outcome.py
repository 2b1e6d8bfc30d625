"""Any Study as an Outcome: a table of its points, a picture of each measure, and what stands out.

The points of a study are values of some parameters; those that differ from point to point are swept. Each measure is
drawn against the first swept parameter, with a line for each combination of the others. Where that would be more than
seven lines, or where the points are in no order (random, Sobol), it is drawn as dots against each of them.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from hybsim.runtime import manifest
from hybsim.runtime.export import plain
from hybsim.studies import measures
from hybsim.studies.measures import Measure
from hybsim.studies.outcome import Outcome, Picture, Table
from hybsim.studies.reporting.study_figure import draw
from hybsim.studies.study import Study, StudyResult

ROUNDING = 1e-12
"""A deviation that is rounding and nothing else, over the mean."""

MOST_ROWS = 60
"""Points in the table for a reader; the csv file that --out writes has all."""


def outcome(
    study: Study, result: StudyResult, *, name: str, title: str | None = None, introduction: Sequence[str] = ()
) -> Outcome:  # fmt: skip
    """What a study found, with words made from its numbers alone."""
    count, seeds = result.ticks.shape
    about = f"{_count(count, 'point')}" + (f", {seeds} seeds each" if seeds > 1 else "")
    parameters = swept(study, result)
    return Outcome(
        title=title or f"Study of the diagram `{study.program.graph.name}`: {about}",
        introduction=introduction or [_introduction(study, result, parameters)],
        conclusions=[*(_extremes(result, parameters, measure) for measure in study.measures), *_stopped(result)],
        tables=[_table(result, parameters)],
        pictures=[
            Picture(
                f"{name}_{re.sub(r'[^A-Za-z0-9_-]', '_', measure)}",
                f"`{measure}` against {', '.join(f'`{parameter}`' for parameter in parameters)}",
                _explanation(study, result, parameters, measure),
                partial(draw, result, parameters, measure, label(study, measure)),
            )
            for measure in study.measures
            if parameters
        ],
        notes=_notes(result),
        data={name: result.rows(), **({f"{name}_runs": runs(result)} if seeds > 1 else {})},
        summary=_summary(study, result, name, parameters),
    )


def swept(study: Study, result: StudyResult) -> dict[str, list[Any]]:
    """The parameters that differ from point to point, with the value at each point."""
    names = dict.fromkeys(name for point in result.points for name in point)
    built = study.program.parameters
    columns = {name: [point.get(name, built[name]) for point in result.points] for name in names}
    return {name: values for name, values in columns.items() if any(str(v) != str(values[0]) for v in values)}


def runs(result: StudyResult) -> list[dict[str, Any]]:
    """One plain mapping for each run: parameters, seeds, measures."""
    return [
        {
            **point,
            **{seed: values[k] for seed, values in result.seeds.items()},
            **{measure: float(values[i, k]) for measure, values in result.values.items()},
            "stopped": bool(result.ticks[i, k] < result.all_ticks),
        }
        for i, point in enumerate(result.points)
        for k in range(result.ticks.shape[1])
    ]


def label(study: Study, measure: str) -> str:
    """The name of a measure with its unit, where that is known."""
    unit = _unit(study, study.measures[measure])
    return measure if unit is None else f"{measure} [{unit or '-'}]"


def _unit(study: Study, measure: Measure) -> str | None:
    if measure.vectors:
        return None  # a function of the user's own
    if measure.compares:
        return ""  # a ratio to the reference
    if len(measure.signals) > 1:
        return "ms"  # a delay
    units: dict[str, str] = getattr(study.program.bd, "units", {})
    signal = re.sub(r"\[\d+\]$", "", measure.signals[0])
    return units.get(study.program.signal(signal).name)


# ---- words


def _introduction(study: Study, result: StudyResult, parameters: dict[str, list[Any]]) -> str:
    count, seeds = result.ticks.shape
    text = (
        f"The diagram `{study.program.graph.name}` is run for {study.duration:g} s at {_count(count, 'point')} of"
        f" {', '.join(f'`{name}`' for name in parameters) or 'no parameter'}"
    )
    if seeds > 1:
        text += f", {seeds} times each with other values of {', '.join(f'`{seed}`' for seed in result.seeds)}"
    if study.reference is not None:
        chosen = ", ".join(f"`{name}` = {_value(value)}" for name, value in study.reference.items())
        text += f". Each run is compared with a reference run{f' with {chosen}' if chosen else ''}"
    return f"{text}."


def _explanation(study: Study, result: StudyResult, parameters: dict[str, list[Any]], measure: str) -> str:
    seeds = result.ticks.shape[1]
    said = [f"`{measure}`: {_kind(study.measures[measure])}."]
    for name in parameters:
        prose = _prose(study, name)
        if prose:
            said.append(f"`{name}`: {prose}.")
    if seeds > 1:
        said.append(f"Shown are mean and standard deviation over {seeds} seeds.")
    if result.stopped.any():
        said.append("A cross at the upper edge is a point at which a run stopped early.")
    return " ".join(said)


def _prose(study: Study, name: str) -> str:
    """What a parameter is, as its block declares it."""
    from hybsim.blocks import CATALOGUE

    block, _, key = name.rpartition(".")
    kind = study.program.described[block]["type"]
    declared = {cls.__name__: cls for cls in CATALOGUE.values()}
    if kind not in declared or key not in declared[kind].params:
        return ""
    return str(declared[kind].params[key].prose).rstrip(".")


def _kind(measure: Measure) -> str:
    """What a measure is, in the words of its own documentation."""
    made = measure.settings[-1] if measure.vectors else getattr(measures, measure.function.__name__.strip("_"))
    said = inspect.getdoc(made) or str(getattr(made, "__name__", "a function"))
    text = re.sub(r" \(see [^)]*\)", "", said.splitlines()[0].rstrip("."))
    return f"{text[0].lower()}{text[1:]}; of {', '.join(f'`{signal}`' for signal in measure.signals)}"


def _extremes(result: StudyResult, parameters: dict[str, list[Any]], measure: str) -> str:
    mean, std = result.mean[measure], result.std[measure]
    known = np.flatnonzero(np.isfinite(mean))
    if not known.size:
        return f"`{measure}` has no finite value at any point."
    least, most = mean[known].min(), mean[known].max()
    if least == most:
        return f"`{measure}` is {least:.4g} at every point."
    text = (
        f"`{measure}` is smallest, {least:.4g}, at {_at(parameters, np.flatnonzero(mean == least))}, and largest,"
        f" {most:.4g}, at {_at(parameters, np.flatnonzero(mean == most))}."
    )
    if np.isfinite(std).any():
        widest = np.nanmax(std)
        text += f" From seed to seed it differs by up to {widest:.2g} (standard deviation, at"
        text += f" {_at(parameters, np.flatnonzero(std == widest))})."
    return text


def _at(parameters: dict[str, list[Any]], points: np.ndarray) -> str:
    if points.size > 1:
        return f"{points.size} points"
    return ", ".join(f"`{name}` = {_value(values[points[0]])}" for name, values in parameters.items())


def _stopped(result: StudyResult) -> list[str]:
    points = int((result.stopped > 0).sum())
    if not points:
        return []
    total = int(result.stopped.sum())
    return [
        f"{total} of {_count(result.ticks.size, 'run')} stopped early, at {points} of"
        f" {_count(len(result.points), 'point')}: there the test would have been lost."
    ]


def _notes(result: StudyResult) -> list[str]:
    notes = []
    if result.ticks.shape[1] > 1:
        notes.append(f"Mean ± standard deviation (n - 1) over {result.ticks.shape[1]} seeds.")
    if result.stopped.any():
        notes.append("A run that stops early has no measures, and a point with such a run no mean, but for `bounded`.")
    return notes


# ---- numbers


def _table(result: StudyResult, parameters: dict[str, list[Any]]) -> Table:
    mean, std, count = result.mean, result.std, len(result.points)
    several, stopped = result.ticks.shape[1] > 1, result.stopped
    shown = range(min(count, MOST_ROWS))
    headings = ["point", *parameters, *result.values, *(["stopped"] if stopped.any() else [])]
    rows = [
        [
            str(i + 1),
            *(_value(values[i]) for values in parameters.values()),
            *(_spread(mean[m][i], std[m][i]) if several else _value(float(mean[m][i])) for m in result.values),
            *([f"{stopped[i]} of {result.ticks.shape[1]}"] if stopped.any() else []),
        ]
        for i in shown
    ]
    explanation = (
        f"The first {MOST_ROWS} of {count}; the csv file that --out writes has all." if count > MOST_ROWS else ""
    )
    return Table("Points", headings, rows, explanation)


def _spread(mean: float, std: float) -> str:
    """Mean and deviation with the digits that the deviation leaves certain."""
    if not (math.isfinite(mean) and math.isfinite(std)) or std <= ROUNDING * abs(mean):
        return _value(float(mean)) + (" ± 0" if math.isfinite(mean) and std == std else "")
    digits = 1 - math.floor(math.log10(std))
    if not 0 <= digits <= 6:
        return f"{_value(float(mean))} ± {std:.2g}"
    return f"{mean:.{digits}f} ± {std:.{digits}f}"


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if math.isfinite(value) else "–"
    text = str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _summary(study: Study, result: StudyResult, name: str, parameters: dict[str, list[Any]]) -> dict[str, Any]:
    engine = "c" if study.program.compiler_problem is None else "python"
    return {
        "study": name,
        "engine": engine,
        "dt_s": study.program.dt,
        "duration_s": study.duration,
        "parameters": list(parameters),
        "points": len(result.points),
        "runs": int(result.ticks.size),
        "stopped": int(result.stopped.sum()),
        "seeds": manifest.plain(result.seeds),
        "reference": manifest.plain(study.reference),
        "measures": {measure: _kind(made).replace("`", "") for measure, made in study.measures.items()},
        "rows": plain(result.rows()),
        "manifest": manifest.describe(study.program, {}, engine),
    }
