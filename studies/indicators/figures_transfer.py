"""The stability phase envelope and the smallest sampling frequency for an actuator: PSI Fig. 2.6, Eqs. 2.23-2.25."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.runtime.export import paper_figure
from hybsim.studies.indicators.figures_style import BLACK, BLUE, GREEN, ORANGE, STYLE, letters
from hybsim.studies.indicators.transfer_requirements import Phase, least_sampling

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SAMPLINGS = (math.inf, 256.0, 64.0)
"""Sampling frequencies in Hz whose envelopes are drawn."""


def draw_envelope(phase: Phase, tau_cr: float, tau_comm: float) -> Figure:
    """(a) the phase of the actuator over the envelopes; (b) the smallest sampling frequency over tau_cr."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.2, 3.9), layout="constrained")
        areas: Any = figure.subplots(1, 2)
        _phases(areas[0], phase, tau_cr, tau_comm)
        _sampling(areas[1], phase, tau_cr, tau_comm)
        letters(areas)
    return figure


def _phases(area: Axes, phase: Phase, tau_cr: float, tau_comm: float) -> None:
    end = 2.0 * math.pi / max(tau_cr, 1e-9)
    omega = np.linspace(0.0, end, 400)
    angle = np.interp(omega, phase.omega, phase.angle, left=0.0)
    area.plot(omega, np.degrees(angle), color=BLACK, linewidth=1.6, label=f"actuator {phase.name}", zorder=4)
    for sampling, colour, line in zip(SAMPLINGS, (BLUE, GREEN, ORANGE), ("-", "--", "-."), strict=True):
        left = tau_cr - tau_comm - 0.5 / sampling
        if left > 0.0:
            label = "continuous" if math.isinf(sampling) else f"sampled at {sampling:g} Hz"
            area.plot(omega, -np.degrees(omega * left), color=colour, linestyle=line, label=f"envelope, {label}")
    whole = tau_cr - tau_comm
    if whole > 0.0:
        area.fill_between(omega, -np.degrees(omega * whole), -400.0, color="0.93", zorder=0.5)
    area.set(
        xlim=(0.0, end), ylim=(-380.0, 10.0), xlabel=r"frequency $\omega$ [rad/s]", ylabel="phase [deg]",
        yticks=range(-360, 1, 90),
    )  # fmt: skip
    area.legend(loc="lower left", frameon=False)
    area.text(0.04, 0.36, "unstable below\nan envelope", transform=area.transAxes, fontsize=8.5, color="0.3")


def _sampling(area: Axes, phase: Phase, tau_cr: float, tau_comm: float) -> None:
    least = 1000.0 * (phase.longest + tau_comm)
    end = max(1000.0 * tau_cr * 1.6, 2.0 * least, 1.0)
    delays = least + np.geomspace(1e-3, max(end - least, 1e-2), 400)
    area.plot(delays, 500.0 / (delays - least), color=BLACK)
    area.set_yscale("log")
    area.axvspan(0.0, least, color="0.93", zorder=0.5)
    area.axvline(least, color="0.4", linewidth=0.7, linestyle="--")
    area.text(
        0.97 * least, 0.96, "no sampling\nis fast enough", transform=area.get_xaxis_transform(), ha="right", va="top",
        fontsize=8.5, color="0.3",
    )  # fmt: skip
    wanted = least_sampling(tau_cr, phase.longest, tau_comm)
    if math.isfinite(wanted):
        area.plot([1000.0 * tau_cr], [wanted], marker="o", color=BLUE, markersize=5.0)
        area.annotate(
            rf"$\tau_{{cr}}$ = {1000.0 * tau_cr:.4g} ms:" + f"\n{wanted:.3g} Hz", (1000.0 * tau_cr, wanted),
            xytext=(7, 5), textcoords="offset points", fontsize=8.5, color=BLUE,
        )  # fmt: skip
    area.set(
        xlim=(0.0, end), ylim=(5.0, 20000.0), xlabel=r"critical delay $\tau_{cr}$ of the test [ms]",
        ylabel=r"smallest sampling frequency $f_s$ [Hz]",
    )  # fmt: skip
