"""The largest shear building that runs at 1024 Hz with half of the tick free, full and banded.

Time per step is measured for a row of sizes, all signals logged; between two sizes it is interpolated in the
logarithm. The Fast Hybrid Test (Shing et al. 2004) reported 35 degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from figures import Figure
from timing import by_turns, own_time, spread

import hybsim as hs

RATE = 1024.0
BUDGET = 0.5 / RATE
STIFFNESS = 1e4
TICKS = 40


def stiffness(n: int) -> np.ndarray:
    drift = np.eye(n) - np.eye(n, k=-1)
    return STIFFNESS * drift.T @ drift


def full_linear(bd: Any, n: int) -> tuple[Any, Any]:
    matrix = stiffness(n)
    integrator = bd.NEWMARK(mass=np.eye(n), damping=1e-3 * matrix, name="integrator")
    return integrator, bd.COUPLEDSPRINGS(stiffness=matrix, name="building")


def full_bouc_wen(bd: Any, n: int) -> tuple[Any, Any]:
    integrator = bd.NEWMARK(mass=np.eye(n), damping=1e-3 * stiffness(n), name="integrator")
    return integrator, bouc_wen(bd, n)


def banded_linear(bd: Any, n: int) -> tuple[Any, Any]:
    return banded(bd, n), bd.STOREYS(stiffness=STIFFNESS, floors=n, name="building")


def banded_bouc_wen(bd: Any, n: int) -> tuple[Any, Any]:
    return banded(bd, n), bouc_wen(bd, n)


def banded(bd: Any, n: int) -> Any:
    diagonal = np.full(n, 2.0 * STIFFNESS)
    diagonal[-1] = STIFFNESS
    return bd.NEWMARK_BANDED(
        mass=np.ones(n), damping=1e-3 * np.vstack([diagonal, np.full(n, -STIFFNESS)]), name="integrator"
    )


def bouc_wen(bd: Any, n: int) -> Any:
    return bd.STOREYS_BOUCWEN(stiffness=STIFFNESS, yield_disp=1e-4, alpha=0.1, floors=n, name="building")


CASES: dict[str, tuple[Callable[[Any, int], tuple[Any, Any]], tuple[int, ...], int]] = {
    "linear, full matrices": (full_linear, (35, 350, 700, 1000, 1400), 700),
    "Bouc-Wen, full matrices": (full_bouc_wen, (35, 350, 700, 1000, 1400), 700),
    "linear, banded": (banded_linear, (1000, 5000, 10000, 20000, 40000), 10000),
    "Bouc-Wen, banded": (banded_bouc_wen, (1000, 5000, 10000, 20000, 40000), 10000),
}


def building(make: Callable[[Any, int], tuple[Any, Any]], n: int) -> hs.Program:
    bd = hs.BDSim().blockdiagram(f"building_{n}", dt=1.0 / RATE)
    load = bd.GAIN(-np.ones(n), inputs=[bd.COSINEPULSE(amplitude=1.0, duration=1.0)], name="load")
    integrator, specimen = make(bd, n)
    bd.connect(load, integrator.load)
    bd.connect(integrator.disp_target, specimen.disp)
    bd.connect(specimen, integrator.force)
    return hs.compile(bd)


def steps(program: hs.Program) -> Callable[[], None]:
    p, start = program.vectors({})
    x, rows = start.copy(), np.empty((TICKS, program.graph.columns))

    def call() -> None:
        np.copyto(x, start)
        program.engine_c.run(p, x, rows)

    return call


def largest(sizes: list[int], times: list[float]) -> float:
    """Where the time per step crosses the budget; beyond the measured sizes it is not guessed."""
    for (n0, t0), (n1, t1) in zip(
        zip(sizes, times, strict=True), list(zip(sizes, times, strict=True))[1:], strict=False
    ):
        if t0 <= BUDGET < t1:
            share = math.log(BUDGET / t0) / math.log(t1 / t0)
            return n0 * (n1 / n0) ** share
    return float(sizes[-1]) if times[-1] <= BUDGET else float(sizes[0])


def building_figures(quick: bool) -> list[Figure]:
    figures = []
    for title, (make, sizes, aim) in CASES.items():
        chosen = [n for n in sizes if not quick or n <= aim]
        rounds = 3 if quick else 9
        taken = by_turns(rounds, own_time, **{str(n): steps(building(make, n)) for n in chosen})
        per_step = {n: [t / TICKS for t in taken[str(n)]] for n in chosen}
        by_round = [largest(chosen, [per_step[n][i] for n in chosen]) for i in range(rounds)]
        measured = {f"{n} degrees of freedom": spread(per_step[n]) for n in chosen}
        figures.append(
            Figure(
                f"largest building at 1024 Hz, {title}", spread(by_round), "DOF", aim, at_least=True, measured=measured
            )
        )
        figures += [Figure(f"{title}, {n} DOF: one step", spread([1e6 * t for t in per_step[n]]), "us") for n in chosen]
    return figures
