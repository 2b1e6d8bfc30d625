"""bdsim's continuous blocks: INTEGRATOR; LTI_SS, LTI_SISO and DERIV2 are in linear.py.

    INTEGRATOR  dx/dt = gain u, or 0 where x lies outside [min, max];   y = x

DERIV and PID are subsystems of these, SUM and GAIN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from hybsim.blocks.stock.entry import (
    Setting,
    StockEntry,
    Widths,
    initial_state,
    limit,
    need_width,
    vector_parameters,
)
from hybsim.blocks.stock.linear import StateSpace
from hybsim.blocks.stock.text import elementwise
from hybsim.kernel import Prepared, Real

RATE = """\
if p.plain == 1:
    dx.x = u.in0
else:
    rate = u.in0
    if x.x < p.min:
        rate = 0.0
    if x.x > p.max:
        rate = 0.0
    dx.x = p.gain * rate"""


class Integrator(StockEntry):
    """A state beyond a limit stays there, whichever way the input points, as in bdsim."""

    kind = "continuous"

    def settings(self, block: Any) -> dict[str, Setting]:
        return {
            "x0": initial_state(block),
            "gain": Setting(Real("gain"), block.gain, lambda value: {"gain": value}),
            "min": limit(block, "min", "lowest state", -math.inf),
            "max": limit(block, "max", "highest state", math.inf),
        }

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        n = block.getstate0().size
        need_width(block, in_widths, 0, n, "its x0 has")
        return [n]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        n = block.getstate0().size
        vectors = vector_parameters(self.settings(block)) | {"u.in0", "x.x", "y.out0", "dx.x"}
        return {
            "outputs": elementwise("y.out0 = x.x", n, vectors),
            "derivative": elementwise(RATE, n, vectors),
        }

    def prepare(self, block: Any, q: SimpleNamespace) -> Prepared:
        """`plain`: no gain, no limits. To multiply and compare all the same costs a quarter of a step."""
        prepared = super().prepare(block, q)
        plain = q.gain == 1.0 and bool(np.isneginf(q.min).all() and np.isposinf(q.max).all())
        return replace(prepared, p={**prepared.p, "plain": int(plain)})


LTI_SS = StateSpace("continuous", matrices=True)
LTI_SISO = StateSpace("continuous", matrices=False)
