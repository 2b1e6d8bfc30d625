"""Compilers for tests: the one of this machine, and scripts that play one."""

from __future__ import annotations

import ctypes
import shutil
from pathlib import Path

import pytest

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_cc = pytest.mark.skipif(CC is None, reason="needs cc, gcc or clang")
TWICE = "double twice(double x) { return 2.0 * x; }\n"


def script(path: Path, body: str) -> Path:
    """A shell script in the place of a compiler."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def call_twice(library: ctypes.CDLL) -> float:
    """What the library of TWICE gives for 21."""
    library.twice.argtypes, library.twice.restype = [ctypes.c_double], ctypes.c_double
    return float(library.twice(21.0))
