"""C source to shared library, compiled once and kept by content.

    <cache>/<hash of source, flags and processor>/<name>.c
                                                 /<name>-<hash of compiler>-<hash of file>.so

The last hash is that of the library itself: a file cut short by a full disk or a crash is noticed before
it is loaded (loading it could end the process) and built again. Builders in several processes may work on
the same source: each writes under a name of its own and moves the finished file into place.

The cache is the folder HYBSIM_CACHE, or `hybsim` in the user's cache folder; it may be deleted at any time.
HYBSIM_CHECKED=1 makes builds with the undefined-behaviour sanitizer the default.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
import uuid
import warnings
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from hybsim.errors import CompilerError
from hybsim.runtime.compilers import (
    Compiler,
    cannot_start,
    cpu_identity,
    find_compiler,
    flags,
    tuning,
    why_no_compiler,
)

__all__ = [
    "build",
    "load",
    "cache_folder",
    "checked_by_default",
    "Compiler",
    "find_compiler",
    "flags",
    "why_no_compiler",
]

# Folders that stand in for a cache that cannot be written; they live as long as the process.
_stand_ins: list[Path] = []


def build(source: str, *, name: str = "program", checked: bool | None = None) -> Path:
    """The shared library of a C source: from the cache, or compiled now.

    >>> library = build("double twice(double x) { return 2.0 * x; }")   # doctest: +SKIP
    """
    checked = checked_by_default() if checked is None else checked
    compiler = find_compiler()
    key = digest(source, *flags(checked), cpu_identity())
    for root in (cache_folder(), *_stand_ins):
        library = _cached(root / key, compiler)
        if library is not None:
            return library
    if compiler is None:
        raise CompilerError(why_no_compiler())
    return _compile(source, writable(key), _plain(name), compiler, checked)


def load(source: str, *, name: str = "program", checked: bool | None = None) -> ctypes.CDLL:
    """The library of a C source, loaded; one that cannot be loaded is built again once.

    Loading the same source twice in a process gives the same library, with the same static variables.
    """
    library = build(source, name=name, checked=checked)
    try:
        return ctypes.CDLL(str(library))
    except OSError:
        # If it cannot be removed either, it is met again below and reported.
        with suppress(OSError):
            library.unlink()
    library = build(source, name=name, checked=checked)
    try:
        return ctypes.CDLL(str(library))
    except OSError as error:
        raise CompilerError(
            f"The library compiled for '{name}' cannot be loaded ({error}): "
            "delete it, or name another C compiler in HYBSIM_CC."
        ) from error


def checked_by_default() -> bool:
    """Whether HYBSIM_CHECKED asks for builds with the sanitizer."""
    return os.environ.get("HYBSIM_CHECKED", "").strip() not in ("", "0")


def cache_folder() -> Path:
    """Where libraries are kept; nothing is created by asking."""
    if own := os.environ.get("HYBSIM_CACHE"):
        return Path(own).expanduser().absolute()
    if xdg := os.environ.get("XDG_CACHE_HOME"):
        return Path(xdg).expanduser().absolute() / "hybsim"
    home = Path(os.path.expanduser("~"))
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "hybsim"


def digest(*parts: str | bytes) -> str:
    """Hash of some texts, in which their borders count."""
    total = blake2b(digest_size=12)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little"))
        total.update(data)
    return total.hexdigest()


def _plain(name: str) -> str:
    """A diagram's name as part of a file name."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", name)[:60] or "program"


def _cached(folder: Path, compiler: Compiler | None) -> Path | None:
    """An intact library in the folder: this compiler's, or anyone's where there is no compiler."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return None  # not built yet
    maker = r"\w+" if compiler is None else digest(compiler.identity)
    pattern = re.compile(rf"\w+-{maker}-(\w+)\.so")
    for name in names:
        if match := pattern.fullmatch(name):
            file = folder / name
            try:
                intact = digest(file.read_bytes()) == match[1]
            except OSError:
                continue  # removed since it was listed: as if it had never been there
            if intact:
                return file
    return None


def _compile(source: str, folder: Path, name: str, compiler: Compiler, checked: bool) -> Path:
    """Compile into the folder and return the library under its final name."""
    draft = folder / f".{uuid.uuid4().hex}"
    text = folder / f"{name}.c"
    try:
        draft.write_text(source, encoding="utf-8")
        os.replace(draft, text)
        options = (*flags(checked), *compiler.own_flags(checked))
        complaint = _run(compiler, text, options, draft)
        if "native" in complaint:
            # Some compilers cannot tell the processor they run on; the results are the same without.
            options = tuple(flag for flag in options if flag not in tuning())
            complaint = _run(compiler, text, options, draft)
        if complaint:
            atexit.unregister(_remove)  # the source is named below: keep it
            raise CompilerError(
                f"The C compiler '{' '.join(compiler.command)}' refused the source of '{name}', "
                f"kept in '{text}': {first_error(complaint)}"
            )
        content = digest(draft.read_bytes())
        library = folder / f"{name}-{digest(compiler.identity)}-{content}.so"
        os.replace(draft, library)
    except OSError as error:
        raise CompilerError(
            f"The library of '{name}' cannot be written in '{folder}' ({error.strerror}): "
            "free space there or name another folder in HYBSIM_CACHE."
        ) from error
    finally:
        draft.unlink(missing_ok=True)
    return library


def _run(compiler: Compiler, text: Path, options: tuple[str, ...], library: Path) -> str:
    """Run the compiler; what it complained about, or nothing if the library was written."""
    command = [*compiler.command, str(text), *options, "-o", str(library)]
    # English messages, so that `_first_error` finds them.
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment)
    except OSError as error:
        raise CompilerError(cannot_start(compiler, error)) from error
    if done.returncode == 0 and library.exists():
        return ""
    return done.stderr.strip() or done.stdout.strip() or f"it ended with code {done.returncode} and no message"


def first_error(complaint: str) -> str:
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    telling = [line for line in lines if "error:" in line or "undefined reference" in line]
    return (telling or lines)[0]


def writable(key: str) -> Path:
    """A folder for this key that can be written: in the cache, else in a temporary one, said once."""
    folder = cache_folder() / key
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
        reason = "no permission to write"
    except OSError as error:
        reason = error.strerror or str(error)
    folder = _stand_in(cache_folder(), reason) / key
    folder.mkdir(exist_ok=True)
    return folder


def _stand_in(unusable: Path, reason: str) -> Path:
    """A temporary folder, one a process, for a cache that cannot be written; says so once."""
    if _stand_ins:
        return _stand_ins[0]
    try:
        folder = Path(tempfile.mkdtemp(prefix="hybsim-"))
    except OSError as error:
        raise CompilerError(
            f"Compiled programs can be kept neither in '{unusable}' ({reason}) nor in the temporary folder "
            f"({error.strerror}): name a writable folder in HYBSIM_CACHE."
        ) from error
    atexit.register(_remove, folder)
    _stand_ins.append(folder)
    warnings.warn(
        f"Compiled programs cannot be kept in '{unusable}' ({reason}) and are compiled anew in every "
        "process: name a writable folder in HYBSIM_CACHE.",
        RuntimeWarning,
        stacklevel=4,
    )
    return folder


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
