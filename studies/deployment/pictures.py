"""The pictures of a record: histories with the states behind them, the tracking error in its band, the timing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.hw.rig_model import Rig
from hybsim.runtime.region import edge
from hybsim.studies.deployment.record import ALLOWED, ERROR, LIVE, Entered, Record
from hybsim.studies.reporting.figure_style import BLACK, BLUE, GREEN, ORANGE, PINK, SKY, STYLE, YELLOW, figure_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHADES = {"ARMED": YELLOW, "RUNNING": "none", "PAUSED": ORANGE, "RAMP_DOWN": SKY}
MOST = 6
"""Panels of one figure; further channels are in the HDF5 file."""


def positions(record: Record, rig: Rig) -> Figure:
    """Each command with the measured value that follows it."""
    pairs = [(name, next((m for m, one in rig.measured.items() if one.follows == name), None)) for name in rig.commands]
    with _style():
        figure, areas = _panels(len(pairs[:MOST]))
        for area, (name, follower) in zip(areas, pairs, strict=False):
            _line(area, record, f"command.{name}", BLUE, name)
            if follower is not None:
                _line(area, record, f"measured.{follower}", ORANGE, follower, (0, (4, 2)))
            area.set_ylabel(f"position [{rig.commands[name].unit}]")
            _legend(area)
            _states(area, record)
        _close(areas)
    return figure


def tracking(record: Record, rig: Rig) -> Figure:
    """Difference of command and measured value, and what was allowed."""
    followed = [(name, one) for name, one in rig.measured.items() if one.follows is not None]
    with _style():
        figure, areas = _panels(len(followed[:MOST]))
        for area, (name, one) in zip(areas, followed, strict=False):
            band = record.histories[ALLOWED + name]
            area.fill_between(
                record.times, 0.0, band.low, step="mid", color=GREEN, alpha=0.18, linewidth=0.0, label="allowed"
            )
            _line(area, record, ERROR + name, BLUE, f"|{one.follows} - {name}|")
            area.set_ylabel(f"error [{one.unit}]")
            area.set_ylim(bottom=0.0)
            _legend(area)
            _states(area, record)
        _close(areas)
    return figure


def forces(record: Record, rig: Rig) -> Figure:
    """What is measured beside the positions."""
    others = [(name, one) for name, one in rig.measured.items() if one.follows is None]
    with _style():
        figure, areas = _panels(len(others[:MOST]))
        for area, (name, one) in zip(areas, others, strict=False):
            _line(area, record, f"measured.{name}", BLACK, name)
            area.set_ylabel(f"{name} [{one.unit}]")
            _states(area, record)
        _close(areas)
    return figure


def timeline(record: Record, rig: Rig) -> Figure:
    """The states over time, and the faults."""
    with _style():
        figure = figure_of(1.1 + 0.2 * max(1, len(record.counted)) + 0.9)
        states, faults = figure.subplots(
            2, 1, sharex=True, height_ratios=(4, max(1, len(record.counted)))
        )  # fmt: skip
        for area in (states, faults):
            area.set_axisbelow(True)
        order = ["FINISHED", "RAMP_DOWN", "PAUSED", "RUNNING", "ARMED", "ESTOP"]
        begin, end = _limits(record)
        for each, after in _spans(record, end):
            left = max(each.time, begin)
            if each.state in order and after >= left:
                colour = {"ESTOP": PINK, "FINISHED": GREEN, "RUNNING": BLUE}.get(
                    each.state, SHADES.get(each.state, BLACK)
                )
                states.barh(
                    order.index(each.state),
                    max(after - left, 2e-3 * (end - begin)),
                    left=left,
                    color=colour,
                    height=0.7,
                )
        states.set_yticks(range(len(order)), [name.lower().replace("_", " ") for name in order])
        states.set_ylim(-0.6, len(order) - 0.4)
        names = [each.name.lower().replace("_", " ") for each in record.counted]
        for i, fault in enumerate(record.counted):
            faults.plot(fault.first, i, "|", color=BLACK, markersize=8.0)
            late = fault.first > begin + 0.8 * (end - begin)
            faults.annotate(
                f"{fault.ticks} tick{'s' if fault.ticks > 1 else ''}", (fault.first, i), xytext=(-5 if late else 5, 0),
                textcoords="offset points", va="center", ha="right" if late else "left", fontsize=7.5,
            )  # fmt: skip
        faults.set_yticks(range(max(1, len(names))), names or ["no faults"])
        faults.set_ylim(-0.6, max(1, len(names)) - 0.4)
        faults.set_xlim(begin, end)
        faults.set_xlabel("time in the laboratory [s]")
    return figure


def energy(record: Record, rig: Rig) -> Figure:
    """The energy index with its thresholds."""
    assert rig.energy is not None
    with _style():
        figure, (area,) = _panels(1)
        _line(area, record, rig.energy.index, BLUE, rig.energy.index)
        lowest = min(record.extremes[rig.energy.index].low, 0.0)
        for name, colour in (("warn", YELLOW), ("pause", ORANGE), ("stop", PINK)):
            threshold = -getattr(rig.energy, name)
            if threshold > 4.0 * min(lowest, -0.5 * rig.energy.warn):
                area.axhline(threshold, color=colour, linewidth=0.9, linestyle="--", label=f"{name} at {threshold:g}")
        area.set_ylabel("energy index [-]")
        _legend(area)
        _states(area, record)
        _close([area])
    return figure


def timing(series: Sequence[tuple[str, Sequence[int], Sequence[int]]], period: float) -> Figure:
    """Histograms of waking and working; each series is a name with both, in the bins of the region."""
    with _style():
        figure = figure_of(2.7)
        areas = figure.subplots(1, 2, sharey=True)
        for k, (area, title) in enumerate(zip(areas, ("waking up", "working"), strict=True)):
            drawn = [
                (name, np.array(both[k], dtype=float), colour)
                for (name, *both), colour in zip(series, (BLUE, ORANGE), strict=False)
                if sum(both[k])
            ]
            for name, bins, colour in drawn:
                used = np.flatnonzero(bins)
                span = slice(used[0], used[-1] + 1)
                edges = [1e6 * edge(i) for i in range(span.start, span.stop + 1)]
                area.stairs(bins[span], edges, color=colour, label=name, fill=len(drawn) == 1, alpha=0.9)
            area.set_axisbelow(True)
            area.axvline(
                1e6 * period, color=BLACK, linestyle="--", linewidth=0.9, label=f"period, {1e6 * period:.4g} µs"
            )
            area.set_xscale("log")
            area.set_yscale("log")
            area.set_ylim(bottom=0.7)
            area.set_xlabel(f"{title} [µs]")
            area.set_title(f"({'ab'[k]})", loc="left")
        areas[0].set_ylabel("ticks")
        handles = {
            label: handle for area in areas for handle, label in zip(*area.get_legend_handles_labels(), strict=True)
        }
        figure.legend(
            handles.values(), handles.keys(), frameon=False, loc="outside upper center", ncols=len(handles)
        )  # fmt: skip
    return figure


# ---- parts


def _style() -> Any:
    from matplotlib import rc_context

    return rc_context(STYLE)


def _panels(count: int) -> tuple[Figure, list[Axes]]:
    figure = figure_of(1.0 + 1.5 * count)
    return figure, list(np.ravel(figure.subplots(count, 1, sharex=True)))


def _line(area: Axes, record: Record, name: str, colour: str, label: str, dashes: Any = "-") -> None:
    """A line through the smallest and the largest value of each group of ticks."""
    history = record.histories[name]
    times = np.repeat(record.times, 2)
    values = np.stack([history.low, history.high], axis=1).ravel()
    area.plot(times, values, color=colour, label=label, linestyle=dashes)


def _states(area: Axes, record: Record) -> None:
    """Shaded where the diagram did not give the commands."""
    begin, end = _limits(record)
    for each, after in _spans(record, end):
        if each.state in LIVE and SHADES[each.state] != "none" and after > begin and each.time < end:
            area.axvspan(each.time, min(after, end), color=SHADES[each.state], alpha=0.15, linewidth=0.0)
    area.set_xlim(begin, end)


def _spans(record: Record, end: float) -> list[tuple[Entered, float]]:
    """Each state with the time at which it was left, or the end of the picture."""
    until = [*(each.time for each in record.states[1:]), end]
    return [(each, min(after, end)) for each, after in zip(record.states, until, strict=True) if each.time <= end]


def _limits(record: Record) -> tuple[float, float]:
    """From when the device was live until it was let go."""
    live = [each.time for each in record.states if each.state in LIVE]
    begin, end = (live[0] if live else record.time(0)), record.ended
    width = max(end - begin, record.period)
    return begin - 0.01 * width, end + 0.02 * width


def _legend(area: Axes) -> None:
    """Above the panel, where no line can run through it."""
    area.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 0.98), ncols=5, borderaxespad=0.0)


def _close(areas: Sequence[Axes]) -> None:
    areas[-1].set_xlabel("time in the laboratory [s]")
