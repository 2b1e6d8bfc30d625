"""The processes of a run: started apart from each other, so that each can be killed and none takes another along.

loop        executable of the controller half         never restarted: its end is the end of the test
guardian    the same executable, watching the loop    restarted
logger      Python, ring -> framed log                restarted, goes on where the file ends
rig         executable of the half that was cut out   a virtual rig only
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hybsim.errors import RunError
from hybsim.runtime.region import Region

PATIENCE = 10.0
"""Seconds for a process to start, or to end once it is told to."""


class Process:
    """One process of a run; what it says goes to a file in the folder of the run."""

    def __init__(self, title: str, words: Sequence[str | Path], folder: Path) -> None:
        self.title, self.words = title, [str(word) for word in words]
        self.said = folder / f"{title}.txt"
        self.restarts = -1
        self.start()

    def start(self) -> None:
        """(Again.) In a session of its own: Ctrl-C in a terminal reaches the supervisor alone."""
        self.restarts += 1
        self.began = time.monotonic()
        with self.said.open("ab") as out:
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    def age(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self.began

    def running(self) -> bool:
        return self.process.poll() is None

    def ending(self) -> str:
        """How it ended, as the end of a sentence."""
        code = self.process.poll()
        if code is None:
            return "is running"
        last = " ".join(self.said.read_text(errors="replace").split())[-300:]
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        return f"{how}: {last}" if last else how

    def wait(self, patience: float = PATIENCE) -> int | None:
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        if self.running():
            self.process.kill()
        self.process.wait()


def wait_for(condition: Callable[[], bool], patience: float, *processes: Process) -> bool:
    """Whether a condition comes true in time; ends early when a process has ended."""
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end or any(not process.running() for process in processes):
            return condition()
        time.sleep(0.002)
    return True


def start_logger(region: Region, log: Path, head: dict[str, Any]) -> Process:
    """The logger of a region, with its space taken and its head on disk."""
    about = log.with_name(f"{log.stem}-head.json")
    about.write_text(json.dumps(head, allow_nan=False))
    process = Process(
        f"{log.stem}-logger", [sys.executable, "-P", "-m", "hybsim.runtime.logger", region.path, log, about], log.parent
    )
    if not wait_for(lambda: bool(region["log_ready"]), PATIENCE, process):
        said = process.ending()
        process.kill()
        raise RunError(f"The logger {said}")
    return process


def start_worker(title: str, region: Region, words: Sequence[str | Path], folder: Path) -> Process:
    """A loop or a virtual rig, up and running."""
    process = Process(title, words, folder)
    if not wait_for(lambda: bool(region["started"]), PATIENCE + region.setup["patience"], process):
        said = process.ending()
        process.kill()
        raise RunError(f"The {title} did not start; it {said}.")
    return process


def alive(pid: int) -> bool:
    """Whether a process is there, and not just waiting to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def memory_for_regions() -> Path:
    """Where regions lie: in memory, since a page that is fetched from a disk would stop the loop."""
    place = Path("/dev/shm")
    if not (place.is_dir() and os.access(place, os.W_OK)):
        raise RunError("Tests on a rig need shared memory at /dev/shm, which is there on Linux only.")
    return place
