"""bdsim's sampled blocks: ZOH, INTEGRATOR_S, DERIV_S; LTI_SS_S and LTI_SISO_S are in linear.py.

    ZOH           y_k = x_k,                    x_k+1 = u_k
    INTEGRATOR_S  y_k = x_k,                    x_k+1 = x_k + gain T u_k, kept within [min, max]
    DERIV_S       y_k = gain (u_k - x_k) / T,   x_k+1 = u_k

T is the period of the block's clock. PID_S is a subsystem of these, SUM and GAIN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from hybsim.blocks.stock.entry import (
    Setting,
    StockEntry,
    Widths,
    initial_state,
    limit,
    need_width,
    refuse,
    vector_parameters,
)
from hybsim.blocks.stock.linear import StateSpace
from hybsim.blocks.stock.text import elementwise
from hybsim.kernel import Prepared, Real


def clock_period(block: Any) -> float:
    """Seconds between the ticks of a block's clock."""
    return float(block._clock.T)


class Held(StockEntry):
    """What the sampled blocks share: a state x as wide as x0, which the input must fit."""

    kind = "sampled"
    outputs = "y.out0 = x.x"
    update = "x.x = u.in0"

    def settings(self, block: Any) -> dict[str, Setting]:
        return {"x0": initial_state(block)}

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        n = block.getstate0().size
        need_width(block, in_widths, 0, n, "its x0 has")
        return [n]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        n = block.getstate0().size
        vectors = (
            vector_parameters(self.settings(block)) | {"x.x", "y.out0"} | ({"u.in0"} if in_widths[0] > 1 else set())
        )
        return {
            "outputs": elementwise(self.outputs, n, vectors),
            "update": elementwise(self.update, n, vectors),
        }


class ZOH(Held):
    """The input, one tick later."""


class Scaled(Held):
    """One with a gain, whose kernels use the period T."""

    def settings(self, block: Any) -> dict[str, Setting]:
        return super().settings(block) | {"gain": Setting(Real("gain"), block.gain, lambda value: {"gain": value})}

    def prepare(self, block: Any, q: SimpleNamespace) -> Prepared:
        prepared = super().prepare(block, q)
        return replace(prepared, p={**prepared.p, "T": clock_period(block)})


class DerivS(Scaled):
    outputs = "y.out0 = p.gain * (u.in0 - x.x) / p.T"


class IntegratorS(Scaled):
    """PID_S with I_band gives `enable`: the state is reset while |u| is not below the band."""

    update = """\
following = x.x + p.gain * p.T * u.in0
if following < p.min:
    following = p.min
if following > p.max:
    following = p.max
{reset}x.x = following"""

    def settings(self, block: Any) -> dict[str, Setting]:
        return super().settings(block) | {
            "min": limit(block, "min", "lowest state", -math.inf),
            "max": limit(block, "max", "highest state", math.inf),
        }

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        return [block.getstate0().size] if in_widths[0] == 1 else super().out_widths(block, in_widths)

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        reset = "if not abs(u.in0) < p.band:\n    following = 0.0\n" if self.band(block) is not None else ""
        return {role: body.format(reset=reset) for role, body in super().bodies(block, in_widths).items()}

    def prepare(self, block: Any, q: SimpleNamespace) -> Prepared:
        prepared, band = super().prepare(block, q), self.band(block)
        return prepared if band is None else replace(prepared, p={**prepared.p, "band": band})

    def band(self, block: Any) -> float | None:
        """The limit of |u| that PID_S puts into its function `enable`; no other function is known."""
        if block.enable is None:
            return None
        made_by_pid = getattr(block.enable, "__qualname__", "") == "PID_S.__init__.<locals>.ifunc"
        if not made_by_pid or block.getstate0().size > 1:
            refuse(
                block,
                "enable= is a function of time, input and state",
                "switch the input with a FUNCTION instead",
            )
        (cell,) = block.enable.__closure__
        return float(cell.cell_contents)


LTI_SS_S = StateSpace("sampled", matrices=True)
LTI_SISO_S = StateSpace("sampled", matrices=False)
