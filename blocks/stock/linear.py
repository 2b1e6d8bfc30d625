"""Linear systems in state space, as LTI_SS, LTI_SISO and their sampled twins keep them.

    dx/dt or x_next = A x + B u
    y               = C x + D u        D only where it is not zero

The products are summed in the order of the index (see functions.py on the last bits).
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import indent
from types import SimpleNamespace
from typing import Any

import numpy as np

from hybsim.blocks.stock.entry import (
    Setting,
    StockEntry,
    Widths,
    initial_state,
    need_numbers,
    refuse,
    setting,
)
from hybsim.kernel import Prepared, zeros

STATE = """\
for i in range({n}):
    own = 0.0
    for j in range({n}):
        own = own + p.A[i, j] * x.x[j]
    driven = 0.0
{driven}
    {place}[i] = own + driven"""

OUTPUT = """\
own = 0.0
for j in range({n}):
    own = own + p.C[0, j] * x.x[j]"""


def driven_by(matrix: str, row: str, inputs: int) -> str:
    """Lines that add one row of `matrix` times the inputs to `driven`."""
    return "\n".join(f"driven = driven + p.{matrix}[{row}, {k}] * u.in{k}" for k in range(inputs))


class StateSpace(StockEntry):
    """The entry of both kinds; `kind` says whether A x + B u is the derivative or the next state."""

    names = {"zeros": zeros}

    def __init__(self, kind: str, *, matrices: bool) -> None:
        self.kind = kind
        self.matrices = matrices

    def settings(self, block: Any) -> dict[str, Setting]:
        n = block.A.shape[0]
        if n == 0:
            refuse(block, "it has no state", "use a GAIN")
        declared = {"x0": initial_state(block, n)}
        if self.matrices:
            prose = {"A": "system matrix", "B": "input matrix", "C": "output matrix"}
            declared |= {name: setting(block, name, text, dimensions=2) for name, text in prose.items()}
            if block.D is not None:
                declared["D"] = setting(block, "D", "feedthrough matrix", dimensions=2)
        return declared

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        if block.C.shape[0] != 1:
            refuse(
                block,
                f"it has {block.C.shape[0]} outputs, with which bdsim itself fails",
                "use one block an output",
            )
        need_numbers(block, in_widths)
        return [1]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        n, inputs = block.B.shape
        output = OUTPUT.format(n=n)
        if block.D is None:
            output += "\ny.out0 = own"
        else:
            output += f"\ndriven = 0.0\n{driven_by('D', '0', inputs)}\ny.out0 = own + driven"
        rows = indent(driven_by("B", "i", inputs), "    ")
        if self.kind == "continuous":
            return {"outputs": output, "derivative": STATE.format(n=n, driven=rows, place="dx.x")}
        state = STATE.format(n=n, driven=rows, place="following")
        copy = f"for i in range({n}):\n    x.x[i] = following[i]"
        return {"outputs": output, "update": f"following = zeros({n})\n{state}\n{copy}"}

    def prepare(self, block: Any, q: SimpleNamespace) -> Prepared:
        built = {name: getattr(block, name) for name in "ABCD" if getattr(block, name) is not None}
        p = {name: np.array(getattr(q, name, value), dtype=float) for name, value in built.items()}
        return Prepared(p=p, x={"x": q.x0})
