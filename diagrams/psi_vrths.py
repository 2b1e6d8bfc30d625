"""The real-time hybrid simulation of PSI Sec. 4.3 at 4096 Hz, with its rig as a subsystem: ready for the laboratory.

    numerical   (M - m) a + (C - c) v + (K - k) d + F = -M a_g                    Newmark's explicit method
    command     polynomial of the target, `horizon` ahead                         compensator
    rig         command -> communication, held for a tick -> TS_1 -> position, velocity, acceleration
                F = m a + c v + k d -> force_meas,   position -> disp_meas

    M, C, K   98.4 kg, 88.7 N s/m, 106.7 kN/m: omega_n = 32.9 rad/s, zeta = 0.014
    m, c, k   a quarter of the mass and of the stiffness: 24.6 kg, 15.8 N s/m, 26.7 kN/m (Table 4.3)

The document's transfer system has a delay of 14.4 ms; TS_1, an identified actuator of the same laboratory, has 13.4.
Computation takes half a tick, the hold of the command, and communication one tick: Table 4.2. Together 13.7 ms.

As the physical shares of mass and stiffness are equal, its force all but vanishes at the natural frequency, and no
delay makes the loop unstable: the test needs no compensator (PSI = infinity), `horizon` is 0. With the whole delay as
the horizon (`DELAY`) the error is a tenth, and the acceleration of the commands four times as much.

Units: metre, newton, kilogram, second.

Maghareh, Dyke, Prakash, Rhoads (2013), Purdue University, IISL-004.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hybsim.blocks.actuators.identified import IDENTIFIED
from hybsim.blocks.sources.records import load_record
from hybsim.diagrams.sdof_rths import G, actuator_motion
from hybsim.wiring import BDSim, subsystem

RATE = 4096.0
"""Hz."""

WHOLE = (98.4, 88.7, 10.67e4)
PHYSICAL = (24.6, 15.8, 2.67e4)
"""Mass, damping and stiffness of Table 4.3."""

ACTUATOR = "TS_1"
COMMUNICATION = 1.0 / 4096.0
DELAY = IDENTIFIED[ACTUATOR][1][3] / IDENTIFIED[ACTUATOR][1][4] + 0.5 / RATE + COMMUNICATION
"""Of the actuator at low frequency, of the hold and of communication, in s."""

LONGEST = 0.002
"""The longest communication of a sweep of `rig/communication.delay`, in s."""

PGA = 0.061
"""g, as of the record of the document."""

STRAIN_DISP = 0.003
"""Displacement in m whose strain energy in the specimen is the measure of energy errors: about the largest."""

UNITS = {
    "record.accel": "m/s2", "load.out": "N", "structure.disp_target": "m", "structure.vel": "m/s",
    "structure.accel": "m/s2", "spring.force": "N", "compensator.predicted": "m", "rig/communication.delayed": "m",
    "rig/specimen.out": "N", "restoring.out": "N", "energy.e_experimental": "N m", "energy.e_error": "N m",
    "energy.e_input": "N m",
}  # fmt: skip


def psi_vrths(
    *, record: Any = "elcentro", pga: float | None = PGA, horizon: float = 0.0, order: int = 2, dt: float = 1.0 / RATE
) -> Any:
    """The test under a record (in g) scaled to a peak of `pga`; None leaves it as it is.

    `horizon` is how far the command leads the target, in s, and `order` the degree of the polynomial that does it.
    """
    bd = BDSim().blockdiagram("psi_vrths", dt=dt)
    bd.units = UNITS
    mass, damping, stiffness = (whole - part for whole, part in zip(WHOLE, PHYSICAL, strict=True))
    motion = load_record(record)

    def rig(sub: Any, disp_cmd: Any) -> dict[str, Any]:
        sent = sub.DELAY(
            name="communication", delay=COMMUNICATION, min_delay=bd.dt, max_delay=LONGEST, inputs=[disp_cmd]
        )
        moved = sub.ACTUATOR_S(name="actuator", system=actuator_motion(ACTUATOR), inputs=[sent])
        force = sub.GAIN(np.array(PHYSICAL[::-1]), name="specimen", inputs=[moved])
        position = sub.DEMUX(3, name="motion", inputs=[moved])[0]
        return {"force_meas": force, "disp_meas": position}

    ground = bd.GROUNDMOTION(name="record", record=motion, scale=G if pga is None else G * pga / motion.pga)
    load = bd.GAIN(-WHOLE[0], name="load", inputs=[ground])
    structure = bd.NEWMARK(name="structure", mass=mass, damping=damping)
    spring = bd.SPRING(name="spring", stiffness=stiffness, inputs=[structure.disp_target])
    command = bd.PREDICTOR(name="compensator", horizon=horizon, order=order, inputs=[structure.disp_target])
    physical = subsystem(bd, rig, inputs=[command])
    restoring = bd.SUM("++", name="restoring", inputs=[spring, physical[0]])
    energy = bd.ENERGY(name="energy", strain_energy=0.5 * PHYSICAL[2] * STRAIN_DISP**2)
    bd.connect(load, structure.load, energy.load)
    bd.connect(restoring, structure.force)
    bd.connect(structure.disp_target, energy.disp_cmd)
    bd.connect(physical[0], energy.force_meas)
    bd.connect(physical[1], energy.disp_meas)
    return bd
