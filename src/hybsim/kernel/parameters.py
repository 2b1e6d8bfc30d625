"""Parameter declarations: one line gives a parameter its prose, its default and its limits.

    params = Params(
        stiffness=Positive("initial stiffness k"),
        alpha=Real("post-yield stiffness ratio", 0.0, at_least=0.0, at_most=1.0),
    )

Every value is checked by its declaration, in the constructor and for every parameter set of a sweep.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ParameterError, near

EXACT = 2.0**53
"""Whole numbers up to this size are exact as floats, which is how programs hold them."""

REQUIRED: Any = type("Required", (), {"__repr__": lambda self: "required"})()


class Param:
    """One parameter; `check` returns the value to use or raises ValueError with the rest of a sentence."""

    def __init__(self, prose: str, default: Any = REQUIRED) -> None:
        self.prose = prose
        self.default = default

    def check(self, value: Any) -> Any:
        return value


class Real(Param):
    """A finite number, within limits where given."""

    def __init__(
        self,
        prose: str,
        default: Any = REQUIRED,
        *,
        above: float | None = None,
        below: float | None = None,
        at_least: float | None = None,
        at_most: float | None = None,
        optional: bool = False,
    ) -> None:
        super().__init__(prose, default)
        self.limits = [
            (above, lambda v, b: v > b, "greater than"),
            (below, lambda v, b: v < b, "less than"),
            (at_least, lambda v, b: v >= b, "at least"),
            (at_most, lambda v, b: v <= b, "at most"),
        ]
        self.optional = optional

    def check(self, value: Any) -> float | None:
        if value is None and self.optional:
            return None
        number = self.number(value)
        for bound, holds, words in self.limits:
            if bound is not None and not holds(number, bound):
                raise ValueError(f"must be {words} {bound:g}, got {number!r}")
        return number

    @staticmethod
    def number(value: Any) -> float:
        plain = type(value) is float or type(value) is int  # as nearly always: no need to ask NumPy
        if not plain and (isinstance(value, bool | str) or np.ndim(value) != 0):
            raise ValueError(f"must be a single number, got {value!r}")
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ValueError(f"must be a single number, got {value!r}") from None
        except OverflowError:
            raise ValueError("must be finite, got a whole number beyond the range of floats") from None
        if not math.isfinite(number):
            raise ValueError(f"must be finite, got {number}")
        return number


class Positive(Real):
    """A finite number above zero."""

    def __init__(self, prose: str, default: Any = REQUIRED, *, optional: bool = False) -> None:
        super().__init__(prose, default, above=0.0, optional=optional)


class Integer(Real):
    """A whole number, within limits where given."""

    def check(self, value: Any) -> int | None:
        number = super().check(value)
        if number is None:
            return None
        if number != int(number):
            raise ValueError(f"must be a whole number, got {value!r}")
        if abs(number) > EXACT:
            raise ValueError(f"must be at most 2^53 in size, got {value!r}")
        return int(value)


class Choice(Param):
    """One of a few words."""

    def __init__(self, prose: str, default: Any = REQUIRED, *, among: tuple[str, ...]) -> None:
        super().__init__(prose, default)
        self.among = among

    def check(self, value: Any) -> str:
        if value not in self.among:
            raise ValueError(f"must be one of {', '.join(map(repr, self.among))}, got {value!r}")
        return str(value)


class Switch(Param):
    """True or False."""

    def check(self, value: Any) -> bool:
        if isinstance(value, bool | np.bool_) or (np.ndim(value) == 0 and value in (0, 1)):
            return bool(value)
        raise ValueError(f"must be True or False, got {value!r}")


class Vector(Param):
    """A number or a list of numbers, as a float64 vector."""

    def check(self, value: Any) -> np.ndarray:
        return np.atleast_1d(_finite_array(value, 1))


class Matrix(Param):
    """A number or a square matrix, as a float64 matrix."""

    def __init__(self, prose: str, default: Any = REQUIRED, *, optional: bool = False) -> None:
        super().__init__(prose, default)
        self.optional = optional

    def check(self, value: Any) -> np.ndarray | None:
        if value is None and self.optional:
            return None
        array = np.atleast_2d(_finite_array(value, 2))
        if array.shape[0] != array.shape[1]:
            raise ValueError(f"must be a number or a square matrix, got shape {array.shape}")
        return array


def _finite_array(value: Any, most_dimensions: int) -> np.ndarray:
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"must be a number or an array of numbers, got {value!r}") from None
    if array.ndim > most_dimensions or array.size == 0:
        kinds = "a number or a list of numbers" if most_dimensions == 1 else "a number, a list or a matrix of numbers"
        raise ValueError(f"must be {kinds}, not empty, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("must hold finite numbers only")
    return array


class Params(dict[str, Param]):
    """A block's parameters, in order."""

    def __init__(self, **declared: Param) -> None:
        super().__init__(declared)

    def resolve(self, given: Mapping[str, Any], block: str) -> dict[str, Any]:
        """Fill defaults and check every value; errors name the parameter and the block."""
        for name in given:
            if name not in self:
                raise ParameterError(f"Block {block} has no parameter {name!r}.{near(name, self)}")
        resolved = {}
        for name, declared in self.items():
            value = given.get(name, declared.default)
            if value is REQUIRED:
                raise ParameterError(f"Block {block} needs {name}= ({declared.prose}).")
            resolved[name] = self.check(name, value, block)
        return resolved

    def check(self, name: str, value: Any, block: str) -> Any:
        """One value as it is used."""
        try:
            return self[name].check(value)
        except ValueError as error:
            raise ParameterError(f"Parameter {name!r} of block {block} {error}.") from None
