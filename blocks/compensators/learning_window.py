"""The moving window in which a compensator learns: how it is declared, and how short it may be."""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.blocks.moving_window import window_ticks
from hybsim.errors import ParameterError
from hybsim.kernel import Param, Positive

LEAST_WINDOW = 8
"""Ticks: fewer samples than this say nothing about three unknowns."""

ROUNDING = 1e-12
"""What is left of a moving sum whose terms have gone, over the largest it has been since it was renewed."""


def window_parameters() -> dict[str, Param]:
    """How a window to learn in is declared."""
    return dict(
        window=Positive("length of the moving window in s, taken up to whole ticks", 1.0),
        max_window=Positive("longest window of a sweep in s; None for `window`", None, optional=True),
    )


def learning_ticks(q: SimpleNamespace, dt: float, unknowns: str) -> tuple[int, int]:
    """Ticks of the window and of the longest one, enough for the unknowns."""
    window, longest = window_ticks(q, dt)
    if window < LEAST_WINDOW:
        raise ParameterError(
            f"The window of {q.window:g} s has {window} ticks, but {unknowns} need at least"
            f" {LEAST_WINDOW}; use {LEAST_WINDOW * dt:g} s or more."
        )
    return window, longest
