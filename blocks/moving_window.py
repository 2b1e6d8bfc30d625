"""A window over the last ticks that moves on with a run: `window` in s, `max_window` as the longest one of a sweep.

How much is kept belongs to the built program. So the longest window is settled when a block is made, and the window of
a later run must fit in.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

from hybsim.blocks.ticks import stored_ticks
from hybsim.errors import ParameterError


def settled_window(q: SimpleNamespace) -> dict[str, float]:
    """The longest window, unless there is none."""
    return {} if q.window is None else {"max_window": q.max_window or q.window}


def window_ticks(
    q: SimpleNamespace, dt: float, counted: Callable[[str, float, float], int] = stored_ticks
) -> tuple[int, int]:
    """Ticks of the window, as `counted`, and of the longest one; a window of None takes one."""
    longest = q.max_window or q.window
    ticks = 1 if q.window is None else counted("window", q.window, dt)
    room = 1 if longest is None else stored_ticks("max_window", longest, dt)
    if ticks > room:
        raise ParameterError(
            f"The window of {q.window:g} s is longer than max_window={longest:g} s;"
            " declare max_window= for the longest window."
        )
    return ticks, room
