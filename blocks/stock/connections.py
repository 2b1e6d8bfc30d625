"""bdsim's connections: MUX, DEMUX, INDEX, INPORT and OUTPORT; sinks and subsystems as frames.

MUX    y = [u0, u1, ...]      numbers and vectors, end to end
DEMUX  y0, y1, ... = u        a vector to single numbers
INDEX  y = u[index]           counted from 0, or from the end if negative
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybsim.blocks.stock.entry import StockEntry, Widths, label, need_width, refuse
from hybsim.blocks.stock.text import elementwise, item
from hybsim.errors import DiagramError


class Mux(StockEntry):
    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        known = [width for width in in_widths if width is not None]
        return [sum(known) if len(known) == len(in_widths) else None]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        total, lines, start = sum(in_widths), [], 0
        for port, width in enumerate(in_widths):
            if width == 1:
                lines.append(f"{item('y.out0', total, start)} = u.in{port}")
            else:
                lines.append(f"for i in range({width}):\n    y.out0[{start} + i] = u.in{port}[i]")
            start += width
        return {"outputs": "\n".join(lines)}


class DeMux(StockEntry):
    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        need_width(block, in_widths, 0, block.nout, "its number of outputs is")
        return [1] * block.nout

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        return {"outputs": "\n".join(f"y.out{i} = {item('u.in0', block.nout, i)}" for i in range(block.nout))}


class Index(StockEntry):
    """Slices are taken as bdsim documents them; its own engine takes lists only."""

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        width = in_widths[0]
        if width is None:
            return [None if isinstance(block.index, slice) else len(self.listed(block))]
        return [len(self.chosen(block, width))]

    def listed(self, block: Any) -> list[int]:
        index = [block.index] if isinstance(block.index, int) else list(block.index)
        if not index:
            refuse(block, "its index is empty", "give it the elements to choose, such as [0, 2]")
        return [int(i) for i in index]

    def chosen(self, block: Any, width: int) -> list[int]:
        if isinstance(block.index, slice):
            chosen = list(range(width))[block.index]
            if not chosen:
                refuse(block, f"its slice chooses nothing of {width} element(s)", "change the index or the input")
            return chosen
        for i in self.listed(block):
            if not -width <= i < width:
                raise DiagramError(
                    f"{label(block)}: index {i} does not exist in an input of {width} element(s);"
                    f" use -{width} to {width - 1}."
                )
        return [i % width for i in self.listed(block)]

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        chosen = self.chosen(block, in_widths[0])
        lines = [f"{item('y.out0', len(chosen), k)} = {item('u.in0', in_widths[0], i)}" for k, i in enumerate(chosen)]
        return {"outputs": "\n".join(lines)}


class Passage(StockEntry):
    """INPORT and OUTPORT of a flattened subsystem: as many outputs as inputs, each what its input is."""

    def ports(self, block: Any) -> tuple[int, int]:
        count = max(block.nin, block.nout)
        return count, count

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        return list(in_widths)

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        lines = [elementwise(f"y.out{k} = u.in{k}", w, {f"y.out{k}", f"u.in{k}"}) for k, w in enumerate(in_widths)]
        return {"outputs": "\n".join(lines)}


class Sink(StockEntry):
    """A block that shows or discards its inputs; every signal is in the result anyway."""

    kind = "sink"

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        return []


class Frame(StockEntry):
    """A subsystem: lowered block by block, never as one."""

    kind = "subsystem"

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        return [None] * block.nout
