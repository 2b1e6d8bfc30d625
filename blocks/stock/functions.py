"""bdsim's functions of their inputs: SUM, PROD, GAIN, POW, CLIP.

    SUM   y = ± u0 ± u1 ...          from left to right; numbers go with vectors
    PROD  y = u0 * u1 / u2 ...       from left to right; vector * vector is the scalar product
    GAIN  y = u K                    or K u with premul, for a matrix K
    POW   y = u^p                    element by element
    CLIP  y = min(max(u, min), max)

Matrix and scalar products are summed in the order of the index; numpy leaves that order to its
linear algebra library, so the last bits may differ from bdsim's there, and only there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hybsim.blocks.stock.entry import (
    Setting,
    StockEntry,
    Widths,
    common_width,
    label,
    need_width,
    refuse,
    setting,
    vector_parameters,
)
from hybsim.blocks.stock.text import elementwise, item
from hybsim.errors import DiagramError
from hybsim.kernel import Real, kernel


@kernel
def wrap_minus_pi_to_pi(angle):
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


@kernel
def wrap_zero_to_two_pi(angle):
    return angle - 2.0 * math.pi * math.floor(angle / 2.0 / math.pi)


@kernel
def fold_zero_to_pi(angle):
    angle = abs(angle)
    n = int(angle / math.pi)
    return angle - n * math.pi if n % 2 == 0 else (n + 1) * math.pi - angle


ANGLES = {
    "c": "wrap_minus_pi_to_pi",
    "C": "wrap_zero_to_two_pi",
    "L": "fold_zero_to_pi",
    "l": "fold_zero_to_pi",
}


class Sum(StockEntry):
    names = {
        "wrap_minus_pi_to_pi": wrap_minus_pi_to_pi,
        "wrap_zero_to_two_pi": wrap_zero_to_two_pi,
        "fold_zero_to_pi": fold_zero_to_pi,
    }

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        return [common_width(block, in_widths)]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        width = common_width(block, in_widths) or 1
        first = "-u.in0" if block.signs[0] == "-" else "u.in0"
        body = " ".join([f"y.out0 = {first}", *(f"{s} u.in{i}" for i, s in enumerate(block.signs) if i)])
        vectors = {f"u.in{i}" for i, w in enumerate(in_widths) if w > 1} | {"y.out0"}
        return {"outputs": "\n".join([elementwise(body, width, vectors), *self.wrapped(block, width)])}

    def wrapped(self, block: Any, width: int) -> list[str]:
        """Angles are wrapped as `mode` says, one letter an element."""
        mode = block.mode or "r" * width
        if width > 1 and len(mode) != width:
            raise DiagramError(
                f"{label(block)}: mode={mode!r} has {len(mode)} letter(s) for {width} elements;"
                " give one letter an element."
            )
        if set(mode) - {"r", *ANGLES}:
            refuse(block, f"mode={mode!r} has unknown letters", "use r, c, C or L")
        return [
            f"{place} = {ANGLES[letter]}({place})"
            for i, letter in enumerate(mode[:width])
            if letter != "r"
            for place in [item("y.out0", width, i)]
        ]


class Prod(StockEntry):
    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        return [self.steps(block, in_widths)[-1]]

    def steps(self, block: Any, in_widths: Widths) -> list[int | None]:
        """The width of the product after each input."""
        widths: list[int | None] = []
        for port, (op, width) in enumerate(zip(block.ops, in_widths, strict=True)):
            if op == "/" and width is not None and width > 1:
                refuse(block, f"input {port} is a divisor with {width} elements", "divide by single numbers")
            if port == 0:
                widths.append(width if op == "*" else 1)
            elif op == "/" or width == 1:
                widths.append(widths[-1])
            else:
                widths.append(self.times(block, port, widths[-1], width))
        return widths

    def times(self, block: Any, port: int, product: int | None, width: int | None) -> int | None:
        """The width of the product so far, times an input that is a vector or not known yet."""
        if product is None or width is None:
            return None
        if product == 1:
            refuse(block, f"input {port} is a vector with {width} elements and comes after a single number",
                   "connect the vector to the first input, which bdsim needs too")  # fmt: skip
        if product != width:
            raise DiagramError(
                f"{label(block)}: the product so far has {product} elements and input {port} has {width};"
                " vectors that are multiplied must be equally long."
            )
        return 1

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        widths = [w or 1 for w in self.steps(block, in_widths)]
        lines, product = [], "u.in0" if block.ops[0] == "*" else "(1.0 / u.in0)"
        vectors = {"u.in0"}
        for port in range(1, len(block.ops)):
            if in_widths[port] > 1:
                term = elementwise(
                    f"dot{port} = dot{port} + {product} * u.in{port}",
                    widths[port - 1],
                    {*vectors, f"u.in{port}"},
                )
                lines += [f"dot{port} = 0.0", term]
                product, vectors = f"dot{port}", set()
            else:
                product = f"{product} {block.ops[port]} u.in{port}"
        lines.append(elementwise(f"y.out0 = {product}", widths[-1], {*vectors, "y.out0"}))
        return {"outputs": "\n".join(lines)}


class Gain(StockEntry):
    def settings(self, block: Any) -> dict[str, Setting]:
        if isinstance(block.K, list | tuple):
            refuse(block, "K is a list", "pass np.array(...), which bdsim multiplies with as a matrix or vector")
        return {"K": setting(block, "K", "the gain", dimensions=2)}

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        shape, width = np.shape(block.K), in_widths[0]
        if len(shape) == 0:
            return [width]
        if len(shape) == 2:
            rows, columns = shape if block.premul else shape[::-1]
            need_width(block, in_widths, 0, columns, f"K of shape {shape} multiplies")
            return [rows]
        if width == 1:
            return [shape[0]]
        need_width(block, in_widths, 0, shape[0], "K has")
        return [None if width is None and shape != (1,) else 1]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        shape, width = np.shape(block.K), in_widths[0]
        if len(shape) == 2:
            return {"outputs": self.matrix(shape, block.premul, width)}
        if len(shape) == 1 and width > 1:
            dot = elementwise("total = total + u.in0 * p.K", width, {"u.in0", "p.K"})
            return {"outputs": f"total = 0.0\n{dot}\ny.out0 = total"}
        count = width if len(shape) != 1 else shape[0]
        vectors = vector_parameters(self.settings(block)) | {"y.out0"} | ({"u.in0"} if width > 1 else set())
        return {"outputs": elementwise("y.out0 = u.in0 * p.K", count, vectors)}

    def matrix(self, shape: tuple[int, ...], premul: bool, width: int) -> str:
        rows = shape[0] if premul else shape[1]
        element = "p.K[i, j]" if premul else "p.K[j, i]"
        return (
            f"for i in range({rows}):\n"
            f"    total = 0.0\n"
            f"    for j in range({width}):\n"
            f"        total = total + {element} * {item('u.in0', width, 'j')}\n"
            f"    {item('y.out0', rows, 'i')} = total"
        )


POWER_OF_A_VECTOR = """\
if p.p == 2.0:
    y.out0 = u.in0 * u.in0
elif p.p == 0.5:
    y.out0 = math.sqrt(u.in0)
elif p.p == -1.0:
    y.out0 = 1.0 / u.in0
else:
    y.out0 = u.in0 ** p.p"""


class Pow(StockEntry):
    """numpy has shorter ways to some powers of a vector; those of single numbers are C's pow."""

    names = {"math": math}

    def settings(self, block: Any) -> dict[str, Setting]:
        return {"p": Setting(Real("exponent"), block.p, lambda value: {"p": value})}

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        if block.matrix and in_widths[0] not in (None, 1):
            refuse(block, "matrix=True is a power of a matrix", "signals are numbers and vectors, not matrices")
        return [in_widths[0]]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        width = in_widths[0]
        body = "y.out0 = u.in0 ** p.p" if width == 1 else POWER_OF_A_VECTOR
        return {"outputs": elementwise(body, width, {"u.in0", "y.out0"})}


CLIP_A_VECTOR = """\
clipped = u.in0
if clipped < p.min:
    clipped = p.min
if clipped > p.max:
    clipped = p.max
y.out0 = clipped"""


class Clip(StockEntry):
    """A NaN stays NaN in a vector and becomes `max` as a single number, as in bdsim."""

    def settings(self, block: Any) -> dict[str, Setting]:
        return {
            "min": setting(block, "min", "lowest value", infinite=True),
            "max": setting(block, "max", "highest value", infinite=True),
        }

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        for name in ("min", "max"):
            size = np.size(getattr(block, name))
            if size > 1:
                need_width(block, in_widths, 0, size, f"{name} has")
        return [in_widths[0]]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        width = in_widths[0]
        body = "y.out0 = min(p.max, max(u.in0, p.min))" if width == 1 else CLIP_A_VECTOR
        return {"outputs": elementwise(body, width, vector_parameters(self.settings(block)) | {"u.in0", "y.out0"})}
