"""From a typed `Function` to C text: expressions and statements, fully parenthesised.

Names of fields are resolved by the caller, so that the same statements serve the flat step
(signals are variables, states and parameters are array elements) and helper functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from hybsim.kernel import ir
from hybsim.kernel.frontend import has_jump
from hybsim.kernel.source import short

EXACT = {"sqrt": "__builtin_sqrt", "fabs": "__builtin_fabs"}
TESTS = {
    "isnan": "({0} != {0})",
    "isinf": "(__builtin_fabs({0}) == HS_INF)",
    "isfinite": "(({0} - {0}) == 0.0)",
}
ROUNDINGS = {
    "floor": "hs_int(__builtin_floor({0}))",
    "ceil": "hs_int(__builtin_ceil({0}))",
    "trunc": "hs_int({0})",
}
INT_OPS = {"+": "hs_add", "-": "hs_sub", "*": "hs_mul"}


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
        return (
            "INT64_MIN" if value == -(2**63) else (f"INT64_C({value})" if abs(value) >= 2**31 else f"{value}")
        )
    if not math.isfinite(value):
        return "HS_NAN" if value != value else ("HS_INF" if value > 0 else "(-HS_INF)")
    text = repr(value)
    return f"({text})" if text.startswith("-") else text


class CWriter:
    """Writes the body of one function; `field` gives the C name of `group.name`, `fault` that of the fault flag."""

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
        self.lines: list[str] = []

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
                return f"({e(node.left)} {node.op} {e(node.right)})"
            case ir.Logic():
                return "(" + (" && " if node.op == "and" else " || ").join(e(v) for v in node.values) + ")"
            case ir.Select():
                return f"({e(node.condition)} ? {e(node.yes)} : {e(node.no)})"
            case ir.Convert():
                return f"(double){e(node.operand)}" if node.type == "float" else f"hs_int({e(node.operand)})"
            case ir.HelperCall():
                return self.helper_call(node)
            case ir.Call():
                return self.call(node)
        raise AssertionError(node)

    def local(self, name: str) -> str:
        return "t" if name == "t" and not self.function.args else f"{name}_"

    def item(self, node: ir.Item) -> str:
        assert isinstance(node.base.type, ir.Array)
        parts = []
        for part, n, checked in zip(node.index, node.base.type.shape, node.checked, strict=True):
            text = self.expression(part)
            where = self.at(node.line, f"index out of range 0..{n - 1}") if checked else ""
            parts.append(f"hs_index({text}, {n}, {where})" if checked else f"HS_PROVED({text}, {n})")
        flat = parts[0] if len(parts) == 1 else f"{parts[0]} * {node.base.type.shape[1]} + {parts[1]}"
        base = self.expression(node.base)
        return f"{base}[{flat}]"

    def binary(self, node: ir.Binary) -> str:
        a, b = self.expression(node.left), self.expression(node.right)
        if node.type == "float":
            named = {"//": "hs_ffloordiv", "%": "hs_fmod", "**": "pow"}.get(node.op)
            return f"{named}({a}, {b})" if named else f"({a} {node.op} {b})"
        if node.op in INT_OPS:
            return f"{INT_OPS[node.op]}({a}, {b})"
        name = "hs_ifloordiv" if node.op == "//" else "hs_imod"
        return f"{name}({a}, {b}, {self.at(node.line, 'integer division by zero')})"

    def call(self, node: ir.Call) -> str:
        args = [self.expression(a) for a in node.args]
        if node.name in ("min", "max"):
            name = f"hs_{'i' if node.type == 'int' else ''}{node.name}"
            text = args[0]
            for argument in args[1:]:
                text = f"{name}({text}, {argument})"
            return text
        if node.name == "abs":
            return f"__builtin_fabs({args[0]})" if node.type == "float" else f"hs_iabs({args[0]})"
        if node.name in TESTS:
            return TESTS[node.name].format(args[0])
        if node.name in ROUNDINGS:
            return ROUNDINGS[node.name].format(args[0])
        return f"{EXACT.get(node.name, node.name)}({', '.join(args)})"

    def helper_call(self, node: ir.HelperCall) -> str:
        args = [self.expression(a) for a in node.args]
        if needs_fault(node.helper):
            args.append(self.fault)
        return f"{self.helper_names[node.helper]}({', '.join(args)})"

    # statements ---------------------------------------------------------------------------

    def write(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def declarations(self, depth: int) -> None:
        arguments = {name for name, _ in self.function.args} | {"t"}
        for name, kind in self.function.locals.items():
            if name in arguments or (name not in used_names(self.function.body)):
                continue
            if isinstance(kind, ir.Array):
                self.write(depth, f"double {self.local(name)}[{kind.size}];")
            else:
                self.write(depth, f"{ctype(kind)} {self.local(name)} = 0;")

    def statements(self, body: tuple[ir.Stmt, ...], depth: int) -> None:
        for node in body:
            self.statement(node, depth)

    def statement(self, node: ir.Stmt, depth: int) -> None:
        e, w = self.expression, self.write
        match node:
            case ir.Assign():
                w(depth, f"{e(node.target)} = {e(node.value)};")
            case ir.Unpack():
                name = self.helper_names[node.call.helper]
                w(depth, f"{{ {name}_values values = {e(node.call)};")
                for i, target in enumerate(node.targets):
                    w(depth, f"  {e(target)} = values.v{i};")
                w(depth, "}")
            case ir.Allocate():
                w(depth, f"__builtin_memset({e(node.target)}, 0, sizeof {e(node.target)});")
            case ir.If():
                w(depth, f"if ({e(node.condition)}) {{")
                self.statements(node.yes, depth + 1)
                if node.no:
                    w(depth, "} else {")
                    self.statements(node.no, depth + 1)
                w(depth, "}")
            case ir.For():
                self.loop(node, depth)
            case ir.While():
                w(depth, f"while ({e(node.condition)}) {{")
                self.statements(node.body, depth + 1)
                w(depth, "}")
            case ir.Jump():
                w(depth, f"{node.word};")
            case ir.Return():
                self.give_back(node, depth)
            case ir.Do():
                w(depth, f"{e(node.call)};")

    def loop(self, node: ir.For, depth: int) -> None:
        """The loop variable is set at the start of each round: Python keeps its last value."""
        name = self.local(node.target.name)
        start, stop, step = (self.expression(v) for v in (node.start, node.stop, node.step))
        if all(isinstance(v, ir.Const) for v in (node.start, node.stop, node.step)):
            if len(range(*(int(v.value) for v in (node.start, node.stop, node.step)))) == 1 and not has_jump(node.body):  # type: ignore[union-attr]
                self.write(depth, f"{name} = {start};")
                self.statements(node.body, depth)
                return
            way = "<" if int(node.step.value) > 0 else ">"  # type: ignore[union-attr]
            self.write(depth, f"for (int64_t round = {start}; round {way} {stop}; round += {step}) {{")
            self.write(depth + 1, f"{name} = round;")
        else:
            count = f"hs_rounds(first, {stop}, stride, {self.at(node.line, 'range with step 0')})"
            self.write(
                depth,
                f"for (int64_t first = {start}, stride = {step}, rounds = {count}, round = 0; round < rounds; round++) {{",
            )
            self.write(depth + 1, f"{name} = hs_add(first, hs_mul(round, stride));")
        self.statements(node.body, depth + 1)
        self.write(depth, "}")

    def give_back(self, node: ir.Return, depth: int) -> None:
        values = [self.expression(v) for v in node.values]
        if len(values) > 1:
            self.write(depth, f"return ({self.helper_names[self.function]}_values){{{', '.join(values)}}};")
        else:
            self.write(depth, f"return {values[0]};" if values else "return;")


def ctype(kind: ir.Type) -> str:
    return {"float": "double", "int": "int64_t", "bool": "int"}[str(kind)]


def used_names(body: tuple[ir.Stmt, ...]) -> set[str]:
    """Locals that a body mentions."""
    names: set[str] = set()
    for node in body:
        match node:
            case ir.Assign():
                names |= _locals(node.target, node.value)
            case ir.Unpack():
                names |= _locals(*node.targets, node.call)
            case ir.Allocate():
                names.add(node.target.name)
            case ir.If():
                names |= _locals(node.condition) | used_names(node.yes) | used_names(node.no)
            case ir.For():
                names |= (
                    {node.target.name} | _locals(node.start, node.stop, node.step) | used_names(node.body)
                )
            case ir.While():
                names |= _locals(node.condition) | used_names(node.body)
            case ir.Return():
                names |= _locals(*node.values)
            case ir.Do():
                names |= _locals(node.call)
    return names


def _locals(*nodes: ir.Expr) -> set[str]:
    return {inner.name for node in nodes for inner in ir.walk(node) if isinstance(inner, ir.Local)}


def needs_fault(function: ir.Function) -> bool:
    """Whether a function can stop a run: it has an index or a division that is checked as it goes."""
    return any(_can_fault(s) for s in function.body) or any(needs_fault(h) for h in function.helpers)


def _can_fault(node: ir.Stmt) -> bool:
    def expressions() -> list[ir.Expr]:
        match node:
            case ir.Assign():
                return [node.target, node.value]
            case ir.Unpack() | ir.Do():
                return [node.call]
            case ir.If() | ir.While():
                return [node.condition]
            case ir.For():
                return [node.start, node.stop, node.step]
            case ir.Return():
                return list(node.values)
            case _:
                return []

    for expression in expressions():
        for inner in ir.walk(expression):
            if isinstance(inner, ir.Item) and any(inner.checked):
                return True
            if isinstance(inner, ir.Binary) and inner.type == "int" and inner.op in ("//", "%"):
                return True
    if isinstance(node, ir.For) and not all(
        isinstance(v, ir.Const) for v in (node.start, node.stop, node.step)
    ):
        return True
    if isinstance(node, ir.If):
        return any(_can_fault(s) for s in node.yes + node.no)
    return isinstance(node, ir.For | ir.While) and any(_can_fault(s) for s in node.body)


def helper_text(function: ir.Function, names: dict[ir.Function, str], places: Places) -> list[str]:
    """A helper kernel as a static inline function, after the helpers it calls."""
    writer = CWriter(function, places, names, field=_no_field, fault="fault")
    name = names[function]
    result = "void"
    if len(function.returns) == 1:
        result = ctype(function.returns[0])
    elif function.returns:
        members = " ".join(f"{ctype(kind)} v{i};" for i, kind in enumerate(function.returns))
        writer.write(0, f"typedef struct {{ {members} }} {name}_values;")
        result = f"{name}_values"
    arguments = [
        f"{'' if n in function.mutates else 'const '}double *{writer.local(n)}"
        if isinstance(kind, ir.Array)
        else f"{ctype(kind)} {writer.local(n)}"
        for n, kind in function.args
    ]
    if needs_fault(function):
        arguments.append("int64_t *fault")
    writer.write(
        0,
        f"static inline {result} {name}({', '.join(arguments) or 'void'}) {{ /* {short(function.file)}:{function.line} */",
    )
    writer.declarations(1)
    writer.statements(function.body, 1)
    writer.write(0, "}")
    return writer.lines


def _no_field(node: ir.Field) -> str:
    raise AssertionError(node)
