"""The picture of a pre-flight check: the loop's gain over frequency, and damping over delay."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hybsim.studies.indicators.figures_style import BLUE, GREEN, ORANGE, PURPLE, STYLE, letters

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hybsim.studies.indicators.preflight import Preflight


def draw(found: Preflight) -> Figure:
    """Left the eigenvalues of the loop, right the damping of the lowest modes."""
    from matplotlib import rc_context

    from hybsim.runtime.export import paper_figure

    with rc_context(STYLE):
        figure = paper_figure()(figsize=(7.0, 2.9), layout="constrained")
        gain, damping = figure.subplots(1, 2)
        _gain(gain, found)
        _damping(damping, found)
        letters([gain, damping])
    return figure


def _gain(area: Axes, found: Preflight) -> None:
    area.set_xlabel("frequency [Hz]")
    area.set_ylabel("gain of the loop at the cut [-]")
    area.axhline(1.0, color="0.6", linewidth=0.8)
    if not found.loop.has_response:
        area.text(0.5, 0.5, "several clocks: no single response", transform=area.transAxes, ha="center")
        return
    half = 0.5 / found.dt
    lowest = min([mode.frequency for mode in found.modes], default=0.1 * half)
    hertz = np.unique(np.concatenate([
        np.geomspace(0.02 * lowest, 0.999 * half, 1200),
        *(mode.frequency * (1.0 + np.linspace(-0.3, 0.3, 301)) for mode in found.modes),
    ]))  # fmt: skip
    hertz = hertz[hertz < half]
    sizes = np.sort(np.abs(np.linalg.eigvals(found.loop.response(2.0 * math.pi * hertz))), axis=1)
    for column in sizes.T:
        area.loglog(hertz, np.maximum(column, 1e-12), color=BLUE)
    area.set_ylim(max(1e-4, 0.5 * float(sizes.min())), 2.0 * float(sizes.max()))
    for each in found.loop.unit_moduli:
        area.plot(each.frequency / (2.0 * math.pi), 1.0, "o", color=ORANGE, markersize=4.0)


def _damping(area: Axes, found: Preflight) -> None:
    limit = found.delay_margin if math.isfinite(found.delay_margin) else 4.0 * max(found.delay, found.dt)
    longest = 1.25 * max(limit, found.delay, 2.0 * found.dt)
    ticks = np.linspace(0.0, longest / found.dt, 41)
    roots = [found.loop.modes(0.0)]
    start = [2.0 * math.pi * mode.frequency for mode in found.modes]
    lines = [[roots[0][np.argmin(np.abs(np.abs(roots[0]) - w))]] for w in start]
    for tick in ticks[1:]:
        here = found.loop.modes(float(tick))
        for line in lines:
            line.append(here[np.argmin(np.abs(here - line[-1]))])
    for line, mode, colour in zip(lines, found.modes, (BLUE, GREEN, PURPLE), strict=False):
        values = np.array(line)
        area.plot(
            1000.0 * found.dt * ticks, -100.0 * values.real / np.abs(values), color=colour,
            label=f"{mode.frequency:.3g} Hz",
        )  # fmt: skip
    area.axhline(0.0, color="0.6", linewidth=0.8)
    area.axvline(1000.0 * found.delay, color="black", linewidth=0.8, linestyle="--", label="delay of the test")
    if math.isfinite(found.delay_margin):
        area.axvline(1000.0 * found.delay_margin, color=ORANGE, linewidth=0.8, linestyle=":", label="delay margin")
    area.set_xlabel("further delay at the cut [ms]")
    area.set_ylabel("damping ratio [%]")
    area.margins(x=0.0)
    area.legend(frameon=False)
