"""All runs of the study of the force-based formulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import Record
from hybsim.diagrams.force_based import white_noise
from hybsim.runtime import manifest
from hybsim.studies.force import assumptions, cases, floors, laboratory, refusals
from hybsim.studies.force.capacities import INERTIAS, Demands
from hybsim.studies.force.cases import BY_ACTUATOR, CASES, FAST, LINE_UP, PERFECT, Devices
from hybsim.studies.outcome import Progress, Settings

LOADS, MASSES = np.linspace(0.0, 1.0, 51), np.linspace(0.0, 0.8, 41)
"""alpha_l and alpha_m of the maps."""


@dataclass(frozen=True)
class Found:
    """runs by case and devices; maps by where the virtual inertia goes: the largest use of a capacity."""

    record: Record
    runs: dict[tuple[str, str], cases.Run]
    floors: list[floors.Run]
    choices: list[laboratory.Verified]
    maps: dict[str, dict[str, np.ndarray]]
    refused: dict[str, str]
    growth: tuple[float, float]
    delays: list[dict[str, Any]]
    specimens: list[dict[str, Any]]
    manifest: dict[str, Any]

    def of(self, case: str, devices: Devices) -> cases.Run:
        return self.runs[case, devices.name]


def simulate(settings: Settings, progress: Progress) -> Found:
    """The runs of a seed of the white noise."""
    record = white_noise(seed=settings.seed)
    progress(0.0)
    pairs = [(case, devices) for devices in LINE_UP for case in CASES] + [(case, FAST) for case in BY_ACTUATOR]
    runs = {}
    for i, (case, devices) in enumerate(pairs):
        runs[case, devices.name] = cases.run(case, devices, record)
        progress(0.5 * (i + 1) / len(pairs))
    delays = assumptions.over_delays(record)
    progress(0.65)
    specimens = assumptions.over_specimens(record)
    progress(0.7)
    storeys = floors.runs(record)
    progress(0.75)
    whole = laboratory.response(record)
    demands = {inertia: Demands(whole, inertia=inertia) for inertia in INERTIAS}
    choices = [laboratory.verified(each, record) for each in demands.values()]
    progress(0.85)
    maps = {inertia: usage(each) for inertia, each in demands.items()}
    progress(0.95)
    program = cases.program("7", PERFECT, record)
    engine = "c" if program.compiler_problem is None else "python"
    found = Found(
        record, runs, storeys, choices, maps, refusals.sentences(record, whole), refusals.growth(record), delays,
        specimens,        manifest.describe(program, {}, engine),
    )  # fmt: skip
    progress(1.0)
    return found


def usage(demands: Demands) -> dict[str, np.ndarray]:
    """The use of each capacity at (alpha_m, alpha_l), rows of alpha_m."""
    points = [[demands.uses(laboratory.CAPACITIES, float(al), float(am)) for al in LOADS] for am in MASSES]
    return {name: np.array([[uses[name] for uses in row] for row in points]) for name in points[0][0]}
