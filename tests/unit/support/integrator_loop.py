"""An integrator in a loop with its restoring force, tick by tick in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def in_loop(
    block: Any,
    ticks: int,
    restoring: Callable[[Any], Any],
    load: Callable[[int], Any] | None = None,
    actuator: Callable[[Any], Any] = lambda d: d,
) -> tuple[np.ndarray, ...]:
    """The displacement, velocity and acceleration shown at every tick.

    load:     of a tick by its number; None for none
    actuator: where a displacement puts the specimen, which an integrator with an input for it is told
    """
    x, rows = block.getstate0(), []
    nothing = [0.0] * len(block.ins)  # no input passes through within a tick
    for k in range(ticks):
        d, v, a = block.output(0.0, nothing, x)
        rows.append((d, v, a))
        measured = actuator(d)
        inputs = [restoring(measured), 0.0 * d if load is None else load(k), measured]
        x = block.next(0.0, inputs[: len(block.ins)], x)
    return tuple(np.array(column) for column in zip(*rows, strict=True))
