"""Runs one kernel three ways: C, the Python engine, and plain CPython; many kernels share one C library.

    plain   the function as written, with arrays that refuse an index outside 0..n-1
    python  what `compile_python` makes of the translated kernel
    c       what the C back end writes, compiled with the flags of every program

A result is a fault or the bits of x and y; every NaN counts as the same number, the sign of zero counts.
"""

from __future__ import annotations

import ctypes
import math
import struct
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from kernel_fields import Fields, Vectors, offsets, plain_zeros, types
from random_expressions import FLAGS
from random_kernels import Source

from hybsim.errors import KernelError
from hybsim.kernel import ieee, ir, zeros
from hybsim.kernel.frontend import translate_kernel
from hybsim.kernel.python_backend import compile_python
from hybsim.kernel.source import kernel_from_text
from hybsim.kernel.spec import ROLES
from hybsim.runtime.build import load
from hybsim.runtime.c_backend import CWriter, Places, helper_text
from hybsim.runtime.compilers import find_compiler, flags

Outcome = str | bytes
"""The text of a fault, or the bits of x and y."""

NAN = b"any NaN."
"""Eight bytes that stand for every NaN."""


def bits(x: Sequence[float], y: Sequence[float]) -> bytes:
    return b"".join(NAN if v != v else struct.pack("d", v) for v in (*x, *y))


# one kernel ---------------------------------------------------------------------------------


@dataclass
class Program:
    """A kernel that was translated, ready to be run in Python; `number` is its place in the C library."""

    source: Source
    function: ir.Function
    plain: Callable[..., Any]
    beyond: list[str] = field(default_factory=list)
    number: int = 0

    def __post_init__(self) -> None:
        self.python = compile_python(self.function, (*ROLES[self.source.role], "t"))
        watch(self.python, self.beyond)

    def __str__(self) -> str:
        return "\n".join([*(h.text for h in self.source.helpers), self.source.text])

    def arguments(self, case: dict[str, Any]) -> list[Any]:
        return [case[group] for group in ROLES[self.source.role]] + [case["t"][0]]

    def run_python(self, case: Vectors) -> Outcome:
        spaces: dict[str, Any] = {"t": case["t"]}
        for group in ("u", "x", "p", "y"):
            spaces[group] = space = SimpleNamespace(**FLAGS) if group == "p" else SimpleNamespace()
            for name, place in offsets(group).items():
                kind = types(group)[name]
                value = case[group][place]
                shaped = case[group][place : place + kind.size] if isinstance(kind, ir.Array) else value
                setattr(space, name, int(value) if kind == "int" else shaped)
        self.beyond.clear()
        try:
            self.python(*self.arguments(spaces))
        except ieee.KernelFault as fault:
            return str(fault)
        return bits(*([v for n in offsets(g) for v in np.ravel(getattr(spaces[g], n)).tolist()] for g in "xy"))

    def run_plain(self, case: Vectors) -> Outcome | None:
        """None where CPython raises; ask after `run_python`, which notices when it leaves what CPython does."""
        if self.beyond:
            return None
        own = {group: list(values) for group, values in case.items()}
        spaces: dict[str, Any] = {group: Fields(group, own[group]) for group in ("u", "x", "p", "y")}
        try:
            self.plain(*self.arguments({**spaces, "t": own["t"]})[: self.plain.__code__.co_argcount])
        except (ZeroDivisionError, OverflowError, ValueError, IndexError, TypeError):  # TypeError: complex numbers
            return None
        return bits(own["x"], own["y"])


def watch(function: Callable[..., Any], beyond: list[str]) -> None:
    """Let the Python engine note when it leaves what CPython does: integers beyond 64 bits, complex powers."""
    names = function.__globals__
    for name, exact in (
        ("wrap", None),
        ("int", int),
        ("math_floor", math.floor),
        ("math_ceil", math.ceil),
        ("math_trunc", int),
    ):
        names[f"_hs_{name}"] = _watched(names[f"_hs_{name}"], exact, beyond)
    names["_hs_int_floordiv"] = _watched_division(names["_hs_int_floordiv"], beyond)
    names["_hs_power"] = _watched_power(names["_hs_power"], beyond)
    for value in list(names.values()):
        inner = getattr(value, "__globals__", names)
        if inner is not names and "_hs_wrap" in inner:  # a helper
            watch(value, beyond)


def _watched(
    inner: Callable[[Any], int], exact: Callable[[Any], int] | None, beyond: list[str]
) -> Callable[[Any], int]:
    def watched(a: Any) -> int:
        result = inner(a)
        if not math.isfinite(a) or result != (a if exact is None else exact(a)):
            beyond.append("int64")
        return result

    return watched


def _watched_division(inner: Callable[..., int], beyond: list[str]) -> Callable[..., int]:
    def watched(a: int, b: int, place: str) -> int:
        result = inner(a, b, place)
        if result != a // b:
            beyond.append("int64")
        return result

    return watched


def _watched_power(inner: Callable[[float, float], float], beyond: list[str]) -> Callable[[float, float], float]:
    def watched(a: float, b: float) -> float:
        result = inner(a, b)
        if math.isnan(result) and not math.isnan(a + b):
            beyond.append("complex")
        return result

    return watched


def translated(source: Source, label: str) -> Program | KernelError:
    """The program of a generated kernel, or why it was refused."""
    names: dict[str, Any] = {"math": math, "zeros": zeros}
    plain: dict[str, Any] = {"math": math, "zeros": plain_zeros}
    for helper in source.helpers:
        names[helper.name] = kernel_from_text(helper.text, f"{label} {helper.name}", names)
        exec(helper.text, plain)
    function = kernel_from_text(source.text, label, names)
    exec(source.text, plain)
    try:
        fields = {group: types(group) for group in ROLES[source.role]}
        return Program(source, translate_kernel(function, source.role, fields), plain[source.role])
    except KernelError as refusal:
        return refusal


# C ------------------------------------------------------------------------------------------


def c_source(programs: Sequence[Program]) -> tuple[str, list[str]]:
    """One C text for many kernels, and the places that can stop them."""
    places, names = Places(), {}
    lines = [(resources.files("hybsim.runtime") / "c" / "prelude.h").read_text()]

    def visit(function: ir.Function) -> None:
        for helper in function.helpers:
            visit(helper)
            if helper not in names:
                names[helper] = f"helper{len(names)}_k"
                lines.extend(helper_text(helper, names, places))

    def c_name(node: ir.Field) -> str:
        place = offsets(node.group)[node.name]
        if isinstance(node.type, ir.Array):
            return f"({node.group} + {place})"
        return f"(int64_t){node.group}[{place}]" if node.type == "int" else f"{node.group}[{place}]"

    for number, program in enumerate(programs):
        program.number = number
        visit(program.function)
        writer = CWriter(program.function, places, names, c_name, "&fault")
        writer.declarations(1)
        writer.statements(program.function.body, 1)
        lines.append(f"int64_t run{number}(const double *u, double *x, const double *p, double *y, double t) {{")
        lines += [
            "    int64_t fault = 0; (void)u; (void)x; (void)p; (void)y; (void)t;",
            *writer.lines,
            "    return fault;",
            "}",
        ]
    return "\n".join(lines) + "\n", places.texts


class Library:
    """Compiled kernels; `options` replaces the flags of every program.

    Loaded at the first run: code built with fast-math flushes denormals in the whole process that loads it.
    """

    def __init__(self, source: str, places: list[str], folder: Path, options: Sequence[str] | None = None) -> None:
        self.places = places
        self.source, self.folder, self.file = source, folder, None
        if options is None:
            return
        compiler = find_compiler()
        assert compiler is not None
        text = folder / f"kernels{len(list(folder.iterdir()))}.c"
        text.write_text(source)
        self.file = text.with_suffix(".so")
        command = [*compiler.command, str(text), *options, "-o", str(self.file)]
        subprocess.run(command, check=True, capture_output=True)

    @cached_property
    def library(self) -> ctypes.CDLL:
        if self.file is not None:
            return ctypes.CDLL(str(self.file))
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HYBSIM_CACHE", str(self.folder))
            return load(self.source, name="kernels")

    def run(self, program: Program, case: Vectors) -> Outcome:
        own = {group: (ctypes.c_double * len(values))(*values) for group, values in case.items()}
        call = self.library[f"run{program.number}"]
        call.restype = ctypes.c_int64
        fault = call(own["u"], own["x"], own["p"], own["y"], ctypes.c_double(case["t"][0]))
        return self.places[fault - 1] if fault else bits(own["x"], own["y"])


def quick_flags() -> list[str]:
    """The flags of every program without optimisation, for many small compilations."""
    return ["-O0" if flag.startswith("-O") else flag for flag in flags(False)]
