"""What is computed when the program is built: conversions of constants, whole numbers, truth values.

Floats are never folded: the machine that runs the program rounds them.
"""

from __future__ import annotations

import operator

from . import ir
from .effects import acts

WHOLE = {"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod}
COMPARE = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def to_float(value: ir.Expr) -> ir.Expr:
    if value.type == "float":
        return value
    if isinstance(value, ir.Const):
        return ir.Const(float(value.value), "float")
    return ir.Convert(value, "float")


def fold(node: ir.Binary) -> ir.Expr:
    """Integers known now are computed now, so that loops and shapes are fixed in the emitted code."""
    if not (isinstance(node.left, ir.Const) and isinstance(node.right, ir.Const)):
        return node
    a, b = int(node.left.value), int(node.right.value)
    if node.op in ("//", "%") and b == 0:
        return node
    value = WHOLE[node.op](a, b)
    return ir.Const(value, "int") if -(2**63) <= value < 2**63 else node


def fold_compare(node: ir.Compare) -> ir.Expr:
    left, right = node.left, node.right
    if isinstance(left, ir.Const) and isinstance(right, ir.Const) and left.type == right.type == "int":
        return ir.Const(COMPARE[node.op](left.value, right.value), "bool")
    return node


def logic(op: str, values: list[ir.Expr]) -> ir.Expr:
    """`and` / `or`, settled as far as constants do; what acts before the deciding one is still evaluated."""
    deciding = op == "or"
    kept: list[ir.Expr] = []
    for value in values:
        if not isinstance(value, ir.Const):
            kept.append(value)
        elif value.value is deciding:
            if not any(acts(v) for v in kept):
                return value
            kept.append(value)
            break
    if not kept:
        return ir.Const(not deciding, "bool")
    return kept[0] if len(kept) == 1 else ir.Logic(op, tuple(kept))
