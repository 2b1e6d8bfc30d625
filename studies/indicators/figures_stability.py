"""Stability diagrams and regions: PSI Figs. 2.1, 2.4 and 2.5, with what a delayed mass changes about them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.runtime.export import paper_figure
from hybsim.studies.indicators.cases import CASE_II, CONFIGURATIONS, DAMPING_RATIOS, TABLE_2_1, Case, shares
from hybsim.studies.indicators.characteristic import TURN, crossing_angle, gap, numerical, physical
from hybsim.studies.indicators.figures_style import (
    BLACK,
    BLUE,
    DELAY_LABEL,
    GREEN,
    ORANGE,
    PURPLE,
    SHARE_LABELS,
    STYLE,
    YELLOW,
    in_signs,
    letters,
    shade_neutral,
)
from hybsim.studies.indicators.regions import critical_frequencies, number_of_frequencies, unconditional_range
from hybsim.studies.indicators.sdof import omega_cr_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = dict(zip(DAMPING_RATIOS, (BLUE, GREEN, YELLOW, ORANGE, PURPLE), strict=True))

LONGEST = 6.5
"""Omega up to which the diagrams go: a little more than a natural period."""

COUNT = 401
"""Shares along a case, besides those near the tips of its curves."""

FEW = 2
"""Crossings of either direction that are drawn: near alpha = 1/2 there are ever more."""

HIGHEST = 1e3
"""phi of the crossings that are drawn: at alpha = 1/2 one of them has no end."""

MAP = 500
"""Points along each axis of a map."""


def draw_stability_diagrams() -> Figure:
    """Fig. 2.1: the first switch in colour, later crossings thin; dashed what is printed where mass is delayed."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 7.0), layout="constrained")
        areas: Any = figure.subplots(2, 2, sharex=True).ravel()
        for area, case in zip(areas, TABLE_2_1, strict=True):
            _diagram(area, case, DAMPING_RATIOS)
            area.set_title(f"{case.name}: {in_signs(case.words())}")
        for number, partition in CONFIGURATIONS:
            area, case = areas[number - 1], TABLE_2_1[number - 1]
            share = dict(zip(("alpha", "beta", "gamma"), partition, strict=False))[case.free]
            omega = float(omega_cr_map(*partition))
            area.plot([omega], [share], marker="o", color=BLACK, markersize=4.0, zorder=6)
            area.annotate(
                f"Table 2.2, no. {number}", (omega, share), xytext=(6, 5), textcoords="offset points", fontsize=8.0,
                zorder=6, bbox=dict(facecolor="white", edgecolor="none", alpha=0.8, pad=0.5),
            )  # fmt: skip
        for area in areas[2:]:
            area.set_xlabel(DELAY_LABEL)
        figure.legend(*areas[0].get_legend_handles_labels(), loc="outside upper center", ncols=5, frameon=False)
        letters(areas)
    return figure


def _diagram(area: Axes, case: Case, ratios: Sequence[float]) -> None:
    for zeta in ratios:
        colour = COLOURS[zeta]
        share = tipped_shares(case, zeta)
        omega = np.broadcast_to(omega_cr_map(*case.partition(share, zeta)), share.shape)
        drawn = np.where((omega > 0.0) & np.isfinite(omega), omega, np.nan)
        area.plot(drawn, share, color=colour, label=f"$\\zeta$ = {100.0 * zeta:g} %", zorder=4)
        for neutral, curve in crossing_curves(case, zeta, share):
            look: Any = dict(linestyle=(0, (3, 2)), linewidth=0.7) if neutral else dict(linewidth=0.5, alpha=0.7)
            area.plot(curve, share, color=colour, zorder=3, **look)
    area.set(xlim=(0.0, LONGEST), ylim=(0.0, 1.0), ylabel=SHARE_LABELS[case.free])
    if case.free == "alpha":
        shade_neutral(area, 0.0, 0.5, words="unstable with any delay")
    elif case.alpha <= 0.5:
        shade_neutral(area, 0.0, 1.0, words="unstable with any delay")


def tipped_shares(case: Case, zeta: float) -> np.ndarray:
    """Shares from 0 to 1 that come close to each other where two crossings meet and end."""
    even = shares(COUNT)

    def discriminant(share: Any) -> Any:
        return gap(*case.partition(share, zeta))[3]

    sign = np.signbit(discriminant(even))
    near = 0.5 ** np.arange(1.0, 40.0) / COUNT
    tips = []
    for i in np.flatnonzero(sign[1:] != sign[:-1]):
        low, high = float(even[i]), float(even[i + 1])
        for _ in range(50):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if np.signbit(discriminant(middle)) == sign[i] else (low, middle)
        tips += [low - near, high + near, [low, high]]
    return np.unique(np.clip(np.concatenate([even, *tips]), 0.0, 1.0))


def crossing_curves(case: Case, zeta: float, share: np.ndarray) -> list[tuple[bool, np.ndarray]]:
    """Omega of the crossings along a case, a curve each, and whether alpha <= 1/2 there."""
    where = case.partition(share, zeta)
    neutral = np.broadcast_to(np.asarray(where[0]) <= 0.5, share.shape)
    curves = []
    for phi in critical_frequencies(*where):
        phi = np.where(phi < HIGHEST, phi, np.nan)
        angle = crossing_angle(numerical(1j * phi, *where), physical(1j * phi, *where))
        for number in range(FEW):
            omega = (angle + number * TURN) / phi
            curves += [(side, np.where(neutral == side, omega, np.nan)) for side in (True, False)]
    return [(side, omega) for side, omega in curves if np.isfinite(omega).any()]


def draw_regions() -> Figure:
    """Fig. 2.4: (a) Omega_cr and (b) phi_cr of case II at 5 % damping, with the number of critical frequencies."""
    from matplotlib import rc_context

    zeta = 0.05
    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 3.9), layout="constrained")
        areas: Any = figure.subplots(1, 2, sharey=True)
        share = tipped_shares(CASE_II, zeta)
        right, left = critical_frequencies(*CASE_II.partition(share, zeta))
        _diagram(areas[0], CASE_II, [zeta])
        areas[1].plot(right, share, color=COLOURS[zeta], label="becomes unstable")
        areas[1].plot(left, share, color=BLUE, linestyle=(0, (4, 1.5)), label="becomes stable again")
        count = number_of_frequencies(*CASE_II.partition(share, zeta))
        for area in areas:
            _bands(area, share, count, named=area is areas[1])
        areas[0].set_xlabel(DELAY_LABEL)
        areas[1].set(xlabel=r"$\phi_{cr} = \omega_{cr}/\omega_n$ [-]", xlim=(0.0, 1.3))
        areas[1].legend(loc="lower left", frameon=True, framealpha=0.9, edgecolor="none")
        letters(areas)
    return figure


REGIONS = {
    0: ("0.80", "none: stable with any delay"),
    1: ("1.00", "one critical frequency"),
    2: ("0.93", "two critical frequencies"),
}


def _bands(area: Axes, share: np.ndarray, count: np.ndarray, *, named: bool) -> None:
    """The regions along the vertical axis by the number of critical frequencies."""
    edges = [0, *(np.flatnonzero(np.diff(count)) + 1), count.size]
    for first, last in pairwise(edges):
        low, high = share[first], share[min(last, share.size - 1)]
        shade, words = REGIONS[int(count[first])]
        area.axhspan(low, high, facecolor=shade, linewidth=0.0, zorder=0.4)
        if named:
            area.text(0.05, 0.5 * (low + high), words, va="center", fontsize=8.0)


def draw_unconditional() -> Figure:
    """Fig. 2.5: the range of gamma - alpha in which case II is stable with any delay, over Omega_cr elsewhere."""
    from matplotlib import rc_context
    from matplotlib.colors import LogNorm

    gamma, zeta = shares(MAP), np.linspace(0.0, 0.25, MAP + 1)[1:]
    omega = omega_cr_map(*CASE_II.partition(gamma[None, :], zeta[:, None]))
    low, high = unconditional_range(CASE_II.alpha, CASE_II.beta, zeta)
    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 3.9), layout="constrained")
        area: Any = figure.subplots()
        shade = area.pcolormesh(
            gamma - CASE_II.alpha, 100.0 * zeta, np.where(np.isfinite(omega), omega, np.nan), cmap="cividis",
            norm=LogNorm(0.01, math.pi), rasterized=True, shading="nearest",
        )  # fmt: skip
        bar = figure.colorbar(shade, ax=area, label=r"$\Omega_{cr}$ [rad]", extend="both")
        bar.ax.grid(False)
        for bound in (low, high):
            area.plot(bound - CASE_II.alpha, 100.0 * zeta, color=BLACK)
        area.plot(printed_bound(zeta), 100.0 * zeta, color=ORANGE, linestyle="--", linewidth=1.2)
        area.annotate(
            "Eq. 2.21 as printed, without the square:\nall to the left of this line", (printed_bound(0.07), 7.0),
            xytext=(-0.62, 10.5), color=ORANGE, fontsize=8.5, arrowprops=dict(arrowstyle="-", color=ORANGE, lw=0.7),
            bbox=dict(facecolor="white", edgecolor="none", alpha=0.9, pad=2.0),
        )  # fmt: skip
        area.text(-0.06, 21.5, "stable with\nany delay", ha="center", va="center", fontsize=8.5)
        area.set(
            xlabel=r"$\gamma - \alpha$ [-]", ylabel=r"damping ratio $\zeta$ [%]", ylim=(0.0, 25.0),
            xlim=(-CASE_II.alpha, 1.0 - CASE_II.alpha),
        )  # fmt: skip
    return figure


def printed_bound(zeta: Any) -> Any:
    """The gamma - alpha below which Eq. 2.21 holds as it is printed, for case II."""
    alpha, damping = CASE_II.alpha, 4.0 * np.square(zeta) * (1.0 - 2.0 * CASE_II.beta)
    return damping * (1.0 - 2.0 * alpha - (1.0 - 2.0 * CASE_II.beta) * np.square(zeta)) / (1.0 + damping)
