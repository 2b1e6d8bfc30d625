"""One block alone: made, driven tick by tick in Python, prepared anew for a run, and refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from bdsim.components import Clock

from hybsim.errors import ParameterError
from hybsim.kernel import KernelBlock, Prepared, Sampled


def made(cls: type[KernelBlock], dt: float = 0.01, **parameters: Any) -> Any:
    """A block; a sampled one has a clock of its own."""
    clock = {"clock": Clock(dt)} if issubclass(cls, Sampled) else {}
    return cls(**clock, **parameters)


def every_output(block: Any, *signals: Iterable[Any], time: float | None = None) -> tuple[np.ndarray, ...]:
    """Each output at every tick, one row a tick; the inputs in order, one value a tick.

    time: what the block is told in place of the time of the tick
    """
    return _ticks(block, zip(*signals, strict=True), time)


def stepped(block: Any, *signals: Iterable[Any], time: float | None = None) -> np.ndarray:
    """The first output at every tick, as in `every_output`."""
    return every_output(block, *signals, time=time)[0]


def by_name(block: Any, *signals: Iterable[Any]) -> dict[str, np.ndarray]:
    """`every_output` by the names of the outputs."""
    return dict(zip(block.outs, every_output(block, *signals), strict=True))


def played(block: Any, count: int) -> np.ndarray:
    """The output of a source at the first `count` ticks."""
    return _ticks(block, [()] * count)[0]


def _ticks(block: Any, inputs: Iterable[Sequence[Any]], time: float | None = None) -> tuple[np.ndarray, ...]:
    x, rows = block.getstate0(), []
    for k, values in enumerate(inputs):
        t = k * block._dt if time is None else time
        rows.append(block.output(t, list(values), x))
        x = block.next(t, list(values), x)
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def later(block: Any, **changed: Any) -> Prepared:
    """What a run with other parameters prepares."""
    spec = block.spec()
    return spec.prepare({**spec.parameters, **changed}, block._dt)


def shapes(prepared: Prepared) -> tuple[Any, ...]:
    """What a built program fixes: runs that have the same can follow each other without building anew."""
    sizes = ({name: np.shape(value) for name, value in group.items()} for group in (prepared.p, prepared.x))
    return prepared.structure, prepared.widths, *sizes


def refusal(make: Callable[..., Any], *arguments: Any, **parameters: Any) -> str:
    """The sentence in which a block refuses its parameters."""
    with pytest.raises(ParameterError) as caught:
        make(*arguments, **parameters)
    text = str(caught.value)
    assert "\n" not in text and text.endswith((".", "?"))  # "Did you mean ...?" may end it
    return text


def warned(make: Callable[..., Any], *arguments: Any, **parameters: Any) -> tuple[Any, list[str]]:
    """What was made, and every warning on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = make(*arguments, **parameters)
    return result, [str(warning.message) for warning in caught]
