"""Performance/stability diagrams, PSI Fig. 3.2, and the choice of a partition by PPI and damping, Fig. 4.14."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.runtime.export import paper_figure
from hybsim.studies.indicators.cases import CASE_STUDY, CASE_STUDY_OMEGA_N, CASE_STUDY_TAU, TABLE_3_1, Case, shares
from hybsim.studies.indicators.figures_style import (
    BLACK,
    BLUE,
    DELAY_LABEL,
    GREEN,
    ORANGE,
    SHARE_LABELS,
    STYLE,
    in_signs,
    letters,
    shade_neutral,
)
from hybsim.studies.indicators.performance import ppi_map
from hybsim.studies.indicators.sdof import dominant_root_map, effective_damping, omega_cr_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST = 0.3
"""Omega up to which the diagrams go."""

MAP = 240
"""Points along each axis of one diagram."""

DECADES = np.arange(-4.0, 4.0)
"""Of the PPI: contours and limits of the colours."""


def performance_map(case: Case, count: int = MAP) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Omega, shares, and the PPI over both: nan where the test is unstable."""
    omega, share = np.linspace(0.0, LONGEST, count + 1)[1:], shares(count)
    found = ppi_map(*case.partition(share[:, None]), omega[None, :])
    return omega, share, np.where(np.isfinite(found), found, np.nan)


def draw_performance() -> Figure:
    """Fig. 3.2: the PPI of the nine cases in colour, over the delay and a share, with the limit of stability."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 7.8), layout="constrained")
        areas: Any = figure.subplots(3, 3, sharex=True).ravel()
        shade: Any = None
        for area, case in zip(areas, TABLE_3_1, strict=True):
            shade = _map(area, case)
            area.set_title(in_signs(case.words()), fontsize=8.0, loc="right")
        for area in areas[6:]:
            area.set_xlabel(DELAY_LABEL)
        bar = figure.colorbar(
            shade, ax=areas, label="PPI [-]", extend="both", location="bottom", shrink=0.6, aspect=40, pad=0.02
        )
        bar.ax.grid(False)
        letters(areas)
    return figure


def _map(area: Axes, case: Case) -> Any:
    from matplotlib.colors import LogNorm

    omega, share, found = performance_map(case)
    levels = 10.0**DECADES
    shade = area.pcolormesh(
        omega, share, found, norm=LogNorm(levels[0], levels[-1]), cmap="cividis", rasterized=True, shading="nearest"
    )
    area.contour(omega, share, found, levels=levels, colors="white", linewidths=0.5)
    fine = shares(2001)
    limit = np.broadcast_to(omega_cr_map(*case.partition(fine)), fine.shape)
    area.plot(np.where(limit > 0.0, limit, np.nan), fine, color=ORANGE, linewidth=1.5)
    if case.free == "alpha":
        shade_neutral(area, 0.0, 0.5, words="unstable")
    area.set(xlim=(0.0, LONGEST), ylim=(0.0, 1.0), ylabel=SHARE_LABELS[case.free], facecolor="0.93")
    area.grid(False)
    return shade


def draw_effective_damping() -> Figure:
    """Fig. 4.14: (a) the PPI and (b) the damping that the delay takes, over gamma, in the case study of Sec. 4.3."""
    from matplotlib import rc_context

    omega = CASE_STUDY_OMEGA_N * CASE_STUDY_TAU
    gamma = shares(1001)
    where = (*CASE_STUDY.partition(gamma), omega)
    zeta = float(where[3])
    error = ppi_map(*where)
    roots = dominant_root_map(*where)
    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 3.9), layout="constrained")
        areas: Any = figure.subplots(1, 2, sharey=True)
        areas[0].plot(np.where(np.isfinite(error), error, np.nan), gamma, color=BLACK)
        areas[0].set_xscale("log")
        areas[0].set(xlabel="PPI [-]", ylabel=SHARE_LABELS["gamma"], ylim=(0.0, 1.0))
        here = float(ppi_map(*CASE_STUDY.partition(CASE_STUDY.gamma), omega))
        areas[0].plot([here], [CASE_STUDY.gamma], marker="X", color=BLUE, markersize=7.0, linestyle="none")
        areas[0].annotate(
            rf"$\gamma = \alpha = 0.75$: PPI = {here:.3g}", (here, CASE_STUDY.gamma), xytext=(12, -42),
            textcoords="offset points", color=BLUE, fontsize=8.5,
            arrowprops=dict(arrowstyle="-", color=BLUE, lw=0.7, shrinkB=4.0),
        )  # fmt: skip
        for values, colour, line, label in (
            (zeta - effective_damping(*where), BLUE, "-", r"signed, Im $\Gamma(j)/2$"),
            (zeta + roots.real, GREEN, (0, (4, 1.5)), "exact root, $-$Re $s$"),
            (zeta - printed_effective_damping(*where), ORANGE, ":", "Eq. 3.13 as printed"),
        ):
            areas[1].plot(1000.0 * values, gamma, color=colour, linestyle=line, label=label)
        areas[1].axvline(1000.0 * zeta, color="0.4", linewidth=0.7)
        areas[1].text(1000.0 * zeta + 3.0, 0.04, "no damping left", fontsize=8.5, color="0.3")
        areas[1].set_xlabel(r"$(\zeta - \zeta_{eff}) \times 10^3$ [-]")
        areas[1].legend(loc="upper right", frameon=False)
        unstable = gamma[~np.isfinite(error)]
        for area in areas:
            area.axhspan(0.0, float(unstable.max(initial=0.0)), facecolor="0.93", linewidth=0.0, zorder=0.4)
        areas[0].text(0.5, 0.3, "unstable", transform=areas[0].transAxes, ha="center", fontsize=9.0, color="0.3")
        letters(areas)
    return figure


def printed_effective_damping(alpha: Any, beta: Any, gamma: Any, zeta: Any, omega_tau: Any) -> Any:
    """Eqs. 3.13 and 3.14 as they are printed: a root, so never below 0."""
    lost = 1.0 - np.cos(omega_tau)
    a_0, a_1 = 0.5 * (gamma - alpha) ** 2 * lost, np.sin(omega_tau) * (gamma - alpha)
    return np.sqrt(np.maximum(0.0, a_0 + a_1 * zeta + (1.0 + 2.0 * beta * lost * (beta - 1.0)) * zeta**2))
