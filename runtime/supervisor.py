"""The supervisor: starts the processes of a test, arms, starts and watches it, and takes the record together.

    ESTOP -> RESET -> IDLE -> CONFIGURE -> CONFIGURED -> (timing) -> ARM -> ARMED -> START -> RUNNING -> ... -> FINISHED

It has no part in the ticks. If it dies, the loop pauses after `watchdog.supervisor` seconds, the logger goes on, and
`attach` takes the test over from the folder of the run, to resume or to end it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hybsim.errors import RunError
from hybsim.hw.rig_model import Rig
from hybsim.runtime.export import complete_file
from hybsim.runtime.in_charge import BEAT, LIVE, STOPPING, InCharge, Refused
from hybsim.runtime.processes import Process, alive, memory_for_regions, start_logger, start_worker, wait_for
from hybsim.runtime.region import Region
from hybsim.runtime.set_up import SetUp
from hybsim.runtime.timing import Timing, judge

__all__ = ["LOG", "RUN", "Record", "Refused", "Supervisor"]

SETTLING = 1.0
"""Seconds for which the timing is measured before a test is armed."""

SILENT = 0.2
"""Seconds in which a supervisor that is alive shows it."""

LOG, RUN = "run.hslog", "run.json"


@dataclass
class Record:
    """What became of a test: its end state, why, and where its log is."""

    folder: Path
    state: str
    causes: list[str]
    test_ticks: int
    lost: int
    timing: Timing
    notes: list[str] = field(default_factory=list)

    @property
    def log(self) -> Path:
        return self.folder / LOG

    @property
    def finished(self) -> bool:
        """The test ran to its end, and nothing on the way stopped it."""
        return self.state == "FINISHED" and not self.causes and not self.lost


class Supervisor(InCharge):
    """One test. Use it in a `with` block: leaving it in whatever way ends the test in a defined state."""

    def __init__(self, region: Region, folder: Path, rig: Rig, *, rehearsal: bool = False) -> None:
        super().__init__(region)
        self.folder, self.rig, self.rehearsal = folder, rig, rehearsal
        self.causes: list[str] = []

    @classmethod
    def begin(
        cls, set_up: SetUp, rig: Rig, executable: Path, folder: Path, *, head: Mapping[str, Any], reserved: int,
        rehearsal: bool = False,
    ) -> Supervisor:  # fmt: skip
        """All processes started, the loop in ESTOP; `head` is what the log says about itself."""
        folder.mkdir(parents=True, exist_ok=True)
        path = memory_for_regions() / f"hybsim-run-{set_up.setup['session']}"
        region = Region.create(path, set_up.setup, set_up.guard, set_up.p, set_up.x)
        own = cls(region, folder, rig, rehearsal=rehearsal)
        try:
            own._beating.start()
            about = {"names": set_up.names, "dt": set_up.setup["period"], "about": dict(head), "bytes": reserved}
            own.processes["logger"] = start_logger(region, folder / LOG, about)
            own._write_run(executable)  # before there is anything that could be left without a way to take it over
            own.processes["loop"] = start_worker("loop", region, [executable, "loop", path], folder)
            if rig.device.driver != "sim":
                own.processes["guardian"] = Process("guardian", [executable, "guardian", path], folder)
                if not wait_for(lambda: bool(region["guardian_pid"]), 10.0, own.processes["guardian"]):
                    raise RunError(f"The guardian did not start; it {own.processes['guardian'].ending()}.")
            own._write_run(executable)
        except BaseException:
            own.close()
            raise
        return own

    def _write_run(self, executable: Path) -> None:
        pids = {name: process.pid for name, process in self.processes.items()}
        about = {"region": str(self.region.path), "executable": str(executable), "processes": pids}
        with complete_file(self.folder / RUN) as draft:
            draft.write_text(json.dumps(about, indent=1))

    @classmethod
    def attach(cls, folder: Path, rig: Rig) -> Supervisor:
        """Take over a test whose supervisor has died."""
        try:
            about = json.loads((folder / RUN).read_text())
        except (OSError, ValueError) as error:
            raise RunError(f"'{folder}' is no folder of a running test: {error}.") from error
        region = Region.open(about["region"])
        beat = region["supervisor_beat"]
        if wait_for(lambda: region["supervisor_beat"] != beat, SILENT):
            region.close()
            raise RunError(f"The test in '{folder}' has a supervisor that is alive; end that one first.")
        own = cls(region, folder, rig)
        if not alive(own.region["loop_pid"]):
            own.notes.append("The loop had ended before the test was taken over.")
        own._beating.start()
        return own

    def check_timing(self, seconds: float = SETTLING) -> Timing:
        """From ESTOP to CONFIGURED, where the loop ticks as in a test with nothing sent."""
        self.ask("RESET")
        self.ask("CONFIGURE")
        wake, work = self.region.several("wake_bins"), self.region.several("work_bins")
        overruns = self.region["overruns"]
        self._until(lambda: False, seconds)
        timing = judge(
            [b - a for a, b in zip(wake, self.region.several("wake_bins"), strict=True)],
            [b - a for a, b in zip(work, self.region.several("work_bins"), strict=True)],
            self.region["overruns"] - overruns, self.region.setup["period"],
        )  # fmt: skip
        if timing.passed or self.rehearsal:
            self.region["timing_passed"] = 1
        if not timing.passed:
            self.notes.append(timing.sentence())
        return timing

    def run(
        self, *, on_pause: Callable[[list[str]], str] | None = None, progress: Callable[[int], None] | None = None
    ) -> Record:
        """Check, arm, start and watch. `on_pause` is asked for RESUME or END, with the causes; without it: END."""
        timing = self.check_timing()
        if not (timing.passed or self.rehearsal):
            return self.finish(timing)
        self.ask("ARM")
        self.ask("START")
        self.watch(on_pause=on_pause, progress=progress)
        return self.finish(timing)

    def watch(
        self, *, on_pause: Callable[[list[str]], str] | None = None, progress: Callable[[int], None] | None = None
    ) -> None:
        """Until nothing is live any more."""
        while self.loop_runs() and self.state in LIVE:
            self.tend()
            if progress:
                progress(self.region["test_tick"])
            state = self.state
            if state in ("PAUSED", "RAMP_DOWN") and (causes := self.region.causes):
                self.causes = list(dict.fromkeys([*self.causes, *causes]))
            if state == "PAUSED":
                self._until(lambda: not self.region["motion"] or self.state != "PAUSED", STOPPING)
                if self.state != "PAUSED":
                    continue
                answer = on_pause(self.region.causes) if on_pause else "END"
                try:
                    self.ask(answer)
                except Refused as error:
                    self.notes.append(str(error))
                    if self.state == "PAUSED":  # it may have stopped while the operator was asked
                        self.ask("END")
            time.sleep(BEAT)

    def finish(self, timing: Timing) -> Record:
        """End what is still live, let the logger finish, and take the record together."""
        self._check_ours()
        self.stop()
        region = self.region
        state, died = self.state, not self.loop_runs()
        self.causes = list(dict.fromkeys([*self.causes, *region.causes]))
        region["quit"] = 1
        loop = self.processes.get("loop")
        if died:
            self.notes.append(f"The loop did not reach its end: {self._loop_ending()}.")
        elif loop and loop.wait() is None:
            self.notes.append("The loop did not end when it was told to, and was killed.")
            loop.kill()
        for name, process in self.processes.items():
            if process.restarts > 1:
                self.notes.append(f"The {name} had to be started {process.restarts} more times in all.")
        self._finish_log()
        record = Record(self.folder, state, self.causes, region["test_tick"], region["lost"], timing, self.notes)
        self.close()
        return record

    def _finish_log(self) -> None:
        """The logger ends by itself when all rows are on disk; one that died is replaced."""
        logger, region = self.processes.get("logger"), self.region
        for _ in range(3):
            if logger is None:
                wait_for(self._stored, 30.0)
                break
            if logger.wait(60.0) is None:
                continue
            if region["stored"] >= region["head"]:
                return
            if region["log_failed"]:
                break
            logger.start()
        if not self._stored():
            how = logger.ending() if logger else "is not this command's to start again"
            self.notes.append(f"The logger {how}; the rows it could not store stay in {region.path}.")
