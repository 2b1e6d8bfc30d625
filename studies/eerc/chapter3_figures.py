"""The figures of EERC Chapter 3: a page for each run, and the frequency response with a delayed restoring force."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.runtime.export import PAPER, paper_figure
from hybsim.studies.eerc.chapter3_runs import PERIOD
from hybsim.studies.eerc.delayed_response import effective_damping

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hybsim.studies.eerc.chapter3 import Delayed
    from hybsim.studies.eerc.chapter3_runs import Run

BLACK, BLUE, ORANGE, GREEN, PURPLE, YELLOW, SKY = (
    "#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9",
)  # fmt: skip

DELAY_STYLES = {
    0.0: (BLACK, "-"), 1.0: (SKY, "-"), 2.0: (GREEN, "-"), 3.0: (YELLOW, "-"), 5.0: (BLUE, "-"), 10.0: (ORANGE, "-"),
}  # fmt: skip

FREQUENCY_RATIOS = np.union1d(np.linspace(0.0, 2.0, 801), np.linspace(0.9, 1.1, 401)).round(6)
"""Close together at the resonance, which is as narrow as the damping that is left."""

LARGEST = 10.0
"""Times the exact peak, up to which a response that is not bounded is drawn."""

STYLE: Any = {
    **PAPER, "font.size": 9.0, "axes.labelsize": 9.0, "axes.titlesize": 9.5, "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0, "legend.fontsize": 8.5, "lines.linewidth": 0.9, "mathtext.fontset": "stix",
}  # fmt: skip


def draw_run(run: Run) -> Figure:
    """(a) displacement beside the exact one, (b) force that is fed back against displacement, (c) error signal."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 5.0), layout="constrained")
        areas: Any = figure.subplot_mosaic([["a", "a"], ["b", "c"]], width_ratios=(1.0, 1.35))
        noise = run.case.snr is not None
        shown = slice(0, _end(run))
        t, disp, force, error = (values[shown] for values in (run.t, run.disp, run.force, run.error))
        history, loop, signal = areas["a"], areas["b"], areas["c"]
        history.plot(run.t, run.exact, color=BLACK, linewidth=1.1, label="exact")
        history.plot(t, disp, color=ORANGE, linestyle=(0, (4, 1.2)), label="with noise" if noise else "with lag")
        if run.stopped is not None:
            history.text(0.99, 0.96, "not bounded", transform=history.transAxes, ha="right", va="top", color=ORANGE)
        if run.case.specimen == "linear":
            # All cycles lie upon each other: one stands for all.
            cycle = np.abs(t - t[np.argmax(np.abs(run.exact[shown]))]) <= 0.5 * PERIOD
            loop.plot(disp, force, color=SKY, linewidth=0.5, label="whole record")
            loop.plot(disp[cycle], force[cycle], color=BLUE, linewidth=1.1, label=f"{PERIOD:g} s at the peak")
            loop.legend(loc="upper left", frameon=False)
        else:
            loop.plot(disp, force, color=BLUE, linewidth=0.6)
        signal.plot(t, error, color=ORANGE, linewidth=0.5)
        history.set(xlabel="time [s]", ylabel="displacement [in]", title="displacement")
        loop.set(xlabel="displacement [in]" if noise else "displacement command [in]", ylabel="force fed back [kip]",
                 title="force against displacement")  # fmt: skip
        signal.set(xlabel="time [s]", ylabel="noise [kip]" if noise else "applied \N{MINUS SIGN} command [in]",
                   title="error signal")  # fmt: skip
        for area in (history, signal):
            area.set_xlim(0.0, run.t[-1])
        for letter, area in areas.items():
            area.set_title(f"({letter})", loc="left")
        history.legend(loc="lower right", ncols=2, frameon=False)
    return figure


def _end(run: Run) -> int | None:
    """The tick at which the drawing of a response that is not bounded ends, before its numbers dwarf all others."""
    if run.stopped is None:
        return None
    return int(np.argmax(~(np.abs(run.disp) < LARGEST * run.exact_peak)))


def draw_responses(
    delayed: Sequence[Delayed], small: Sequence[float], large: Sequence[float], critical_deg: float, damping: float
) -> Figure:
    """(a) small and (b) large phase delays, (c) the damping that is left."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 6.0), layout="constrained")
        areas: Any = figure.subplot_mosaic([["a", "b"], ["c", "c"]], height_ratios=(1.35, 1.0))
        _amplitudes(areas["a"], [one for one in delayed if one.phase_delay_deg in small], "small delays")
        _amplitudes(areas["b"], [one for one in delayed if one.phase_delay_deg in large], "large delays")
        areas["b"].set_yscale("log")
        ticks = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
        areas["b"].set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        areas["b"].minorticks_off()
        areas["b"].set_ylim(0.3, 60.0)
        _damping_left(areas["c"], delayed, critical_deg, damping)
        for letter, area in areas.items():
            area.set_title(f"({letter})", loc="left")
    return figure


def _amplitudes(area: Axes, delayed: Sequence[Delayed], title: str) -> None:
    for one in delayed:
        label = f"$\\phi_d$ = {one.phase_delay_deg:g}\N{DEGREE SIGN}"
        if one.stable:
            colour, line = DELAY_STYLES[one.phase_delay_deg]
            area.plot(FREQUENCY_RATIOS, one.amplitude(FREQUENCY_RATIOS), color=colour, linestyle=line, label=label)
        else:
            area.plot([], [], linestyle="none", marker="x", color="0.4", label=f"{label}: unstable")
    area.set(xlabel=r"frequency ratio $\rho = \bar\omega / \omega_n$ [-]", ylabel="amplitude $u / u_{static}$ [-]",
             title=title, xlim=(0.0, 2.0))  # fmt: skip
    area.legend(loc="upper right", frameon=False, handlelength=1.3, borderaxespad=0.0)


def _damping_left(area: Axes, delayed: Sequence[Delayed], critical_deg: float, damping: float) -> None:
    last = max(one.phase_delay_deg for one in delayed)
    phases = np.linspace(0.0, last, 121)
    exact = [100.0 * effective_damping(damping, math.radians(phase)) for phase in phases]
    area.axvspan(critical_deg, 1.01 * last, color="0.92", zorder=0)
    area.axhline(0.0, color="0.4", linewidth=0.6)
    area.plot(phases, exact, color=BLUE, linewidth=1.3, label="exact, from the rightmost root")
    area.plot(
        phases, 100.0 * (damping - 0.5 * np.radians(phases)), color=BLACK, linestyle="--",
        label=r"first order, $\zeta - \phi_d / 2$",
    )  # fmt: skip
    for stable, marker in ((True, "o"), (False, "x")):
        some = [one for one in delayed if one.stable == stable]
        area.plot(
            [one.phase_delay_deg for one in some], [100.0 * one.effective_damping for one in some], marker,
            color=BLUE if stable else "0.4", markersize=4.5,
            label="delays above" if stable else "delays above, unstable",
        )  # fmt: skip
    area.annotate(
        f"critical: {critical_deg:.2f}\N{DEGREE SIGN}", (critical_deg, 0.0), xytext=(8, 8), textcoords="offset points"
    )
    area.text(0.985, 0.9, "unstable", transform=area.transAxes, ha="right", va="top", color="0.3")
    area.set(xlabel=r"phase delay $\phi_d = \omega_n \tau$ [degrees]", ylabel="damping left [% of critical]",
             title=f"what a delay leaves of {100.0 * damping:g} % damping")  # fmt: skip
    area.set_xlim(-0.01 * last, 1.01 * last)
    area.legend(loc="lower left", frameon=False)
