"""Butterworth low-pass filter, sampled.

    |H(j w)|^2 = 1 / (1 + (w / w_c)^(2 N)),   w_c = 2 pi cutoff

    H(s) = product of 1 / (1 + d_i s/w_c + (s/w_c)^2),   d_i = 2 sin((2 i - 1) pi / (2 N)),   i = 1 ... N/2
           and 1 / (1 + s/w_c) if the order N is odd

    s/w_c = (1 - z^-1) / (g (1 + z^-1)),   g = tan(pi cutoff dt)

The bilinear transform, prewarped so that the gain at the cutoff is exactly 1/sqrt(2). The filter is computed as
integrators by the trapezoidal rule, two a section: at any cutoff, a constant
at which it has settled passes unchanged to the last bit. It starts settled at `initial`, with 0 at rest.

Slow signals are delayed by dt / (2 g sin(pi / (2 N))), which is about 1 / (2 pi cutoff sin(pi / (2 N))): 3.2 ms at
50 Hz for N = 1, 4.5 ms for N = 2, 8.3 ms for N = 4. In a loop, this is a delay like any other.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from hybsim.errors import ParameterError
from hybsim.kernel import Integer, Params, Ports, Positive, Prepared, Real, Sampled, kernel

HIGHEST_ORDER = 8


@kernel
def first_order(value, kept, g):
    """A section of order 1: its output and what it keeps."""
    step = (value - kept) * g / (1.0 + g)
    return kept + step, kept + 2.0 * step


@kernel
def second_order(value, rate, level, g, d):
    """A section of order 2: its output and the two numbers it keeps."""
    slope = (rate + g * (value - level)) / (1.0 + g * (g + d))
    step = g * slope
    return level + step, 2.0 * slope - rate, level + 2.0 * step


class LowPass(Sampled):
    """Butterworth low-pass filter of order 1 to 8."""

    ins = Ports(signal="what to filter")
    outs = Ports(filtered="the signal below the cutoff")
    params = Params(
        cutoff=Positive("frequency of the gain 1/sqrt(2) in Hz, below half the rate"),
        order=Integer("order of the filter", 4, at_least=1, at_most=HIGHEST_ORDER),
        initial=Real("constant signal at which the filter has settled before the first tick", 0.0),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(cutoff=10.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        if q.cutoff * dt >= 0.5:
            raise ParameterError(
                f"The cutoff of {q.cutoff:g} Hz must be below {0.5 / dt:g} Hz, half the rate of the filter;"
                " lower it or use a shorter tick."
            )
        pairs = q.order // 2
        # Room for the highest order, so that the order is a number like any other.
        most = HIGHEST_ORDER // 2
        damping = np.zeros(most)
        damping[:pairs] = 2.0 * np.sin((2.0 * np.arange(pairs) + 1.0) * math.pi / (2.0 * q.order))
        return Prepared(
            p=dict(g=math.tan(math.pi * q.cutoff * dt), damping=damping, pairs=pairs, odd=q.order % 2),
            x=dict(
                kept=np.full(q.width, q.initial),
                rate=np.zeros(most * q.width),
                level=np.full(most * q.width, q.initial),
            ),
            widths=dict(signal=q.width, filtered=q.width),
            structure=dict(most=most),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.signal)):
            value = u.signal[i]
            if p.odd == 1:
                value, _kept = first_order(value, x.kept[i], p.g)
            for j in range(p.pairs):
                at = i * p.most + j
                value, _rate, _level = second_order(value, x.rate[at], x.level[at], p.g, p.damping[j])
            y.filtered[i] = value

    @kernel
    def update(u, x, p):
        for i in range(len(u.signal)):
            value = u.signal[i]
            if p.odd == 1:
                value, kept = first_order(value, x.kept[i], p.g)
                x.kept[i] = kept
            for j in range(p.pairs):
                at = i * p.most + j
                value, rate, level = second_order(value, x.rate[at], x.level[at], p.g, p.damping[j])
                x.rate[at] = rate
                x.level[at] = level
