"""The loop of a linearised diagram, opened at a cut: margins of delay and gain, modes, errors under white noise.

    z_{k+1} = A z_k + B w_k,    y_k = C z_k + D w_k,    L(s) = -[C (exp(s dt) I - A)^-1 B + D]
    closed with a delay of n + f ticks, 0 <= f < 1:    w_k = (1 - f) y_{k-n} + f y_{k-n-1}

The delay margin is taken twice. By phase: an eigenvalue lambda of L(j w) has |lambda| = 1, and tau = theta / w with
theta the angle of -lambda, as for continuous tests (crossings.py; the frequencies come from the zeros of
I - L(s) (x) L(-s) after the bilinear map z = (1 + s) / (1 - s)). And by whole ticks: the spectral radius of the closed
loop with a register of n values. A diagram with a period of several ticks has no L and only the latter.

Under white noise of unit variance a tick, the variance of an output c z is c P c^T with P = A P A^T + E E^T.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hybsim.studies.indicators.crossings import UnitModulus, unit_moduli, zeros_of_unit_modulus
from hybsim.studies.indicators.gain_margin import GainMargin, negative_real
from hybsim.studies.indicators.loop_realisation import StateSpace
from hybsim.studies.indicators.wired_blocks import Wired

MOST_TICKS = 512
"""Whole ticks of delay that are tried."""

TURN = 2.0 * math.pi


@dataclass(frozen=True)
class Closed:
    """x <- a x + e load, seen = g x + i load; x are the states z and below them the register."""

    a: np.ndarray
    e: np.ndarray
    g: np.ndarray
    i: np.ndarray


@dataclass(frozen=True)
class DelayMargin:
    """The delay in s at which the loop is no longer stable (inf: none), and the frequency there in rad/s."""

    delay: float
    frequency: float


class SampledLoop:
    """The maps of one period, and the tick in s."""

    def __init__(self, maps: Sequence[Wired], dt: float) -> None:
        self.maps, self.dt = tuple(maps), dt

    @property
    def has_response(self) -> bool:
        """Whether the loop has one frequency response: not with several clocks."""
        return len(self.maps) == 1

    # closed -------------------------------------------------------------------------------

    def closed(self, ticks: float = 0.0, *, gain: float = 1.0) -> tuple[Closed, ...]:
        """The closed loop of every tick of a period, with a delay of some ticks and a factor on what comes back."""
        return tuple(_closed(each, ticks, gain) for each in self.maps)

    def over_period(self, ticks: float = 0.0, *, gain: float = 1.0) -> np.ndarray:
        """The state matrix of a whole period."""
        every = self.closed(ticks, gain=gain)
        product = every[0].a
        for each in every[1:]:
            product = each.a @ product
        return product

    def radius(self, ticks: float = 0.0, *, gain: float = 1.0) -> float:
        """The spectral radius of a tick."""
        eigenvalues = np.linalg.eigvals(self.over_period(ticks, gain=gain))
        return float(np.abs(eigenvalues).max(initial=0.0)) ** (1.0 / len(self.maps))

    def is_stable(self, ticks: float = 0.0, *, gain: float = 1.0) -> bool:
        return self.radius(ticks, gain=gain) < 1.0

    def modes(self, ticks: float = 0.0) -> np.ndarray:
        """s = ln(z) / dt of the closed loop with an imaginary part above 0, by rising frequency, in rad/s."""
        eigenvalues = np.linalg.eigvals(self.over_period(ticks))
        eigenvalues = eigenvalues[(eigenvalues.imag > 0.0) & (np.abs(eigenvalues) > 1e-6)]
        roots = np.log(eigenvalues) / (len(self.maps) * self.dt)
        return np.asarray(roots[np.argsort(roots.imag)])

    # margins ------------------------------------------------------------------------------

    def response(self, w: np.ndarray) -> np.ndarray:
        """L(j w), a matrix for each frequency in rad/s."""
        each = self.maps[0]
        z = np.exp(1j * w * self.dt)[:, None, None]
        inner = np.linalg.solve(z * np.eye(len(each.a)) - each.a, np.broadcast_to(each.b, (len(w), *each.b.shape)))
        return np.asarray(-(each.c @ inner + each.d))

    @cached_property
    def unit_moduli(self) -> list[UnitModulus]:
        """Every frequency at which an eigenvalue of L is on the unit circle."""
        end = math.pi / self.dt
        knots = self._knots()
        knots = np.unique(knots[(knots > 1e-9 * end) & (knots < (1.0 - 1e-9) * end)])
        return unit_moduli(self.response, knots, end) if len(knots) else []

    def delay_margin(self) -> DelayMargin:
        """By phase: for delays of any length."""
        if not self.is_stable():
            return DelayMargin(0.0, math.nan)
        found = [
            ((float(np.angle(-each.eigenvalue)) % TURN or TURN) / each.frequency, each.frequency)
            for each in self.unit_moduli
            if each.falling
        ]
        return DelayMargin(*min(found, default=(math.inf, math.nan)))

    def stable_ticks(self, expected: float | None) -> int | None:
        """The largest number of whole ticks with which the loop is stable; -1 if with none, None up to MOST_TICKS.

        `expected` is the margin by phase in ticks. If the loop is stable with that many, and with 1, 2, 4, ... before,
        and unstable with one more, the two agree; else the first change is bracketed by doubling and halving.
        """
        if expected is not None and expected < MOST_TICKS:
            last = math.floor(expected)
            if not self.is_stable(last + 1) and all(map(self.is_stable, (*_doubled(last), last))):
                return last
        stable, unstable = -1, None
        for ticks in (*_doubled(MOST_TICKS), MOST_TICKS):
            if not self.is_stable(ticks):
                unstable = ticks
                break
            stable = ticks
        if unstable is None:
            return None
        while unstable - stable > 1:
            middle = (stable + unstable) // 2
            stable, unstable = (middle, unstable) if self.is_stable(middle) else (stable, middle)
        return stable

    def gain_margin(self, ticks: float = 0.0) -> GainMargin:
        """Between which factors on what comes back the loop is stable with a delay of some ticks."""
        if not self.is_stable(ticks):
            return GainMargin(1.0, 1.0)
        if not self.has_response:
            return self._gain_by_halving(ticks)
        end = math.pi / self.dt

        def eigenvalues(w: np.ndarray) -> np.ndarray:
            late = np.exp(-1j * w * self.dt * math.floor(ticks)) * _interpolation(w * self.dt, ticks % 1.0)
            return np.asarray(np.linalg.eigvals(self.response(w) * late[:, None, None]))

        ends = np.array([1e-9 * end, end])
        limits = [(-1.0 / float(v.real), float(w)) for w, row in zip(ends, eigenvalues(ends), strict=True) for v in row
                  if v.real < 0.0 and abs(v.imag) <= 1e-6 * abs(v)]  # fmt: skip
        limits += negative_real(eigenvalues, self._grid(ticks))
        above = min(((k, w) for k, w in limits if k > 1.0), default=(math.inf, math.nan))
        below = max(((k, w) for k, w in limits if k < 1.0), default=(0.0, math.nan))
        return GainMargin(below[0], above[0], below[1], above[1])

    def _gain_by_halving(self, ticks: float) -> GainMargin:
        """For a diagram with several clocks: the factors between which every one tried is stable."""
        limits = []
        for steps in (np.geomspace(1.0, 1e-3, 60), np.geomspace(1.0, 1e3, 60)):
            stable, unstable = 1.0, next((k for k in steps if not self.is_stable(ticks, gain=float(k))), None)
            if unstable is None:
                limits.append(0.0 if steps[-1] < 1.0 else math.inf)
                continue
            while abs(unstable / stable - 1.0) > 1e-6:
                middle = math.sqrt(stable * unstable)
                stable, unstable = (middle, unstable) if self.is_stable(ticks, gain=middle) else (stable, middle)
            limits.append(float(stable))
        return GainMargin(limits[0], limits[1])

    def _knots(self) -> np.ndarray:
        each = self.maps[0]
        shifted = each.a + np.eye(len(each.a))
        with np.errstate(all="ignore"):
            if np.linalg.cond(shifted) < 1e12:
                inner = np.linalg.inv(shifted)
                continuous = StateSpace(
                    inner @ (each.a - np.eye(len(each.a))), math.sqrt(2.0) * inner @ each.b,
                    -math.sqrt(2.0) * each.c @ inner, -(each.d - each.c @ inner @ each.b),
                )  # fmt: skip
                try:
                    return np.asarray(2.0 / self.dt * np.arctan(np.abs(zeros_of_unit_modulus(continuous).imag)))
                except np.linalg.LinAlgError:
                    pass  # |lambda| = 1 at half the sampling rate: look everywhere instead
        return self._grid(0.0)

    def _grid(self, ticks: float) -> np.ndarray:
        """Frequencies that are fine at every pole of the loop, and for a delay of some ticks."""
        end = math.pi / self.dt
        poles = np.linalg.eigvals(self.maps[0].a)
        poles = np.log(poles[np.abs(poles) > 1e-6].astype(complex)) / self.dt
        around = np.tan(np.linspace(-1.5, 1.5, 61))
        near = (np.abs(poles.imag)[:, None] + np.maximum(np.abs(poles.real), 1e-6 * end)[:, None] * around).ravel()
        even = np.linspace(0.0, end, 800 + math.ceil(64.0 * ticks))
        every = np.concatenate([near, even, np.geomspace(1e-6 * end, end, 400)])
        return np.unique(every[(every > 0.0) & (every < end)])

    # errors -------------------------------------------------------------------------------

    def error_variance(self, ticks: float, reference: SampledLoop) -> tuple[np.ndarray, np.ndarray]:
        """Variances of what the cut is commanded, under white noise of variance 1 a tick in the loads.

        Of the difference between this loop with a delay of some ticks and the reference; and of the reference.
        """
        from scipy.linalg import block_diag

        (exact,), (late,) = reference.closed(0.0), self.closed(ticks)
        a, e = block_diag(exact.a, late.a), np.vstack([exact.e, late.e])
        spread = _covariance(a, e)
        found = []
        for g, i in ((np.hstack([exact.g, -late.g]), exact.i - late.i), (np.hstack([exact.g, 0.0 * late.g]), exact.i)):
            found.append(np.einsum("ij,jk,ik->i", g, spread, g) + np.square(i).sum(axis=1))
        return found[0], found[1]


def _closed(each: Wired, ticks: float, gain: float) -> Closed:
    whole, fraction = math.floor(ticks), ticks % 1.0
    width, states, loads = len(each.d), len(each.a), each.e.shape[1]
    length = math.ceil(ticks)
    size = states + length * width
    # Rows over (states, register, loads).
    now = np.hstack([each.c, np.zeros((width, length * width)), each.f])
    back = np.zeros((width, size + loads))
    for behind, share in ((whole, 1.0 - fraction), (whole + 1, fraction)):
        if share and behind:
            start = states + (behind - 1) * width
            back[:, start : start + width] += gain * share * np.eye(width)
        elif share:
            back += gain * share * now
    if whole == 0:
        back = np.linalg.solve(np.eye(width) - gain * (1.0 - fraction) * each.d, back)
    returned = now + each.d @ back
    full = np.hstack([each.a, np.zeros((states, length * width)), each.e]) + each.b @ back
    register = np.vstack([returned, np.eye(max(0, length - 1) * width, size + loads, states)])[: length * width]
    seen = np.hstack([each.g, np.zeros((len(each.g), length * width)), each.i]) + each.h @ back
    following = np.vstack([full, register])
    return Closed(following[:, :size], following[:, size:], seen[:, :size], seen[:, size:])


def _interpolation(angle: np.ndarray, fraction: float) -> np.ndarray:
    """(1 - f) + f exp(-j w dt): a delay between two ticks."""
    return np.asarray((1.0 - fraction) + fraction * np.exp(-1j * angle))


def _covariance(a: np.ndarray, e: np.ndarray) -> np.ndarray:
    """P = sum_k A^k E E^T A^kT for a stable A, twice as many terms in each round (Smith 1968)."""
    total, power = e @ e.T, a
    while np.abs(power).max(initial=0.0) > 1e-12:
        total, power = total + power @ total @ power.T, power @ power
    return np.asarray(total)


def _doubled(below: int) -> list[int]:
    """0, 1, 2, 4, ... up to a number."""
    return [0, *(2**i for i in range(below.bit_length()) if 2**i < below)]
