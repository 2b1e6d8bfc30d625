"""hybsim deploy: a diagram drives a rig in real time, or a virtual one, and leaves a record."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from hybsim.errors import RunError

from .deployments import Job, OutOption, RigOption, SetOption, prepare
from .operator import confirm, on_terminal
from .output import JsonOption, Report, grid, report
from .paths import check_different, make_folder
from .progress import progress_bar
from .run import default_duration
from .study import REPORT, show, show_sentences
from .target import ArgumentOption, SolverOption, TargetArgument
from .typeset import typeset

if TYPE_CHECKING:
    from hybsim.hw.rig_model import Rig
    from hybsim.studies.deployment.ended import Ended
    from hybsim.studies.deployment.plan import Plan

OptionalTarget = Annotated[str | None, *get_args(TargetArgument)[1:]]
NOT_FINISHED = 1
OF_ANOTHER_RUN = ("run.hslog", "run.json", "run.h5", "manifest.json")


def deploy(
    target: OptionalTarget = None,
    rig: RigOption = None,
    duration: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Length of the test, of the diagram's time; without it: that of the record."
        ),
    ] = None,
    out: OutOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Build, say what would happen, and start nothing.")
    ] = False,
    virtual: Annotated[bool, typer.Option("--virtual", help="Start the virtual rig here as well.")] = False,
    virtual_clock: Annotated[
        bool, typer.Option("--virtual-clock", help="Loop and virtual rig tick by tick, in no real time.")
    ] = False,
    rehearsal: Annotated[
        bool, typer.Option("--rehearsal", help="Count late ticks, and no more; against a virtual rig only.")
    ] = False,
    attach: Annotated[
        str | None, typer.Option("--attach", metavar="FOLDER", help="Take over the running test of this folder.")
    ] = None,
    set_: SetOption = None,
    arg: ArgumentOption = None,
    solver: SolverOption = "rk4",
    machine: Annotated[
        str | None,
        typer.Option(
            "--target", metavar="TRIPLE", help="Build for another machine, such as aarch64-linux-gnu, and stop."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Arm without asking the operator.")] = False,
    json: JsonOption = None,
) -> int:
    """Run a diagram on the rig that a rig file describes, and leave a record: log, HDF5, manifest, report.

    Examples: hybsim deploy my_test.py --rig rig.toml --dry-run; hybsim deploy my_test.py --rig rig.toml --virtual

    Ctrl-C once ramps down and finishes, twice is an emergency stop. The servo controller's own limits and hydraulic
    shut-off come first: this stop is no safety function.

    Exit codes: 0 if the test ran to its end and nothing stopped it, 1 if it ended otherwise, 2 for an error.
    """
    check_different(json)
    if attach is not None:
        others = dict(FILE=target, rig=rig, duration=duration, out=out, set=set_, arg=arg, target=machine)
        flags = {"dry-run": dry_run, "virtual": virtual, "virtual-clock": virtual_clock, "rehearsal": rehearsal}
        if given := [key for key, value in {**others, **flags}.items() if value]:
            raise RunError(f"--attach takes all it needs from the folder: leave out {_named(given)}.")
        with report(json) as to:
            return _attach(attach, to)
    if target is None or rig is None:
        raise RunError("Name the diagram and the rig file: hybsim deploy FILE --rig rig.toml.")
    if virtual_clock and (virtual or rehearsal):
        raise RunError("--virtual-clock starts its own virtual rig, and no tick is late on it: leave out "
                       f"{'--virtual' if virtual else '--rehearsal'}.")  # fmt: skip
    moves = not (dry_run or virtual or virtual_clock or rehearsal or machine)
    if moves and not yes and not on_terminal():
        raise RunError("Before a rig moves an operator types 'arm': call this on a terminal, or with --yes.")
    words = _words(locals())
    with report(json) as to:
        job = prepare(target, rig, arg, set_, solver)
        if job.rig.device.driver == "sim" and not (virtual_clock or dry_run or machine):
            raise RunError(
                "Driver 'sim' is a model within the loop's own process: add --virtual-clock, or name shm or udp in the"
                " rig file."
            )
        if machine is not None:
            return _build_for(job, machine, to)
        length = _length(job, duration)
        if not dry_run and out is not None:
            _check_unused(Path(out).expanduser())
        planned = _plan(job, length, to)
        if dry_run:
            to.content = planned.summary
            return 0
        if moves:
            if planned.margin.forbids and not on_terminal():
                raise RunError(f"The test would not be stable, so --yes does not arm it: {planned.margin.reasons[0]}")
            if not yes:
                confirm(to)
        how = "virtual clock" if virtual_clock else "rehearsal" if rehearsal else "virtual rig" if virtual else "rig"
        folder = make_folder(out or f"deploy-{job.name}-{time.strftime('%Y%m%d-%H%M%S')}")
        _check_unused(folder)
        from hybsim.studies.deployment.files import keep_plan

        from .deploy_runs import in_real_time, on_virtual_clock

        keep_plan(folder, {"how": how, "command": words, "plan": planned.summary})
        if virtual_clock:
            ended = on_virtual_clock(job, length, folder)
        else:
            ended = in_real_time(job, length, folder, to, virtual=virtual, rehearsal=rehearsal)
        _record(ended, folder, job.rig, to, how=how, command=words, plan=planned.summary)
    return 0 if ended.finished else NOT_FINISHED


def _attach(name: str, to: Report) -> int:
    from hybsim.studies.deployment.files import kept_plan

    from .deploy_runs import taken_over

    folder = Path(name).expanduser()
    meant = kept_plan(folder)
    rig, ended = taken_over(folder, to)
    command = meant.get("command", f"hybsim deploy --attach {shlex.quote(name)}")
    _record(ended, folder, rig, to, how=meant.get("how", "rig"), command=command, plan=meant.get("plan", {}))
    return 0 if ended.finished else NOT_FINISHED


def _named(given: list[str]) -> str:
    return ", ".join(key if key.isupper() else f"--{key}" for key in given)


def _words(given: dict[str, Any]) -> str:
    """The command line again, without what only says where its output goes."""
    words = ["hybsim", "deploy", given["target"], "--rig", given["rig"]]
    for key, option in (("duration", "--duration"), ("out", "--out")):
        words += [option, f"{given[key]:g}" if key == "duration" else given[key]] if given[key] is not None else []
    words += [f"--{key.replace('_', '-')}" for key in ("virtual", "virtual_clock", "rehearsal") if given[key]]
    for key, option in (("set_", "--set"), ("arg", "--arg")):
        words += [word for each in given[key] or () for word in (option, each)]
    words += [] if given["solver"] == "rk4" else ["--solver", given["solver"]]
    return shlex.join(words)


def _length(job: Job, duration: float | None) -> float:
    from hybsim.runtime.deployment import check_duration

    length = (
        default_duration(job.deployment.cut.whole, dict(job.deployment.params))[0] if duration is None else duration
    )
    check_duration(length)
    job.deployment.test_ticks(length)
    return length


def _check_unused(folder: Path) -> None:
    """A record is never mixed with that of another test."""
    for name in OF_ANOTHER_RUN:
        if (folder / name).exists():
            raise RunError(f"'{folder}' holds the record of another test ({name}): choose another folder with --out.")


def _build_for(job: Job, machine: str, to: Report) -> int:
    made = job.deployment
    built = {"loop": made.loop_executable(machine), "rig": made.rig_executable(machine)}
    for half, path in built.items():
        to.say(f"{half:<5} {path}")
    to.content = {"target": machine, **{half: str(path) for half, path in built.items()}}
    return 0


def _plan(job: Job, length: float, to: Report) -> Plan:
    from hybsim.studies.deployment.margin import margin
    from hybsim.studies.deployment.plan import plan

    made = job.deployment
    executables = {"loop": made.loop_executable(), "rig": made.rig_executable()}
    solver = made.cut.controller.rule.name
    found = plan(made, job.setups, length, margin(job.diagram, job.rig.cut, solver), executables)
    _show_plan(found, to)
    return found


def _show_plan(found: Plan, to: Report) -> None:
    from rich.table import Table

    to.say(found.title, style="bold")
    facts = Table.grid(padding=(0, 2))
    facts.add_column(no_wrap=True)
    facts.add_column(overflow="fold")
    for title, text in found.facts:
        facts.add_row(title, text)
    to.show(facts)
    for half, path in found.summary["executables"].items():
        to.say(f"{half + ' half':<15} {path}")
    to.say()
    for content in found.tables:
        numbers = content.headings[2:] if content.title != "What the guard does" else ()
        table = grid(*content.headings, numbers=numbers, title=content.title)
        for row in content.rows:
            table.add_row(*row)
        to.show(table)
        if content.explanation:
            show_sentences(to, "", [content.explanation])
    show_sentences(to, f"Stability: {found.margin.verdict}", found.margin.reasons)


def _record(
    ended: Ended, folder: Path, rig: Rig, to: Report, *, how: str, command: str, plan: dict[str, Any]
) -> None:  # fmt: skip
    """Write it, show it, and say where it is."""
    from hybsim.studies.deployment.ended import lacking
    from hybsim.studies.deployment.files import tidy, write

    for sentence in lacking(ended.lacking):
        to.note(sentence)
    written = 0
    with progress_bar("Writing", 20) as advance:

        def wrote(path: Path) -> None:
            nonlocal written
            written += 1
            advance(min(written, 20))

        found, problems = write(ended, folder, rig, how=how, command=command, plan=plan, prose=typeset, wrote=wrote)
    tidy(folder)
    show(to, found)
    to.content = found.summary
    for problem in problems:
        to.note(problem)
    to.note(f"The record is in {folder}; start with {folder / REPORT}")
