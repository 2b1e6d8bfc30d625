"""What is known of an integer when the program is built: [lowest, highest], or nothing.

Indices proved to lie inside their array need no check in the loop; sums proved small need no wrapping.
"""

from __future__ import annotations

from collections.abc import Mapping

from . import ir

Interval = tuple[int, int]
LIMIT = 2**62
EXACT = 2**53
"""Integers up to this size are floats without rounding."""


def is_exact(node: ir.Expr, loops: Mapping[str, Interval]) -> bool:
    """Whether an int expression is known to be a float without rounding."""
    bounds = interval(node, loops)
    return bounds is not None and bounds[0] >= -EXACT and bounds[1] <= EXACT


def interval(node: ir.Expr, loops: Mapping[str, Interval]) -> Interval | None:
    """Bounds of an int expression, given the bounds of the running loop variables."""
    match node:
        case ir.Const():
            return (int(node.value), int(node.value))
        case ir.Local():
            return loops.get(node.name)
        case ir.Unary(op="-"):
            inner = interval(node.operand, loops)
            return _limited((-inner[1], -inner[0])) if inner else None
        case ir.Select():
            return _union(interval(node.yes, loops), interval(node.no, loops))
        case ir.Binary():
            return _binary(node, interval(node.left, loops), interval(node.right, loops))
        case ir.Call(name="min" | "max"):
            bounds = [interval(a, loops) for a in node.args]
            if any(b is None for b in bounds):
                return None
            pick = min if node.name == "min" else max
            return (pick(b[0] for b in bounds if b), pick(b[1] for b in bounds if b))
        case _:
            return None


def _union(a: Interval | None, b: Interval | None) -> Interval | None:
    return (min(a[0], b[0]), max(a[1], b[1])) if a and b else None


def _binary(node: ir.Binary, a: Interval | None, b: Interval | None) -> Interval | None:
    if node.op == "%" and b and b[0] == b[1] > 0:
        return (0, b[0] - 1)
    if not a or not b:
        return None
    match node.op:
        case "+":
            result = (a[0] + b[0], a[1] + b[1])
        case "-":
            result = (a[0] - b[1], a[1] - b[0])
        case "*":
            products = [i * j for i in a for j in b]
            result = (min(products), max(products))
        case "//" if b[0] == b[1] > 0:
            result = (a[0] // b[0], a[1] // b[0])
        case _:
            return None
    return _limited(result)


def _limited(bounds: Interval) -> Interval | None:
    """Nothing, where the value could have wrapped."""
    return bounds if bounds[0] > -LIMIT and bounds[1] < LIMIT else None
