"""From Python statements to typed ones: assignments, branches and loops; whatever else is refused with file:line.

A local has one type and is set on every path before it is read; `range` is evaluated once.
"""

from __future__ import annotations

import ast

from . import ir
from .control_flow import has_jump, known_rounds, leaves, range_bounds, stored_names
from .effects import changed
from .expressions import Expressions
from .folding import to_float
from .names import Names
from .vocabulary import zeros

WORDS: dict[type, tuple[str, str]] = {
    ast.Try: ("try", "test with if before"),
    ast.With: ("with", "kernels open nothing"),
    ast.FunctionDef: ("a function inside a kernel", "define it outside and mark it with @kernel"),
    ast.ClassDef: ("a class", "define it outside"),
    ast.Import: ("import", "import at the top of the file"),
    ast.ImportFrom: ("import", "import at the top of the file"),
    ast.Global: ("global", "keep what changes in the state x"),
    ast.Nonlocal: ("nonlocal", "keep what changes in the state x"),
    ast.Raise: ("raise", "check parameters in `prepare`, or let the value become math.nan, which stops the run"),
    ast.Match: ("match", "use if/elif/else"),
    ast.Delete: ("del", "leave the variable as it is"),
}
LARGEST = 100_000
"""Numbers in a local array, which lies on the stack."""


class Statements(Names, Expressions):
    """Translates the statements of one function."""

    returned: tuple[ir.Type, ...] | None = None

    def block(self, statements: list[ast.stmt]) -> tuple[ir.Stmt, ...]:
        result: list[ir.Stmt] = []
        for statement in statements:
            method = getattr(self, f"_{type(statement).__name__}", None)
            if method is None:
                what, instead = WORDS.get(
                    type(statement),
                    (type(statement).__name__.lower(), "use assignments, if, for over range, and while"),
                )
                self.refuse(statement, f"{what} is outside the kernel subset", instead)
            result.extend(method(statement))
        return tuple(result)

    def _Pass(self, node: ast.Pass) -> list[ir.Stmt]:
        return []

    def _Expr(self, node: ast.Expr) -> list[ir.Stmt]:
        if isinstance(node.value, ast.Constant) and (isinstance(node.value.value, str) or node.value.value is ...):
            return []
        value = self.expression(node.value)
        if not isinstance(value, ir.HelperCall):
            self.refuse(node, f"{self.shown(node)} has no effect", "assign its value, or remove it")
        return [ir.Do(value, node.lineno)]

    def _AnnAssign(self, node: ast.AnnAssign) -> list[ir.Stmt]:
        if node.value is None:
            self.refuse(node, f"{self.shown(node)} is a declaration without a value", "give it one")
        return self.assign(node, node.target, node.value)

    def _Assign(self, node: ast.Assign) -> list[ir.Stmt]:
        if len(node.targets) != 1:
            self.refuse(node, f"{self.shown(node)} assigns twice", "write one assignment a line")
        return self.assign(node, node.targets[0], node.value)

    def _AugAssign(self, node: ast.AugAssign) -> list[ir.Stmt]:
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        for inner in ast.walk(read):
            ast.copy_location(inner, node)
        if changed(self.expression(read)):
            self.refuse(
                node, f"{self.shown(node)} has an index that changes an array", "compute the index on a line before"
            )
        return self.assign(node, node.target, ast.copy_location(ast.BinOp(read, node.op, node.value), node))

    def assign(self, node: ast.stmt, target: ast.expr, value_node: ast.expr) -> list[ir.Stmt]:
        if isinstance(target, ast.Tuple | ast.List):
            return self.unpack(node, target, value_node)
        if isinstance(target, ast.Name) and isinstance(value_node, ast.Call) and self.called(value_node) is zeros:
            return self.allocate(node, target.id, value_node)
        value = self.expression(value_node)
        if value.type in ("none", "tuple"):
            self.number(value_node)
        if isinstance(target, ast.Name):
            if isinstance(value.type, ir.Array):
                self.refuse(
                    node, f"{self.shown(node)} would give an array a second name", "copy its elements in a loop"
                )
            return [ir.Assign(self.declare(node, target.id, value.type), value, node.lineno)]
        place: ir.Field | ir.Item
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id in self.groups:
            group = target.value.id
            kind = self.field_type(target, group, target.attr)
            place = ir.Field(group, target.attr, "int" if isinstance(kind, int) else kind)
            self.check_writable(node, place)
            if kind != "float":
                self.refuse(
                    node, f"{ast.unparse(target)} cannot be assigned as a whole", "assign its elements in a loop"
                )
            self.fields_set.add(f"{group}.{target.attr}")
        elif isinstance(target, ast.Subscript):
            place = self._Subscript(target)
            self.check_writable(node, place)
        else:
            self.refuse(
                node,
                f"{self.shown(target)} cannot be assigned",
                "assign a name, a field such as y.<name>, or an element",
            )
        if value.type == "bool":
            self.refuse(
                node,
                f"{ast.unparse(target)} is a number and cannot hold a condition",
                "write `1.0 if condition else 0.0`",
            )
        if isinstance(value.type, ir.Array):
            self.number(value_node)
        return [ir.Assign(place, to_float(value), node.lineno)]

    def allocate(self, node: ast.stmt, name: str, call: ast.Call) -> list[ir.Stmt]:
        sizes = [self.integer(a) for a in call.args]
        known = [int(s.value) for s in sizes if isinstance(s, ir.Const) and s.value > 0]
        if not 1 <= len(sizes) == len(known) <= 2 or call.keywords:
            self.refuse(
                node,
                f"{self.shown(call)} needs one or two sizes that are known when the program is built",
                "use a number, len(...) or a structural parameter",
            )
        kind = ir.Array(tuple(known))
        if kind.size > LARGEST:
            what = f"{self.shown(call)} has {kind.size} numbers, a local array at most {LARGEST}"
            self.refuse(node, what, "keep it in the state x")
        return [ir.Allocate(self.declare(node, name, kind), node.lineno)]

    def unpack(self, node: ast.stmt, target: ast.Tuple | ast.List, value_node: ast.expr) -> list[ir.Stmt]:
        call = self.expression(value_node) if isinstance(value_node, ast.Call) else None
        if not isinstance(call, ir.HelperCall):
            self.refuse(
                node,
                f"{self.shown(node)} unpacks something else than the values of a kernel",
                "write one assignment a line",
            )
        if len(call.helper.returns) != len(target.elts):
            what = f"{call.helper.name} returns {len(call.helper.returns)} value(s), {len(target.elts)} name(s) given"
            self.refuse(node, what, "give as many names as values")
        if not all(isinstance(t, ast.Name) for t in target.elts):
            self.refuse(
                node, f"{self.shown(target)} is not a list of plain names", "unpack into names, then assign them"
            )
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
        if node.orelse:
            self.refuse(
                node, "for ... else is outside the kernel subset", "set a flag in the loop and test it afterwards"
            )
        call = node.iter
        if (
            not isinstance(call, ast.Call)
            or self.called(call) is not range
            or call.keywords
            or not 1 <= len(call.args) <= 3
        ):
            self.refuse(node, f"a kernel cannot loop over {self.shown(call)}", "write `for i in range(n):` and index")
        if not isinstance(node.target, ast.Name):
            self.refuse(node, f"the loop sets {self.shown(node.target)}", "use one name: `for i in range(n):`")
        args = [self.integer(a) for a in call.args]
        zero, one = ir.Const(0, "int"), ir.Const(1, "int")
        start, stop, step = (zero, *args, one) if len(args) == 1 else (*args, one)[:3]
        if isinstance(step, ir.Const) and step.value == 0:
            self.refuse(node, f"{self.shown(call)} has step 0", "give it a step that is not 0")
        rounds = known_rounds(start, stop, step)
        if rounds is not None and not rounds:
            return []
        before = (set(self.assigned), set(self.fields_set))
        target = self.declare(node, node.target.id, "int")
        bounds = range_bounds(start, stop, step, self.loops)
        if bounds and node.target.id not in stored_names(node.body):
            self.loops[node.target.id] = bounds
        body = self.block(node.body)
        self.loops.pop(node.target.id, None)
        if not rounds or has_jump(body):
            self.assigned, self.fields_set = before
            if rounds:
                self.assigned.add(node.target.id)
        return [ir.For(target, start, stop, step, body, node.lineno)]

    def _While(self, node: ast.While) -> list[ir.Stmt]:
        if node.orelse:
            self.refuse(
                node, "while ... else is outside the kernel subset", "set a flag in the loop and test it afterwards"
            )
        before = (set(self.assigned), set(self.fields_set))
        for name in stored_names(node.body):
            self.loops.pop(name, None)
        condition = self.truth(node.test)
        body = self.block(node.body)
        self.assigned, self.fields_set = before
        return [ir.While(condition, body, node.lineno)]

    def _Assert(self, node: ast.Assert) -> list[ir.Stmt]:
        if "y" in self.groups:
            # Only what an output needs is kept of `outputs`, and a check computes nothing.
            self.refuse(node, "outputs cannot stop a run with assert", "write the same assert in `update`")
        reason = node.msg.value if isinstance(node.msg, ast.Constant) else None
        if not isinstance(reason, str) or not reason.strip():
            self.refuse(
                node, f"{self.shown(node)} does not say why", 'write `assert condition, "the delay is negative"`'
            )
        return [ir.Check(self.truth(node.test), reason, node.lineno)]

    def _Break(self, node: ast.Break) -> list[ir.Stmt]:
        return [ir.Jump("break", node.lineno)]

    def _Continue(self, node: ast.Continue) -> list[ir.Stmt]:
        return [ir.Jump("continue", node.lineno)]

    def _Return(self, node: ast.Return) -> list[ir.Stmt]:
        if self.groups:
            self.refuse(node, "outputs, update and derivative return nothing", "use if/else")
        nodes = (
            node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else ([node.value] if node.value else [])
        )
        values = tuple(self.number(v) for v in nodes)
        kinds = tuple(v.type for v in values)
        if self.returned is not None and self.returned != kinds:
            words = [", ".join(map(str, k)) or "nothing" for k in (kinds, self.returned)]
            self.refuse(node, f"{self.function.name} returns {words[0]} here and {words[1]} elsewhere",
                        "return the same types everywhere; write 0.0 instead of 0")  # fmt: skip
        self.returned = self.function.returns = kinds
        return [ir.Return(values, node.lineno)]
