"""bdsim's sources: CONSTANT, TIME, WAVEFORM, PIECEWISE, STEP, RAMP.

    STEP    y = on for t >= T, else off
    RAMP    y = off + slope (t - T) for t >= T, else off

They follow the time t of the run, so one with an edge on a tick changes at that tick.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from hybsim.blocks.stock.entry import Numbers, Setting, StockEntry, Widths, refuse, setting
from hybsim.blocks.stock.text import elementwise
from hybsim.kernel import Param, Positive, Prepared, Real


class Constant(StockEntry):
    def settings(self, block: Any) -> dict[str, Setting]:
        return {"value": setting(block, "value", "the constant")}

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        return [np.size(block.value)]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        return {"outputs": elementwise("y.out0 = p.value", np.size(block.value), {"y.out0", "p.value"})}


class Time(StockEntry):
    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        return [1]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        return {"outputs": "y.out0 = t"}


class Step(StockEntry):
    def settings(self, block: Any) -> dict[str, Setting]:
        return {
            "T": setting(block, "T", "time of the step in s", infinite=True, dimensions=0),
            "off": setting(block, "off", "value before the step", dimensions=0),
            "on": setting(block, "on", "value from the step on", dimensions=0),
        }

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        return [1]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        return {"outputs": "y.out0 = p.on if t >= p.T else p.off"}


class Ramp(StockEntry):
    def settings(self, block: Any) -> dict[str, Setting]:
        return {
            "T": setting(block, "T", "start of the ramp in s", infinite=True, dimensions=0),
            "off": setting(block, "off", "value before the ramp", dimensions=0),
            "slope": setting(block, "slope", "change a second", dimensions=0),
        }

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        return [1]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        return {"outputs": "y.out0 = p.off + p.slope * (t - p.T) if t >= p.T else p.off"}


SHAPES = {
    "square": "wave = 1.0 if phase < p.duty else -1.0",
    "triangle": """\
if phase < 0.25:
    wave = phase * 4.0
elif phase < 0.75:
    wave = 1.0 - 4.0 * (phase - 0.25)
else:
    wave = -1.0 + 4.0 * (phase - 0.75)""",
    "sine": "wave = math.sin(phase * 2.0 * math.pi)",
}


class WaveForm(StockEntry):
    """`freq` is in Hz whatever unit the block was made with, which bdsim does not keep."""

    names = {"math": math}

    def settings(self, block: Any) -> dict[str, Setting]:
        declared = {
            "freq": Positive("frequency in Hz"),
            "phase": Real("phase, in cycles", at_least=0.0, at_most=1.0),
            "amplitude": Real("amplitude"),
            "offset": Real("mean value"),
            "duty": Real("part of the cycle a square wave is high", above=0.0, below=1.0),
        }
        return {name: _kept(block, name, declaration) for name, declaration in declared.items()}

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        return [1]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        phase = "phase = (t * p.freq - p.phase) % 1.0"
        return {"outputs": f"{phase}\n{SHAPES[block.wave]}\ny.out0 = wave * p.amplitude + p.offset"}


def _kept(block: Any, name: str, declaration: Param) -> Setting:
    return Setting(declaration, getattr(block, name), lambda value: {name: value})


class Pairs(Param):
    """A fixed number of (time, value) pairs; a value is a number or a vector."""

    def __init__(self, prose: str, count: int, width: int) -> None:
        super().__init__(prose)
        self.count, self.width = count, width

    def check(self, value: Any) -> list[tuple[float, float | np.ndarray]]:
        pairs = list(value) if isinstance(value, list | tuple | np.ndarray) else []
        fit = all(isinstance(pair, list | tuple | np.ndarray) and len(pair) == 2 for pair in pairs)
        if len(pairs) != self.count or not fit:
            raise ValueError(f"must be {self.count} pairs (time, value), got {value!r}")
        time = Numbers("time", infinite=True)
        level = Numbers("value", (self.width,) if self.width > 1 else ())
        return [(float(time.check(t)), level.check(y)) for t, y in pairs]


class Piecewise(StockEntry):
    """y of the last pair whose time has come; before the first one bdsim gives the last pair's value."""

    def settings(self, block: Any) -> dict[str, Setting]:
        pairs = list(zip(block.t, block.y, strict=True))
        return {
            "seq": Setting(
                Pairs("(time, value) pairs", len(pairs), self.width(block)),
                pairs,
                lambda value: {"t": [t for t, _ in value], "y": [y for _, y in value]},
            )
        }

    def width(self, block: Any) -> int:
        sizes = {np.size(y) for y in block.y}
        if len(sizes) != 1:
            refuse(
                block,
                "its values are missing or not of one size",
                "give it (time, value) pairs of equal size",
            )
        return sizes.pop()

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        return [self.width(block)]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        n, width = len(block.t), self.width(block)
        count = f"passed = 0\nfor j in range({n}):\n    if t >= p.times[j]:\n        passed = passed + 1"
        chosen = f"last = passed - 1 if passed > 0 else {n - 1}"
        if width == 1:
            give = "y.out0 = p.values[last]"
        else:
            give = f"for i in range({width}):\n    y.out0[i] = p.values[last, i]"
        return {"outputs": f"{count}\n{chosen}\n{give}"}

    def prepare(self, block: Any, q: SimpleNamespace) -> Prepared:
        times, values = zip(*q.seq, strict=True)
        return Prepared(p={"times": np.array(times), "values": np.array(values)})
