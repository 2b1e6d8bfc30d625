"""The loop in real time: PSI's virtual test at 4096 Hz against its virtual rig, beside a loop that does nothing.

Late ticks are counted only (a rehearsal): this machine is shared. Work is that of ticks in which the diagram was
computed. Waking is compared with that of a bare loop twice: of one that runs meanwhile, under what is the same load for
both, and of one that has the machine for itself afterwards. Single p99.9 differ by factors from minute to minute.
"""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path

import numpy as np
from figures import Figure
from timing import spread

import hybsim as hs
from hybsim.diagrams.psi_vrths import psi_vrths
from hybsim.errors import RunError
from hybsim.hw.rig_file import parse_rig
from hybsim.runtime.deployment import Deployment
from hybsim.runtime.latency import bare
from hybsim.runtime.log_frames import Log, read_log
from hybsim.runtime.region import duration
from hybsim.runtime.timing import TAIL


def psi_deployment(driver: str = "shm") -> Deployment:
    text = (resources.files("hybsim.diagrams") / "rigs" / "psi_vrths.toml").read_text()
    text = text.replace('"psi-vrths"', '"psi-bench"').replace('driver = "shm"', f'driver = "{driver}"')
    rig = parse_rig(text, name="psi_vrths.toml")
    return Deployment(hs.compile(psi_vrths()).cut(rig.cut), rig)


def rehearsed(deployment: Deployment, seconds: float) -> tuple[Log, float, int]:
    """The log of a test, p99.9 of waking, and the ticks that the loop made."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (
            deployment.virtual_rig(folder, log=False),
            deployment.supervisor(folder, seconds, rehearsal=True) as test,
        ):
            record = test.run()
            log = read_log(record.log)
            return log, duration(test.region.several("wake_bins"), TAIL), test.region["tick"] + 1


def differing(deployment: Deployment, seconds: float) -> int:
    """Numbers of a run by the virtual clock, in two processes, that differ from those of simulate."""
    with tempfile.TemporaryDirectory() as name:
        log = read_log(deployment.rehearse(Path(name), seconds).log)
    simulated = deployment.cut.whole.run(seconds)
    advanced = log.rows[log.column("loop.advanced") == 1]
    found = abs(len(advanced) - len(simulated.t))
    for i, signal in enumerate(log.names):
        if signal in simulated.names:
            found += int(np.count_nonzero(advanced[:, i].view(np.int64) != simulated[signal].view(np.int64)))
    return found


def deployment_figures(quick: bool) -> list[Figure]:
    deployment = psi_deployment()
    work, tails, beside, after, logged = [], [], [], [], []
    seconds = 3.0 if quick else 15.0
    try:
        for _ in range(2 if quick else 9):
            with ThreadPoolExecutor(1) as other:
                meanwhile = other.submit(bare, deployment.rig.rate, seconds)
                log, wake, ticks = rehearsed(deployment, seconds)
                beside.append(wake / duration(meanwhile.result().wake, TAIL))
            after.append(wake / duration(bare(deployment.rig.rate, seconds).wake, TAIL))
            computed = log.column("loop.work")[1:][log.column("loop.sampled")[:-1] == 1]
            work.append(1e6 * float(np.median(computed)))
            tails.append(1e6 * float(np.quantile(computed, TAIL)))
            logged.append(len(log.rows) / ticks)
        bits = float(differing(deployment, 1.0 if quick else 30.0))
    except RunError as error:
        print(f"The figures of the loop were left out: {error}", file=sys.stderr)
        return []
    return [
        Figure("PSI at 4096 Hz: work of a tick, median", spread(work), unit="us", aim=2.0),
        Figure("PSI at 4096 Hz: work of a tick, p99.9", spread(tails), unit="us", aim=20.0),
        Figure("wake-up p99.9 over that of a bare loop beside it", spread(beside), aim=1.2),
        Figure("wake-up p99.9 over that of a bare loop alone, afterwards", spread(after), aim=1.2),
        Figure("ticks logged / ticks run", spread(logged), aim=1.0, at_least=True),
        Figure(
            "numbers that differ between simulate and two processes on a virtual clock",
            spread([bits]),
            unit="",
            aim=0.0,
        ),
    ]
