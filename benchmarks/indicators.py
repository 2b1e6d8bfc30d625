"""The predictive indicators: virtual tests of PSI Chapter 4 on two cores, and maps of 500 x 500 points."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from figures import Figure
from timing import duration, spread

from hybsim.studies.indicators.performance import ppi_map
from hybsim.studies.indicators.sdof import omega_cr_map
from hybsim.studies.indicators.vrths_runs import programs, realise, virtual_tests

SIDE = 500
LONGEST_RUNS, LONGEST_MAP = 30.0, 5.0
"""Seconds."""


def indicator_figures(quick: bool) -> list[Figure]:
    return [*virtual_test_figures(quick), *map_figures(quick)]


def virtual_test_figures(quick: bool) -> list[Figure]:
    """All virtual tests, the programs built before; a tenth of them, without an aim, if it must be quick.

    Processor time tells how long they would take if nothing else ran: half of it.
    """
    every = virtual_tests(seed=1, runs=220 if quick else None)
    built = programs(every)
    work = partial(realise, every, built, 2, lambda share: None)
    wall, processor = [], []
    for _ in range(1 if quick else 3):
        start = time.process_time()
        wall.append(duration(work))
        processor.append(time.process_time() - start)
    ticks = sum(test.ticks for test in every)
    what = f"{len(every)} virtual tests ({ticks / 1e9:.2g} billion ticks) on 2 cores, after compilation"
    return [
        Figure(what, spread(wall), "s", aim=None if quick else LONGEST_RUNS),
        Figure("the same, processor time of both cores", spread(processor), "s"),
    ]


def map_figures(quick: bool) -> list[Figure]:
    """Critical delay over (alpha, gamma), and PPI over (gamma, Omega)."""
    alpha, gamma = np.meshgrid(np.linspace(0.0, 1.0, SIDE), np.linspace(0.0, 1.0, SIDE))
    omega = np.linspace(0.001, 1.0, SIDE)[:, None]
    maps = {
        "Omega_cr": lambda: omega_cr_map(alpha, 0.5, gamma, 0.02),
        "PPI": lambda: ppi_map(0.8, 0.5, gamma[:, 0], 0.02, omega),
    }
    return [
        Figure(
            f"map of {name}, {SIDE} x {SIDE}",
            spread([duration(work) for _ in range(1 if quick else 5)]),
            "s",
            aim=LONGEST_MAP,
        )
        for name, work in maps.items()
    ]
