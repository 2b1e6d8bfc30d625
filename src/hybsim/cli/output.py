"""Where the output of a command goes.

Tables and sentences go to stdout. With `--json -` (or `--emit-c`) stdout holds the data and nothing else: the
tables are left out, since the data says the same, and notes, warnings and whatever the user's own file prints go
to stderr. `--json FILE` writes beside the usual output.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybsim.errors import RunError

from .paths import check_output

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

JsonOption = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE|-", help="Write the results as JSON; '-' is stdout, with no other text."),
]

PIPED_WIDTH = 120
"""Columns of a table that no terminal limits."""


class Report:
    """The words and the data of one command; `alone` is text that has stdout for itself."""

    def __init__(self, json_path: str | None = None, *, stdout_is_data: bool = False) -> None:
        self.json_path = json_path
        self.stdout_is_data = stdout_is_data or json_path == "-"
        self.content: Any = None
        self.indent: int | None = 2
        self.alone = ""

    def say(self, text: str = "", style: str | None = None) -> None:
        """A line of the report, never broken: a path must stay in one piece."""
        if not self.stdout_is_data:
            console().print(text, style=style, soft_wrap=True)

    def show(self, table: Table) -> None:
        if not self.stdout_is_data:
            console().print(table)

    def note(self, text: str, style: str | None = None) -> None:
        """A line about the work, such as where a file is; never left out."""
        console(stderr=self.stdout_is_data).print(text, style=style, soft_wrap=True)

    def json_text(self) -> str:
        """The content in ASCII, so that no terminal or locale can spoil it; NaN and Inf are null."""
        from hybsim.runtime.export import plain

        return json.dumps(plain(self.content), allow_nan=False, indent=self.indent) + "\n"


def console(stderr: bool = False) -> Console:
    """A console that prints text as it is: a unit such as [in] is no markup."""
    from rich.console import Console

    made = Console(stderr=stderr, markup=False, highlight=False, emoji=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPED_WIDTH
    return made


def grid(*headings: str, numbers: Sequence[str] = (), title: str | None = None) -> Table:
    """An empty table; columns named in `numbers` are aligned to the right."""
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        right = heading in numbers
        table.add_column(heading, justify="right" if right else "left", overflow="fold", no_wrap=right)
    return table


@contextmanager
def report(json_path: str | None, *, stdout_is_data: bool = False) -> Iterator[Report]:
    """The report of a command; its data is written when the command has succeeded."""
    made = Report(json_path, stdout_is_data=stdout_is_data)
    if json_path not in (None, "-"):
        check_output(json_path, devices=True)
    if made.stdout_is_data and sys.stdout is None:
        raise RunError("Cannot write to stdout: it is closed.")
    stdout = sys.stdout
    with _stdout_to_stderr() if made.stdout_is_data else nullcontext():
        yield made
        if json_path not in (None, "-"):
            _write(Path(json_path).expanduser(), made.json_text())
            made.note(f"Wrote the results as JSON to {json_path}")
    if made.stdout_is_data:
        stdout.write(made.json_text() if json_path == "-" else made.alone)
        stdout.flush()


def _write(path: Path, text: str) -> None:
    from hybsim.runtime.export import complete_file

    if path.exists() and not path.is_file():
        path.write_text(text)  # a pipe or a device is written to, not replaced
        return
    with complete_file(path) as draft:
        draft.write_text(text)


@contextmanager
def _stdout_to_stderr() -> Iterator[None]:
    """Also for programs that the user's file may start."""
    sys.stdout.flush()
    try:
        saved = os.dup(1)
        os.dup2(2, 1)
    except OSError:
        saved = None  # one of the two is not open
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if saved is not None:
            os.dup2(saved, 1)
            os.close(saved)
