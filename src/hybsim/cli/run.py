"""hybsim run: a diagram, its peaks and final values, and what was asked for as files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybsim.errors import ParameterError

from .output import JsonOption, Report, grid, report
from .paths import check_different, check_output
from .progress import progress_bar
from .target import ArgumentOption, SolverOption, TargetArgument, assignments, load_diagram

if TYPE_CHECKING:
    from hybsim.runtime.program import Program
    from hybsim.runtime.result import Result

WRITERS = {
    ".csv": "to_csv", ".npz": "to_npz", ".h5": "to_hdf5", ".hdf5": "to_hdf5", ".mat": "to_mat", ".json": "to_json",
}  # fmt: skip
FIGURES = (".png", ".pdf", ".svg", ".eps", ".jpg", ".tif")

DEFAULT_DURATION = 10.0
"""Seconds, as in bdsim, where no record says how long a run should be."""

STOPPED_EARLY = 1


def run(
    target: TargetArgument,
    duration: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Length of the run; without it: that of the longest record, else 10 s."),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="c, python or bdsim; without it: c, or python without a compiler."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="BLOCK.PARAM=VALUE", help="Change a parameter; may be repeated."),
    ] = None,
    arg: ArgumentOption = None,
    signals: Annotated[
        str | None, typer.Option(metavar="A,B", help="Signals to show and write; without it: all.")
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the histories: .csv, .npz, .h5, .mat or .json.")
    ] = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE", help="Write a figure: .png, .pdf or .svg.")] = None,
    cut: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Cut at this subsystem: signals cross there at the ticks, as they do with hardware."
        ),
    ] = None,
    solver: SolverOption = "rk4",
    json: JsonOption = None,
) -> int:
    """Run a diagram and show the peak and final value of every signal.

    Example: hybsim run my_test.py --duration 40 --set lag.mean=0.5 --out result.csv

    Exit codes: 0, or 1 if the run stopped early (a signal became NaN or Inf), or 2 for an error.
    """
    if out is not None:
        check_output(out, endings=WRITERS)
    if plot is not None:
        check_output(plot, endings=FIGURES)
    check_different(out, plot, json)
    changes = assignments(set_, "--set")
    with report(json) as to:
        from hybsim.runtime.program import compile

        program = compile(load_diagram(target, assignments(arg, "--arg")), solver=solver, cut=cut)
        chosen = choose(program, signals)
        length, why = (duration, "") if duration is not None else default_duration(program, changes)
        with progress_bar("Running", program.ticks(length, changes)) as advance:
            result = program.run(length, engine=engine, params=changes, progress=advance)
        result = subset(result, chosen)
        summarise(to, program, result, why)
        if out is not None:
            getattr(result, WRITERS[out[out.rindex(".") :].lower()])(out)
            to.note(f"Wrote {len(result)} signals to {out}")
        if plot is not None:
            result.plot(save=plot, title=program.graph.name)
            to.note(f"Wrote a figure to {plot}")
        if json is not None:
            to.content, to.indent = result.to_json(), None
    return 0 if result.stopped is None else STOPPED_EARLY


def choose(program: Program, signals: str | None) -> list[str]:
    """The full names of the wanted signals; unknown ones are refused before the run."""
    if signals is None:
        return program.names
    names = []
    for word in filter(None, (w.strip() for w in signals.split(","))):
        parts = re.fullmatch(r"(.+?)(?:\[(\d+)\])?", word)
        assert parts is not None
        whole, component = parts.groups()
        signal = program.signal(whole)
        full = whole if whole in program.graph.aliases else signal.name
        if component is not None and int(component) >= (signal.width if signal.width > 1 else 0):
            kind = f"has the components 0 to {signal.width - 1}" if signal.width > 1 else "is not a vector"
            raise ParameterError(f"There is no signal '{word}': '{full}' {kind}.")
        names.append(full if component is None else f"{full}[{component}]")
    return names or program.names


def default_duration(program: Program, changes: dict[str, Any]) -> tuple[float, str]:
    """The length of the longest record, as changed for this run, and a word about it."""
    groups = program.split(changes)
    records = [n for n in program.graph.nodes if n.spec.type == "GroundMotion"]
    if not records:
        return DEFAULT_DURATION, "the usual length; --duration changes it"
    ticks = [(int(program.prepare(n, groups.get(n, {})).p["count"]) - 1) * n.every for n in records]
    return max(ticks) * program.dt, "the length of the record; --duration changes it"


def subset(result: Result, names: list[str]) -> Result:
    """A result with these signals only."""
    from hybsim.runtime.result import Result

    columns = {name: result[name] for name in names}
    return Result(result.t, columns, engine=result.engine, manifest=result.manifest, stopped=result.stopped)


def summarise(to: Report, program: Program, result: Result, why: str) -> None:
    """One line a signal: largest magnitude, when, and the last value."""
    import numpy as np

    from hybsim.runtime.export import columns

    about = f"{program.graph.name}: {result.t.size} ticks of {program.dt:g} s, engine {result.engine}"
    to.say(f"{about} ({why})" if why else about, style="bold")
    if not result.t.size:
        to.say("The run has no ticks to show.")
        return
    table = grid("signal", "unit", "peak", "at [s]", "final", numbers=("peak", "at [s]", "final"))
    for name, values in columns(result):
        at = int(np.argmax(np.abs(values)))
        table.add_row(
            name, result.unit(name), f"{values[at] + 0.0:.5g}", f"{result.t[at]:g}", f"{values[-1] + 0.0:.5g}"
        )
    to.show(table)
