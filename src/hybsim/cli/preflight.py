"""hybsim preflight: may hardware take the place of a subsystem of a diagram? Go, marginal or no-go, with numbers."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from hybsim.errors import ParameterError
from hybsim.studies.catalogue import Entry
from hybsim.studies.outcome import Outcome, Progress, Settings

from .output import JsonOption, report
from .paths import make_folder
from .study import Work, carry_out, check_files
from .target import ArgumentOption, SolverOption, TargetArgument, assignments, load_diagram

if TYPE_CHECKING:
    from hybsim.studies.indicators.preflight import Preflight

NAME = "preflight"
NOT_GO = 1


def preflight(
    target: TargetArgument,
    cut: Annotated[
        str, typer.Option(metavar="NAME", help="The subsystem whose place the hardware takes, such as rig.")
    ],
    delay: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Delay in s that the laboratory adds beyond what the diagram models, such as 0.008."
        ),
    ] = None,
    arg: ArgumentOption = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Write a report (html), pictures (png, pdf) and numbers (csv, json) here; created if missing.",
        ),
    ] = None,
    solver: SolverOption = "rk4",
    json: JsonOption = None,
) -> int:
    """Check a diagram and a cut before anything moves: delay and gain margin, damping, error, and a verdict.

    Example: hybsim preflight my_test.py --cut rig --delay 0.008 && hybsim run my_test.py

    Exit codes: 0 for go, 1 for marginal or no-go, 2 for an error.
    """
    if delay is not None and not 0.0 <= delay < math.inf:
        raise ParameterError(f"--delay must be a finite number of seconds of at least 0, got {delay:g}.")
    found: list[Preflight] = []
    words = [word for each in arg or () for word in ("--arg", each)]
    words += [] if delay is None else ["--delay", repr(delay)]
    words += [] if solver == "rk4" else ["--solver", solver]
    words += [] if out is None else ["--out", out]
    with report(json) as to:
        diagram = load_diagram(target, assignments(arg, "--arg"))
        folder = None if out is None else make_folder(out)

        def run(settings: Settings, progress: Progress) -> Outcome:
            from hybsim.studies.indicators.preflight import preflight as check

            found.append(check(diagram, cut, expected_delay=delay, solver=solver))
            progress(1.0)
            return found[0].outcome()

        command = shlex.join(["hybsim", NAME, target, "--cut", cut, *words])
        work = Work(Entry(NAME, "", run), Settings(), command, folder, None, None)
        check_files(work, json)
        carry_out(work, to)
    return verdict_code(found[0])


def verdict_code(found: Preflight) -> int:
    """Only a go lets a command that follows `&&` run."""
    from hybsim.studies.indicators.preflight import GO

    return 0 if found.verdict == GO else NOT_GO
