"""From a Python function to a typed `Function`: statements, names and types.

A local has one type and is set on every path before it is read; `range` is evaluated once;
helpers are translated anew for each combination of argument types they are called with.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from . import ir
from .expressions import Expressions, to_float
from .intervals import Interval, interval
from .source import function_tree, visible_names
from .vocabulary import zeros

GROUPS = ("u", "x", "p", "y", "dx")
WRITABLE = {"outputs": ("y",), "update": ("x",), "derivative": ("dx",)}

Fields = Mapping[str, Mapping[str, ir.Type | int]]
"""Types of the fields of each group; an int in place of a type is a structural constant."""


class Translation(Expressions):
    """One function being translated."""

    def __init__(self, function: Callable[..., Any], fields: Fields, writable: tuple[str, ...], calls: tuple[Any, ...]) -> None:
        code = function.__code__
        self.scope = self
        name = "lambda_" if code.co_name == "<lambda>" else code.co_name
        self.function = ir.Function(name, code.co_filename, code.co_firstlineno)
        self.names = visible_names(function)
        self.groups: dict[str, Mapping[str, ir.Type | int]] = dict(fields)
        self.writable = writable
        self.calls = (*calls, function)
        self.assigned: set[str] = set()
        self.fields_set: set[str] = set()
        self.arguments: set[str] = set()
        self.mutates: set[str] = set()
        self.loops: dict[str, Interval] = {}
        self.depth = 0

    # names and fields ---------------------------------------------------------------------

    def read_local(self, node: ast.Name) -> ir.Local | None:
        kind = self.function.locals.get(node.id)
        if kind is None:
            return None
        if node.id not in self.assigned:
            self.refuse(node, f"{node.id!r} may not be set here", "give it a value before the if or the loop")
        if node.id == "t" and "t" in self.arguments:
            self.function.uses_time = True
        return ir.Local(node.id, kind)

    def read_field(self, node: ast.Attribute, group: str, name: str) -> ir.Expr:
        kind = self.field_type(node, group, name)
        if isinstance(kind, int):
            return ir.Const(kind, "int")
        if group in ("y", "dx") and kind == "float" and f"{group}.{name}" not in self.fields_set:
            self.refuse(node, f"{group}.{name} is read before it is set", "assign it first")
        return ir.Field(group, name, kind)

    def field_type(self, node: ast.AST, group: str, name: str) -> ir.Type | int:
        fields = self.groups[group]
        if name not in fields:
            words = {"u": "input", "x": "state", "p": "parameter", "y": "output", "dx": "state"}[group]
            self.refuse(node, f"{group}.{name} is not declared", f"the block's {words} names are: {', '.join(fields) or 'none'}")
        return fields[name]

    def call_helper(self, node: ast.Call, target: Callable[..., Any], args: list[ir.Expr]) -> ir.Expr:
        if target in self.calls:
            self.refuse(node, f"{target.__name__} calls itself", "write a loop")
        for argument, value in zip(node.args, args, strict=True):
            if isinstance(value.type, ir.Array) and not isinstance(value, ir.Local | ir.Field):
                self.refuse(argument, "an array argument must be a whole array")
        helper = translate_helper(target, tuple(a.type for a in args), self.calls, lambda what: self.refuse(node, what))
        if helper not in self.function.helpers:
            self.function.helpers.append(helper)
        for (name, _), value, argument in zip(helper.args, args, node.args, strict=True):
            if name in helper.mutates:
                self.check_writable(argument, value)
        kind: ir.Type = helper.returns[0] if len(helper.returns) == 1 else ("none" if not helper.returns else "tuple")
        return ir.HelperCall(helper, tuple(args), kind)

    def check_writable(self, node: ast.AST, target: ir.Expr) -> None:
        base = target.base if isinstance(target, ir.Item) else target
        if isinstance(base, ir.Field):
            if base.group not in self.writable:
                allowed = " and ".join(self.writable) or "nothing but its arrays"
                self.refuse(node, f"{base.group}.{base.name} cannot be changed here", f"this kernel may write {allowed}")
        elif isinstance(base, ir.Local) and base.name in self.arguments:
            self.mutates.add(base.name)

    # statements ---------------------------------------------------------------------------

    def block(self, statements: list[ast.stmt]) -> tuple[ir.Stmt, ...]:
        result: list[ir.Stmt] = []
        for statement in statements:
            method = getattr(self, f"_{type(statement).__name__}", None)
            if method is None:
                self.refuse(statement, f"{type(statement).__name__.lower()} is outside the kernel subset",
                            "use assignments, if, for over range, and while")  # fmt: skip
            result.extend(method(statement))
        return tuple(result)

    def _Pass(self, node: ast.Pass) -> list[ir.Stmt]:
        return []

    def _Expr(self, node: ast.Expr) -> list[ir.Stmt]:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return []
        value = self.expression(node.value)
        if not isinstance(value, ir.HelperCall):
            self.refuse(node, f"{ast.unparse(node)!r} has no effect")
        return [ir.Do(value, node.lineno)]

    def _AnnAssign(self, node: ast.AnnAssign) -> list[ir.Stmt]:
        if node.value is None:
            self.refuse(node, "a declaration without a value", "give it one")
        return self.assign(node, node.target, node.value)

    def _Assign(self, node: ast.Assign) -> list[ir.Stmt]:
        if len(node.targets) != 1:
            self.refuse(node, "a = b = c is outside the kernel subset", "write one assignment a line")
        return self.assign(node, node.targets[0], node.value)

    def _AugAssign(self, node: ast.AugAssign) -> list[ir.Stmt]:
        read = ast.copy_location(ast.parse(ast.unparse(node.target), mode="eval").body, node)
        ast.fix_missing_locations(read)
        for inner in ast.walk(read):
            ast.copy_location(inner, node)
        value = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
        return self.assign(node, node.target, value)

    def assign(self, node: ast.stmt, target: ast.expr, value_node: ast.expr) -> list[ir.Stmt]:
        if isinstance(target, ast.Tuple):
            return self.unpack(node, target, value_node)
        if isinstance(target, ast.Name) and isinstance(value_node, ast.Call) and self._called(value_node)[1] is zeros:
            return self.allocate(node, target.id, value_node)
        value = self.expression(value_node)
        if value.type in ("none", "tuple"):
            self.refuse(node, f"{ast.unparse(value_node)!r} does not give one value", "unpack it: `a, b = helper(...)`")
        if isinstance(target, ast.Name):
            if isinstance(value.type, ir.Array):
                self.refuse(node, "an array cannot be renamed or copied by assignment", "copy its elements in a loop")
            return [ir.Assign(self.declare(node, target.id, value.type), value, node.lineno)]
        place: ir.Field | ir.Item
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id in self.groups:
            group = target.value.id
            kind = self.field_type(target, group, target.attr)
            if kind != "float":
                self.refuse(node, f"{ast.unparse(target)} cannot be assigned as a whole", "assign its elements, or make it a float")
            place = ir.Field(group, target.attr, kind)
            self.fields_set.add(f"{group}.{target.attr}")
        elif isinstance(target, ast.Subscript):
            place = self._Subscript(target)
        else:
            self.refuse(node, f"{ast.unparse(target)!r} cannot be assigned")
        self.check_writable(node, place)
        if value.type == "bool":
            self.refuse(node, f"{ast.unparse(target)} is a number and cannot hold a truth value", "write `1.0 if condition else 0.0`")
        return [ir.Assign(place, to_float(value), node.lineno)]

    def declare(self, node: ast.AST, name: str, kind: ir.Type) -> ir.Local:
        fixed = name in self.arguments and (bool(self.groups) or isinstance(self.function.locals[name], ir.Array))
        if name in self.groups or fixed:
            self.refuse(node, f"{name!r} is an argument of the kernel and cannot be replaced")
        known = self.function.locals.setdefault(name, kind)
        if known != kind:
            hint = "write 0.0 instead of 0" if {known, kind} == {"int", "float"} else "use two names"
            self.refuse(node, f"{name!r} is {known} elsewhere and {kind} here", hint)
        self.assigned.add(name)
        self.loops.pop(name, None)
        return ir.Local(name, kind)

    def allocate(self, node: ast.stmt, name: str, call: ast.Call) -> list[ir.Stmt]:
        sizes = [self.integer(a) for a in call.args]
        if not 1 <= len(sizes) <= 2 or not all(isinstance(s, ir.Const) and s.value > 0 for s in sizes):
            self.refuse(node, "zeros(...) takes one or two sizes that are known when the program is built",
                        "use a number, len(...) or a structural parameter")  # fmt: skip
        shape = tuple(int(s.value) for s in sizes if isinstance(s, ir.Const))
        return [ir.Allocate(self.declare(node, name, ir.Array(shape)), node.lineno)]

    def unpack(self, node: ast.stmt, target: ast.Tuple, value_node: ast.expr) -> list[ir.Stmt]:
        call = self.expression(value_node) if isinstance(value_node, ast.Call) else None
        if not isinstance(call, ir.HelperCall) or len(call.helper.returns) != len(target.elts):
            self.refuse(node, "only the values of one kernel call can be unpacked", "write one assignment a line")
        if not all(isinstance(t, ast.Name) for t in target.elts):
            self.refuse(node, "only plain names can be unpacked into")
        names = [t.id for t in target.elts if isinstance(t, ast.Name)]
        targets = tuple(self.declare(node, n, k) for n, k in zip(names, call.helper.returns, strict=True))
        return [ir.Unpack(targets, call, node.lineno)]

    def _If(self, node: ast.If) -> list[ir.Stmt]:
        condition = self.truth(node.test)
        if isinstance(condition, ir.Const):
            return list(self.block(node.body if condition.value else node.orelse))
        before = (set(self.assigned), set(self.fields_set))
        yes = self.block(node.body)
        after_yes = (self.assigned, self.fields_set) if not leaves(yes) else None
        self.assigned, self.fields_set = set(before[0]), set(before[1])
        no = self.block(node.orelse)
        if leaves(no) and after_yes:
            self.assigned, self.fields_set = after_yes
        elif after_yes:
            self.assigned &= after_yes[0]
            self.fields_set &= after_yes[1]
        return [ir.If(condition, yes, no, node.lineno)]

    def _For(self, node: ast.For) -> list[ir.Stmt]:
        if node.orelse or not isinstance(node.target, ast.Name):
            self.refuse(node, "for ... else and loops over several names are outside the kernel subset", "use `for i in range(n)`")
        call = node.iter
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range" and not call.keywords):
            self.refuse(node, f"a loop over {ast.unparse(call)!r}", "write `for i in range(n)` and index")
        args = [self.integer(a) for a in call.args]
        zero, one = ir.Const(0, "int"), ir.Const(1, "int")
        start, stop, step = {1: lambda: (zero, args[0], one), 2: lambda: (*args, one), 3: lambda: tuple(args)}[len(args)]()
        if isinstance(step, ir.Const) and step.value == 0:
            self.refuse(node, "range with step 0 never ends")
        if never_runs(start, stop, step):
            return []
        before = (set(self.assigned), set(self.fields_set))
        target = self.declare(node, node.target.id, "int")
        bounds = range_bounds(start, stop, step, self.loops)
        if bounds and node.target.id not in stored_names(node.body):
            self.loops[node.target.id] = bounds
        body = self.block(node.body)
        self.loops.pop(node.target.id, None)
        if not (runs_once(start, stop, step) and not has_jump(body)):
            self.assigned, self.fields_set = before
            if runs_once(start, stop, step):
                self.assigned.add(node.target.id)
        return [ir.For(target, start, stop, step, body, node.lineno)]

    def _While(self, node: ast.While) -> list[ir.Stmt]:
        if node.orelse:
            self.refuse(node, "while ... else is outside the kernel subset")
        before = (set(self.assigned), set(self.fields_set))
        for name in stored_names(node.body):
            self.loops.pop(name, None)
        condition = self.truth(node.test)
        body = self.block(node.body)
        self.assigned, self.fields_set = before
        return [ir.While(condition, body, node.lineno)]

    def _Break(self, node: ast.Break) -> list[ir.Stmt]:
        return [ir.Jump("break", node.lineno)]

    def _Continue(self, node: ast.Continue) -> list[ir.Stmt]:
        return [ir.Jump("continue", node.lineno)]

    def _Return(self, node: ast.Return) -> list[ir.Stmt]:
        if self.groups:
            self.refuse(node, "return inside outputs, update or derivative", "use if/else")
        nodes = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else ([node.value] if node.value else [])
        values = tuple(self.number(v) for v in nodes)
        kinds = tuple(v.type for v in values)
        if self.function.returns and self.function.returns != kinds:
            self.refuse(node, f"returns {kinds} here and {self.function.returns} elsewhere", "write 0.0 instead of 0")
        self.function.returns = kinds
        return [ir.Return(values, node.lineno)]


def leaves(body: tuple[ir.Stmt, ...]) -> bool:
    """Whether control never runs off the end of `body`."""
    if not body:
        return False
    last = body[-1]
    return isinstance(last, ir.Jump | ir.Return) or (isinstance(last, ir.If) and leaves(last.yes) and leaves(last.no))


def has_jump(body: tuple[ir.Stmt, ...]) -> bool:
    return any(
        isinstance(s, ir.Jump | ir.Return) or (isinstance(s, ir.If) and (has_jump(s.yes) or has_jump(s.no)))
        or (isinstance(s, ir.For | ir.While) and has_jump(s.body))
        for s in body
    )  # fmt: skip


def stored_names(body: list[ast.stmt]) -> set[str]:
    return {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def runs_once(start: ir.Expr, stop: ir.Expr, step: ir.Expr) -> bool:
    known = all(isinstance(e, ir.Const) for e in (start, stop, step))
    return known and len(range(int(start.value), int(stop.value), int(step.value))) > 0  # type: ignore[union-attr]


def never_runs(start: ir.Expr, stop: ir.Expr, step: ir.Expr) -> bool:
    known = all(isinstance(e, ir.Const) for e in (start, stop, step))
    return known and not runs_once(start, stop, step)


def range_bounds(start: ir.Expr, stop: ir.Expr, step: ir.Expr, loops: Mapping[str, Interval]) -> Interval | None:
    first, last = interval(start, loops), interval(stop, loops)
    if not first or not last or not isinstance(step, ir.Const):
        return None
    low, high = (first[0], last[1] - 1) if step.value > 0 else (last[0] + 1, first[1])
    return (low, high) if low <= high else None


def translate_kernel(function: Callable[..., Any], role: str, fields: Fields) -> ir.Function:
    """A block's `outputs`, `update` or `derivative`, for fields of the given types."""
    tree = function_tree(function)
    work = Translation(function, fields, WRITABLE[role], ())
    if isinstance(tree, ast.Lambda):
        work.refuse(tree, "a kernel must be a named function")
    for argument in tree.args.args:
        if argument.arg == "t":
            work.function.locals["t"] = "float"
            work.assigned.add("t")
            work.arguments.add("t")
        elif argument.arg not in work.groups:
            work.refuse(tree, f"{role} has an argument {argument.arg!r}", f"its arguments are among {', '.join(work.groups)} and t")
    work.groups = {a.arg: work.groups[a.arg] for a in tree.args.args if a.arg != "t"}
    work.function.body = work.block(tree.body)
    for group in {"outputs": ("y",), "derivative": ("dx",)}.get(role, ()):
        for name, kind in work.groups.get(group, {}).items():
            if kind == "float" and f"{group}.{name}" not in work.fields_set:
                work.refuse(tree, f"{role} does not set {group}.{name} on every path", "assign it in every branch")
    return work.function


_helpers: dict[tuple[Any, ...], ir.Function] = {}


def translate_helper(
    function: Callable[..., Any], kinds: tuple[ir.Type, ...], calls: tuple[Any, ...], refuse: Callable[[str], Any]
) -> ir.Function:
    """A helper kernel for one combination of argument types."""
    key = (function, kinds)
    if key in _helpers:
        return _helpers[key]
    tree = function_tree(function)
    names = [a.arg for a in tree.args.args]
    if len(names) != len(kinds):
        refuse(f"{function.__name__} takes {len(names)} arguments, {len(kinds)} given")
    work = Translation(function, {}, (), calls)
    work.function.args = tuple(zip(names, kinds, strict=True))
    work.function.locals.update(work.function.args)
    work.assigned.update(names)
    work.arguments.update(names)
    if isinstance(tree, ast.Lambda):
        work.function.body = tuple(work._Return(ast.copy_location(ast.Return(tree.body), tree.body)))
    else:
        work.function.body = work.block(tree.body)
    if work.function.returns and not leaves(work.function.body):
        work.refuse(tree, f"{function.__name__} does not return a value on every path", "end it with a return")
    work.function.mutates = frozenset(work.mutates)
    _helpers[key] = work.function
    return work.function


