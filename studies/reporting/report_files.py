"""A study as a folder: its report, each picture as png and pdf, each table of numbers as csv, the summary as json."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hybsim.errors import RunError
from hybsim.runtime.export import complete_file, plain, write_figure
from hybsim.studies.outcome import Outcome
from hybsim.studies.reporting.report import Page

REPORT = "report.html"


def write(
    outcome: Outcome,
    folder: Path,
    *,
    name: str,
    command: str,
    source: str | None = None,
    prose: Callable[[str], str] = html.escape,
    wrote: Callable[[Path], None] = lambda path: None,
) -> None:
    """Write everything into a folder that exists; `wrote` is told each file, the report last.

    `command`, `source` and `prose` are those of the report (see `Page`).
    """
    check_names(outcome)
    images: dict[str, bytes] = {}
    for picture in outcome.pictures:
        figure = picture.draw()
        for ending in ("png", "pdf"):
            wrote(write_figure(figure, folder / f"{picture.name}.{ending}"))
        images[picture.name] = (folder / f"{picture.name}.png").read_bytes()
    for table, rows in outcome.data.items():
        wrote(_write_csv(folder / f"{table}.csv", rows))
    wrote(_write_text(folder / f"{name}.json", json_text(outcome.summary)))
    wrote(_write_text(folder / REPORT, Page(outcome, images, name, command, source, prose).html()))


def count(outcome: Outcome) -> int:
    """How many files `write` writes."""
    return 2 * len(outcome.pictures) + len(outcome.data) + 2


def check_names(outcome: Outcome) -> None:
    """Refuse names that are no file names, or that two pictures or tables share."""
    for kind, names in (("picture", [p.name for p in outcome.pictures]), ("table", list(outcome.data))):
        for name in names:
            if not re.fullmatch(r"[\w-][\w.-]*", name):
                raise RunError(f"The {kind} {name!r} cannot be a file: use letters, digits, '_', '-' and '.' only.")
            if names.count(name) > 1:
                raise RunError(f"Two of the {kind}s are called {name!r}: give each a name of its own.")


def json_text(summary: Mapping[str, Any]) -> str:
    """A summary in ASCII; NaN and Inf are null."""
    return json.dumps(plain(summary), allow_nan=False, indent=2) + "\n"


def _write_text(path: Path, text: str) -> Path:
    with complete_file(path) as draft:
        draft.write_text(text, encoding="utf-8")
    return path


def _write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Rows under the names of all their columns; a hole, NaN or Inf is an empty cell."""
    names = list(dict.fromkeys(key for row in rows for key in row))
    with complete_file(path) as draft, open(draft, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _cell(value) for key, value in plain(row).items()} for row in rows)
    return path


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value
