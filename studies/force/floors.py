"""Two floors in the laboratory with full splitting matrices, a third one computed, beside the whole structure.

    alpha_m = M^v M^-1,   alpha_c = C^v C^-1,   alpha_f = K^v K^-1            full matrices; v: the virtual part

Virtual are: part of each floor's mass and of the coupling between them, a share of each storey's dashpots and of each
storey's columns. The table applies half of the ground motion; the actuators the rest, the virtual parts, and the
interface force of the computed floor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import Record
from hybsim.diagrams.force_based import DT, IDEAL, MASS, TABLE_DELAY, Device, force_based, two_floors
from hybsim.runtime.program import compile
from hybsim.studies.force.cases import DURATION
from hybsim.studies.force.reference import solved
from hybsim.studies.tracking import nrms, peak_error

VIRTUAL_MASS = MASS * np.array([[0.45, 0.08], [0.08, 0.30]])
VIRTUAL_STOREYS = {"damping": (0.2, 0.4), "stiffness": (0.1, 0.3)}
"""Share of the first and second storey."""

ALPHA_L = 0.5
DRIFTS = np.array([[1.0, 0.0], [-1.0, 1.0]])

FLOORS = ("first floor", "second floor", "computed floor")


def splitting() -> dict[str, Any]:
    """alpha_m, alpha_c, alpha_f and alpha_l."""
    specimen = two_floors()
    storeys = {name: DRIFTS.T @ np.diag(shares) @ DRIFTS for name, shares in VIRTUAL_STOREYS.items()}
    # The matrices of damping and stiffness are those of two equal storeys.
    whole = DRIFTS.T @ DRIFTS
    return dict(
        alpha_m=VIRTUAL_MASS @ np.linalg.inv(specimen["mass"]),
        alpha_c=storeys["damping"] @ np.linalg.inv(whole),
        alpha_f=storeys["stiffness"] @ np.linalg.inv(whole),
        alpha_l=ALPHA_L,
    )


@dataclass(frozen=True)
class Run:
    """Displacements of the three floors in the split test and in the whole structure, one column each."""

    name: str
    disp: np.ndarray
    whole: np.ndarray

    def errors(self, floor: int) -> tuple[float, float]:
        """Peak and rms."""
        return peak_error(self.whole[:, floor], self.disp[:, floor]), nrms(self.whole[:, floor], self.disp[:, floor])

    def row(self) -> dict[str, Any]:
        row: dict[str, Any] = {"devices": self.name}
        for i, floor in enumerate(FLOORS):
            key = floor.replace(" ", "_")
            peak, rms = self.errors(i)
            row |= {
                f"{key}_peak_m": float(np.abs(self.disp[:, i]).max()),
                f"{key}_peak_whole_m": float(np.abs(self.whole[:, i]).max()),
                f"{key}_peak_error": peak,
                f"{key}_rms_error": rms,
            }
        return row


DEVICES: dict[str, dict[str, Any]] = {
    "ideal devices": dict(table=IDEAL, actuator=IDEAL),
    "table 13 ms late": dict(table=Device(delay=TABLE_DELAY)),
    "actuators 1 ms late": dict(actuator=Device(delay=0.001)),
    "actuators 13 ms late": dict(actuator=Device(delay=TABLE_DELAY)),
    "table and actuators 13 ms late": dict(table=Device(delay=TABLE_DELAY), actuator=Device(delay=TABLE_DELAY)),
}


def runs(record: Record) -> list[Run]:
    specimen, found = two_floors(), []
    for name, devices in DEVICES.items():
        bd = force_based(**specimen, **splitting(), **devices, record=record, name="two_floors")
        result = compile(bd).run(DURATION)
        whole = solved(result["ground.accel"], DT, **specimen).disp
        found.append(Run(name, np.column_stack([result["disp"], result["numerical_disp"]]), whole))
    return found
