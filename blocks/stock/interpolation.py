"""INTERPOLATE: a straight line between the table's points (x, y).

    y = y_lo + (y_hi - y_lo) / (x_hi - x_lo) (v - x_lo),   x_lo <= v <= x_hi

v is the input, or the time where the block was made with time=True. Outside the table bdsim raises;
here the output is NaN, which stops the run and names the block.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.interpolate import interp1d

from hybsim.blocks.stock.entry import Numbers, Setting, StockEntry, Widths, label, need_width, refuse
from hybsim.blocks.stock.text import elementwise
from hybsim.errors import ParameterError
from hybsim.kernel import Prepared, kernel


@kernel
def on_table(v, x, y):
    """As numpy.interp: the values at the points are the table's own."""
    low = 0
    high = len(x) - 1
    if not (v >= x[low] and v <= x[high]):
        return math.nan
    if v == x[high]:
        return y[high]
    while high - low > 1:
        middle = (low + high) // 2
        if v >= x[middle]:
            low = middle
        else:
            high = middle
    if v == x[low]:
        return y[low]
    slope = (y[high] - y[low]) / (x[high] - x[low])
    value = slope * (v - x[low]) + y[low]
    if math.isnan(value):  # the point below lies at minus infinity
        value = slope * (v - x[high]) + y[high]
    return value


@kernel
def segment_before(v, x):
    """The number of the point below v, counting a point to the segment that ends in it; -1 outside."""
    low = 0
    high = len(x) - 1
    if not (v >= x[low] and v <= x[high]):
        return -1
    while high - low > 1:
        middle = (low + high) // 2
        if v > x[middle]:
            low = middle
        else:
            high = middle
    return low


COLUMNS = """\
v = {v}
low = segment_before(v, p.x)
for i in range({columns}):
    if low < 0:
        {place} = math.nan
    else:
        slope = (p.y[low + 1, i] - p.y[low, i]) / (p.x[low + 1] - p.x[low])
        {place} = slope * (v - p.x[low]) + p.y[low, i]"""


class Interpolate(StockEntry):
    names = {"math": math, "on_table": on_table, "segment_before": segment_before}

    def settings(self, block: Any) -> dict[str, Setting]:
        # scipy keeps the kind and the sorted table on the interpolator; bdsim keeps neither.
        x, y = np.asarray(block.f.x), np.asarray(block.f.y)
        kind = getattr(block.f, "_kind", None)
        if kind != "linear":
            refuse(block, "only kind='linear' is supported", "use it with more points, or write a FUNCTION")
        if x.size < 2 or y.ndim > 2:
            refuse(
                block,
                f"its table has {x.size} point(s) with values of shape {y.shape[1:]}",
                "give it two points or more",
            )
        return {
            "x": Setting(Numbers("x of the points", x.shape, infinite=True), x, lambda v: self.table(v, y)),
            "y": Setting(Numbers("y of the points", y.shape), y, lambda v: self.table(block.f.x, v)),
        }

    @staticmethod
    def table(x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
        return {"f": interp1d(x=x, y=y, kind="linear", axis=0), "xpts": x}

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        y = np.asarray(block.f.y)
        if y.ndim == 1:
            return [1 if block.time else in_widths[0]]
        if not block.time:
            need_width(block, in_widths, 0, 1, "a table with several columns takes")
        return [y.shape[1]]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        y = np.asarray(block.f.y)
        v = "t" if block.time else "u.in0"
        if y.ndim == 1:
            width = 1 if block.time else in_widths[0]
            return {"outputs": elementwise(f"y.out0 = on_table({v}, p.x, p.y)", width, {"u.in0", "y.out0"})}
        place = "y.out0[i]" if y.shape[1] > 1 else "y.out0"
        return {"outputs": COLUMNS.format(v=v, columns=y.shape[1], place=place)}

    def prepare(self, block: Any, q: SimpleNamespace) -> Prepared:
        order = np.argsort(q.x, kind="mergesort")
        return Prepared(p={"x": q.x[order], "y": q.y[order]})

    def check_run(self, block: Any, q: Mapping[str, Any], duration: float) -> None:
        first, last = float(np.min(q["x"])), float(np.max(q["x"]))
        if block.time and (first > 0.0 or last < duration):
            raise ParameterError(
                f"{label(block)} has a table from {first:g} s to {last:g} s, which does not cover"
                f" a run of {duration:g} s; add points or shorten the run."
            )
