"""hybsim study: run one of the studies that come with hybsim, as tables, a figure and files."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from hybsim.errors import RunError
from hybsim.studies.catalogue import STUDIES, Outcome, Settings, find

from .output import JsonOption, Report, grid, report
from .paths import check_different, check_output, make_folder
from .progress import progress_bar

LIST = "list"
ENDINGS = ("png", "pdf", "csv", "json")
"""The files of a study, each named after it."""


def study(
    name: Annotated[
        str, typer.Argument(metavar="NAME|list", help="The study to run; list names them all.", show_default=False)
    ],
    out: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Write figure (png, pdf) and table (csv, json) here; created if missing."),
    ] = None,
    record: Annotated[
        str | None, typer.Option(metavar="NAME", help="elcentro (the usual one), tabas, or a file with a record in g.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the random numbers, 1 if not given.")] = None,
    json: JsonOption = None,
) -> None:
    """Run a study that comes with hybsim, or list them.

    Examples: hybsim study list; hybsim study compensators --out results
    """
    given: dict[str, Any] = {k: v for k, v in (("record", record), ("seed", seed)) if v is not None}
    if name == LIST:
        if given or out is not None:
            raise RunError("'hybsim study list' runs nothing: leave out --out, --record and --seed, or name a study.")
        show_list(json)
        return
    chosen, settings = find(name), replace(Settings(), **given)
    files = {} if out is None else {ending: make_folder(out) / f"{name}.{ending}" for ending in ENDINGS}
    for path in files.values():
        check_output(str(path))
    check_different(json, *map(str, files.values()))
    with report(json) as to:
        with progress_bar("Running", 1.0) as advance:
            outcome = chosen.run(settings, advance)
        show(to, outcome)
        to.content = outcome.summary()
        if files:
            write(outcome, files, to.json_text())
            to.note(f"Wrote {', '.join(path.name for path in files.values())} to {out}")


def show_list(json: str | None) -> None:
    with report(json) as to:
        to.content = {"studies": [{"name": s.name, "summary": s.summary} for s in STUDIES.values()]}
        width = max(map(len, STUDIES))
        for entry in STUDIES.values():
            to.say(f"{entry.name:<{width}}  {entry.summary}")
        to.say()
        to.say("hybsim study NAME runs one; with --out FOLDER it writes its figure and its tables.")


def show(to: Report, outcome: Outcome) -> None:
    to.say(outcome.title, style="bold")
    for content in outcome.tables():
        table = grid(*content.headings, numbers=content.headings[1:], title=content.title)
        for row in content.rows:
            table.add_row(*row)
        to.show(table)
    for sentence in outcome.notes():
        to.say(sentence)


def write(outcome: Outcome, files: dict[str, Path], summary: str) -> None:
    """The figure, the rows and the summary, each under the ending of its name."""
    from hybsim.runtime.export import complete_file, write_figure

    figure = outcome.figure()
    write_figure(figure, files["png"])
    write_figure(figure, files["pdf"])
    rows = outcome.rows()
    with complete_file(files["csv"]) as draft, open(draft, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    with complete_file(files["json"]) as draft:
        draft.write_text(summary)
