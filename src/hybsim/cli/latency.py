"""hybsim latency: how late this machine wakes up, how long a tick works, and the highest rate it holds."""

from __future__ import annotations

import os
import shlex
from importlib import resources
from typing import Annotated

import typer

from hybsim.errors import ParameterError, RunError
from hybsim.studies.catalogue import Entry
from hybsim.studies.outcome import Outcome, Progress, Settings

from .deployments import RigOption, SetOption, prepare
from .output import JsonOption, report
from .paths import make_folder
from .study import Work, carry_out, check_files
from .target import ArgumentOption

NAME = "latency"
SHIPPED = ("hybsim.diagrams.psi_vrths", "psi_vrths.toml")
"""The single degree of freedom of PSI at 4096 Hz."""


def latency(
    target: Annotated[
        str | None,
        typer.Argument(metavar="[FILE[:FUNCTION]]", help="A diagram of your own, with --rig; else the shipped SDOF."),
    ] = None,
    rig: RigOption = None,
    seconds: Annotated[
        float, typer.Option(metavar="SECONDS", help="For each of the two loops, and for all rates.")
    ] = 10.0,
    busy: Annotated[
        int | None, typer.Option(metavar="N", help="Processes that compute beside; without it: one for each processor.")
    ] = None,
    rates: Annotated[
        str | None, typer.Option(metavar="A,B", help="Ticks per second to try; without it: 256 to 32768.")
    ] = None,
    arg: ArgumentOption = None,
    set_: SetOption = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Write a report (html), a picture and numbers (csv, json) here."),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Measure the loop of a test beside a bare loop in C, in turns, and find the highest rate that is held.

    Example: hybsim latency --seconds 10 --busy 2
    """
    if (target is None) != (rig is None):
        raise RunError("Name both the diagram and the rig file, or neither: hybsim latency FILE --rig rig.toml.")
    if target is None and (arg or set_):
        raise RunError("--arg and --set go with a diagram of your own: hybsim latency FILE --rig rig.toml.")
    if not 0.1 <= seconds <= 3600.0:
        raise ParameterError(f"--seconds must be from 0.1 to 3600, got {seconds:g}.")
    load = len(os.sched_getaffinity(0)) if busy is None else busy
    if not 0 <= load <= 1024:
        raise ParameterError(f"--busy must be from 0 to 1024, got {load}.")
    tried = read_rates(rates)
    words = [
        NAME,
        *([target, "--rig", rig] if target and rig else []),
        "--seconds",
        f"{seconds:g}",
        "--busy",
        str(load),
    ]
    words += [] if rates is None else ["--rates", rates]
    words += [
        word for option, given in (("--arg", arg), ("--set", set_)) for each in given or () for word in (option, each)
    ]
    words += [] if out is None else ["--out", out]
    with report(json) as to:
        if target is None or rig is None:
            place = resources.files("hybsim.diagrams") / "rigs" / SHIPPED[1]
            target, rig = SHIPPED[0], str(place)
        job = prepare(target, rig, arg, set_)
        if job.rig.device.driver == "sim":
            raise RunError("Driver 'sim' is a model within the loop's own process: name shm or udp in the rig file.")
        folder = None if out is None else make_folder(out)

        def run(settings: Settings, progress: Progress) -> Outcome:
            from hybsim.runtime.latency import RATES, measure
            from hybsim.studies.deployment.latency_words import outcome

            found = measure(
                job.deployment, seconds=seconds, busy=load, rates=RATES if tried is None else tried, progress=progress
            )  # fmt: skip
            return outcome(found, name=job.name, seconds=seconds, busy=load, driver=job.rig.device.driver)

        work = Work(Entry(NAME, "", run), Settings(), shlex.join(["hybsim", *words]), folder, None, None)
        check_files(work, json)
        carry_out(work, to)


def read_rates(words: str | None) -> list[float] | None:
    """Ticks per second, rising."""
    if words is None:
        return None
    found = []
    for word in filter(None, (each.strip() for each in words.split(","))):
        try:
            rate = float(word)
        except ValueError:
            rate = float("nan")
        if not 1.0 <= rate <= 100_000.0:
            raise ParameterError(f"--rates must be numbers from 1 to 100000 ticks per second, got {word!r}.")
        found.append(rate)
    return sorted(found)
