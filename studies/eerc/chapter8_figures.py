"""The figures of EERC Chapter 8: histories, measures against the lag, and measures against the indicators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.diagrams.eerc_chapter8 import DT
from hybsim.runtime.export import PAPER, paper_figure
from hybsim.studies.eerc.chapter8_runs import ERRORS, MEANS, Found, critical_lag_ms

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, PURPLE, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000"

LOOKS = {"eps_max": ("o", BLUE), "eps_rms": ("s", ORANGE), "eps_enr": ("^", GREEN)}
NAMES = {
    "eps_max": r"$\epsilon^{max}$", "eps_rms": r"$\epsilon^{rms}$", "eps_enr": r"$\epsilon^{enr}$",
    "hsei_i": r"HSEI$^I$", "hsei_s": r"HSEI$^S$",
}  # fmt: skip
MODEL_NAMES = {"linear": "linear", "elastoplastic": "elastic-plastic"}
FILLS = {"linear": "full", "elastoplastic": "none"}

ZOOM = (-1.0, 0.1), (0.0, 0.2)
"""The range of practical interest, EERC Fig. 8-11."""

STYLE: Any = {
    **PAPER, "font.size": 9.0, "axes.labelsize": 9.0, "axes.titlesize": 9.5, "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0, "legend.fontsize": 8.5, "lines.linewidth": 0.9, "lines.markersize": 4.0,
    "mathtext.fontset": "stix",
}  # fmt: skip

MOST_SHOWN = 3.0
"""An unstable run is drawn until its error is so many times the exact peak."""

LEAST_SHOWN = {"hsei_i": -5.0, "hsei_s": -np.inf}
"""Below, errors add five times the energy of the ground motion: EERC's axis ends there too."""


def draw_histories(pair: Sequence[Found], mean: float) -> Figure:
    """Displacement error, HSEI_S and HSEI_I over time; one column a model."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 5.6), layout="constrained")
        areas: Any = figure.subplots(3, len(pair), sharex=True, squeeze=False)
        for column, found in zip(areas.T, pair, strict=True):
            _history(column, found, mean)
            column[0].set_title(f"{MODEL_NAMES[found.model]}, {found.case.scaled_record(found.model)}")
            column[-1].set_xlabel("time [s]")
        where = "displacement" if pair[0].case.storeys == 1 else "roof displacement"
        for area, label in zip(areas[:, 0], (f"error of the\n{where} [in]", *INDICATOR_LABELS), strict=True):
            area.set_ylabel(label)
        _letters(areas.ravel())
        figure.align_ylabels(areas[:, 0])
    return figure


INDICATOR_LABELS = tuple(f"{NAMES[name]} [-]" for name in ("hsei_s", "hsei_i"))


def _history(areas: Any, found: Found, mean: float) -> None:
    t, (exact, lagged) = found.histories([mean], ["integrator.disp_target", "energy.hsei_s", "energy.hsei_i"])
    error = lagged["integrator.disp_target"] - exact["integrator.disp_target"]
    stable = bool(found.stable[MEANS.index(mean)])
    small = np.abs(error) <= MOST_SHOWN * found.exact_peak
    end = t.size if stable or small.all() else int(np.argmin(small))
    for area, values in zip(areas, (error, lagged["energy.hsei_s"], lagged["energy.hsei_i"]), strict=True):
        area.plot(t[:end], values[:end], color=BLUE if stable else ORANGE)
        area.set_xlim(0.0, t[-1])
        if not stable:
            later = f" (drawn to {t[end]:.1f} s)" if end < t.size else ""
            area.text(0.97, 0.5, f"unstable{later}", transform=area.transAxes, ha="right", color=ORANGE)


def draw_lags(pair: Sequence[Found]) -> Figure:
    """(a) the performance measures and (b), (c) the indicators at the end of the record against the lag."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 5.8), layout="constrained")
        areas: Any = figure.subplot_mosaic([["a", "a"], ["b", "c"]], height_ratios=(1.25, 1.0))
        for found in pair:
            for name in ERRORS:
                marker, colour = LOOKS[name]
                _points(areas["a"], found, "delay_ms", name, marker, colour)
            for letter, name in (("b", "hsei_s"), ("c", "hsei_i")):
                _points(areas[letter], found, "delay_ms", name, "D", BLACK)
        for letter, names in (("a", ERRORS), ("b", ("hsei_s",)), ("c", ("hsei_i",))):
            area = areas[letter]
            _fit_y(area, pair, names)
            _critical(area, pair, named=letter == "a")
            area.set_xlim(-0.6, 1000.0 * DT * MEANS[-1] + 0.7)
            area.set_xlabel("delay, estimated [ms]")
        areas["a"].set_ylabel("performance measure [-]")
        areas["b"].set_ylabel(f"{NAMES['hsei_s']} [-]")
        areas["c"].set_ylabel(f"{NAMES['hsei_i']} [-]")
        areas["a"].legend(ncols=2, loc="upper left", frameon=False)
        _letters(areas.values())
    return figure


def _critical(area: Axes, pair: Sequence[Found], *, named: bool) -> None:
    """The lags at which the linear test is unstable, if they are in the figure."""
    critical = critical_lag_ms(pair[0].case)
    last = 1000.0 * DT * MEANS[-1] + 0.7
    if critical is not None and critical < last:
        area.axvspan(critical, last, color="0.92", zorder=0)
        if named:
            area.text(
                critical + 0.1, 0.97, f"linear: unstable from {critical:.2f} ms",
                transform=area.get_xaxis_transform(), va="top", color="0.3",
            )  # fmt: skip


def draw_measures(pair: Sequence[Found]) -> Figure:
    """The performance measures (a) against HSEI_I and (b) against HSEI_S."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 6.6), layout="constrained")
        areas: Any = figure.subplots(2, 1)
        for area, indicator in zip(areas, ("hsei_i", "hsei_s"), strict=True):
            _against(area, pair, indicator)
            _fit_x(area, pair, indicator)
            _fit_y(area, pair, ERRORS)
            _outside(area, pair, indicator)
        figure.legend(*areas[0].get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False)
        _letters(areas)
    return figure


def draw_zoom(pair: Sequence[Found]) -> Figure:
    """The measures against HSEI_I in the range of practical interest."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 4.2), layout="constrained")
        area: Any = figure.subplots()
        _against(area, pair, "hsei_i")
        area.axhline(0.1, color="0.4", linewidth=0.7, linestyle="--")
        area.text(-0.99, 0.102, "tolerance of 10 %", color="0.3", fontsize=8.0)
        area.set(xlim=ZOOM[0], ylim=ZOOM[1])
        figure.legend(*area.get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False)
    return figure


def _against(area: Axes, pair: Sequence[Found], indicator: str) -> None:
    for found in pair:
        for name in ERRORS:
            marker, colour = LOOKS[name]
            _points(area, found, indicator, name, marker, colour)
    area.set_xlabel(f"{NAMES[indicator]} at the end of the record [-]")
    area.set_ylabel("performance measure [-]")


def _points(area: Axes, found: Found, x: str, y: str, marker: str, colour: str) -> None:
    """The runs of one seed as points joined by a line, and mean and deviation of all seeds as a cross of bars."""
    stable = found.stable
    fill: Any = FILLS[found.model]
    line = "-" if found.linear else ":"
    label = f"{NAMES[y]}, {MODEL_NAMES[found.model]}"
    area.plot(
        found.first(x)[stable], found.first(y)[stable], marker=marker, color=colour, linestyle=line, linewidth=0.6,
        fillstyle=fill, label=label, zorder=3,
    )  # fmt: skip
    mean, std = found.mean, found.std
    area.errorbar(
        mean[x][stable], mean[y][stable], xerr=std[x][stable], yerr=std[y][stable], fmt="none", ecolor=colour,
        elinewidth=0.7, alpha=0.6, zorder=2,
    )  # fmt: skip


def _fit_y(area: Axes, pair: Sequence[Found], names: Sequence[str]) -> None:
    """Limits that hold every stable run of the seed."""
    low, high = _range(pair, names)
    area.set_ylim(low - 0.06 * (high - low), high + 0.12 * (high - low))


def _fit_x(area: Axes, pair: Sequence[Found], name: str) -> None:
    low, high = _range(pair, [name])
    low = max(low, LEAST_SHOWN[name])
    area.set_xlim(low - 0.05 * (high - low), high + 0.05 * (high - low))


def _range(pair: Sequence[Found], names: Sequence[str]) -> tuple[float, float]:
    shown = np.concatenate([found.first(name)[found.stable] for found in pair for name in names])
    shown = shown[np.isfinite(shown)]
    low, high = float(shown.min(initial=0.0)), float(shown.max(initial=0.0))
    return (low, high) if low < high else (-1.0, 1.0)


def _outside(area: Axes, pair: Sequence[Found], indicator: str) -> None:
    """What is not drawn: the unstable runs, and stable ones far to the left."""
    lines = []
    for found in pair:
        beyond = found.stable & (found.first(indicator) < LEAST_SHOWN[indicator])
        for which, what in ((~found.stable, "unstable, outside the axes"), (beyond, "outside the axes")):
            lags = ", ".join(f"{1000.0 * DT * mean:g}" for mean in np.array(MEANS)[which])
            if lags:
                lines.append(f"\N{MULTIPLICATION SIGN} {MODEL_NAMES[found.model]} at {lags} ms: {what}")
    area.text(0.012, 0.97, "\n".join(lines), transform=area.transAxes, va="top", color=ORANGE, fontsize=8.5)


def _letters(areas: Any) -> None:
    for area, letter in zip(areas, "abcdefgh", strict=False):
        area.set_title(f"({letter})", loc="left")
