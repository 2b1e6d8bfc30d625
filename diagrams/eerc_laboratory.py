"""EERC's two-storey frame tick by tick as in the laboratory, with its rig as a subsystem: 1000 ticks a second.

    integrator   a step of 0.01 s every 1200 ticks                 -> target of the two actuators
    generator    extrapolates, then interpolates, ahead by `lead`  -> disp_cmd_1, disp_cmd_2
    rig          actuators late by `lag`, half columns, load cells and transducers
                 disp_meas_i = position + noise,  force_meas_i     -> integrator and monitors

A step of 0.01 s of the model lasts 1.2 s in the laboratory (TIME_SCALE = 120, `time_scale` in the rig file), so a tick
of the diagram is 0.01 / 1200 s and one of the laboratory 1 ms. Apart from the monitor `energy` and the noise, which
the transducers have at every tick here, it is fig_6_1 with ticks_per_step=1200, bit for bit.

The rig's answers come from its state (a lag is at least a tick), so the cut adds no tick. `energy` has the index that
the guard watches, in the coordinates of the structure; its strain energy is that of both storeys at yield:

    E^strain = 4 sum 1/2 k u_y^2,   four half columns a storey, u_y as at an actuator (Table 7-2)

`excitation.K`, 1, fades the record out. Units: kip, inch, second.

Mosqueda, Stojadinovic, Mahin (2005), UCB/EERC 2005-02, Secs. 4.4, 5.2, 5.5.2 and 6.2-6.4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hybsim.diagrams.eerc_chapter6 import (
    BOUC_WEN,
    DISP_SCALE,
    DRIFTS,
    K_COMP,
    LAG,
    STEP,
    TIME_SCALE,
    UNITS,
    WORK,
    check_specimen,
    ground_motion,
    half_columns,
    wire_frame,
)
from hybsim.wiring import BDSim, subsystem

TICKS_PER_STEP = 1200

LONGEST_LAG = 0.2
"""Of a sweep, in seconds in the laboratory."""


def eerc_frame(
    *,
    specimen: str = "bouc-wen",
    record: Any = "tabas",
    pga: float | None = 0.378,
    record_time_scale: float = 3.0**-0.5,
    lag: tuple[float, float] = LAG,
    lead: tuple[float, float] = K_COMP,
    noise: float = 0.0,
    seed: int = 1,
    stiffness: tuple[float, float] = (2.74, 2.74),
    ticks_per_step: int = TICKS_PER_STEP,
) -> Any:
    """The frame under a record (in g) scaled to a peak of `pga`; None leaves it as it is. See fig_6_1.

    lag, lead   of each actuator, in seconds of the laboratory; a lag is at least a tick
    noise       standard deviation in inches of the measured displacements, at every tick
    """
    check_specimen(specimen)
    bd = BDSim().blockdiagram("eerc_frame", dt=STEP / ticks_per_step)
    units = {name: unit for name, unit in UNITS.items() if not name.startswith(("column", "position"))}
    bd.units = units | {"rig/column1.force": "kip", "rig/column2.force": "kip", "energy.e_input": "kip in"}
    step = bd.clock(STEP, name="step")

    def rig(sub: Any, disp_cmd_1: Any, disp_cmd_2: Any) -> dict[str, Any]:
        actuators = [
            sub.DELAY(
                name=f"actuator{i + 1}", delay=lag[i] / TIME_SCALE, min_delay=bd.dt,
                max_delay=LONGEST_LAG / TIME_SCALE, inputs=[command],
            )
            for i, command in enumerate((disp_cmd_1, disp_cmd_2))
        ]  # fmt: skip
        transducers = sub.NORMAL(name="noise", variance=noise**2, seed=seed, width=2)
        heard = sub.DEMUX(2, name="heard", inputs=[transducers])
        measured = [sub.SUM("++", name=f"measured{i + 1}", inputs=[actuators[i], heard[i]]) for i in range(2)]
        forces = half_columns(sub, specimen, stiffness, actuators)
        return {
            "disp_meas_1": measured[0], "disp_meas_2": measured[1], "force_meas_1": forces[0], "force_meas_2": forces[1]
        }  # fmt: skip

    signals: dict[str, Any] = {}

    def physical(commands: Any) -> tuple[Any, Any]:
        block = subsystem(bd, rig, inputs=[commands[0], commands[1]])
        signals["measured"] = bd.MUX(2, name="measured", inputs=[block[0], block[1]])
        return signals["measured"], bd.MUX(2, name="force_meas", inputs=[block[2], block[3]])

    ground = ground_motion(bd, step, record, pga, record_time_scale)
    excitation = bd.GAIN(1.0, name="excitation", inputs=[ground])
    wire_frame(bd, step, excitation, physical, lead=lead, stiffness=stiffness, ticks_per_step=ticks_per_step)

    to_floors = np.linalg.inv(DRIFTS) / DISP_SCALE
    floors = bd.GAIN(to_floors, premul=True, name="disp_floors", inputs=[signals["measured"]])
    at_yield = 0.5 * sum(stiffness) * BOUC_WEN["yield_disp"] ** 2
    energy = bd.ENERGY(name="energy", strain_energy=WORK * at_yield, width=2, clock=step)
    blocks = bd.blocknames
    bd.connect(blocks["integrator"].disp_target, energy.disp_cmd)
    bd.connect(floors, energy.disp_meas)
    bd.connect(blocks["restoring"], energy.force_meas)
    bd.connect(blocks["load"], energy.load)
    return bd
