"""The loading cases of Shao's Table 3, run with devices that are ideal, late or slow, beside the whole structure.

    a = A_g u_g'' + A_x x'',   F = M (F_g u_g'' + F_x x'')                     what table and actuator are told
    A_x = beta alpha_m / (1 - alpha_m),   A_g = 1 - alpha_l + A_x
    F_x = -(1 - beta) alpha_m,            F_g = -alpha_l (1 - alpha_m) + F_x

Peak error: largest difference of the displacement over the largest displacement of the whole structure; rms error
alike. Delay: the shift of largest correlation, each overlap divided by its own norms, between ticks by a parabola;
amplitude: least squares of the response on the whole structure's at that shift, to the nearest tick.

The cases "5 (Eq. 2)" and "7 (Eq. 2)" are those of Eq. 2 as printed: the actuator applies the inertia of the virtual
mass (beta = 0). Table 3 has beta = 1 - alpha_l.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import Record
from hybsim.diagrams.force_based import CASES as TABLE_3
from hybsim.diagrams.force_based import (
    DT,
    IDEAL,
    MASS,
    TABLE_DELAY,
    VIRTUAL,
    Device,
    force_based,
    table_3_specimen,
)
from hybsim.runtime.program import Program, compile
from hybsim.studies.force.reference import solved
from hybsim.studies.tracking import nrms, peak_error

DURATION, REACH = 20.0, 0.03

CASES: dict[str, tuple[float, float, float]] = {
    **{str(case): split for case, split in TABLE_3.items()},
    "5 (Eq. 2)": (VIRTUAL, 0.0, 0.0),
    "7 (Eq. 2)": (VIRTUAL, 0.5, 0.0),
}
"""alpha_m, alpha_l as in Eq. 2, beta."""

WITH_TABLE = tuple(case for case, (_, alpha_l, _) in CASES.items() if alpha_l < 1.0)
ACTUATOR_ONLY = tuple(case for case in CASES if case not in WITH_TABLE)

PRINTED: dict[int, tuple[str, str, str, str]] = {
    1: ("1", "0", "0", "0"), 2: ("1", "0", "0", "0"), 3: ("0", "0", "-1", "0"), 4: ("0.5", "0", "-0.5", "0"),
    5: ("4.45", "3.35", "0", "0"), 6: ("0", "0", "-1", "-0.77"), 7: ("2.17", "1.67", "-0.5", "-0.385"),
}  # fmt: skip
"""A_g, A_x, F_g, F_x of Table 3; -0.385 is printed as the product -0.5 x 0.77."""

CORRECTED = {5: ("4.35", "3.35", "0", "0")}

SECOND_ORDER = Device(frequency=0.7 / (np.pi * TABLE_DELAY), damping_ratio=0.7)
FIRST_ORDER = Device(time_constant=TABLE_DELAY)
LATE = Device(delay=TABLE_DELAY)


@dataclass(frozen=True)
class Devices:
    """What the table and the actuator do to their commands, and where the inertia comes from."""

    name: str
    prose: str
    table: Device = IDEAL
    actuator: Device = IDEAL
    command: str = "model"
    dt: float = DT


PERFECT = Devices("ideal", "ideal devices")
TABLE_LATE = Devices("table late", "table 13 ms late", table=LATE)
ACTUATOR_LATE = Devices("actuator late", "actuator 13 ms late", actuator=LATE)
BOTH_LATE = Devices("both late", "table and actuator 13 ms late", table=LATE, actuator=LATE)
TABLE_SLOW = Devices("table slow", "table of 17.1 Hz, 70 %", table=SECOND_ORDER)
ACTUATOR_SLOW = Devices("actuator slow", "actuator with a lag of 13 ms", actuator=FIRST_ORDER)
BOTH_SLOW = Devices("both slow", "table of 17.1 Hz and actuator with a lag of 13 ms", SECOND_ORDER, FIRST_ORDER)
MEASURED = Devices("both slow, measured", "the same, inertia from the measured acceleration", SECOND_ORDER,
                   FIRST_ORDER, "measured")  # fmt: skip
FAST = Devices("table late, measured", "table 13 ms late, actuator with a lag of 0.1 ms, measured acceleration",
               LATE, Device(time_constant=1e-4), "measured", 5e-5)  # fmt: skip
"""An actuator that is all but ideal: an ideal one would close an algebraic loop with the measured acceleration."""

LINE_UP = (PERFECT, TABLE_LATE, ACTUATOR_LATE, BOTH_LATE, TABLE_SLOW, ACTUATOR_SLOW, BOTH_SLOW, MEASURED)
BY_ACTUATOR = tuple(case for case, (_, _, beta) in CASES.items() if beta == 0.0)
"""Cases whose virtual inertia, if any, is the actuator's."""


def factors(alpha_m: float, alpha_l: float, beta: float) -> tuple[float, float, float, float]:
    """A_g, A_x, F_g, F_x in closed form."""
    on_table, on_actuator = beta * alpha_m / (1.0 - alpha_m), -(1.0 - beta) * alpha_m
    return (1.0 - alpha_l + on_table, on_table, on_actuator - alpha_l * (1.0 - alpha_m), on_actuator)


@dataclass(frozen=True)
class Run:
    """One loading case with one set of devices, beside the whole structure; displacements every millisecond."""

    case: str
    devices: Devices
    disp: np.ndarray
    whole: np.ndarray
    fitted: tuple[float, float, float, float]

    @property
    def peak_error(self) -> float:
        return peak_error(self.whole, self.disp)

    @property
    def rms_error(self) -> float:
        return nrms(self.whole, self.disp)

    @property
    def peak_ratio(self) -> float:
        return float(np.abs(self.disp).max() / np.abs(self.whole).max())

    @cached_property
    def shift(self) -> tuple[float, float]:
        """Delay in s and amplitude."""
        ticks = range(-round(REACH / DT), round(REACH / DT) + 1)
        alike = np.array([correlation(self.whole, self.disp, shift)[0] for shift in ticks])
        best = int(np.argmax(alike[1:-1])) + 1
        before, top, after = alike[best - 1 : best + 2]
        between = 0.5 * (before - after) / (before - 2.0 * top + after)
        return float(ticks[best] + between) * DT, correlation(self.whole, self.disp, ticks[best])[1]

    def row(self) -> dict[str, Any]:
        alpha_m, alpha_l, beta = CASES[self.case]
        return {
            "case": self.case, "devices": self.devices.name, "alpha_m": alpha_m, "alpha_l": alpha_l, "beta": beta,
            "peak_disp_m": float(np.abs(self.disp).max()), "peak_disp_whole_m": float(np.abs(self.whole).max()),
            "peak_error": self.peak_error, "rms_error": self.rms_error, "peak_ratio": self.peak_ratio,
            "delay_s": self.shift[0], "amplitude": self.shift[1],
        }  # fmt: skip


def correlation(whole: np.ndarray, disp: np.ndarray, shift: int) -> tuple[float, float]:
    """Of disp with whole, `shift` ticks before; and the least-squares factor."""
    n = len(whole)
    c, a = whole[max(-shift, 0) : n - max(shift, 0)], disp[max(shift, 0) : n - max(-shift, 0)]
    return float(c @ a / np.sqrt((c @ c) * (a @ a))), float(c @ a / (c @ c))


def program(case: str, devices: Devices, record: Record, specimen: Mapping[str, float] | None = None) -> Program:
    alpha_m, alpha_l, beta = CASES[case]
    parts: dict[str, Any] = dict(specimen or table_3_specimen())
    return compile(
        force_based(
            **parts, record=record, alpha_m=alpha_m, alpha_l=alpha_l, inertia_on_table=beta,
            table=devices.table, actuator=devices.actuator, command=devices.command, dt=devices.dt,
            name="table_3",
        )
    )  # fmt: skip


def run(case: str, devices: Devices, record: Record, specimen: Mapping[str, float] | None = None) -> Run:
    """The frame of Table 3, or another one of its mass."""
    result = program(case, devices, record, specimen).run(DURATION)
    told = np.column_stack([result["command.accel_table"], result["command.force_cmd"] / MASS])
    motions = np.column_stack([result["ground.accel"], result["accel"]])
    found = np.linalg.lstsq(motions, told, rcond=None)[0].T.ravel()
    whole = solved(result["ground.accel"], devices.dt, **(specimen or table_3_specimen())).disp[:, 0]
    every = round(DT / devices.dt)
    return Run(case, devices, result["disp"][::every], whole[::every], tuple(map(float, found)))  # type: ignore[arg-type]
