"""How many roots of a delayed test lie to the right of a line, by the argument principle.

    h(s) = det D(s) / det[(s + c)^2 (M_n + M_p A_inf exp(-s tau))]

has the roots of the test as its zeros. To the right of the line Re s = sigma the denominator has none (c > -sigma, and
the neutral radius is below 1 there), the numerator's poles are those of the actuators, and h -> 1 for |s| -> inf. So
with the angle of h followed along the line, s = sigma + j w,

    N - P = -[arg h]_{w = 0}^{inf} / pi             roots, less poles of actuators, to the right of the line

The angle is followed in steps in which log h changes as its derivative d(log h)/dw says:

    |log h_2 - log h_1 - (w_2 - w_1) (h'_1/h_1 + h'_2/h_2) / 2| < TOLERANCE    and    (w_2 - w_1) |h'/h| < 1

at both ends, and steps are halved until it does: a root near the line makes the derivative large, so that none is
passed over. With a delayed mass every zero of the denominator has a root of the test near to it, which both together
hardly show from afar: the first steps are then no longer than these zeros are away from the line. With

    h = [s / (s + c)]^(2 n) det(I + R),    R = [M_n + M_p A_inf exp(-s tau)]^-1 D / s^2 - I

the steps end where n ||R|| < 1/3 for good: the rest of the angle is that of the power, and less than a quarter turn. A
root on the line itself (steps without end) is counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hybsim.errors import HybsimError
from hybsim.studies.indicators.neutral import neutral_radius

if TYPE_CHECKING:
    from hybsim.studies.indicators.delayed_system import DelayedSystem

TOLERANCE = 0.2
MOST_STEPS = 300_000
SMALLEST = 1e-12
"""A step so small, over the frequency, is at a root on the line."""

Log = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""log h (up to whole turns) and its derivative by w, at the frequencies w."""


class RootOnLine(Exception):
    """The angle cannot be followed: a root is on the line."""


class NearNeutralLimit(HybsimError):
    """The neutral radius is so near to 1 that roots cannot be counted in a reasonable time."""


def count_right(system: DelayedSystem, sigma: float, tau: float, gain: float = 1.0) -> float:
    """The number of roots with a real part of at least `sigma`; inf if there is no end to them."""
    late = system.mp[:, system.at] * np.array(
        [gain * path.at_infinity * math.exp(-sigma * (path.delay + tau)) for path in system.paths]
    )
    delayed = any(path.delay + tau > 0.0 and path.at_infinity != 0.0 for path in system.paths)
    radius = neutral_radius(system.mn, late, system.at) if delayed else 0.0
    if radius >= 1.0 - 1e-9:
        return math.inf
    scale = frequency_scale(system)
    shift = abs(sigma) - sigma + scale
    log = _log_h(system, sigma, tau, gain, shift)
    far = _far(system, sigma, tau, gain, late, radius, scale)
    try:
        angle = follow(log, _knots(system, scale, far, _finest(system, tau, radius)))
    except RootOnLine:
        return count_right(system, sigma - 1e-9 * scale, tau, gain)
    last = sigma + 1j * far
    of_power = 2.0 * system.dofs * (np.angle(last) - np.angle(last + shift))
    angle -= of_power + float(np.angle(np.exp(1j * (log(np.array([far]))[0][0].imag - of_power))))
    poles = sum(int(np.count_nonzero(path.poles.real >= sigma)) for path in system.paths)
    number = round(-angle / math.pi)
    if abs(-angle / math.pi - number) > 0.02:
        raise HybsimError(
            f"The roots right of {sigma:.4g} could not be counted (the angle is {-angle / math.pi:.4f} pi); scale the"
            " units so that the matrices have entries of like size."
        )
    return float(number + poles)


def frequency_scale(system: DelayedSystem) -> float:
    """The largest frequency of the structure and its actuators, in rad/s."""
    sizes = [np.abs(system.reference_roots), *(np.abs(path.poles) for path in system.paths)]
    return float(max(each.max(initial=0.0) for each in sizes)) or 1.0


def follow(log: Log, knots: np.ndarray, smallest: float = SMALLEST) -> float:
    """By how much the angle of h changes from the first knot to the last."""
    with np.errstate(all="ignore"):
        value, rate = log(knots)
    # Frequency, log h and its derivative at both ends of every step.
    left: Sequence[np.ndarray] = (knots[:-1], value[:-1], rate[:-1])
    right: Sequence[np.ndarray] = (knots[1:], value[1:], rate[1:])
    total = 0.0
    while len(left[0]):
        step = right[0] - left[0]
        change = right[1] - left[1]
        angle = np.angle(np.exp(1j * change.imag))
        expected = 0.5 * step * (left[2] + right[2])
        with np.errstate(invalid="ignore"):
            good = np.abs(change.real + 1j * angle - expected) < TOLERANCE
            good &= (np.abs(left[2]) * step < 1.0) & (np.abs(right[2]) * step < 1.0)
        total += float(angle[good].sum())
        if (step[~good] <= smallest * right[0][~good]).any():
            raise RootOnLine
        left, right = ([part[~good] for part in side] for side in (left, right))
        middle = 0.5 * (left[0] + right[0])
        if len(middle):
            with np.errstate(all="ignore"):
                between = (middle, *log(middle))
            left, right = (
                tuple(np.concatenate(pair) for pair in zip(left, between, strict=True)),
                tuple(np.concatenate(pair) for pair in zip(between, right, strict=True)),
            )
    return total


def _far(
    system: DelayedSystem, sigma: float, tau: float, gain: float, late: np.ndarray, radius: float, scale: float
) -> float:
    """A frequency above which n ||R|| < 1/3."""
    base, bound = system.mn, 1.0
    if radius > 0.0:
        through = np.linalg.solve(base, late)
        _, vectors = np.linalg.eig(through[system.at])
        bound += float(np.linalg.norm(through, 2) * min(np.linalg.cond(vectors), 1e6) / (1.0 - radius))
    elif late.any():
        base = base.copy()
        base[:, system.at] += late  # not delayed
    delays = np.array([path.delay + tau for path in system.paths])
    far = 4.0 * scale
    while True:
        s = sigma + 1j * far * np.geomspace(1.0, 16.0, 30)
        mass = _neutral_mass(system, s, gain, delays)[0]
        rest = np.linalg.solve(base, system.characteristic(s, tau, gain=gain) / np.square(s)[:, None, None] - mass)
        if system.dofs * bound * np.linalg.norm(rest, 2, axis=(1, 2)).max() < 1.0 / 3.0:
            return far
        far *= 2.0


def _finest(system: DelayedSystem, tau: float, radius: float) -> float:
    """How long the first steps may be: the zeros of the neutral part are (1 - rho) / delay from the line."""
    longest = max((path.delay + tau for path in system.paths), default=0.0)
    return math.inf if radius == 0.0 or longest == 0.0 else 0.5 * (1.0 - radius) / longest


def _knots(system: DelayedSystem, scale: float, far: float, finest: float) -> np.ndarray:
    """Where to look first: every frequency that is known to matter, and points in between."""
    known = [np.abs(system.reference_roots.imag), *(np.abs(path.poles.imag) for path in system.paths)]
    between = np.geomspace(1e-3 * scale, far, 24 + 4 * math.ceil(math.log2(far / scale)))
    even = math.ceil(far / finest)
    if even > MOST_STEPS:
        raise NearNeutralLimit(
            "The roots could not be counted: the delayed mass is too near to its limit, at which the neutral radius is"
            " 1; ask at a smaller gain, or with more mass in the numerical part."
        )
    every = np.concatenate([[0.0, far], *known, between, np.linspace(0.0, far, even + 1)])
    return np.unique(every[every <= far])


def _neutral_mass(
    system: DelayedSystem, s: np.ndarray, gain: float, delays: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """M_n + M_p A_inf exp(-s tau), and its derivative."""
    late = gain * system.mp[:, system.at] * np.array([path.at_infinity for path in system.paths])
    mass = np.broadcast_to(system.mn.astype(complex), (*s.shape, *system.mn.shape)).copy()
    slope = np.zeros_like(mass)
    factor = np.exp(-s[..., None] * delays)
    mass[..., system.at] += late * factor[..., None, :]
    slope[..., system.at] += late * (-delays * factor)[..., None, :]
    return mass, slope


def _log_h(system: DelayedSystem, sigma: float, tau: float, gain: float, shift: float) -> Log:
    delays = np.array([path.delay + tau for path in system.paths])

    def log(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        s = sigma + 1j * w
        try:
            value, rate = system.log_derivative(s, tau, gain)
        except np.linalg.LinAlgError:
            raise RootOnLine from None
        mass, slope = _neutral_mass(system, s, gain, delays)
        sign, size = np.linalg.slogdet(mass)
        value = value - size - 1j * np.angle(sign) - 2.0 * system.dofs * np.log(s + shift)
        rate = rate - np.trace(np.linalg.solve(mass, slope), axis1=-2, axis2=-1) - 2.0 * system.dofs / (s + shift)
        return value, 1j * rate

    return log
