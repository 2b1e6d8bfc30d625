"""What Python and C do differently, one kernel each: all engines do as Python does, to the bit."""

from __future__ import annotations

import math
import random
import struct
from pathlib import Path

import kernel_bench as bench
import known_kernels
import pytest
from kernel_fields import Vectors, offsets, vectors

from hybsim.errors import KernelError
from hybsim.runtime.compilers import find_compiler

needs_cc = pytest.mark.skipif(find_compiler() is None, reason="needs a C compiler")


@pytest.fixture(scope="module")
def programs() -> dict[str, bench.Program]:
    found = {name: bench.translated(known_kernels.source(name), name) for name in known_kernels.BODIES}
    refused = {name: str(p) for name, p in found.items() if isinstance(p, KernelError)}
    assert not refused
    return {name: p for name, p in found.items() if isinstance(p, bench.Program)}


@pytest.fixture(scope="module")
def library(programs: dict[str, bench.Program], kernel_cache: Path) -> bench.Library:
    return bench.Library(*bench.c_source(list(programs.values())), kernel_cache)


@needs_cc
@pytest.mark.parametrize("name", known_kernels.BODIES)
def test_all_engines_do_as_python_does(name: str, programs: dict[str, bench.Program], library: bench.Library) -> None:
    rng = random.Random(name)
    for _ in range(200):
        case = vectors(rng)
        python = programs[name].run_python(case)
        assert library.run(programs[name], case) == python, case
        plain = programs[name].run_plain(case)
        assert plain is None or plain == python, case


def z(outcome: bench.Outcome) -> list[float]:
    assert isinstance(outcome, bytes), outcome
    parts = [outcome[i : i + 8] for i in range(0, len(outcome), 8)]
    return [math.nan if part == bench.NAN else struct.unpack("d", part)[0] for part in parts[-12:]]


def with_inputs(**u: float) -> Vectors:
    case = vectors(random.Random(0))
    case["u"] = [0.5] * len(case["u"])
    case["p"][offsets("p")["n"]] = 0.0
    for name, value in u.items():
        case["u"][offsets("u")[name]] = value
    return case


NUMBERS = {
    # range(3) leaves 2; 7, 4, 1 are the values of range(7, -2, -3)
    "loop variable after the loop": (dict(a=9.0), {0: 9.0, 2: 9.0, 3: 2.0, 4: 1.0, 5: 1.0}),
    # 0 + 2 + 4 + 6
    "loop variable changed in the body": ({}, {0: 12.0, 1: 6.0}),
    # range(0, 5, 1), evaluated once
    "bounds changed in the body": (dict(a=3.0), {0: 5.0, 1: 4.0}),
    # floors: -7 = -3 * 3 + 2 = 2 * -3 - 1
    "integer division": (dict(a=-7.9, b=2.0), {0: -3.0, 1: 2.0, 2: 2.0, 3: -1.0, 4: 7.0, 5: 0.0, 7: -4.0, 8: 1.0}),
    # saturation at 64 bits, zero for nan
    "conversions": (dict(a=1e300, b=math.nan), {0: 2.0**63, 1: 2.0**63, 4: 0.0}),
    # the first of equals, and the first where a comparison with nan is false
    "min and max": (dict(a=math.nan, b=1.0), {2: 0.0, 8: math.nan, 9: math.nan}),
    # IEEE 754: 7 / 0, and Python's sign of the remainder
    "float division": (
        dict(a=7.0, b=-2.0),
        {0: -4.0, 1: -1.0, 2: -3.5, 3: -3.0, 4: -2.0, 5: 1.0, 6: 69.0, 7: math.inf},
    ),
    # 2^53 + 0 = 9007199254740992 exactly; 2^63 - 1 < 2^63
    "ints beside floats": ({}, {0: 1.0, 1: 0.0, 2: 1.0, 4: 1.0}),
    # (2^53 + 1) / 3 = 3002399751580331 exactly, the rounded numerator would give ...330.67
    "int over int": ({}, {0: 3002399751580331.0}),
    # each bump adds 1 to w[0] and gives 10 w[0] + 0.5; operands from left to right
    "arrays changed by kernels": (dict(a=0.5), {0: 10.5 - 1.0 * 20.5, 1: 2.0 + 30.5 + 3.0}),
    # b[1] = a[0] + 1, b[2] = a[1] + 1 = a[0] + 2, b[0] = a[2], all in one array
    "one array under two names": (dict(v=5.0), {0: 7.0, 1: 6.0, 2: 7.0}),
    "fresh zeros in every round": (dict(a=2.5), {0: 2.5, 1: 0.0, 2: 2.5, 3: 0.0, 4: 2.5, 5: 0.0}),
    "a long chain of branches": (dict(a=56.5), {0: 57.5}),
}


@needs_cc
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_worked_out_by_hand(name: str, programs: dict[str, bench.Program], library: bench.Library) -> None:
    inputs, expected = NUMBERS[name]
    case = with_inputs(**inputs)
    for outcome in (programs[name].run_python(case), library.run(programs[name], case)):
        found = {i: z(outcome)[i] for i in expected}
        assert found == pytest.approx(expected, rel=0.0, abs=0.0, nan_ok=True)


@needs_cc
@pytest.mark.parametrize(
    ("name", "inputs", "fault"),
    [
        ("faults from left to right", dict(a=9.0, b=9.0), "index out of range 0..3 at <faults from left to right>:5"),
        ("faults from left to right", dict(a=1.0, b=-1.0), "index out of range 0..2 at <faults from left to right>:5"),
        ("the value before its place", dict(a=7.0, b=8.0), "index out of range 0..1 at <the value before its place>:6"),
        ("the value before its place", dict(a=7.0, b=1.0), "index out of range 0..2 at <the value before its place>:6"),
        ("integer division by zero", {}, "integer division by zero at <integer division by zero>:5"),
        ("an index outside ends a loop", {}, "index out of range 0..3 at <an index outside ends a loop>:6"),
        ("a fault ends huge loops", dict(a=7.0, v=-1.0), "index out of range 0..3 at <a fault ends huge loops>:7"),
    ],
)
def test_faults_name_the_place_python_meets_first(
    name: str, inputs: dict[str, float], fault: str, programs: dict[str, bench.Program], library: bench.Library
) -> None:
    case = with_inputs(**inputs)
    assert programs[name].run_python(case) == fault
    assert library.run(programs[name], case) == fault
