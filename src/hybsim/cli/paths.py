"""Output files are tried before the work starts: nobody waits for a run that cannot be saved."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from hybsim.errors import RunError


def check_output(path: str, *, endings: Iterable[str] = (), devices: bool = False) -> None:
    """Refuse a path that cannot be written; `devices` allows pipes and devices such as /dev/stdout."""
    allowed = list(endings)
    if allowed and Path(path).suffix.lower() not in allowed:
        raise RunError(f"Cannot write '{path}': its name must end in one of {', '.join(allowed)}.")
    target = Path(path).expanduser()
    if not path or target.is_dir():
        raise RunError(f"Cannot write '{path}': it is a folder, so add a file name.")
    if target.exists() and not target.is_file():
        if devices and os.access(target, os.W_OK):
            return
        raise RunError(f"Cannot write '{path}': it is not a regular file, so choose another name.")
    parent = Path(os.path.realpath(target)).parent
    if not parent.is_dir():
        raise RunError(f"Cannot write '{path}': the folder '{parent}' does not exist, so create it first.")
    _try_folder(parent, path)


def make_folder(path: str) -> Path:
    """A folder to write into, created if it is not there."""
    folder = Path(path).expanduser()
    if folder.exists() and not folder.is_dir():
        raise RunError(f"Cannot write into '{path}': it is a file, so choose another folder with --out.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"Cannot create the folder '{path}' ({error.strerror}): choose another with --out.") from error
    _try_folder(folder, path)
    return folder


def check_different(*paths: str | None) -> None:
    """Refuse two outputs in one file."""
    seen: set[str] = set()
    for path in paths:
        if path is None or path == "-":
            continue
        real = os.path.realpath(os.path.expanduser(path))
        if real in seen:
            raise RunError(f"Two outputs would be written to '{path}': give each a name of its own.")
        seen.add(real)


def _try_folder(folder: Path, path: str) -> None:
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise RunError(f"Cannot write '{path}' ({error.strerror}): choose another place or free this one.") from error
