"""EERC Fig. 3-5 as a hand-written C loop, with the numbers of the diagram it is compared with."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import hand_written
import numpy as np

import hybsim as hs
from hybsim.diagrams import fig_3_5

DURATION = 40.0
SPECIMENS = ("linear", "elastic-plastic")
SIGNALS = 13

_NUMBERS = "dt mass_gain damping solve solve_first lag_mean lag_deviation stiffness yield_disp yield_force strain noise"


class Parameters(ctypes.Structure):
    """As in fig_3_5.c."""

    _fields_ = [
        *((name, ctypes.c_double) for name in _NUMBERS.split()),
        ("stream", ctypes.c_double * 6),
        ("record", ctypes.c_void_p),
        ("record_length", ctypes.c_int64),
    ]


def diagram(specimen: str) -> Any:
    return fig_3_5(specimen=specimen)


def hand_written_loop(program: hs.Program, specimen: str, *, seed: int) -> hand_written.Loop:
    """The loop with the parameters of the program: as given where they are, else from their definitions."""
    given = program.parameters
    dt, mass, damping = program.dt, float(given["integrator.mass"].item()), float(given["integrator.damping"].item())
    stiffness, yield_disp = given["specimen.stiffness"], given.get("specimen.yield_disp", 1.0)
    # The record as sampled and the seeded noise are inputs of the loop, as tables read from a file would be.
    nodes = {node.name: node for node in program.graph.nodes}
    record, noise = nodes["record"].prepared.p, program.prepare(nodes["noise"], {"seed": seed}).x
    table = np.ascontiguousarray(record["table"][: int(record["count"])])
    return hand_written.Loop(
        "fig_3_5.c",
        f"fig_3_5_{specimen.replace('-', '_')}",
        Parameters(
            dt, float(given["load.K"]), damping, 1.0 / (mass + 0.5 * dt * damping), 1.0 / mass,
            given["lag.mean"], math.sqrt(given["lag.variance"]), stiffness, yield_disp, stiffness * yield_disp,
            given["energy.strain_energy"], float(noise["z"][0]), (ctypes.c_double * 6)(*noise["rng"]),
            table.ctypes.data, table.size,
        ),
        columns=SIGNALS,
        table=table,
    )  # fmt: skip
