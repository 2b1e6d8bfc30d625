"""A long test in real time under load: every tick logged, memory flat, the end defined. SOAK_SECONDS, 3600 by default.

The rig is in the process of the loop (driver `sim`), so that no second process can make the test pause.

ticks logged / ticks run = 1      no rows lost, tick numbers gapless      memory of the loop as at its begin
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from deployment import psi_deployment

from hybsim.runtime.latency import load
from hybsim.runtime.log_reader import LogReader
from hybsim.runtime.region import duration

BUSY = int(os.environ.get("SOAK_BUSY", "2"))
"""Processes that compute meanwhile."""


def resident(pid: int) -> int:
    """kB of memory that a process holds."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def main() -> int:
    seconds = float(os.environ.get("SOAK_SECONDS", "3600"))
    deployment = psi_deployment(driver="sim")
    with tempfile.TemporaryDirectory(dir=os.environ.get("SOAK_FOLDER")) as name, load(BUSY):
        folder = Path(name)
        with deployment.supervisor(folder, seconds, rehearsal=True) as test:
            pid, memory, last = test.region["loop_pid"], [], [0.0]

            def look(ticks: int) -> None:
                if time.monotonic() - last[0] > 1.0 and test.state == "RUNNING":
                    last[0] = time.monotonic()
                    memory.append(resident(pid))

            record = test.run(progress=look)
            ticks, shared = test.region["tick"] + 1, test.region
            wake, work = duration(shared.several("wake_bins"), 0.999), duration(shared.several("work_bins"), 0.999)
            overruns = shared["overruns"]
        with LogReader(record.log) as log:
            at, expected = log.names.index("loop.tick"), 0
            for _, rows in log.frames():
                numbers = rows[:, at]
                if not np.array_equal(numbers, np.arange(expected, expected + len(numbers))):
                    log.problems.append(f"the ticks are not gapless after {expected}")
                expected += len(numbers)
            problems = list(log.problems)
    print(f"{ticks} ticks run, {expected} logged, {record.lost} lost; {record.state}; {len(problems)} problem(s)")
    print(f"memory of the loop: {memory[0]} kB at the begin, {memory[-1]} kB at the end; {overruns} ticks began late")
    print(f"99.9 %: waking {1e6 * wake:.0f} us, working {1e6 * work:.1f} us")
    sound = ticks == expected and not record.lost and not problems and record.state == "FINISHED"
    return 0 if sound and memory[-1] == memory[0] else 1


if __name__ == "__main__":
    sys.exit(main())
