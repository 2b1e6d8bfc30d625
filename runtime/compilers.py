"""The C compiler: where it is looked for, who it is, and the flags it gets.

Looked for, in this order: what HYBSIM_CC or CC names (with arguments, if any), then `cc`, `gcc` and
`clang` on PATH, then the zig compiler of the PyPI package `ziglang`. HYBSIM_CC=none uses no compiler.

The flags keep the arithmetic of Python: no contraction to fused multiply-add, no fast-math, and no
`-fbuiltin`, with which a compiler folds `tanh(0.3)` by its own library and turns `pow(x, 2.0)` into `x*x`.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from hybsim.errors import CompilerError

ON_PATH = ("cc", "gcc", "clang")
VARIABLES = ("HYBSIM_CC", "CC")
CPU_KEYS_X86 = {"vendor_id", "cpu family", "model", "model name", "stepping", "flags"}
CPU_KEYS_ARM = {"cpu implementer", "cpu architecture", "cpu variant", "cpu part", "features"}
CPU_KEYS = CPU_KEYS_X86 | CPU_KEYS_ARM | {"cpu", "isa", "uarch", "revision"}


@dataclass(frozen=True)
class Compiler:
    """A C compiler: the words that start it, and where they came from."""

    command: tuple[str, ...]
    label: str

    @cached_property
    def version(self) -> str:
        """First line of what `--version` prints; runs the compiler once, when first asked."""
        try:
            done = subprocess.run(
                [*self.command, "--version"], capture_output=True, text=True, errors="replace", check=False
            )
        except OSError as error:
            raise CompilerError(cannot_start(self, error)) from error
        lines = (done.stdout or done.stderr).strip().splitlines()
        return lines[0] if lines else "unknown version"

    @cached_property
    def identity(self) -> str:
        """Which program this is, told from its files alone: asking for its version would cost 10 ms."""
        words = []
        for word in self.command:
            found = shutil.which(word)
            if found is None:
                words.append(word)
            else:
                real = os.path.realpath(found)
                stat = os.stat(real)
                words.append(f"{found}={real}:{stat.st_size}:{stat.st_mtime_ns}")
        return "\n".join(words)

    @property
    def is_zig(self) -> bool:
        return any(Path(word).stem in ("zig", "ziglang") for word in self.command)

    def own_flags(self, checked: bool) -> tuple[str, ...]:
        """What this compiler needs beyond `flags`."""
        if self.is_zig:
            # zig's own C library files: nothing but zig has to be installed, and it links faster.
            return ("-target", "native-native-gnu") if _runs_on_glibc() else ()
        if checked and "clang" in self.version:
            # clang leaves its sanitizer library out of shared objects: such a file cannot be loaded.
            return ("-fsanitize-trap=all",)
        return ()


def find_compiler() -> Compiler | None:
    """The compiler to use, or None; a HYBSIM_CC or CC that cannot be run is an error, not skipped."""
    for variable in VARIABLES:
        value = os.environ.get(variable, "").strip()
        if variable == "HYBSIM_CC" and value == "none":
            return None
        if value:
            return _named(variable, value)
    for name in ON_PATH:
        found = shutil.which(name)
        if found is not None:
            return Compiler((found,), label=name)
    program = zig()
    return None if program is None else Compiler((str(program), "cc"), label="zig")


def why_no_compiler() -> str:
    """One sentence for the user: what was looked for and how to get a compiler."""
    if os.environ.get("HYBSIM_CC", "").strip() == "none":
        return "No C compiler is used because HYBSIM_CC is 'none': unset it to let hybsim look for one."
    return (
        "No C compiler was found (looked for HYBSIM_CC and CC in the environment, "
        f"{', '.join(ON_PATH[:-1])} and {ON_PATH[-1]} on PATH, and the Python package ziglang): "
        'install a C compiler such as gcc or clang, or run `pip install "hybsim[zig]"`.'
    )


def cannot_start(compiler: Compiler, error: OSError) -> str:
    """One sentence for a compiler that is there but does not start."""
    reason = error.strerror or str(error)
    return (
        f"The C compiler '{compiler.command[0]}' could not be started ({reason}): "
        "repair it or name another one in HYBSIM_CC."
    )


def flags(checked: bool) -> tuple[str, ...]:
    """Compiler flags after the source file; `checked` adds the undefined-behaviour sanitizer.

    Single numbers gathered into vectors cost 5 to 30 % of a step: what is written as a vector and read as a
    number, or the other way round, waits for memory. Loops over arrays become vector code all the same.
    `-pipe` saves 2 ms of 28. Other linkers, hidden visibility, no build id and no linker plugin
    measured below 1 ms each, and each of them is missing or different somewhere.
    """
    common = ("-std=c11", *tuning(), "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off")
    common += ("-fno-builtin", "-fno-tree-slp-vectorize", "-fPIC", "-shared", "-pipe")
    if not checked:
        return ("-O2", *common, "-lm")
    sanitize = ("-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all")
    # Unoptimised: a checked program is run once, and optimising all its checks takes four times as long as this.
    return ("-O0", "-DHS_CHECKED", *sanitize, *common, "-lm")


def tuning() -> tuple[str, ...]:
    """Flags that ask for this machine's own instructions, where every compiler knows one.

    Without fused multiply-add: gcc 12 turns `c*a - s*b, s*a + c*b` in a loop into vfmaddsub although
    contraction is off, and the last bit then differs from Python's.
    """
    machine = platform.machine().lower()
    if machine in ("x86_64", "amd64", "i686", "i386"):
        return ("-march=native", "-mno-fma", "-mno-avx512f")
    if machine.startswith(("aarch64", "arm", "ppc")):
        return ("-mcpu=native",)
    return ()


@cache
def cpu_identity() -> str:
    """What decides the instructions that `native` stands for, read once a process."""
    machine = platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            lines = _first_processor(file.read(16384))
    except OSError:
        # No such file (macOS): the host's name stands for its processor.
        return f"{machine} {platform.node()}"
    return "\n".join([machine, *lines])


def _first_processor(cpuinfo: str) -> list[str]:
    """The lines of /proc/cpuinfo that say what processor 0 can do (not its clock or microcode)."""
    entry = cpuinfo.split("\n\n", 1)[0].splitlines()
    return [line for line in entry if line.partition(":")[0].strip().lower() in CPU_KEYS]


def _named(variable: str, value: str) -> Compiler:
    """The compiler that an environment variable names, refused if it is not there."""
    try:
        # A path with blanks is one word; anything else is split as a shell would.
        words = [value] if os.path.isfile(value) else shlex.split(value)
    except ValueError as error:
        raise CompilerError(f"{variable} is {value!r}, which cannot be split into words ({error}).") from error
    program = shutil.which(words[0]) if words else None
    if program is None:
        raise CompilerError(
            f"{variable} names the C compiler {value!r}, which is not an executable file or on PATH: "
            f"correct {variable} or unset it to let hybsim look for cc, gcc, clang or zig."
        )
    return Compiler((os.path.abspath(program), *words[1:]), label=variable)


def zig() -> Path | None:
    """The zig program inside the ziglang package (`python -m ziglang` starts the same one, later)."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        return None
    program = Path(spec.submodule_search_locations[0]) / "zig"
    return program if program.is_file() else None


def _runs_on_glibc() -> bool:
    try:
        return bool(os.confstr("CS_GNU_LIBC_VERSION"))
    except (ValueError, OSError):
        return False
