"""The figures of the virtual tests: PSI Figs. 4.3, 4.7, 4.14 and 4.15, and how the runs scatter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.diagrams.sdof_rths import DELAY
from hybsim.runtime.export import paper_figure
from hybsim.studies.indicators import case_study
from hybsim.studies.indicators.figures_style import BLACK, BLUE, GREEN, ORANGE, PURPLE, STYLE, UNSTABLE, letters
from hybsim.studies.indicators.vrths_runs import CASES, CHOICES, SPECTRA, Choice
from hybsim.studies.indicators.vrths_spectrum import continuous

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hybsim.studies.indicators.vrths import Found

VALUE = r"$\omega_n^3\,\langle e^2\rangle\,/\,S_g$ [-]"
RECORD_COLOURS = dict(zip(case_study.RECORDS, (BLUE, ORANGE), strict=True))
NAMES = {"elcentro": "El Centro", "tabas": "Tabas"}


def draw_delays(found: Found) -> Figure:
    """Eight panels: every run against its delay, with PPI."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 4.4), layout="constrained")
        areas = figure.subplots(2, 4, sharex=True)
        for area, case in zip(areas.ravel(), CASES, strict=True):
            tests, values = found.runs.of(f"case {case.number}")
            tau = 1000.0 * np.array([test.partition.delay for test in tests])
            spectra = np.array([test.spectrum for test in tests])
            exponent = min(0.0, np.floor(np.log10(tests[0].moments.ppi)))
            unit = 10.0**exponent
            expected = tests[0].moments.ppi / unit
            error = np.array([test.standard_error for test in tests]) / unit
            order = np.argsort(tau, kind="stable")
            area.fill_between(
                tau[order], expected - 2.0 * error[order], expected + 2.0 * error[order], color="0.88", linewidth=0.0,
                label="two standard errors",
            )  # fmt: skip
            for level, colour, marker in zip(SPECTRA, (BLUE, ORANGE), "os", strict=True):
                chosen = spectra == level
                area.plot(
                    tau[chosen], values[chosen] / unit, marker=marker, markersize=1.6, linestyle="none", color=colour,
                    label=rf"$S_g = {level:g}$ m$^2$/s$^3$",
                )  # fmt: skip
            area.axhline(expected, color=BLACK, linewidth=1.0, label="PPI")
            area.set_ylim(0.0, 2.0 * expected)
            area.set_xlim(0.0, 33.0)
            area.set_xticks([0, 10, 20, 30])
            area.set_title(f"Case {case.number}")
            scale = "" if exponent == 0 else rf"$\times 10^{{{exponent:.0f}}}$"
            area.text(0.04, 0.96, scale, transform=area.transAxes, va="top", fontsize=8.0)
            area.text(
                0.96, 0.04, rf"$\gamma={case.gamma:g}$, $\zeta={case.zeta:g}$, $\Omega={case.omega:g}$",
                transform=area.transAxes, ha="right", va="bottom", fontsize=7.0,
            )  # fmt: skip
        for area in areas[1]:
            area.set_xlabel(r"$\tau$ [ms]")
        for area in areas[:, 0]:
            area.set_ylabel(VALUE)
        handles, labels = areas[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, markerscale=2.0)
    return figure


def draw_actuators(found: Found) -> Figure:
    """The runs with an actuator over the natural frequency, and over PPI below."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 4.6), layout="constrained")
        areas = figure.subplots(2, 2, sharex=True, sharey="row", height_ratios=(2.0, 1.0))
        for (above, below), choice in zip(areas.T, CHOICES, strict=True):
            _actuator(above, below, found, choice)
        letters(areas[0])
        for area in areas[1]:
            area.set_xlabel(r"$\omega_n$ [rad/s]")
        areas[0, 0].set_ylabel(VALUE)
        areas[1, 0].set_ylabel("over PPI [-]")
        areas[0, 0].legend(loc="lower right", frameon=False)
    return figure


def _actuator(above: Axes, below: Axes, found: Found, choice: Choice) -> None:
    tests, values = found.runs.of(f"choice {choice.number}")
    omega = np.array([test.partition.omega_n for test in tests])
    error = np.array([test.standard_error for test in tests])
    exact = np.array([test.moments.ppi for test in tests])
    as_delay = np.array([continuous(choice.as_delay(float(w))).ppi for w in omega])
    dots: Any = dict(fmt="o", markersize=2.0, color=BLUE, elinewidth=0.6)
    above.errorbar(omega, values, error, label="runs", **dots)
    above.plot(omega, exact, color=BLACK, label=f"PPI with {choice.rig.replace('TS_', 'TS$_')}$")
    above.plot(omega, as_delay, color=ORANGE, linestyle="--", label="PPI with a pure delay")
    below.errorbar(omega, values / exact, error / exact, **dots)
    below.axhline(1.0, color=BLACK)
    below.plot(omega, as_delay / exact, color=ORANGE, linestyle="--")
    below.set_ylim(0.4, 1.6)
    above.set_xscale("log")
    above.set_yscale("log")
    above.set_xticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    above.minorticks_off()
    above.set_title(rf"TS$_{choice.rig[-1]}$, $\alpha=\gamma={choice.share:g}$, $\beta=0.5$, $\zeta={choice.zeta:g}$")


def draw_scatter(found: Found) -> Figure:
    """All runs in their standard errors, and the means of the groups."""
    from matplotlib import rc_context
    from scipy.stats import chi2

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 3.2), layout="constrained")
        all_runs, means = figure.subplots(1, 2)
        every = found.together("")
        edges = np.linspace(-4.0, 4.0, 33)
        all_runs.hist(
            np.clip(every.z, -3.999, 3.999), edges, density=True, color=BLUE, alpha=0.5, label=f"{len(every)} runs"
        )
        z = np.linspace(-4.0, 4.0, 400)
        nu = 2.0 / float(np.mean(every.relative)) ** 2
        step = np.sqrt(2.0 * nu)
        all_runs.plot(z, chi2.pdf(nu + step * z, nu) * step, color=BLACK, label="mean squares")
        all_runs.set_xlabel("(run \N{MINUS SIGN} PPI) / standard error [-]")
        all_runs.set_ylabel("density [-]")
        all_runs.set_ylim(0.0, 0.52)
        all_runs.legend(loc="upper right", frameon=False)
        for place, agreed in enumerate(found.groups.values()):
            bias, error = 100.0 * agreed.bias, 100.0 * agreed.bias_error
            means.plot([bias - 3 * error, bias + 3 * error], [place, place], color=BLUE, linewidth=0.8)
            means.plot([bias - error, bias + error], [place, place], color=BLUE, linewidth=2.5)
            means.plot(bias, place, color=BLUE, marker="o", markersize=4.0)
        means.axvline(0.0, color=BLACK, linewidth=0.8)
        means.set_yticks(range(len(found.groups)), [name.capitalize() for name in found.groups])
        means.invert_yaxis()
        means.grid(False, axis="y")
        means.set_xlabel("mean of the runs over PPI, less 1 [%]")
        letters((all_runs, means))
    return figure


def draw_response(found: Found) -> Figure:
    """Reference, test and their difference under both records."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 4.2), layout="constrained")
        areas = figure.subplots(2, 2, sharey=True, sharex="col")
        shown = [one for one in found.case_study.shown if one.rig == DELAY]
        for (above, below), one in zip(areas.T, shown, strict=True):
            first = max(0.0, float(one.t[np.argmax(np.abs(one.reference))]) - 4.0)
            above.plot(one.t, 1000.0 * one.reference, color=BLACK, linewidth=1.3, label="reference")
            above.plot(one.t, 1000.0 * one.test, color=ORANGE, linewidth=0.9, linestyle="--", label="hybrid test")
            below.plot(one.t, 1000.0 * (one.reference - one.test), color=BLUE, linewidth=0.9, label="difference")
            above.set_xlim(first, first + 8.0)
            above.set_title(f"{NAMES[one.record.name]}, NRMSE {100.0 * one.nrmse:.2f} %")
            below.set_xlabel("time [s]")
        for area in areas[:, 0]:
            area.set_ylabel("displacement [mm]")
        letters(areas[0])
        handles = [*areas[0, 0].get_lines(), *areas[1, 0].get_lines()]
        figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    return figure


def draw_partitions(found: Found) -> Figure:
    """PPI, NRMSE and damping over gamma."""
    from matplotlib import rc_context

    parts, limit = found.case_study.partitions, found.case_study.lowest_gamma
    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 3.4), layout="constrained")
        errors, damping = figure.subplots(1, 2)
        stable = parts.gamma > limit
        errors.plot(parts.gamma[stable], parts.ppi[stable], color=BLACK, label="PPI [-]")
        for name, values in parts.nrmse.items():
            errors.plot(
                parts.gamma[stable], 100.0 * values[stable], color=RECORD_COLOURS[name], marker="o", markersize=2.2,
                linewidth=0.7, label=f"NRMSE, {NAMES[name]} [%]",
            )  # fmt: skip
        errors.plot(
            case_study.GAMMA, found.case_study.ppi, marker="D", color=PURPLE, linestyle="none", zorder=4,
            label="case study",
        )  # fmt: skip
        errors.set_yscale("log")
        errors.set_ylabel("PPI [-], NRMSE [%]")
        errors.legend(loc="upper right", frameon=False)
        lost = 1000.0 * (case_study.ZETA - np.array([
            -parts.root.real, parts.damping, parts.zeta_signed, parts.zeta_printed,
        ]))  # fmt: skip
        damping.plot(parts.gamma, lost[0], color=BLACK, label="exact root")
        damping.plot(
            parts.gamma[::2], lost[1][::2], color=BLUE, marker="o", markersize=2.8, linestyle="none", label="diagram"
        )
        damping.plot(parts.gamma, lost[2], color=GREEN, linewidth=0.9, label="signed estimate")
        damping.plot(parts.gamma, lost[3], color=ORANGE, linestyle="--", label="Eq. 3.13 as printed")
        damping.axhline(1000.0 * case_study.ZETA, color="0.5", linewidth=0.8, linestyle=":")
        damping.set_ylabel(r"$(\zeta - \zeta_{\mathrm{eff}}) \times 10^3$ [-]")
        damping.legend(loc="lower left", frameon=False)
        for area in (errors, damping):
            area.axvspan(0.5, limit, color=UNSTABLE, zorder=0)
            area.axvline(case_study.GAMMA, color=PURPLE, linewidth=0.7)
            area.set_xlim(0.5, 1.0)
            area.set_xlabel(r"$\gamma = K_n/K$ [-]")
        letters((errors, damping))
    return figure
