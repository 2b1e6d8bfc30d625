"""Errors a user can meet: each message is one sentence that says what, got, allowed and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class HybsimError(Exception):
    """Anything hybsim refuses; the command line prints it and exits with code 2."""


class KernelError(HybsimError):
    """A kernel uses something outside the translatable subset."""


class BlockError(HybsimError):
    """A block is declared or wired wrongly."""


class ParameterError(HybsimError):
    """A parameter has an unknown name or a value that is not allowed."""


class DiagramError(HybsimError):
    """A diagram cannot be lowered: loop, open port, width, name, rate or unsupported block."""


class CompilerError(HybsimError):
    """No C compiler was found, or it refused the emitted source."""


class RecordError(HybsimError):
    """A ground-motion record cannot be read."""


class RunError(HybsimError):
    """A run was asked for something it cannot do."""


def near(name: str, choices: Iterable[str]) -> str:
    """A closing sentence naming what is close to `name`, or what exists at all."""
    options = sorted(choices)
    close = difflib.get_close_matches(name, options, n=3, cutoff=0.5)
    if close:
        return " Did you mean " + " or ".join(repr(c) for c in close) + "?"
    if not options:
        return ""
    if len(options) > 8:
        return f" Known: {', '.join(options[:8])} and {len(options) - 8} more."
    return f" Known: {', '.join(options)}."
