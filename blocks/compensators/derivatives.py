"""First and second derivative of a signal by backward differences, of the signal itself or low-pass filtered.

    x_k'  = (3 x_k - 4 x_{k-1} + x_{k-2}) / (2 dt)      exact for a parabola, late by nothing (error -dt^2/3 x''')
    x_k'' = (x_k - 2 x_{k-1} + x_{k-2}) / dt^2          exact for a parabola, late by one tick

The filter is Butterworth's of order 2 by Tustin's rule, 1 / (s^2/w_c^2 + sqrt(2) s/w_c + 1), late by sqrt(2)/w_c at
low frequencies. It keeps two states, and the differences keep two filtered samples: a history of four numbers.
"""

from __future__ import annotations

import math

import numpy as np

from hybsim.errors import ParameterError
from hybsim.kernel import kernel


@kernel
def differentiate(value, history, smooth, dt, d):
    """d = value and its first and second derivative; history: two filtered samples and the filter's two states."""
    low = smooth[0] * value + history[2]
    d[0] = value
    d[1] = (3.0 * low - 4.0 * history[0] + history[1]) / (2.0 * dt)
    d[2] = (low - 2.0 * history[0] + history[1]) / (dt * dt)


@kernel
def remember(value, history, smooth):
    """Move the history on by one sample."""
    low = smooth[0] * value + history[2]
    history[1] = history[0]
    history[0] = low
    history[2] = smooth[1] * value - smooth[3] * low + history[3]
    history[3] = smooth[2] * value - smooth[4] * low


def butterworth(cutoff: float | None, dt: float) -> np.ndarray:
    """b_0, b_1, b_2, a_1, a_2 of the low-pass filter of order 2 at ticks of dt; without cutoff it lets all through."""
    if cutoff is None:
        return np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    refuse_above_half_rate(cutoff, dt)
    r = math.pi * cutoff * dt  # w_c dt / 2
    scale = 1.0 + math.sqrt(2.0) * r + r * r
    b = r * r / scale
    return np.array([b, 2.0 * b, b, 2.0 * (r * r - 1.0) / scale, (1.0 - math.sqrt(2.0) * r + r * r) / scale])


def resting(value: float, smooth: np.ndarray) -> np.ndarray:
    """The history of a signal that has always been `value`."""
    _, b1, b2, a1, a2 = smooth
    return value * np.array([1.0, 1.0, b1 - a1 + b2 - a2, b2 - a2])


def refuse_above_half_rate(cutoff: float, dt: float) -> None:
    """A filter at ticks of dt cannot cut off at or above half the sampling rate."""
    if 2.0 * cutoff * dt >= 1.0:
        raise ParameterError(
            f"cutoff={cutoff:g} Hz is not below {0.5 / dt:g} Hz, half the sampling rate;"
            " lower it or use a shorter tick."
        )
