"""A tick judged before the test: is it short enough to integrate a linear system?

    R(z) = 1 + z + z^2/2 + z^3/6 + z^4/24,   z = pole dt

A tick multiplies the motion of a pole by R: the classical Runge-Kutta rule, hybsim's default. Where a stable pole has
|R| > 1 that motion grows without end, although the system's own dies away. Rules of lower order need shorter ticks yet.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

ROUNDING = 1e-9


def warn_of_long_tick(block: str, poles: Sequence[complex] | np.ndarray, dt: float) -> None:
    """Warn if a stable pole grows at ticks of `dt`; the tick advised keeps |z| at 1 or less, where R is accurate."""
    stable = np.array([pole for pole in np.ravel(poles) if pole.real <= 0.0], dtype=complex)
    with np.errstate(all="ignore"):
        growth = np.abs(np.polyval([1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0], stable * dt))
    growing = ~(growth <= 1.0 + ROUNDING)
    if growing.any():
        fastest = float(np.abs(stable[growing]).max())
        warnings.warn(
            f"{block} moves at {fastest:.4g} rad/s, too fast for a tick of {dt:g} s, in which its motion grows instead"
            f" of dying away: use ticks of {1.0 / fastest:.2g} s or less.",
            stacklevel=2,
        )
