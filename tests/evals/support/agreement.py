"""Engines that agree: whichever of them runs a program, the result has the same bits.

The engine "c" needs a C compiler, so these tests do; without one it is refused with a sentence that says so.
"""

from __future__ import annotations

from typing import Any

from hybsim.runtime.program import Program
from hybsim.runtime.result import Result


def each(program: Program, duration: float, engines: tuple[str, ...] = ("c", "python"), **params: Any) -> list[Result]:
    """The result of every engine."""
    return [program.run(duration, engine=engine, params=params) for engine in engines]


def assert_same_bits(one: Any, other: Any) -> None:
    """Two runs have the same signals, bit for bit (-0.0 is not 0.0), and ended in the same way."""
    assert one.names == other.names
    for name in one.names:
        assert one[name].shape == other[name].shape, name
        assert one[name].tobytes() == other[name].tobytes(), name
    assert str(one.stopped) == str(other.stopped)


def alike(program: Program, duration: float, engines: tuple[str, ...] = ("c", "python"), **params: Any) -> Result:
    """The result of the first engine, after the others have given the same, whether the run came to its end or not."""
    first, *others = each(program, duration, engines, **params)
    for other in others:
        assert_same_bits(first, other)
    return first


def agreed(program: Program, duration: float, engines: tuple[str, ...] = ("c", "python"), **params: Any) -> Result:
    """The result of the first engine, after the others have given the same bits up to the end of the run."""
    result = alike(program, duration, engines, **params)
    assert result.stopped is None, result.stopped
    return result
