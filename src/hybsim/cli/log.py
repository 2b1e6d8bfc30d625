"""hybsim log check, export, repair: what the log of a test holds, as a file that others read, and made whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybsim.errors import RunError

from .failures import tell
from .output import JsonOption, Report, grid, report
from .paths import check_output

if TYPE_CHECKING:
    from hybsim.runtime.log_summary import Summary

DAMAGED = 1

LONGEST_HISTORY = 40
"""Lines of a table; a log can hold more changes of state than anybody reads."""

LogArgument = Annotated[str, typer.Argument(metavar="LOG", help="The log of a test, such as run.hslog.")]

log = typer.Typer(
    help="Look into the log of a test on a rig, export it, or repair it.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@log.callback(invoke_without_command=True)
def what(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@log.command("check")
def check(path: LogArgument, json: JsonOption = None) -> int:
    """Show what a log holds: ticks, states, events, faults, and what is wrong with the file.

    Example: hybsim log check run.hslog

    Exit codes: 0 for a sound log, 1 for one with problems, 2 for an error.
    """
    with report(json) as to:
        from hybsim.runtime.log_summary import summarise

        found = summarise(path)
        show(to, path, found)
        to.content = describe(found)
    return DAMAGED if found.problems else 0


def show(to: Report, path: str, found: Summary) -> None:
    """The log as tables."""
    from hybsim.runtime.guard_tables import FAULTS

    about = found.about
    source = about.get("diagram") or "an unnamed diagram"
    ticks = f"ticks {found.first_tick} to {found.last_tick}" if found.rows else "no ticks"
    to.say(f"{path}: {about.get('kind', 'log')} of {source}", style="bold")
    to.say(
        f"{found.rows} rows of {len(found.names)} columns, {ticks} of {found.dt:g} s, {found.test_ticks} of them ticks"
        " of the diagram"
    )
    if found.states:
        table = grid("tick", "time [s]", "state", "asked for", numbers=("tick", "time [s]"))
        for line in history(found):
            table.add_row(*line)
        to.show(table)
    if found.faults:
        table = grid("fault", "ticks", "first tick", "meaning", numbers=("ticks", "first tick"))
        for name, seen in found.faults.items():
            table.add_row(name, str(seen.ticks), str(seen.tick), FAULTS[name][1])
        to.show(table)
    for problem in found.problems:
        to.say(f"Problem: {problem}.", style="red")
    if not found.problems:
        to.say("No problem was found.")


def history(found: Summary) -> list[tuple[str, str, str, str]]:
    """States and events in the order of their ticks, one line a tick."""
    lines: dict[int, list[str]] = {}
    for entry in found.states:
        lines.setdefault(entry.tick, [f"{entry.time:.4f}", "", ""])[1] = entry.name
    for entry in found.events:
        lines.setdefault(entry.tick, [f"{entry.time:.4f}", "", ""])[2] = entry.name + (
            " (refused)" if entry.refused else ""
        )
    made = [(str(tick), time, state, event) for tick, (time, state, event) in sorted(lines.items())]
    if len(made) > LONGEST_HISTORY:
        left_out = len(made) - LONGEST_HISTORY
        half = LONGEST_HISTORY // 2
        made = [*made[:half], ("...", "", f"{left_out} more", ""), *made[-half:]]
    return made


def describe(found: Summary) -> dict[str, Any]:
    """The summary as data."""
    return {
        "about": found.about,
        "columns": found.names,
        "dt": found.dt,
        "rows": found.rows,
        "first_tick": found.first_tick,
        "last_tick": found.last_tick,
        "test_ticks": found.test_ticks,
        "states": [vars(entry) for entry in found.states],
        "events": [vars(entry) for entry in found.events],
        "faults": {name: vars(seen) for name, seen in found.faults.items()},
        "problems": found.problems,
    }


@log.command("export")
def export(
    path: LogArgument,
    out: Annotated[str, typer.Argument(metavar="OUT", help="The file to write: .h5, .csv, .npz or .mat.")],
) -> int:
    """Write a log as a file that others read, every column with its name and bits.

    Example: hybsim log export run.hslog run.h5

    Exit codes: 0, or 1 if only the sound part of a damaged log could be written, or 2 for an error.
    """
    from hybsim.runtime.log_export import WRITERS, export_log

    new_output(out, WRITERS)
    with report(None) as to:
        done = export_log(path, out)
        to.note(f"Wrote {done.rows} rows of {done.columns} columns to {out}")
    return warned(done.problems)


@log.command("repair")
def repair(
    path: LogArgument,
    to: Annotated[str, typer.Option("--to", metavar="NEW", help="The file to write; the log stays as it is.")],
    ring: Annotated[
        str | None,
        typer.Option(metavar="REGION", help="The kept memory of the run: the rows that could not be stored."),
    ] = None,
) -> int:
    """Write the sound part of a log as a new log, with the rows behind it that a full disk left in the ring.

    Example: hybsim log repair run.hslog --to whole.hslog

    Exit codes: 0, or 1 if rows are neither in the log nor in the ring, or 2 for an error.
    """
    new_output(to, ())
    with report(None) as told:
        from hybsim.runtime.log_repair import repair as mend

        done = mend(Path(path), Path(to), None if ring is None else Path(ring))
        told.note(f"Wrote {done.rows} rows to {to}" + (f", {done.from_ring} of them from the ring" if ring else ""))
        for problem in done.problems:
            told.note(f"Left out: {problem}.")
    if done.missing is not None:
        tell(f"warning: rows {done.missing[0]} to {done.missing[1]} are neither in the log nor in the ring.")
        return DAMAGED
    return 0


def new_output(path: str, endings: Any) -> None:
    """A test cannot be repeated: nothing is written over."""
    check_output(path, endings=endings)
    if Path(path).expanduser().exists():
        raise RunError(f"Cannot write '{path}': it is there already, so remove it or choose another name.")


def warned(problems: list[str]) -> int:
    for problem in problems:
        tell(f"warning: the log is not sound: {problem}.")
    return DAMAGED if problems else 0
