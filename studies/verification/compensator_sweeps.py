"""Residual delay and amplitude of every compensator in front of two plants, on sines stepped from 0.5 to 10 Hz.

    H = sum_k m_k exp(-j w t_k) / sum_k x_k exp(-j w t_k)      over whole periods at the end of each step

x the signal, m the position of the plant. The residual delay is -arg(H)/w, the amplitude |H|. Both are counted from
tick to tick: a sampled delay of n ticks is n ticks, and a hold in front of TS_1 adds half a tick to its own.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.runtime.program import compile
from hybsim.runtime.result import Result
from hybsim.studies.verification import compensator_theory as theory
from hybsim.studies.verification.compensator_theory import TS_1, Transfer
from hybsim.studies.verification.rows import Response
from hybsim.wiring import BDSim

DT = 0.001
HERTZ = (0.5, 1.0, 2.0, 5.0, 10.0)
STEP, MEASURED = 5.0, 2.0
"""Seconds at each frequency, and how many of them, at the end, are measured."""

LINEAR, ADAPTIVE = 1e-6, 1e-4
"""Tolerances of |H - theory|: of a steady state, and of one that coefficients tend to."""


@dataclass(frozen=True)
class Plant:
    """What is compensated; `delay` is its delay at low frequencies in s."""

    name: str
    factory: str
    parameters: dict[str, Any]
    delay: float
    transfer: Transfer
    model: tuple[list[float], list[float]]


PLANTS = (
    Plant("DELAY of 10 ms", "DELAY", dict(delay=0.01), 0.01, theory.delayed(10), ([1.0], [0.01, 1.0])),
    Plant("ACTUATOR_S TS_1", "ACTUATOR_S", dict(system="TS_1"), TS_1[1][-2] / TS_1[1][-1] + 0.5 * DT,
          theory.held(*TS_1, DT), TS_1),
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A compensator: wired between signal and plant, and its theory as measured over signal."""

    name: str
    wire: Callable[[Any, Any, Any, Plant], None]
    response: Callable[[Plant], Transfer]
    tolerance: float = LINEAR


def late(response: complex, hertz: float) -> float:
    """The delay in ms of a response."""
    return -1000.0 * cmath.phase(response) / (2.0 * math.pi * hertz)


def ahead(name: str, factory: str, parameters: Callable[[Plant], dict[str, Any]],
          transfer: Callable[[Plant], Transfer]) -> Case:  # fmt: skip
    """A compensator that sees the signal alone."""

    def wire(bd: Any, signal: Any, plant_block: Any, plant: Plant) -> None:
        bd.connect(getattr(bd, factory)(name=f"compensator_{name}", inputs=[signal], **parameters(plant)), plant_block)

    return Case(name, wire, lambda plant: _product(transfer(plant), plant.transfer))


def _product(one: Transfer, other: Transfer) -> Transfer:
    return lambda z: one(z) * other(z)


def _none(bd: Any, signal: Any, plant_block: Any, plant: Plant) -> None:
    bd.connect(signal, plant_block)


def _adaptive_predictor(bd: Any, signal: Any, plant_block: Any, plant: Plant) -> None:
    predictor = bd.PREDICTOR_ADAPTIVE(name="adaptive predictor", max_horizon=0.03)
    estimator = bd.DELAYESTIMATOR(name="its estimator", max_delay=0.03, window=1.0)
    bd.connect(signal, predictor.signal)
    bd.connect(estimator.delay, predictor.horizon)
    bd.connect(predictor.command, plant_block, estimator.command)
    bd.connect(plant_block, estimator.measured)


def _with_estimated_delay(plant: Plant) -> Transfer:
    """In a steady sine the horizon is the plant's delay at that frequency."""

    def transfer(z: complex) -> complex:
        horizon = -cmath.phase(plant.transfer(z)) / cmath.phase(z) * DT
        return theory.extrapolated(horizon, 3, DT, DT)(z) * plant.transfer(z)

    return transfer


def _series(name: str, **parameters: Any) -> Callable[[Any, Any, Any, Plant], None]:
    def wire(bd: Any, signal: Any, plant_block: Any, plant: Plant) -> None:
        series = bd.ATS(name=name, delay=0.8 * plant.delay, **parameters)
        bd.connect(signal, series.signal)
        bd.connect(series.command, plant_block)
        bd.connect(plant_block, series.measured)

    return wire


def _held_series(plant: Plant) -> Transfer:
    tau = 0.8 * plant.delay
    return _product(theory.time_series((1.0, tau, 0.5 * tau * tau), DT), plant.transfer)


CONTROL: dict[str, Any] = dict(kp=0.1, ki=5.0, kd=2e-4, filter_time=0.002, feedforward=1.0)


def _control(bd: Any, signal: Any, plant_block: Any, plant: Plant) -> None:
    control = bd.PIDCONTROL(name="control", **CONTROL)
    bd.connect(signal, control.reference)
    bd.connect(control.command, plant_block)
    bd.connect(plant_block, control.measured)


def _predictor(order: int, spaced: bool = False) -> Case:
    def spacing(plant: Plant) -> float:
        return math.ceil(plant.delay / DT) * DT if spaced else DT

    return ahead(
        f"PREDICTOR order {order}{', spaced' if spaced else ''}", "PREDICTOR",
        lambda plant: dict(horizon=plant.delay, order=order, spacing=spacing(plant)),
        lambda plant: theory.extrapolated(plant.delay, order, spacing(plant), DT),
    )  # fmt: skip


def _feedforward(name: str, kind: str, order: int, led: bool = False) -> Case:
    """The inverse of the plant's model and, if led, of a lag in place of the delays of filter and hold."""

    def model(plant: Plant) -> tuple[list[float], list[float]]:
        num, den = plant.model
        rest = order / (200.0 * math.pi) + plant.delay - den[-2] / den[-1]
        return num, np.polymul(den, [rest, 1.0]).tolist() if led else den

    return ahead(
        f"FEEDFORWARD 100 Hz, {name}", "FEEDFORWARD",
        lambda plant: dict(system=model(plant), cutoff=100.0, order=order, filter=kind),
        lambda plant: theory.feedforward(*model(plant), 100.0, order, kind, DT),
    )  # fmt: skip


CASES = (
    Case("none", _none, lambda p: p.transfer),
    *(_predictor(order) for order in range(1, 6)),
    _predictor(3, spaced=True),
    Case("PREDICTOR_ADAPTIVE order 3", _adaptive_predictor, _with_estimated_delay, ADAPTIVE),
    ahead("INVERSECOMP", "INVERSECOMP", lambda p: dict(delay=p.delay),
          lambda p: theory.inverse_compensation(p.delay, DT)),
    ahead("PHASELEAD", "PHASELEAD", lambda p: dict(lead=p.delay + 0.001, lag=0.001),
          lambda p: theory.phase_lead(p.delay + 0.001, 0.001, DT)),
    _feedforward("repeated", "repeated", 4),
    _feedforward("butterworth", "butterworth", 4),
    _feedforward("its delay led", "repeated", 5, led=True),
    Case("PIDCONTROL", _control, lambda p: theory.controlled(**CONTROL, plant=p.transfer, dt=DT)),
    Case("ATS, held", _series("held series", threshold=1e9), _held_series),
    Case("ATS", _series("series"), lambda p: lambda z: 1.0 + 0.0j, ADAPTIVE),
    Case("ATS, filter 40 Hz", _series("filtered series", cutoff=40.0), lambda p: lambda z: 1.0 + 0.0j, ADAPTIVE),
)  # fmt: skip


def stepped_sines() -> np.ndarray:
    """Sines of all frequencies one after the other, each from zero."""
    t = DT * np.arange(round(STEP / DT))
    return np.concatenate([np.sin(2.0 * math.pi * f * t) for f in HERTZ])


def at_the_end_of(step: int) -> slice:
    """The ticks measured at a frequency."""
    end = (step + 1) * round(STEP / DT)
    return slice(end - round(MEASURED / DT), end)


def responses(plant: Plant) -> list[Response]:
    """All compensators in front of one plant, in one diagram."""
    bd = BDSim().blockdiagram(dt=DT)
    record = stepped_sines()
    signal = bd.GROUNDMOTION(name="signal", record=record, record_dt=DT)
    for case in CASES:
        block = getattr(bd, plant.factory)(name=case.name, **plant.parameters)
        case.wire(bd, signal, block, plant)
    result = compile(bd).run(duration=(len(record) - 1) * DT)
    found = []
    for case in CASES:
        transfer = case.response(plant)
        for step, hertz in enumerate(HERTZ):
            wave = np.exp(-2j * math.pi * hertz * DT * np.arange(round(MEASURED / DT)))
            rows = at_the_end_of(step)
            ratio = complex(np.sum(position(result, case.name)[rows] * wave) / np.sum(result["signal"][rows] * wave))
            exact = transfer(cmath.exp(2j * math.pi * hertz * DT))
            path = f"response in front of {plant.name}"
            found.append(Response(case.name, path, hertz, ratio, exact, case.tolerance, absolute=True))
    return found


def position(result: Result, block: str) -> np.ndarray:
    """The one output of a block, whatever its port is called."""
    return np.array(result[next(name for name in result.names if name == block or name.startswith(f"{block}."))])
