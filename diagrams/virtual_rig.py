"""A real-time test with its rig as a subsystem: what to cut at, before a test and for the laboratory.

    m a + c v + r = -m a_g,    T = 2 pi sqrt(m / k),    c = 2 zeta sqrt(k m)         computed
    command = polynomial of the target, `horizon` ahead                              compensator
    rig: command -> actuator -> specimen -> force_meas, disp_meas                    physical

The subsystem `rig` holds all that is physical: the identified actuator TS_1 (a delay of 13.4 ms at low frequency) and
a spring or a Bouc-Wen specimen. Without compensation (horizon = 0) a delay tau takes omega tau / 2 of the damping:
4.3 % of the 5 % at T = 1 s. Units: kip, inch, second.
"""

from __future__ import annotations

import math
from typing import Any

from hybsim.diagrams.eerc_chapter3 import G
from hybsim.errors import ParameterError
from hybsim.wiring import BDSim, subsystem

DELAY = 3.182e7 / 2.382e9
"""Delay of TS_1 at low frequency, a_1/a_0, in s."""

SPECIMENS = ("linear", "bouc-wen")


def virtual_rig(
    *,
    specimen: str = "linear",
    horizon: float | None = None,
    order: int = 2,
    period: float = 1.0,
    damping_ratio: float = 0.05,
    stiffness: float = 10.0,
    yield_disp: float = 1.0,
    record: Any = "elcentro",
    amplitude: float = 0.2,
    dt: float = 1.0 / 1024.0,
) -> Any:
    """The test; `horizon` is how far the command leads the target in s, None for the delay of actuator and hold."""
    if specimen not in SPECIMENS:
        raise ParameterError(f"The specimen must be one of {', '.join(map(repr, SPECIMENS))}, got {specimen!r}.")
    bd = BDSim().blockdiagram("virtual_rig", dt=dt)
    bd.units = {"structure.disp_target": "in", "rig/specimen.force": "kip", "rig/actuator.position": "in"}
    mass = stiffness * (period / (2.0 * math.pi)) ** 2

    def rig(sub: Any, disp_cmd: Any) -> dict[str, Any]:
        actuator = sub.ACTUATOR_S(name="actuator", system="TS_1", inputs=[disp_cmd])
        if specimen == "linear":
            force = sub.SPRING(name="specimen", stiffness=stiffness, inputs=[actuator])
        else:
            force = sub.BOUCWEN(name="specimen", stiffness=stiffness, yield_disp=yield_disp, inputs=[actuator])
        return {"force_meas": force, "disp_meas": actuator}

    ground = bd.GROUNDMOTION(name="record", record=record, scale=amplitude * G)
    load = bd.GAIN(-mass, name="load", inputs=[ground])
    structure = bd.NEWMARK(name="structure", mass=mass, damping=2.0 * damping_ratio * math.sqrt(stiffness * mass))
    lead = DELAY + 0.5 * dt if horizon is None else horizon
    command = bd.PREDICTOR(name="compensator", horizon=lead, order=order, inputs=[structure.disp_target])
    physical = subsystem(bd, rig, inputs=[command])
    energy = bd.ENERGY(name="energy", strain_energy=0.5 * stiffness * yield_disp**2)
    bd.connect(load, structure.load, energy.load)
    bd.connect(physical[0], structure.force, energy.force_meas)
    bd.connect(structure.disp_target, energy.disp_cmd)
    bd.connect(physical[1], energy.disp_meas)
    return bd
