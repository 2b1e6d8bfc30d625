"""Results to write, read back and draw: numbers that are hard to keep, and a run that stopped."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybsim.runtime.result import Result, Stop

TICKS = 5000  # more than one block of rows of the csv writer
MANIFEST = {
    "diagram": "Fig. 3-5, α = 0.05",
    "dt": 0.01,
    "params": {"lag.mean": np.float64(0.5), "gains": np.array([1.0, np.nan]), "steps": np.int64(3)},
    "units": {"specimen.force": "kN", "rig/sensor.disp_meas": "mm", "model.disp_target": "mm"},
}
# The manifest as JSON must say it: numpy numbers plain, the number that is none as null.
MANIFEST_JSON = {**MANIFEST, "params": {"lag.mean": 0.5, "gains": [1.0, None], "steps": 3}}


def bits(values: Any) -> bytes:
    """Numbers as they lie in memory."""
    return np.ascontiguousarray(values, dtype="<f8").tobytes()


def whole_run() -> Result:
    """Signals and a vector, one of them of any bits a number can have."""
    rng = np.random.default_rng(7)
    hard = rng.integers(0, 2**64, TICKS, dtype=np.uint64).view(np.float64)
    hard[~np.isfinite(hard)] = 1 / 3
    hard[:4] = [-0.0, 5e-324, 1.7976931348623157e308, 0.1 + 0.2]
    columns = {
        "model.disp_target": hard,
        "rig/sensor.disp_meas": rng.standard_normal(TICKS),
        "specimen.force": rng.standard_normal(TICKS),
        "specimen.stiffness": rng.standard_normal(TICKS),
        "modes.disp": rng.standard_normal((TICKS, 3)),
    }
    return Result(np.arange(TICKS) * 0.01, columns, engine="c", manifest=MANIFEST)


def stopped_run() -> Result:
    """Three ticks that end in an infinity and a nan."""
    values = np.array([1.0, np.inf, np.nan])
    stop = Stop(tick=2, time=0.02, block="specimen", signal="force", reason="became nan")
    columns = {"specimen.force": values, "modes.disp": np.stack([values, -values], axis=1)}
    return Result(np.arange(3) * 0.01, columns, engine="python", manifest={}, stopped=stop)
