"""Gain margins: how much stronger or weaker the physical part may be than was thought.

    det[Z_n(s) + k Z_p(s) A(s) exp(-s tau)] = 0 for s = j w:    an eigenvalue lambda(w) of L(j w) exp(-j w tau) is real
    and negative, and k = -1 / lambda

The eigenvalues are followed along a grid of frequencies that is fine at every pole of the loop and in which delays turn
little from point to point; where one crosses the negative real axis the frequency is made exact by bracketing. A
delayed mass bounds k too: k rho < 1 with the neutral radius rho. The test is stable for lower < k < upper around k = 1,
which is confirmed by the argument principle just inside both.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hybsim.studies.indicators.crossings import pole_grid
from hybsim.studies.indicators.loop_realisation import loop_without_delays
from hybsim.studies.indicators.nyquist import frequency_scale

if TYPE_CHECKING:
    from hybsim.studies.indicators.delayed_system import DelayedSystem

INSIDE = 1e-6
"""By how much, over itself, a margin is left when it is confirmed."""

NEXT_TO_NEUTRAL = 0.98
"""From this neutral radius on roots are too many to be counted."""

LARGEST = 1e3
"""A factor beyond which there is no need to look."""

EXTENSIONS = 5
"""How often the range of frequencies is made four times as long."""

Eigenvalues = Callable[[np.ndarray], np.ndarray]
"""The eigenvalues of a loop, a row for each frequency in rad/s."""


@dataclass(frozen=True)
class GainMargin:
    """Factors on the physical force between which a test is stable; both are 1 if it is not stable as it is.

    lower, upper                      0 and inf where there is no limit
    lower_frequency, upper_frequency  of the free vibration that neither grows nor decays there, in rad/s; nan if none
    """

    lower: float
    upper: float
    lower_frequency: float = math.nan
    upper_frequency: float = math.nan

    @property
    def decibels(self) -> float:
        """The upper margin in dB."""
        return 20.0 * math.log10(self.upper)


def gain_margin(system: DelayedSystem, tau: float) -> GainMargin:
    """The margins at this delay."""
    if not system.is_stable(tau):
        return GainMargin(1.0, 1.0)
    if not system.paths:
        return GainMargin(0.0, math.inf)
    limits = _limits(system, tau)
    above = min(((k, w) for k, w in limits if k > 1.0), default=(math.inf, math.nan))
    below = max(((k, w) for k, w in limits if k < 1.0), default=(0.0, math.nan))
    radius = system.neutral_radius()
    if radius > 0.0 and 1.0 / radius < above[0] and system.is_neutrally_unstable(tau, gain=1.0 / radius):
        above = (1.0 / radius, math.inf)
    return GainMargin(
        _confirmed(system, tau, below[0], 1.0 + INSIDE), _confirmed(system, tau, above[0], 1.0 - INSIDE),
        below[1], above[1],
    )  # fmt: skip


def _confirmed(system: DelayedSystem, tau: float, limit: float, inside: float) -> float:
    """The limit, or one nearer to 1 if the test is unstable before it; not confirmed next to the neutral limit."""
    if limit == 0.0 or math.isinf(limit) or limit * system.neutral_radius() > NEXT_TO_NEUTRAL:
        return limit
    if system.is_stable(tau, gain=limit * inside):
        return limit
    stable, unstable = 1.0, limit * inside
    while abs(unstable - stable) > 1e-9 * stable:
        middle = math.sqrt(stable * unstable)
        stable, unstable = (middle, unstable) if system.is_stable(tau, gain=middle) else (stable, middle)
    return stable


def _limits(system: DelayedSystem, tau: float) -> list[tuple[float, float]]:
    """(k, w) for the crossings of the negative real axis up to where none with a smaller k > 1 can follow."""

    def eigenvalues(w: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.eigvals(system.loop(1j * w, tau)))

    at_rest = [(-1.0 / value, 0.0) for value in _static(system) if value < 0.0]
    longest = max(path.delay for path in system.paths) + tau
    scale = frequency_scale(system)
    for _ in range(EXTENSIONS):
        frequencies = pole_grid(loop_without_delays(system), longest, scale)
        found = at_rest + negative_real(eigenvalues, np.unique(frequencies[frequencies > 0.0]))
        beyond = np.abs(eigenvalues(frequencies.max() * np.geomspace(1.0, 100.0, 40))).max()
        if beyond * min((k for k, _ in found if k > 1.0), default=LARGEST) < 1.0:
            break
        scale *= 4.0
    return found


def negative_real(eigenvalues: Eigenvalues, frequencies: np.ndarray) -> list[tuple[float, float]]:
    """(k, w) with -1/k an eigenvalue, wherever one crosses the negative real axis between the frequencies."""
    left = eigenvalues(frequencies[:-1])
    right = _matched(left, eigenvalues(frequencies[1:]))
    turned = (left.imag * right.imag < 0.0) & (left.real + right.real < 0.0)
    found = []
    for i, j in zip(*np.nonzero(turned), strict=True):
        ends = complex(left[i, j]), complex(right[i, j])
        found += _crossing(eigenvalues, float(frequencies[i]), float(frequencies[i + 1]), *ends)
    return found


def _static(system: DelayedSystem) -> np.ndarray:
    """The real eigenvalues of the loop at rest; none if the numerical part has no stiffness of its own."""
    if np.linalg.cond(system.kn) > 1e15:
        return np.zeros(0)
    values = np.linalg.eigvals(system.loop(np.array([0.0j]))[0])
    return np.asarray(values[np.abs(values.imag) <= 1e-12 * np.abs(values)].real)


def _matched(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The eigenvalues at the right end of each step in the order of those at its left end."""
    if left.shape[1] == 1:
        return right
    from scipy.optimize import linear_sum_assignment

    ordered = np.empty_like(right)
    for i, (one, other) in enumerate(zip(left, right, strict=True)):
        ordered[i] = other[linear_sum_assignment(np.abs(one[:, None] - other[None, :]))[1]]
    return ordered


def _crossing(
    eigenvalues: Eigenvalues, low: float, high: float, first: complex, last: complex
) -> list[tuple[float, float]]:
    """Where an eigenvalue that is `first` at one frequency and `last` at the other is real, if it is negative there."""
    from scipy.optimize import brentq

    def between(w: float) -> complex:
        if w in (low, high):
            return first if w == low else last
        expected = first + (last - first) * (w - low) / (high - low)
        values = eigenvalues(np.array([w]))[0]
        return complex(values[np.argmin(np.abs(values - expected))])

    w = float(brentq(lambda w: between(w).imag, low, high, xtol=1e-14 * high))
    value = between(w).real
    return [(-1.0 / value, w)] if value < 0.0 else []
