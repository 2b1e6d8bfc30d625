"""The names of one function: what each stands for, whether it is set yet, and whether it may be written.

Python decides by the whole text which names are a function's own: one that is assigned anywhere is a local
everywhere, and never falls back to a name of the module.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from . import ir
from .control_flow import stored_names
from .intervals import Interval
from .source import look_up, visible_names

WORDS = {"u": "input", "x": "state", "p": "parameter", "y": "output", "dx": "state"}
RESERVED = "_hs_"
"""Names the Python engine keeps for itself."""

Fields = Mapping[str, Mapping[str, ir.Type | int]]
"""Types of the fields of each group; an int in place of a type is a structural constant."""


class Names:
    """Names and fields of a function being translated; a part of `Translation`."""

    function: ir.Function
    refuse: Callable[..., NoReturn]

    def __init__(
        self,
        function: Callable[..., Any],
        tree: ast.FunctionDef | ast.Lambda,
        fields: Fields,
        writable: tuple[str, ...],
    ) -> None:
        self.visible = visible_names(function)
        self.groups: dict[str, Mapping[str, ir.Type | int]] = dict(fields)
        self.writable = writable
        self.own = stored_names(tree.body) if isinstance(tree, ast.FunctionDef) else set()
        self.used: dict[str, Any] = {}
        self.assigned: set[str] = set()
        self.fields_set: set[str] = set()
        self.arrays_set: set[str] = set()
        self.arguments: set[str] = set()
        self.mutates: set[str] = set()
        self.loops: dict[str, Interval] = {}

    # names outside the function -----------------------------------------------------------

    def is_known(self, name: str) -> bool:
        return name in self.visible

    def outside(self, name: str, default: Any = None) -> Any:
        """What a name of the module or an enclosing function stands for; `a.b` for an attribute."""
        self.used[name] = found = look_up(self.visible, name, default)
        return found

    # locals -------------------------------------------------------------------------------

    def take_arguments(self, tree: ast.FunctionDef | ast.Lambda) -> list[str]:
        """The names of the arguments, which a call gives one by one."""
        given = tree.args
        if given.vararg or given.kwarg or given.kwonlyargs:
            self.refuse(
                tree, f"{self.function.name} has *, ** or keyword-only arguments", "name its arguments one by one"
            )
        names = [a.arg for a in (*given.posonlyargs, *given.args)]
        for name in names:
            self.check_name(tree, name)
        self.arguments.update(names)
        self.own.update(names)
        return names

    def check_name(self, node: ast.AST, name: str) -> None:
        if name.startswith(RESERVED):
            self.refuse(node, f"names that begin with {RESERVED} are taken", f"call {name!r} something else")

    def read_local(self, node: ast.Name) -> ir.Local:
        name = node.id
        if name in self.groups:
            self.refuse(node, f"{name!r} is used as a whole", f"read its fields: {name}.<name>")
        kind = self.function.locals.get(name)
        if kind is None or name not in self.assigned:
            self.refuse(node, f"{name!r} may not be set here", "give it a value before the if or the loop")
        if name == "t" and self.groups and name in self.arguments:
            self.function.uses_time = True
        return ir.Local(name, kind)

    def declare(self, node: ast.AST, name: str, kind: ir.Type) -> ir.Local:
        if name in self.groups or (name in self.arguments and self.groups):
            self.refuse(node, f"{name!r} is an argument of the kernel and cannot be replaced", "use another name")
        if name in self.arguments and isinstance(self.function.locals[name], ir.Array):
            self.refuse(
                node, f"{name!r} is an array argument and cannot be replaced", "write its elements, or use another name"
            )
        self.check_name(node, name)
        known = self.function.locals.setdefault(name, kind)
        if known != kind:
            numbers = {known, kind} == {"int", "float"}
            hint = "keep one type: write 0.0 instead of 0, or wrap it in int(...)" if numbers else "use two names"
            self.refuse(node, f"{name!r} is {known} elsewhere and {kind} here", hint)
        self.assigned.add(name)
        self.loops.pop(name, None)
        return ir.Local(name, kind)

    # fields -------------------------------------------------------------------------------

    def read_field(self, node: ast.Attribute, group: str, name: str) -> ir.Expr:
        kind = self.field_type(node, group, name)
        if isinstance(kind, int):
            return ir.Const(kind, "int")
        if group in ("y", "dx") and kind == "float" and f"{group}.{name}" not in self.fields_set:
            self.refuse(node, f"{group}.{name} is read where it may not be set", "assign it first, on every path")
        return ir.Field(group, name, kind)

    def field_type(self, node: ast.AST, group: str, name: str) -> ir.Type | int:
        fields = self.groups[group]
        if name not in fields:
            self.refuse(
                node,
                f"{group}.{name} is not declared",
                f"the block's {WORDS[group]} names are: {', '.join(fields) or 'none'}",
            )
        return fields[name]

    def check_writable(self, node: ast.AST, target: ir.Expr) -> None:
        base = target.base if isinstance(target, ir.Item) else target
        if isinstance(base, ir.Field):
            if base.group not in self.writable:
                self.refuse(
                    node,
                    f"{base.group}.{base.name} cannot be changed here",
                    f"this kernel writes {' and '.join(self.writable)} only",
                )
            if isinstance(base.type, ir.Array):
                self.arrays_set.add(f"{base.group}.{base.name}")
        elif isinstance(base, ir.Local) and base.name in self.arguments:
            self.mutates.add(base.name)
