"""Being in charge of a running test: signs of life, events, replacing what has died, and letting go of all of it.

Only one is in charge at a time. Who takes a test over from one that hung raises the number `supervisor` in the region;
the other one, should it wake up, finds that the test is no longer its own and leaves everything as it is.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from hybsim.errors import RunError
from hybsim.runtime.processes import Process, alive, wait_for
from hybsim.runtime.region import Region, now

BEAT = 0.02
"""Seconds between signs of life, and looks at the others."""

RESTARTING = 0.5
"""Seconds that a process has run before it is replaced: one that cannot begin is not started over and over."""

STOPPING = 600.0
"""Seconds for a ramp down; slow rigs move slowly."""

LEAVING = {"loop": 5.0, "guardian": 5.0, "logger": 15.0}
"""Seconds for each process to end by itself; the logger of a full disk tries for ten."""

LIVE = ("ARMED", "RUNNING", "PAUSED", "RAMP_DOWN")


class Refused(RunError):
    """The loop refused an event."""


class InCharge:
    """Of one test. Leaving its `with` block, in whatever way, ends the test in a defined state."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.processes: dict[str, Process] = {}
        self.notes: list[str] = []
        self._stop = threading.Event()
        self._number = region["supervisor"] + 1
        region["supervisor"] = self._number
        self._beating = threading.Thread(target=self._beat, name="beat", daemon=True)

    def _beat(self) -> None:
        while not self._stop.is_set() and not self.replaced:
            self.region["supervisor_beat"] = now()
            self._stop.wait(BEAT)

    @property
    def replaced(self) -> bool:
        """Another one has taken the test over while this one hung: it is no longer ours."""
        return self.region["supervisor"] != self._number

    def _check_ours(self) -> None:
        if self.replaced:
            raise RunError("This test was taken over by another supervisor.")

    # events -------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        return self.region.state

    def loop_runs(self) -> bool:
        loop = self.processes.get("loop")
        return loop.running() if loop else alive(self.region["loop_pid"])

    def ask(self, event: str) -> None:
        """Ask for an event and wait until the loop has dealt with it; Refused says why it would not."""
        self._check_ours()
        if event == "FADE" and self.region.setup["fade_parameter"] < 0:
            raise Refused("FADE was refused: the rig file does not say what is faded out (free_vibration).")
        number = self.region.ask(event)
        if not self._until(lambda: self.region["handled"] >= number, 5.0):
            raise RunError(f"The loop did not answer to {event}; {self._loop_ending()}.")
        if self.region["refused"]:
            raise Refused(f"{event} was refused in state {self.state}{self._why_refused(event)}.")

    def _why_refused(self, event: str) -> str:
        if event == "ARM" and self.region["test_tick"]:
            return ": a test has run already; begin another one for the next"
        if event == "ARM" and not self.region["log_ready"]:
            return ": the log is not ready"
        if event == "ARM" and not self.region["timing_passed"]:
            return ": the timing check was not passed"
        if event in ("ARM", "RESET") and self.region["device_bits"] & 1:
            return ": the device reports that it tripped"
        if event in ("ARM", "RESET") and self.region.setup["rehearsal"] and not self.region["device_bits"] & 2:
            return ": a rehearsal needs a virtual rig, and this device is none"
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
        self._check_ours()
        for name in ("logger", "guardian"):
            process = self.processes.get(name)
            if process is None or process.running() or not self.loop_runs() or process.age() < RESTARTING:
                continue
            if name == "logger" and self.region["log_failed"]:
                continue
            if process.restarts == 0:
                self.notes.append(f"The {name} {process.ending()}; it was started again.")
            process.start()

    def _loop_ending(self) -> str:
        loop = self.processes.get("loop")
        return f"it {loop.ending()}" if loop else "it is gone"

    def stop(self) -> None:
        """Ramp down whatever moves; stop it where that does not work."""
        for event, patience in (("END", STOPPING), ("KILL", 5.0)):
            if not (self.loop_runs() and self.state in LIVE):
                return
            try:
                self.ask(event)
                self._until(lambda: self.state not in LIVE, patience)
            except RunError as error:
                self.notes.append(str(error))

    def _stored(self) -> bool:
        """All rows of the run are on disk, and no more will come."""
        return not self.loop_runs() and self.region["stored"] >= self.region["head"]

    def close(self) -> None:
        """Nothing of the test is left but its folder, and the region where the log could not be finished."""
        try:
            if not self.replaced:
                self.stop()
        except BaseException:
            if not self.replaced:
                self.region.ask("KILL")  # whatever it was: nobody waits for the end of a ramp any more
            raise
        finally:
            if not self.replaced:
                self._let_go()
            self._stop.set()
            if self._beating.is_alive():
                self._beating.join()

    def _let_go(self) -> None:
        self.region["quit"] = 1
        for name in ("loop", "guardian", "logger"):  # the guardian looks after a loop that must be killed
            process = self.processes.get(name)
            if process and process.wait(LEAVING[name]) is None:
                process.kill()
        if not self.processes:
            wait_for(self._stored, LEAVING["logger"])
        if self._stored():
            self.region.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._stop.is_set():
            self.close()
