"""From Python expressions to typed ones: a whitelist; whatever is not on it is refused with file:line.

Every rule that could let C and Python differ is settled here: mixed numbers are converted
explicitly, `and`/`or` give truth values only, int ** int is refused, indices carry a check unless proved.
"""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import KernelError
from . import ir
from .intervals import interval
from .source import short
from .vocabulary import is_kernel, zeros

if TYPE_CHECKING:
    from .frontend import Translation

MATH_FLOAT = {
    name: 1
    for name in "sqrt fabs sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh"
    " exp expm1 log log10 log2 log1p".split()
} | {"atan2": 2, "fmod": 2, "pow": 2}
MATH_BOOL = {"isnan": 1, "isinf": 1, "isfinite": 1}
MATH_INT = {"floor": 1, "ceil": 1, "trunc": 1}
INSTEAD = {
    "hypot": "write math.sqrt(a * a + b * b)",
    "copysign": "write `-a if b < 0.0 else a`",
    "round": "write math.floor(a + 0.5)",
    "sum": "write a loop",
    "print": "log an output instead",
}
OPS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/",
    ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
}  # fmt: skip
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


class Expressions:
    """Translates the expressions of one function; knows its names through `self.scope`."""

    scope: Translation

    def refuse(self, node: ast.AST, what: str, instead: str = "") -> NoReturn:
        line = getattr(node, "lineno", self.scope.function.line)
        hint = f"; {instead}" if instead else ""
        raise KernelError(f"{short(self.scope.function.file)}:{line}: {what}{hint}.")

    def expression(self, node: ast.expr) -> ir.Expr:
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            self.refuse(
                node,
                f"{ast.unparse(node)!r} is outside the kernel subset",
                "use numbers, vectors, if, for, while, math and other kernels",
            )
        result: ir.Expr = method(node)
        return result

    def number(self, node: ast.expr) -> ir.Expr:
        value = self.expression(node)
        if value.type not in ("float", "int"):
            self.refuse(node, f"{ast.unparse(node)!r} is {value.type}, a number is needed",
                        "write `1.0 if condition else 0.0`" if value.type == "bool" else "index it or pass it to a kernel")  # fmt: skip
        return value

    def integer(self, node: ast.expr) -> ir.Expr:
        value = self.expression(node)
        if value.type != "int":
            self.refuse(node, f"{ast.unparse(node)!r} must be an int here", "wrap it in int(...)")
        return value

    def real(self, node: ast.expr) -> ir.Expr:
        return to_float(self.number(node))

    def truth(self, node: ast.expr) -> ir.Expr:
        value = self.expression(node)
        if value.type != "bool":
            self.refuse(node, f"{ast.unparse(node)!r} is {value.type}, not a condition", "compare it, as in `a != 0.0`")
        return value

    def _Constant(self, node: ast.Constant) -> ir.Expr:
        value = node.value
        if isinstance(value, bool):
            return ir.Const(value, "bool")
        if isinstance(value, int):
            if not -(2**63) <= value < 2**63:
                self.refuse(node, f"{value} does not fit 64 bits", "write it as a float")
            return ir.Const(value, "int")
        if isinstance(value, float):
            return ir.Const(value, "float")
        self.refuse(node, f"{value!r} is not a number", "kernels hold numbers only")

    def _Name(self, node: ast.Name) -> ir.Expr:
        name = node.id
        local = self.scope.read_local(node)
        if local is not None:
            return local
        value = self.scope.names.get(name)
        if isinstance(value, bool | int | float):
            return self._Constant(ast.copy_location(ast.Constant(value), node))
        self.refuse(node, f"{name!r} is not a variable, a number or a parameter of this kernel",
                    "pass it in as a parameter p.<name>")  # fmt: skip

    def _Attribute(self, node: ast.Attribute) -> ir.Expr:
        owner = node.value
        if isinstance(owner, ast.Name):
            if owner.id in self.scope.groups:
                return self.scope.read_field(node, owner.id, node.attr)
            if self.scope.names.get(owner.id) is math and node.attr in ("pi", "e", "inf", "nan", "tau"):
                return ir.Const(getattr(math, node.attr), "float")
        self.refuse(node, f"{ast.unparse(node)!r} is unknown", "kernels see u, x, p, y, dx, t and math")

    def _Subscript(self, node: ast.Subscript) -> ir.Item:
        base = self.expression(node.value)
        if not isinstance(base, ir.Local | ir.Field) or not isinstance(base.type, ir.Array):
            self.refuse(node, f"{ast.unparse(node.value)!r} is a single number and cannot be indexed")
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if any(isinstance(part, ast.Slice) for part in parts):
            self.refuse(node, "slices are outside the kernel subset", "write a loop over the index")
        shape = base.type.shape
        if len(parts) != len(shape):
            self.refuse(node, f"{ast.unparse(node.value)!r} has {len(shape)} index(es), {len(parts)} given")
        index = tuple(self.integer(part) for part in parts)
        checked = []
        for part, n in zip(index, shape, strict=True):
            bounds = interval(part, self.scope.loops)
            if bounds and (bounds[0] >= n or bounds[1] < 0):
                self.refuse(node, f"index {bounds[0]} lies outside 0..{n - 1}", "count from the front, from 0")
            checked.append(not (bounds and bounds[0] >= 0 and bounds[1] < n))
        return ir.Item(base, index, tuple(checked), node.lineno)

    def _UnaryOp(self, node: ast.UnaryOp) -> ir.Expr:
        if isinstance(node.op, ast.Not):
            value = self.truth(node.operand)
            return ir.Const(not value.value, "bool") if isinstance(value, ir.Const) else ir.Unary("not", value, "bool")
        operand = self.number(node.operand)
        if isinstance(node.op, ast.UAdd):
            return operand
        if not isinstance(node.op, ast.USub):
            self.refuse(node, "bit operations are outside the kernel subset")
        if isinstance(operand, ir.Const) and operand.value != -(2**63):
            return ir.Const(-operand.value, operand.type)
        return ir.Unary("-", operand, operand.type)

    def _BinOp(self, node: ast.BinOp) -> ir.Expr:
        op = OPS.get(type(node.op))
        if op is None:
            self.refuse(node, f"{ast.unparse(node)!r}: this operator is outside the kernel subset")
        left, right = self.number(node.left), self.number(node.right)
        if op == "**" and left.type == right.type == "int":
            self.refuse(node, f"{ast.unparse(node)!r} is int ** int", "write the product, or make one of them a float")
        if op in ("/", "**") or "float" in (left.type, right.type):
            return ir.Binary(op, to_float(left), to_float(right), "float", node.lineno)
        return fold(ir.Binary(op, left, right, "int", node.lineno))

    def _Compare(self, node: ast.Compare) -> ir.Expr:
        terms = [self.number(term) for term in (node.left, *node.comparators)]
        parts: list[ir.Expr] = []
        for op, left, right in zip(node.ops, terms, terms[1:], strict=False):
            if type(op) not in COMPARISONS:
                self.refuse(node, f"{ast.unparse(node)!r}: this comparison is outside the kernel subset")
            if "float" in (left.type, right.type):
                left, right = to_float(left), to_float(right)
            parts.append(fold_compare(ir.Compare(COMPARISONS[type(op)], left, right)))
        return parts[0] if len(parts) == 1 else self.logic("and", parts)

    def _BoolOp(self, node: ast.BoolOp) -> ir.Expr:
        for value in node.values:
            if self.expression(value).type != "bool":
                self.refuse(node, "`and`/`or` of numbers as a value is outside the kernel subset",
                            "write `a if condition else b`")  # fmt: skip
        return self.logic("and" if isinstance(node.op, ast.And) else "or", [self.truth(v) for v in node.values])

    @staticmethod
    def logic(op: str, values: list[ir.Expr]) -> ir.Expr:
        deciding = op == "or"
        kept = [v for v in values if not (isinstance(v, ir.Const) and v.value is not deciding)]
        if any(isinstance(v, ir.Const) for v in kept):
            return ir.Const(deciding, "bool")
        if not kept:
            return ir.Const(not deciding, "bool")
        return kept[0] if len(kept) == 1 else ir.Logic(op, tuple(kept))

    def _IfExp(self, node: ast.IfExp) -> ir.Expr:
        condition = self.truth(node.test)
        if isinstance(condition, ir.Const):
            return self.expression(node.body if condition.value else node.orelse)
        yes, no = self.expression(node.body), self.expression(node.orelse)
        if {yes.type, no.type} == {"int", "float"}:
            yes, no = to_float(yes), to_float(no)
        if yes.type != no.type or isinstance(yes.type, ir.Array):
            self.refuse(node, f"the two sides of {ast.unparse(node)!r} are {yes.type} and {no.type}")
        return ir.Select(condition, yes, no, yes.type)

    def _Call(self, node: ast.Call) -> ir.Expr:
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            self.refuse(node, "calls inside a kernel take positional arguments only")
        name, target = self._called(node)
        if name in ("abs", "min", "max", "int", "float", "len") and target is None:
            return self._builtin(node, name)
        for table, kind in ((MATH_FLOAT, "float"), (MATH_BOOL, "bool"), (MATH_INT, "int")):
            if target is getattr(math, name, self) and name in table:
                if len(node.args) != table[name]:
                    self.refuse(node, f"math.{name} takes {table[name]} argument(s) here, {len(node.args)} given")
                return ir.Call(name, tuple(self.real(a) for a in node.args), kind)
        if target is zeros:
            self.refuse(node, "zeros(...) stands alone on the right of an assignment", "write `a = zeros(n)`")
        if is_kernel(target):
            return self.scope.call_helper(node, target, [self.expression(a) for a in node.args])
        known = callable(target) and hasattr(target, "__code__")
        self.refuse(node, f"{ast.unparse(node.func)!r} is not a kernel or a known function",
                    INSTEAD.get(name, "mark it with @kernel" if known else "use math, abs, min, max, int, float, len"))  # fmt: skip

    def _called(self, node: ast.Call) -> tuple[str, Any]:
        function = node.func
        if isinstance(function, ast.Name):
            return function.id, self.scope.names.get(function.id)
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            return function.attr, getattr(self.scope.names.get(function.value.id), function.attr, None)
        self.refuse(node, f"{ast.unparse(function)!r} cannot be called in a kernel")

    def _builtin(self, node: ast.Call, name: str) -> ir.Expr:
        if name == "len":
            return self._len(node)
        args = [self.number(a) for a in node.args]
        if name in ("min", "max"):
            if len(args) < 2:
                self.refuse(node, f"{name} takes two or more numbers here")
            kind = "float" if any(a.type == "float" for a in args) else "int"
            return ir.Call(name, tuple(to_float(a) if kind == "float" else a for a in args), kind)
        if len(args) != 1:
            self.refuse(node, f"{name} takes one argument")
        if name == "abs":
            return ir.Call("abs", (args[0],), args[0].type)
        return to_float(args[0]) if name == "float" else (args[0] if args[0].type == "int" else ir.Convert(args[0], "int"))

    def _len(self, node: ast.Call) -> ir.Expr:
        argument = node.args[0] if len(node.args) == 1 else node
        dimension = 0
        if isinstance(argument, ast.Subscript):
            argument, dimension = argument.value, 1
        base = self.expression(argument) if isinstance(argument, ast.expr) else None
        if base is None or not isinstance(base.type, ir.Array) or dimension >= len(base.type.shape):
            self.refuse(node, f"{ast.unparse(node)!r}: len takes a vector, a matrix (its rows) or matrix[0] (its columns)")
        return ir.Const(base.type.shape[dimension], "int")


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
    value = {"+": a + b, "-": a - b, "*": a * b, "//": a // b if b else 0, "%": a % b if b else 0}[node.op]
    return ir.Const(value, "int") if -(2**63) <= value < 2**63 else node


def fold_compare(node: ir.Compare) -> ir.Expr:
    left, right = node.left, node.right
    if isinstance(left, ir.Const) and isinstance(right, ir.Const) and left.type == right.type == "int":
        a, b = left.value, right.value
        holds = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}
        return ir.Const(holds[node.op], "bool")
    return node
