"""Quantiser of an analogue-to-digital converter, rounding to the nearest step.

    y = step c,   c = floor(u / step + 1/2),   -range/step <= c <= range/step - 1
    step = 2 range / 2^bits

A converter of n bits over +/- range has the codes c = -2^(n-1) to 2^(n-1) - 1 (two's complement): it reads from
-range to range - step. An input beyond reads as the nearest of these and is flagged in `saturated`, which is what
a converter does; a run in which it happens is one to look at.

Give `bits` and `range`, or `step`, with a `range` of whole steps or without a limit. From 2^52 steps on, a float
has no fractions of a step left and y = u.

For an input that moves over many steps the error is uniform between -step/2 and step/2, with the variance
step^2/12 and almost no correlation with the input.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

from hybsim.blocks.ticks import ACCEPTED, COINCIDENT
from hybsim.errors import ParameterError
from hybsim.kernel import Integer, Params, Ports, Positive, Prepared, Sampled, kernel

MOST_STEPS = 2.0**52
"""Floats beyond are whole numbers."""


class Quantiser(Sampled):
    """Analogue-to-digital converter: rounds to whole steps, saturates at its range and flags it."""

    ins = Ports(signal="analogue signal u")
    outs = Ports(quantised="what the converter reads, y", saturated="1 where the input was beyond the range, else 0")
    params = Params(
        step=Positive("size of a step, in the signal's unit; None where bits and range give it", None, optional=True),
        bits=Integer("resolution in bits", None, at_least=1, at_most=32, optional=True),
        range=Positive("largest magnitude the converter takes; None for no limit", None, optional=True),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(bits=8, range=1.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        step, codes = step_and_codes(q.step, q.bits, q.range)
        return Prepared(
            p=dict(step=step, lowest=-codes, highest=codes - 1.0),
            widths=dict(signal=q.width, quantised=q.width, saturated=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.signal)):
            steps = u.signal[i] / p.step
            code = float(math.floor(steps + 0.5)) if abs(steps) < MOST_STEPS else steps
            y.saturated[i] = 1.0 if code < p.lowest or code > p.highest else 0.0
            y.quantised[i] = p.step * min(max(code, p.lowest), p.highest)


def step_and_codes(step: float | None, bits: int | None, limit: float | None) -> tuple[float, float]:
    """The step, and how many codes lie below zero."""
    if bits is not None and limit is not None and step is None:
        return limit / 2.0 ** (bits - 1), 2.0 ** (bits - 1)
    if step is None or bits is not None:
        given = [name for name, value in (("step", step), ("bits", bits), ("range", limit)) if value is not None]
        raise ParameterError(
            f"A quantiser takes bits= and range=, or step= with or without range=; got {' and '.join(given) or 'none'}."
        )
    if limit is None:
        return step, math.inf
    codes = limit / step
    if abs(codes - round(codes)) > COINCIDENT * codes or round(codes) < 1:
        raise ParameterError(
            f"range={limit:g} is {codes:g} steps of {step:g}, but must be a whole number of them;"
            f" use a multiple such as {max(1, round(codes)) * step:{ACCEPTED}}."
        )
    return step, float(round(codes))
