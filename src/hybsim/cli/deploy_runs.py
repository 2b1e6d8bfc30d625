"""The ways to make a test: on the rig, with a virtual one, on a virtual clock, or one taken over."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from hybsim.errors import RunError

from .operator import Operator
from .output import Report

if TYPE_CHECKING:
    from hybsim.hw.rig_model import Rig
    from hybsim.runtime.supervisor import Supervisor
    from hybsim.runtime.timing import Timing
    from hybsim.studies.deployment.ended import Ended

    from .deployments import Job

VIRTUAL_RIG = "virtual_rig.json"
"""Where the memory of a virtual rig of this command is, for a command that takes the test over."""

IS_VIRTUAL = 2
"""Bit of the device, HD_VIRTUAL."""


def on_virtual_clock(job: Job, duration: float, folder: Path) -> Ended:
    """Loop and virtual rig in lockstep; a pause ends the test, as there is nobody to ask."""
    from hybsim.runtime.deployment import START
    from hybsim.studies.deployment.ended import Ended
    from hybsim.studies.deployment.plan import ramp_seconds, stop_seconds

    made, rate = job.deployment, job.rig.rate
    planned = made.test_ticks(duration)
    end = START[-1][0] + planned + 2
    slowest = max(stop_seconds(one, rate) + ramp_seconds(one, rate) for one in job.rig.commands.values())
    last = end + round(3.0 * slowest * rate) + 1000
    done = made.rehearse(folder, duration, script=(*START, (end, "END")), last_tick=last)
    return Ended(done.state, done.causes, done.test_ticks, planned, done.lost)


def in_real_time(job: Job, duration: float, folder: Path, to: Report, *, virtual: bool, rehearsal: bool) -> Ended:
    """With the supervisor, and the virtual rig where one is asked for."""
    with ExitStack() as stack:
        if virtual:
            region, _ = stack.enter_context(job.deployment.virtual_rig(folder))
            (folder / VIRTUAL_RIG).write_text(json.dumps({"region": str(region.path)}))
        test = stack.enter_context(job.deployment.supervisor(folder, duration, rehearsal=rehearsal))
        operator = Operator(test, to, job.deployment.test_ticks(duration))
        timing = test.check_timing()
        to.note(timing.sentence())
        with operator.at_work():
            if timing.passed or rehearsal:
                _begin(test, operator, virtual=virtual)
            ended = _ended(test, timing, operator)
        (folder / VIRTUAL_RIG).unlink(missing_ok=True)
        return ended


def _begin(test: Supervisor, operator: Operator, *, virtual: bool) -> None:
    """Arm, start and watch; a refusal is noted, and the test ends as it stands."""
    try:
        if virtual and not test.region["device_bits"] & IS_VIRTUAL:
            raise RunError("The device at this address is not the virtual rig; nothing was armed.")
        if operator.presses:
            return
        test.ask("ARM")
        test.ask("START")
    except RunError as error:
        test.notes.append(str(error))
        return
    test.watch(on_pause=operator.on_pause, progress=operator.progress)


def _ended(test: Supervisor, timing: Timing, operator: Operator) -> Ended:
    from hybsim.studies.deployment.ended import Ended

    record = test.finish(timing)
    region = test.region
    return Ended(
        record.state, record.causes, record.test_ticks, operator.planned, record.lost, region.several("wake_bins"),
        region.several("work_bins"), region["overruns"], region["without_real_time"], operator.presses > 0,
        record.notes,
    )  # fmt: skip


def taken_over(folder: Path, to: Report) -> tuple[Rig, Ended]:
    """A running test whose supervisor has died: resumed or ended, as the operator says."""
    from hybsim.hw.rig_file import parse_rig
    from hybsim.runtime.log_reader import LogReader
    from hybsim.runtime.processes import alive, wait_for
    from hybsim.runtime.supervisor import LOG, Supervisor
    from hybsim.runtime.timing import judge

    with LogReader(folder / LOG) as log:
        rig = parse_rig(str(log.about.get("rig_file", "")), name="The rig file in the log")
    test = Supervisor.attach(folder, rig)
    with test:
        region = test.region
        planned = int(region.setup["test_ticks"])
        state = test.state.lower().replace("_", " ")
        to.note(f"Taken over: {state} at tick {region['test_tick']} of {planned}.", style="bold")
        operator = Operator(test, to, planned)
        with operator.at_work():
            test.watch(on_pause=operator.on_pause, progress=operator.progress)
            timing = judge(
                region.several("wake_bins"), region.several("work_bins"), region["overruns"], region.setup["period"]
            )  # fmt: skip
            others = [region["loop_pid"], region["logger_pid"]]
            ended = _ended(test, timing, operator)
        wait_for(lambda: not any(alive(pid) for pid in others), 30.0)
    _end_virtual_rig(folder)
    return rig, ended


def _end_virtual_rig(folder: Path) -> None:
    """The one that the command whose supervisor died had started."""
    from hybsim.runtime.region import Region

    try:
        path = Path(json.loads((folder / VIRTUAL_RIG).read_text())["region"])
        with Region.open(path) as region:
            region["quit"] = 1
    except (OSError, ValueError, KeyError, RunError):
        return
    path.unlink(missing_ok=True)
    (folder / VIRTUAL_RIG).unlink(missing_ok=True)
