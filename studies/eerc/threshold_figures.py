"""The figures of the threshold study: where the threshold comes from, runs that trip, and what a level is worth."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.runtime.export import paper_figure
from hybsim.studies.eerc.chapter8_figures import BLACK, BLUE, GREEN, MODEL_NAMES, NAMES, ORANGE, PURPLE, STYLE
from hybsim.studies.eerc.threshold_runs import EERC, HSEI_I, Derived, Trip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEVEL_LOOKS = {"threshold": (ORANGE, "-"), "warning": (GREEN, "-."), "EERC": (PURPLE, "--")}
LEVEL_NAMES = {"threshold": "threshold", "warning": "warning level", "EERC": "EERC, Case 5"}


def draw_thresholds(derived: Sequence[Derived]) -> Figure:
    """eps_max against HSEI_I of all runs, with tolerance and threshold; one panel a model."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 3.4), layout="constrained")
        areas: Any = figure.subplots(1, len(derived), sharey=True, squeeze=False)[0]
        for area, letter, one in zip(areas, "ab", derived, strict=True):
            _threshold(area, one)
            area.set_title(f"({letter})", loc="left")
            area.set_title(MODEL_NAMES[one.model])
            area.set_xlabel(f"{NAMES['hsei_i']} at the end of the record [-]")
        areas[0].set_ylabel(r"largest displacement error $\epsilon^{max}$ [-]")
        areas[0].set_ylim(0.0, 2.5 * derived[0].tolerance)
        figure.legend(*areas[0].get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False)
    return figure


def _threshold(area: Axes, one: Derived) -> None:
    values = one.result.values
    area.plot(values["hsei_i"].ravel(), values["eps_max"].ravel(), ".", color=BLUE, markersize=1.8, label="runs")
    area.axhline(one.tolerance, color=BLACK, linewidth=0.8, label="tolerance")
    area.axvline(EERC, color=PURPLE, linestyle="--", label="EERC, Case 5")
    area.set_xlim(-0.35, 0.05)
    if one.threshold is not None:
        spread = one.deviation or 0.0
        area.axvspan(one.threshold - spread, one.threshold + spread, color=ORANGE, alpha=0.25, linewidth=0.0)
        area.axvline(one.threshold, color=ORANGE, label="threshold")
        area.set_xlim(min(-0.35, 2.5 * one.threshold), 0.05)


def draw_trips(shown: Sequence[Trip]) -> Figure:
    """Error and HSEI_I of one run of each model, and where each level trips."""
    from matplotlib import rc_context

    pairs = [list(trips) for _, trips in groupby(shown, key=lambda trip: trip.derived.model)]
    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 4.8), layout="constrained")
        areas: Any = figure.subplots(2, len(pairs), sharex="col", squeeze=False)
        for column, trips in zip(areas.T, pairs, strict=True):
            _run(column, trips)
        areas[0, 0].set_ylabel("error over exact peak [-]")
        areas[1, 0].set_ylabel(f"{NAMES['hsei_i']} [-]")
        for area, letter in zip(areas.ravel(), "abcd", strict=False):
            area.set_title(f"({letter})", loc="left")
        figure.align_ylabels(areas[:, 0])
        figure.legend(*areas[1, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    return figure


def _run(areas: Any, trips: Sequence[Trip]) -> None:
    error, indicator = areas
    first = trips[0]
    t, hsei = first.result.t, first.result[HSEI_I]
    events = [time for trip in trips for time in (trip.trip_time, trip.error_time) if time is not None]
    last = min(float(t[-1]), max([5.0, *(time + 2.0 for time in events)]))
    part = t <= last
    error.plot(t[part], first.error[part], color=BLUE)
    error.axhline(first.derived.tolerance, color=BLACK, linewidth=0.8)
    if first.error_time is not None:
        error.plot([first.error_time], [first.derived.tolerance], "o", color=BLACK, markersize=5.0, zorder=4)
    error.set_title(f"{MODEL_NAMES[first.derived.model]}, lag of {first.row()['lag_ms']:g} ms")
    indicator.plot(t[part], hsei[part], color=BLUE)
    for trip in trips:
        colour, line = LEVEL_LOOKS[trip.kind]
        indicator.axhline(trip.level, color=colour, linestyle=line, label=LEVEL_NAMES[trip.kind])
        if trip.trip_time is not None:
            for area in areas:
                area.axvline(trip.trip_time, color=colour, linestyle=line, linewidth=0.7)
    indicator.set_xlabel("time [s]")
    indicator.set_xlim(0.0, last)


def draw_levels(derived: Sequence[Derived]) -> Figure:
    """Shares of runs that are warned in time and of false alarms against the level; one panel a model."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 3.4), layout="constrained")
        areas: Any = figure.subplots(1, len(derived), sharey=True, squeeze=False)[0]
        for area, letter, one in zip(areas, "ab", derived, strict=True):
            _levels(area, one)
            area.set_title(f"({letter})", loc="left")
            area.set_title(MODEL_NAMES[one.model])
            area.set_xlabel(f"level of {NAMES['hsei_i']} [-]")
        areas[0].set_ylabel("share of runs [%]")
        figure.legend(*areas[0].get_legend_handles_labels(), loc="outside upper center", ncols=5, frameon=False)
    return figure


def _levels(area: Axes, one: Derived) -> None:
    lowest = min(-0.2, *(1.5 * level for level in one.levels.values()))
    levels = np.linspace(lowest, 0.0, 401)
    for name, runs, look in (
        ("heard", one.passed, dict(color=BLUE, label="warned in time")),
        ("worst", ~one.passed, dict(color=BLACK, linestyle=":", linewidth=1.3, label="false alarms")),
    ):
        reached = one.result.values[name][runs]
        reached = np.sort(reached[np.isfinite(reached)])
        if reached.size:
            shares = 100.0 * np.searchsorted(reached, levels, side="left") / reached.size
            area.plot(levels, shares, **look)
    for kind, level in one.levels.items():
        colour, line = LEVEL_LOOKS[kind]
        area.axvline(level, color=colour, linestyle=line, label=LEVEL_NAMES[kind])
    area.set_xlim(lowest, 0.0)
    area.set_ylim(-2.0, 102.0)
