"""Every delay at which roots of a test are on the imaginary axis.

    det(I + L(j w) exp(-j w tau)) = 0:    an eigenvalue lambda of L(j w) has |lambda| = 1, and
    tau = [theta + 2 pi k] / w,    theta = angle of -lambda in (0, 2 pi],    k = 0, 1, ...

L is the loop without the common delay. From lambda(s) exp(-s tau) = -1 it follows that ds/dtau = s / (lambda'/lambda -
tau), so that roots cross to the right where |lambda| falls with growing w, and to the left where it rises, whatever k.

All such frequencies are known beforehand. The eigenvalues of L(j w) (x) L(-j w), with (x) the Kronecker product, are
the products of those of L and their conjugates, so that |lambda| = 1 only where

    I - L(s) (x) L(-s),    as a state space,

has a zero s = j w: the eigenvalues of one matrix. Between them no modulus passes 1; at each of them it is looked
whether one does, and the frequency is made exact by bracketing. A delay common to all actuators changes no modulus;
where they have different own delays, the differences are held at Chebyshev points, fine enough for all frequencies at
which a modulus can be 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hybsim.studies.indicators.loop_realisation import StateSpace, loop_with_delays
from hybsim.studies.indicators.nyquist import frequency_scale

if TYPE_CHECKING:
    from hybsim.studies.indicators.delayed_system import DelayedSystem

TURN = 2.0 * math.pi

Loop = Callable[[np.ndarray], np.ndarray]
"""The loop's matrix at each of some frequencies in rad/s."""


@dataclass(frozen=True)
class Crossing:
    """A pair of roots at s = +-j frequency for a delay, and whether it moves to the right as the delay grows."""

    delay: float
    frequency: float
    to_right: bool


@dataclass(frozen=True)
class UnitModulus:
    """An eigenvalue of a loop on the unit circle; `falling`: its modulus falls with the frequency."""

    frequency: float
    eigenvalue: complex
    falling: bool


def crossings(system: DelayedSystem, below: float | None) -> tuple[Crossing, ...]:
    """All crossings under `below`, or the first of each frequency, by rising delay."""
    if not system.paths or system.is_neutrally_unstable(1.0):
        return ()
    found = []
    for each in unit_moduli(lambda w: system.loop(1j * w), knots(system)):
        turn = float(np.angle(-each.eigenvalue)) % TURN
        first = (turn or TURN) / each.frequency
        delays = [first] if below is None else np.arange(first, below, TURN / each.frequency).tolist()
        found += [Crossing(delay, each.frequency, each.falling) for delay in delays]
    # Where two pairs arrive at once, the one that leaves to the right comes first: the test is not stable there.
    return tuple(sorted(found, key=lambda each: (each.delay, not each.to_right)))


def unit_moduli(loop: Loop, knots: np.ndarray, end: float = math.inf) -> list[UnitModulus]:
    """Where moduli of eigenvalues pass 1 below the frequency `end`, given frequencies between which none does."""
    from scipy.optimize import brentq

    def logs(w: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.sort(np.log(np.abs(np.linalg.eigvals(loop(w)))), axis=-1)

    last = 2.0 * knots[-1] if math.isinf(end) else 0.5 * (knots[-1] + end)
    inside = np.concatenate([[0.5 * knots[0]], 0.5 * (knots[1:] + knots[:-1]), [last]])
    above = (logs(inside) > 0.0).sum(axis=-1)
    found = []
    for i in np.flatnonzero(np.diff(above)):
        fewer, more = sorted((int(above[i]), int(above[i + 1])))
        for place in range(fewer, more):
            # The moduli in order are continuous; -1 is the largest.
            rank = -1 - place
            w = brentq(
                lambda w, rank=rank: float(logs(np.array([w]))[0, rank]),
                inside[i],
                inside[i + 1],
                xtol=1e-14 * knots[-1],
            )
            eigenvalues = np.linalg.eigvals(loop(np.array([w])))[0]
            nearest = complex(eigenvalues[np.argsort(np.abs(eigenvalues))[rank]])
            found.append(UnitModulus(float(w), nearest, falling=bool(above[i + 1] < above[i])))
    return found


def knots(system: DelayedSystem) -> np.ndarray:
    """Frequencies above 0 between which no modulus passes 1."""
    own = [path.delay for path in system.paths]
    loop = loop_with_delays(system, -min(own), _highest(system) if max(own) > min(own) else 0.0)
    frequencies = np.abs(zeros_of_unit_modulus(loop).imag)
    return np.unique(frequencies[frequencies > 1e-9 * frequencies.max()])


def _highest(system: DelayedSystem) -> float:
    """A frequency above which all moduli are below 1."""
    highest = frequency_scale(system)
    while np.abs(np.linalg.eigvals(system.loop(1j * highest * np.geomspace(1.0, 30.0, 60)))).max() >= 1.0:
        highest *= 1.5
    return highest


def zeros_of_unit_modulus(loop: StateSpace) -> np.ndarray:
    """The zeros of I - L(s) (x) L(-s)."""
    one = np.eye(len(loop.d))
    forward = StateSpace(*(np.kron(each, one) for each in (loop.a, loop.b, loop.c, loop.d)))
    backward = StateSpace(*(np.kron(one, each) for each in (-loop.a, loop.b, -loop.c, loop.d)))
    both = forward.after(backward)
    rest = np.eye(len(both.d)) - both.d
    return np.asarray(np.linalg.eigvals(both.a + both.b @ np.linalg.solve(rest, both.c)))


def pole_grid(loop: StateSpace, spread: float, scale: float) -> np.ndarray:
    """Frequencies fine at every pole, and so fine that a delay of `spread` turns little from one to the next."""
    poles = np.linalg.eigvals(loop.a)
    highest = 8.0 * max(scale, float(np.abs(poles).max()))
    around = np.tan(np.linspace(-1.5, 1.5, 61))
    near = (np.abs(poles.imag)[:, None] + np.maximum(np.abs(poles.real), 1e-6 * highest)[:, None] * around).ravel()
    even = np.linspace(0.0, highest, 400 + math.ceil(16.0 * highest * spread))
    between = np.geomspace(1e-5 * highest, highest, 400)
    return np.concatenate([near, even, between])
