"""Monitors on given paths, as a diagram in the compiled engine.

A path has one number, or one row of channels, for each tick. What a monitor shows comes back by the names of its
outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hybsim.runtime.program import compile
from hybsim.wiring import BDSim


def watched(
    factory: str, parameters: Mapping[str, Any], *paths: np.ndarray, dt: float = 0.01, engine: str | None = None
) -> dict[str, np.ndarray]:
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
