"""The comparison of engines sees every mistake in the emitted C: mutants of it, each found on a fixed corpus.

A mutant that crashes or does not end is found too, hence the process of its own.
"""

from __future__ import annotations

import faulthandler
import os
import platform
import random
import re
import signal
import sys
from pathlib import Path

import kernel_bench as bench
import known_kernels
import pytest
from kernel_fields import NASTY, Vectors, vectors

from hybsim.runtime.compilers import find_compiler, flags

pytestmark = [
    pytest.mark.skipif(find_compiler() is None, reason="needs a C compiler"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="runs mutants in a forked process"),
]

Corpus = list[tuple[bench.Program, Vectors, bench.Outcome]]

FIXED_LOOP = r"for \(int64_t hs_round = (.*?); hs_round ([<>]) (.*?); hs_round \+= (.*?)\) \{\n\s*(\w+) = hs_round;"
COMPUTED_LOOP = (
    r"\{ const int64_t hs_first = (.*), hs_stop = (.*), hs_step = (.*);\n"
    r"\s*for \(uint64_t hs_left = .*?, hs_round = 0; .*?; hs_round\+\+\) \{\n\s*(\w+) = .*;"
)

MUTANTS: dict[str, tuple[str, str]] = {
    "<= in a loop that counts up": (r"hs_round < (-?\w+);", r"hs_round <= \1;"),
    ">= in a loop that counts down": (r"hs_round > (-?\w+);", r"hs_round >= \1;"),
    "one round less": (r"/ \(uint64_t\)step \+ 1u", "/ (uint64_t)step"),
    "one round less downwards": (r"\(0u - \(uint64_t\)step\) \+ 1u", "(0u - (uint64_t)step)"),
    "loop variable not set": (r"\w+_ = hs_round;", ";"),
    "C's own loop variable": (FIXED_LOOP, r"for (\5 = \1; \5 \2 \3; \5 += \4) {"),
    "bounds looked at in every round": (COMPUTED_LOOP, r"{ for (\4 = \1; (\3) > 0 ? \4 < (\2) : \4 > (\2); \4 += (\3)) {"),
    "more than 64 bits of rounds": (r"\(uint64_t hs_left", "(int64_t hs_left"),
    "overflow of a fixed loop": (r"hs_rounds\(hs_first, hs_stop, hs_step, [^;]*?, \d+\)", "(hs_stop - hs_first) / hs_step"),
    "break for continue": (r"\bcontinue;", "break;"),
    "continue for break": (r"\bbreak;", "continue;"),
    "C's remainder": (r"return m != 0 && .*;", "return m;"),
    "C's quotient": (r"return a / b - .*;", "return a / b;"),
    "remainder of floats without the divisor's sign": (r"if \(m != 0\.0\) \{ .* m \+= b; \} else m = .*;", ""),
    "quotient of floats by floor": (r"double m = fmod\(a, b\), d = \(a - m\) / b;", "return __builtin_floor(a / b); double m = 0, d = 0;"),
    "min the other way round": (r"(double hs_min.*)b < a \? b : a", r"\1a < b ? a : b"),
    "max the other way round": (r"(double hs_max.*)b > a \? b : a", r"\1a > b ? a : b"),
    "min of ints is max": (r"(hs_imin.*)b < a", r"\1b > a"),
    "conversion without saturation": (r"if \(HS_UNLIKELY\(!\(a >= .*\n.*INT64_MIN;", ""),
    "conversion by rounding down": (r"int64_t i = \(int64_t\)a;", "int64_t i = (int64_t)__builtin_floor(a);"),
    "floor for ceil": (r"__builtin_ceil", "__builtin_floor"),
    "division of ints in floats": (r"(const int64_t exact = .*)", r"\1 return (double)a / (double)b;"),
    "comparison of ints in floats": (r"if \(b >= 9223372036854775808.0\) return -1.0;\n.*;", "return 0.0;"),
    "squares by multiplication": (r"pow\((u\[0\]|a_), 2\.0\)", r"(\1 * \1)"),
    "sums from the right": (r"\(\((\S+) \+ (\S+)\) \+ (\S+)\)", r"(\1 + (\2 + \3))"),
    "products from the right": (r"\(\((\S+) \* (\S+)\) \* (\S+)\)", r"(\1 * (\2 * \3))"),
    "brackets lost in a difference": (r"- \((\S+) - (\S+)\)\)", r"- \1 - \2)"),
    "brackets lost in a quotient": (r"/ \((\S+) \* (\S+)\)\)", r"/ \1 * \2)"),
    "or for and": (r" && (?!!)", " || "),
    "and for or": (r" \|\| ", " && "),
    "not left out": (r"\(!", "("),
    "< for <=": (r"(\(\S+) <= (\S+\))", r"\1 < \2"),
    "<= for <": (r"(\(\S+) < (\S+\))", r"\1 <= \2"),
    "index without a check": (r"if \(HS_UNLIKELY\(\(uint64_t\)i >= .*\n", ""),
    "index from the back": (r"if \(HS_UNLIKELY\(\(uint64_t\)i >=", "if (i < 0) i += n;\n    if (HS_UNLIKELY((uint64_t)i >="),
    "last fault instead of the first": (r"if \(!\*fault\) \*fault = place;", "*fault = place;"),
    "operands from right to left": (r"\(\{ (const \w+ hs_0 = [^;{}]*;) (const \w+ hs_1 = [^;{}]*;)", r"({ \2 \1"),
    "place before value": (r"\{ const double hs_value = (.*);\n(.*) = hs_value; \}", r"{ double *hs_p = &(\2); *hs_p = \1; }"),
    "a loop that goes on after a fault": (r"while \((.*) && !\*?fault\)", r"while (\1)"),
    "zeros left out": (r"__builtin_memset\(.*\);", ";"),
    "minus zero": (r"\(-0\.0\)", "0.0"),
    "no nan": (r'__builtin_nan\(""\)', "0.0"),
    "fabs left out": (r"__builtin_fabs", ""),
    "isnan always false": (r"return a != a;", "return 0;"),
    "conversion through float": (r"\(double\)(?=\w)", "(double)(float)"),
    "the first value twice": (r"hs_values\.v1", "hs_values.v0"),
    "rows and columns": (r"\* 3 \+", "* 2 +"),
}  # fmt: skip


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Every known kernel with inputs, and what the Python engine makes of them."""
    programs = [bench.translated(known_kernels.source(name), name) for name in known_kernels.BODIES]
    rng = random.Random(4)
    found = []
    for program in programs:
        assert isinstance(program, bench.Program)
        for i in range(60):
            case = vectors(rng)
            case["u"][:2] = NASTY[i % len(NASTY)], NASTY[5 * i % len(NASTY)]
            found.append((program, case, program.run_python(case)))
    return found


@pytest.fixture(scope="module")
def source(corpus: Corpus) -> tuple[str, list[str]]:
    return bench.c_source(list({id(program): program for program, _, _ in corpus}.values()))


def is_found(corpus: Corpus, library: bench.Library) -> bool:
    """Whether a library gives anything else than the Python engine somewhere, or fails to end."""
    child = os.fork()
    if child == 0:
        faulthandler.disable()  # a crash is expected and needs no report
        signal.setitimer(signal.ITIMER_VIRTUAL, 2.0)  # of the child's own time, however busy the machine is
        same = all(library.run(program, case) == outcome for program, case, outcome in corpus)
        os._exit(0 if same else 1)
    _, status = os.waitpid(child, 0)
    return status != 0


def test_the_emitted_code_itself_passes(corpus: Corpus, source: tuple[str, list[str]], kernel_cache: Path) -> None:
    assert not is_found(corpus, bench.Library(*source, kernel_cache, bench.quick_flags()))
    assert not is_found(corpus, bench.Library(*source, kernel_cache, flags(False)))


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_of_the_code_are_found(
    name: str, corpus: Corpus, source: tuple[str, list[str]], kernel_cache: Path
) -> None:
    pattern, replacement = MUTANTS[name]
    text, count = re.subn(pattern, replacement, source[0])
    assert count > 0, "nothing to mutate"
    assert is_found(corpus, bench.Library(text, source[1], kernel_cache, bench.quick_flags()))


def on_x86_with_fma() -> bool:
    return platform.machine() in ("x86_64", "AMD64") and "fma" in Path("/proc/cpuinfo").read_text().split()


def without(*dropped: str) -> list[str]:
    return [flag for flag in flags(False) if flag not in dropped]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param(
            "fused multiply-add",
            [*without("-ffp-contract=off"), "-ffp-contract=fast", "-mfma"],
            marks=pytest.mark.skipif(
                sys.platform != "linux" or not on_x86_with_fma(), reason="needs a processor with FMA"
            ),
        ),
        ("fast-math", [*flags(False), "-ffast-math"]),
        ("the compiler's own functions", without("-fno-builtin")),
    ],
)
def test_other_flags_are_found(
    name: str, options: list[str], corpus: Corpus, source: tuple[str, list[str]], kernel_cache: Path
) -> None:
    assert is_found(corpus, bench.Library(*source, kernel_cache, options))


@pytest.mark.parametrize(
    ("pattern", "dropped"),
    [(r"#pragma GCC optimize.*", ""), (r'__asm__\(""[^;]*;', ""), (r"$(?!\n)", "-mno-fma -fno-tree-slp-vectorize")],
    ids=["signs of zero", "conversion and back", "fused although contraction is off"],
)
def test_what_keeps_gcc_right_is_needed(
    pattern: str, dropped: str, corpus: Corpus, source: tuple[str, list[str]], kernel_cache: Path
) -> None:
    """gcc 12 goes wrong in three places; a compiler that does not shows no difference."""
    text, count = re.subn(pattern, "", source[0])
    assert count == 1
    if not is_found(corpus, bench.Library(text, source[1], kernel_cache, without(*dropped.split()))):
        pytest.skip("this compiler gets it right without")
