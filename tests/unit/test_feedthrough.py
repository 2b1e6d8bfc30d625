"""Which inputs an output depends on within a tick, pair by pair, and the part of a kernel that computes it."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from textwrap import dedent, indent
from types import SimpleNamespace
from typing import Any

import kernel_bench as bench
import pytest
import random_kernels
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from kernel_fields import Vectors, offsets, size, vectors

from hybsim.errors import KernelError
from hybsim.kernel import ir, kernel, zeros
from hybsim.kernel.dataflow import feedthrough, inputs_read, only
from hybsim.kernel.frontend import translate_kernel
from hybsim.kernel.python_backend import compile_python
from hybsim.kernel.source import kernel_from_text
from hybsim.runtime.compilers import find_compiler

FIELDS: dict[str, dict[str, ir.Type | int]] = {
    "u": {"a": "float", "b": "float", "c": "float", "v": ir.Array((3,))},
    "x": {"s": "float", "w": ir.Array((3,))},
    "p": {"k": "float", "n": "int", "direct": 1, "delayed": 0},
    "y": {"one": "float", "two": "float", "z": ir.Array((3,))},
}


@kernel
def add(w, i, amount):
    w[i] += amount
    return w[i]


@kernel
def both(a, b):
    return a + b, a - b


@kernel
def second(a, b):
    return b


def outputs(body: str) -> ir.Function:
    """A kernel with the given lines; outputs it does not set are 0."""
    text = dedent(body).strip("\n")
    rest = [f"y.{name} = 0.0" for name in ("one", "two") if f"y.{name} =" not in text]
    rest += ["y.z[2] = 0.0"] if "y.z" not in text else []
    whole = "def outputs(u, x, p, y, t):\n" + indent("\n".join([*rest, text]), "    ") + "\n"
    names = {"add": add, "both": both, "second": second, "zeros": zeros}
    return translate_kernel(kernel_from_text(whole, "outputs", names), "outputs", FIELDS)


def dependence(body: str) -> dict[str, str]:
    """The inputs of each output, as one word."""
    return {name: "".join(sorted(inputs)) for name, inputs in feedthrough(outputs(body)).items()}


PAIRS = {
    "directly": ("y.one = u.a\ny.two = u.b * x.s", dict(one="a", two="b")),
    "not at all": ("y.one = x.s + t\ny.two = p.k", dict(one="", two="")),
    "through locals": ("d = u.a\ne = d * 2.0\ny.one = e\ny.two = x.s", dict(one="a", two="")),
    "not through a local that no output needs": ("d = u.b\ny.one = u.a", dict(one="a")),
    "through another output": ("y.one = u.a\ny.two = y.one + u.b", dict(one="a", two="ab")),
    "by an if around it": ("y.one = 0.0\nif u.a > 0.0:\n    y.one = x.s", dict(one="a")),
    "by an if around a local": ("d = 0.0\nif u.a > 0.0:\n    d = 1.0\ny.one = d", dict(one="a")),
    "by the else of an if": ("if u.a > 0.0:\n    y.one = 1.0\nelif u.b > 0.0:\n    y.one = 2.0\nelse:\n    y.one = 3.0", dict(one="ab")),
    "not by an if beside it": ("if u.a > 0.0:\n    y.two = 1.0\nelse:\n    y.two = u.c\ny.one = u.b", dict(one="b", two="ac")),
    "by a conditional expression": ("y.one = u.a if u.b > 0.0 else x.s", dict(one="ab")),
    "by a condition kept in a local": ("up = u.a > 0.0 and u.b > 0.0\ny.one = 1.0 if up else 0.0", dict(one="ab")),
    "by the bounds of a loop": ("n = 0.0\nfor i in range(int(u.a)):\n    n += 1.0\ny.one = n", dict(one="a")),
    "by the last value of a loop variable": ("i = 0\nfor i in range(int(u.a)):\n    pass\ny.one = i", dict(one="a")),
    "by a break": ("n = 0.0\nfor i in range(5):\n    if u.a > i:\n        break\n    n += 1.0\ny.one = n", dict(one="a")),
    "by a break after it": ("n = 0.0\nfor i in range(5):\n    n += 1.0\n    if u.a > i:\n        break\ny.one = n", dict(one="a")),
    "by a continue": ("n = 0.0\nfor i in range(5):\n    if u.a > i:\n        continue\n    n += x.s\ny.one = n", dict(one="a")),
    "by a break inside a condition that is always true":
        ("n = 0.0\nfor i in range(5):\n    if u.a > i:\n        if 1.0 > 0.0:\n            break\n    n += 1.0\ny.one = n", dict(one="a")),
    "by a break in a loop in a condition":
        ("n = 0.0\nfor i in range(5):\n    if u.a > i:\n        for j in range(2):\n            break\n        n += 1.0\ny.one = n", dict(one="a")),
    "not by a break in another loop":
        ("n = 0.0\nfor i in range(5):\n    n += u.b\nfor i in range(5):\n    if u.a > i:\n        break\ny.one = n", dict(one="b")),
    "by the condition of a while": ("n = 0.0\nwhile n < u.a:\n    n += 1.0\ny.one = n", dict(one="a")),
    "by a condition that stops a while from inside":
        ("n = 0.0\nwhile True:\n    n += 1.0\n    if n > u.a:\n        break\ny.one = n", dict(one="a")),
    "through an array": ("w = zeros(2)\nw[0] = u.a\ny.one = w[1]", dict(one="a")),
    "by an index that is read": ("y.one = x.w[int(u.a) % 3]", dict(one="a")),
    "by an index that is written": ("w = zeros(3)\nw[int(u.a) % 3] = 1.0\ny.one = w[0]", dict(one="a")),
    "not by the length of a vector": ("y.one = len(u.v)\ny.two = u.v[0]", dict(one="", two="v")),
    "of a vector as a whole": ("y.z[0] = u.a\ny.z[1] = u.v[2]", dict(z="av")),
    "through a kernel": ("y.one = second(u.a, u.b)", dict(one="ab")),
    "through several values": ("d, e = both(u.a, x.s)\ny.one = d\ny.two = x.s", dict(one="a", two="")),
    "through an array a kernel changes": ("w = zeros(2)\nd = add(w, 0, u.a)\ny.one = w[1]\ny.two = d", dict(one="a", two="a")),
    "through an array changed by a call that stands alone": ("w = zeros(2)\nadd(w, 0, u.a)\ny.one = w[0]", dict(one="a")),
    "through an array changed in a condition": ("w = zeros(2)\nif add(w, 0, u.a) > 1.0:\n    y.z[0] = 1.0\ny.one = w[0]", dict(one="a", z="a")),
    "through an array changed by a condition short cut":
        ("w = zeros(2)\nd = u.b > 0.0 and add(w, 0, u.a) > 0.0\ny.one = w[0]", dict(one="ab")),
    "through an array changed in the bounds of a loop":
        ("w = zeros(2)\nfor i in range(int(add(w, 0, u.a))):\n    pass\ny.one = w[0]", dict(one="a")),
    "through an array changed in the condition of a while":
        ("w = zeros(2)\nwhile add(w, 0, u.a) < 3.0:\n    pass\ny.one = w[0]", dict(one="a")),
    "through an array changed in an index": ("w = zeros(2)\ny.z[int(add(w, 0, u.a)) % 3] = 1.0\ny.one = w[0]", dict(one="a", z="a")),
    "as the structure says": ("if p.direct == 1:\n    y.one = u.a\nelse:\n    y.one = u.b", dict(one="a")),
    "as the structure says otherwise": ("y.one = u.a if p.delayed == 1 else x.s", dict(one="")),
    "as the structure says in a condition": ("y.one = 1.0 if p.delayed == 1 and u.a > 0.0 else 0.0", dict(one="")),
    "as the structure says after something else": ("y.one = 1.0 if u.a > 0.0 and p.delayed == 1 else 0.0", dict(one="")),
    "not in a loop that never runs": ("y.one = x.s\nfor i in range(p.delayed):\n    y.one = u.a", dict(one="")),
}  # fmt: skip


@pytest.mark.parametrize("way", PAIRS)
def test_an_output_depends_on_an_input(way: str) -> None:
    body, expected = PAIRS[way]
    found = dependence(body)
    assert {name: found[name] for name in expected} == expected


def test_every_input_a_kernel_reads() -> None:
    function = outputs("d = u.c\ny.one = u.a\nif u.b > 0.0:\n    y.two = 1.0\nelse:\n    y.two = 2.0")
    assert inputs_read(function) == {"a", "b"}  # c is read for nothing, and left out


# parts -----------------------------------------------------------------------------------------


def run(function: ir.Function, **u: Any) -> dict[str, Any]:
    y = SimpleNamespace(one=-99.0, two=-99.0, z=[0.0] * 3)
    inputs = SimpleNamespace(**{"a": 2.0, "b": 3.0, "c": 5.0, "v": [1.0, 2.0, 3.0], **u})
    state, parameters = SimpleNamespace(s=10.0, w=[4.0, 5.0, 6.0]), SimpleNamespace(k=0.5, n=2, direct=1, delayed=0)
    compile_python(function, ("u", "x", "p", "y", "t"))(inputs, state, parameters, y, 0.0)
    return vars(y)


@pytest.mark.parametrize("way", PAIRS)
def test_a_part_computes_its_output_and_no_other(way: str) -> None:
    function = outputs(PAIRS[way][0])
    whole = run(function)
    for name in whole:
        part = run(only(function, frozenset({name})))
        assert part.pop(name) == whole[name]
        assert all(value in (-99.0, [0.0] * 3) for value in part.values())


def test_a_part_that_reads_another_output_computes_it_for_itself() -> None:
    """y.one is final before y.two is computed, and not what y.two reads."""
    function = outputs("y.one = x.s * 2.0\ny.two = y.one + u.a\ny.one = y.one + 1.0")
    assert feedthrough(function) == {"one": frozenset(), "two": {"a"}, "z": frozenset()}
    assert run(only(function, frozenset({"one"})))["one"] == 21.0
    assert run(only(function, frozenset({"two"}))) == {"one": -99.0, "two": 22.0, "z": [0.0] * 3}


def test_a_part_that_reads_a_vector_output_starts_it_from_zero() -> None:
    function = outputs("y_z = 1.0\ny.z[0] += u.a\ny.z[0] += u.a\ny.two = y.z[0] * y_z")
    part = only(function, frozenset({"two"}))
    assert run(part)["two"] == 4.0 and run(part)["z"] == [0.0] * 3


def test_a_part_keeps_what_changes_an_array_in_a_condition() -> None:
    function = outputs("w = zeros(2)\nif add(w, 0, u.a) > 1.0:\n    y.two = 1.0\nelse:\n    y.two = 2.0\ny.one = w[0]")
    assert run(only(function, frozenset({"one"})))["one"] == 2.0


def test_what_no_output_needs_is_left_out() -> None:
    """It may read inputs that are not computed yet; here an index from one would stop the run."""
    function = outputs("d = x.w[int(u.b)]\ny.one = u.a")
    assert run(function, b=1e9)["one"] == 2.0


def test_a_loop_left_with_nothing_but_jumps_is_left_out() -> None:
    function = outputs("d = 0.0\nfor i in range(3):\n    if u.b > i:\n        break\n    d += 1.0\ny.one = u.a")
    assert not any(isinstance(statement, ir.For) for statement in function.body)


# generated kernels ----------------------------------------------------------------------------

batches = settings(
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
OUTPUTS = ("out", "aux", "z")


def value(outcome: bench.Outcome, name: str) -> bench.Outcome:
    """The bits of one output, or the fault."""
    if isinstance(outcome, str):
        return outcome
    start = size("x") + offsets("y")[name]
    return outcome[8 * start : 8 * (start + (12 if name == "z" else 1))]


def generated(seed: int, count: int) -> list[bench.Program]:
    rng = random.Random(seed)
    sources = [random_kernels.kernel(rng.getrandbits(32), "outputs") for _ in range(count)]
    # Fewer variables in z: what is computed for them alone belongs to no other output.
    found = [bench.translated(source, f"outputs {n}") for n, source in enumerate(sources)]
    return [p for p in found if not isinstance(p, KernelError)]


def part(program: bench.Program, name: str) -> bench.Program:
    return replace(program, function=only(program.function, frozenset({name})), beyond=[])


def changed_input(case: Vectors, name: str, rng: random.Random) -> Vectors:
    other = vectors(rng)
    start = offsets("u")[name]
    width = 4 if name == "v" else 1
    u = [*case["u"][:start], *other["u"][start : start + width], *case["u"][start + width :]]
    return {**case, "u": u}


@settings(batches, max_examples=8)
@given(seed=st.integers(0, 2**32 - 1))
def test_an_input_outside_the_feedthrough_changes_nothing(seed: int) -> None:
    rng = random.Random(seed)
    pairs = 0
    for program in generated(seed, 40):
        through = feedthrough(program.function)
        for output in OUTPUTS:
            alone = part(program, output)
            for name in {"a", "b", "v"} - through[output]:
                pairs += 1
                for _ in range(4):
                    case = vectors(rng)
                    before = value(alone.run_python(case), output)
                    after = value(alone.run_python(changed_input(case, name, rng)), output)
                    assert before == after, f"{output} depends on {name} in\n{program}"
    assert pairs > 20  # the property is about something


@pytest.mark.skipif(find_compiler() is None, reason="needs a C compiler")
@settings(batches, max_examples=3)
@given(seed=st.integers(0, 2**32 - 1))
def test_parts_give_the_same_bits_as_the_whole(seed: int, kernel_cache: Path) -> None:
    rng = random.Random(seed)
    programs = generated(seed, 15)
    parts = [(program, name, part(program, name)) for program in programs for name in OUTPUTS]
    library = bench.Library(*bench.c_source([p for _, _, p in parts]), kernel_cache)
    for program, name, alone in parts:
        for _ in range(8):
            case = vectors(rng)
            whole, python = program.run_python(case), alone.run_python(case)
            assert library.run(alone, case) == python
            if isinstance(whole, bytes):
                assert value(python, name) == value(whole, name), f"{name} of\n{program}"
                others = [value(python, other) for other in OUTPUTS if other != name]
                assert not any(any(bits) for bits in others if isinstance(bits, bytes))
