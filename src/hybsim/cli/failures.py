"""From exceptions to exit codes: one sentence on stderr and code 2; 130 when interrupted; never a traceback.

HYBSIM_TRACEBACK=1 shows where an exception came from, for whoever looks for a fault in hybsim itself.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any, TextIO

from hybsim.errors import HybsimError

FAILED, CLOSED_PIPE, INTERRUPTED = 2, 1, 130


def exit_code(command: Callable[[], Any]) -> int:
    """Run a command; what it raises becomes a sentence and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that knows no Greek gets a question mark
    with warnings.catch_warnings():
        warnings.simplefilter("once", UserWarning)
        warnings.showwarning = show_warning
        try:
            code = _finished(command)
            if code == INTERRUPTED:
                tell("interrupted.")
        except BrokenPipeError:
            # Whoever read the output has enough of it, as in `hybsim blocks | head`.
            _discard(sys.stdout)
            code = CLOSED_PIPE
        except OSError as error:
            _discard(sys.stdout)
            code = fail(sentence(error))
    return code


def _finished(command: Callable[[], Any]) -> int:
    try:
        code = command()
        if sys.stdout is not None:
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        raise
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 0
    except BaseException as error:
        if os.environ.get("HYBSIM_TRACEBACK", "") not in ("", "0"):
            traceback.print_exc()
        if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":
            return INTERRUPTED
        return fail(sentence(error))


def sentence(error: BaseException) -> str:
    """What to tell the user about an exception."""
    # The usage errors of typer have no public base class in some of its versions; they all have this method.
    if hasattr(error, "format_message"):
        return _usage(error)
    if isinstance(error, HybsimError):
        return one_line(str(error))
    if isinstance(error, MemoryError):
        return f"There is not enough memory ({one_line(str(error)) or 'nothing more is known'}): run a shorter time."
    if isinstance(error, OSError):
        where = f" '{error.filename}'" if error.filename else ""
        return f"The operating system refused{where}: {error.strerror or one_line(str(error))}."
    return (
        f"This is a fault in hybsim, please report it ({type(error).__name__}: {one_line(str(error))});"
        " HYBSIM_TRACEBACK=1 shows where it is."
    )


def _usage(error: Any) -> str:
    text = one_line(error.format_message()).rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{text}; see '{context.command_path} --help'." if context is not None else f"{text}."


def show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: TextIO | None = None,
    line: str | None = None,
) -> None:  # fmt: skip
    """A warning as one line."""
    tell(f"warning: {one_line(str(message))}")


def fail(text: str) -> int:
    tell(text)
    return FAILED


def tell(text: str) -> None:
    """One line on stderr; nothing where there is no stderr to write to."""
    if sys.stderr is None:
        return  # print would take stdout instead
    try:
        print(f"hybsim: {text}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        _discard(sys.stderr)


def one_line(text: str) -> str:
    return " ".join(text.split())


def _discard(stream: TextIO | None) -> None:
    """Let the interpreter's last flush of a stream that cannot be written go nowhere."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[union-attr]
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):
        return  # a stream without a file, as in tests, has nothing to flush
