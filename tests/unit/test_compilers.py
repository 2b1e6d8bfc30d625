"""Compilers: which one is found, the flags that keep Python's bits, the processor they tune for."""

from __future__ import annotations

import ctypes
import math
import platform
import sys
from pathlib import Path

import pytest
from compiler_scripts import CC, TWICE, call_twice, needs_cc, script

from hybsim.errors import CompilerError
from hybsim.runtime import compilers
from hybsim.runtime.build import build, find_compiler, flags, load, why_no_compiler
from hybsim.runtime.compilers import Compiler

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setitem(sys.modules, "ziglang", None)


# ---- finding a compiler


def test_a_compiler_is_looked_for_in_a_fixed_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_compiler: None
) -> None:
    assert find_compiler() is None
    monkeypatch.delitem(sys.modules, "ziglang")
    zig = script(tmp_path / "site" / "ziglang" / "zig", "exit 0")
    (zig.parent / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert find_compiler() == Compiler((str(zig), "cc"), label="zig")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("clang", "gcc", "cc"):
        path = script(tmp_path / "bin" / name, "exit 0")
        assert find_compiler() == Compiler((str(path),), label=name)
    monkeypatch.setenv("CC", "gcc -m64")
    assert find_compiler() == Compiler((str(tmp_path / "bin" / "gcc"), "-m64"), label="CC")
    monkeypatch.setenv("HYBSIM_CC", "clang")
    assert find_compiler() == Compiler((str(tmp_path / "bin" / "clang"),), label="HYBSIM_CC")
    monkeypatch.setenv("HYBSIM_CC", "none")
    assert find_compiler() is None and "HYBSIM_CC is 'none'" in why_no_compiler()


@pytest.mark.parametrize("variable", ["HYBSIM_CC", "CC"])
@pytest.mark.parametrize(("value", "expected"), [("no-such-cc -O9", "not an executable"), ("'", "cannot be split")])
def test_a_named_compiler_that_does_not_exist_is_an_error(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, expected: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(CompilerError, match=expected) as caught:
        build(TWICE)
    assert variable in str(caught.value) and value in str(caught.value)


def test_the_version_is_the_first_line_the_compiler_prints(tmp_path: Path) -> None:
    path = script(tmp_path / "cc", 'echo "fine cc 1.2"; echo more')
    assert Compiler((str(path),), label="cc").version == "fine cc 1.2"
    with pytest.raises(CompilerError, match="could not be started"):
        _ = Compiler((str(tmp_path / "gone"),), label="cc").version


def test_no_compiler_and_no_cache_says_what_was_looked_for(no_compiler: None) -> None:
    with pytest.raises(CompilerError) as caught:
        build(TWICE)
    message = str(caught.value)
    assert message == why_no_compiler() and message.count(". ") == 0
    for part in ("HYBSIM_CC", "CC", "cc, gcc and clang", "ziglang", 'pip install "hybsim[zig]"'):
        assert part in message


# ---- flags


def test_the_flags_are_those_that_keep_pythons_bits() -> None:
    normal, checked = flags(False), flags(True)
    for flag in ("-std=c11", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-fno-builtin"):
        assert flag in normal and flag in checked
    assert "-O2" in normal and "-O0" in checked and "-DHS_CHECKED" in checked
    assert "-fsanitize=undefined,float-cast-overflow" in checked and "-fno-sanitize-recover=all" in checked
    assert not any("fast-math" in flag for flag in normal)


@pytest.mark.parametrize(
    ("machine", "expected"),
    [("x86_64", "-march=native"), ("aarch64", "-mcpu=native"), ("arm64", "-mcpu=native"), ("riscv64", None)],
)
def test_each_machine_gets_the_tuning_flag_it_knows(
    monkeypatch: pytest.MonkeyPatch, machine: str, expected: str | None
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert [flag for flag in flags(False) if "native" in flag] == ([expected] if expected else [])


def test_clang_and_zig_get_what_they_need_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clang = Compiler((str(script(tmp_path / "cc", "echo Debian clang version 14.0.6")),), label="cc")
    gcc = Compiler((str(script(tmp_path / "gcc", "echo gcc 12.2.0")),), label="gcc")
    assert clang.own_flags(True) == ("-fsanitize-trap=all",) and clang.own_flags(False) == ()
    assert gcc.own_flags(True) == gcc.own_flags(False) == ()
    zig = Compiler(("/opt/zig", "cc"), label="zig")
    monkeypatch.setattr(compilers, "_runs_on_glibc", lambda: True)
    assert zig.own_flags(False) == ("-target", "native-native-gnu")
    monkeypatch.setattr(compilers, "_runs_on_glibc", lambda: False)
    assert zig.own_flags(False) == ()


@needs_cc
def test_constants_and_products_have_pythons_bits() -> None:
    # A compiler folds constants by its own library unless told not to; about one tanh in nine then differs.
    arguments = [0.001 * i for i in range(1, 400)]
    table = ", ".join(f"tanh({x!r})" for x in arguments)
    source = (
        "#include <math.h>\n"
        f"void constants(double *y) {{ const double v[] = {{{table}}};"
        f" for (int i = 0; i < {len(arguments)}; i++) y[i] = v[i]; }}\n"
        "double muladd(double a, double b, double c) { return a * b + c; }\n"
        "int is_nan(double x) { return x != x; }\n"
    )
    library = load(source)
    values = (ctypes.c_double * len(arguments))()
    library.constants(values)
    assert list(values) == [math.tanh(x) for x in arguments]
    library.muladd.argtypes, library.muladd.restype = [ctypes.c_double] * 3, ctypes.c_double
    a = 1.0 + 2.0**-30
    # (1 + e)^2 = 1 + 2e + e^2; the product is rounded to 1 + 2e, a fused one would leave e^2 = 2^-60.
    assert library.muladd(a, a, -(1.0 + 2.0**-29)) == 0.0
    library.is_nan.argtypes = [ctypes.c_double]
    assert library.is_nan(math.nan) == 1 and library.is_nan(1.0) == 0


@needs_cc
def test_a_compiler_that_does_not_know_its_processor_still_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse = "echo \"cc: error: bad value 'native' for the processor\" >&2; exit 1"
    body = f'case "$*" in *=native*) {refuse};; esac\nexec {CC} "$@"'
    monkeypatch.setenv("HYBSIM_CC", str(script(tmp_path / "cc", body)))
    assert call_twice(load(TWICE)) == 42.0


# ---- the processor


def test_the_processor_is_told_by_what_it_can_do() -> None:
    entry = "processor\t: {n}\nmodel name\t: Some CPU\ncpu MHz\t\t: {mhz}\nflags\t\t: fpu avx2\n"
    first = compilers._first_processor(entry.format(n=0, mhz=2000.0) + "\n" + entry.format(n=1, mhz=1.0))
    assert first == ["model name\t: Some CPU", "flags\t\t: fpu avx2"]
    arm = "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU part\t: 0xd0c\n"
    assert compilers._first_processor(arm) == ["Features\t: fp asimd", "CPU part\t: 0xd0c"]
