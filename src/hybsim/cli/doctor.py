"""hybsim doctor: what this machine has, what works on it, and a diagram compiled and run to prove it."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from hybsim.errors import HybsimError

from .failures import one_line
from .output import JsonOption, Report, grid, report

REQUIRED = ("numpy", "scipy", "control", "bdsim", "matplotlib", "typer", "rich", "h5py")
LOCKED_BYTES = 1 << 24
"""More than the memory of a loop, which locks all it has."""

EXTRAS = {
    "zig": ("ziglang",),
    "notebook": ("nbclient", "nbformat", "ipykernel"),
    "bench": ("pathsim",),
    "opensees": ("openseespy",),
}


def doctor(json: JsonOption = None) -> None:
    """Report on Python, compiler and packages, and on what will and will not work here.

    The exit code is 0 also where something is missing: this is a report.
    """
    with report(json) as to:
        to.content = found = examine()
        show(to, found)


def examine() -> dict[str, Any]:
    """Everything the report states, as data."""
    compiler, problem = find_compiler()
    packages = {name: installed(name) for name in REQUIRED}
    extras = {extra: {name: installed(name) for name in names} for extra, names in EXTRAS.items()}
    tests = {engine: self_test(engine) for engine in ("c", "python", "bdsim")}
    found: dict[str, Any] = {
        "hybsim": installed("hybsim"),
        "python": {"version": platform.python_version(), "path": sys.executable},
        "system": {"platform": platform.platform(), "machine": platform.machine(), "cores": os.cpu_count()},
        "compiler": compiler,
        "compiler_problem": problem,
        "cache": cache(),
        "packages": packages,
        "extras": extras,
        "self_test": tests,
        "deployment": deployment(),
    }
    found["works"] = works(found)
    return found


def find_compiler() -> tuple[dict[str, str] | None, str | None]:
    """The C compiler, or why there is none."""
    from hybsim.runtime import compilers

    try:
        compiler = compilers.find_compiler()
        if compiler is None:
            return None, compilers.why_no_compiler()
        return {"command": " ".join(compiler.command), "version": compiler.version, "found_as": compiler.label}, None
    except HybsimError as error:
        return None, str(error)


def cache() -> dict[str, Any]:
    """Where compiled programs are kept; nothing is created by asking."""
    from hybsim.runtime.build import cache_folder

    folder = cache_folder()
    there = next(path for path in (folder, *folder.parents) if path.exists())
    programs = sum(1 for _ in folder.glob("*/*.so")) if folder.is_dir() else 0
    writable = there.is_dir() and os.access(there, os.W_OK | os.X_OK)
    return {"folder": str(folder), "writable": writable, "programs": programs}


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def self_test(engine: str) -> dict[str, Any]:
    """A pulse on a spring, compiled from nothing and run; its peak is known without any computer."""
    begin = time.perf_counter()
    try:
        with _empty_cache():
            peak = _pulse_on_spring(engine)
    except Exception as error:  # whatever it is, it is what the user came to read
        kind = "" if isinstance(error, HybsimError) else f"{type(error).__name__}: "
        return {"passed": False, "problem": kind + one_line(str(error))}
    if peak != 10.0:
        return {"passed": False, "problem": f"the peak force of the test diagram is {peak!r}, not 10"}
    return {"passed": True, "seconds": round(time.perf_counter() - begin, 3)}


def _pulse_on_spring(engine: str) -> float:
    """Amplitude 1, stiffness 10: at mid-pulse the force is 10 exactly."""
    from hybsim.runtime.program import compile
    from hybsim.wiring import BDSim

    bd = BDSim().blockdiagram("doctor", dt=0.01)
    pulse = bd.COSINEPULSE(name="pulse", amplitude=1.0, duration=1.0)
    bd.SPRING(name="spring", stiffness=10.0, inputs=[pulse])
    return float(compile(bd).run(1.0, engine=engine).peak("spring.force"))


@contextmanager
def _empty_cache() -> Iterator[None]:
    """An old library in the cache must not hide a compiler that no longer works."""
    before = os.environ.get("HYBSIM_CACHE")
    with tempfile.TemporaryDirectory(prefix="hybsim-doctor-") as folder:
        os.environ["HYBSIM_CACHE"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["HYBSIM_CACHE"]
            else:
                os.environ["HYBSIM_CACHE"] = before


def works(found: dict[str, Any]) -> list[dict[str, Any]]:
    """What can be done here, with the reason or the remedy."""
    tests = found["self_test"]
    lines: list[dict[str, Any]] = []

    def line(what: str, good: bool, note: str) -> None:
        lines.append({"what": what, "works": good, "note": note})

    for engine, role in (("c", "the default"), ("python", "the same bits, slower"), ("bdsim", "outside reference")):
        test = tests[engine]
        note = (
            f"{role}; the test diagram took {test['seconds']:.2f} s to build and run"
            if test["passed"]
            else test["problem"]
        )
        line(f"engine {engine}", test["passed"], note)
    cores = found["system"]["cores"]
    line("sweeps", tests["c"]["passed"], f"on {cores} cores" if tests["c"]["passed"] else "they need engine c")
    for what, package in (("figures", "matplotlib"), ("HDF5 files", "h5py"), ("MATLAB files", "scipy")):
        have = found["packages"][package]
        line(what, have is not None, f"{package} {have}" if have else f"pip install {package}")
    purposes = {
        "zig": "zig as compiler", "notebook": "running notebooks", "bench": "benchmark against PathSim",
        "opensees": "substructures in OpenSees",
    }  # fmt: skip
    for extra, what in purposes.items():
        missing = [name for name, have in found["extras"][extra].items() if have is None]
        note = f'pip install "hybsim[{extra}]"' if missing else ", ".join(
            f"{name} {have}" for name, have in found["extras"][extra].items()
        )  # fmt: skip
        line(what, not missing, note)
    names = {
        "shared_memory": ("deployment: shared memory", "/dev/shm"),
        "real_time_priority": ("deployment: real-time priority", "SCHED_FIFO"),
        "locked_memory": ("deployment: locked memory", f"{LOCKED_BYTES >> 20} MiB"),
    }
    for key, (what, note) in names.items():
        problem = found["deployment"][key]
        line(what, not problem, problem or note)
    return lines


def deployment() -> dict[str, Any]:
    """What a real-time test needs of the system, tried where that leaves no trace."""
    return {"shared_memory": _shared_memory(), "real_time_priority": _fifo(), "locked_memory": _locked()}


def _shared_memory() -> str:
    """Empty, or why there is none; so are the others."""
    from hybsim.runtime.processes import memory_for_regions

    try:
        memory_for_regions()
    except HybsimError as error:
        return str(error)
    return ""


def _fifo() -> str:
    """A thread of its own asks for the priority, and ends with it."""
    if not hasattr(os, "sched_setscheduler"):
        return "this system has no SCHED_FIFO"
    problems: list[str] = []

    def ask() -> None:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        except OSError as error:
            problems.append(f"{error.strerror}: raise `ulimit -r`, or grant CAP_SYS_NICE")

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return problems[0] if problems else ""


def _locked() -> str:
    """mlock of one page; a loop locks a few MiB."""
    import ctypes
    import mmap

    try:
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    except (ImportError, OSError):
        return "this system cannot lock memory"
    library = ctypes.CDLL(None, use_errno=True)
    with mmap.mmap(-1, LOCKED_BYTES) as memory:
        place = ctypes.c_char.from_buffer(memory)
        failed = library.mlock(ctypes.c_void_p(ctypes.addressof(place)), ctypes.c_size_t(LOCKED_BYTES))
        del place
    if failed:
        limit = "" if soft == resource.RLIM_INFINITY else f"{soft / 2**20:g} MiB may be locked: "
        return f"{limit}raise `ulimit -l`, or grant CAP_IPC_LOCK"
    return ""


def show(to: Report, found: dict[str, Any]) -> None:
    system, compiler, kept = found["system"], found["compiler"], found["cache"]
    to.say(f"hybsim    {found['hybsim']}", style="bold")
    to.say(f"Python    {found['python']['version']}  {found['python']['path']}")
    to.say(f"system    {system['platform']}, {system['cores']} cores")
    to.say(f"compiler  {compiler['command']} ({compiler['version']})" if compiler else "compiler  none")
    limits = "" if kept["writable"] else ", cannot be written: name another folder in HYBSIM_CACHE"
    to.say(f"cache     {kept['folder']} ({kept['programs']} programs{limits})")
    to.say("packages  " + ", ".join(f"{name} {have or 'missing'}" for name, have in found["packages"].items()))
    table = grid("", "works", "")
    for entry in found["works"]:
        good = entry["works"]
        table.add_row(entry["what"], "yes" if good else "no", entry["note"], style=None if good else "red")
    to.show(table)
    if not found["self_test"]["c"]["passed"]:
        to.say("Without engine c diagrams run in Python: the same numbers, a few hundred times slower, no sweeps.")
