"""hybsim rig: the half of a diagram that stands for the hardware, in a process of its own, with faults on request."""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hybsim.errors import ParameterError, RunError

from .deployments import RigOption, SetOption, prepare
from .output import Report, report
from .paths import make_folder
from .target import ArgumentOption, SolverOption, TargetArgument

if TYPE_CHECKING:
    from hybsim.runtime.region import Region

LOOK = 0.02
"""Seconds between two looks at the rig."""

SAFE, IDLE, RUNNING, TRIPPED = "safe", "idle", "running", "tripped"


def rig(
    target: TargetArgument,
    rig: RigOption = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            "--fault",
            metavar="KIND[=VALUE][:CHANNEL]@TIME[+DURATION]",
            help="A fault, such as freeze@3.0s, drop@3s, delay=2@1s or offset=0.5:disp_meas@2s+1s; may be repeated."
            " Kinds: freeze, nan, stall, drop, delay, offset. TIME counts from the begin of the test.",
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="End after so long; without it: at Ctrl-C.")
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Keep the log of the rig here; without it: none is kept.")
    ] = None,
    set_: SetOption = None,
    arg: ArgumentOption = None,
    solver: SolverOption = "rk4",
) -> None:
    """Be the rig: answer the commands of a test as the subsystem that the rig file names would, until Ctrl-C.

    Example: hybsim rig my_test.py --rig rig.toml --fault freeze@3.0s, and hybsim deploy in another terminal.
    """
    if rig is None:
        raise RunError("Name the rig file: hybsim rig FILE --rig rig.toml.")
    if seconds is not None and not 0.0 < seconds < 1e9:
        raise ParameterError(f"--seconds must be a number of seconds above 0, got {seconds:g}.")
    with report(None) as to, ExitStack() as stack:
        from hybsim.runtime.processes import PATIENCE, wait_for
        from hybsim.runtime.region import MOST_FAULTS
        from hybsim.runtime.set_up import numbered
        from hybsim.studies.deployment.fault_words import read_fault, say

        job = prepare(target, rig, arg, set_, solver)
        device = job.rig.device
        if device.driver == "sim":
            raise RunError("Driver 'sim' has its rig inside the loop: name driver shm or udp in the rig file.")
        channels = numbered(job.rig.measured, job.deployment.cut.measured, "measured value")
        faults = [read_fault(words, channels, job.rig.rate) for words in fault or ()]
        if len(faults) > MOST_FAULTS:
            raise ParameterError(f"A virtual rig takes {MOST_FAULTS} faults at most, got {len(faults)}.")
        if out is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hybsim-rig-")))
        else:
            folder = make_folder(out)
            if (folder / "rig.hslog").exists():
                raise RunError(f"'{out}' holds the log of another rig: choose another folder with --out.")
        region, process = stack.enter_context(
            job.deployment.virtual_rig(folder, faults=faults, log=out is not None)
        )  # fmt: skip
        to.note(f"Virtual rig of {job.name}, cut at {job.rig.cut}: {device.driver} at {device.address}", style="bold")
        to.note(f"{job.rig.rate:g} ticks per second; safe after {job.rig.watchdog.device:g} s without a command")
        for each in faults:
            to.note(f"Fault {say(each, channels, job.rig.rate)}")
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # its processes end with it
        try:
            watch(region, to, job.rig.rate, seconds, process.running)
        except KeyboardInterrupt:
            to.note("the rig ends")
        if not process.running():
            raise RunError(f"The virtual rig {process.ending()}.")
        region["quit"] = 1
        wait_for(lambda: not process.running(), PATIENCE)
        for name in folder.glob("*.txt"):
            if not name.stat().st_size:
                name.unlink()  # the processes had nothing to say
        if out is not None:
            to.note(f"Its log is in {folder / 'rig.hslog'}")


def watch(region: Region, to: Report, rate: float, seconds: float | None, running: Callable[[], bool]) -> None:
    """Say what happens, until the time is over."""
    end = time.monotonic() + (seconds if seconds is not None else float("inf"))
    before = SAFE
    to.note("waiting for a test")
    while running() and time.monotonic() < end:
        now = look(region)
        if now != before:
            if sentence := changed(before, now, region["test_tick"], rate):
                to.note(sentence)
            before = now
        time.sleep(LOOK)


def look(region: Region) -> str:
    """What the rig is doing."""
    if region["device_bits"] & 1:
        return TRIPPED
    return {"ESTOP": SAFE, "RUNNING": RUNNING}.get(region.state, IDLE)


def changed(before: str, now: str, tick: int, rate: float) -> str:
    """What a change means, or nothing where it needs no words."""
    at = f"tick {tick}, {tick / rate:.3f} s"
    if now == TRIPPED:
        return f"the watchdog tripped at {at}: the command is held until the test is reset"
    if now == RUNNING:
        return "a test begins"
    if before == RUNNING:
        return f"the test ended at {at}"
    if now == IDLE:
        return "a loop is there"
    return "the loop is gone" if before == IDLE else ""
