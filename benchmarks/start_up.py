"""What is paid before the first step: imports, lowering, the C compiler, loading; each in new processes."""

from __future__ import annotations

import tempfile
from pathlib import Path

from figures import Figure
from fresh import measure
from timing import ratio, spread

CHAINS = {50: 0.5, 200: None, 500: 4.0}
"""Blocks, and the aim for a cold compile in s."""

BDSIM = "import bdsim"
BARE = "import hybsim"
HYBSIM = "import hybsim; hybsim.BDSim, hybsim.compile"
"""Names of hybsim are loaded when first used: these two bring everything a run needs."""


def chain_figures(quick: bool) -> list[Figure]:
    figures = []
    for blocks, aim in CHAINS.items():
        cold, warm = [], []
        for _ in range(2 if quick else 7):
            with tempfile.TemporaryDirectory() as folder:
                cold.append(measure("chain", str(blocks), cache=Path(folder)))
                warm.append(measure("chain", str(blocks), cache=Path(folder)))
        compiles, loads = [r["compile"] for r in cold], [r["compile"] for r in warm]
        figures += [
            Figure(
                f"chain of {blocks} blocks: cold compile",
                spread(compiles),
                unit="s",
                aim=aim,
                measured={
                    "cold": spread(compiles),
                    "from cache": spread(loads),
                    "wiring": spread([r["wire"] for r in cold]),
                },
            ),
            Figure(f"chain of {blocks} blocks: share of Python in it (lowering, loading)", ratio(loads, compiles)),
            Figure(f"chain of {blocks} blocks: one step", spread([r["step"] * 1e9 for r in cold + warm]), unit="ns"),
        ]
    return figures


def cache_figures(quick: bool) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        measure("fig_3_5", cache=Path(folder))
        reports = [measure("fig_3_5", cache=Path(folder)) for _ in range(3 if quick else 11)]
    names = ("wire", "compile", "first_run")
    return [
        Figure(
            "Fig. 3-5: program loaded from cache (hs.compile in a new process)",
            spread([r["compile"] * 1e3 for r in reports]),
            unit="ms",
            aim=20.0,
            measured={name: spread([r[name] for r in reports]) for name in names},
        )
    ]


def import_figures(quick: bool) -> list[Figure]:
    seconds: dict[str, list[float]] = {BDSIM: [], BARE: [], HYBSIM: []}
    for statement in seconds:
        measure("import", statement)  # the files are in memory from here on
    for _ in range(3 if quick else 11):
        for statement, samples in seconds.items():
            samples.append(measure("import", statement)["seconds"])
    above = [ours - theirs for ours, theirs in zip(seconds[HYBSIM], seconds[BDSIM], strict=True)]
    return [
        Figure(
            "import hybsim with all it loads, above import bdsim",
            spread(above),
            unit="s",
            aim=0.3,
            measured={statement: spread(samples) for statement, samples in seconds.items()},
        )
    ]
