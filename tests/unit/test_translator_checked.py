"""The checked build: translated kernels run under the undefined-behaviour sanitizer and give the same bits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hybsim.runtime.compilers import find_compiler

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="needs a C compiler")

# Undefined behaviour ends the process, hence one of its own for each.
KERNELS = """
import random, sys
import kernel_bench as bench, known_kernels, random_kernels
from kernel_fields import vectors
from pathlib import Path
sources = [(name, known_kernels.source(name)) for name in known_kernels.BODIES]
sources += [(f"generated {n}", random_kernels.kernel(n)) for n in range(30)]
programs = [p for name, source in sources if isinstance(p := bench.translated(source, name), bench.Program)]
assert len(programs) > 55
library = bench.Library(*bench.c_source(programs), Path(sys.argv[1]))
rng = random.Random(5)
for program in programs:
    for _ in range(40):
        case = vectors(rng)
        assert library.run(program, case) == program.run_python(case), program
print("same bits")
"""

PROGRAM = """
import numpy as np
import hybsim as hs
bd = hs.BDSim().blockdiagram("checked", dt=0.01)
wave = bd.SINESWEEP(name="wave", amplitude=2.0, f_start=0.5, f_end=4.0, duration=2.0)
delay = bd.DELAY(name="delay", delay=0.025, max_delay=0.1, inputs=[wave])
specimen = bd.BOUCWEN(name="specimen", stiffness=10.0, yield_disp=0.5, inputs=[delay])
bd.LTI_SISO([1.0], [0.1, 1.0], name="actuator", inputs=[specimen])
program = hs.compile(bd)
c, python = (program.run(2.0, engine=engine) for engine in ("c", "python"))
assert all(np.array_equal(c[name], python[name]) for name in c.names) and len(c.t) == 201
batch = program.sweep({"delay.delay": [0.01, 0.02, 0.05]}, duration=2.0)
assert len(batch["specimen.force"]) == 3
print("same bits")
"""

WRONGLY_PROVED = """
import ctypes, sys
from importlib import resources
from hybsim.runtime.build import load
prelude = (resources.files("hybsim.runtime") / "c" / "prelude.h").read_text()
library = load(prelude + "double f(const double *w, int64_t i) { return w[HS_PROVED(i, 3)]; }")
library.f.restype = ctypes.c_double
cells = (ctypes.c_double * 9)(*range(9))
print(library.f(cells, ctypes.c_int64(2)), library.f(cells, ctypes.c_int64(5)), flush=True)
"""


def python(code: str, folder: Path, checked: str) -> subprocess.CompletedProcess[str]:
    support = Path(__file__).parent / "support"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(support), *sys.path]),
        "HYBSIM_CACHE": str(folder),
        "HYBSIM_CHECKED": checked,
    }
    return subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, env=environment, check=False
    )


def sanitized(folder: Path) -> set[bool]:
    """Whether the libraries in a cache call the sanitizer."""
    return {b"ubsan" in path.read_bytes() for path in folder.rglob("*.so")}


def calls_a_sanitizer() -> bool:
    """gcc calls a library where something is undefined; clang is told to stop there and then."""
    compiler = find_compiler()
    return compiler is not None and not compiler.is_zig and "clang" not in compiler.version


@pytest.mark.parametrize("code", [KERNELS, PROGRAM], ids=["kernels", "a whole program"])
def test_kernels_show_no_undefined_behaviour(code: str, tmp_path: Path) -> None:
    done = python(code, tmp_path, checked="1")
    assert done.returncode == 0 and done.stdout.startswith("same bits"), done.stderr
    assert sanitized(tmp_path) == {calls_a_sanitizer()}


def test_without_the_variable_builds_are_not_checked(tmp_path: Path) -> None:
    done = python(PROGRAM, tmp_path, checked="0")
    assert done.returncode == 0, done.stderr
    assert sanitized(tmp_path) == {False}


def test_an_index_that_was_proved_wrongly_ends_a_checked_run(tmp_path: Path) -> None:
    assert python(WRONGLY_PROVED, tmp_path / "plain", checked="0").stdout.split() == ["2.0", "5.0"]
    done = python(WRONGLY_PROVED, tmp_path / "checked", checked="1")
    assert done.returncode != 0 and not done.stdout
