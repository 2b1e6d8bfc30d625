"""From a typed `Function` to a Python function with IEEE arithmetic, for the Python engine.

The code keeps the kernel's own file name and line numbers: breakpoints set in a block's file are hit.
Vectors and matrices are flat lists of floats.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from . import ieee, ir
from .source import short

NATIVE = ("+", "-", "*")
FLOAT_OPS = {"/": "_hs_div", "//": "_hs_float_floordiv", "%": "_hs_float_mod", "**": "_hs_power"}
INT_OPS = {"//": "_hs_int_floordiv", "%": "_hs_int_mod"}


class PythonWriter:
    """Writes one function; `lines` pairs each generated line with the kernel's line."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.lines: list[tuple[int, str]] = []

    def place(self, line: int) -> str:
        return repr(f"{short(self.function.file)}:{line}")

    def write(self, line: int, depth: int, text: str) -> None:
        self.lines.append((line, "    " * depth + text))

    def expression(self, node: ir.Expr) -> str:
        e = self.expression
        match node:
            case ir.Const():
                return f"({number(node.value)})"
            case ir.Local():
                return f"{node.name}"
            case ir.Field():
                return f"{node.group}.{node.name}"
            case ir.Item():
                return f"{e(node.base)}[{self.flat_index(node)}]"
            case ir.Unary(op="not"):
                return f"(not {e(node.operand)})"
            case ir.Unary():
                return f"(-{e(node.operand)})" if node.type == "float" else f"_hs_wrap(-{e(node.operand)})"
            case ir.Binary():
                return self.binary(node)
            case ir.Compare():
                return f"({e(node.left)} {node.op} {e(node.right)})"
            case ir.Logic():
                return "(" + f" {node.op} ".join(e(v) for v in node.values) + ")"
            case ir.Select():
                return f"({e(node.yes)} if {e(node.condition)} else {e(node.no)})"
            case ir.Convert():
                return f"_hs_float({e(node.operand)})" if node.type == "float" else f"_hs_int({e(node.operand)})"
            case ir.HelperCall():
                return f"_hs_{node.helper.name}_{id(node.helper)}({', '.join(e(a) for a in node.args)})"
            case ir.Call(name="abs" | "min" | "max"):
                text = f"_hs_{node.name}({', '.join(e(a) for a in node.args)})"
                return f"_hs_wrap({text})" if node.type == "int" else text
            case ir.Call():
                return f"_hs_math_{node.name}({', '.join(e(a) for a in node.args)})"
        raise AssertionError(node)

    def binary(self, node: ir.Binary) -> str:
        a, b = self.expression(node.left), self.expression(node.right)
        if node.op in NATIVE:
            return f"({a} {node.op} {b})" if node.type == "float" else f"_hs_wrap({a} {node.op} {b})"
        if node.type == "float":
            name = "_hs_ratio" if node.left.type == "int" else FLOAT_OPS[node.op]
            return f"{name}({a}, {b})"
        return f"{INT_OPS[node.op]}({a}, {b}, {self.place(node.line)})"

    def flat_index(self, node: ir.Item) -> str:
        assert isinstance(node.base.type, ir.Array)
        parts = [
            f"_hs_index({self.expression(i)}, {n}, {self.place(node.line)})" if check else self.expression(i)
            for i, n, check in zip(node.index, node.base.type.shape, node.checked, strict=True)
        ]
        return parts[0] if len(parts) == 1 else f"{parts[0]} * {node.base.type.shape[1]} + {parts[1]}"

    def statements(self, body: tuple[ir.Stmt, ...], depth: int, line: int) -> None:
        if not body:
            self.write(line, depth, "pass")
        for statement in body:
            self.statement(statement, depth)

    def statement(self, node: ir.Stmt, depth: int) -> None:
        e = self.expression
        match node:
            case ir.Assign():
                self.write(node.line, depth, f"{e(node.target)} = {e(node.value)}")
            case ir.Unpack():
                self.write(node.line, depth, f"{', '.join(e(t) for t in node.targets)} = {e(node.call)}")
            case ir.Allocate():
                assert isinstance(node.target.type, ir.Array)
                self.write(node.line, depth, f"{node.target.name} = [0.0] * {node.target.type.size}")
            case ir.If():
                self.write(node.line, depth, f"if {e(node.condition)}:")
                self.statements(node.yes, depth + 1, node.line)
                while len(node.no) == 1 and isinstance(node.no[0], ir.If):  # a long chain must not nest
                    node = node.no[0]
                    self.write(node.line, depth, f"elif {e(node.condition)}:")
                    self.statements(node.yes, depth + 1, node.line)
                if node.no:
                    self.write(node.line, depth, "else:")
                    self.statements(node.no, depth + 1, node.line)
            case ir.For():
                bounds = f"{e(node.start)}, {e(node.stop)}, {e(node.step)}"
                loop = (
                    f"_hs_range({bounds})"
                    if isinstance(node.step, ir.Const)
                    else f"_hs_steps({bounds}, {self.place(node.line)})"
                )
                self.write(node.line, depth, f"for {node.target.name} in {loop}:")
                self.statements(node.body, depth + 1, node.line)
            case ir.While():
                self.write(node.line, depth, f"while {e(node.condition)}:")
                self.statements(node.body, depth + 1, node.line)
            case ir.Jump():
                self.write(node.line, depth, node.word)
            case ir.Return():
                self.write(node.line, depth, f"return {', '.join(e(v) for v in node.values)}")
            case ir.Do():
                self.write(node.line, depth, e(node.call))
            case ir.Check():
                self.write(node.line, depth, f"if not {e(node.condition)}: _hs_stop({node.reason!r})")


def number(value: float | int | bool) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "_hs_nan" if value != value else ("_hs_inf" if value > 0 else "-_hs_inf")
    return repr(value)


RUNTIME: dict[str, Any] = {
    "wrap": ieee.wrap, "int": ieee.to_int, "float": float, "abs": abs, "min": min, "max": max, "range": range,
    "div": ieee.div, "ratio": ieee.ratio, "power": ieee.power,
    "float_floordiv": ieee.float_floordiv, "float_mod": ieee.float_mod,
    "int_floordiv": ieee.int_floordiv, "int_mod": ieee.int_mod,
    "index": ieee.index, "steps": ieee.steps, "stop": ieee.stop, "nan": math.nan, "inf": math.inf,
} | {f"math_{name}": function for name, function in ieee.MATH.items()}  # fmt: skip
"""What the code calls, under names that no kernel can have: a kernel may well call a variable `float`."""


def compile_python(function: ir.Function, arguments: tuple[str, ...] | None = None) -> Callable[..., Any]:
    """An executable Python function; kernels name their `arguments`, helpers have their own."""
    writer = PythonWriter(function)
    names = arguments if arguments is not None else tuple(name for name, _ in function.args)
    own_name = f"{function.name}_" if function.name.startswith("_hs_") else function.name
    writer.write(function.line, 0, f"def {own_name}({', '.join(names)}):")
    writer.statements(function.body, 1, function.line)
    tree = ast.parse("\n".join(text for _, text in writer.lines))
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            line = writer.lines[node.lineno - 1][0]
            node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
            node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
    namespace = {f"_hs_{name}": value for name, value in RUNTIME.items()}
    for helper in function.helpers:
        namespace[f"_hs_{helper.name}_{id(helper)}"] = compile_python(helper)
    exec(compile(tree, function.file, "exec", dont_inherit=True), namespace)
    result: Callable[..., Any] = namespace[own_name]
    return result
