"""The criteria of a pre-flight check and what is said about each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybsim.studies.indicators.preflight import Preflight


def milliseconds(seconds: float) -> str:
    """ "12.3 ms", or "any delay"."""
    return "any delay" if math.isinf(seconds) else f"{1000.0 * seconds:.4g} ms"


def parts_of_delay(found: Preflight) -> str:
    """ "8.24 ms (1 tick of the cut and 8 ms expected)"."""
    parts = []
    if found.cut_ticks:
        parts.append(f"{found.cut_ticks} tick{'s' if found.cut_ticks > 1 else ''} of the cut")
    if found.expected_delay:
        parts.append(f"{milliseconds(found.expected_delay)} expected")
    return milliseconds(found.delay) + (f" ({' and '.join(parts)})" if parts else "")


def fatal(found: Preflight) -> list[str]:
    """Why the test cannot be run."""
    if found.radius >= 1.0:
        return [
            f"The diagram as drawn is not stable: without any further delay the smallest motion grows (spectral radius"
            f" {found.radius:.6f} a tick)."
        ]
    if found.radius_delayed >= 1.0:
        where = ""
        if found.margin is not None and math.isfinite(found.margin.delay):
            where = f" at {found.margin.frequency / (2.0 * math.pi):.3g} Hz"
        return [
            f"The loop is stable up to a further delay of {milliseconds(found.delay_margin)}{where}, and the test has"
            f" {parts_of_delay(found)}: motions grow (spectral radius {found.radius_delayed:.6f} a tick). Compensate at"
            f" least {milliseconds(max(0.0, found.delay - found.delay_margin))}, put less of the stiffness into the"
            " rig, or add damping outside it."
        ]
    return []


def criteria(found: Preflight) -> Iterator[tuple[bool, str]]:
    """Whether each threshold is kept, and a sentence."""
    asked = found.thresholds
    delay = max(found.delay, found.dt)
    times = found.delay_margin / delay
    words = "No delay at the cut makes the loop unstable."
    if math.isfinite(times):
        compared = "the delay of the test" if found.delay >= found.dt else "one tick"
        words = (
            f"The loop stays stable up to a further delay of {milliseconds(found.delay_margin)} at the cut,"
            f" {times:.3g} times {compared} of {milliseconds(delay)}; {asked.delay:g} times are asked for."
        )
    yield times >= asked.delay, words
    upper, lower = found.gain.upper, found.gain.lower
    words = "No factor above 1 on the force of the rig makes it unstable."
    if math.isfinite(upper):
        words = f"The force of the rig may be {upper:.3g} times what the diagram says; {asked.gain:g} are asked for."
    yield upper >= asked.gain, words
    if lower > 0.0:
        least = 1.0 / asked.gain
        words = f"The test needs {lower:.3g} of the force of the rig to be stable; {least:.3g} or less is asked for."
        yield lower <= least, words
    for mode in found.modes:
        if mode.damping > 0.0:
            words = (
                f"The mode at {mode.frequency:.3g} Hz has {100.0 * mode.damping_delayed:.3g} % damping at the delay of"
                f" the test, {100.0 * mode.damping:.3g} % without; {100.0 * asked.damping:g} % of that are asked for."
            )
            yield mode.damping_delayed >= asked.damping * mode.damping, words
    if found.error_ratio is not None:
        words = (
            f"The error of the command is {100.0 * found.error_ratio:.3g} % of the response under white noise;"
            f" {100.0 * asked.error:g} % are allowed."
        )
        yield found.error_ratio <= asked.error, words


def thin(found: Preflight) -> list[str]:
    """What is less than asked for."""
    return [sentence for kept, sentence in criteria(found) if not kept]


def well(found: Preflight) -> list[str]:
    """What is kept."""
    return [sentence for kept, sentence in criteria(found) if kept]
