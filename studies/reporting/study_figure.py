"""One measure of a study against the parameters that were swept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.runtime.export import COLOURS, PAPER, paper_figure
from hybsim.studies.study import StudyResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LINES = 7
MOST_PANELS, PANELS_A_ROW = 6, 3
MARKERS = "osD^vPX"

WIDE_RANGE = 1000.0
"""Largest over smallest value from which on an axis is logarithmic."""

STYLE: Any = {
    **PAPER, "font.size": 9.0, "axes.labelsize": 9.0, "axes.titlesize": 9.5, "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0, "legend.fontsize": 8.0, "lines.linewidth": 1.1, "mathtext.fontset": "stix",
}  # fmt: skip


def draw(result: StudyResult, parameters: dict[str, list[Any]], measure: str, label: str) -> Figure:
    """A panel with lines, or a panel with dots for each parameter."""
    from matplotlib import rc_context

    lines = groups(parameters)
    with rc_context(STYLE):
        figure = _with_dots(result, parameters, measure) if lines is None else _with_lines(
            result, parameters, measure, lines
        )  # fmt: skip
        for area in figure.axes:
            _scale(area, result.mean[measure])
        for area in figure.axes[::PANELS_A_ROW]:
            area.set_ylabel(label)
    return figure


def groups(parameters: dict[str, list[Any]]) -> dict[str, list[int]] | None:
    """The points of each line by what it is called, or None where lines would not help."""
    first, *others = parameters
    found: dict[str, list[int]] = {}
    for i in range(len(parameters[first])):
        found.setdefault(", ".join(f"{name} = {_text(parameters[name][i])}" for name in others), []).append(i)
    if len(found) > MOST_LINES:
        return None
    for points in found.values():
        x = [parameters[first][i] for i in points]
        if all(map(_is_number, x)) and len(x) > 2 and not (np.all(np.diff(x) > 0.0) or np.all(np.diff(x) < 0.0)):
            return None
    return found


def _with_lines(
    result: StudyResult, parameters: dict[str, list[Any]], measure: str, lines: dict[str, list[int]]
) -> Figure:  # fmt: skip
    figure = paper_figure()(figsize=(5.6, 3.8), layout="constrained")
    area = figure.subplots()
    first = next(iter(parameters))
    places, ticks = _places(parameters[first])
    mean, std = result.mean[measure], result.std[measure]
    for number, (name, points) in enumerate(lines.items()):
        look: Any = dict(
            color=COLOURS[number], marker=MARKERS[number], markersize=4.0, label=name or None,
            linestyle="-" if ticks is None else "none",
        )  # fmt: skip
        if np.isfinite(std[points]).any():
            area.errorbar(places[points], mean[points], std[points], capsize=2.5, elinewidth=0.8, **look)
        else:
            area.plot(places[points], mean[points], **look)
    _crosses(area, result, places)
    area.set_xlabel(first)
    if ticks is not None:
        area.set_xticks(range(len(ticks)), ticks)
        area.margins(x=0.15)
    if len(lines) > 1:
        area.legend(frameon=False)
    return figure


def _with_dots(result: StudyResult, parameters: dict[str, list[Any]], measure: str) -> Figure:
    names = list(parameters)[:MOST_PANELS]
    columns = min(len(names), PANELS_A_ROW)
    rows = -(-len(names) // columns)
    size = (5.6, 3.8) if columns == 1 else (7.2, 0.4 + 2.6 * rows)
    figure = paper_figure()(figsize=size, layout="constrained")
    areas = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
    for spare in areas[len(names) :]:
        spare.remove()
    for area, name, letter in zip(areas, names, "abcdef", strict=False):
        _dots(area, result, parameters[name], measure)
        area.set_xlabel(name)
        if len(names) > 1:
            area.set_title(f"({letter})", loc="left")
    return figure


def _dots(area: Axes, result: StudyResult, values: list[Any], measure: str) -> None:
    places, ticks = _places(values)
    many = len(values) > 300
    area.plot(
        places, result.mean[measure], marker="o", linestyle="none", color=COLOURS[0], markeredgewidth=0.0,
        markersize=2.0 if many else 3.5, alpha=0.4 if many else 0.8, rasterized=many,
    )  # fmt: skip
    _crosses(area, result, places)
    if ticks is not None:
        area.set_xticks(range(len(ticks)), ticks)
        area.margins(x=0.15)


def _crosses(area: Axes, result: StudyResult, places: np.ndarray) -> None:
    """At the upper edge, where a run stopped early."""
    at = places[result.stopped > 0]
    if not at.size:
        return
    area.plot(
        at, np.full(at.shape, 1.0), marker="x", linestyle="none", color="black", markersize=4.5, clip_on=False,
        transform=area.get_xaxis_transform(),
    )  # fmt: skip


def _scale(area: Axes, mean: np.ndarray) -> None:
    known = mean[np.isfinite(mean)]
    if known.size and known.min() > 0.0 and known.max() / known.min() > WIDE_RANGE:
        area.set_yscale("log")


def _places(values: list[Any]) -> tuple[np.ndarray, list[str] | None]:
    """Where values lie on an axis; words stand side by side, under these names."""
    if all(map(_is_number, values)):
        return np.array(values, dtype=float), None
    names = list(dict.fromkeys(map(_text, values)))
    return np.array([names.index(_text(value)) for value in values], dtype=float), names


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 24 else f"{text[:23]}…"
