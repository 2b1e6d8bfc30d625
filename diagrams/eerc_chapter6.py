"""The two-storey shear frame of EERC Chapters 6 and 7: a numerical frame whose columns are specimens.

    M a + C v + r = -M 1 a_g,     C = (2 zeta / omega_1) K          5 % of critical damping in the first mode
    u^ac = 1/2 T d                 half a storey's drift for the half column at an actuator               (6.2)
    r    = 2 T^T r^am              a storey has two columns, of twice the shear of a half column          (6.4)

    T = [1 0; -1 1]                from the floors to the drifts of the storeys                           (6.3)

Floor mass 4 kip/g, columns of 2.8 kip/in at the actuator and (as 2 x 1/2 = 1) in the storey: periods of 0.62 and
0.24 s. The integrator takes steps of 0.01 s. In the test a step lasted 1.2 s: times of the laboratory (lag, lead) are
given in seconds there and divided by TIME_SCALE = 120 for the model.

One step, of `ticks_per_step` ticks (1200 in the test; fewer change nothing that can be seen): the force of the target
reached is taken at the first tick; the generator extrapolates while the next target is computed (0.286 s in the mean)
and interpolates from then on, ahead of its time by `lead` (k_comp); the actuators are late by `lag`, a pure delay as
it was measured at the low frequencies of the test; the columns follow the positions all the way, not in one stride.

First storey: the Bouc-Wen column of Table 7-2, whose numbers are those at the actuator; second storey: linear. Both are
linear for specimen="linear". `measured` is the position with white noise of the transducers, which the monitors get and
the integrator does not. The energies of `error` and `error_stiffness` are at the actuators; times WORK = 4 they are the
structure's, as those of `balance` are.

Mosqueda, Stojadinovic, Mahin (2005), UCB/EERC 2005-02, Secs. 6.2-6.4 and 7.3; Eq. 6.1 corrected: the load is -M 1 a_g.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybsim.blocks.actuators.degrees_of_freedom import storey_drifts
from hybsim.blocks.sources.records import Record, load_record
from hybsim.errors import ParameterError
from hybsim.wiring import BDSim

G = 386.1
"""Standard gravity in in/s2."""

FLOOR_WEIGHT = 4.0
"""kip."""

STIFFNESS = 2.8
"""Of a storey as designed, in kip/in; the damping is proportional to it."""

DAMPING_RATIO = 0.05
DRIFTS = storey_drifts(2)
DISP_SCALE, FORCE_SCALE = 0.5, 2.0
WORK = FORCE_SCALE / DISP_SCALE
"""Work in the structure over work at the actuators: a storey has four half columns."""

STEP = 0.01
TIME_SCALE = 120.0
"""Seconds in the laboratory for one of the model: a step of 0.01 s took 1.2 s."""

COMPUTE_TIME = 0.286
"""Mean seconds in the laboratory from a force to the next target (Fig. 5-12d)."""

LAG = (0.090, 0.078)
"""Measured lags of the two actuators in seconds in the laboratory (Sec. 5.5.2)."""

K_COMP = (0.095, 0.085)
"""The leads that were set (Sec. 6.4)."""

BOUC_WEN = dict(yield_disp=0.675, alpha=0.0, beta=0.55, gamma=0.45, n=2.0)
"""Table 7-2, with a stiffness of 2.74 kip/in."""

SPECIMENS = ("bouc-wen", "linear")

UNITS = {
    "record.accel": "in/s2", "load.out": "kip", "integrator.disp_target": "in", "integrator.vel": "in/s",
    "integrator.accel": "in/s2", "target.disp_cmd": "in", "commands.command": "in", "position.out": "in",
    "measured.out": "in", "column1.force": "kip", "column2.force": "kip", "force_meas.out": "kip",
    "restoring.force": "kip", "error.e_error": "kip in", "error.e_experimental": "kip in", "error.e_best": "kip in",
    "error_stiffness.e_error": "kip in", "balance.e_kinetic": "kip in", "balance.e_viscous": "kip in",
    "balance.e_experimental": "kip in", "balance.e_input": "kip in", "balance.residual": "kip in",
}  # fmt: skip


def frame_matrices() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M, C and K of the frame as designed, in kip, inch and second."""
    mass = FLOOR_WEIGHT / G * np.eye(2)
    stiffness = STIFFNESS * DRIFTS.T @ DRIFTS
    lowest = math.sqrt(np.linalg.eigvalsh(np.linalg.solve(mass, stiffness))[0])
    return mass, 2.0 * DAMPING_RATIO / lowest * stiffness, stiffness


def cosine_pulse(*, peak: float = 0.15, period: float = 0.6, dt: float = STEP) -> Record:
    """One full cycle of a cosine, in g.

    The report gives peak and period but no formula. By its energies and peak displacements it is a whole cycle; a push
    to one side, 1 - cos of the same peak, has about a quarter of the energy.
    """
    t = dt * np.arange(round(period / dt) + 1)
    return Record("cosine pulse", peak * np.cos(2.0 * math.pi * t / period), dt, source="one cycle of a cosine")


def fig_6_1(
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
    ticks_per_step: int = 40,
) -> Any:
    """The frame under a record (in g) scaled to a peak of `pga`; None leaves it as it is.

    lag, lead   of each actuator, in seconds of the laboratory; both (0, 0) is an ideal test
    noise       standard deviation in inches of the measured displacements
    stiffness   of each column at its actuator, kip/in
    """
    check_specimen(specimen)
    bd = BDSim().blockdiagram("fig_6_1", dt=STEP / ticks_per_step)
    bd.units = UNITS
    step = bd.clock(STEP, name="step")

    def rig(commands: Any) -> tuple[Any, Any]:
        actuators = [
            # A lag may be anything from none to a step in a sweep.
            bd.DELAY(
                name=f"actuator{i + 1}", delay=lag[i] / TIME_SCALE, min_delay=0.0, max_delay=STEP, inputs=[commands[i]]
            )
            for i in range(2)
        ]
        position = bd.MUX(2, name="position", inputs=actuators)
        force = bd.MUX(2, name="force_meas", inputs=half_columns(bd, specimen, stiffness, actuators))
        transducers = bd.NORMAL(name="noise", variance=noise**2, seed=seed, width=2, clock=step)
        return bd.SUM("++", name="measured", inputs=[position, transducers]), force

    ground = ground_motion(bd, step, record, pga, record_time_scale)
    wire_frame(bd, step, ground, rig, lead=lead, stiffness=stiffness, ticks_per_step=ticks_per_step)
    return bd


def check_specimen(specimen: str) -> None:
    if specimen not in SPECIMENS:
        raise ParameterError(f"The specimen must be one of {', '.join(map(repr, SPECIMENS))}, got {specimen!r}.")


def ground_motion(bd: Any, step: Any, record: Any, pga: float | None, time_scale: float) -> Any:
    """The record in in/s2, scaled to a peak of `pga` in g unless that is None."""
    motion = load_record(record)
    scale = G if pga is None else G * pga / motion.pga
    return bd.GROUNDMOTION(name="record", record=motion, scale=scale, time_scale=time_scale, clock=step)


def half_columns(bd: Any, specimen: str, stiffness: Sequence[float], actuators: Sequence[Any]) -> tuple[Any, Any]:
    """The specimens of both storeys, each following its actuator."""
    if specimen == "linear":
        first = bd.SPRING(name="column1", stiffness=stiffness[0], inputs=[actuators[0]])
    else:
        first = bd.BOUCWEN(name="column1", stiffness=stiffness[0], **BOUC_WEN, inputs=[actuators[0]])
    return first, bd.SPRING(name="column2", stiffness=stiffness[1], inputs=[actuators[1]])


def wire_frame(
    bd: Any, step: Any, ground: Any, rig: Callable[[Any], tuple[Any, Any]], *, lead: Sequence[float],
    stiffness: Sequence[float], ticks_per_step: int,
) -> None:  # fmt: skip
    """Integrator, command generator and monitors; `rig` makes measured positions and forces of the two commands."""
    mass, damping, design = frame_matrices()
    load = bd.GAIN(-np.diag(mass), name="load", inputs=[ground])
    integrator = bd.NEWMARK_WITHIN_STEP(
        name="integrator", mass=mass, damping=damping, stiffness=design, ticks_per_step=ticks_per_step
    )
    target = bd.TOACTUATORS(name="target", transformation=DRIFTS, scale=DISP_SCALE, inputs=[integrator.disp_target])
    commands = bd.COMMANDS(
        name="commands", ticks_per_step=ticks_per_step, lead=[seconds / TIME_SCALE for seconds in lead], width=2,
        compute_ticks=max(1, round(COMPUTE_TIME / (TIME_SCALE * STEP) * ticks_per_step)), inputs=[target],
    )  # fmt: skip
    measured, force = rig(bd.DEMUX(2, name="split", inputs=[commands]))
    restoring = bd.TOSTRUCTURE(name="restoring", transformation=DRIFTS, scale=FORCE_SCALE, inputs=[force])
    bd.connect(restoring, integrator.force)
    bd.connect(load, integrator.load)

    error = bd.ENERGYERROR(name="error", width=2, clock=step)
    error_stiffness = bd.ENERGYERROR_STIFFNESS(name="error_stiffness", stiffness=np.diag(stiffness), clock=step)
    bd.connect(target, error.disp_cmd, error_stiffness.disp_cmd)
    bd.connect(measured, error.disp_meas, error_stiffness.disp_meas)
    bd.connect(force, error.force_meas)
    balance = bd.ENERGYBALANCE(name="balance", mass=mass, damping=damping, clock=step)
    bd.connect(integrator.disp_target, balance.disp_target)
    bd.connect(integrator.vel, balance.vel)
    bd.connect(load, balance.load)
    bd.connect(bd.CONSTANT(np.zeros(2), name="no_numerical_part"), balance.force_num)
    bd.connect(restoring, balance.force_meas)
