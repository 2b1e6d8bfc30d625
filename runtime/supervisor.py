"""The supervisor: starts the processes of a test, arms, starts and watches it, and takes the record together.

    ESTOP -> RESET -> IDLE -> CONFIGURE -> CONFIGURED -> (timing) -> ARM -> ARMED -> START -> RUNNING -> ... -> FINISHED

It has no part in the ticks. If it dies, the loop pauses after `watchdog.supervisor` seconds, the logger goes on, and
`attach` takes the test over from the folder of the run, to resume or to end it.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from hybsim.errors import RunError
from hybsim.hw.rig_model import Rig
from hybsim.runtime.export import complete_file
from hybsim.runtime.processes import Process, alive, memory_for_regions, start_logger, start_worker, wait_for
from hybsim.runtime.region import Region, now
from hybsim.runtime.set_up import SetUp
from hybsim.runtime.timing import Timing, judge

BEAT = 0.02
"""Seconds between signs of life, and looks at the others."""

RESTARTING = 0.5
"""Seconds that a process has run before it is replaced: one that cannot begin is not started over and over."""

SETTLING = 1.0
"""Seconds for which the timing is measured before a test is armed."""

STOPPING = 600.0
"""Seconds for a ramp down; slow rigs move slowly."""

LIVE = ("ARMED", "RUNNING", "PAUSED", "RAMP_DOWN")
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


class Refused(RunError):
    """The loop refused an event."""


class Supervisor:
    """One test. Use it in a `with` block: leaving it in whatever way ends the test in a defined state."""

    def __init__(self, region: Region, folder: Path, rig: Rig, *, rehearsal: bool = False) -> None:
        self.region, self.folder, self.rig, self.rehearsal = region, folder, rig, rehearsal
        self.processes: dict[str, Process] = {}
        self.notes: list[str] = []
        self.causes: list[str] = []
        self._stop = threading.Event()
        self._beating = threading.Thread(target=self._beat, name="beat", daemon=True)

    # beginning ----------------------------------------------------------------------------

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
        own = cls(Region.open(about["region"]), folder, rig)
        if not alive(own.region["loop_pid"]):
            own.notes.append("The loop had ended before the test was taken over.")
        own._beating.start()
        return own

    def _beat(self) -> None:
        while not self._stop.is_set():
            self.region["supervisor_beat"] = now()
            self._stop.wait(BEAT)

    # events -------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        return self.region.state

    def loop_runs(self) -> bool:
        loop = self.processes.get("loop")
        return loop.running() if loop else alive(self.region["loop_pid"])

    def ask(self, event: str) -> None:
        """Ask for an event and wait until the loop has dealt with it; Refused says why it would not."""
        number = self.region.ask(event)
        if not self._until(lambda: self.region["handled"] >= number, 5.0):
            raise RunError(f"The loop did not answer to {event}; {self._loop_ending()}.")
        if self.region["refused"]:
            raise Refused(f"{event} was refused in state {self.state}{self._why_refused(event)}.")

    def _why_refused(self, event: str) -> str:
        if event == "ARM" and not self.region["log_ready"]:
            return ": the log is not ready"
        if event == "ARM" and not self.region["timing_passed"]:
            return ": the timing check was not passed"
        if event in ("ARM", "RESET") and self.region["device_bits"] & 1:
            return ": the device reports that it tripped"
        if event == "ARM":
            return ": the device does not answer well, or a measured position is not at home"
        return ""

    def _until(self, condition: Callable[[], bool], patience: float) -> bool:
        end = time.monotonic() + patience
        while not condition():
            if time.monotonic() > end or not self.loop_runs():
                return condition()
            self.tend()
            time.sleep(0.001)
        return True

    def tend(self) -> None:
        """Replace what has died; the loop is never replaced. To be called by whatever keeps `watch` waiting."""
        for name in ("logger", "guardian"):
            process = self.processes.get(name)
            if process is None or process.running() or not self.loop_runs() or self.region["log_failed"]:
                continue
            if process.age() < RESTARTING:
                continue
            if process.restarts == 0:
                self.notes.append(f"The {name} {process.ending()}; it was started again.")
            process.start()

    def _loop_ending(self) -> str:
        loop = self.processes.get("loop")
        return f"it {loop.ending()}" if loop else "it is gone"

    # the test -----------------------------------------------------------------------------

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
        paused = False
        while self.loop_runs() and self.state in LIVE:
            self.tend()
            if progress:
                progress(self.region["test_tick"])
            state = self.state
            if state in ("PAUSED", "RAMP_DOWN") and (causes := self.region.causes):
                self.causes = list(dict.fromkeys([*self.causes, *causes]))
            if state == "PAUSED" and not paused:
                self._until(lambda: not self.region["motion"] or self.state != "PAUSED", STOPPING)
                answer = on_pause(self.region.causes) if on_pause else "END"
                try:
                    self.ask(answer)
                except Refused as error:
                    self.notes.append(str(error))
                    if self.state == "PAUSED":  # it may have stopped while the operator was asked
                        self.ask("END")
            paused = state == "PAUSED"
            time.sleep(BEAT)

    def finish(self, timing: Timing) -> Record:
        """End what is still live, let the logger finish, and take the record together."""
        self.stop()
        region = self.region
        state, died = self.state, not self.loop_runs()
        self.causes = list(dict.fromkeys([*self.causes, *region.causes]))
        region["quit"] = 1
        loop = self.processes.get("loop")
        if died:
            self.notes.append(f"The loop did not reach its end: {self._loop_ending()}.")
        elif loop:
            loop.wait()
        for name, process in self.processes.items():
            if process.restarts > 1:
                self.notes.append(f"The {name} had to be started {process.restarts} more times in all.")
        self._finish_log()
        record = Record(self.folder, state, self.causes, region["test_tick"], region["lost"], timing, self.notes)
        self.close()
        return record

    def stop(self) -> None:
        """Ramp down whatever moves; stop it where that does not work."""
        if not (self.loop_runs() and self.state in LIVE):
            return
        for event, patience in (("END", STOPPING), ("KILL", 5.0)):
            try:
                self.ask(event)
            except RunError as error:
                self.notes.append(str(error))
            if self._until(lambda: self.state not in LIVE, patience):
                return

    def _finish_log(self) -> None:
        """The logger ends by itself when all rows are on disk; one that died is replaced."""
        logger, region = self.processes.get("logger"), self.region
        for _ in range(3):
            if logger is None:
                wait_for(lambda: region["stored"] >= region["head"], 30.0)
                return
            if logger.wait(60.0) == 0 and region["stored"] >= region["head"]:
                return
            if region["log_failed"]:
                self.notes.append(f"The logger {logger.ending()}; the rows it could not store stay in {region.path}.")
                return
            logger.start()

    def close(self) -> None:
        """Nothing of the test is left but its folder, and the region where the log could not be finished."""
        for name, process in self.processes.items():
            if name == "loop" and process.running() and self.state in LIVE:
                self.stop()
        self.region["quit"] = 1
        for process in self.processes.values():
            if process.wait(5.0) is None:
                process.kill()
        self._stop.set()
        if self._beating.is_alive():
            self._beating.join()
        if not self.region["log_failed"]:
            self.region.path.unlink(missing_ok=True)

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._stop.is_set():
            self.close()
