"""From the halves of a cut to executables: the emitted C of a half, the loop or the virtual rig, and the drivers.

    <cache>/<hash of sources, flags and target>/<name>

The sources are compiled together with the flags that keep the bits (compilers.py). With a target such as
"aarch64-linux-gnu" the compiler of ziglang builds for another machine.
"""

from __future__ import annotations

import os
import subprocess
import uuid
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hybsim.errors import CompilerError
from hybsim.runtime.build import cache_folder, checked_by_default, digest, first_error, writable
from hybsim.runtime.c_sources import DRIVERS, in_one
from hybsim.runtime.compilers import Compiler, cpu_identity, find_compiler, flags, tuning, why_no_compiler, zig
from hybsim.runtime.cut import Cut
from hybsim.runtime.program import Program
from hybsim.runtime.step_emitter import StepEmitter

LOOP = ("guard.c", "loop.c", "guardian.c", "main_loop.c")
RIG = ("virtual_rig.c", "main_rig.c")
LARGER = "#define _GNU_SOURCE\n"


@dataclass(frozen=True)
class Half:
    """One half of a cut: its program and its C source, with the places that can stop it."""

    program: Program
    symbol: str

    @cached_property
    def emitter(self) -> StepEmitter:
        return StepEmitter(self.program.graph, self.program.layout, self.program.rule, self.symbol)

    @cached_property
    def source(self) -> str:
        return self.emitter.source()


def controller_sources(cut: Cut, *, with_rig: bool) -> dict[str, str]:
    """The loop's; with the rig inside it where its driver is `sim`."""
    sources = {"controller": Half(cut.controller, "controller").source}
    runtime = [*DRIVERS, *LOOP]
    if with_rig:
        sources["rig"] = Half(cut.rig, "rig").source
        runtime.append("sim.c")
    head = "#define HD_WITH_SIM\n" if with_rig else ""
    return sources | {"loop": LARGER + head + in_one(*runtime)}


def rig_sources(cut: Cut) -> dict[str, str]:
    """The virtual rig's."""
    return {"rig": Half(cut.rig, "rig").source, "process": LARGER + in_one(*DRIVERS, *RIG)}


def build_executable(sources: dict[str, str], name: str, *, target: str | None = None) -> Path:
    """The executable of some C sources: from the cache, or compiled now."""
    checked = checked_by_default() and target is None
    compiler = find_compiler() if target is None else _cross(target)
    if compiler is None:
        raise CompilerError(why_no_compiler())
    options = _options(compiler, checked, target)
    texts = [word for pair in sorted(sources.items()) for word in pair]
    key = digest(*texts, *options, compiler.identity, target or cpu_identity())
    kept = cache_folder() / key / name
    if kept.is_file() and os.access(kept, os.X_OK):
        return kept
    return _compile(sources, writable(key), name, compiler, options)


def _options(compiler: Compiler, checked: bool, target: str | None) -> tuple[str, ...]:
    given = [flag for flag in flags(checked) if flag not in ("-fPIC", "-shared", "-lm")]
    if target is not None:
        return (*(flag for flag in given if flag not in tuning()), "-target", target)
    return (*given, *compiler.own_flags(checked))


def _cross(target: str) -> Compiler:
    program = zig()
    if program is None:
        raise CompilerError(
            f"Building for {target!r} needs the compiler of the Python package ziglang: pip install 'hybsim[zig]'."
        )
    return Compiler((str(program), "cc"), label="zig")


def _compile(sources: dict[str, str], folder: Path, name: str, compiler: Compiler, options: tuple[str, ...]) -> Path:
    """Compile in the folder; the finished file is moved into place."""
    work = folder / f".{uuid.uuid4().hex}"
    try:
        work.mkdir()
        files = []
        for title, source in sources.items():
            file = work / f"{title}.c"
            file.write_text(source, encoding="utf-8")
            files.append(str(file))
        draft = work / "program"
        command = [*compiler.command, *options, *files, "-o", str(draft), "-lm"]
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", env={**os.environ, "LC_ALL": "C"}, check=False
        )
        if done.returncode != 0 or not draft.is_file():
            raise CompilerError(
                f"The C compiler '{' '.join(compiler.command)}' refused the sources of '{name}':"
                f" {first_error(done.stderr or done.stdout or 'no message')}"
            )
        for file in work.glob("*.c"):
            os.replace(file, folder / file.name)  # kept to be read beside the executable
        os.replace(draft, folder / name)
    except OSError as error:
        raise CompilerError(f"'{name}' cannot be built in '{folder}': {error.strerror}.") from error
    finally:
        for file in work.glob("*"):
            file.unlink()
        if work.is_dir():
            work.rmdir()
    return folder / name
