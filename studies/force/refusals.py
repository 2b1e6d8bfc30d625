"""What the formulation cannot do: the sentences with which it is refused, and one forbidden test run all the same.

An acceleration measured tau late multiplies the fast errors of a virtual mass by alpha_m / (1 - alpha_m) in each tau.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import Record
from hybsim.diagrams.force_based import DT, VIRTUAL, Device, force_based, table_3, table_3_specimen, two_floors
from hybsim.errors import HybsimError
from hybsim.runtime.program import compile
from hybsim.studies.force.capacities import Capacities, Demands, Response, best
from hybsim.studies.force.floors import splitting

MEASURED_DELAY = 0.013


def attempts(record: Record, response: Response) -> dict[str, Callable[[], Any]]:
    """Tests that are refused, by what is wrong with them."""
    one, two = dict(table_3_specimen(), record=record), dict(two_floors(), record=record)
    return {
        "a virtual mass of 120 %": lambda: force_based(**one, alpha_m=1.2),
        "a share of the load below 0": lambda: force_based(**one, alpha_l=-0.1),
        "a full matrix with an eigenvalue above 1": lambda: force_based(**two, alpha_m=[[0.8, 0.4], [0.4, 0.8]]),
        "case 6 with a measured acceleration 13 ms late": lambda: table_3(
            case=6, record=record, command="measured", measured_delay=MEASURED_DELAY
        ),
        "case 5 with a measured acceleration and a late table": lambda: table_3(
            case=5, record=record, command="measured", table=Device(delay=MEASURED_DELAY)
        ),
        "case 6 with a measured acceleration and nothing late": lambda: compile(
            table_3(case=6, record=record, command="measured")
        ),
        "the inertia of a full virtual mass on the table": lambda: force_based(
            **two, **splitting(), inertia_on_table=0.5
        ),
        "a specimen without mass": lambda: force_based(**one, alpha_m=1.0),
        "a laboratory that is too small": lambda: best(
            Demands(response), Capacities(actuator_force=20.0, table_stroke=0.02, table_payload=40.0)
        ),
    }


def sentences(record: Record, response: Response) -> dict[str, str]:
    """What each of them is told."""
    told = {}
    for what, attempt in attempts(record, response).items():
        try:
            attempt()
        except HybsimError as refused:
            told[what] = str(refused)
        else:
            raise AssertionError(f"{what} was not refused")
    return told


def growth(record: Record) -> tuple[float, float]:
    """By how much the largest acceleration grows in each delay if case 6 is run late all the same; and theory."""
    bd = table_3(case=6, record=record, command="measured", measured_delay=MEASURED_DELAY, allow_unstable=True)
    accel = np.abs(compile(bd).run(20 * MEASURED_DELAY)["accel"])
    ticks = round(MEASURED_DELAY / DT)
    peaks = accel[: 20 * ticks].reshape(20, ticks).max(axis=1)
    return float((peaks[-1] / peaks[-6]) ** 0.2), VIRTUAL / (1.0 - VIRTUAL)
