"""What is outside the kernel subset is refused: the message says where, what, and what to write instead."""

from __future__ import annotations

import math
import re
from textwrap import dedent, indent
from typing import Any

import numpy as np
import pytest

from hybsim.errors import KernelError
from hybsim.kernel import ir, kernel, zeros
from hybsim.kernel.frontend import translate_kernel
from hybsim.kernel.source import kernel_from_text

FIELDS: dict[str, dict[str, ir.Type | int]] = {
    "u": {"a": "float", "v": ir.Array((4,))},
    "x": {"s": "float", "w": ir.Array((3,))},
    "p": {"k": "float", "n": "int", "order": 2, "m": ir.Array((2, 3)), "none": ir.Array((0,))},
    "y": {"out": "float", "z": ir.Array((2,))},
    "dx": {"s": "float", "w": ir.Array((3,))},
}
ROLES = {"outputs": "uxpy", "update": "uxp", "derivative": ("u", "x", "p", "dx")}


@kernel
def twice(a):
    return 2.0 * a


@kernel
def both(a):
    return a, 2.0 * a


@kernel
def clear(w):
    for i in range(3):
        w[i] = 0.0


@kernel
def advance(w):
    w[0] += 1.0
    return w[0]


@kernel
def around(a):
    return about(a)


@kernel
def about(a):
    return around(a)


@kernel
def patchy(a):
    if a > 0.0:
        return a


@kernel
def undecided(a):
    if a > 0.0:
        return 1
    return a


@kernel
def empty_handed(a):
    if a > 0.0:
        return
    return a


@kernel
def with_default(a, b=2.0):
    return a * b


@kernel
def replaces(w):
    w = 3.0
    return w


def unmarked(a):
    return a


NAMES = {
    "math": math, "np": np, "zeros": zeros, "twice": twice, "both": both, "clear": clear, "advance": advance,
    "around": around, "patchy": patchy, "undecided": undecided, "empty_handed": empty_handed,
    "with_default": with_default, "replaces": replaces, "unmarked": unmarked, "GAINS": [1.0, 2.0], "LABEL": "text",
}  # fmt: skip


def refusal(body: str, role: str = "outputs", header: str | None = None) -> str:
    """The message for a kernel whose body is complete but for the lines given; they begin on line 2."""
    arguments = ", ".join(ROLES[role])
    rest = {"outputs": "y.out = 0.0\ny.z[0] = 0.0\n", "update": "", "derivative": "dx.s = 0.0\ndx.w[0] = 0.0\n"}[role]
    text = (header or f"def {role}({arguments}):") + "\n" + indent(dedent(body).strip("\n") + "\n" + rest, "    ")
    function = kernel_from_text(text, "block", NAMES)
    with pytest.raises(KernelError) as caught:
        translate_kernel(function, role, {group: FIELDS[group] for group in ROLES[role]})
    return str(caught.value)


# (what is written on line 2, what the message says of it, what it says to write instead)
LINES = [
    # values that are not numbers
    ("a = [u.v[i] for i in range(4)]", "is a list comprehension, which is outside the kernel subset", "write a loop that fills `w = zeros(n)`"),
    ("a = [1.0, 2.0]", "'[1.0, 2.0]' is a list, which is outside the kernel subset", "use `w = zeros(n)` or a vector parameter"),
    ("a = (1.0, 2.0)", "is a tuple, which is outside the kernel subset", "write one assignment a line"),
    ("a = {'k': 1.0}", "is a dict, which is outside the kernel subset", "use parameters p.<name>"),
    ("a = sum(u.v[i] for i in range(4))", "'sum' is not a function that kernels know", "write a loop"),
    ("a = 'fast'", "'fast' is not a number", "kernels hold numbers only"),
    ("a = f'{u.a}'", "is a string, which is outside the kernel subset", "kernels hold numbers only"),
    ("a = None", "None is not a number", "kernels hold numbers only"),
    ("a = 2j", "2j is not a number", "kernels hold numbers only"),
    ("a = float('inf')", "reads text", "write the number, math.inf or math.nan"),
    ("a = 9223372036854775808", "9223372036854775808 does not fit in 64 bits", "write it as a float"),
    ("a = GAINS[0]", "'GAINS' is a list outside the kernel, not a number", "pass it in as a parameter p.<name>"),
    ("a = LABEL", "'LABEL' is a str outside the kernel, not a number", "pass it in as a parameter p.<name>"),
    ("a = twice", "'twice' is a function outside the kernel, not a number", "pass it in"),
    ("a = np.pi", "'np.pi' is not known here", "this kernel sees u, x, p, y and math; pass other things in as parameters"),
    ("a = lambda b: b", "is a lambda, which is outside the kernel subset", "write a function marked with @kernel"),
    ("a = (b := u.a)", "is an assignment inside an expression, which is outside the kernel subset", "give it a line of its own"),
    # arrays
    ("a = u.v[1:3]", "'u.v[1:3]' is a slice", "write a loop over the index"),
    ("a = u.v[-1]", "index -1 of 'u.v' lies outside 0..3", "count from the front, from 0"),
    ("a = u.v[4]", "index 4 of 'u.v' lies outside 0..3", "count from the front, from 0"),
    ("a = p.m[0, 3]", "index 3 of 'p.m' lies outside 0..2", "count from the front, from 0"),
    ("a = p.m[1]", "'p.m' has 2 index(es), 1 given", "write a[i, j]"),
    ("a = p.m[1][2]", "'p.m' has 2 index(es), 1 given", "write a[i, j]"),
    ("a = u.v[1, 2]", "'u.v' has 1 index(es), 2 given", "write a[i]"),
    ("a = u.v[1][0]", "'u.v[1]' is a single number and cannot be indexed", "write a[i, j] for a matrix"),
    ("a = u.a[0]", "'u.a' is a single number and cannot be indexed", "drop the index, or declare a vector"),
    ("a = u.v[u.a]", "'u.a' is a float where an int is needed", "wrap it in int(...)"),
    ("a = p.none[p.n]", "'p.none' is empty", "loop over range(len(...)), which then does nothing"),
    ("a = u.v * 2.0", "'u.v' is an array[4], a number is needed here", "index it, or pass it whole to a kernel"),
    ("a = u.v", "'a = u.v' would give an array a second name", "copy its elements in a loop"),
    ("w = zeros(p.n)", "'zeros(p.n)' needs one or two sizes that are known when the program is built", "structural parameter"),
    ("w = zeros(2, 2, 2)", "'zeros(2, 2, 2)' needs one or two sizes", "use a number, len(...)"),
    ("w = zeros(1000, 1000)", "has 1000000 numbers, a local array at most 100000", "keep it in the state x"),
    ("a = zeros(3)[0]", "zeros(...) is used inside an expression", "write `a = zeros(n)` on a line of its own"),
    ("y.z = u.a", "y.z cannot be assigned as a whole", "assign its elements in a loop"),
    ("a = max(u.v)", "'u.v' is an array[4], a number is needed here", "index it"),
    ("a = len(u.a)", "'len(u.a)' is not known", "len takes a vector, a matrix (its rows) or matrix[0] (its columns)"),
    # conditions
    ("a = u.a or 1.0", "'u.a or 1.0' uses and/or with a value that is not a condition", "write `a if condition else b`"),
    ("a = u.a > 0.0 and u.a", "uses and/or with a value that is not a condition", "compare: `a != 0.0`"),
    ("a = not u.a", "'u.a' is a float, not a condition", "compare it, as in `a != 0.0`"),
    ("a = 1.0 if u.a else 0.0", "'u.a' is a float, not a condition", "compare it, as in `a != 0.0`"),
    ("a = (u.a > 0.0) + 1.0", "'u.a > 0.0' is a bool, a number is needed here", "write `1.0 if condition else 0.0`"),
    ("y.out = u.a > 0.0", "y.out is a number and cannot hold a condition", "write `1.0 if condition else 0.0`"),
    ("a = u.a is x.s", "uses a comparison outside the kernel subset", "use <, <=, >, >=, ==, !="),
    ("a = u.a in (1.0, 2.0)", "uses a comparison outside the kernel subset", "use <, <=, >, >=, ==, !="),
    # numbers of two types
    ("a = p.n ** 2", "'p.n ** 2' is int ** int", "write the product, or make one of them a float"),
    ("a = max(u.a, 0)", "'max(u.a, 0)' mixes int and float", "write 0.0 instead of 0"),
    ("a = u.a if u.a > 0.0 else 0", "is an int or a float", "write 0.0 instead of 0"),
    ("a = p.n & 1", "uses an operator outside the kernel subset", "use +, -, *, /, //, %, **"),
    ("a = ~p.n", "is a bit operation outside the kernel subset", "use +, -, *, //, %"),
    # names
    ("a = b", "'b' is not known here", "give it a value first, or pass it in as a parameter p.<name>"),
    ("a += 1.0", "'a' may not be set here", "give it a value before the if or the loop"),
    ("a = u.force", "u.force is not declared", "the block's input names are: a, v"),
    ("a = p.gain", "p.gain is not declared", "the block's parameter names are: k, n, order, m, none"),
    ("y.force = 1.0", "y.force is not declared", "the block's output names are: out, z"),
    ("a = y.out", "y.out is read where it may not be set", "assign it first, on every path"),
    ("u = 1.0", "'u' is an argument of the kernel and cannot be replaced", "use another name"),
    ("a = u", "'u' is used as a whole", "read its fields: u.<name>"),
    ("a = x.w.size", "'x.w.size' is not known here", "this kernel sees"),
    ("u.a = 1.0", "u.a cannot be changed here", "this kernel writes y only"),
    ("u.v[0] = 1.0", "u.v cannot be changed here", "this kernel writes y only"),
    ("p.k = 1.0", "p.k cannot be changed here", "this kernel writes y only"),
    ("p.order = 1", "p.order cannot be changed here", "this kernel writes y only"),
    ("x.s = 1.0", "x.s cannot be changed here", "this kernel writes y only"),
    ("clear(x.w)", "x.w cannot be changed here", "this kernel writes y only"),
    ("clear(u.v)", "u.v cannot be changed here", "this kernel writes y only"),
    ("u.a.b = 1.0", "'u.a.b' cannot be assigned", "assign a name, a field such as y.<name>, or an element"),
    # calls
    ("a = unmarked(u.a)", "'unmarked' is not a kernel", "mark its definition with @kernel"),
    ("a = np.sin(u.a)", "'np.sin' is not a function that kernels know", "use math, abs, min, max, int, float, len"),
    ("a = round(u.a)", "'round' is not a function that kernels know", "write math.floor(a + 0.5)"),
    ("a = pow(u.a, 2.0)", "'pow' is not a function that kernels know", "write a ** b"),
    ("a = nothing(u.a)", "'nothing' is not a function that kernels know", "use math"),
    ("a = math.hypot(u.a, 1.0)", "math.hypot is outside the kernel subset", "write math.sqrt(a * a + b * b)"),
    ("a = math.gamma(u.a)", "math.gamma is outside the kernel subset", "of math, kernels know acos, acosh"),
    ("a = math.log(u.a, 2.0)", "math.log takes 1 argument(s) in a kernel, 2 given", "write math.log(a) / math.log(base)"),
    ("a = u.v.sum()", "'u.v.sum' cannot be called", "call a function by its name"),
    ("a = u.sum()", "'u.sum' cannot be called: 'u' is a variable here", "kernels call functions, not methods"),
    ("a = min(u.a)", "'min(u.a)' has 1 argument", "give two or more numbers"),
    ("a = int(u.a, 2)", "int takes one argument in a kernel, 2 given", "write int(a)"),
    ("a = twice(a=u.a)", "has keyword or starred arguments", "write the arguments one by one, in the order of the definition"),
    ("a = twice(*u.v)", "has keyword or starred arguments", "write the arguments one by one"),
    ("a = twice(u.a, 1.0)", "twice takes 1 argument(s), 2 given", "pass every argument"),
    ("a = with_default(u.a)", "with_default takes 2 argument(s), 1 given", "pass every argument, those with a default too"),
    ("a = both(u.a)", "'both(u.a)' is several values, a number is needed here", "unpack it first: `a, b = helper(...)`"),
    ("a = twice(both(u.a))", "'both(u.a)' is several values, a number is needed here", "unpack it first"),
    ("a = both(u.a) if u.a > 0.0 else both(0.0)", "are tuple and tuple", "use if/else with assignments"),
    ("a, b, c = both(u.a)", "both returns 2 value(s), 3 name(s) given", "give as many names as values"),
    ("a, b = u.a, 1.0", "unpacks something else than the values of a kernel", "write one assignment a line"),
    ("y.out, b = both(u.a)", "is not a list of plain names", "unpack into names, then assign them"),
    ("u.a + 1.0", "'u.a + 1.0' has no effect", "assign its value, or remove it"),
    ("w = zeros(3)\ny.z[int(advance(w))] += 1.0", "has an index that changes an array", "compute the index on a line before"),
    ("w = zeros(3)\na = 0.0 < advance(w) < 1.0", "changes an array in the middle of a comparison", "call it on a line before"),
    # statements
    ("a = b = 1.0", "'a = b = 1.0' assigns twice", "write one assignment a line"),
    ("a: float", "'a: float' is a declaration without a value", "give it one"),
    ("for v in u.v:\n    pass", "a kernel cannot loop over 'u.v'", "write `for i in range(n):` and index"),
    ("for i in [1, 2]:\n    pass", "a kernel cannot loop over '[1, 2]'", "write `for i in range(n):` and index"),
    ("for i in range():\n    pass", "a kernel cannot loop over 'range()'", "write `for i in range(n):`"),
    ("for i, v in enumerate(u.v):\n    pass", "a kernel cannot loop over 'enumerate(u.v)'", "write `for i in range(n):` and index"),
    ("for u.a in range(3):\n    pass", "the loop sets 'u.a'", "use one name: `for i in range(n):`"),
    ("for i in range(u.a):\n    pass", "'u.a' is a float where an int is needed", "wrap it in int(...)"),
    ("for i in range(0, 3, 0):\n    pass", "'range(0, 3, 0)' has step 0", "give it a step that is not 0"),
    ("for i in range(3):\n    pass\nelse:\n    pass", "for ... else is outside the kernel subset", "set a flag in the loop"),
    ("while u.a > 0.0:\n    break\nelse:\n    pass", "while ... else is outside the kernel subset", "set a flag in the loop"),
    ("while u.a:\n    break", "'u.a' is a float, not a condition", "compare it"),
    ("if u.a:\n    pass", "'u.a' is a float, not a condition", "compare it, as in `a != 0.0`"),
    ("return", "outputs, update and derivative return nothing", "use if/else"),
    ("try:\n    pass\nexcept ValueError:\n    pass", "try is outside the kernel subset", "test with if before"),
    ("with u.a:\n    pass", "with is outside the kernel subset", "kernels open nothing"),
    ("def inner(a):\n    return a", "a function inside a kernel is outside the kernel subset", "mark it with @kernel"),
    ("import math", "import is outside the kernel subset", "import at the top of the file"),
    ("global K", "global is outside the kernel subset", "keep what changes in the state x"),
    ("assert u.a > 0.0", "assert is outside the kernel subset", "check parameters in `prepare`"),
    ("raise ValueError", "raise is outside the kernel subset", "math.nan, which stops the run"),
    ("match u.a:\n    case _:\n        pass", "match is outside the kernel subset", "use if/elif/else"),
    ("del u", "del is outside the kernel subset", "leave the variable as it is"),
    ("print(u.a)", "'print' is not a function that kernels know", "make it an output, which is logged"),
    ("yield u.a", "'(yield u.a)' is outside the kernel subset", "use numbers, vectors, math and other kernels"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "what", "instead"), LINES, ids=[line for line, _, _ in LINES])
def test_the_message_says_where_what_and_what_instead(line: str, what: str, instead: str) -> None:
    message = refusal(line)
    place, _, text = message.partition(": ")
    first = 2 + ("zeros(3)\n" in line)  # the line after the one that prepares it
    assert re.fullmatch(r"<block( \w+)?>:(\d+)", place) and place.endswith(f":{first}"), message
    assert what in text and text.endswith(".") and "\n" not in text
    assert instead and instead in text.partition("; ")[2]


@pytest.mark.parametrize(
    ("body", "line", "what"),
    [
        ("a = 0\na = a + 0.5", 3, "'a' is int elsewhere and float here; keep one type: write 0.0 instead of 0, or wrap it in int(...)"),
        ("a = 0.0\na = 1", 3, "'a' is float elsewhere and int here; keep one type"),
        ("a = u.a > 0.0\na = 1.0", 3, "'a' is bool elsewhere and float here; use two names"),
        ("w = zeros(2)\nw = zeros(3)", 3, "'w' is array[2] elsewhere and array[3] here; use two names"),
        ("if u.a > 0.0:\n    a = 1.0\ny.out = a", 4, "'a' may not be set here; give it a value before the if or the loop"),
        ("for i in range(p.n):\n    a = 1.0\ny.out = a", 4, "'a' may not be set here"),
        ("for i in range(p.n):\n    pass\na = i", 4, "'i' may not be set here"),
        ("for i in range(3):\n    if u.a > i:\n        continue\n    a = 1.0\ny.out = a", 6, "'a' may not be set here"),
        ("while u.a > 0.0:\n    a = 1.0\n    break\ny.out = a", 5, "'a' may not be set here"),
        ("for i in range(0):\n    a = 1.0\ny.out = a", 4, "'a' may not be set here"),
        ("for i in range(3):\n    y.out = u.v[i + 4]", 3, "index 4 of 'u.v' lies outside 0..3"),
        ("for i in range(3):\n    y.out = u.v[i - 3]", 3, "index -1 of 'u.v' lies outside 0..3"),
        ("a = (\n    u.a\n    + u.force\n)", 4, "u.force is not declared"),
    ],
)  # fmt: skip
def test_the_line_is_the_one_at_fault(body: str, line: int, what: str) -> None:
    message = refusal(body)
    assert re.match(rf"<block( \w+)?>:{line}: ", message) and what in message


def whole(text: str, role: str = "outputs", label: str = "whole") -> str:
    with pytest.raises(KernelError) as caught:
        translate_kernel(kernel_from_text(text, label, NAMES), role, {group: FIELDS[group] for group in ROLES[role]})
    return re.sub(r"<whole \w+>", "<whole>", str(caught.value))


@pytest.mark.parametrize(
    ("role", "text", "message"),
    [
        ("outputs", "def outputs(u, x, p, y):\n    y.z[0] = 1.0\n",
         "outputs does not set y.out on every path; assign it before the if, or in every branch."),
        ("outputs", "def outputs(u, x, p, y):\n    y.z[0] = 1.0\n    if u.a > 0.0:\n        y.out = 1.0\n",
         "outputs does not set y.out on every path; assign it before the if, or in every branch."),
        ("outputs", "def outputs(u, x, p, y):\n    y.z[0] = 1.0\n    for i in range(p.n):\n        y.out = 1.0\n",
         "outputs does not set y.out on every path; assign it before the if, or in every branch."),
        ("outputs", "def outputs(u, x, p, y):\n    y.out = 1.0\n",
         "outputs never sets an element of y.z; assign its elements in a loop."),
        ("outputs", "def outputs(u, x, p):\n    pass\n",
         "outputs does not set y.out on every path; assign it before the if, or in every branch."),
        ("derivative", "def derivative(u, x, p, dx):\n    dx.w[0] = u.a\n",
         "derivative does not set dx.s on every path; assign it before the if, or in every branch."),
        ("outputs", "def outputs(self, u, x, p, y):\n    pass\n",
         "outputs has an argument 'self'; its arguments are u, x, p, y and, if needed, t."),
        ("update", "def update(u, x, p, y):\n    pass\n",
         "update has an argument 'y'; its arguments are u, x, p and, if needed, t."),
        ("outputs", "def outputs(*groups):\n    pass\n",
         "outputs has *, ** or keyword-only arguments; name its arguments one by one."),
        ("outputs", "def outputs(u, x, p, y, *, k=1.0):\n    pass\n",
         "outputs has *, ** or keyword-only arguments; name its arguments one by one."),
        ("outputs", "outputs = lambda u, x, p, y: None\n",
         "outputs is a lambda; write `def outputs(u, x, p, y):`."),
    ],
)  # fmt: skip
def test_kernels_are_refused_as_a_whole(role: str, text: str, message: str) -> None:
    assert whole(text, role) == f"<whole>:1: {message}"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("around", "around calls itself; write a loop."),
        ("patchy", "patchy does not return a value on every path; end it with a return."),
        ("undecided", "undecided returns float here and int elsewhere; return the same types everywhere; write 0.0 instead of 0."),
        ("empty_handed", "empty_handed returns float here and nothing elsewhere; return the same types everywhere; write 0.0 instead of 0."),
    ],
)
def test_helpers_are_refused_where_they_are_defined(name: str, message: str) -> None:
    found = refusal(f"a = {name}(u.a)")
    assert re.fullmatch(rf"tests/unit/test_refusals.py:\d+: {re.escape(message)}", found)


def test_an_array_argument_cannot_be_replaced() -> None:
    assert "'w' is an array argument and cannot be replaced; write its elements" in refusal("a = replaces(u.v)")


@pytest.mark.parametrize(
    ("role", "line", "message"),
    [
        ("update", "p.k = 1.0", "p.k cannot be changed here; this kernel writes x only."),
        ("update", "u.a = 1.0", "u.a cannot be changed here; this kernel writes x only."),
        ("derivative", "x.s = 1.0", "x.s cannot be changed here; this kernel writes dx only."),
        ("derivative", "a = dx.s", "dx.s is read where it may not be set; assign it first, on every path."),
    ],
)
def test_each_kernel_writes_its_own_group(role: str, line: str, message: str) -> None:
    assert refusal(line, role).endswith(f":2: {message}")


def test_an_expression_too_deep_is_refused() -> None:
    message = refusal("a = " + "(" * 150 + "u.a" + " + 1.0)" * 150)
    assert message.endswith("this expression is nested more than 100 deep; split it over several assignments.")


def test_branches_too_deep_are_refused() -> None:
    chain = "if u.a < 0.0:\n    a = 0.0\n" + "".join(f"elif u.a < {i}.0:\n    a = {i}.0\n" for i in range(1500))
    assert refusal(chain).endswith("outputs is nested too deeply; move parts of it into kernels of their own.")


def test_what_is_allowed_is_not_refused() -> None:
    """The counterpart: each of these is one step from something refused."""
    lines: list[Any] = [
        "a = u.v[3]", "a = p.m[1, 2]", "a = -u.a ** 2", "a = p.n ** 2.0", "a = max(u.a, 0.0)", "a = max(p.n, 0)",
        "a, b = both(u.a)", "w = zeros(p.order)", "w = zeros(len(u.v), 2)", "a: float = 1.0", "a = p.order / 2",
        "w = zeros(3)\n    clear(w)", "a = 1.0 if u.a > 0.0 else 0.0", "a = u.a > 0.0\n    b = not a", "...", "'text'",
        "for i in range(2, -1, -1):\n        y.z[0] = u.v[i]", "a = float(p.n)", "a = int(u.a) % 4\n    b = u.v[a]",
        "for i in range(len(p.none)):\n        y.out = p.none[i]", "pass",
    ]  # fmt: skip
    for line in lines:
        text = f"def outputs(u, x, p, y):\n    {line}\n    y.out = 0.0\n    y.z[0] = 0.0\n"
        translate_kernel(kernel_from_text(text, "fine", NAMES), "outputs", {g: FIELDS[g] for g in "uxpy"})
