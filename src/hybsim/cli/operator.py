"""The operator's side of a test: the word that arms, what is going on, Ctrl-C, and the question when it pauses.

Ctrl-C once      ramp down and finish
Ctrl-C twice     emergency stop
"""

from __future__ import annotations

import select
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hybsim.errors import RunError

from .output import Report, console

if TYPE_CHECKING:
    from hybsim.runtime.supervisor import Supervisor

ARM = "arm"
ANSWERS = {"resume": "RESUME", "r": "RESUME", "end": "END", "e": "END"}


def on_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def confirm(to: Report) -> None:
    """The device moves only after the operator has said so."""
    to.note(f"The rig will move. Type {ARM} and press Enter to begin; anything else leaves it as it is.", style="bold")
    try:
        word = sys.stdin.readline().strip().lower()
    except KeyboardInterrupt:
        word = ""
    if word != ARM:
        raise RunError("The test was not armed; nothing was started.")


class Operator:
    """Watches one test on behalf of whoever sits before the terminal."""

    def __init__(self, test: Supervisor, to: Report, planned: int) -> None:
        self.test, self.to, self.planned = test, to, planned
        self.presses = 0
        self._asked_to_end = False
        self._state = ""
        self._bar: Any = None
        self._task: Any = None

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Ctrl-C reaches the operator's functions, and a bar shows how far the test is."""
        before = signal.signal(signal.SIGINT, self._pressed)
        self._open_bar()
        try:
            yield
        finally:
            if self._bar is not None:
                self._bar.stop()
                self._bar = None
            signal.signal(signal.SIGINT, before)

    def _pressed(self, number: int, frame: object) -> None:
        self.presses += 1
        if self.presses >= 2:
            self.test.region.ask("KILL")  # at once; `progress` repeats it until it has its effect

    def progress(self, tick: int) -> None:
        """Called by the supervisor all the time."""
        state = self.test.state
        if state != self._state:
            self._state = state
            self.say(f"{state.lower().replace('_', ' ')} at tick {tick} of {self.planned}")
        if self._bar is not None:
            self._bar.update(self._task, completed=tick, description=state.lower().replace("_", " "))
        if self.presses >= 2 and state != "ESTOP":
            self.test.region.ask("KILL")
        elif self.presses == 1 and not self._asked_to_end:
            self._asked_to_end = True
            self.say("Ctrl-C: ramping down; once more for an emergency stop")
            self._end()

    def _end(self) -> None:
        try:
            self.test.ask("END")
        except RunError as error:  # refused where nothing moves any more
            self.test.notes.append(str(error))

    def on_pause(self, causes: Sequence[str]) -> str:
        """RESUME or END; END where nobody can be asked."""
        from hybsim.runtime.guard_tables import FAULTS

        self.progress(self.test.region["test_tick"])
        for cause in causes:
            self.say(f"paused: {FAULTS[cause][1]}")
        if self.presses:
            return "END"
        if not on_terminal():
            self.say("nobody can be asked here: ramping down")
            return "END"
        if self._bar is not None:
            self._bar.stop()
        self.say("resume or end?")
        while not self.presses and self.test.state == "PAUSED":
            self.test.tend()
            if not select.select([sys.stdin], [], [], 0.05)[0]:
                continue
            line = sys.stdin.readline()
            answer = ANSWERS.get(line.strip().lower())
            if answer or not line:
                self._open_bar()
                return answer or "END"
            self.say("type resume or end")
        return "END"

    def say(self, text: str) -> None:
        if self._bar is not None and self._bar.live.is_started:
            self._bar.console.print(text)
        else:
            self.to.note(text)

    def _open_bar(self) -> None:
        stderr = console(stderr=True)
        if not stderr.is_terminal:
            return
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description:<9}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(compact=True),
        )
        self._bar = Progress(*columns, console=stderr, transient=True)
        self._task = self._bar.add_task(self._state.lower() or "arming", total=self.planned)
        self._bar.start()
