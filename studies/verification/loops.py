"""Specimens on given paths: what drives them, and what is read off their loops.

A path is one number for each tick. `stepped` drives a single block tick by tick in Python; `forces` wires the path and
the specimen into a diagram and runs it in the compiled engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from hybsim.kernel import KernelBlock
from hybsim.runtime.program import compile
from hybsim.wiring import BDSim


def walk(*corners: float, steps: int) -> np.ndarray:
    """A path through the corners, each leg in `steps` equal steps."""
    legs = [np.linspace(a, b, steps + 1)[1:] for a, b in pairwise(corners)]
    return np.concatenate([[corners[0]], *legs])


def area(disps: np.ndarray, force: np.ndarray) -> float:
    """The work of the force along a path, by the trapezoidal rule."""
    return float(np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(disps)))


def complex_stiffness(disps: np.ndarray, force: np.ndarray) -> complex:
    """Force over displacement at the frequency of a whole number of cycles of a sine, the cycles' last tick left out."""
    cycles = int(np.argmax(np.abs(np.fft.rfft(disps - disps.mean()))))
    return complex(np.fft.rfft(force)[cycles] / np.fft.rfft(disps)[cycles])


def stepped(block: KernelBlock, *signals: np.ndarray) -> np.ndarray:
    """The force of a sampled block at every tick, its inputs given in order."""
    x: Any = block.getstate0()  # type: ignore[attr-defined]
    result = []
    for values in zip(*signals, strict=True):
        result.append(block.output(0.0, list(values), x)[0])
        x = block.next(0.0, list(values), x)  # type: ignore[attr-defined]
    return np.array(result)


def forces(
    factory: str, parameters: Mapping[str, Any], *signals: np.ndarray, dt: float = 0.01, engine: str | None = None
) -> np.ndarray:
    """The force of the block bd.<factory>(**parameters) at every tick, its inputs given in order."""
    bd = BDSim().blockdiagram(dt=dt)
    specimen = getattr(bd, factory)(name="specimen", **parameters)
    for i, values in enumerate(signals):
        path = bd.GROUNDMOTION(name=f"path{i}", record=np.asarray(values, dtype=float), record_dt=dt)
        bd.connect(path, specimen[i])
    result = compile(bd).run(duration=(len(signals[0]) - 1) * dt, engine=engine)
    return np.array(result["specimen.force"])
