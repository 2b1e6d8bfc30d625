"""What a statement or an expression does besides giving a value: it may stop the run, or change an array.

Python evaluates operands from left to right, C in any order; where two operands act, or one changes an
array that another reads, the order has to be written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from . import ir


def expressions(node: ir.Stmt) -> tuple[ir.Expr, ...]:
    """The expressions of a statement itself, in the order in which Python evaluates them."""
    match node:
        case ir.Assign():
            return (node.value, node.target)
        case ir.Unpack():
            return (node.call, *node.targets)
        case ir.Allocate():
            return (node.target,)
        case ir.If() | ir.While() | ir.Check():
            return (node.condition,)
        case ir.For():
            return (node.start, node.stop, node.step, node.target)
        case ir.Return():
            return node.values
        case ir.Do():
            return (node.call,)
        case _:
            return ()


def statements(body: tuple[ir.Stmt, ...]) -> Iterator[ir.Stmt]:
    """All statements of a body, the nested ones included."""
    for node in body:
        yield node
        match node:
            case ir.If():
                yield from statements(node.yes + node.no)
            case ir.For() | ir.While():
                yield from statements(node.body)


def local_names(body: tuple[ir.Stmt, ...]) -> set[str]:
    """Locals that a body mentions."""
    return {
        inner.name
        for statement in statements(body)
        for node in expressions(statement)
        for inner in ir.walk(node)
        if isinstance(inner, ir.Local)
    }


_needs: WeakKeyDictionary[ir.Function, bool] = WeakKeyDictionary()


def needs_fault(function: ir.Function) -> bool:
    """Whether a function can stop the run, or holds a loop that has to end when another one did."""
    if function not in _needs:
        loops = [s for s in statements(function.body) if isinstance(s, ir.For | ir.While)]
        _needs[function] = not all(isinstance(s, ir.For) and fixed(s) for s in loops) or may_stop(function.body)
    return _needs[function]


def may_stop(body: tuple[ir.Stmt, ...]) -> bool:
    """Whether something in a body is checked as it goes."""
    return any(
        isinstance(statement, ir.Check) or any(map(can_fault, expressions(statement))) for statement in statements(body)
    )


def fixed(loop: ir.For) -> bool:
    """Whether the rounds of a loop are known when the program is built, and are no more than 64 bits count."""
    bounds = (loop.start, loop.stop, loop.step)
    return all(isinstance(v, ir.Const) and abs(v.value) < 2**62 for v in bounds)


def can_fault(node: ir.Expr) -> bool:
    """Whether an index or an integer division in an expression is checked as it goes."""
    for inner in ir.walk(node):
        match inner:
            case ir.Item() if any(inner.checked):
                return True
            case ir.Binary(op="//" | "%", type="int"):
                return True
            case ir.HelperCall() if needs_fault(inner.helper):
                return True
    return False


def changed(node: ir.Expr) -> list[ir.Expr]:
    """The arrays that helper calls inside an expression change."""
    return [
        argument
        for inner in ir.walk(node)
        if isinstance(inner, ir.HelperCall)
        for (name, _), argument in zip(inner.helper.args, inner.args, strict=True)
        if name in inner.helper.mutates
    ]


def reads_array(node: ir.Expr) -> bool:
    return any(isinstance(inner.type, ir.Array) for inner in ir.walk(node))


def acts(node: ir.Expr) -> bool:
    return can_fault(node) or bool(changed(node))


def in_order(nodes: tuple[ir.Expr, ...]) -> list[bool]:
    """For operands that C may evaluate in any order: which have to be evaluated first, one by one."""
    changing = [bool(changed(node)) for node in nodes]
    seen = [c or can_fault(n) or (any(changing) and reads_array(n)) for n, c in zip(nodes, changing, strict=True)]
    numbers = [s and not isinstance(n.type, ir.Array) for n, s in zip(nodes, seen, strict=True)]
    return numbers if sum(numbers) > 1 else [False] * len(nodes)
