"""Specimens on given paths: what drives them, and what is read off their loops.

A path is one number for each tick. `forces` wires the path and the specimen into a diagram and runs it in the compiled
engine; `forces_in_time` does so with functions of time, which continuous specimens also see between the ticks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from hybsim.runtime.program import compile
from hybsim.runtime.result import Result
from hybsim.wiring import BDSim


def walk(*corners: float, steps: int) -> np.ndarray:
    """A path through the corners, each leg in `steps` equal steps."""
    legs = [np.linspace(a, b, steps + 1)[1:] for a, b in pairwise(corners)]
    return np.concatenate([[corners[0]], *legs])


def sine(amplitude: float, hertz: float) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Displacement and velocity of a sine, as functions of time."""
    w = 2.0 * math.pi * hertz
    return lambda t: amplitude * math.sin(w * t), lambda t: amplitude * w * math.cos(w * t)


def area(disps: np.ndarray, force: np.ndarray) -> float:
    """The work of the force along a path, by the trapezoidal rule."""
    return float(np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(disps)))


def complex_stiffness(disps: np.ndarray, force: np.ndarray) -> complex:
    """Force over displacement at the frequency of a sine, for whole cycles of it without their last tick."""
    cycles = int(np.argmax(np.abs(np.fft.rfft(disps - disps.mean()))))
    return complex(np.fft.rfft(force)[cycles] / np.fft.rfft(disps)[cycles])


def forces(
    factory: str, parameters: Mapping[str, Any], *signals: np.ndarray, dt: float = 0.01, engine: str | None = None
) -> np.ndarray:
    """The force of the block bd.<factory>(**parameters) at every tick, its inputs given as paths."""
    bd = BDSim().blockdiagram(dt=dt)
    sources = [
        bd.GROUNDMOTION(name=f"path{i}", record=np.asarray(values, dtype=float), record_dt=dt)
        for i, values in enumerate(signals)
    ]
    return _driven(bd, factory, parameters, sources, (len(signals[0]) - 1) * dt, engine)


def floor_forces(factory: str, parameters: Mapping[str, Any], paths: np.ndarray, *, dt: float = 0.01) -> np.ndarray:
    """The forces of a specimen with several degrees of freedom, a row each, on as many paths."""
    bd = BDSim().blockdiagram(dt=dt)
    ends = [bd.GROUNDMOTION(name=f"path{i}", record=path, record_dt=dt) for i, path in enumerate(paths)]
    all_of_them = bd.MUX(len(ends), name="all", inputs=ends)
    return _driven(bd, factory, parameters, [all_of_them], (paths.shape[1] - 1) * dt, None).T


def forces_in_time(
    factory: str,
    parameters: Mapping[str, Any],
    *signals: Callable[[float], float],
    dt: float,
    duration: float,
    engine: str | None = None,
) -> np.ndarray:
    """The force of the block bd.<factory>(**parameters) at every tick, its inputs given as functions of time."""
    bd = BDSim().blockdiagram(dt=dt)
    time = bd.TIME(name="time")
    sources = [bd.FUNCTION(signal, name=f"path{i}", inputs=[time]) for i, signal in enumerate(signals)]
    return _driven(bd, factory, parameters, sources, duration, engine)


def _driven(
    bd: Any, factory: str, parameters: Mapping[str, Any], sources: list[Any], duration: float, engine: str | None
) -> np.ndarray:
    specimen = getattr(bd, factory)(name="specimen", **parameters)
    for i, source in enumerate(sources):
        bd.connect(source, specimen[i])
    result: Result = compile(bd).run(duration=duration, engine=engine)
    return np.array(result["specimen.force"])
