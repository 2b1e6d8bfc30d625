"""From a Python function to a typed `Function`: a block's kernels, and the helpers they call.

Helpers are translated anew for each combination of argument types they are called with.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from . import ir
from .control_flow import leaves
from .dataflow import only
from .names import Fields, Names
from .origins import is_current, record, record_part
from .source import function_tree
from .statements import Statements

WRITABLE = {"outputs": ("y",), "update": ("x",), "derivative": ("dx",)}


class Translation(Statements):
    """One function being translated."""

    def __init__(
        self, function: Callable[..., Any], fields: Fields, writable: tuple[str, ...], calls: tuple[Any, ...]
    ) -> None:
        self.scope = self
        self.tree = function_tree(function)
        code = function.__code__
        name = "lambda_" if code.co_name == "<lambda>" else code.co_name
        self.function = ir.Function(name, code.co_filename, code.co_firstlineno)
        self.calls = (*calls, function)
        Names.__init__(self, function, self.tree, fields, writable)
        record(self.function, function, self.used)

    def call_helper(self, node: ast.Call, target: Callable[..., Any], args: list[ir.Expr]) -> ir.Expr:
        if target in self.calls:
            self.refuse(node, f"{target.__name__} calls itself", "write a loop")
        for argument, value in zip(node.args, args, strict=True):
            if value.type in ("none", "tuple"):
                self.number(argument)
        helper = translate_helper(
            target, tuple(a.type for a in args), self.calls, lambda *what: self.refuse(node, *what)
        )
        if helper not in self.function.helpers:
            self.function.helpers.append(helper)
        for (name, _), value, argument in zip(helper.args, args, node.args, strict=True):
            if name in helper.mutates:
                self.check_writable(argument, value)
        kind: ir.Type = helper.returns[0] if len(helper.returns) == 1 else ("none" if not helper.returns else "tuple")
        return ir.HelperCall(helper, tuple(args), kind)


_helpers: dict[tuple[Any, ...], ir.Function] = {}


def translate_kernel(function: Callable[..., Any], role: str, fields: Fields) -> ir.Function:
    """A block's `outputs`, `update` or `derivative`, for fields of the given types."""
    work = Translation(function, fields, WRITABLE[role], ())
    if isinstance(work.tree, ast.Lambda):
        work.refuse(work.tree, f"{role} is a lambda", f"write `def {role}({', '.join(fields)}):`")
    names = work.take_arguments(work.tree)
    for name in names:
        if name == "t":
            work.function.locals["t"] = "float"
            work.assigned.add("t")
        elif name not in fields:
            work.refuse(
                work.tree,
                f"{role} has an argument {name!r}",
                f"its arguments are {', '.join(fields)} and, if needed, t",
            )
    work.groups = {name: fields[name] for name in names if name != "t"}
    try:
        work.function.body = work.block(work.tree.body)
    except RecursionError:
        work.refuse(work.tree, f"{role} is nested too deeply", "move parts of it into kernels of their own")
    for group in {"outputs": ("y",), "derivative": ("dx",)}.get(role, ()):
        for name, kind in fields[group].items():
            if kind == "float" and f"{group}.{name}" not in work.fields_set:
                work.refuse(
                    work.tree,
                    f"{role} does not set {group}.{name} on every path",
                    "assign it before the if, or in every branch",
                )
            if isinstance(kind, ir.Array) and kind.size and f"{group}.{name}" not in work.arrays_set:
                work.refuse(
                    work.tree, f"{role} never sets an element of {group}.{name}", "assign its elements in a loop"
                )
    if role != "outputs":
        return work.function
    # What no output needs is left out: it may read inputs that are not computed yet when the outputs are.
    live = only(work.function, frozenset(fields["y"]))
    record_part(live, work.function)
    return live


def translate_helper(
    function: Callable[..., Any], kinds: tuple[ir.Type, ...], calls: tuple[Any, ...], refuse: Callable[..., Any]
) -> ir.Function:
    """A helper kernel for one combination of argument types."""
    known = _helpers.get((function, kinds))
    if known is not None and is_current(known):
        return known
    work = Translation(function, {}, (), calls)
    names = work.take_arguments(work.tree)
    if len(names) != len(kinds):
        refuse(
            f"{work.function.name} takes {len(names)} argument(s), {len(kinds)} given",
            "pass every argument, those with a default too",
        )
    work.function.args = tuple(zip(names, kinds, strict=True))
    work.function.locals.update(work.function.args)
    work.assigned.update(names)
    tree = work.tree
    if isinstance(tree, ast.Lambda):
        work.function.body = tuple(work._Return(ast.copy_location(ast.Return(tree.body), tree.body)))
    else:
        work.function.body = work.block(tree.body)
    if work.function.returns and not leaves(work.function.body):
        work.refuse(tree, f"{work.function.name} does not return a value on every path", "end it with a return")
    work.function.mutates = frozenset(work.mutates)
    _helpers[function, kinds] = work.function
    return work.function
