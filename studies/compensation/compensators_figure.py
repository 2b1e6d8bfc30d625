"""The figure of the comparison: every compensator as a dot for each plant, and a window of some histories below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.runtime.export import PAPER, paper_figure
from hybsim.studies.compensation.compensator_cases import PLANTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hybsim.studies.compensation.compensators import Comparison, Row

PLANT_STYLES = (("o", "#0072B2"), ("D", "#D55E00"))

SHOWN = {
    "PREDICTOR 3 (tau)": ("#0072B2", "-"),
    "PHASELEAD": ("#E69F00", "-"),
    "FEEDFORWARD": ("#009E73", "-"),
    "PIDCONTROL + PHASELEAD": ("#CC79A7", "--"),
    "ATS": ("#D55E00", "-."),
}
"""Compensators whose errors are drawn over time: one of a kind, or the lines could not be told apart."""

WINDOW = 1.0
"""Seconds, around the peak of the target."""

FURTHEST = 2.0
"""End of the axis of the delays in ms; what lies beyond is written in numbers."""

STYLE: Any = {
    **PAPER, "font.size": 9.0, "axes.labelsize": 9.0, "axes.titlesize": 9.5, "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0, "lines.linewidth": 1.0, "mathtext.fontset": "stix",
}  # fmt: skip


def draw(comparison: Comparison) -> Figure:
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 8.8), layout="constrained")
        parts: Any = figure.subfigures(2, 1, height_ratios=(1.0, 1.05))
        upper, lower = parts
        errors, delays, noise = upper.subplots(1, 3, sharey=True)
        _dots(comparison, errors, delays, noise)
        windows = lower.subplots(2, len(PLANTS), sharex=True, sharey="row", squeeze=False)
        for column, plant in zip(windows.T, PLANTS, strict=True):
            _window(column, comparison.of(plant))
            column[0].set_title(plant.prose)
        windows[0, 0].set_ylabel("displacement [mm]")
        windows[1, 0].set_ylabel("measured \N{MINUS SIGN} target [mm]")
        lower.align_ylabels(windows[:, 0])
        lines = [line for area in windows[:, 0] for line in area.lines]
        lower.legend(handles=lines, loc="outside lower center", ncols=3, frameon=False)
        for area, letter in zip((errors, delays, noise, *windows.ravel()), "abcdefg", strict=False):
            area.set_title(f"({letter})", loc="left")
    return figure


def _dots(comparison: Comparison, errors: Axes, delays: Axes, noise: Axes) -> None:
    names = [row.case.name for row in comparison.of(PLANTS[0])]
    places = np.arange(len(names))
    for plant, (marker, colour), shift in zip(PLANTS, PLANT_STYLES, (-0.17, 0.17), strict=True):
        found = [row.measures for row in comparison.of(plant)]
        look: Any = dict(marker=marker, markersize=4.0, linestyle="none", color=colour)
        y = places + shift
        errors.plot([100.0 * m.nrms for m in found], y, label=plant.prose, **look)
        delay = np.array([1000.0 * m.delay_s for m in found])
        near = np.abs(delay) <= FURTHEST
        delays.plot(delay[near], y[near], **look)
        noise.plot([m.noise_target for m in found], y, **look)
        fed_back = [m.noise_measured if m.noise_measured > 0.0 else np.nan for m in found]
        noise.plot(fed_back, y, **{**look, "markerfacecolor": "white"})
    for at, beyond in enumerate(zip(*(comparison.of(plant) for plant in PLANTS), strict=True)):
        values = [1000.0 * row.measures.delay_s for row in beyond]
        if max(map(abs, values)) > FURTHEST:
            text = ", ".join(f"{value:.1f}" for value in values)
            delays.text(
                0.98, at, f"{text} ms", transform=delays.get_yaxis_transform(), ha="right", va="center", fontsize=7.5
            )
    errors.set_yticks(places, names)
    errors.set_ylim(len(names) - 0.5, -0.5)
    errors.set_xscale("log")
    noise.set_xscale("log")
    delays.set_xlim(-FURTHEST, FURTHEST)
    delays.axvline(0.0, color="0.4", linewidth=0.6, zorder=0)
    errors.set_xlabel("NRMS error [%]\n(dt), (tau): spacing of the samples")
    delays.set_xlabel("delay left over, FEI [ms]")
    noise.set_xlabel("noise gain [-] from target (full)\nor measurement (open)")
    for area in (errors, delays, noise):
        area.tick_params(axis="y", length=0.0)
    figure: Any = errors.figure
    figure.legend(*errors.get_legend_handles_labels(), loc="outside upper center", ncols=len(PLANTS), frameon=False)


def _window(areas: Any, rows: list[Row]) -> None:
    history, error = areas
    none = rows[0]
    inside = np.abs(none.t - none.t[np.argmax(np.abs(none.target))]) <= 0.5 * WINDOW
    t = none.t[inside]
    history.plot(t, none.target[inside], color="black", linewidth=1.4, label="target")
    history.plot(t, none.measured[inside], color="0.5", linestyle="--", label="measured, no compensation")
    for row in rows:
        if row.case.name in SHOWN:
            colour, line = SHOWN[row.case.name]
            error.plot(t, (row.measured - row.target)[inside], color=colour, linestyle=line, label=row.case.name)
    error.set_xlabel("time [s]")
    for area in areas:
        area.margins(x=0.0)
