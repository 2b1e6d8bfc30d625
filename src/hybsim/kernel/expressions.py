"""From Python expressions to typed ones: a whitelist; whatever is not on it is refused with file:line.

Every rule that could let C and Python differ is settled here: mixed numbers are converted
explicitly, `and`/`or` give truth values only, int ** int is refused, indices carry a check unless proved.
"""

from __future__ import annotations

import ast
import math
from typing import Any, NoReturn

import numpy as np

from ..errors import KernelError
from . import ir
from .calls import MATH_FLOAT as MATH_FLOAT
from .calls import MATH_INT as MATH_INT
from .calls import Calls
from .effects import changed
from .folding import fold, fold_compare, logic, to_float
from .intervals import interval, is_exact
from .source import short

OPS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/",
    ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
}  # fmt: skip
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
WORDS: dict[type, tuple[str, str]] = {
    ast.ListComp: ("a list comprehension", "write a loop that fills `w = zeros(n)`"),
    ast.GeneratorExp: ("a generator", "write a loop"),
    ast.List: ("a list", "use `w = zeros(n)` or a vector parameter"),
    ast.Tuple: ("a tuple", "write one assignment a line"),
    ast.Dict: ("a dict", "use parameters p.<name>"),
    ast.JoinedStr: ("a string", "kernels hold numbers only"),
    ast.Lambda: ("a lambda", "write a function marked with @kernel"),
    ast.NamedExpr: ("an assignment inside an expression", "give it a line of its own"),
}
DEEPEST = 100
"""Nesting of an expression; Python reads no more than 200 brackets, clang 256."""


class Expressions(Calls):
    """Translates the expressions of one function; knows its names through `self.scope`."""

    nesting = 0

    def refuse(self, node: ast.AST, what: str, instead: str = "") -> NoReturn:
        line = getattr(node, "lineno", self.scope.function.line)
        hint = f"; {instead}" if instead else ""
        raise KernelError(f"{short(self.scope.function.file)}:{line}: {what}{hint}.")

    @staticmethod
    def shown(node: ast.AST) -> str:
        """A piece of the source, for a message."""
        text = " ".join(ast.unparse(node).split())
        return repr(text if len(text) <= 60 else text[:57] + "...")

    def expression(self, node: ast.expr) -> ir.Expr:
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            what, instead = WORDS.get(type(node), ("", "use numbers, vectors, math and other kernels"))
            what = f"{what}, which is " if what else ""
            self.refuse(node, f"{self.shown(node)} is {what}outside the kernel subset", instead)
        if self.nesting >= DEEPEST:
            self.refuse(
                node, f"this expression is nested more than {DEEPEST} deep", "split it over several assignments"
            )
        self.nesting += 1
        result: ir.Expr = method(node)
        self.nesting -= 1
        return result

    def number(self, node: ast.expr) -> ir.Expr:
        value = self.expression(node)
        if value.type not in ("float", "int"):
            what, instead = {
                "bool": (a_type("bool"), "write `1.0 if condition else 0.0`"),
                "tuple": ("several values", "unpack it first: `a, b = helper(...)`"),
                "none": ("no value", "let the kernel it calls return one"),
            }.get(str(value.type), (a_type(value.type), "index it, or pass it whole to a kernel"))
            self.refuse(node, f"{self.shown(node)} is {what}, a number is needed here", instead)
        return value

    def integer(self, node: ast.expr) -> ir.Expr:
        value = self.number(node)
        if value.type != "int":
            self.refuse(node, f"{self.shown(node)} is a float where an int is needed", "wrap it in int(...)")
        return value

    def truth(self, node: ast.expr) -> ir.Expr:
        value = self.expression(node)
        if value.type != "bool":
            self.refuse(
                node, f"{self.shown(node)} is {a_type(value.type)}, not a condition", "compare it, as in `a != 0.0`"
            )
        return value

    def _Constant(self, node: ast.Constant) -> ir.Expr:
        return self.constant(node, node.value)

    def constant(self, node: ast.expr, value: Any) -> ir.Expr:
        """A number written in the kernel or kept in a name outside it."""
        if isinstance(value, bool | np.bool_):
            return ir.Const(bool(value), "bool")
        if isinstance(value, int | np.integer):
            if not -(2**63) <= int(value) < 2**63:
                self.refuse(node, f"{int(value)} does not fit in 64 bits", "write it as a float")
            return ir.Const(int(value), "int")
        if isinstance(value, float):
            return ir.Const(float(value), "float")
        if isinstance(node, ast.Name):
            self.refuse(node, f"{node.id!r} is a {type(value).__name__} outside the kernel, not a number",
                        "pass it in as a parameter p.<name>")  # fmt: skip
        self.refuse(node, f"{value!r} is not a number", "kernels hold numbers only")

    def _Name(self, node: ast.Name) -> ir.Expr:
        if node.id in self.scope.own:
            return self.scope.read_local(node)
        if not self.scope.is_known(node.id):
            self.refuse(
                node, f"{node.id!r} is not known here", "give it a value first, or pass it in as a parameter p.<name>"
            )
        return self.constant(node, self.scope.outside(node.id))

    def _Attribute(self, node: ast.Attribute) -> ir.Expr:
        owner = node.value
        if isinstance(owner, ast.Name):
            if owner.id in self.scope.groups:
                return self.scope.read_field(node, owner.id, node.attr)
            is_math = owner.id not in self.scope.own and self.scope.outside(owner.id) is math
            if is_math and node.attr in ("pi", "e", "inf", "nan", "tau"):
                return ir.Const(getattr(math, node.attr), "float")
        seen = ", ".join(self.scope.groups) or "its arguments"
        self.refuse(
            node,
            f"{self.shown(node)} is not known here",
            f"this kernel sees {seen} and math; pass other things in as parameters p.<name>",
        )

    def _Subscript(self, node: ast.Subscript) -> ir.Item:
        base = self.expression(node.value)
        if not isinstance(base, ir.Local | ir.Field) or not isinstance(base.type, ir.Array):
            instead = (
                "write a[i, j] for a matrix" if isinstance(base, ir.Item) else "drop the index, or declare a vector"
            )
            self.refuse(node, f"{self.shown(node.value)} is a single number and cannot be indexed", instead)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if any(isinstance(part, ast.Slice) for part in parts):
            self.refuse(node, f"{self.shown(node)} is a slice", "write a loop over the index")
        shape = base.type.shape
        if len(parts) != len(shape):
            self.refuse(node, f"{self.shown(node.value)} has {len(shape)} index(es), {len(parts)} given",
                        "write a[i, j]" if len(shape) == 2 else "write a[i]")  # fmt: skip
        index = tuple(self.integer(part) for part in parts)
        checked = []
        for part, n in zip(index, shape, strict=True):
            bounds = interval(part, self.scope.loops)
            if n == 0:
                self.refuse(
                    node, f"{self.shown(node.value)} is empty", "loop over range(len(...)), which then does nothing"
                )
            if bounds and (bounds[0] >= n or bounds[1] < 0):
                wrong = bounds[0] if bounds[0] >= n else bounds[1]
                self.refuse(
                    node,
                    f"index {wrong} of {self.shown(node.value)} lies outside 0..{n - 1}",
                    "count from the front, from 0",
                )
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
            self.refuse(node, f"{self.shown(node)} is a bit operation outside the kernel subset", "use +, -, *, //, %")
        if isinstance(operand, ir.Const) and operand.value != -(2**63):
            return ir.Const(-operand.value, operand.type)
        return ir.Unary("-", operand, operand.type)

    def _BinOp(self, node: ast.BinOp) -> ir.Expr:
        op = OPS.get(type(node.op))
        if op is None:
            self.refuse(
                node, f"{self.shown(node)} uses an operator outside the kernel subset", "use +, -, *, /, //, %, **"
            )
        left, right = self.number(node.left), self.number(node.right)
        if "float" in (left.type, right.type):
            return ir.Binary(op, to_float(left), to_float(right), "float", node.lineno)
        if op == "**":
            self.refuse(node, f"{self.shown(node)} is int ** int", "write the product, or make one of them a float")
        if op == "/":
            if is_exact(left, self.scope.loops) and is_exact(right, self.scope.loops):
                left, right = to_float(left), to_float(right)
            return ir.Binary("/", left, right, "float", node.lineno)
        return fold(ir.Binary(op, left, right, "int", node.lineno))

    def _Compare(self, node: ast.Compare) -> ir.Expr:
        if any(type(op) not in COMPARISONS for op in node.ops):
            self.refuse(
                node, f"{self.shown(node)} uses a comparison outside the kernel subset", "use <, <=, >, >=, ==, !="
            )
        terms = [self.number(term) for term in (node.left, *node.comparators)]
        if any(changed(term) for term in terms[1:-1]):
            self.refuse(
                node, f"{self.shown(node)} changes an array in the middle of a comparison", "call it on a line before"
            )
        parts: list[ir.Expr] = []
        for op, left, right in zip(node.ops, terms, terms[1:], strict=False):
            # Python compares an int and a float by value; where the int may be large, so do we.
            if left.type != right.type:
                left, right = (
                    to_float(v) if v.type == "int" and is_exact(v, self.scope.loops) else v for v in (left, right)
                )
            parts.append(fold_compare(ir.Compare(COMPARISONS[type(op)], left, right)))
        return parts[0] if len(parts) == 1 else logic("and", parts)

    def _BoolOp(self, node: ast.BoolOp) -> ir.Expr:
        values = [self.expression(value) for value in node.values]
        if any(value.type != "bool" for value in values):
            self.refuse(node, f"{self.shown(node)} uses and/or with a value that is not a condition",
                        "write `a if condition else b`, or compare: `a != 0.0`")  # fmt: skip
        return logic("and" if isinstance(node.op, ast.And) else "or", values)

    def _IfExp(self, node: ast.IfExp) -> ir.Expr:
        condition = self.truth(node.test)
        if isinstance(condition, ir.Const):
            return self.expression(node.body if condition.value else node.orelse)
        yes, no = self.expression(node.body), self.expression(node.orelse)
        if {yes.type, no.type} == {"int", "float"}:
            self.refuse(
                node,
                f"{self.shown(node)} is an int or a float",
                "write 0.0 instead of 0, or wrap the int in float(...)",
            )
        if yes.type != no.type or yes.type not in ("float", "int", "bool"):
            self.refuse(
                node,
                f"the two sides of {self.shown(node)} are {yes.type} and {no.type}",
                "use if/else with assignments",
            )
        return ir.Select(condition, yes, no, yes.type)


def a_type(kind: ir.Type) -> str:
    """A type with its article."""
    return f"an {kind}" if str(kind)[0] in "ai" else f"a {kind}"
