"""The figures of the study of the force-based formulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.interpolate import RectBivariateSpline

from hybsim.diagrams.force_based import DT, FREQUENCY
from hybsim.studies.force.cases import ACTUATOR_LATE, BOTH_SLOW, CASES, FAST, MEASURED, TABLE_LATE
from hybsim.studies.force.floors import FLOORS
from hybsim.studies.force.found import LOADS, MASSES, Found
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
    from matplotlib.figure import Figure

SHOWN = slice(round(10.0 / DT), round(12.5 / DT) + 1)
"""A part of the twenty seconds in which a delay of 13 ms can be seen."""

PANELS = ("2", "5", "3", "6", "4", "7", "5 (Eq. 2)", "7 (Eq. 2)")


def responses(found: Found) -> Figure:
    """Displacements of the cases with a late table, over the whole structure's."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = figure_of(8.0)
        areas = figure.subplots(4, 2, sharex=True, sharey=True)
        for area, case in zip(areas.flat, PANELS, strict=True):
            run = found.of(case, TABLE_LATE)
            t = DT * np.arange(len(run.whole))[SHOWN]
            area.plot(t, 1e3 * run.whole[SHOWN], color=BLACK, linewidth=1.4, label="whole structure")
            area.plot(t, 1e3 * run.disp[SHOWN], color=ORANGE, linestyle="--", linewidth=1.2,
                      label="split test, table 13 ms late")  # fmt: skip
            name = "case 2 (and 1)" if case == "2" else f"case {case}"
            area.set_title(f"{name}: rms error {100.0 * run.rms_error + 0.0:.1f} %")
            area.margins(x=0.0)
        for area in areas[:, 0]:
            area.set_ylabel("displacement [mm]")
        for area in areas[-1]:
            area.set_xlabel("time [s]")
        letters(areas)
        figure.legend(handles=areas[0, 0].lines, loc="outside lower center", ncols=2, frameon=False)
    return figure


def errors(found: Found) -> Figure:
    """Peak and rms error of each case: with late devices, and with slow ones and both sources of the inertia."""
    from matplotlib import rc_context

    rows = (
        ("pure delays of 13 ms", ((TABLE_LATE, ORANGE), (ACTUATOR_LATE, BLUE))),
        ("dynamics; inertia from the model, or measured", ((BOTH_SLOW, GREEN), (MEASURED, PINK), (FAST, YELLOW))),
    )
    with rc_context(STYLE):
        figure = figure_of(6.6)
        areas = figure.subplots(2, 1, sharex=True, sharey=True)
        for area, (title, shown) in zip(areas, rows, strict=True):
            width = 0.8 / len(shown)
            for i, (devices, colour) in enumerate(shown):
                for at, case in enumerate(CASES):
                    if (case, devices.name) not in found.runs:
                        continue
                    run, x = found.of(case, devices), at + (i - 0.5 * (len(shown) - 1)) * width
                    area.bar(x, 100.0 * run.rms_error, 0.9 * width, color=colour)
                    area.plot([x], [100.0 * run.peak_error], color=BLACK, marker="_", markersize=9.0)
                area.bar([0], [0.0], color=colour, label=devices.prose)
            area.plot([], [], color=BLACK, marker="_", markersize=9.0, linestyle="none", label="peak error")
            area.set_title(title)
            area.set_ylabel("error of displacement [%]")
            area.set_axisbelow(True)
            area.set_ylim(0.0, 145.0)
            area.set_yticks(range(0, 101, 20))
            area.legend(loc="upper left", frameon=False, fontsize=8.0)
        areas[-1].set_xticks(range(len(CASES)), [case.replace(" ", "\n", 1) for case in CASES])
        areas[-1].set_xlabel("loading case [-]")
        letters(areas)
    return figure


CAPACITY_LINES = {
    "actuator_force": (BLUE, "actuator force"), "actuator_stroke": (SKY, "actuator stroke"),
    "actuator_velocity": (PINK, "actuator velocity"), "table_acceleration": (YELLOW, "table acceleration"),
    "table_stroke": (ORANGE, "table stroke"), "table_velocity": (GREEN, "table velocity"),
    "table_force": ("#7A4B00", "table force"), "table_payload": (BLACK, "table payload"),
}  # fmt: skip


def delays(found: Found) -> Figure:
    """The rms error against the delay of the table, with theory where there is one."""
    from matplotlib import rc_context

    looks = {"1": (ORANGE, "o"), "4": (BLUE, "s"), "7": (GREEN, "D"), "5": (PINK, "^")}
    with rc_context(STYLE):
        figure = figure_of(3.8)
        area = figure.subplots()
        late = [1e3 * row["table_delay_s"] for row in found.delays]
        for case, (colour, marker) in looks.items():
            name = "case 1 (and 2)" if case == "1" else f"case {case}"
            area.plot(late, [100.0 * row[f"rms_error_{case}"] for row in found.delays], color=colour, marker=marker,
                      markersize=5.0, linestyle="none", label=name)  # fmt: skip
        fine = np.linspace(0.0, late[-1], 101)
        theory = 200.0 * np.sin(1e-3 * np.pi * FREQUENCY * fine)
        area.plot(fine, theory, color=ORANGE, label=r"theory, $2\,\sin(\omega\tau/2)$")
        area.plot(fine, 0.5 * theory, color=BLUE, label="half of it")
        area.set_ylim(0.0, 100.0)
        area.set_xlim(0.0, 21.0)
        area.set_xlabel("delay of the table [ms]")
        area.set_ylabel("rms error of displacement [%]")
        figure.legend(*area.get_legend_handles_labels(), loc="outside right center", frameon=False)
    return figure


FEASIBLE = "#BFE6D3"
LEVELS = np.arange(100.0, 181.0, 20.0)
GREYS = ["0.96", "0.91", "0.86", "0.81", "0.76"]


FINE = np.linspace(0.0, LOADS[-1], 401), np.linspace(0.0, MASSES[-1], 401)


def finer(use: np.ndarray) -> np.ndarray:
    """The use of one capacity on a finer grid: it is smooth, only the largest of all has edges."""
    fine: np.ndarray = RectBivariateSpline(MASSES, LOADS, use, kx=1, ky=1)(FINE[1], FINE[0])
    return fine


def feasible(found: Found) -> Figure:
    """Where the splitting is within the capacities, which of them bounds it, and the best point."""
    from matplotlib import rc_context
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    titles = {"actuators": "virtual inertia by the actuator (Eq. 2)", "table 3": "shared as in Table 3"}
    with rc_context(STYLE):
        figure = figure_of(4.4)
        areas = figure.subplots(1, 2, sharey=True)
        handles: dict[str, Any] = {}
        for area, choice in zip(areas, found.choices, strict=True):
            uses = {name: finer(use) for name, use in found.maps[choice.inertia].items()}
            largest = np.max(list(uses.values()), axis=0)
            shade = area.contourf(*FINE, 100.0 * largest, levels=LEVELS, colors=GREYS, extend="max")
            area.contourf(*FINE, largest, levels=[0.0, 1.0], colors=[FEASIBLE])
            for name, (colour, words) in CAPACITY_LINES.items():
                if uses[name].min() < 1.0 < uses[name].max():
                    area.contour(*FINE, uses[name], levels=[1.0], colors=[colour], linewidths=1.4)
                    handles[words] = Line2D([], [], color=colour, linewidth=1.4, label=words)
            best = choice.choice
            area.plot([best.alpha_l], [best.alpha_m], marker="*", color=BLACK, markersize=11.0, linestyle="none")
            area.set_title(titles[choice.inertia])
            area.set_xlabel(r"$\alpha_l$, actuator's share of the ground motion [-]")
        areas[0].set_ylabel(r"$\alpha_m$, virtual share of the mass [-]")
        letters(areas)
        figure.colorbar(shade, ax=areas, label="largest use of a capacity [%]", shrink=0.9)
        star = Line2D([], [], marker="*", color=BLACK, markersize=9.0, linestyle="none", label="largest margin")
        inside = Patch(color=FEASIBLE, label="feasible")
        figure.legend(handles=[inside, star, *handles.values()], loc="outside lower center", ncols=5, frameon=False)
    return figure


def several_floors(found: Found) -> Figure:
    """The three floors: ideal, late table, late actuators, over the whole structure."""
    from matplotlib import rc_context

    looks = (("table 13 ms late", ORANGE, "--"), ("actuators 1 ms late", BLUE, "-."), ("ideal devices", GREEN, ":"))
    named = {run.name: run for run in found.floors}
    with rc_context(STYLE):
        figure = figure_of(6.4)
        areas = figure.subplots(3, 1, sharex=True)
        for i, (area, floor) in enumerate(zip(areas, FLOORS, strict=True)):
            t = DT * np.arange(len(found.floors[0].whole))[SHOWN]
            area.plot(t, 1e3 * found.floors[0].whole[SHOWN, i], color=BLACK, linewidth=1.4, label="whole structure")
            for name, colour, line in looks:
                wide = 1.8 if line == ":" else 1.1
                area.plot(t, 1e3 * named[name].disp[SHOWN, i], color=colour, linestyle=line, linewidth=wide, label=name)
            area.set_title(floor)
            area.set_ylabel("displacement [mm]")
            area.margins(x=0.0)
        areas[-1].set_xlabel("time [s]")
        letters(areas)
        figure.align_ylabels(areas)
        figure.legend(handles=areas[0].lines, loc="outside lower center", ncols=4, frameon=False)
    return figure
