"""Generated kernels are refused, or give the same bits in C, in the Python engine and in plain CPython."""

from __future__ import annotations

import random
import re
from pathlib import Path

import kernel_bench as bench
import pytest
import random_kernels
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from kernel_fields import vectors

from hybsim.errors import KernelError
from hybsim.runtime.compilers import find_compiler

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="needs a C compiler")

BATCH = 40
"""Kernels in one C library: a compilation costs a second, whatever it compiles."""
RUNS = 16
"""Inputs each kernel is run with."""

# A failing batch is reported by the kernel in it that failed; smaller seeds are not simpler kernels.
batches = settings(
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def generated(seed: int, count: int = BATCH) -> list[bench.Program]:
    """Kernels from a seed, without those that were refused."""
    rng = random.Random(seed)
    programs = [
        bench.translated(random_kernels.kernel(n), f"kernel {n}") for n in (rng.getrandbits(32) for _ in range(count))
    ]
    return [p for p in programs if not isinstance(p, KernelError)]


def check(programs: list[bench.Program], folder: Path, seed: int) -> dict[str, int]:
    """Run every kernel in C, in the Python engine and plainly; returns how many runs ended in which way."""
    library = bench.Library(*bench.c_source(programs), folder)
    rng = random.Random(seed)
    seen = {"fault": 0, "same as plain": 0, "only with IEEE arithmetic": 0}
    for program in programs:
        for _ in range(RUNS):
            case = vectors(rng)
            python = program.run_python(case)
            plain = program.run_plain(case)
            assert library.run(program, case) == python, f"C and Python differ for\n{program}\nwith {case}"
            if isinstance(python, str):
                assert plain is None, f"only CPython runs, the engines say {python!r}\n{program}\nwith {case}"
                seen["fault"] += 1
            elif plain is None:
                seen["only with IEEE arithmetic"] += 1
            else:
                assert plain == python, f"CPython and the engines differ for\n{program}\nwith {case}"
                seen["same as plain"] += 1
    return seen


@settings(batches, max_examples=6)
@given(seed=st.integers(0, 2**32 - 1))
def test_generated_kernels_give_the_same_bits_everywhere(seed: int, kernel_cache: Path) -> None:
    check(generated(seed), kernel_cache, seed)


@pytest.mark.slow
@settings(batches, max_examples=60)
@given(seed=st.integers(0, 2**32 - 1))
def test_many_generated_kernels_give_the_same_bits_everywhere(seed: int, kernel_cache: Path) -> None:
    check(generated(seed), kernel_cache, seed)


def test_most_generated_kernels_are_translated_and_end_in_every_way(kernel_cache: Path) -> None:
    """The property is not empty: few refusals, and all three kinds of runs in one batch."""
    programs = generated(1)
    assert len(programs) >= 0.85 * BATCH
    seen = check(programs, kernel_cache, 1)
    assert seen["fault"] > 0.03 * sum(seen.values()) and min(seen.values()) > 0.1 * sum(seen.values())


CONSTRUCTS = {
    "negative step": r"for \w+ in range\([-\d, ]+, -\d\)",
    "computed step": r"for \w+ in range\(.*, .*, .*% 5 - \d\)",
    "break": r"\bbreak\b", "continue": r"\bcontinue\b", "while": r"\bwhile\b", "elif": r"\belif\b",
    "integer division": r"// -?\d", "modulo": r"% -?\d", "power": r"\*\*", "conditional expression": r" if .* else ",
    "chained comparison": r"[<>=] [^()]* [<>]=? ", "and": r"\band\b", "or": r"\bor\b", "not": r"\bnot\b",
    "nan": r"math\.nan", "inf": r"-math\.inf", "negative zero": r"\(-0\.0\)", "denormal": r"5e-324",
    "largest int": r"9223372036854775807", "conversion": r"\bint\(", "floor": r"math\.floor", "min": r"\bmin\(",
    "matrix": r"p\.g\[.*, ", "local array": r"zeros\(3\)", "local matrix": r"zeros\(2, 2\)", "len": r"len\(p\.g\[0\]\)",
    "helper": r"\bh0\(", "helper with several values": r"\w+, \w+ = h\d\(", "augmented element": r"\] \+=",
    "int over int": r"\(p\.n / ", "time": r"\bt\b", "structure": r"p\.flag == 1", "reads an output": r"y\.out \*",
}  # fmt: skip


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_the_generator_writes_every_construct(name: str) -> None:
    texts = [random_kernels.kernel(seed).text for seed in range(300)]
    assert sum(bool(re.search(CONSTRUCTS[name], text)) for text in texts) >= 3
