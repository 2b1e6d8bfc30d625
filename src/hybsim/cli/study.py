"""hybsim study: a study that comes with hybsim or one of the user's own, as tables, pictures, files and a report."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from hybsim.errors import ParameterError, RunError
from hybsim.studies.catalogue import STUDIES, Entry, find
from hybsim.studies.outcome import Outcome, Settings

from .failures import tell
from .output import JsonOption, Report, grid, report
from .paths import check_different, check_output, make_folder
from .progress import progress_bar
from .study_file import exists, is_file, load_study
from .typeset import typeset

LIST = "list"
REPORT = "report.html"

ALLOWED: Mapping[str, tuple[Callable[[float], bool], str]] = {
    "seed": (lambda value: value >= 0, "at least 0"),
    "jobs": (lambda value: value >= 1, "at least 1"),
    "runs": (lambda value: value >= 1, "at least 1"),
    "variance": (lambda value: 0.0 <= value < math.inf, "a finite number of at least 0"),
    "tolerance": (lambda value: 0.0 < value < math.inf, "a finite number above 0"),
}


def study(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE.py|list",
            help="A study that comes with hybsim, or your own file with a variable 'study' or a function 'run';"
            " list names all that come with hybsim.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Write a report (html), pictures (png, pdf) and numbers (csv, json) here; created if missing. A study"
            " of your own goes on from here if it was interrupted.",
        ),
    ] = None,
    record: Annotated[
        str | None, typer.Option(metavar="NAME", help="elcentro, tabas, or a file with a record in g.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the random numbers, 1 if not given.")] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Runs at a time, one for each core if not given.")
    ] = None,
    variance: Annotated[
        float | None, typer.Option(metavar="V", help="Variance of the lag error; 0 is a lag without randomness.")
    ] = None,
    case: Annotated[str | None, typer.Option(metavar="K", help="One case of EERC Table 8-10, 1 to 5.")] = None,
    tolerance: Annotated[
        float | None, typer.Option(metavar="T", help="Largest error eps_max that is accepted, such as 0.1.")
    ] = None,
    runs: Annotated[int | None, typer.Option(metavar="N", help="How many runs a random study makes.")] = None,
    json: JsonOption = None,
) -> None:
    """Run a study, or list those that come with hybsim.

    Examples: hybsim study list; hybsim study ch8 --case 3 --out results; hybsim study my_study.py --out results
    """
    options = dict(record=record, seed=seed, jobs=jobs, variance=variance, case=case, tolerance=tolerance, runs=runs)
    given = {key: value for key, value in options.items() if value is not None}
    if name == LIST:
        unused = [*given, *([] if out is None else ["out"])]
        if unused:
            raise RunError(f"'hybsim study list' runs nothing: leave out {_options(unused)}, or name a study.")
        show_list(json)
        return
    own = is_file(name)
    entry = None if own else find(name)
    settings = None if entry is None else chosen(entry, given)
    # Before a file of the user is read: it may itself run something.
    folder = make_folder(out) if out is not None and (exists(name) or not own) else None
    words = [word for key, value in given.items() for word in (f"--{key}", str(value))]
    command = shlex.join(["hybsim", "study", name, *words, *([] if out is None else ["--out", out])])
    with report(json) as to:
        source = store = None
        if entry is None or settings is None:
            mine = load_study(name)
            entry, source, settings = mine.entry, mine.source, chosen(mine.entry, given)
            if folder is not None:
                entry, store = mine.stored(folder, settings)
        work = Work(entry, settings, command, folder, source, store)
        check_files(work, json)
        carry_out(work, to)


@dataclass(frozen=True)
class Work:
    """What a command asks for; `source` is the text of the user's file, `store` where its finished runs are kept."""

    entry: Entry
    settings: Settings
    command: str
    folder: Path | None
    source: str | None
    store: Path | None


def check_files(work: Work, json: str | None) -> None:
    """Refuse a place for the report or the summary that cannot be written."""
    if work.folder is None:
        return
    outputs = [str(work.folder / name) for name in (REPORT, f"{work.entry.name}.json")]
    for path in outputs:
        check_output(path)
    check_different(json, *outputs)


def chosen(entry: Entry, given: Mapping[str, Any]) -> Settings:
    """The settings of a study; what it does not take is refused with what it does."""
    for key in given:
        if key not in entry.takes:
            takes = _options(entry.takes) if entry.takes else "no settings"
            raise ParameterError(f"The study {entry.name!r} does not take --{key}: it takes {takes}.")
    for key, (holds, words) in ALLOWED.items():
        if key in given and not holds(given[key]):
            raise ParameterError(f"--{key} must be {words}, got {given[key]:g}.")
    if "case" not in given:
        return Settings(**given)
    return Settings(**{**given, "case": _case(entry, given["case"])})


def _case(entry: Entry, word: str) -> int:
    number = int(word) if word.isascii() and word.isdigit() else None
    if number is None or (entry.cases and number not in entry.cases):
        known = f"the study {entry.name!r} has the cases {', '.join(map(str, entry.cases))}"
        raise ParameterError(f"There is no case {word!r}: {known if entry.cases else 'give a whole number'}.")
    return number


def _options(names: Iterable[str]) -> str:
    *most, last = [f"--{name}" for name in names]
    return f"{', '.join(most)} and {last}" if most else last


def carry_out(work: Work, to: Report) -> None:
    """Run the study, show it, and write its files where a folder was named."""
    written: list[Path] = []
    if work.store is not None and work.store.exists():
        to.note(f"Going on from the runs kept in {work.store}")
    try:
        with progress_bar("Running", 1.0) as advance:
            outcome = work.entry.run(work.settings, advance)
        show(to, outcome)
        to.content = outcome.summary
        if work.folder is not None:
            from hybsim.studies.reporting.report_files import count, write

            with progress_bar("Writing", count(outcome)) as advance:

                def wrote(path: Path) -> None:
                    written.append(path)
                    advance(len(written))

                write(
                    outcome, work.folder, name=work.entry.name, command=work.command, source=work.source,
                    prose=typeset, wrote=wrote,
                )  # fmt: skip
            to.note(f"Wrote {len(written)} files to {work.folder}; start with {work.folder / REPORT}")
    except KeyboardInterrupt:
        tell(kept(work, written))
        raise


def kept(work: Work, written: Sequence[Path]) -> str:
    """What an interrupted command leaves."""
    if work.store is not None and work.store.exists():
        return f"the finished runs are kept in '{work.store}': the same command goes on from there."
    if written:
        return f"{', '.join(path.name for path in written)} in '{work.folder}' are complete, nothing else is kept."
    return "nothing is kept."


def show_list(json: str | None) -> None:
    with report(json) as to:
        to.content = {
            "studies": [{"name": s.name, "summary": s.summary, "takes": list(s.takes)} for s in STUDIES.values()]
        }
        width = max(map(len, STUDIES))
        for entry in STUDIES.values():
            to.say(f"{entry.name:<{width}}  {entry.summary}")
            to.say(f"{'':<{width}}  {_options(entry.takes)}", style="dim")
        to.say()
        to.say("hybsim study NAME runs one; with --out FOLDER it writes a report, pictures and numbers.")


def show(to: Report, outcome: Outcome) -> None:
    """The tables with what they mean, and what to conclude."""
    to.say(outcome.title.replace("`", ""), style="bold")
    for content in outcome.tables:
        table = grid(*content.headings, numbers=content.headings[1:], title=content.title)
        for row in content.rows:
            table.add_row(*row)
        to.show(table)
        if content.explanation:
            show_sentences(to, "", [content.explanation])
    show_sentences(to, "Notes", outcome.notes)
    show_sentences(to, "What to conclude", outcome.conclusions)


def show_sentences(to: Report, heading: str, sentences: Sequence[str]) -> None:
    """Prose, broken at the width of the terminal."""
    from rich.table import Table

    if heading and sentences:
        to.say(heading, style="bold")
    lines = Table.grid(padding=(0, 1))
    for sentence in sentences:
        lines.add_row(*(["-"] if heading else []), sentence.replace("`", ""))
    if sentences:
        to.show(lines)
        to.say()
