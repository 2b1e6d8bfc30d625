"""The figures of the Monte-Carlo study: indices, alarms, errors alone, instability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.diagrams.eerc_chapter3 import SPECIMENS
from hybsim.runtime.export import paper_figure
from hybsim.studies.reporting.study_figure import STYLE
from hybsim.studies.uncertainty.instability import SHARES, probability
from hybsim.studies.uncertainty.montecarlo import (
    DRAW,
    INPUTS,
    LABORATORIES,
    LEVEL,
    TOLERANCE,
    MonteCarlo,
    Sample,
    detection,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, RED, GREEN, PINK, YELLOW, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#000000"
COLOURS = dict(zip(SPECIMENS, (BLUE, RED), strict=True))
KINDS = {
    "silent, error within 10 %": ("0.75", "o"), "needless alarm": (YELLOW, "v"), "warned in time": (GREEN, "o"),
    "warned too late": (BLUE, "s"), "missed": (RED, "X"),
}  # fmt: skip
LEVELS = np.linspace(-0.40, -0.002, 200)
LEAST = 2e-3
"""Smallest magnitude of HSEI_I that is drawn."""


def sobol_indices(found: MonteCarlo) -> Figure:
    """Total indices as bars with their intervals, first-order ones as marks."""
    from matplotlib import rc_context

    names = {**{name: given.prose for name, given in INPUTS.items()}, DRAW: "draw of the random numbers"}
    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 5.8), layout="constrained")
        areas = figure.subplots(2, 2, sharex=True, sharey=True)
        places = np.arange(len(names))
        for column, laboratory in enumerate(LABORATORIES):
            for area, (measure, title) in zip(areas[:, column], MEASURED.items(), strict=True):
                for specimen, shift in zip(SPECIMENS, (-0.19, 0.19), strict=True):
                    _bars(area, found.sample(laboratory, specimen), measure, places + shift)
                area.set_title(f"{title}, lag {laboratory}")
        for area, letter in zip(areas.ravel(), "abcd", strict=True):
            area.set_title(f"({letter})", loc="left")
            area.tick_params(axis="y", length=0.0)
            area.grid(False, axis="y")
        areas[0, 0].set_yticks(places, names.values())
        areas[0, 0].set_ylim(len(names) - 0.5, -0.5)
        areas[0, 0].set_xlim(0.0, 1.15)
        for area in areas[1]:
            area.set_xlabel("Sobol index [-]")
        _, first, *bars = areas[0, 0].get_legend_handles_labels()[0]
        figure.legend(handles=[*bars, first], loc="outside lower center", ncols=3, frameon=False)
    return figure


MEASURED = {"eps_max": "error $\\epsilon^{max}$", "hsei_i": "indicator HSEI$^I$"}


def _bars(area: Axes, sample: Sample, measure: str, places: np.ndarray) -> None:
    rows = sample.indices[measure].rows()
    total = np.array([row["total"] for row in rows])
    interval = np.array([[row["total"] - row["total_low"], row["total_high"] - row["total"]] for row in rows]).T
    colour = COLOURS[sample.specimen]
    area.barh(
        places, total, height=0.34, color=colour, alpha=0.75, xerr=np.maximum(interval, 0.0),
        error_kw={"elinewidth": 0.8, "capsize": 1.5}, label=f"total, {sample.specimen}",
    )  # fmt: skip
    area.plot(
        np.maximum([row["first"] for row in rows], 0.0), places, marker="D", markersize=3.0, linestyle="none",
        markerfacecolor="white", markeredgecolor=BLACK, markeredgewidth=0.7, label="first order",
        zorder=4, clip_on=False,
    )  # fmt: skip


def scatter(found: MonteCarlo) -> Figure:
    """Every independent test: its error against the furthest that the indicator went."""
    from matplotlib import rc_context
    from matplotlib.lines import Line2D

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 6.2), layout="constrained")
        areas = figure.subplots(2, 2, sharex=True, sharey=True)
        for row, laboratory in zip(areas, LABORATORIES, strict=True):
            for area, specimen in zip(row, SPECIMENS, strict=True):
                _dots(area, found.sample(laboratory, specimen))
                area.set_title(f"{specimen}, lag {laboratory}")
        for area, letter in zip(areas.ravel(), "abcd", strict=True):
            area.set_title(f"({letter})", loc="left")
        for area in areas[1]:
            area.set_xlabel("largest \N{MINUS SIGN}HSEI$^I$ in the test [-]")
        for area in areas[:, 0]:
            area.set_ylabel("error $\\epsilon^{max}$ [%]")
        figure.legend(
            handles=[
                Line2D([], [], color=colour, marker=marker, markersize=4.5, linestyle="none", label=name)
                for name, (colour, marker) in KINDS.items()
            ],
            loc="outside lower center", ncols=3, frameon=False,
        )  # fmt: skip
    return figure


def _dots(area: Axes, sample: Sample) -> None:
    values = sample.independent
    indicator, error = np.maximum(-values["worst"], LEAST), 100.0 * values["eps_max"]
    for (colour, marker), which in zip(KINDS.values(), kinds(values), strict=True):
        area.plot(
            indicator[which], error[which], marker=marker, markersize=2.6, linestyle="none", color=colour, alpha=0.7,
            markeredgewidth=0.0, rasterized=True,
        )  # fmt: skip
    area.axhline(100 * TOLERANCE, color=BLACK, linewidth=0.8, linestyle="--")
    area.axvline(-LEVEL, color=BLACK, linewidth=0.8, linestyle="--")
    area.set_xscale("log")
    area.set_xlim(0.8 * LEAST, 1.5)
    area.set_yscale("log")
    area.set_yticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    area.set_xticks([0.01, 0.1, 1.0], ["0.01", "0.1", "1"])
    area.minorticks_off()


def kinds(values: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Which tests are of each of the KINDS, for an alarm at EERC's level."""
    wrong, alarm, in_time = values["eps_max"] > TOLERANCE, values["worst"] < LEVEL, values["heard"] < LEVEL
    return [~wrong & ~alarm, ~wrong & alarm, wrong & in_time, wrong & alarm & ~in_time, wrong & ~alarm]


def alarms(found: MonteCarlo) -> Figure:
    """What an alarm is worth at every level; in time against needless."""
    from matplotlib import rc_context

    laboratory = next(iter(LABORATORIES))
    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 3.2), layout="constrained")
        areas = figure.subplots(1, 3)
        for area, specimen in zip(areas, SPECIMENS, strict=False):
            shares = detection(found.sample(laboratory, specimen).independent, LEVELS)
            area.stackplot(
                -LEVELS, 100 * shares.in_time, 100 * shares.late, 100 * shares.missed, colors=(GREEN, BLUE, RED),
                alpha=0.6, labels=("warned in time", "too late", "missed"),
            )  # fmt: skip
            area.plot(-LEVELS, 100 * shares.needless, color=BLACK, label="needless (of the good tests)")
            area.axvline(-LEVEL, color=BLACK, linewidth=0.8, linestyle="--")
            area.set_xlim(0.0, 0.4)
            area.set_ylim(0.0, 100.0)
            area.set_title(specimen)
            area.set_xlabel("\N{MINUS SIGN}level of the alarm on HSEI$^I$ [-]")
        areas[0].set_ylabel("share of the tests [%]")
        _trade(areas[2], found, laboratory)
        for area, letter in zip(areas, "abc", strict=True):
            area.set_title(f"({letter})", loc="left")
        figure.legend(*areas[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    return figure


def _trade(area: Axes, found: MonteCarlo, laboratory: str) -> None:
    at = int(np.argmin(np.abs(LEVELS - LEVEL)))
    for specimen in SPECIMENS:
        sample = found.sample(laboratory, specimen)
        for values, line, what in ((sample.lag_alone, "--", "lag alone"), (sample.independent, "-", "all errors")):
            shares = detection(values, LEVELS)
            area.plot(
                100 * shares.needless, 100 * shares.in_time, color=COLOURS[specimen], linestyle=line,
                label=f"{specimen}, {what}",
            )  # fmt: skip
            area.plot(
                100 * shares.needless[at], 100 * shares.in_time[at], color=COLOURS[specimen], marker="o", markersize=4.0
            )
    area.set_title("in time against needless")
    area.set_xlabel("needless alarms [%]")
    area.set_ylabel("warned in time [%]")
    area.set_xlim(0.0, 100.0)
    area.set_ylim(0.0, 101.0)
    area.legend(loc="lower right", fontsize=7.0, handlelength=1.5, borderaxespad=0.2, frameon=False)


def alone(found: MonteCarlo) -> Figure:
    """What each error does by itself to the response, and what the indicator says of it."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 3.6), layout="constrained")
        errors, indicators = figure.subplots(1, 2, sharey=True)
        names = [f"{given.prose} {_size(given.alone, given.unit)}" for given in INPUTS.values()]
        places = np.arange(len(names))
        for specimen, shift in zip(SPECIMENS, (-0.19, 0.19), strict=True):
            rows = [row for row in found.alone if row.specimen == specimen]
            look: Any = dict(height=0.34, color=COLOURS[specimen], alpha=0.75)
            errors.barh(places + shift, [100 * row.eps_max for row in rows], label=specimen, **look)
            indicators.barh(places + shift, [abs(row.hsei_i) for row in rows], **look)
            indicators.plot(
                [abs(row.second) for row in rows], places + shift, marker="|", markersize=8.0, linestyle="none",
                color=BLACK, label="from a second transducer" if shift > 0.0 else None, clip_on=False,
            )  # fmt: skip
        errors.set_yticks(places, names)
        errors.set_ylim(len(names) - 0.5, -0.5)
        errors.axvline(100 * TOLERANCE, color=BLACK, linewidth=0.8, linestyle="--")
        indicators.axvline(-LEVEL, color=BLACK, linewidth=0.8, linestyle="--")
        errors.set_xlabel("error $\\epsilon^{max}$ [%]")
        indicators.set_xlabel("|HSEI$^I$| at the end [-]")
        indicators.set_xlim(left=0.0)
        for area, letter, title in zip((errors, indicators), "ab", ("what it does", "what HSEI$^I$ says"), strict=True):
            area.set_title(f"({letter})", loc="left")
            area.set_title(title)
            area.tick_params(axis="y", length=0.0)
            area.grid(False, axis="y")
        handles, labels = (
            one + other
            for one, other in zip(
                errors.get_legend_handles_labels(), indicators.get_legend_handles_labels(), strict=True
            )
        )
        figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _size(value: float, unit: str) -> str:
    if unit == "-":
        return f"{100 * value:g} %"
    return f"{value:g}" if unit.startswith("ticks") else f"{value:g} {unit}"


def instability(found: MonteCarlo) -> Figure:
    """Share of unstable tests over the lag; the cycle of a specimen that yields."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 3.4), layout="constrained")
        chance, cycle = figure.subplots(1, 2, width_ratios=(1.3, 1.0))
        for curve, swing, colour, marker in zip(found.instability, found.cycles, (BLUE, RED), "os", strict=True):
            low, high = curve.band
            x = np.geomspace(SHARES[0], SHARES[-1], 200) * curve.critical_lag_ms
            name = f"T = {curve.period:g} s, {100 * curve.damping_ratio:g} %"
            chance.fill_between(curve.lags_ms, 100 * low, 100 * high, color=colour, alpha=0.2, linewidth=0.0)
            chance.plot(x, 100 * probability(x, curve.critical_lag_ms), color=colour, linewidth=0.9)
            chance.plot(
                curve.lags_ms, 100 * curve.share, color=colour, marker=marker, markersize=3.0, linestyle="none",
                label=name,
            )  # fmt: skip
            chance.axvline(curve.critical_lag_ms, color=colour, linewidth=0.8, linestyle="--")
            cycle.plot(
                swing.lags_ms / swing.critical_lag_ms, swing.ductility, color=colour, marker=marker, markersize=3.0,
                label=name,
            )  # fmt: skip
        chance.set_xlabel("median lag [ms]")
        chance.set_ylabel("unstable tests [%]")
        chance.set_ylim(0.0, 100.0)
        chance.set_xlim(left=0.0)
        chance.set_title("linear")
        cycle.set_xlabel("lag over critical lag [-]")
        cycle.set_ylabel("final swing over yield displacement [-]")
        cycle.axvline(1.0, color=BLACK, linewidth=0.8, linestyle="--")
        cycle.set_ylim(bottom=0.0)
        cycle.set_title("elastic-plastic, no scatter")
        for area, letter in zip((chance, cycle), "ab", strict=True):
            area.set_title(f"({letter})", loc="left")
        figure.legend(*chance.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    return figure
