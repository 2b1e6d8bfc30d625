"""One number of an error model or a sensor: measured, in theory, and where it has to lie.

A random number lies outside its bounds by chance once in 1/CHANCE times; where a row takes the largest of many
(seeds, lags, frequencies), the chance is divided among them. The seeds are fixed, so a row that holds, holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

CHANCE = 1e-4
"""Of a row of random numbers to lie outside its bounds although the theory is right."""

ROUNDING = 1e-9


@dataclass(frozen=True)
class Row:
    """`theory` is None for the largest of many, of which only the bound is known."""

    block: str
    quantity: str
    measured: float
    theory: float | None
    low: float
    high: float
    source: str

    @property
    def holds(self) -> bool:
        return self.low <= self.measured <= self.high


def exact(block: str, quantity: str, measured: float, theory: float, source: str, tolerance: float = ROUNDING) -> Row:
    """A number without chance; the tolerance is relative, or as it is where theory says 0."""
    room = tolerance * (abs(theory) or 1.0)
    return Row(block, quantity, float(measured), float(theory), float(theory - room), float(theory + room), source)


def around(block: str, quantity: str, measured: float, theory: float, standard_error: float, source: str) -> Row:
    """A number that is normally distributed about the theory."""
    return between(block, quantity, measured, theory, normal_bound(1) * standard_error, source)


def between(block: str, quantity: str, measured: float, theory: float, room: float, source: str) -> Row:
    return Row(block, quantity, float(measured), float(theory), float(theory - room), float(theory + room), source)


def at_most(block: str, quantity: str, measured: float, most: float, source: str) -> Row:
    """The largest of many."""
    return Row(block, quantity, float(measured), None, -math.inf, float(most), source)


def chi2_row(block: str, quantity: str, measured: float, degrees: int, source: str) -> Row:
    """A number with a chi-squared distribution."""
    low, high = chi2_bounds(degrees, 1)
    return Row(block, quantity, float(measured), float(degrees), low, high, source)


def normal_bound(count: int) -> float:
    """What the largest of `count` standard normal magnitudes stays below."""
    from scipy.stats import norm

    return float(norm.isf(CHANCE / (2.0 * count)))


def chi2_bounds(degrees: int, count: int) -> tuple[float, float]:
    """What `count` numbers with a chi-squared distribution stay between."""
    from scipy.stats import chi2

    share = CHANCE / (2.0 * count)
    return float(chi2.ppf(share, degrees)), float(chi2.isf(share, degrees))


def out_of_bounds(rows: Iterable[Row]) -> list[str]:
    """A sentence for each number that is not as theory says."""
    return [
        f"{r.block}: {r.quantity} is {r.measured:.6g}, outside {r.low:.6g} to {r.high:.6g} ({r.source})."
        for r in rows
        if not r.holds
    ]
