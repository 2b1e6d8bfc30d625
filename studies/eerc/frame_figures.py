"""The figures of the study of the two-storey frame."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.diagrams.eerc_chapter6 import STEP, TIME_SCALE, frame_matrices
from hybsim.studies.eerc.frame_laboratory import STROKE, TESTS, LaboratoryTest, damping_time
from hybsim.studies.eerc.frame_runs import IDEAL, LAGGING, LATE, LEFT_OVER, PREDICTED, STIFFNESS, Found
from hybsim.studies.reporting.figure_style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PINK,
    SKY,
    STYLE,
    figure_of,
    letters,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MINUS = "\N{MINUS SIGN}"


def response(found: Found) -> Figure:
    """Drifts with ideal actuators, and how the others differ."""
    from matplotlib import rc_context

    shown = ((LAGGING, ORANGE, "-"), (PREDICTED, BLUE, "--"), (LATE, GREEN, "-"))
    with rc_context(STYLE):
        figure = figure_of(7.2)
        areas = figure.subplots(len(TESTS), 2, sharex="row")
        for (drifts, differences), test in zip(areas, TESTS, strict=True):
            ideal = found.of(test, IDEAL)
            drifts.plot(ideal.t, ideal.drift[:, 0], color=BLACK, label="first storey")
            drifts.plot(ideal.t, ideal.drift[:, 1], color=SKY, label="second storey")
            for variant, colour, line in shown:
                difference = found.of(test, variant).drift[:, 0] - ideal.drift[:, 0]
                differences.plot(ideal.t, difference, color=colour, linestyle=line, label=variant.prose)
            drifts.set_title(f"{test.title}, ideal actuators")
            differences.set_title("first storey, difference to ideal")
            drifts.set_ylabel("drift [in]")
            differences.set_ylabel("difference [in]")
            for area in (drifts, differences):
                area.margins(x=0.0)
                area.set_xlabel("time of the model [s]")
        letters(areas)
        for column in areas.T:
            figure.align_ylabels(column)
        handles = [*areas[0, 0].lines, *areas[0, 1].lines]
        figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    return figure


def loops(found: Found) -> Figure:
    """Shear against drift: all of it in the first storey, what departs from the straight line in the second."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = figure_of(5.0)
        areas = figure.subplots(2, len(TESTS))
        for (first, second), test in zip(areas.T, TESTS, strict=True):
            for variant, colour in ((LAGGING, ORANGE), (IDEAL, BLACK)):
                run = found.of(test, variant)
                off_line = run.shear[:, 1] - STIFFNESS[1] * run.drift[:, 1]
                first.plot(run.drift[:, 0], run.shear[:, 0], color=colour, linewidth=0.7, label=variant.prose)
                second.plot(run.drift[:, 1], off_line, color=colour, linewidth=0.7)
            first.set_title(test.title)
            first.set_xlabel("first storey drift [in]")
            second.set_xlabel("second storey drift [in]")
        areas[0, 0].set_ylabel("first storey shear [kip]")
        areas[1, 0].set_ylabel(f"second storey shear\nless {STIFFNESS[1]:g} kip/in of drift [kip]")
        letters(areas)
        figure.align_ylabels(areas[:, 0])
        figure.legend(handles=areas[0, 0].lines[::-1], loc="outside lower center", ncols=2, frameon=False)
    return figure


def energies(found: Found, test: LaboratoryTest) -> Figure:
    """Energy errors of both actuators in all forms, and the distribution of the input energy."""
    from matplotlib import rc_context

    late, early = found.of(test, LATE), found.of(test, PREDICTED)
    lines = (
        (late.work_measured, GREEN, "-", "late as the tests: Mosqueda"),
        (late.work_tangent, BLACK, "-", "late: Thewalt & Roman, tangent stiffness"),
        (late.work_initial, PINK, ":", "late: Thewalt & Roman, initial stiffness"),
        (early.work_measured, BLUE, "--", "lag as measured, k_comp as set: Mosqueda"),
    )
    with rc_context(STYLE):
        figure = figure_of(7.8)
        areas = figure.subplots(3, 1, sharex=True, height_ratios=(1.0, 1.0, 1.3))
        for area, actuator, storey in zip(areas[:2], (1, 0), ("second", "first"), strict=True):
            for energy, colour, line, name in lines:
                width = 1.4 if line == ":" else 0.9
                area.plot(late.t, energy[:, actuator], color=colour, linestyle=line, linewidth=width, label=name)
            area.axhline(0.0, color="0.4", linewidth=0.6)
            area.set_title(f"actuator {actuator + 1}, {storey} storey")
            area.set_ylabel("energy error [kip in]")
        figure.legend(handles=areas[0].lines[: len(lines)], loc="outside upper center", ncols=2, frameon=False)
        _distribution(areas[2], found, test)
        areas[2].set_xlabel("time of the model [s]")
        areas[2].set_xlim(0.0, late.t[-1])
        figure.legend(*areas[2].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
        figure.align_ylabels(areas)
        letters(areas)
    return figure


def _distribution(area: Any, found: Found, test: LaboratoryTest) -> None:
    """Where the input energy has gone; the measured energies stand at the end."""
    run, lab = found.of(test, LATE), test.measured
    area.stackplot(
        run.t, run.hysteretic, run.viscous, run.kinetic, colors=("#F2C9AE", "#B9D8EA", "#E8E3B0"),
        labels=("strain and hysteretic", "viscous", "kinetic"),
    )  # fmt: skip
    area.plot(run.t, run.work_input, color=BLACK, label="input")
    area.plot(run.t, -run.work_measured.sum(axis=1), color=GREEN, linestyle="--", label=f"{MINUS} energy error")
    area.plot(
        [run.t[-1]] * 2, [lab.hysteretic, lab.hysteretic + lab.viscous], color=ORANGE, marker="D", linestyle="none",
        markersize=5.0, clip_on=False, zorder=5, label="the test, at its end",
    )  # fmt: skip
    area.set_title("distribution of the input energy")
    area.set_ylabel("energy [kip in]")
    area.set_ylim(min(0.0, float(run.hysteretic.min())), 1.08 * max(float(run.work_input.max()), lab.work_input))


def displacement_errors(found: Found) -> Figure:
    """Histories of the displacement errors and their spectra."""
    from matplotlib import rc_context
    from scipy.signal import welch

    mass, _, stiffness = frame_matrices()
    natural = math.sqrt(np.linalg.eigvalsh(np.linalg.solve(mass, stiffness))[0]) / (2.0 * math.pi)
    with rc_context(STYLE):
        figure = figure_of(7.0)
        areas = figure.subplots(len(TESTS), 3, sharey="col")
        for row, test in zip(areas, TESTS, strict=True):
            run = found.of(test, LATE)
            error = (run.target - run.measured) / STROKE
            for actuator, colour in ((0, BLUE), (1, ORANGE)):
                history = row[actuator]
                history.plot(run.t, 1000.0 * error[:, actuator], color=colour, linewidth=0.4)
                history.set_title(f"{test.title}, actuator {actuator + 1}" if actuator == 0 else "actuator 2")
                history.set_xlabel("time of the model [s]")
                history.margins(x=0.0)
                frequency, density = welch(error[:, actuator], fs=1.0 / STEP, nperseg=512)
                row[2].semilogy(frequency[1:], density[1:], color=colour, label=f"actuator {actuator + 1}")
            row[0].set_ylabel("error / 3 in [1/1000]")
            row[2].axvline(natural, color="0.3", linestyle=":", linewidth=1.0)
            row[2].set_xlim(0.0, 15.0)
            row[2].set_ylabel("PSD [1/Hz]")
            row[2].set_xlabel("frequency in the model [Hz]")
        letters(areas)
        figure.legend(handles=areas[0, 2].lines[:2], loc="outside lower center", ncols=2, frameon=False)
    return figure


def residual_lag_picture(found: Found) -> Figure:
    """Energy error over viscous energy against the lag that is left over."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = figure_of(4.0)
        area = figure.subplots()
        lags = 1000.0 * LEFT_OVER
        area.plot(lags, -100.0 * LEFT_OVER / TIME_SCALE / damping_time(), color=BLACK, label="theory, linear storeys")
        for test, colour, marker in zip(TESTS, (BLUE, GREEN, ORANGE), "osD", strict=True):
            area.plot(lags, 100.0 * found.ratios[test.name], color=colour, marker=marker, markersize=4.5,
                      linestyle="none", label=f"{test.title}, runs")  # fmt: skip
            ratio = 100.0 * test.measured.error / test.measured.viscous
            area.axhline(ratio, color=colour, linestyle="--", linewidth=0.8, label=f"{test.title}, the test")
        area.set_xlabel("lag beyond prediction [ms in the laboratory]")
        area.set_ylabel("energy error / viscous energy [%]")
        handles, labels = area.get_legend_handles_labels()
        order = [0, *range(1, len(handles), 2), *range(2, len(handles), 2)]
        area.legend([handles[i] for i in order], [labels[i] for i in order], frameon=False, loc="lower left")
    return figure
