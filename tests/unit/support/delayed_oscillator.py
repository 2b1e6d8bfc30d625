"""A delayed oscillator on its own: roots counted along a box and found from many starts, and responses in time.

    alpha x'' + 2 beta zeta x' + gamma x + [(1 - alpha) x'' + 2 (1 - beta) zeta x' + (1 - gamma) x](t - delay) = -load

in units of the natural frequency. Nothing here comes from hybsim.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev


class Partition(NamedTuple):
    alpha: float
    beta: float
    gamma: float
    zeta: float


def value(s: np.ndarray, part: Partition, delay: float) -> np.ndarray:
    """Left side of the characteristic equation."""
    a, b, g, z = part
    numerical = a * s**2 + 2 * b * z * s + g
    physical = (1 - a) * s**2 + 2 * (1 - b) * z * s + (1 - g)
    return numerical + physical * np.exp(-delay * s)


def turns(part: Partition, delay: float, left: float, right: float, top: float) -> int:
    """How many roots lie in the box left < Re < right, |Im| < top: turns of the equation around 0 along its edge."""
    corners = np.array([left - 1j * top, right - 1j * top, right + 1j * top, left + 1j * top, left - 1j * top])
    edge = np.concatenate([np.linspace(p, q, 600) for p, q in pairwise(corners)])
    for _ in range(40):
        values = value(edge, part, delay)
        steps = np.angle(values[1:] / values[:-1])
        # A step is sure if the slope, too, says that little can happen in between.
        wide = np.flatnonzero((np.abs(steps) > 0.5) | (np.abs(np.diff(edge)) * (delay + 1.0) > 2.0))
        if not wide.size:
            return round(steps.sum() / (2.0 * math.pi))
        edge = np.insert(edge, wide + 1, 0.5 * (edge[wide] + edge[wide + 1]))
    raise AssertionError("a root is too close to the edge of the box to count turns")


def roots(part: Partition, delay: float, left: float, right: float, top: float) -> np.ndarray:
    """All roots in the box, rightmost first; as many as the turns say."""
    re, im = np.meshgrid(np.linspace(left, right, 60), np.linspace(0.0, top, 60 + int(4 * top * max(delay, 1.0))))
    s = (re + 1j * im).ravel()
    for _ in range(60):
        step = 1e-6
        rate = (value(s + step, part, delay) - value(s - step, part, delay)) / (2 * step)
        move = value(s, part, delay) / np.where(rate == 0, 1, rate)
        s = s - move / np.maximum(1.0, np.abs(move))
    good = (np.abs(value(s, part, delay)) < 1e-9) & (s.real > left) & (s.real < right) & (np.abs(s.imag) < top)
    found: list[complex] = []
    for each in s[good]:
        if all(abs(each - other) > 1e-6 and abs(each.conjugate() - other) > 1e-6 for other in found):
            found.append(complex(each.real, abs(each.imag)))
    assert sum(1 if each.imag < 1e-9 else 2 for each in found) == turns(part, delay, left, right, top)
    return np.array(sorted(found, key=lambda each: -each.real))


def rightmost(part: Partition, delay: float, left: float = -1.2, right: float = 2.0, top: float = 12.0) -> complex:
    return complex(roots(part, delay, left, right, top)[0])


class Steps:
    """The response to an impulse, delay after delay, as polynomials through Chebyshev points of each."""

    def __init__(self, part: Partition, delay: float, points: int = 12) -> None:
        a, b, g, z = part
        self.part, self.delay = part, delay
        unit = -np.cos(np.pi * np.arange(points + 1) / points)
        self.local = 0.5 * (1.0 + unit) * delay
        self.to_series = np.linalg.inv(chebyshev.chebvander(unit, points))
        rates = [chebyshev.chebval(unit, chebyshev.chebder(row)) for row in np.eye(points + 1)]
        derivative = 2.0 / delay * np.transpose(rates) @ self.to_series
        areas = [
            float(np.diff(chebyshev.chebval([-1.0, 1.0], chebyshev.chebint(row)))[0]) for row in np.eye(points + 1)
        ]
        self.weights = 0.5 * delay * np.array(areas) @ self.to_series
        n, one = points + 1, np.eye(points + 1)
        # w = a v + (1 - a) v_late has no jumps; v = x' has one in each delay where a < 1.
        whole = np.block([[derivative, -one / a], [g * one, derivative + 2 * b * z / a * one]])
        whole[0] = whole[n] = 0.0
        whole[0, 0] = whole[n, n] = 1.0
        self.solve, self.n = np.linalg.inv(whole), n

    def run(self, count: int) -> np.ndarray:
        """x at the points of each of `count` delays."""
        a, b, g, z = self.part
        n = self.n
        x_late, v_late = np.zeros(n), np.zeros(n)
        x_now, w_now = 0.0, -1.0
        found = np.empty((count, n))
        right = np.empty(2 * n)
        for k in range(count):
            right[:n] = -(1 - a) / a * v_late
            right[n:] = 2 * b * z * (1 - a) / a * v_late - 2 * (1 - b) * z * v_late - (1 - g) * x_late
            right[0], right[n] = x_now, w_now
            both = self.solve @ right
            x_late, w = both[:n], both[n:]
            v_late = (w - (1 - a) * v_late) / a
            x_now, w_now = x_late[-1], w[-1]
            found[k] = x_late
        return found

    def error(self, count: int) -> np.ndarray:
        """Reference less test, at the points of each delay."""
        z = self.part.zeta
        t = self.delay * np.arange(count)[:, None] + self.local
        omega = math.sqrt(1 - z * z)
        return -np.exp(-z * t) * np.sin(omega * t) / omega - self.run(count)

    def squared_error(self, until: float) -> float:
        """The integral of the squared error of the impulse response."""
        error = self.error(math.ceil(until / self.delay))
        return float(np.sum(error**2 @ self.weights))

    def error_at(self, parts: int, count: int) -> np.ndarray:
        """The error at `parts` equal steps a delay."""
        even = chebyshev.chebvander(2.0 * np.arange(parts) / parts - 1.0, self.n - 1)
        return ((even @ self.to_series) @ self.error(count).T).T.ravel()
