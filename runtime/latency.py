"""What a machine can hold: the loop of a test beside a loop that does nothing, in turns, under load.

    wake    from a deadline to the first instruction after it
    work    from there to the end of the tick: read, compute, guard, write, log

A rate is held where p99.9 of both together stays within its period and no more ticks are late than the guard lets pass.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from hybsim.errors import RunError
from hybsim.runtime.c_sources import in_one
from hybsim.runtime.deployment import Deployment
from hybsim.runtime.executable import LARGER, build_executable
from hybsim.runtime.region import BINS
from hybsim.runtime.supervisor import Refused
from hybsim.runtime.timing import Timing, judge

RATES = (256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
"""Ticks per second that are tried."""


@dataclass(frozen=True)
class Histogram:
    """Counts of durations (region.edge) with the number of late ticks; `lacking` real time is said in bits."""

    wake: list[int]
    work: list[int]
    late: int
    lacking: int

    def __add__(self, other: Histogram) -> Histogram:
        return Histogram(
            [a + b for a, b in zip(self.wake, other.wake, strict=True)],
            [a + b for a, b in zip(self.work, other.work, strict=True)],
            self.late + other.late, self.lacking | other.lacking,
        )  # fmt: skip


NOTHING = Histogram([0] * BINS, [0] * BINS, 0, 0)


@dataclass(frozen=True)
class Latency:
    """What was found at one rate, and the highest that is held."""

    rate: float
    loop: Histogram
    bare: Histogram
    held: float | None
    tried: tuple[tuple[float, Timing], ...]


@contextmanager
def load(processes: int) -> Iterator[None]:
    """So many processes that do nothing but compute."""
    busy = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def bare(rate: float, seconds: float, priority: int = 80) -> Histogram:
    """The loop that does nothing."""
    program = build_executable({"bare": LARGER + in_one("bare.c")}, "bare")
    ticks = max(1, round(rate * seconds))
    done = subprocess.run(
        [program, repr(1e9 / rate), str(ticks), str(priority)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RunError(f"The bare loop ended with code {done.returncode}: {done.stderr.strip()}.")
    lacking, late, *bins = map(int, done.stdout.split())
    return Histogram(bins, [0] * BINS, late, lacking)


def loop(deployment: Deployment, seconds: float, priority: int = 80) -> Histogram:
    """The loop of a test against its virtual rig, rehearsed for a time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        duration = seconds / deployment.rig.time_scale
        with (
            deployment.virtual_rig(folder, log=False, priority=priority),
            deployment.supervisor(folder, duration, rehearsal=True, priority=priority) as test,
        ):
            with suppress(Refused):  # what was measured until then counts
                test.run(on_pause=lambda causes: "RESUME")  # frames that are missing, too, belong to a loaded machine
            region = test.region
            return Histogram(
                region.several("wake_bins"), region.several("work_bins"), region["overruns"],
                region["without_real_time"],
            )  # fmt: skip


def measure(
    deployment: Deployment,
    *,
    seconds: float = 10.0,
    turns: int = 2,
    busy: int = 0,
    rates: Sequence[float] = RATES,
    progress: Callable[[float], None] | None = None,
) -> Latency:
    """Both loops in turns at the deployment's rate, then the bare one at other rates with the work of the real one."""
    ours = theirs = NOTHING
    told = progress or (lambda share: None)
    with load(busy):
        for turn in range(turns):
            ours += loop(deployment, seconds / turns)
            told((turn + 0.5) / (turns + 1))
            theirs += bare(deployment.rig.rate, seconds / turns)
            told((turn + 1.0) / (turns + 1))
        tried = []
        for rate in rates:
            found = bare(rate, max(1.0, seconds / len(rates)))
            tried.append((rate, judge(found.wake, ours.work, found.late, 1.0 / rate)))
    told(1.0)
    held = [rate for rate, timing in tried if timing.passed]
    return Latency(deployment.rig.rate, ours, theirs, max(held) if held else None, tuple(tried))
