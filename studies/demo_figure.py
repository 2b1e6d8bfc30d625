"""The figure of the demonstration: one column a specimen; displacement, loop and HSEI below each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.runtime.export import PAPER, paper_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hybsim.studies.demo import Case, Demo

COLOURS = ("#000000", "#0072B2", "#D55E00")
"""For growing lags; told apart by colour-blind readers."""

LOOP_SPAN = {"linear": (4.32, 5.40), "elastic-plastic": (2.35, 4.60)}
"""Seconds of one large cycle: all 40 s of loops would be a blot."""

STYLE: Any = {
    **PAPER, "font.size": 9.0, "axes.labelsize": 9.0, "axes.titlesize": 10.0, "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0, "lines.linewidth": 0.9, "mathtext.fontset": "stix",
}  # fmt: skip


def draw(demo: Demo) -> Figure:
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 7.2), layout="constrained")
        specimens = list(dict.fromkeys(case.specimen for case in demo.cases))
        areas = figure.subplots(3, len(specimens), squeeze=False)
        for column, specimen in zip(areas.T, specimens, strict=True):
            _column(column, specimen, [case for case in demo.cases if case.specimen == specimen])
        for area, letter in zip(areas.ravel(), "abcdef", strict=False):
            area.set_title(f"({letter})", loc="left")
        areas[0, 0].set_ylabel("command displacement [in]")
        areas[1, 0].set_ylabel("specimen force [kip]")
        areas[2, 0].set_ylabel("energy error indicator HSEI$^S$ [-]")
        figure.align_ylabels(areas[:, 0])
        # Drawn last to first, so that the smaller responses stay in sight; named first to last.
        handles, labels = areas[0, 0].get_legend_handles_labels()
        figure.legend(handles[::-1], labels[::-1], loc="outside upper center", ncols=len(labels), frameon=False)
    return figure


def _column(areas: Any, specimen: str, cases: list[Case]) -> None:
    history, loop, indicator = areas
    first, last = LOOP_SPAN[specimen]
    for case, colour in reversed(list(zip(cases, COLOURS, strict=True))):
        t, disp = case.result.t, case.result["integrator.disp_target"]
        part = (t >= first) & (t <= last)
        history.plot(t, disp, color=colour, label=f"lag {case.lag_ms:g} ms")
        loop.plot(disp[part], case.result["specimen.force"][part], color=colour, linewidth=1.1)
        indicator.plot(t, case.result["energy.hsei_s"], color=colour, linewidth=1.1)
    history.set_title(f"{specimen} specimen")
    loop.set_title("shaded part of the history")
    history.axvspan(first, last, color="0.9", zorder=0)
    for area in (history, indicator):
        area.set_xlabel("time [s]")
        area.margins(x=0.0)
    loop.set_xlabel("command displacement [in]")
    if specimen == "linear":
        _direction(loop, cases[-1], first, last)


def _direction(area: Axes, case: Case, first: float, last: float) -> None:
    """Arrows along the loop of the longest lag: it runs counter-clockwise, against that of a damper."""
    t, disp, force = case.result.t, case.result["integrator.disp_target"], case.result["specimen.force"]
    inside = np.flatnonzero((t >= first) & (t < last))
    for level in (-0.35, 0.35):
        target = level * np.abs(disp[inside]).max()
        for rising in (True, False):
            way = np.diff(disp)[inside] > 0
            passed = inside[way == rising]
            k = passed[np.argmin(np.abs(disp[passed] - target))]
            area.annotate(
                "", xy=(disp[k + 2], force[k + 2]), xytext=(disp[k - 2], force[k - 2]),
                arrowprops={"arrowstyle": "-|>", "color": COLOURS[-1], "mutation_scale": 9, "shrinkA": 0, "shrinkB": 0},
            )  # fmt: skip
    area.text(
        0.97, 0.05, "the loop runs against that\nof a damper: energy is added", transform=area.transAxes,
        ha="right", va="bottom", fontsize=8.0, color=COLOURS[-1],
    )  # fmt: skip
