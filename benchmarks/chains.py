"""Synthetic chains: one source and n - 1 blocks in a row, continuous, sampled and function blocks by turns.

Every tenth block compares with the source, and two limit the signal, so that it stays bounded at any length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hybsim as hs

DT = 0.001

LINKS: tuple[Callable[[Any, str, Any, Any], Any], ...] = (
    lambda bd, name, last, source: bd.GAIN(0.9, name=name, inputs=[last]),
    lambda bd, name, last, source: bd.ACTUATOR(system=((1.0,), (0.01, 1.0)), name=name, inputs=[last]),
    lambda bd, name, last, source: bd.SUM("+-", name=name, inputs=[last, source]),
    lambda bd, name, last, source: bd.LTI_SISO(1.0, [1e-4, 0.02, 1.0], name=name, inputs=[last]),
    lambda bd, name, last, source: bd.SPRING(stiffness=1.1, name=name, inputs=[last]),
    lambda bd, name, last, source: bd.DELAY(delay=3 * DT, name=name, inputs=[last]),
    lambda bd, name, last, source: bd.ELASTICPLASTIC(stiffness=1.0, yield_disp=2.0, name=name, inputs=[last]),
    lambda bd, name, last, source: bd.CLIP(min=-3.0, max=3.0, name=name, inputs=[last]),
    lambda bd, name, last, source: bd.ACTUATOR_S(system=((1.0,), (2e-4, 0.02, 1.0)), name=name, inputs=[last]),
    lambda bd, name, last, source: bd.BOUCWEN(stiffness=1.0, yield_disp=1.0, name=name, inputs=[last]),
)


def chain(blocks: int) -> Any:
    """A diagram of `blocks` blocks."""
    bd = hs.BDSim().blockdiagram(f"chain_{blocks}", dt=DT)
    source = last = bd.SINESWEEP(name="source", amplitude=1.0, f_start=0.1, f_end=5.0, duration=10.0)
    for i in range(blocks - 1):
        last = LINKS[i % len(LINKS)](bd, f"b{i}", last, source)
    return bd
