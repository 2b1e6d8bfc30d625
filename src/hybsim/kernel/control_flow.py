"""Where control can go: which bodies end early, which loops run at all, which names they set."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from . import ir
from .intervals import Interval, interval


def leaves(body: tuple[ir.Stmt, ...]) -> bool:
    """Whether control never runs off the end of `body`."""
    if not body:
        return False
    last = body[-1]
    return isinstance(last, ir.Jump | ir.Return) or (isinstance(last, ir.If) and leaves(last.yes) and leaves(last.no))


def has_jump(body: tuple[ir.Stmt, ...]) -> bool:
    """Whether a body holds a break, continue or return, in loops of its own too."""
    return any(
        isinstance(s, ir.Jump | ir.Return) or (isinstance(s, ir.If) and has_jump(s.yes + s.no))
        or (isinstance(s, ir.For | ir.While) and has_jump(s.body))
        for s in body
    )  # fmt: skip


def stored_names(body: list[ast.stmt]) -> set[str]:
    """Names that a body gives a value."""
    return {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def known_rounds(start: ir.Expr, stop: ir.Expr, step: ir.Expr) -> range | None:
    """The values a loop variable takes, where they are known when the program is built."""
    if isinstance(start, ir.Const) and isinstance(stop, ir.Const) and isinstance(step, ir.Const):
        return range(int(start.value), int(stop.value), int(step.value))
    return None


def range_bounds(start: ir.Expr, stop: ir.Expr, step: ir.Expr, loops: Mapping[str, Interval]) -> Interval | None:
    """Bounds of a loop variable."""
    first, last = interval(start, loops), interval(stop, loops)
    if not first or not last or not isinstance(step, ir.Const):
        return None
    low, high = (first[0], last[1] - 1) if step.value > 0 else (last[0] + 1, first[1])
    return (low, high) if low <= high else None
