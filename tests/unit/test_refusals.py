"""What is outside the kernel subset is refused: the message says where, what, and what to write instead."""

from __future__ import annotations

import math
import re
from textwrap import dedent, indent
from typing import Any

import numpy as np
import pytest
from refused_lines import LINES

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
        (
            "undecided",
            "undecided returns float here and int elsewhere; return the same types everywhere; write 0.0 instead of 0.",
        ),
        (
            "empty_handed",
            "empty_handed returns float here and nothing elsewhere; return the same types everywhere; write 0.0 instead of 0.",
        ),
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
