"""Where one number of an error model or a sensor has to lie.

A random number lies outside its bounds by chance once in 1/CHANCE times; where a row takes the largest of many
(seeds, lags, frequencies), the chance is divided among them. The seeds are fixed, so a row that holds, holds.
"""

from __future__ import annotations

import math

from hybsim.studies.verification.rows import ROUNDING, Bounded

CHANCE = 1e-4
"""Of a row of random numbers to lie outside its bounds although the theory is right."""


def exact(
    block: str, quantity: str, measured: float, theory: float, source: str, tolerance: float = ROUNDING
) -> Bounded:
    """A number without chance; the tolerance is relative, or as it is where theory says 0."""
    return between(block, quantity, measured, theory, tolerance * (abs(theory) or 1.0), source)


def around(block: str, quantity: str, measured: float, theory: float, standard_error: float, source: str) -> Bounded:
    """A number that is normally distributed about the theory."""
    return between(block, quantity, measured, theory, normal_bound(1) * standard_error, source)


def between(block: str, quantity: str, measured: float, theory: float, room: float, source: str) -> Bounded:
    return Bounded(block, quantity, float(measured), float(theory), float(theory - room), float(theory + room), source)


def at_most(block: str, quantity: str, measured: float, most: float, source: str) -> Bounded:
    """The largest of many."""
    return Bounded(block, quantity, float(measured), None, -math.inf, float(most), source)


def chi2_row(block: str, quantity: str, measured: float, degrees: int, source: str) -> Bounded:
    """A number with a chi-squared distribution."""
    low, high = chi2_bounds(degrees, 1)
    return Bounded(block, quantity, float(measured), float(degrees), low, high, source)


def normal_bound(count: int) -> float:
    """What the largest of `count` standard normal magnitudes stays below."""
    from scipy.stats import norm

    return float(norm.isf(CHANCE / (2.0 * count)))


def chi2_bounds(degrees: int, count: int) -> tuple[float, float]:
    """What `count` numbers with a chi-squared distribution stay between."""
    from scipy.stats import chi2

    share = CHANCE / (2.0 * count)
    return float(chi2.ppf(share, degrees)), float(chi2.isf(share, degrees))
