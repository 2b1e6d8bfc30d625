"""A small laboratory with limited devices: the splitting it can afford, and what the diagram asks of its devices then.

The demands of every splitting are predicted from the response of the whole structure (see capacities.py); the splitting
that leaves the largest margin is then run as a diagram, and the peaks are read off its own signals: force and table
acceleration as commanded, relative motion of the specimen, and the table acceleration integrated twice.

The frame is that of Table 3; the capacities are numbers of our own, chosen so that neither the table nor the actuator
can do the test alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import Record
from hybsim.diagrams.force_based import DT, MASS, force_based, table_3_specimen
from hybsim.runtime.program import compile
from hybsim.studies.force.capacities import Capacities, Choice, Demands, Response, integrated, least_use, refusal
from hybsim.studies.force.cases import DURATION
from hybsim.studies.force.reference import solved

CAPACITIES = Capacities(
    actuator_force=72.0, actuator_stroke=0.07, actuator_velocity=0.26,
    table_acceleration=1.2, table_stroke=0.06, table_velocity=0.12, table_force=240.0, table_payload=60.0,
)  # fmt: skip
TABLE_MASS = 30.0
LOWEST = 0.1

UNITS = {"force": ("N", 1.0), "stroke": ("mm", 1e3), "velocity": ("m/s", 1.0), "acceleration": ("m/s2", 1.0),
         "payload": ("kg", 1.0)}  # fmt: skip


@dataclass(frozen=True)
class Verified:
    """A splitting, its predicted demands and those of the diagram."""

    inertia: str
    choice: Choice
    predicted: Mapping[str, float]
    measured: Mapping[str, float]
    refused: str | None

    @property
    def difference(self) -> float:
        """The largest, relative."""
        return max(abs(self.measured[name] / self.predicted[name] - 1.0) for name in CAPACITIES.given())

    def row(self) -> dict[str, Any]:
        return {
            "inertia": self.inertia, "alpha_l": self.choice.alpha_l, "alpha_m": self.choice.alpha_m,
            "margin": self.choice.margin, "refused": self.refused,
            **{f"predicted_{name}": value for name, value in self.predicted.items()},
            **{f"measured_{name}": value for name, value in self.measured.items()},
        }  # fmt: skip


def response(record: Record, specimen: Mapping[str, float] | None = None) -> Response:
    """A whole frame at the ticks of the record, one period of it: that of Table 3, or mass, damping and stiffness."""
    parts = dict(specimen or table_3_specimen())
    whole = solved(record.accel, record.dt, **parts)
    return Response(
        mass=parts["mass"], dt=record.dt, ground=record.accel, disp=whole.disp[:, 0], vel=whole.vel[:, 0],
        accel=whole.accel[:, 0], lowest=LOWEST, table_mass=TABLE_MASS,
    )  # fmt: skip


def measured(record: Record, alpha_l: float, alpha_m: float, beta: float) -> dict[str, float]:
    """The demands by the diagram's own signals."""
    bd = force_based(**table_3_specimen(), record=record, alpha_m=alpha_m, alpha_l=alpha_l, inertia_on_table=beta)
    result = compile(bd).run(DURATION)
    a, force, x, v, spring = (
        result[name][: len(record.accel)]
        for name in ("command.accel_table", "command.force_cmd", "disp", "vel", "force")
    )
    speed, place = integrated(a, DT, LOWEST)
    shear = spring + table_3_specimen()["damping"] * v
    histories = dict(
        actuator_force=force, actuator_stroke=x + place, actuator_velocity=v + speed, table_acceleration=a,
        table_stroke=place, table_velocity=speed, table_force=TABLE_MASS * a - shear,
    )  # fmt: skip
    return {name: float(np.abs(history).max()) for name, history in histories.items()} | dict(
        table_payload=(1.0 - alpha_m) * MASS
    )


def verified(demands: Demands, record: Record) -> Verified:
    """The splitting of the largest margin, run as a diagram; below zero, no splitting is feasible."""
    choice = least_use(demands, CAPACITIES)
    beta = 1.0 - choice.alpha_l if demands.inertia == "table 3" else 0.0
    return Verified(
        demands.inertia,
        choice,
        demands.of(choice.alpha_l, choice.alpha_m),
        measured(record, choice.alpha_l, choice.alpha_m, beta),
        refusal(choice, demands, CAPACITIES) if choice.use > 1.0 else None,
    )
