"""The figures of the OSM study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.diagrams.osm_columns import column
from hybsim.runtime.export import PAPER, paper_figure
from hybsim.studies.osm.amplification import Curve
from hybsim.studies.osm.osm_runs import M_DAMPINGS, MS, Found, Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, PINK, YELLOW, SKY, BLACK = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"
)  # fmt: skip
LINES = (BLACK, BLUE, ORANGE, GREEN, PINK)
LOOKS = {"osm": ("OSM", ORANGE, "-"), "alpha-os": ("$\\alpha$-OS", YELLOW, "--"), "osm-us": ("OSM-US", BLUE, "-")}
NAMES = {"none": "undamped", "initial": "3 %, initial stiffness", "tangent": "3 %, tangent stiffness",
         "mass": "3 %, mass"}  # fmt: skip
FIBRE_LINES = (
    ("reference", "OpenSees alone", BLACK, "-"), ("osm", "OSM", ORANGE, "-"), ("osm-us", "OSM-US", BLUE, "--"),
)  # fmt: skip

STYLE: Any = {
    **PAPER, "font.size": 9.0, "axes.labelsize": 9.0, "axes.titlesize": 9.5, "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0, "legend.fontsize": 8.5, "lines.linewidth": 0.9, "mathtext.fontset": "stix",
}  # fmt: skip


def _figure(height: float) -> Figure:
    return paper_figure()(figsize=(7.2, height), layout="constrained")


def _letters(areas: Any) -> None:
    for area, letter in zip(np.ravel(areas), "abcdefghijkl", strict=False):
        area.set_title(f"({letter})", loc="left")


def responses(found: Found) -> Figure:
    """The top node of Models 1 to 3 with tangent damping (Figs. 6, 8, 9b)."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = _figure(6.0)
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
        _letters(areas)
        figure.legend(handles=areas[0, 0].lines, loc="outside lower center", ncols=3, frameon=False)
    return figure


def energies(found: Found) -> Figure:
    """E_c of Model 2 with every damping definition (Fig. 7b, and what it becomes)."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = _figure(4.6)
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
        _letters(areas)
        figure.legend(handles=areas[0, 0].lines, loc="outside lower center", ncols=3, frameon=False)
    return figure


def influence_of_m(found: Found) -> Figure:
    """E_c at the end against m, and the displacements with three m (Fig. 10)."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = _figure(3.4)
        left, right = figure.subplots(1, 2)
        for damping, colour in zip(M_DAMPINGS, (BLACK, GREEN, BLUE), strict=True):
            values = [found.with_m(damping, m).energy[-1] for m in MS]
            left.plot(MS, values, color=colour, marker="o", markersize=3.5, label=f"OSM-US, {NAMES[damping]}")
            osm = found.of(3, damping, "osm").energy[-1]
            left.axhline(osm, color=colour, linestyle=":", label=f"OSM, {NAMES[damping]}")
        left.set(xscale="log", yscale="log", xlabel="increments m", ylabel="$E_c$ at the end [kip in]")
        left.set_xticks(MS, [str(m) for m in MS])
        left.set_xticks([], minor=True)
        shown: list[tuple[Run, str, str]] = [(found.of(3, "tangent", "osm"), "OSM", ORANGE)]
        shown += [(found.with_m("tangent", m), f"OSM-US, m = {m}", c) for m, c in ((8, BLUE), (40, SKY), (80, PINK))]
        for run, label, colour in shown:
            right.plot(run.t, run.disp - run.reference, color=colour, label=label)
        right.margins(x=0.0)
        right.set(xlabel="time [s]", ylabel="top node, difference to reference [in]", title=NAMES["tangent"])
        _letters((left, right))
        figure.legend(
            handles=[*left.lines, *right.lines], loc="outside lower center", ncols=3, frameon=False, fontsize=7.5
        )
    return figure


def amplification(found: Found) -> Figure:
    """Spectral radius, numerical damping and period elongation (Figs. 14-17)."""
    from matplotlib import rc_context

    rows = (("xi", "damping ratio $\\xi$"), ("alpha", "stiffness ratio $\\alpha$"),
            ("beta", "damping ratio known, $\\beta$"), ("alpha-os", "$\\alpha$-OS"))  # fmt: skip
    with rc_context(STYLE):
        figure = _figure(8.2)
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
        _letters(areas)
    return figure


def _characteristics(line: Any, curve: Curve, colour: str) -> None:
    line[0].plot(curve.w, curve.radius, color=colour, label=curve.label)
    line[1].plot(curve.w, 100.0 * curve.numerical_damping, color=colour)
    line[2].plot(curve.w, 100.0 * curve.elongation, color=colour)


def control_errors(found: Found) -> Figure:
    """Model 2 with and without control errors (Fig. 12)."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = _figure(4.4)
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
        _letters((upper, lower))
    return figure


def unbalanced(found: Found) -> Figure:
    """Normalised unbalanced moment of Model 4 (Fig. 13)."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = _figure(3.2)
        areas = figure.subplots(1, 2)
        for area, damping in zip(areas, ("none", "tangent"), strict=True):
            for name in ("osm", "osm-us"):
                moments = found.moments(damping, name)
                label, colour, line = LOOKS[name]
                _portion(area, moments.t, moments.ratio, colour, line, label)
            true = found.moments(damping, "reference")
            _portion(area, true.t, true.ratio, BLACK, "-", "reference (rotary inertia)")
            area.set(xlabel="time [s]", yscale="log", ylim=(1e-6, 1.0))
            area.set_title(NAMES[damping])
        areas[0].set_ylabel("$|M_t + M_b| / M_{max}$")
        _letters(areas)
        figure.legend(handles=areas[0].lines, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _portion(area: Axes, t: np.ndarray, ratio: np.ndarray, colour: str, line: str, label: str) -> None:
    shown = (t >= 4.0) & (t <= 6.0)
    area.plot(t[shown], ratio[shown], color=colour, linestyle=line, label=label, linewidth=0.8)
    area.margins(x=0.0)


def fibre(found: Found) -> Figure:
    """The fibre columns with damping by the tangent stiffness."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = _figure(4.4)
        areas = figure.subplots(2, 1, sharex=True)
        for area, storeys in zip(areas, found.fibre.columns, strict=True):
            for name, label, colour, line in FIBRE_LINES:
                disp = np.array(found.fibre.run(storeys, "tangent", name)["disp"])
                width = 1.6 if name == "reference" else 0.9
                area.plot(
                    0.005 * np.arange(len(disp)), disp, color=colour, linestyle=line, linewidth=width, label=label
                )
            area.set(ylabel="top node [in]")
            area.set_title("one storey" if storeys == 1 else "two storeys")
            area.margins(x=0.0)
        areas[-1].set_xlabel("time [s]")
        _letters(areas)
        figure.legend(handles=areas[0].lines, loc="outside lower center", ncols=3, frameon=False)
    return figure
