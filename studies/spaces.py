"""Parameter spaces: the points of a study, as a grid, a list, random or Sobol numbers.

    grid({"lag.mean": [0.0, 0.5, 1.0], "integrator.damping": [0.1, 0.2]})     every combination, the last name fastest
    [{"lag.mean": 0.0}, {"lag.mean": 0.5}]                                    a list, taken as it is
    random({"lag.mean": (0.0, 1.0), "noise.seed": range(10**6)}, 1000)        independent points
    sobol({"lag.mean": (0.0, 1.0), "record.scale": norm(77.2, 5.0)}, 1024)    points that fill the space evenly

For random and Sobol points a parameter has a pair (low, high), between which it is uniform; a range or a list, of
which it is one with equal probability; or a distribution of scipy.stats, such as norm(77.2, 5.0).

I. M. Sobol (1967); the numbers are scrambled (A. B. Owen, 1998), so that every seed gives other points that fill the
space as evenly. A power of two of them is balanced.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from hybsim.errors import ParameterError

Point: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Space:
    """Points in order, and the shape of the grid they make: ``result.mean["eps_max"].reshape(space.shape)``."""

    points: list[Point]
    shape: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.points)


def grid(axes: Mapping[str, Iterable[Any]]) -> Space:
    """Every combination of some values for each parameter, the last name fastest.

    >>> grid({"lag.mean": [0.0, 0.5], "noise.seed": range(3)}).shape
    (2, 3)
    """
    if not isinstance(axes, Mapping) or not axes:
        raise ParameterError(f"A grid needs a mapping from parameters to lists of values, got {axes!r}.")
    values = {str(name): _values(name, given) for name, given in axes.items()}
    points = [dict(zip(values, combination, strict=True)) for combination in itertools.product(*values.values())]
    return Space(points, tuple(map(len, values.values())))


def random(ranges: Mapping[str, Any], points: int, *, seed: int = 1) -> Space:
    """Independent random points (see the top of this page for what a range may be).

    >>> random({"lag.mean": (0.0, 1.0)}, 2, seed=1).points == random({"lag.mean": (0.0, 1.0)}, 2, seed=1).points
    True
    """
    return _spread(ranges, points, seed, lambda count, names: np.random.default_rng(seed).random((count, names)))


def sobol(ranges: Mapping[str, Any], points: int, *, seed: int = 1) -> Space:
    """Scrambled Sobol points, best a power of two of them (see the top of this page for what a range may be).

    >>> low_half = [point["lag.mean"] < 0.5 for point in sobol({"lag.mean": (0.0, 1.0)}, 8).points]
    >>> sum(low_half)
    4
    """

    def unit(count: int, names: int) -> np.ndarray:
        from scipy.stats import qmc

        engine = qmc.Sobol(names, scramble=True, seed=seed)
        return engine.random(2 ** math.ceil(math.log2(count)))[:count]

    return _spread(ranges, points, seed, unit)


def as_space(given: Any) -> Space:
    """A space, a list of points, or a mapping of lists, which is a grid."""
    if isinstance(given, Space):
        space = given
    elif isinstance(given, Mapping):
        space = grid(given)
    elif isinstance(given, Iterable) and not isinstance(given, str):
        points = list(given)
        for point in points:
            if not isinstance(point, Mapping):
                raise ParameterError(f"A point of a study must be a mapping from parameters to values, got {point!r}.")
        space = Space([dict(point) for point in points], (len(points),))
    else:
        raise ParameterError(
            f"The space of a study must be grid(...), random(...), sobol(...) or a list of mappings, got {given!r}."
        )
    if not space.points:
        raise ParameterError("The space of a study is empty; give it at least one point.")
    return space


def seed_values(seeds: Mapping[str, Iterable[Any]]) -> dict[str, list[Any]]:
    """The values of some seeds, of which each repeat takes the next: as many of one as of the other."""
    values = {str(name): _values(name, given) for name, given in seeds.items()}
    if len({len(given) for given in values.values()}) > 1:
        lengths = ", ".join(f"{name!r} has {len(given)}" for name, given in values.items())
        raise ParameterError(f"All seeds must have the same number of values, but {lengths}.")
    return values


def _values(name: Any, given: Any) -> list[Any]:
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise ParameterError(f"The values of {name!r} must be a list that is not empty, got {given!r}.")
    values = [_plain(value) for value in given]
    if not values:
        raise ParameterError(f"The values of {name!r} must be a list that is not empty, got {given!r}.")
    return values


def _plain(value: Any) -> Any:
    """NumPy's single numbers as Python's: they are equal, and points are written and compared as text."""
    return value.item() if isinstance(value, np.generic) else value


def _spread(ranges: Mapping[str, Any], points: int, seed: int, unit: Callable[[int, int], np.ndarray]) -> Space:
    if not isinstance(ranges, Mapping) or not ranges:
        raise ParameterError(f"The ranges must be a mapping from parameters to (low, high), got {ranges!r}.")
    for what, number, least in (("number of points", points, 1), ("seed", seed, 0)):
        if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < least:
            raise ParameterError(f"The {what} must be a whole number of at least {least}, got {number!r}.")
    names = [str(name) for name in ranges]
    inverses = [_inverse(name, given) for name, given in ranges.items()]
    shares = unit(int(points), len(names))
    columns = [inverse(share) for inverse, share in zip(inverses, shares.T, strict=True)]
    return Space([dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)], (int(points),))


def _inverse(name: str, given: Any) -> Callable[[np.ndarray], Sequence[Any]]:
    """Values of a parameter at shares of its probability, each in [0, 1)."""
    if hasattr(given, "ppf"):
        return lambda share: _finite(name, given, np.asarray(given.ppf(share), dtype=float))
    if isinstance(given, tuple):
        low, high = _bounds(name, given)
        return lambda share: (low + share * (high - low)).tolist()
    if isinstance(given, range):
        if not given:
            raise ParameterError(f"The range of {name!r} is empty: {given!r}.")
        return lambda share: [given[min(int(s * len(given)), len(given) - 1)] for s in share.tolist()]
    if isinstance(given, list | np.ndarray):
        values = _values(name, given)
        return lambda share: [values[int(s * len(values))] for s in share.tolist()]
    raise ParameterError(
        f"The range of {name!r} must be (low, high), a range, a list or a distribution of scipy.stats, got {given!r}."
    )


def _bounds(name: str, given: tuple[Any, ...]) -> tuple[float, float]:
    try:
        low, high = map(float, given)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise ParameterError(f"The range of {name!r} must be two numbers (low, high) with low <= high, got {given!r}.")
    return low, high


def _finite(name: str, given: Any, values: np.ndarray) -> list[float]:
    if not np.isfinite(values).all():
        raise ParameterError(
            f"The distribution of {name!r} gives {values[~np.isfinite(values)][0]}; give it parameters, or limits,"
            " for which every value is finite."
        )
    result: list[float] = values.tolist()
    return result
