"""Calls inside a kernel: functions of `math`, a few builtins, and other kernels; anything else is refused.

A function is known by what its name stands for, not by how it is spelled: `from math import sqrt as root`
works, and a name of the kernel's own never stands for a function.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from . import ir
from .folding import to_float
from .vocabulary import is_kernel, zeros

if TYPE_CHECKING:
    from .frontend import Translation

ONE_FLOAT = (
    "sqrt fabs sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp expm1 log log10 log2 log1p".split()
)
MATH_FLOAT = dict.fromkeys(ONE_FLOAT, 1) | {"atan2": 2, "fmod": 2, "pow": 2}
MATH_BOOL = {"isnan": 1, "isinf": 1, "isfinite": 1}
MATH_INT = {"floor": 1, "ceil": 1, "trunc": 1}
BUILTINS = ("abs", "min", "max", "int", "float", "len")
INSTEAD = {
    "hypot": "write math.sqrt(a * a + b * b)",
    "copysign": "write `-abs(a) if b < 0.0 else abs(a)`",
    "round": "write math.floor(a + 0.5)",
    "pow": "write a ** b",
    "divmod": "write a // b and a % b",
    "sum": "write a loop",
    "bool": "write a comparison, as in `a != 0.0`",
    "sign": "write `-1.0 if a < 0.0 else 1.0`",
    "print": "make it an output, which is logged",
    "range": "write `for i in range(n):`",
    "enumerate": "write `for i in range(n):` and index",
    "zip": "write `for i in range(n):` and index",
}


class Calls:
    """Translates the calls of one function; a part of `Expressions`."""

    scope: Translation
    refuse: Callable[..., NoReturn]
    expression: Callable[[ast.expr], ir.Expr]
    number: Callable[[ast.expr], ir.Expr]
    shown: Callable[[ast.AST], str]

    def _Call(self, node: ast.Call) -> ir.Expr:
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            self.refuse(node, f"{self.shown(node)} has keyword or starred arguments",
                        "write the arguments one by one, in the order of the definition")  # fmt: skip
        target = self.called(node)
        name = str(getattr(target, "__name__", ""))
        if name in BUILTINS and target is getattr(builtins, name):
            return self._builtin(node, name)
        if name and target is getattr(math, name, None):
            return self._math(node, name)
        if target is zeros:
            self.refuse(node, "zeros(...) is used inside an expression", "write `a = zeros(n)` on a line of its own")
        if is_kernel(target):
            return self.scope.call_helper(node, target, [self.expression(a) for a in node.args])
        if hasattr(target, "__code__"):
            self.refuse(node, f"{self.shown(node.func)} is not a kernel", "mark its definition with @kernel")
        self.refuse(node, f"{self.shown(node.func)} is not a function that kernels know",
                    INSTEAD.get(ast.unparse(node.func).rpartition(".")[2],
                                "use math, abs, min, max, int, float, len or a kernel of your own"))  # fmt: skip

    def called(self, node: ast.Call) -> Any:
        """What a called name stands for, or None."""
        function = node.func
        if isinstance(function, ast.Name):
            if function.id in self.scope.own:
                self.refuse(
                    node, f"{function.id!r} is a variable here and cannot be called", "give the variable another name"
                )
            return self.scope.outside(function.id, getattr(builtins, function.id, None))
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            owner = function.value.id
            if owner in self.scope.own:
                self.refuse(node, f"{self.shown(function)} cannot be called: {owner!r} is a variable here",
                            "kernels call functions, not methods")  # fmt: skip
            return self.scope.outside(f"{owner}.{function.attr}")
        self.refuse(node, f"{self.shown(function)} cannot be called", "call a function by its name")

    def _math(self, node: ast.Call, name: str) -> ir.Expr:
        for table, kind in ((MATH_FLOAT, "float"), (MATH_BOOL, "bool"), (MATH_INT, "int")):
            if name in table:
                if len(node.args) != table[name]:
                    what = f"math.{name} takes {table[name]} argument(s) in a kernel, {len(node.args)} given"
                    self.refuse(node, what, "write math.log(a) / math.log(base)" if name == "log" else "")
                args = [self.number(a) for a in node.args]
                if kind == "int" and args[0].type == "int":
                    return args[0]
                return ir.Call(name, tuple(to_float(a) for a in args), kind)
        known = ", ".join(sorted({*MATH_FLOAT, *MATH_BOOL, *MATH_INT}))
        self.refuse(
            node, f"math.{name} is outside the kernel subset", INSTEAD.get(name, f"of math, kernels know {known}")
        )

    def _builtin(self, node: ast.Call, name: str) -> ir.Expr:
        if name == "len":
            return self._len(node)
        if name in ("int", "float") and any(isinstance(getattr(a, "value", None), str) for a in node.args):
            self.refuse(node, f"{self.shown(node)} reads text", "write the number, math.inf or math.nan")
        args = [self.number(a) for a in node.args]
        if name in ("min", "max"):
            if len(args) < 2:
                self.refuse(
                    node,
                    f"{self.shown(node)} has {len(args)} argument",
                    "give two or more numbers, or write a loop over the vector",
                )
            if len({a.type for a in args}) > 1:
                self.refuse(
                    node,
                    f"{self.shown(node)} mixes int and float",
                    "write 0.0 instead of 0, or wrap the ints in float(...)",
                )
            return ir.Call(name, tuple(args), args[0].type)
        if len(args) != 1:
            self.refuse(node, f"{name} takes one argument in a kernel, {len(args)} given", f"write {name}(a)")
        if name == "abs":
            return ir.Call("abs", (args[0],), args[0].type)
        return (
            to_float(args[0]) if name == "float" else (args[0] if args[0].type == "int" else ir.Convert(args[0], "int"))
        )

    def _len(self, node: ast.Call) -> ir.Expr:
        argument = node.args[0] if len(node.args) == 1 else node
        dimension = 0
        if isinstance(argument, ast.Subscript):
            argument, dimension = argument.value, 1
        base = self.expression(argument) if argument is not node else None
        if base is None or not isinstance(base.type, ir.Array) or dimension >= len(base.type.shape):
            self.refuse(node, f"{self.shown(node)} is not known",
                        "len takes a vector, a matrix (its rows) or matrix[0] (its columns)")  # fmt: skip
        return ir.Const(base.type.shape[dimension], "int")
