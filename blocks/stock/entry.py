"""What the table of stock blocks is made of: how one bdsim block becomes names, kernels and numbers."""

from __future__ import annotations

import keyword
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np

from hybsim.errors import DiagramError
from hybsim.kernel import Param, Prepared

Widths = Sequence[int | None]
"""Number of elements on each port; None where it is not known yet."""


class Numbers(Param):
    """Numbers of one shape, () for a single one; never NaN, infinite only where that has a meaning."""

    def __init__(self, prose: str, shape: tuple[int, ...] = (), *, infinite: bool = False) -> None:
        super().__init__(prose)
        self.shape = shape
        self.infinite = infinite

    def check(self, value: Any) -> float | np.ndarray:
        wanted = f"an array of shape {self.shape}" if self.shape else "a single number"
        try:
            array = np.array(value, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(f"must be {wanted}, got {value!r}") from None
        if isinstance(value, bool | str) or array.size != math.prod(self.shape):
            raise ValueError(f"must be {wanted}, got {value!r}")
        if np.squeeze(array).shape != tuple(n for n in self.shape if n != 1):
            raise ValueError(f"must be {wanted}, got shape {array.shape}")
        if np.isnan(array).any() or not (self.infinite or np.isfinite(array).all()):
            raise ValueError(f"must hold {'no NaN' if self.infinite else 'finite numbers only'}, got {value!r}")
        return array.reshape(self.shape) if self.shape else float(array.item())


@dataclass(frozen=True)
class Setting:
    """A parameter: its declaration, its value read off the block, and the attributes bdsim keeps it in."""

    declaration: Param
    value: Any
    attributes: Callable[[Any], dict[str, Any]]


def setting(block: Any, name: str, prose: str, *, infinite: bool = False, dimensions: int = 1) -> Setting:
    """A parameter kept in the attribute of its own name: a number, or an array whose shape is kept."""
    original = getattr(block, name)
    shape = shape_of(block, name, original, dimensions)

    def attributes(value: Any) -> dict[str, Any]:
        return {name: np.reshape(value, np.shape(original)) if np.ndim(original) else value}

    return Setting(Numbers(prose, shape, infinite=infinite), original, attributes)


def limit(block: Any, name: str, prose: str, without: float) -> Setting:
    """A limit of a state; `without` stands for None, which bdsim keeps where there is no limit."""
    n = block.getstate0().size
    value = np.full(n, without) if getattr(block, name) is None else getattr(block, name)
    declaration = Numbers(prose, (n,) if n > 1 else (), infinite=True)
    return Setting(declaration, value, lambda v: {name: np.atleast_1d(v)})


def initial_state(block: Any, size: int | None = None) -> Setting:
    """x0, which bdsim keeps as a vector; `size` asks for a vector here too."""
    n = block.getstate0().size
    if size is not None and n != size:
        refuse(block, f"x0 has {n} element(s) and there are {size} state(s)", "give x0 one number a state")
    declaration = Numbers("initial state", (n,) if n > 1 or size is not None else ())
    return Setting(declaration, block.getstate0(), lambda v: {"_x0": np.atleast_1d(v)})


def shape_of(block: Any, name: str, value: Any, dimensions: int) -> tuple[int, ...]:
    """The shape of a value that may be a number or an array; one element counts as a number."""
    try:
        shape = np.shape(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        refuse(
            block,
            f"{name}={value!r} is not a number or an array of numbers",
            "signals are numbers and vectors",
        )
    if len(shape) > dimensions or 0 in shape:
        refuse(block, f"{name} has shape {shape}", "signals are numbers and vectors, not matrices")
    return () if shape == (1,) else shape


def label(block: Any) -> str:
    return f"Block {block.name!r} ({factory_name(block)})"


def factory_name(block: Any) -> str:
    """The name a block is made with: bd.GAIN for the class Gain."""
    return type(block).__name__.upper()


def refuse(block: Any, reason: str, instead: str) -> NoReturn:
    raise DiagramError(f"{label(block)} cannot be lowered: {reason}; {instead}.")


def need_width(block: Any, in_widths: Widths, port: int, width: int, why: str) -> None:
    """Refuse an input that is not `width` elements wide."""
    got = in_widths[port]
    if got is not None and got != width:
        raise DiagramError(
            f"{label(block)}: input {port} has {got} element(s) but {why} {width};"
            " make the two equal, or use MUX, DEMUX or INDEX in between."
        )


def need_numbers(block: Any, in_widths: Widths) -> None:
    for port in range(len(in_widths)):
        need_width(block, in_widths, port, 1, "its size must be")


def common_width(block: Any, in_widths: Widths) -> int | None:
    """The width of signals combined element by element; single numbers go with vectors of any width."""
    first: tuple[int, int] | None = None
    for port, width in enumerate(in_widths):
        if width is None or width == 1:
            continue
        if first is not None and first[1] != width:
            raise DiagramError(
                f"{label(block)}: input {first[0]} has {first[1]} elements and input {port} has {width};"
                " vectors that are combined must be equally long."
            )
        first = first or (port, width)
    if first is not None:
        return first[1]
    return None if None in in_widths else 1


class StockEntry:
    """One row of the table; the methods get the bdsim block and say how it is lowered.

    kind   "function", "continuous" or "sampled" as in BlockSpec; "sink" (no outputs: what it shows is
           logged anyway) and "subsystem" (a frame around blocks that are lowered one by one)
    names  helper kernels that the bodies call
    """

    kind = "function"
    names: Mapping[str, Any] = {}

    def settings(self, block: Any) -> dict[str, Setting]:
        """The parameters, by the constructor's keywords."""
        return {}

    def out_widths(self, block: Any, in_widths: Widths) -> list[int | None]:
        raise NotImplementedError

    def bodies(self, block: Any, in_widths: Sequence[int]) -> dict[str, str]:
        """The text of each kernel, ports numbered."""
        raise NotImplementedError

    def names_for(self, block: Any) -> dict[str, Any]:
        return dict(self.names)

    def ports(self, block: Any) -> tuple[int, int]:
        return block.nin, block.nout

    def prepare(self, block: Any, q: SimpleNamespace) -> Prepared:
        """Parameters are seen by the kernels under their own names; x0 is the state x."""
        p = {name: value for name, value in vars(q).items() if name != "x0"}
        return Prepared(p=p, x={"x": q.x0} if hasattr(q, "x0") else {})

    def check_run(self, block: Any, q: Mapping[str, Any], duration: float) -> None:
        """Refuse a run of a length for which the block is not defined."""


def vector_parameters(settings: Mapping[str, Setting]) -> set[str]:
    """Kernel fields of the parameters that are vectors."""
    return {f"p.{name}" for name, s in settings.items() if getattr(s.declaration, "shape", ())}


def port_names(block: Any, inputs: int, outputs: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names from bdsim where a kernel can use them, else in0, in1, ... and out, or out0, out1, ...

    A single input is `in0`: `in` is a word of the language. Inputs and outputs never share a name.
    """
    plain_ins = tuple(f"in{i}" for i in range(inputs))
    plain_outs = ("out",) if outputs == 1 else tuple(f"out{i}" for i in range(outputs))
    ins = _usable([block.inport_name(i) for i in range(block.nin)], plain_ins)
    outs = _usable([block.outport_name(i) for i in range(block.nout)], plain_outs)
    if set(ins) & set(outs):
        ins = plain_ins
    return ins, plain_outs if set(ins) & set(outs) else outs


def _usable(given: Sequence[str], plain: tuple[str, ...]) -> tuple[str, ...]:
    fit = all(name.isidentifier() and name.isascii() and not keyword.iskeyword(name) for name in given)
    return tuple(given) if fit and len(set(given)) == len(plain) else plain
