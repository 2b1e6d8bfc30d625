"""Times counted in ticks: n = seconds / dt, where a quotient next to a whole number is that number.

0.03 / 0.01 could come out as 2.9999999999999996; a delay of three ticks must be three ticks.
"""

from __future__ import annotations

import math

from hybsim.errors import ParameterError

COINCIDENT = 1e-9  # relative: how close to a whole number of ticks a time counts as that many
ACCEPTED = ".12g"  # digits in which a time that is proposed passes as a whole number of ticks
MOST_STORED = 20_000_000  # samples of history or table; more is a slip of units, and would fill the memory


def ticks(seconds: float, dt: float) -> float:
    """`seconds` in ticks of `dt`."""
    quotient = seconds / dt
    if quotient > 2.0**53:
        raise ParameterError(f"A time of {seconds:g} s cannot be counted in ticks of {dt:g} s; check its unit.")
    nearest = float(round(quotient))
    return nearest if abs(quotient - nearest) <= COINCIDENT * max(1.0, nearest) else quotient


def whole_ticks(parameter: str, seconds: float, dt: float) -> int:
    """`seconds` in ticks of `dt`, at least one; anything but a whole number is refused."""
    n = ticks(seconds, dt)
    if n != int(n) or n < 1.0:
        raise ParameterError(
            f"{parameter}={seconds:g} s is {n:g} ticks of {dt:g} s, but must be a whole number of them;"
            f" use a multiple such as {max(1, round(n)) * dt:{ACCEPTED}} s."
        )
    return int(n)


def stored_ticks(parameter: str, seconds: float, dt: float) -> int:
    """How many samples cover `seconds`; more than can be kept in memory are refused."""
    n = math.ceil(ticks(seconds, dt))
    if n > MOST_STORED:
        raise ParameterError(
            f"{parameter}={seconds:g} s is {n} ticks of {dt:g} s, but at most {MOST_STORED} can be stored;"
            " check its unit."
        )
    return n
