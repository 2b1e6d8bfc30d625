"""hybsim indicators: stability and performance diagrams of a hybrid test, before it starts, as tables or a report."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from hybsim.studies.catalogue import Entry
from hybsim.studies.outcome import Settings

from .output import JsonOption, report
from .paths import make_folder
from .study import Work, carry_out, check_files

NAME = "indicators"


def indicators(
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Write a report (html), pictures (png, pdf) and numbers (csv, json) here; created if missing.",
        ),
    ] = None,
    actuator: Annotated[
        str,
        typer.Option(
            metavar="TS_1|TS_2|NUM/DEN",
            help="The actuator of the phase envelope: one of PSI Eqs. 4.1 and 4.2, or coefficients in falling powers of"
            " s, such as 1/0.01,1 for 1 / (0.01 s + 1).",
        ),
    ] = "TS_1",
    tau_cr: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Critical delay of your test in s, as hybsim psi gives it; without it: 0.01925, an example.",
        ),
    ] = None,
    tau_comm: Annotated[float, typer.Option(metavar="SECONDS", help="Delay of communication in s.")] = 0.0,
    json: JsonOption = None,
) -> None:
    """Draw the stability and performance diagrams of PSI Chapters 2 to 4, corrected, and explain them.

    Example: hybsim indicators --actuator TS_2 --tau-cr 0.03 --out results
    """
    from hybsim.studies.indicators.diagrams_outcome import Transfer, run

    transfer = Transfer.of(actuator, tau_cr, tau_comm)
    folder = None if out is None else make_folder(out)
    words = ["--actuator", actuator]
    words += [] if tau_cr is None else ["--tau-cr", repr(tau_cr)]
    words += ["--tau-comm", repr(tau_comm)] if tau_comm else []
    command = shlex.join(["hybsim", NAME, *words, *([] if out is None else ["--out", out])])
    entry = Entry(NAME, "", lambda settings, progress: run(transfer, progress))
    work = Work(entry, Settings(), command, folder, None, None)
    with report(json) as to:
        check_files(work, json)
        carry_out(work, to)
