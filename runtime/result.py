"""What a run returns: the time of every tick and every block output by name.

    result.t, result["specimen.force"], result.peak("structure.disp"), result.plot("specimen.force")

A signal is named `block.port`; a block with a single output may be named alone, and `name[i]` is component i
of a vector signal. A result is a mapping from names to arrays, with one row a tick.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from hybsim.errors import ParameterError, RunError, near
from hybsim.runtime import export

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

# A longer name of a signal does not fit beside an axes and goes into a legend.
LONGEST_AXIS_LABEL = 26


class UnknownSignal(ParameterError, KeyError):
    """A result has no signal of this name, or more than one."""

    def __str__(self) -> str:
        # KeyError would show the sentence in quotation marks.
        return str(self.args[0])


@dataclass(frozen=True)
class Stop:
    """Where a run ended early, and why.

    An output that went wrong has a `signal` and a reason such as "became nan"; a kernel that could not go on
    has none, and a reason such as "integer division by zero at counter.py:12" or "the delay is negative".
    """

    tick: int
    time: float
    block: str
    signal: str
    reason: str

    def __str__(self) -> str:
        output = f"output '{self.signal}' of block '{self.block}' {self.reason}"
        what = output if self.signal else f"in block '{self.block}', {self.reason}"
        return f"Stopped at tick {self.tick} (t = {self.time:.10g} s): {what}."


class Result(Mapping[str, Array]):
    """The signals of one run.

    >>> t = np.array([0.0, 0.1, 0.2])
    >>> result = Result(t, {"specimen.force": 2.0 * t}, engine="python", manifest={})
    >>> result.names, float(result.peak("specimen"))
    (['specimen.force'], 0.4)
    """

    def __init__(
        self,
        t: Array,
        columns: Mapping[str, Array],
        *,
        engine: str,
        manifest: Mapping[str, Any],
        stopped: Stop | None = None,
    ) -> None:
        self.t: Array = np.asarray(t, dtype=np.float64)
        self.engine = engine
        self.manifest = dict(manifest)
        self.stopped = stopped
        self._columns: dict[str, Array] = {}
        if self.t.ndim != 1:
            raise RunError(f"The time of a result must be one column, but has shape {self.t.shape}.")
        for name, values in columns.items():
            column = np.asarray(values, dtype=np.float64)
            if "." not in name:
                raise RunError(f"A signal of a result is named 'block.port', but one is named {name!r}.")
            if column.ndim not in (1, 2) or len(column) != len(self.t):
                needed = f"({len(self.t)},) or ({len(self.t)}, n), one row a tick"
                raise RunError(f"Signal '{name}' has shape {column.shape}, but must have {needed}.")
            self._columns[name] = column

    @property
    def names(self) -> list[str]:
        """The signals, as `block.port`, in the order in which they are computed."""
        return list(self._columns)

    def __getitem__(self, name: str) -> Array:
        name, component = self._find(name)
        return self._columns[name] if component is None else self._columns[name][:, component]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """The number of signals, as for any mapping; `result.t.size` is the number of ticks."""
        return len(self._columns)

    # Equality by content, as mappings have it, is not defined for arrays.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        shown = ", ".join(self.names[:6]) + (", ..." if len(self) > 6 else "")
        span = f", t = {self.t[0]:g} to {self.t[-1]:g} s" if self.t.size else ""
        text = f"{self.t.size} ticks{span}, engine {self.engine!r}, {len(self)} signals: {shown}"
        return f"<Result: {text}{'' if self.stopped is None else f'; {self.stopped}'}>"

    def final(self, name: str) -> Any:
        """The last value of a signal: a number, or an array for a vector signal."""
        return self._nonempty(name)[-1]

    def peak(self, name: str) -> Any:
        """The largest absolute value of a signal over time, of each component for a vector signal."""
        return np.abs(self._nonempty(name)).max(axis=0)

    def unit(self, name: str) -> str:
        """The unit of a signal, or of time for `t`; empty if the run does not state one."""
        units = self.manifest.get("units") or {}
        return str(units.get("t", "s") if name == "t" else units.get(self._find(name)[0], ""))

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write a table, one line a tick, that reads back as the same numbers."""
        return export.write_csv(self, path)

    def to_npz(self, path: str | os.PathLike[str]) -> Path:
        """Write a NumPy archive, one array a signal."""
        return export.write_npz(self, path)

    def to_hdf5(self, path: str | os.PathLike[str]) -> Path:
        """Write an HDF5 file, one dataset a signal, subsystems as groups."""
        return export.write_hdf5(self, path)

    def to_mat(self, path: str | os.PathLike[str]) -> Path:
        """Write a MATLAB file; `.` and `/` in names become `_`, and `names` lists both."""
        return export.write_mat(self, path)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """The result as plain lists and numbers, written too if a path is given; NaN and Inf are null."""
        return export.write_json(self, path)

    def plot(
        self,
        *names: str,
        x: str | None = None,
        ax: Axes | None = None,
        title: str | None = None,
        save: str | os.PathLike[str] | None = None,
    ) -> Figure:
        """Draw signals over time, or over signal `x` (force over displacement gives loops).

        Signals of one quantity (`disp_cmd` and `disp_meas`) and unit share an axes, quantities are stacked;
        with `ax` all are drawn into that one. Without names every signal is drawn. `save` writes a file.
        """
        columns = [self._full(name) for name in names or self.names]
        over = None if x is None else self._full(x)
        if not columns:
            raise RunError("There is nothing to plot: the result has no signals.")
        if ax is None:
            figure = self._stacked(columns, over, title)
        else:
            figure = cast("Figure", ax.figure)
            self._draw(ax, columns, over)
            if title is not None:
                ax.set_title(title)
        if save is not None:
            export.write_figure(figure, save)
        return figure

    def _nonempty(self, name: str) -> Array:
        values = self[name]
        if not values.size:
            raise RunError(f"Signal '{name}' has no values: the run has no ticks.")
        return values

    def _find(self, name: str) -> tuple[str, int | None]:
        """The column that a name means, and the component of it."""
        if name in self._columns:
            return name, None
        if match := re.fullmatch(r"(.+)\[(\d+)\]", name):
            whole, _ = self._find(match[1])
            values = self._columns[whole]
            width = values.shape[1] if values.ndim == 2 else 0
            if int(match[2]) < width:
                return whole, int(match[2])
            kind = f"has the components 0 to {width - 1}" if width else "is not a vector"
            raise UnknownSignal(f"There is no signal '{name}': '{whole}' {kind}.")
        outputs = [column for column in self._columns if column.rpartition(".")[0] == name]
        if len(outputs) == 1:
            return outputs[0], None
        if outputs:
            choices = ", ".join(map(repr, outputs))
            raise UnknownSignal(f"Block '{name}' has {len(outputs)} outputs, so name one: {choices}.")
        raise UnknownSignal(f"There is no signal '{name}' in the result.{near(name, self._columns)}")

    def _full(self, name: str) -> str:
        """The full name of what a shorter one means."""
        column, component = self._find(name)
        return column if component is None else f"{column}[{component}]"

    def _stacked(self, names: list[str], x: str | None, title: str | None) -> Figure:
        """A figure with one axes for the signals of each quantity and unit, in the order of the names."""
        from matplotlib import rc_context

        stacks: dict[tuple[str, str], list[str]] = {}
        for name in names:
            stacks.setdefault((_quantity(name), self.unit(name)), []).append(name)
        size = (7.0, 0.6 + 1.8 * len(stacks)) if x is None else (4.5, 3.6 * len(stacks))
        with rc_context(export.PAPER):
            figure = export.paper_figure()(figsize=size, layout="constrained")
            areas = figure.subplots(len(stacks), 1, sharex=True, squeeze=False)[:, 0]
            for area, stack in zip(areas, stacks.values(), strict=True):
                self._draw(area, stack, x)
                area.label_outer()
            figure.align_ylabels(areas)
            if title is not None:
                figure.suptitle(title)
            if self.stopped is not None:
                figure.supxlabel(str(self.stopped), fontsize="small", color="#B00020")
        return figure

    def _draw(self, area: Axes, names: list[str], x: str | None) -> None:
        """The lines of one axes: a single one is named by the axis, several by a legend."""
        over = self.t if x is None else self[x]
        if over.ndim != 1:
            raise ParameterError(f"'{x}' is a vector and cannot be x: name one component, as in '{x}[0]'.")
        lines: dict[str, Array] = {}
        for name in names:
            values = self[name]
            parts = {f"{name}[{i}]": part for i, part in enumerate(values.T)} if values.ndim == 2 else {}
            lines |= parts or {name: values}
        for label, values in lines.items():
            area.plot(_drawable(over), _drawable(values), label=label)
        units = {self.unit(name) for name in names}
        unit = units.pop() if len(units) == 1 else ""
        alone = _labelled(next(iter(lines)), unit)
        if len(lines) == 1 and len(alone) <= LONGEST_AXIS_LABEL:
            area.set_ylabel(alone)
        else:
            area.set_ylabel(_labelled(", ".join(sorted(set(map(_quantity, names)))), unit))
            # Above the axes a legend hides no data; as many columns as there is room for.
            room = area.bbox.width / area.figure.dpi / (0.5 + 0.075 * max(map(len, lines)))
            area.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=max(1, int(room)), frameon=False)
        if x is None:
            area.margins(x=0.0)
        area.set_xlabel(_labelled("time" if x is None else x, self.unit("t" if x is None else x)))


def _quantity(column: str) -> str:
    """`rig/sensor.disp_meas` -> `disp`: ports are named quantity first, then role."""
    return re.split(r"[_\[]", column.rpartition(".")[2])[0]


def _drawable(values: Array) -> Array:
    """Without what a diverging run reaches last: matplotlib fails where a range overflows."""
    return np.where(np.abs(values) < 1e300, values, np.nan)


def _labelled(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name
