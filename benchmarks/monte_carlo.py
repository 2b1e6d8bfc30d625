"""A Monte-Carlo of the Case 1 diagram of EERC Chapter 8: throughput against the bare compiled loop, and memory.

    python monte_carlo.py RUNS      peak memory of a process that makes so many runs, as JSON

Lag (mean, variance), noise (seed) and the scale of the record are random. Every run has its reference without errors,
at its own scale: a study of 10,000 runs simulates 20,000. The bare loop simulates the same parameter sets, prepared
beforehand, on one thread: no parameters to prepare, no histories to measure.

A seed that is run again and again is a third faster than a new one (the processor learns its branches), so the loop is
given as many different ones as the study.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from figures import Figure
from timing import by_turns, ratio, spread

import hybsim as hs
from hybsim.diagrams import fig_3_5
from hybsim.runtime.vectors import Preparer
from hybsim.studies.measures import eps_max, eps_rms, final, peak, rms

DURATION = 31.18
DISP, HSEI = "integrator.disp_target", "energy.hsei_i"
EXACT = {"lag.mean": 0.0, "lag.variance": 0.0, "noise.seed": 0}
SAMPLE = 1280


def monte_carlo(program: Any, runs: int, *, reference: bool = True) -> hs.Study:
    space = hs.random(
        {
            "lag.mean": (0.0, 1.0),
            "lag.variance": (0.0, 0.1),
            "noise.seed": range(2**53),
            "record.scale": (0.1 * 386.1, 0.3 * 386.1),
        },
        runs,
    )
    compared = {"eps_max": eps_max(DISP), "eps_rms": eps_rms(DISP)}
    alone = {"peak": peak(DISP), "rms": rms(DISP)}
    return hs.Study(
        program,
        space=space,
        duration=DURATION,
        reference=EXACT if reference else None,
        measures={"hsei_i": final(HSEI), **(compared if reference else alone)},
    )


def bare_loop(study: hs.Study) -> Callable[[], None]:
    """Some runs of the study, and their references, on one thread."""
    program, points = study.program, study.space.points[:SAMPLE]
    references = [] if study.reference is None else [{**point, **study.reference} for point in points]
    prepared, preparer = [], Preparer(program, DURATION)
    for sets in (points, references):
        for start in range(0, len(sets), 64):
            prepared.append(preparer.vectors(sets[start : start + 64]).matrices())
    columns = np.array([program.signal(name).column for name in (DISP, HSEI)])
    kept = np.empty((64, columns.size, program.ticks(DURATION, {})))

    def loop() -> None:
        for p, x in prepared:
            program.engine_c.sweep(p, x.copy(), columns, kept[: len(p)])

    return loop


def throughput(program: Any, runs: int, rounds: int, label: str, *, reference: bool) -> list[Figure]:
    study = monte_carlo(program, runs, reference=reference)
    loop, cores = bare_loop(study), len(os.sched_getaffinity(0))
    share = runs / min(SAMPLE, runs)
    figures = []
    for clock, what, parts in (
        (time.perf_counter, f"throughput, of {cores} cores x the bare loop", cores),
        (time.process_time, "processor time spent in the loop itself", 1),
    ):
        times = by_turns(rounds, clock, study=study.run, loop=loop)
        figures.append(
            Figure(
                f"Monte-Carlo of {runs} runs, {label}: {what}",
                ratio([seconds * share / parts for seconds in times["loop"]], times["study"]),
                aim=0.7 if parts > 1 else None,
                at_least=True,
                measured={name: spread(samples) for name, samples in times.items()},
            )
        )
    return figures


def peak_memory(runs: int) -> float:
    """Megabytes a new process needs at most."""
    done = subprocess.run([sys.executable, __file__, str(runs)], capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["megabytes"])


def monte_carlo_figures(quick: bool) -> list[Figure]:
    program = hs.compile(fig_3_5(variance=0.1))
    runs, rounds = (1000, 3) if quick else (10_000, 5)
    few, many = peak_memory(runs // 10), peak_memory(runs)
    return [
        *throughput(program, runs, rounds, "each with its reference", reference=True),
        *throughput(program, runs, rounds, "without references", reference=False),
        Figure(f"memory of a Monte-Carlo of {runs} runs, at most", spread([many]), "MB", aim=500.0),
        Figure(f"... more than with {runs // 10} runs", spread([many - few]), "MB", aim=25.0),
    ]


if __name__ == "__main__":
    monte_carlo(hs.compile(fig_3_5(variance=0.1)), int(sys.argv[1])).run()
    print(json.dumps({"megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0}))
