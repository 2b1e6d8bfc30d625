"""Monitors on given paths: `stepped` tick by tick in Python, `watched` as a diagram in the compiled engine.

A path has one number, or one row of channels, for each tick. What a monitor shows comes back by the names of its
outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hybsim.kernel import KernelBlock
from hybsim.runtime.program import compile
from hybsim.wiring import BDSim

Shown = dict[str, np.ndarray]


def stepped(block: KernelBlock, *paths: Any, dt: float = 0.01) -> Shown:
    """What a sampled block shows at every tick, its inputs given in order."""
    x: Any = block.getstate0()  # type: ignore[attr-defined]
    rows = []
    for k, values in enumerate(zip(*paths, strict=True)):
        rows.append(block.output(k * dt, list(values), x))
        x = block.next(k * dt, list(values), x)  # type: ignore[attr-defined]
    return {name: np.array(column) for name, column in zip(block.outs, zip(*rows, strict=True), strict=True)}


def watched(
    factory: str, parameters: Mapping[str, Any], *paths: np.ndarray, dt: float = 0.01, engine: str | None = None
) -> Shown:
    """What bd.<factory>(**parameters) shows at every tick, its inputs given in order."""
    bd = BDSim().blockdiagram(dt=dt)
    monitor = getattr(bd, factory)(name="monitor", **parameters)
    for port, path in enumerate(paths):
        channels = np.atleast_2d(np.asarray(path, dtype=float).T)
        sources = [
            bd.GROUNDMOTION(name=f"path{port}_{i}", record=channel, record_dt=dt) for i, channel in enumerate(channels)
        ]
        bd.connect(bd.MUX(len(sources), name=f"path{port}", inputs=sources), monitor[port])
    result = compile(bd).run(duration=(len(paths[0]) - 1) * dt, engine=engine)
    return {name: np.array(result[f"monitor.{name}"]) for name in monitor.outs}
