"""The figures of the OSM study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.diagrams.osm_columns import column
from hybsim.studies.osm.amplification import Curve
from hybsim.studies.osm.fibre import DT as FIBRE_DT
from hybsim.studies.osm.fibre import NAMES as FIBRE_NAMES
from hybsim.studies.osm.osm_runs import M_DAMPINGS, MS, Found, Run, Unbalanced
from hybsim.studies.reporting.figure_style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PINK,
    SKY,
    STYLE,
    YELLOW,
    figure_of,
    letters,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES = (BLACK, BLUE, ORANGE, GREEN, PINK)
LOOKS = {"osm": ("OSM", ORANGE, "-"), "alpha-os": ("$\\alpha$-OS", YELLOW, "--"), "osm-us": ("OSM-US", BLUE, "-")}
NAMES = {"none": "undamped", "initial": "3 %, initial stiffness", "tangent": "3 %, tangent stiffness",
         "mass": "3 %, mass"}  # fmt: skip
SMOOTHED = 0.1
"""Seconds over which the lines of the unbalanced moments are averaged."""

FIBRE_LINES = (
    ("reference", "OpenSees alone", BLACK, "-"), ("osm", "OSM", ORANGE, "-"), ("osm-us", "OSM-US", BLUE, "--"),
)  # fmt: skip


def responses(found: Found) -> Figure:
    """The top node of Models 1 to 3 with tangent damping (Figs. 6, 8, 9b)."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = figure_of(6.0)
        areas = figure.subplots(3, 2, width_ratios=(2, 1))
        for (history, energy), model in zip(areas, (1, 2, 3), strict=True):
            one = found.of(model, "tangent", "osm")
            history.plot(one.t, one.reference, color=BLACK, linewidth=1.4, label="reference")
            for name in ("osm", "osm-us"):
                run = found.of(model, "tangent", name)
                label, colour, _ = LOOKS[name]
                history.plot(run.t, run.disp, color=colour, linestyle="--" if name == "osm-us" else "-", label=label)
                energy.plot(run.t, run.energy, color=colour)
            history.set_xlim(0.0, 12.0 if model < 3 else 30.0)
            history.set_ylabel("top node [in]")
            energy.set_ylabel("$E_c$ [kip in]")
            history.set_title(f"Model {model}, T = {column(model).periods[0]:.2f} s")
            energy.margins(x=0.0)
            energy.set_ylim(bottom=0.0)
            for area in (history, energy):
                area.set_xlabel("time [s]")
        letters(areas)
        figure.legend(handles=areas[0, 0].lines, loc="outside lower center", ncols=3, frameon=False)
    return figure


def energies(found: Found) -> Figure:
    """E_c of Model 2 with every damping definition (Fig. 7b, and what it becomes)."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = figure_of(4.6)
        areas = figure.subplots(2, 2, sharex=True)
        for area, (damping, name) in zip(areas.ravel(), NAMES.items(), strict=True):
            for integrator, (label, colour, line) in LOOKS.items():
                run = found.of(2, damping, integrator)
                area.plot(run.t, run.energy, color=colour, linestyle=line, label=label)
            area.set_title(name)
            area.margins(x=0.0)
            area.set_ylim(bottom=0.0)
        for area in areas[:, 0]:
            area.set_ylabel("$E_c$ [kip in]")
        for area in areas[1]:
            area.set_xlabel("time [s]")
        letters(areas)
        figure.legend(handles=areas[0, 0].lines, loc="outside lower center", ncols=3, frameon=False)
    return figure


def influence_of_m(found: Found) -> Figure:
    """E_c at the end against m, and the displacements with three m (Fig. 10)."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = figure_of(3.5)
        left, right = figure.subplots(1, 2)
        for damping, colour in zip(M_DAMPINGS, (BLACK, GREEN, BLUE), strict=True):
            values = [found.with_m(damping, m).energy[-1] for m in MS]
            left.plot(MS, values, color=colour, marker="o", markersize=3.5, label=f"OSM-US, {NAMES[damping]}")
            osm = found.of(3, damping, "osm").energy[-1]
            left.axhline(osm, color=colour, linestyle=":", label="dotted: OSM" if damping == "none" else None)
        left.set(xscale="log", yscale="log", xlabel="increments m", ylabel="$E_c$ at the end [kip in]")
        left.set_xticks(MS, [str(m) for m in MS])
        left.set_xticks([], minor=True)
        shown: list[tuple[Run, str, str]] = [(found.of(3, "tangent", "osm"), "OSM", ORANGE)]
        shown += [(found.with_m("tangent", m), f"OSM-US, m = {m}", c) for m, c in ((8, BLUE), (40, SKY), (80, PINK))]
        for run, label, colour in shown:
            right.plot(run.t, run.disp - run.reference, color=colour, label=label)
        right.margins(x=0.0)
        right.set(xlabel="time [s]", ylabel="top node, difference to reference [in]", title=NAMES["tangent"])
        letters((left, right))
        for area in (left, right):
            area.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, frameon=False, fontsize=7.5)
    return figure


def amplification(found: Found) -> Figure:
    """Spectral radius, numerical damping and period elongation (Figs. 14-17)."""
    from matplotlib import rc_context

    rows = (("xi", "damping ratio $\\xi$"), ("alpha", "stiffness ratio $\\alpha$"),
            ("beta", "damping ratio known, $\\beta$"), ("alpha-os", "$\\alpha$-OS"))  # fmt: skip
    with rc_context(STYLE):
        figure = figure_of(8.2)
        areas = figure.subplots(4, 3, sharex=True)
        for line, (name, title) in zip(areas, rows, strict=True):
            chosen = [curve for curve in found.curves if curve.figure == name]
            for curve, colour in zip(chosen, LINES, strict=False):
                _characteristics(line, curve, colour)
            line[0].legend(frameon=False, fontsize=7.0, title=title, title_fontsize=7.5, loc="lower left")
            line[0].set_ylabel("spectral radius")
            line[1].set_ylabel("numerical damping [%]")
            line[2].set_ylabel("period elongation [%]")
        areas[0, 0].set_ylim(0.86, 1.02)
        areas[1, 0].set_ylim(0.86, 1.02)
        areas[2, 0].set_ylim(0.86, 1.02)
        areas[0, 0].set_xlim(0.0, 4.0)
        for area in areas[-1]:
            area.set_xlabel("$\\Omega = \\omega\\,\\Delta t$")
        letters(areas)
    return figure


def _characteristics(line: Any, curve: Curve, colour: str) -> None:
    line[0].plot(curve.w, curve.radius, color=colour, label=curve.label)
    line[1].plot(curve.w, 100.0 * curve.numerical_damping, color=colour)
    line[2].plot(curve.w, 100.0 * curve.elongation, color=colour)


def control_errors(found: Found) -> Figure:
    """Model 2 with and without control errors (Fig. 12)."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = figure_of(4.4)
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        case = next(e for e in found.errors if (e.integrator, e.damping) == ("osm-us", "none"))
        upper.plot(case.t, case.clean, color=BLACK, linewidth=1.4, label="OSM-US without errors")
        upper.plot(case.t, case.disp[0], color=BLUE, linestyle="--", label="OSM-US with errors, first seed")
        for name in ("osm", "osm-us"):
            one = next(e for e in found.errors if (e.integrator, e.damping) == (name, "none"))
            spread = np.abs(one.disp - one.clean).max(axis=0)
            lower.plot(one.t, spread, color=LOOKS[name][1], label=f"{LOOKS[name][0]}, largest of all seeds")
        upper.set(ylabel="top node [in]")
        lower.set(ylabel="change by errors [in]", xlabel="time [s]")
        for area in (upper, lower):
            area.margins(x=0.0)
            area.legend(frameon=False, ncols=2, loc="upper right")
        upper.set_ylim(top=1.35 * float(np.abs(case.clean).max()))
        lower.set_ylim(0.0, 1.4 * lower.get_ylim()[1])
        letters((upper, lower))
    return figure


def unbalanced(found: Found) -> Figure:
    """Normalised unbalanced moment of Model 4 (Fig. 13)."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = figure_of(3.2)
        areas = figure.subplots(1, 2)
        for area, damping in zip(areas, ("none", "tangent"), strict=True):
            for name in ("osm", "osm-us"):
                moments = found.moments(damping, name)
                label, colour, line = LOOKS[name]
                _portion(area, moments, colour, line, label)
            _portion(area, found.moments(damping, "reference"), BLACK, "-", "reference (rotary inertia)")
            area.set(xlabel="time [s]", yscale="log", ylim=(1e-5, 0.2))
            area.margins(x=0.0)
            area.set_title(NAMES[damping])
        areas[0].set_ylabel("$|M_t + M_b| / M_{max}$")
        letters(areas)
        figure.legend(*areas[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    return figure


def _portion(area: Axes, moments: Unbalanced, colour: str, line: str, label: str) -> None:
    """Every step, pale, and the mean over SMOOTHED around it."""
    shown = (moments.t >= 4.0) & (moments.t <= 6.0)
    count = round(SMOOTHED / (moments.t[1] - moments.t[0]))
    mean = np.convolve(moments.ratio, np.full(count, 1.0 / count), mode="same")
    area.plot(moments.t[shown], moments.ratio[shown], color=colour, linewidth=0.4, alpha=0.3)
    area.plot(moments.t[shown], mean[shown], color=colour, linestyle=line, label=label, linewidth=1.3)


def fibre(found: Found) -> Figure:
    """The fibre columns with damping by the tangent stiffness."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = figure_of(1.0 + 1.7 * len(found.fibre.columns))
        areas = figure.subplots(len(found.fibre.columns), 1, sharex=True)
        for area, storeys in zip(areas, found.fibre.columns, strict=True):
            for name, label, colour, line in FIBRE_LINES:
                disp = np.array(found.fibre.run(storeys, "tangent", name)["disp"])
                width = 1.6 if name == "reference" else 0.9
                area.plot(
                    FIBRE_DT * np.arange(len(disp)), disp, color=colour, linestyle=line, linewidth=width, label=label
                )
            area.set(ylabel="top node [in]")
            area.set_title(FIBRE_NAMES[storeys])
            area.margins(x=0.0)
        areas[-1].set_xlabel("time [s]")
        letters(areas)
        figure.legend(handles=areas[0].lines, loc="outside lower center", ncols=3, frameon=False)
    return figure
