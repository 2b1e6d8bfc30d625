"""A sweep of 1000 runs on two cores against 1000 single runs in sequence, with the same histories kept."""

from __future__ import annotations

import threading
from typing import Any

import fig_3_5
import numpy as np
from figures import Figure
from per_step import emitted_loop, repeated
from timing import by_turns, ratio, spread

import hybsim as hs

KEPT = ["integrator.disp_target", "energy.hsei_s"]


def parameter_sets(count: int) -> list[dict[str, Any]]:
    means = np.linspace(0.0, 1.0, count // 10)
    return [{"lag.mean": float(mean), "noise.seed": seed} for mean in means for seed in range(10)]


def in_sequence(program: hs.Program, runs: list[dict[str, Any]], kept: list[str] | None) -> Any:
    """Single runs; of each the kept histories, or the whole result."""
    if kept is None:
        return [program.run(fig_3_5.DURATION, engine="c", params=run) for run in runs]
    histories = {name: np.empty((len(runs), program.ticks(fig_3_5.DURATION, {}))) for name in kept}
    for i, run in enumerate(runs):
        result = program.run(fig_3_5.DURATION, engine="c", params=run)
        for name, history in histories.items():
            history[i] = result[name]
    return histories


def sweep_figures(quick: bool) -> list[Figure]:
    program = hs.compile(fig_3_5.diagram("linear"))
    runs = parameter_sets(200 if quick else 1000)
    figures = []
    for kept, label in ((None, "all histories kept"), (KEPT, "two histories kept")):
        times = by_turns(
            3 if quick else 9,
            sweep=lambda kept=kept: program.sweep(runs, duration=fig_3_5.DURATION, keep=kept, jobs=2),
            sequence=lambda kept=kept: in_sequence(program, runs, kept),
        )
        figures.append(
            Figure(
                f"sweep of {len(runs)} runs on 2 cores against single runs, {label}",
                ratio(times["sweep"], times["sequence"]),
                aim=0.6,
                measured={name: spread(samples) for name, samples in times.items()},
            )
        )
    return [*figures, scaling_figure(program, quick)]


def scaling_figure(program: hs.Program, quick: bool) -> Figure:
    """What two cores are worth at this moment: the bare loop, half the runs in each of two threads."""
    ticks, count = program.ticks(fig_3_5.DURATION, {}), 50 if quick else 200
    halves = [repeated(count, emitted_loop(program, np.zeros((ticks, fig_3_5.SIGNALS)))) for _ in range(2)]

    def together() -> None:
        threads = [threading.Thread(target=half) for half in halves]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    times = by_turns(5 if quick else 15, two=together, one=repeated(2, halves[0]))
    return Figure("two threads against one, bare loop (0.5: both cores are free)", ratio(times["two"], times["one"]))
