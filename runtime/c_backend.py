"""From a typed `Function` to C text: statements, loops and helper functions.

After a fault (an index outside its array, an assert that does not hold) the code runs on with harmless values to the
end of the block, which then stops the run; loops without a fixed number of rounds end at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from hybsim.kernel import ir
from hybsim.kernel.control_flow import has_jump, known_rounds
from hybsim.kernel.effects import fixed, in_order, local_names, may_stop, needs_fault
from hybsim.runtime.c_expressions import CExpressions, Places, ctype, number

__all__ = ["CWriter", "Places", "helper_text", "needs_fault", "number"]


class CWriter(CExpressions):
    """Writes the body of one function into `lines`."""

    def __init__(
        self,
        function: ir.Function,
        places: Places,
        helper_names: dict[ir.Function, str],
        field: Callable[[ir.Field], str],
        fault: str,
    ) -> None:
        super().__init__(function, places, helper_names, field, fault)
        self.lines: list[str] = []

    def write(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def declarations(self, depth: int) -> None:
        used = local_names(self.function.body) - {name for name, _ in self.function.args}
        for name, kind in self.function.locals.items():
            if name not in used or (name == "t" and self.function.uses_time):
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
                if any(in_order((node.value, node.target))):
                    w(depth, f"{{ const double hs_value = {e(node.value)};")
                    w(depth, f"  {e(node.target)} = hs_value; }}")
                else:
                    w(depth, f"{e(node.target)} = {e(node.value)};")
            case ir.Unpack():
                w(depth, f"{{ hs_{self.helper_names[node.call.helper]} hs_values = {e(node.call)};")
                for i, target in enumerate(node.targets):
                    w(depth, f"  {e(target)} = hs_values.v{i};")
                w(depth, "}")
            case ir.Allocate():
                w(depth, f"__builtin_memset({e(node.target)}, 0, sizeof {e(node.target)});")
            case ir.If():
                w(depth, f"if ({e(node.condition)}) {{")
                self.statements(node.yes, depth + 1)
                while len(node.no) == 1 and isinstance(node.no[0], ir.If):  # a long chain must not nest
                    node = node.no[0]
                    w(depth, f"}} else if ({e(node.condition)}) {{")
                    self.statements(node.yes, depth + 1)
                if node.no:
                    w(depth, "} else {")
                    self.statements(node.no, depth + 1)
                w(depth, "}")
            case ir.For():
                self.loop(node, depth)
            case ir.While():
                w(depth, f"while ({e(node.condition)} && !{self.faulted}) {{")
                self.statements(node.body, depth + 1)
                w(depth, "}")
            case ir.Jump():
                w(depth, f"{node.word};")
            case ir.Return():
                self.give_back(node, depth)
            case ir.Do():
                w(depth, f"{e(node.call)};")
            case ir.Check():
                place = self.places.number(node.reason)
                w(depth, f"if (HS_UNLIKELY(!({e(node.condition)}) && !{self.faulted})) {self.faulted} = {place};")

    def loop(self, node: ir.For, depth: int) -> None:
        """The loop variable is set at the start of each round: Python keeps its last value."""
        name = self.local(node.target.name)
        start, stop, step = (self.expression(v) for v in (node.start, node.stop, node.step))
        rounds = known_rounds(node.start, node.stop, node.step)
        if rounds is not None and fixed(node):
            if len(rounds) == 1 and not has_jump(node.body):
                self.write(depth, f"{name} = {start};")
                self.statements(node.body, depth)
                return
            way = "<" if rounds.step > 0 else ">"
            self.write(depth, f"for (int64_t hs_round = {start}; hs_round {way} {stop}; hs_round += {step}) {{")
            self.write(depth + 1, f"{name} = hs_round;")
        else:
            count = f"hs_rounds(hs_first, hs_stop, hs_step, {self.at(node.line, 'range with step 0')})"
            self.write(depth, f"{{ const int64_t hs_first = {start}, hs_stop = {stop}, hs_step = {step};")
            going = f"hs_round < hs_left && !{self.faulted}" if may_stop(node.body) else "hs_round < hs_left"
            self.write(depth, f"for (uint64_t hs_left = {count}, hs_round = 0; {going}; hs_round++) {{")
            self.write(depth + 1, f"{name} = hs_add(hs_first, hs_mul((int64_t)hs_round, hs_step));")
        self.statements(node.body, depth + 1)
        self.write(depth, "}" if rounds is not None and fixed(node) else "}}")

    def give_back(self, node: ir.Return, depth: int) -> None:
        places = ", ".join(f"{{{i}}}" for i in range(len(node.values)))
        if len(node.values) > 1:
            places = f"(hs_{self.helper_names[self.function]}){{{{{places}}}}}"
        self.write(depth, f"return {self.together(node.values, places)};" if node.values else "return;")


def remark(text: str) -> str:
    """Text for a comment, which nothing in it may end."""
    return text.replace("*/", "* /")


def helper_text(function: ir.Function, names: dict[ir.Function, str], places: Places) -> list[str]:
    """A helper kernel as a static inline function, after the helpers it calls."""
    writer = CWriter(function, places, names, field=_no_field, fault="fault")
    name = names[function]
    result = "void"
    if len(function.returns) == 1:
        result = ctype(function.returns[0])
    elif function.returns:
        members = " ".join(f"{ctype(kind)} v{i};" for i, kind in enumerate(function.returns))
        result = f"hs_{name}"
        writer.write(0, f"typedef struct {{ {members} }} {result};")
    arguments = [
        f"{'' if n in function.mutates else 'const '}double *{writer.local(n)}"
        if isinstance(kind, ir.Array)
        else f"{ctype(kind)} {writer.local(n)}"
        for n, kind in function.args
    ]
    if needs_fault(function):
        arguments.append("int64_t *fault")
    # The name alone: with its folder, the same program would be another one in another place.
    origin = f"/* {remark(os.path.basename(function.file))}:{function.line} */"
    writer.write(0, f"static inline {result} {name}({', '.join(arguments) or 'void'}) {{ {origin}")
    writer.declarations(1)
    writer.statements(function.body, 1)
    writer.write(0, "}")
    return writer.lines


def _no_field(node: ir.Field) -> str:
    raise AssertionError(node)
