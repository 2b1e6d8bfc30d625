"""The command line: hybsim demo, run, study, psi, indicators, preflight, compile, blocks, doctor, and for tests on a
rig deploy, rig, latency, log, replay.

Commands import what they need when they run, so that `hybsim --help` is there at once. Data goes to stdout,
everything about the work to stderr; a failure is one sentence and exit code 2.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .app import app
from .failures import exit_code

WITHOUT_VALUE = {"--json": "-", "--markdown": "docs/blocks.md"}
"""What an option stands for when nothing follows it; typer itself has no options with optional values."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = filled(sys.argv[1:] if argv is None else argv)
    return exit_code(lambda: app(words, prog_name="hybsim", standalone_mode=False))


def filled(words: Sequence[str]) -> list[str]:
    """The words of a command line, with the values that may be left out."""
    full: list[str] = []
    for i, word in enumerate(words):
        full.append(word)
        following = words[i + 1] if i + 1 < len(words) else None
        if word in WITHOUT_VALUE and (following is None or (following.startswith("-") and following != "-")):
            full.append(WITHOUT_VALUE[word])
    return full


__all__ = ["app", "main"]
