"""The rig of the comparison of compensators, and how each compensator is wired into it.

    record -> structure -> target (+ noise) -> [compensator] -> command -> plant -> measured (+ noise)
                                                    ^                                   |
                                                    +-----------------------------------+

A case is a name and a function that wires a compensator between target and command; a new compensator is one entry
of CASES. All are told the same delay, that of the plant at low frequencies; FEEDFORWARD is told the model that has
this delay, and those that adapt start from ADAPTIVE_START of it. No other parameter was tuned to the record.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hybsim.blocks.actuators.identified import as_printed
from hybsim.wiring import BDSim

DT = 1.0 / 1024.0
PERIOD, DAMPING_RATIO = 0.5, 0.05
G_MM = 9806.65
SCALE = 0.2
"""Share of the record: El Centro then moves the structure by about 11 mm."""

ADAPTIVE_START = 0.8
"""What share of the delay a compensator that learns it is told."""

UNITS = {
    "record.accel": "mm/s2", "structure.disp_target": "mm", "structure.vel": "mm/s", "structure.accel": "mm/s2",
    "target.out": "mm", "command.out": "mm", "measured.out": "mm",
}  # fmt: skip

THRESHOLD = 0.5
"""Amplitude in mm from which on those that learn do so."""

FRAME = frozenset("record load structure spring target_noise target plant measured_noise measured command".split())
"""The blocks that every case has; the others are its compensator."""


@dataclass(frozen=True)
class Plant:
    """What stands between command and measurement.

    `delay` is the low-frequency delay in s from tick to tick, and `model` the transfer function (num, den) that one
    would identify, `hold` the part of the delay that the model leaves out.
    """

    name: str
    prose: str
    block: str
    parameters: Mapping[str, Any]
    model: tuple[Sequence[float], Sequence[float]]
    hold: float

    @property
    def delay(self) -> float:
        num, den = self.model
        return den[-2] / num[-1] + self.hold


TICKS = 14
PLANTS = (
    # No transfer function is a delay: its model is the series of exp(tau s), up to the square, as denominator.
    Plant(
        "delay", f"pure delay of {TICKS} ticks", "DELAY", dict(delay=TICKS * DT),
        model=([1.0], [0.5 * (TICKS * DT) ** 2, TICKS * DT, 1.0]), hold=0.0,
    ),
    Plant(
        "TS_1", "identified actuator TS_1 behind a hold", "ACTUATOR_S", dict(system="TS_1"),
        model=as_printed("TS_1"), hold=0.5 * DT,
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Rig:
    """A diagram that lacks its compensator."""

    bd: Any
    plant: Plant
    target: Any
    measured: Any


@dataclass(frozen=True)
class Case:
    """A compensator: a name, and what makes its output from the target and the measurement."""

    name: str
    wire: Callable[[Rig], Any]


def none(rig: Rig) -> Any:
    return rig.target


def predictor(rig: Rig, order: int, spaced: bool) -> Any:
    """From neighbouring ticks, or from samples as far apart as the delay (Horiuchi's)."""
    spacing = whole(rig.plant.delay) if spaced else DT
    return rig.bd.PREDICTOR(
        name="predictor", horizon=rig.plant.delay, order=order, spacing=spacing, inputs=[rig.target]
    )


def inverse(rig: Rig) -> Any:
    return rig.bd.INVERSECOMP(name="inverse", delay=rig.plant.delay, inputs=[rig.target])


def phase_lead(rig: Rig, seconds: float) -> Any:
    """A lead of so many seconds at low frequencies, and of 11 times the amplitude at high ones."""
    return rig.bd.PHASELEAD(name="lead", lead=1.1 * seconds, lag=0.1 * seconds, inputs=[rig.target])


def feedforward(rig: Rig) -> Any:
    """The inverse of the model and of a first-order lag in place of the delays of filter and hold."""
    num, den = rig.plant.model
    order, cutoff = len(den), 100.0  # one more than the model, for the lag
    rest = rig.plant.hold + 1.0 / (2.0 * math.pi * cutoff * math.sin(0.5 * math.pi / order))
    system = (num, np.polymul(den, [rest, 1.0]))
    return rig.bd.FEEDFORWARD(
        name="feedforward", system=system, cutoff=cutoff, filter="butterworth", inputs=[rig.target]
    )


def pi_behind_lead(rig: Rig) -> Any:
    """The benchmark's sample controller, for these plants: its gains 2 and 95/s would make both loops unstable.

    The gains are those for a plant that is all delay, Kp = 1/6 and Ki = 1/(2 tau) (C. Grimholt, S. Skogestad, Optimal
    PI-control and verification of the SIMC tuning rule, IFAC PID'12, 2012). Such a loop is late by 1/Ki, and so much
    is led.
    """
    ki = 0.5 / rig.plant.delay
    control = rig.bd.PIDCONTROL(name="control", kp=1.0 / 6.0, ki=ki)
    rig.bd.connect(phase_lead(rig, 1.0 / ki), control.reference)
    rig.bd.connect(rig.measured, control.measured)
    return control.command


def adaptive_time_series(rig: Rig, cutoff: float | None) -> Any:
    series = rig.bd.ATS(name="series", delay=ADAPTIVE_START * rig.plant.delay, threshold=THRESHOLD, cutoff=cutoff)
    rig.bd.connect(rig.target, series.signal)
    rig.bd.connect(rig.measured, series.measured)
    return series.command


def adaptive_predictor(rig: Rig, order: int) -> Any:
    """Horiuchi's predictor, its horizon the delay that is found between command and measurement."""
    told, longest = ADAPTIVE_START * rig.plant.delay, 2.0 * rig.plant.delay
    predictor = rig.bd.PREDICTOR_ADAPTIVE(name="predictor", max_horizon=longest, order=order, spacing=whole(told))
    estimator = rig.bd.DELAYESTIMATOR(name="estimator", max_delay=longest, initial_delay=told, threshold=THRESHOLD)
    rig.bd.connect(rig.target, predictor.signal)
    rig.bd.connect(estimator.delay, predictor.horizon)
    rig.bd.connect(predictor.command, estimator.command)
    rig.bd.connect(rig.measured, estimator.measured)
    return predictor.command


def whole(seconds: float) -> float:
    """The nearest whole number of ticks."""
    return round(seconds / DT) * DT


CASES = (
    Case("none", none),
    *(Case(f"PREDICTOR {n} (dt)", partial(predictor, order=n, spaced=False)) for n in (1, 2, 3, 4, 5)),
    *(Case(f"PREDICTOR {n} (tau)", partial(predictor, order=n, spaced=True)) for n in (1, 2, 3, 4, 5)),
    Case("INVERSECOMP", inverse),
    Case("PHASELEAD", lambda rig: phase_lead(rig, rig.plant.delay)),
    Case("FEEDFORWARD", feedforward),
    Case("PIDCONTROL + PHASELEAD", pi_behind_lead),
    Case("PREDICTOR_ADAPTIVE 3", partial(adaptive_predictor, order=3)),
    Case("ATS", partial(adaptive_time_series, cutoff=None)),
    Case("ATS, filter 20 Hz", partial(adaptive_time_series, cutoff=20.0)),
)


def diagram(case: Case, plant: Plant, record: Any, seed: int) -> Any:
    """One compensator in front of one plant; both noises are off."""
    bd = BDSim().blockdiagram("compensators", dt=DT)
    bd.units = UNITS
    omega = 2.0 * math.pi / PERIOD
    ground = bd.GROUNDMOTION(name="record", record=record, scale=SCALE * G_MM)
    load = bd.GAIN(-1.0, name="load", inputs=[ground])
    structure = bd.NEWMARK(name="structure", mass=1.0, damping=2.0 * DAMPING_RATIO * omega)
    spring = bd.SPRING(name="spring", stiffness=omega**2)
    bd.connect(load, structure.load)
    bd.connect(structure.disp_target, spring.disp)
    bd.connect(spring, structure.force)
    target = _noisy(bd, "target", seed)
    bd.connect(structure.disp_target, target[0])
    actuator = getattr(bd, plant.block)(name="plant", **plant.parameters)
    measured = _noisy(bd, "measured", seed)
    bd.connect(actuator, measured[0])
    command = bd.GAIN(1.0, name="command")
    bd.connect(case.wire(Rig(bd, plant, target, measured)), command)
    bd.connect(command, actuator)
    return bd


def _noisy(bd: Any, name: str, seed: int) -> Any:
    """A signal with white noise, from NORMAL, on its second input."""
    noise = bd.NORMAL(name=f"{name}_noise", variance=0.0, seed=seed)
    total = bd.SUM("++", name=name)
    bd.connect(noise, total[1])
    return total
