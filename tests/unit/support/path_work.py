"""The work of forces along paths, up to every tick, by SciPy's trapezoidal rule."""

from __future__ import annotations

import numpy as np
from scipy.integrate import cumulative_trapezoid


def each_work(force: np.ndarray, disp: np.ndarray) -> np.ndarray:
    """Of each channel, 0 at first."""
    return cumulative_trapezoid(force, disp, axis=0, initial=0.0)


def total_work(force: np.ndarray, disp: np.ndarray) -> np.ndarray:
    """Of all channels together."""
    return each_work(force, disp).sum(axis=1)
