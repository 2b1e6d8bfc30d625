"""The figures of the two-degree-of-freedom column: responses, differences, and where lambda is stable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hybsim.diagrams.fht_column import ACTUATOR_LAG
from hybsim.studies.fht.column_runs import DAMPED_TEST, FEEDFORWARD, IDEAL, STROKE, VARIANTS, Found, Variant
from hybsim.studies.fht.column_stability import ASSUMED, DELAYS, GAINS, Stability
from hybsim.studies.reporting.figure_style import BLACK, BLUE, GREEN, ORANGE, STYLE, figure_of, letters

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 15.0
"""Seconds in the figures of responses: the strong part of the record and what follows."""


def responses(found: Found) -> Figure:
    """Fig. 8: exact with 6 %, exact with 4 %, ideal with a damped specimen, and the test with actuators."""
    from matplotlib import rc_context

    test, ideal = found.of(DAMPED_TEST), found.of(IDEAL)
    with rc_context(STYLE):
        figure = figure_of(5.2)
        areas = figure.subplots(2, 1, sharex=True)
        for storey, area in enumerate(areas):
            area.plot(ideal.t, ideal.exact[:, storey], color="0.65", label="exact, 4 %")
            area.plot(test.t, test.exact[:, storey], color=BLACK, linewidth=1.6, label="exact, 6 %")
            area.plot(ideal.t, ideal.disp[:, storey], color=BLUE, linestyle=":", label="ideal actuators, 4 %")
            area.plot(test.t, test.disp[:, storey], color=ORANGE, linestyle="--",
                      label="actuators with feedforward, 4 % and 2 % in the specimen")  # fmt: skip
            area.set_ylabel("displacement [in]")
            area.set_title(f"storey {storey + 1}")
            area.set_xlim(0.0, SHOWN)
        areas[-1].set_xlabel("time [s]")
        letters(areas)
        figure.align_ylabels(areas)
        figure.legend(handles=areas[0].lines, loc="outside lower center", ncols=2, frameon=False)
    return figure


def _named(name: str) -> Variant:
    return next(variant for variant in VARIANTS if variant.name == name)


def _in_signs(variant: Variant) -> str:
    return variant.prose.replace("lambda", r"$\lambda$")


def compensation(found: Found) -> Figure:
    """Top storey: what each compensation leaves of the difference to the exact response; and runs that fail."""
    from matplotlib import rc_context

    kept = ((IDEAL, BLACK, "-"), (FEEDFORWARD, BLUE, "-"), (_named("short_0.5"), ORANGE, "-"),
            (_named("long_0.5"), GREEN, "--"))  # fmt: skip
    lost = ((_named("late"), BLACK, "-"), (_named("late_1"), BLUE, "--"), (_named("short"), ORANGE, "-"),
            (_named("long_1"), GREEN, "-"))  # fmt: skip
    with rc_context(STYLE):
        figure = figure_of(5.6)
        areas = figure.subplots(2, 1)
        for variant, colour, line in kept:
            run = found.of(variant)
            difference = run.disp[:, 1] - run.exact[:, 1]
            areas[0].plot(run.t, difference, color=colour, linestyle=line, label=_in_signs(variant))
        for variant, colour, line in lost:
            run = found.of(variant)
            size = np.abs(run.disp).max(axis=1)
            shown = (run.t > 0.0) & (size < 100.0)
            shown[int(np.argmax(size >= 100.0)) :] = False
            areas[1].semilogy(run.t[shown], np.maximum.accumulate(size[shown]), color=colour, linestyle=line,
                              label=_in_signs(variant))  # fmt: skip
        areas[1].axhline(STROKE, color="0.4", linewidth=0.7, linestyle=":", label="stroke of the actuators")
        areas[0].set_ylabel("difference to exact [in]")
        areas[0].set_title("storey 2, stable tests")
        areas[0].set_xlim(0.0, SHOWN)
        areas[1].set_ylabel("largest so far [in]")
        areas[1].set_title("both storeys, unstable tests")
        areas[1].set_xlim(0.0, SHOWN)
        areas[1].set_ylim(1e-3, 100.0)
        for area in areas:
            area.set_xlabel("time [s]")
            area.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        letters(areas)
        figure.align_ylabels(areas)
    return figure


def _edge(found: Stability, side: int) -> np.ndarray:
    """The assumed lag in ms at the edge for each of GAINS, below (-1) or above (1) the true lag; straight beyond."""
    points = sorted(
        (gain, 1000.0 * lag)
        for lag, gains in zip(ASSUMED.tolist(), found.assumed_edges, strict=True)
        if side * (lag - ACTUATOR_LAG) > 0.0
        for gain in gains
    )
    gains, lags = np.array(points).T
    line = np.interp(GAINS, gains, lags)
    for outside, a, b in ((gains[0] > GAINS, 0, 1), (gains[-1] < GAINS, -2, -1)):
        slope = (lags[b] - lags[a]) / (gains[b] - gains[a])
        line[outside] = lags[a] + slope * (GAINS[outside] - gains[a])
    return line


def stable_area(found: Stability) -> Figure:
    """Growth over lambda: pure delays, and a feedforward that takes the lag for less or more than it is."""
    from matplotlib import colormaps, rc_context

    with rc_context(STYLE):
        figure = figure_of(3.6)
        left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.1))
        for i, (delay, growths) in enumerate(zip(DELAYS, found.delays, strict=True)):
            colour = colormaps["viridis"](0.9 * i / (len(DELAYS) - 1))
            left.plot(GAINS, growths, color=colour, label=f"{1000.0 * delay:g} ms")
        left.axhline(0.0, color="0.4", linewidth=0.7)
        left.set_xlim(0.0, 1.0)
        left.set_xlabel(r"$\lambda$")
        left.set_ylabel("growth [1/s]; above 0 unstable")
        left.set_title("pure delay")
        left.legend(frameon=False, loc="upper right")
        milliseconds = 1000.0 * ASSUMED
        late, lead = (_edge(found, side) for side in (-1, 1))
        right.fill_between(GAINS, milliseconds[0], late, color="#F6D9C6", linewidth=0.0)
        right.fill_between(GAINS, late, lead, color="#CFE6D8", linewidth=0.0)
        right.fill_between(GAINS, lead, 2.0 * milliseconds[-1], color="#F6D9C6", linewidth=0.0)
        for side in (late, lead):
            right.plot(GAINS, side, color="0.2", linewidth=1.0)
        right.set_xlim(0.0, 1.0)
        right.set_ylim(milliseconds[0], milliseconds[-1])
        for gain, lag, word in ((0.5, 10.4, "stable"), (0.3, 7.5, "unstable: late"), (0.83, 13.6, "unstable: lead")):
            right.text(gain, lag, word, ha="center", va="center", fontsize=9.0)
        right.axhline(1000.0 * ACTUATOR_LAG, color="0.4", linewidth=0.7, linestyle=":")
        right.set_xlabel(r"$\lambda$")
        right.set_ylabel("lag the feedforward is set for [ms]")
        right.set_title("actuator of 10 ms with feedforward")
        letters((left, right))
    return figure
