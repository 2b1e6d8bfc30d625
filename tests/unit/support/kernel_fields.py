"""The fields of a generated kernel: their types, their places in flat vectors, numbers to fill them, plain arrays."""

from __future__ import annotations

import math
import random
from typing import Any

from random_expressions import FIELDS, FLAGS, WHOLE

from hybsim.kernel import ir

Vectors = dict[str, list[float]]
"""The numbers of one run, by group; t has one."""

NASTY = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -3.0, 7.5, 0.1, 1e308, -1e308, 5e-324, -2.5e-310, 1e-300, math.inf,
    -math.inf, math.nan, math.pi, 2.0**53, 2.0**53 + 2.0, -(2.0**63), 2.0**63, 1e19, -1e19, 4.999999999999999, 1e16,
]  # fmt: skip


def types(group: str) -> dict[str, ir.Type | int]:
    """The fields of a group as the front end takes them."""
    found: dict[str, ir.Type | int] = {n: ir.Array(s) if s else "float" for n, s in FIELDS[group].items()}
    if group == "p":
        found |= dict.fromkeys(WHOLE, "int") | FLAGS
    return found


def offsets(group: str) -> dict[str, int]:
    """Where each field lies in the flat vector of its group."""
    found, n = {}, 0
    for name, kind in types(group).items():
        if not isinstance(kind, int):
            found[name], n = n, n + (kind.size if isinstance(kind, ir.Array) else 1)
    return found


def size(group: str) -> int:
    return sum(k.size if isinstance(k, ir.Array) else 1 for k in types(group).values() if not isinstance(k, int))


def vectors(rng: random.Random) -> Vectors:
    """Inputs of one run, from nasty numbers and ordinary ones."""

    def number() -> float:
        return rng.choice(NASTY) if rng.random() < 0.5 else rng.choice([rng.gauss(0.0, 3.0), float(rng.randint(-9, 9))])

    case = {group: [number() for _ in range(size(group))] for group in ("u", "x", "p")}
    for name in WHOLE:
        case["p"][offsets("p")[name]] = float(
            rng.choice([0, 1, 2, 3, -1, -4, 5, 2**53, -(2**53), rng.randint(-99, 99)])
        )
    return {**case, "y": [0.0] * size("y"), "t": [number()]}


class Cells:
    """An array as a kernel sees it: `a[i]` or `a[i, j]`, never from the back."""

    def __init__(self, shape: tuple[int, ...], flat: list[float]) -> None:
        self.shape, self.flat = shape, flat

    def at(self, index: Any) -> int:
        index = index if isinstance(index, tuple) else (index,)
        for i, n in zip(index, self.shape, strict=True):
            if not 0 <= i < n:
                raise IndexError
        return index[0] if len(index) == 1 else index[0] * self.shape[1] + index[1]

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, tuple) and len(self.shape) == 2:
            return [0.0] * self.shape[1]  # for len(matrix[0])
        return self.flat[self.at(index)]

    def __setitem__(self, index: Any, value: float) -> None:
        self.flat[self.at(index)] = float(value)

    def __len__(self) -> int:
        return self.shape[0]


class Fields:
    """A group of fields: floats, ints and arrays on one flat list; what is assigned becomes a float."""

    def __init__(self, group: str, flat: list[float]) -> None:
        vars(self)["_"] = (types(group), offsets(group), flat)

    def __getattr__(self, name: str) -> Any:
        kinds, places, flat = vars(self)["_"]
        kind = kinds[name]
        if isinstance(kind, int):
            return kind
        if isinstance(kind, ir.Array):
            return _View(kind.shape, flat, places[name])
        return int(flat[places[name]]) if kind == "int" else flat[places[name]]

    def __setattr__(self, name: str, value: float) -> None:
        _, places, flat = vars(self)["_"]
        flat[places[name]] = float(value)


class _View(Cells):
    def __init__(self, shape: tuple[int, ...], flat: list[float], start: int) -> None:
        super().__init__(shape, flat)
        self.start = start

    def at(self, index: Any) -> int:
        return self.start + super().at(index)


def plain_zeros(*shape: int) -> Cells:
    return Cells(shape, [0.0] * math.prod(shape))
