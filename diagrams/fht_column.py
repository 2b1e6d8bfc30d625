"""The two-degree-of-freedom column of the Fast Hybrid Test: a whole structure tested with two actuators.

    M a + C v + r = -M 1 a_g,     C = M [sum_n 2 zeta omega_n phi_n phi_n^T] M,     phi_n^T M phi_n = 1
    r = K u,   K = [432.6 -201.6; -201.6 115.6] kip/in,   M = 0.097 kip s2/in on both storeys   (Table 2: 2.1, 11.8 Hz)

    target -> feedforward -> digital delay -> actuator -> u         u: position of the column at its two storeys

The integrator is FHT's alpha-method: ten iterations in a step of 0.01 s, a command on a parabola at every tick of the
controller. A step must be a whole number of ticks: 1000 Hz x 0.01 s are ten; 1024 Hz x 0.01 s are 10.24 and refused,
so 1024 Hz takes a step of 10/1024 s.

The paper gives no numbers of its actuators but "a couple of milli-seconds" of digital delay and a lag that "could be as
large as 10 ms". The actuator is an assumption: w^2 / (s^2 + 2 z w s + w^2) with z = 0.94, late by `lag` = 2 z / w at
low frequency: 10 ms are 30 Hz. The feedforward inverts it behind three equal poles at CUTOFF and leads what is left:
the digital delay, half a tick of hold, and the 3 / (2 pi CUTOFF) of its own filter. The paper's feedforward is inside
the MTS controller and is not described. With `assumed_lag` = `lag` this one is the best case: it knows the actuator.

The paper ran 4 % of damping in the computer and compared with 6 %, as the specimen adds some. `specimen_damping` does:

    r = K u + C_s u',   u' = (u_k - u_{k-1}) / dt,   C_s as C with the ratio of the specimen

    lambda   with `feedback_gain`, the estimate that the commands aim at is shifted by lambda (calculated - measured),
             the difference at the end of the step before

Shing, Wei, Jung, Stauffer (2004), NEES Fast Hybrid Test system, Table 2 and Figs. 2, 6, 8. Units kip, inch, second.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import load_record
from hybsim.errors import ParameterError
from hybsim.wiring import BDSim

G = 386.1
"""Standard gravity in in/s2."""

STIFFNESS = np.array([[432.6, -201.6], [-201.6, 115.6]])
"""kip/in, measured with the supporting frame (Table 2)."""

MASS = 0.097 * np.eye(2)
"""kip s2/in: 97.0 lb s2/in (Table 2)."""

PGA = 0.3
STEP = 0.01
ITERATIONS = 10
DIGITAL_DELAY = 0.002
"""Seconds: "a couple of milli-seconds"."""

ACTUATOR_LAG = 0.010
"""Seconds at low frequency: "could be as large as 10 ms"."""

ACTUATOR_DAMPING = 0.3 * math.pi
"""With which a lag of 10 ms is a frequency of 30 Hz."""

CUTOFF = 200.0
"""Of the feedforward's filter, in Hz."""

UNITS = {
    "record.accel": "in/s2", "load.out": "kip", "integrator.disp_target": "in", "integrator.vel": "in/s",
    "integrator.accel": "in/s2", "position.out": "in", "column.force": "kip",
}  # fmt: skip


def modes() -> tuple[np.ndarray, np.ndarray]:
    """Circular frequencies in rad/s, rising, and the modes as columns, phi^T M phi = 1."""
    root = np.sqrt(np.diag(MASS))
    squares, vectors = np.linalg.eigh(STIFFNESS / np.outer(root, root))
    return np.sqrt(squares), vectors / root[:, None]


def modal_damping(ratio: float) -> np.ndarray:
    """C with the same ratio of critical damping in both modes, kip s/in."""
    omega, shapes = modes()
    weighted = MASS @ shapes
    return weighted @ np.diag(2.0 * ratio * omega) @ weighted.T


def actuator_system(lag: float) -> tuple[list[float], list[float]]:
    """The actuator that is late by `lag` at low frequency, as polynomials in falling powers of s."""
    omega = 2.0 * ACTUATOR_DAMPING / lag
    return [omega**2], [1.0, 2.0 * ACTUATOR_DAMPING * omega, omega**2]


def feedforward_system(*, lag: float, rate: float, digital_delay: float) -> tuple[list[float], list[float]]:
    """What the feedforward inverts: the actuator behind a lag that stands for delay, hold and its own filter."""
    lead = digital_delay + 0.5 / rate + 3.0 / (2.0 * math.pi * CUTOFF)
    num, den = actuator_system(lag)
    return num, [float(value) for value in np.polymul([lead, 1.0], den)]


def ticks_in(step: float, rate: float) -> int:
    """Ticks of the controller in a step; a rate that does not give a whole number is refused."""
    if not (rate > 0.0 and step > 0.0):
        raise ParameterError(f"Rate and step must be above 0, got {rate:g} Hz and {step:g} s.")
    points = rate * step
    ticks = round(points)
    if ticks < ITERATIONS or ticks % ITERATIONS or abs(points - ticks) > 1e-9 * points:
        raise ParameterError(
            f"A controller at {rate:g} Hz has {points:.6g} ticks in a step of {step:.6g} s; the {ITERATIONS} iterations"
            f" of a step need a whole multiple of {ITERATIONS}: take rate=1000 with step=0.01,"
            f" or step={ITERATIONS}/{rate:g}."
        )
    return ticks


def fht_column(
    *,
    rate: float = 1000.0,
    step: float = STEP,
    damping: float = 0.04,
    specimen_damping: float = 0.0,
    alpha: float = 0.0,
    actuator: bool = True,
    lag: float | None = ACTUATOR_LAG,
    digital_delay: float = DIGITAL_DELAY,
    feedforward: bool = True,
    assumed_lag: float | None = None,
    feedback_gain: float | None = None,
    record: Any = "elcentro",
    pga: float | None = PGA,
) -> Any:
    """The column under a record (in g) scaled to a peak of `pga`; None leaves it as it is.

    rate, step          of the controller in Hz, and of the integrator in s
    damping             ratio of critical damping in both modes that the integrator computes
    specimen_damping    the same in the specimen: part of its force
    actuator            False for an ideal test: no dynamics, no delay, and nothing to compensate
    lag                 of the actuator's dynamics in s; None for a rig that is late by the digital delay only
    digital_delay       seconds from a command to its execution
    assumed_lag         what the feedforward takes for the lag; None for `lag` itself
    feedback_gain       lambda; None leaves the feedback out
    """
    ticks = ticks_in(step, rate)
    _check_rig(actuator, lag, feedforward, assumed_lag)
    bd = BDSim().blockdiagram("fht_column", dt=step / ticks)
    bd.units = UNITS
    motion = load_record(record)
    scale = G if pga is None else G * pga / motion.pga
    ground = bd.GROUNDMOTION(name="record", record=motion, scale=scale)
    load = bd.GAIN(-np.diag(MASS), name="load", inputs=[ground])
    structure = dict(
        name="integrator", mass=MASS, damping=modal_damping(damping), stiffness=STIFFNESS, alpha=alpha,
        ticks_per_step=ticks, iterations=ITERATIONS,
    )  # fmt: skip
    if feedback_gain is None:
        integrator = bd.FHT(**structure)
    else:
        integrator = bd.FHT_FEEDBACK(**structure, feedback_gain=feedback_gain)
    target = bd.DEMUX(2, name="targets", inputs=[integrator.disp_target])
    positions = [target[i] for i in range(2)]
    if actuator:
        for i in range(2):
            command = target[i]
            if feedforward and lag is not None:
                system = feedforward_system(lag=assumed_lag or lag, rate=rate, digital_delay=digital_delay)
                command = bd.FEEDFORWARD(name=f"feedforward{i + 1}", system=system, cutoff=CUTOFF, inputs=[command])
            positions[i] = bd.DELAY(name=f"delay{i + 1}", delay=digital_delay, inputs=[command])
            if lag is not None:
                system = actuator_system(lag)
                positions[i] = bd.ACTUATOR_S(name=f"actuator{i + 1}", system=system, inputs=[positions[i]])
    position = bd.MUX(2, name="position", inputs=positions)
    column = bd.COUPLEDSPRINGS(name="column", stiffness=STIFFNESS, inputs=[position])
    if specimen_damping > 0.0:
        velocity = bd.VISCOUSDAMPER_S(name="velocity", damping=1.0, width=2, inputs=[position])
        friction = bd.COUPLEDSPRINGS(name="friction", stiffness=modal_damping(specimen_damping), inputs=[velocity])
        column = bd.SUM("++", name="restoring", inputs=[column, friction])
    bd.connect(column, integrator.force)
    bd.connect(load, integrator.load)
    if feedback_gain is not None:
        bd.connect(position, integrator.disp_meas)
    return bd


def _check_rig(actuator: bool, lag: float | None, feedforward: bool, assumed_lag: float | None) -> None:
    for name, seconds in (("lag", lag), ("assumed_lag", assumed_lag)):
        if seconds is not None and not seconds > 0.0:
            raise ParameterError(f"{name} must be above 0 s, got {seconds:g}; None leaves the actuator's dynamics out.")
    if actuator and feedforward and lag is None:
        raise ParameterError(
            "A feedforward needs an actuator to invert, got lag=None; give a lag in s, or feedforward=False."
        )
