"""From typed expressions to C text, fully parenthesised.

Names of fields are resolved by the caller, so that the same expressions serve the flat step (signals are
variables, states and parameters are array elements) and helper functions. A kernel's own names end in
`_`, those of the emitted code begin with `hs_`: they never meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from hybsim.kernel import ir
from hybsim.kernel.effects import acts, in_order, needs_fault
from hybsim.kernel.source import short

EXACT = {"sqrt": "__builtin_sqrt", "fabs": "__builtin_fabs"}
FORMS = {
    "isnan": "hs_isnan({0})",
    "isinf": "(__builtin_fabs({0}) == HS_INF)",
    "isfinite": "(__builtin_fabs({0}) < HS_INF)",
    "floor": "hs_int(__builtin_floor({0}))",
    "ceil": "hs_int(__builtin_ceil({0}))",
    "trunc": "hs_int({0})",
}
FLOAT_OPS = {"//": "hs_ffloordiv({0}, {1})", "%": "hs_fmod({0}, {1})", "**": "pow({0}, {1})"}
INT_OPS = {"+": "hs_add({0}, {1})", "-": "hs_sub({0}, {1})", "*": "hs_mul({0}, {1})"}


class Places:
    """Source lines that can stop a run, numbered from 1 as the emitted code reports them."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def number(self, text: str) -> int:
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text) + 1


def number(value: float | int | bool) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int):
        return "INT64_MIN" if value == -(2**63) else (f"INT64_C({value})" if abs(value) >= 2**31 else f"{value}")
    if not math.isfinite(value):
        return "HS_NAN" if value != value else ("HS_INF" if value > 0 else "(-HS_INF)")
    text = repr(value)
    return f"({text})" if text.startswith("-") else text


class CExpressions:
    """Writes the expressions of one function.

    `field` gives the C name of `group.name`; `fault` is a pointer to the fault flag.
    """

    def __init__(
        self,
        function: ir.Function,
        places: Places,
        helper_names: dict[ir.Function, str],
        field: Callable[[ir.Field], str],
        fault: str,
    ) -> None:
        self.function, self.places, self.helper_names = function, places, helper_names
        self.field, self.fault = field, fault
        self.faulted = fault.removeprefix("&") if fault.startswith("&") else f"*{fault}"

    def at(self, line: int, what: str) -> str:
        return f"{self.fault}, {self.places.number(f'{what} at {short(self.function.file)}:{line}')}"

    def expression(self, node: ir.Expr) -> str:
        e = self.expression
        match node:
            case ir.Const():
                return number(node.value)
            case ir.Local():
                return self.local(node.name)
            case ir.Field():
                return self.field(node)
            case ir.Item():
                return self.item(node)
            case ir.Unary(op="not"):
                return f"(!{e(node.operand)})"
            case ir.Unary():
                return f"(-{e(node.operand)})" if node.type == "float" else f"hs_neg({e(node.operand)})"
            case ir.Binary():
                return self.binary(node)
            case ir.Compare():
                return self.compare(node)
            case ir.Logic():
                return "(" + (" && " if node.op == "and" else " || ").join(e(v) for v in node.values) + ")"
            case ir.Select():
                return f"({e(node.condition)} ? {e(node.yes)} : {e(node.no)})"
            case ir.Convert(type="float", operand=ir.Convert(type="int", operand=inner)) if inner.type == "float":
                return f"hs_whole({e(inner)})"
            case ir.Convert():
                return f"(double){e(node.operand)}" if node.type == "float" else f"hs_int({e(node.operand)})"
            case ir.HelperCall():
                return self.helper_call(node)
            case ir.Call():
                return self.call(node)
        raise AssertionError(node)

    def together(self, nodes: tuple[ir.Expr, ...], form: str) -> str:
        """`form` with the operands filled in; those whose order shows are evaluated first, from left to right."""
        texts = [self.expression(node) for node in nodes]
        first = in_order(nodes)
        if not any(first):
            return form.format(*texts)
        names = [f"hs_{i}" if f else text for i, (f, text) in enumerate(zip(first, texts, strict=True))]
        steps = [
            f"const {ctype(node.type)} {name} = {text};"
            for node, name, text, f in zip(nodes, names, texts, first, strict=True)
            if f
        ]
        return f"({{ {' '.join(steps)} {form.format(*names)}; }})"

    def local(self, name: str) -> str:
        return "t" if name == "t" and self.function.uses_time else f"{name}_"

    def item(self, node: ir.Item) -> str:
        assert isinstance(node.base.type, ir.Array)
        parts = []
        for part, n, checked in zip(node.index, node.base.type.shape, node.checked, strict=True):
            text = self.expression(part)
            place = self.at(node.line, f"index out of range 0..{n - 1}") if checked else ""
            parts.append(f"hs_index({text}, {n}, {place})" if checked else f"HS_PROVED({text}, {n})")
        base, (width,) = self.expression(node.base), node.base.type.shape[1:] or (1,)
        if len(parts) == 1:
            return f"{base}[{parts[0]}]"
        either = any(in_order(node.index)) or all(c or acts(i) for i, c in zip(node.index, node.checked, strict=True))
        if either:  # the first index is settled first
            return f"{base}[({{ const int64_t hs_row = {parts[0]}; hs_row * {width} + {parts[1]}; }})]"
        return f"{base}[{parts[0]} * {width} + {parts[1]}]"

    def binary(self, node: ir.Binary) -> str:
        operands = (node.left, node.right)
        if node.type == "float":
            form = (
                "hs_ratio({0}, {1})" if node.left.type == "int" else FLOAT_OPS.get(node.op, f"({{0}} {node.op} {{1}})")
            )
        elif node.op in INT_OPS:
            form = INT_OPS[node.op]
        else:
            name = "hs_ifloordiv" if node.op == "//" else "hs_imod"
            form = f"{name}({{0}}, {{1}}, {self.at(node.line, 'integer division by zero')})"
        return self.together(operands, form)

    def compare(self, node: ir.Compare) -> str:
        """An int and a float are compared by value, without rounding the int."""
        form = {
            ("int", "float"): f"(hs_order({{0}}, {{1}}) {node.op} 0.0)",
            ("float", "int"): f"(0.0 {node.op} hs_order({{1}}, {{0}}))",
        }.get((str(node.left.type), str(node.right.type)), f"({{0}} {node.op} {{1}})")
        return self.together((node.left, node.right), form)

    def call(self, node: ir.Call) -> str:
        if node.name in ("min", "max"):
            name = f"hs_{'i' if node.type == 'int' else ''}{node.name}"
            form = "{0}"
            for i in range(1, len(node.args)):
                form = f"{name}({form}, {{{i}}})"
        elif node.name == "abs":
            form = "__builtin_fabs({0})" if node.type == "float" else "hs_iabs({0})"
        else:
            places = ", ".join(f"{{{i}}}" for i in range(len(node.args)))
            form = FORMS.get(node.name, f"{EXACT.get(node.name, node.name)}({places})")
        return self.together(node.args, form)

    def helper_call(self, node: ir.HelperCall) -> str:
        places = [f"{{{i}}}" for i in range(len(node.args))]
        if needs_fault(node.helper):
            places.append(self.fault)
        return self.together(node.args, f"{self.helper_names[node.helper]}({', '.join(places)})")


def ctype(kind: ir.Type) -> str:
    return {"float": "double", "int": "int64_t", "bool": "int"}[str(kind)]
