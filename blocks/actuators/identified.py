"""Identified servo-hydraulic actuators, known by name: `bd.ACTUATOR(system="TS_1")`.

    TS_1 = 2.382e9 / (s^4 + 485.5 s^3 + 1.317e5 s^2 + 3.182e7 s + 2.382e9)
    TS_2 = 4.520e9 / (s^4 + 577.1 s^3 + 2.680e5 s^2 + 6.282e7 s + 4.930e9)

From commanded to measured displacement. At low frequency such a system b0 / (s^4 + ... + a1 s + a0) is a pure delay of
a1/a0: 13.36 ms for TS_1 and 12.74 ms for TS_2. At 20 Hz the delays are 11.1 ms and 11.4 ms, the gains 0.77 and 0.72.

TS_2 as printed has a DC gain of 4.520/4.930 = 0.917, probably a misprint: a block that asks for it by name gets it
with unit DC gain, and a warning; `as_printed("TS_2")` is the other.

The fastest poles lie at 312 and 397 rad/s: integrate ACTUATOR with ticks of about 1 ms; ACTUATOR_S takes any tick.

PSI Eqs. 1.10, 4.1 and 4.2, identified at the Intelligent Infrastructure Systems Laboratory, Purdue University.
"""

from __future__ import annotations

import warnings

from hybsim.errors import ParameterError, near

Polynomials = tuple[list[float], list[float]]
"""Numerator and denominator in falling powers of s."""

IDENTIFIED: dict[str, Polynomials] = {
    "TS_1": ([2.382e9], [1.0, 485.5, 1.317e5, 3.182e7, 2.382e9]),
    "TS_2": ([4.520e9], [1.0, 577.1, 2.680e5, 6.282e7, 4.930e9]),
}


def as_printed(name: str) -> Polynomials:
    """(num, den) as in the document.

    >>> num, den = as_printed("TS_2")
    >>> round(num[-1] / den[-1], 3)
    0.917
    """
    if name not in IDENTIFIED:
        raise ParameterError(f"There is no identified actuator {name!r}.{near(name, IDENTIFIED)}")
    num, den = IDENTIFIED[name]
    return list(num), list(den)


def with_unit_dc_gain(name: str) -> Polynomials:
    """(num, den) as a block uses them, with a warning where that is not what was printed."""
    num, den = as_printed(name)
    gain = num[-1] / den[-1]
    if gain != 1.0:
        warnings.warn(
            f"{name} is used with unit DC gain: the printed gain of {gain:.3f} is probably a misprint;"
            f" pass as_printed({name!r}) to use that.",
            stacklevel=2,
        )
    return [value / gain for value in num], den
