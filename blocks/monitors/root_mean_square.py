"""Root mean square of a signal, since the start or over a moving window.

    RMS_k = sqrt(1/n sum_{i=k-n+1}^k s_i^2),    n = k + 1, or window/dt from there on

The present tick is included. As long as the window is not full, it reaches back to the first tick.

Sums are carried with their rounding errors (compensated summation), and what a square has added when it entered the
window is exactly what it takes away when it leaves: no drift over millions of ticks, also after a peak has passed.

`window` is a whole number of ticks; for a sweep over windows, None among them, declare the longest as `max_window`.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from hybsim.blocks.moving_sums import added
from hybsim.blocks.moving_window import settled_window, window_ticks
from hybsim.blocks.ticks import whole_ticks
from hybsim.kernel import Integer, Params, Ports, Positive, Prepared, Sampled, kernel

EXACT = 2.0**53
"""Ticks can be counted up to here; no run is longer."""


class Windowed(Sampled):
    """A monitor of root mean squares: how its window is declared."""

    params = Params(
        window=Positive("window in s, a whole number of ticks; None for all since the start", None, optional=True),
        max_window=Positive("longest window of a sweep in s; None for `window`", None, optional=True),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(window=0.5)

    @classmethod
    def settle(cls, q: SimpleNamespace, dt: float) -> dict[str, float]:
        return settled_window(q)


def prepared_window(q: SimpleNamespace, dt: float, signals: tuple[str, ...], widths: dict[str, int]) -> Prepared:
    """Room for the squares of some signals: <signal>_past, with their sum and what rounding left out of it."""
    ticks, length = window_ticks(q, dt, whole_ticks)
    x: dict[str, Any] = dict(count=0.0, head=0.0)
    for signal in signals:
        x[f"{signal}_past"] = np.zeros(length * q.width)
        x[f"{signal}_sum"] = np.zeros(q.width)
        x[f"{signal}_rest"] = np.zeros(q.width)
    return Prepared(
        # Without a window no square is kept: what leaves is always 0.
        p=dict(ticks=ticks, kept=0.0 if q.window is None else 1.0, most=EXACT if q.window is None else float(ticks)),
        x=x,
        widths=widths,
        structure=dict(length=length),
    )


@kernel
def oldest(head, ticks, length):
    """Where the squares are kept that leave the window."""
    return head - ticks if head >= ticks else head - ticks + length


@kernel
def root_mean_squares(signal, past, totals, rests, old, n, result):
    """The root mean square of each channel, the present tick included."""
    for i in range(len(signal)):
        total, rest = added(totals[i], rests[i], signal[i] * signal[i])
        total, rest = added(total, rest, -past[old * len(signal) + i])
        # Rounding may leave the sum of squares that are all gone a little below zero.
        result[i] = math.sqrt(max(total + rest, 0.0) / n)


@kernel
def keep(signal, past, totals, rests, old, head, kept):
    """Let the present tick into the window, and the oldest out."""
    for i in range(len(signal)):
        total, rest = added(totals[i], rests[i], signal[i] * signal[i])
        total, rest = added(total, rest, -past[old * len(signal) + i])
        totals[i] = total
        rests[i] = rest
        past[head * len(signal) + i] = kept * signal[i] * signal[i]


class RunningRMS(Windowed):
    """Root mean square since the start or over a moving window."""

    ins = Ports(signal="what to watch")
    outs = Ports(rms="its root mean square")

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return prepared_window(q, dt, ("signal",), dict(signal=q.width, rms=q.width))

    @kernel
    def outputs(u, x, p, y):
        old = oldest(int(x.head), p.ticks, p.length)
        n = min(x.count + 1.0, p.most)
        root_mean_squares(u.signal, x.signal_past, x.signal_sum, x.signal_rest, old, n, y.rms)

    @kernel
    def update(u, x, p):
        head = int(x.head)
        old = oldest(head, p.ticks, p.length)
        keep(u.signal, x.signal_past, x.signal_sum, x.signal_rest, old, head, p.kept)
        x.head = 0.0 if head + 1 == p.length else x.head + 1.0
        x.count = x.count + 1.0
