"""The figures of the sensitivity study: map, thresholds, alarm during the test, theory, random lag."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.diagrams.eerc_chapter3 import SPECIMENS
from hybsim.runtime.export import paper_figure
from hybsim.studies.reporting.study_figure import STYLE
from hybsim.studies.uncertainty.sensitivity import (
    DAMPING_RATIOS,
    LEVEL,
    RANDOM_DAMPING,
    RECORDS,
    TOLERANCE,
    Curve,
    Sensitivity,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, RED, GREEN, BLACK = "#0072B2", "#D55E00", "#009E73", "#000000"
LOOKS = dict(zip(DAMPING_RATIOS, ((BLUE, "o"), (RED, "s"), (GREEN, "^")), strict=True))
GROUPS = [(specimen, record) for specimen in SPECIMENS for record in RECORDS]
PERIOD_TICKS = (0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0)
LEVELS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Of the errors in the map."""


def the_map(found: Sensitivity) -> Figure:
    """Error over period and lag, with the line of 10 % and the line of the alarm."""
    from matplotlib.colors import BoundaryNorm
    from matplotlib.lines import Line2D

    def panel(area: Axes, specimen: str, record: str) -> None:
        curves = found.of(specimen=specimen, record=record, damping_ratio=RANDOM_DAMPING)
        periods, lags = np.array([c.structure.period for c in curves]), curves[0].lags_ms[1:]
        error = np.array([c.eps_max[1:] for c in curves]).T
        indicator = np.array([c.hsei_i[1:] for c in curves]).T
        # Where a run overflowed it has no numbers; there the error is beyond any level and so is the indicator.
        error, indicator = np.where(np.isfinite(error), error, 1e9), np.where(np.isfinite(indicator), indicator, -1e9)
        error, indicator = np.minimum(error, 10.0), np.maximum(indicator, -10.0)
        area.contourf(
            periods, lags, error, levels=(0.0, *LEVELS, 10.0), cmap="cividis",
            norm=BoundaryNorm((0.0, *LEVELS, 10.0), 256),
        )  # fmt: skip
        area.contour(periods, lags, error, levels=[TOLERANCE], colors="white", linewidths=1.8)
        area.contour(periods, lags, indicator, levels=[LEVEL], colors=RED, linewidths=1.8, linestyles="--")
        if specimen == "linear":
            area.plot(periods, [c.structure.critical_lag_ms for c in curves], color="white", linestyle=":")
        area.set_yscale("log")
        area.set_ylim(lags[lags >= 0.1][0], lags[-1])
        area.set_yticks([0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0], ["0.2", "0.5", "1", "2", "5", "10", "20"])
        area.minorticks_off()
        area.grid(False)

    figure, areas = _four(panel, "mean lag [ms]", height=5.6, legend=[
        Line2D([], [], color="0.6", linewidth=1.8, label="error 10 % (white)"),
        Line2D([], [], color=RED, linewidth=1.8, linestyle="--", label="HSEI$^I$ = \N{MINUS SIGN}0.1 at the end"),
        Line2D([], [], color="0.6", linestyle=":", label="critical lag (linear)"),
    ])  # fmt: skip
    from matplotlib import rc_context
    from matplotlib.cm import ScalarMappable

    with rc_context(STYLE):
        mapping = ScalarMappable(BoundaryNorm((0.0, *LEVELS, 10.0), 256), "cividis")
        bar = figure.colorbar(mapping, ax=areas, fraction=0.05, aspect=40)
        bar.set_ticks(LEVELS, labels=[f"{100 * level:g}" for level in LEVELS])
        bar.set_label("largest displacement error $\\epsilon^{max}$ [%]")
        bar.minorticks_off()
    return figure


def thresholds(found: Sensitivity) -> Figure:
    """The indicator at an error of 10 %, for every structure."""

    def panel(area: Axes, specimen: str, record: str) -> None:
        area.axhspan(LEVEL, 0.0, color="0.92", zorder=0)
        _by_damping(area, found, specimen, record, _threshold)
        area.axhline(LEVEL, color=BLACK, linewidth=0.8, linestyle="--")
        area.set_ylim(-0.30, 0.0)
        area.text(1.95, -0.004, "an alarm at \N{MINUS SIGN}0.1 is too late", ha="right", va="top", fontsize=8.0)
        area.text(1.95, -0.296, "it is early", ha="right", va="bottom", fontsize=8.0)

    return _four(panel, "HSEI$^I$ at 10 % error [-]", legend=_dampings())[0]


def alarms(found: Sensitivity) -> Figure:
    """The largest error before the alarm sounds."""

    def panel(area: Axes, specimen: str, record: str) -> None:
        area.axhspan(100 * TOLERANCE, 40.0, color="0.92", zorder=0)
        _by_damping(area, found, specimen, record, lambda c: 100.0 * c.most_unwarned)
        area.axhline(100 * TOLERANCE, color=BLACK, linewidth=0.8, linestyle="--")
        area.set_ylim(0.0, 40.0)

    return _four(panel, "largest error before the alarm [%]", legend=_dampings())[0]


def theory(found: Sensitivity) -> Figure:
    """Why HSEI_I serves linear specimens: it is the share of the damping that the lag takes away."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 3.1), layout="constrained")
        indicator, linear, plastic = figure.subplots(1, 3)
        for curve in found.curves:
            colour = LOOKS[curve.structure.damping_ratio][0]
            look: Any = dict(color=colour, linewidth=0.5, alpha=0.5)
            if curve.structure.specimen == "linear":
                share = curve.lags_ms / curve.structure.critical_lag_ms
                indicator.plot(share, -curve.hsei_i, **look)
                linear.plot(share, 100.0 * curve.eps_max, **look)
            else:
                plastic.plot(-curve.hsei_i, 100.0 * curve.eps_max, **look)
        x = np.linspace(0.0, 0.6, 100)
        indicator.plot(x, x / (1.0 - x), color=BLACK, linewidth=1.3, label="$x\\,/\\,(1-x)$")
        indicator.legend(loc="upper left", frameon=False)
        indicator.set_xlim(0.0, 0.6)
        indicator.set_ylim(0.0, 1.2)
        indicator.set_ylabel("\N{MINUS SIGN}HSEI$^I$ at the end [-]")
        linear.set_xlim(0.0, 0.6)
        linear.set_ylim(0.0, 60.0)
        plastic.set_xlim(0.0, 0.6)
        plastic.set_ylim(0.0, 60.0)
        for area in (linear, plastic):
            area.axhline(100 * TOLERANCE, color=BLACK, linewidth=0.8, linestyle="--")
            area.set_ylabel("error $\\epsilon^{max}$ [%]")
        for area in (indicator, linear):
            area.set_xlabel("lag over critical lag, $x$ [-]")
        plastic.axvline(-LEVEL, color=BLACK, linewidth=0.8, linestyle="--")
        plastic.set_xlabel("\N{MINUS SIGN}HSEI$^I$ at the end [-]")
        titles = ("linear", "linear", "elastic-plastic")
        for area, letter, title in zip((indicator, linear, plastic), "abc", titles, strict=True):
            area.set_title(f"({letter})", loc="left")
            area.set_title(title)
        figure.legend(handles=_dampings(marker=False), loc="outside lower center", ncols=3, frameon=False)
    return figure


def random_lag(found: Sensitivity) -> Figure:
    """The thresholds again with the random lag of EERC Ch. 8, a dot for each seed."""
    from matplotlib.lines import Line2D

    def panel(area: Axes, specimen: str, record: str) -> None:
        area.axhspan(LEVEL, 0.1, color="0.92", zorder=0)
        curves = found.of(specimen=specimen, record=record, damping_ratio=RANDOM_DAMPING)
        area.plot(*_points(curves, _threshold), color=RED, zorder=2)
        for kept in found.random:
            some = [c for c in kept if (c.structure.specimen, c.structure.record) == (specimen, record)]
            area.plot(*_points(some, _threshold), color=BLUE, marker="o", markersize=2.2, linestyle="none", zorder=3)
        area.axhline(LEVEL, color=BLACK, linewidth=0.8, linestyle="--")
        area.set_ylim(-0.30, 0.05)

    return _four(panel, "HSEI$^I$ at 10 % error [-]", legend=[
        Line2D([], [], color=RED, label="lag without scatter"),
        Line2D([], [], color=BLUE, marker="o", markersize=3.0, linestyle="none", label="variance 0.1, each seed a dot"),
    ])[0]  # fmt: skip


def _four(
    panel: Callable[[Axes, str, str], None], label: str, *, legend: Sequence[Any], height: float = 5.0
) -> tuple[Figure, Any]:
    """Linear above, elastic-plastic below; a column for each record; periods along."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, height), layout="constrained")
        areas = figure.subplots(2, 2, sharex=True, sharey=True)
        for area, letter, (specimen, record) in zip(areas.ravel(), "abcd", GROUPS, strict=True):
            panel(area, specimen, record)
            area.set_xscale("log")
            area.set_xlim(0.2, 2.0)
            area.set_xticks(PERIOD_TICKS, [f"{period:g}" for period in PERIOD_TICKS])
            area.minorticks_off()
            area.set_title(f"({letter})", loc="left")
            area.set_title(f"{specimen}, {RECORDS[record]}")
        for area in areas[1]:
            area.set_xlabel("period [s]")
        for area in areas[:, 0]:
            area.set_ylabel(label)
        figure.legend(handles=list(legend), loc="outside lower center", ncols=len(legend), frameon=False)
    return figure, areas


def _by_damping(
    area: Axes, found: Sensitivity, specimen: str, record: str, value: Callable[[Curve], float]
) -> None:  # fmt: skip
    for zeta, (colour, marker) in LOOKS.items():
        curves = found.of(specimen=specimen, record=record, damping_ratio=zeta)
        area.plot(*_points(curves, value), color=colour, marker=marker, markersize=3.0, linewidth=0.9)


def _points(curves: Sequence[Curve], value: Callable[[Curve], float]) -> tuple[list[float], list[float]]:
    return [c.structure.period for c in curves], [value(c) for c in curves]


def _threshold(curve: Curve) -> float:
    return curve.threshold.hsei_i if curve.threshold else np.nan


def _dampings(*, marker: bool = True) -> list[Any]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color=colour, marker=sign if marker else "", markersize=4.0, label=f"{100 * zeta:g} % damping")
        for zeta, (colour, sign) in LOOKS.items()
    ]
