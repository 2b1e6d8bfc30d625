"""What a pre-flight check found, as tables, words, a picture and plain data."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from hybsim.studies.indicators.preflight_figure import draw
from hybsim.studies.indicators.preflight_words import milliseconds, parts_of_delay
from hybsim.studies.outcome import Outcome, Picture, Table

if TYPE_CHECKING:
    from hybsim.studies.indicators.preflight import Preflight


def outcome(found: Preflight) -> Outcome:
    """In the form in which every study gives what it found."""
    return Outcome(
        title=f"Pre-flight check of `{found.diagram}`, cut at `{found.cut}`: {found.verdict}",
        introduction=INTRODUCTION,
        tables=[_numbers(found), _modes(found)],
        pictures=[Picture("preflight", "Gain of the loop, and damping over delay", FIGURE, partial(draw, found))],
        notes=[*found.warnings, *NOTES],
        conclusions=[f"{found.verdict.capitalize()}.", *found.reasons],
        data={"preflight_modes": [_mode(mode) for mode in found.modes]},
        summary=summary(found),
    )


def summary(found: Preflight) -> dict[str, Any]:
    """Every number by name; null where there is none."""
    margin = found.margin
    return {
        "verdict": found.verdict, "reasons": list(found.reasons), "warnings": list(found.warnings),
        "diagram": found.diagram, "cut": found.cut, "dt_s": found.dt, "commanded": list(found.commanded),
        "returned": list(found.returned), "cut_ticks": found.cut_ticks, "expected_delay_s": found.expected_delay,
        "delay_s": found.delay, "spectral_radius": found.radius, "spectral_radius_delayed": found.radius_delayed,
        "delay_margin_s": _finite(found.delay_margin), "stable_with_any_delay": math.isinf(found.delay_margin),
        "margin_frequency_hz": _finite(margin.frequency / (2.0 * math.pi)) if margin is not None else None,
        "stable_ticks": found.stable_ticks, "gain_lower": found.gain.lower, "gain_upper": _finite(found.gain.upper),
        "error_ratio": found.error_ratio, "ppi": found.ppi, "modes": [_mode(mode) for mode in found.modes],
        "thresholds": vars(found.thresholds),
    }  # fmt: skip


def _numbers(found: Preflight) -> Table:
    frequency = ""
    if found.margin is not None and math.isfinite(found.margin.frequency):
        frequency = f" at {found.margin.frequency / (2.0 * math.pi):.4g} Hz"
    rows = [
        ("delay of the test", parts_of_delay(found)),
        ("delay margin, by phase", "none (several clocks)" if found.margin is None
         else milliseconds(found.margin.delay) + frequency),
        ("delay margin, by whole ticks", "no end" if found.stable_ticks is None
         else f"{max(0, found.stable_ticks)} ticks, {milliseconds(max(0, found.stable_ticks) * found.dt)}"),
        ("spectral radius a tick, as drawn", f"{found.radius:.8f}"),
        ("spectral radius a tick, at the delay of the test", f"{found.radius_delayed:.8f}"),
        ("gain margin, at the delay of the test", f"{found.gain.lower:.4g} to {found.gain.upper:.4g}"),
        ("error of the command", "none: " + found.no_error if found.error_ratio is None
         else f"{100.0 * found.error_ratio:.4g} %"),
        ("PPI", "none: " + found.no_error if found.ppi is None else f"{found.ppi:.4g}"),
    ]  # fmt: skip
    return Table("Margins", ("quantity", "value"), rows)


def _modes(found: Preflight) -> Table:
    return Table(
        "Lowest modes of the loop",
        ("frequency [Hz]", "damping as drawn [%]", "damping at the delay of the test [%]"),
        [
            (f"{mode.frequency:.4g}", f"{100.0 * mode.damping:.4g}", f"{100.0 * mode.damping_delayed:.4g}")
            for mode in found.modes
        ],
    )


def _mode(mode: Any) -> dict[str, float]:
    return {"frequency_hz": mode.frequency, "damping": mode.damping, "damping_delayed": mode.damping_delayed}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


INTRODUCTION = (
    "The diagram was linearised around rest and opened where signals leave the cut. A delay there acts on all of them"
    " alike: how much of it does the loop stand, before anything moves?",
    "The delay of the test is what hardware adds to the diagram: the tick of the cut, where the rig answers within the"
    " tick in the diagram, and what the laboratory expects besides.",
)

NOTES = (
    "Delay margin by phase: the smallest delay at which an eigenvalue of the loop of size 1 has turned to -1. By whole"
    " ticks: the most with which the spectral radius is below 1.",
    "Gain margin: factors on what the rig returns between which the test is stable.",
    "Error: standard deviation of the difference to the diagram without that delay, over that of the response, under"
    " white noise in the load. PPI: omega^3 sigma^2 / S_g of the same.",
    "Linear and around rest: what yields, slips or saturates later is not seen.",
)

FIGURE = (
    "(a) Size of the eigenvalues of the loop at the cut; dots mark where they pass 1, the frequencies at which a delay"
    " can make the test unstable. (b) Damping of the lowest modes as the delay grows; below 0 motions grow."
)
