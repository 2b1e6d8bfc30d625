"""Stability of a single-degree-of-freedom real-time hybrid simulation before the test: critical delay, PSI, damping.

    Gamma(s) = P(s) + Q(s) exp(-Omega s),    Omega = omega_n tau               see characteristic.py

A root is on the imaginary axis, s = j phi, where both the sizes and the angles agree:

    a phi^4 - 2 b phi^2 + c = 0                                                (2.17)
    a = 2 alpha - 1,    b = 2 (1 - 2 beta) zeta^2 + alpha + gamma - 1,    c = 2 gamma - 1

    Omega = [theta + 2 pi k] / phi,    theta = angle of -Q(j phi) / P(j phi) in (0, 2 pi],    k = 0, 1, ...   (2.19)

With d = sqrt(b^2 - a c) the pair of roots at phi^2 = (b + d) / a moves to the right as Omega grows, the pair at
phi^2 = (b - d) / a to the left. Without delay the structure is stable, so that for alpha > 1/2

    Omega_cr = theta / phi at phi^2 = (b + d) / a                              the first stability switch
    PSI = ln(1000 tau_cr),    tau_cr = Omega_cr / omega_n in s                 (2.20)

Where (2.17) has no positive phi^2, the test is stable with any delay. No phi^2 is real if

    (gamma - alpha)^2 < 4 zeta^2 (1 - 2 beta) [(1 - alpha - gamma) - (1 - 2 beta) zeta^2]      (2.21)

and none is positive either if gamma >= 1/2 and b < 0; see regions.py for the two in one. For alpha <= 1/2 no delay is
small enough: more mass is delayed than not, the equation is neutral, and roots of arbitrarily high frequency lie beyond
the imaginary axis (alpha < 1/2) or tend to it (alpha = 1/2).

    zeta_eff = Im Gamma(j) / 2
             = zeta [beta + (1 - beta) cos Omega] + (gamma - alpha) / 2 sin Omega              signed effective damping

is the damping ratio of the structure as long as delay and damping are small: below 0 it is unstable.

PSI Eqs. 2.12 (a minus sign is missing), 2.18b ((1 - alpha) omega_cr^2), 2.19 (the angle is that of atan2, not the arc
tangent plus N pi), 2.20 (printed with log10; Table 2.2 is the natural logarithm), 2.21 (a square is missing), 3.13 (the
printed root can never be negative), all as corrected here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hybsim.errors import ParameterError
from hybsim.studies.indicators.characteristic import (
    TURN,
    Numbers,
    checked,
    checked_delay,
    crossing_angle,
    gap,
    gap_roots,
    numerical,
    physical,
    positive,
)
from hybsim.studies.indicators.roots import count_unstable, dominant_root, dominant_root_map

__all__ = [
    "Critical",
    "Switch",
    "critical",
    "critical_delay",
    "crossings",
    "dominant_root",
    "dominant_root_map",
    "effective_damping",
    "is_stable",
    "omega_cr_map",
    "phi_cr_map",
    "psi",
    "switches",
]

FURTHEST = 100.0
"""Omega up to which switches are listed: a delay of sixteen natural periods."""

MOST_CROSSINGS = 1_000_000
"""Next to alpha = 1/2 roots of any frequency cross: more than can be listed."""


@dataclass(frozen=True)
class Switch:
    """A pair of roots on the imaginary axis at s = +-j phi for Omega = omega.

    `to_right` says whether, as the delay grows, the pair moves to the right half-plane (True) or back (False).
    """

    phi: float
    omega: float
    to_right: bool


@dataclass(frozen=True)
class Critical:
    """Where a test first loses its stability as the delay grows.

    phi             frequency of the switch over omega_n; nan where there is none
    omega           Omega_cr = omega_n tau_cr; inf if stable with any delay, 0 if unstable with any
    unconditional   stable with any delay
    neutral         alpha <= 1/2: unstable, or at the edge of it, with any delay above 0
    warnings        what the numbers do not say, one sentence each
    """

    phi: float
    omega: float
    unconditional: bool
    neutral: bool
    warnings: tuple[str, ...] = ()


def critical(alpha: float, beta: float, gamma: float, zeta: float) -> Critical:
    """The first stability switch of a partition.

    >>> first = critical(0.7, 0.4, 0.9, 0.1)
    >>> round(first.phi, 3), round(first.omega, 3), first.unconditional
    (1.428, 2.123, False)
    """
    a, _, _, discriminant = gap(*checked(alpha, beta, gamma, zeta))
    phi = float(phi_cr_map(alpha, beta, gamma, zeta))
    omega = float(omega_cr_map(alpha, beta, gamma, zeta))
    if a <= 0.0:
        return Critical(math.nan, 0.0, False, True, (_neutral(float(alpha)),))
    warnings: tuple[str, ...] = ()
    if math.isfinite(omega) and discriminant == 0.0:
        warnings = (
            f"At Omega = {omega:.6g} a pair of roots only touches the imaginary axis at phi = {phi:.6g} and goes back:"
            " the test is at the edge of stability at this delay and stable on both sides of it.",
        )
    return Critical(phi, omega, math.isinf(omega), False, warnings)


def switches(alpha: float, beta: float, gamma: float, zeta: float, *, below: float = FURTHEST) -> tuple[Switch, ...]:
    """Every stability switch with Omega < `below`, in order: the test becomes unstable, stable, unstable, ...

    Crossings that find the test unstable and leave it so are no switches; see `crossings`. After the last switch it
    stays unstable, as the pairs that go to the right have the higher frequency and so come more often.

    >>> [round(each.omega, 3) for each in switches(0.9, 0.6, 0.1, 0.05)]
    [0.125]
    """
    if float(alpha) <= 0.5:
        checked(alpha, beta, gamma, zeta)
        return ()
    found, pairs = [], 0
    for each in crossings(alpha, beta, gamma, zeta, below=below):
        before, pairs = pairs, pairs + (1 if each.to_right else -1)
        if (before > 0) != (pairs > 0):
            found.append(each)
    return tuple(found)


def crossings(alpha: float, beta: float, gamma: float, zeta: float, *, below: float = FURTHEST) -> tuple[Switch, ...]:
    """Every (phi, Omega) with Omega < `below` at which a pair of roots is on the imaginary axis, in order."""
    numbers = tuple(float(each) for each in checked(alpha, beta, gamma, zeta))
    found = []
    for square, to_right in zip(gap_roots(*gap(*numbers)), (True, False), strict=True):
        phi = math.sqrt(square) if square > 0.0 else math.inf
        if math.isfinite(phi):
            first = float(_angle(phi, *numbers)) / phi
            if (below - first) * phi / TURN > MOST_CROSSINGS:
                raise ParameterError(
                    f"With alpha = {numbers[0]:.17g} there are more than {MOST_CROSSINGS:,} crossings below"
                    f" Omega = {below:g}; ask for fewer with below=."
                )
            omegas = np.arange(first, below, TURN / phi)
            found += [Switch(phi, float(omega), to_right) for omega in omegas]
    # Where two pairs arrive at once, the one that leaves to the right comes first: the test is not stable there.
    return tuple(sorted(found, key=lambda each: (each.omega, not each.to_right)))


def omega_cr_map(alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers) -> np.ndarray:
    """Omega_cr of the first switch, over arrays: inf where stable with any delay, 0 where unstable with any.

    >>> omega_cr_map(np.array([0.4, 0.8]), 0.4, 0.8, 0.05).tolist()[0]
    0.0
    """
    numbers = checked(alpha, beta, gamma, zeta)
    phi = phi_cr_map(alpha, beta, gamma, zeta)
    with np.errstate(invalid="ignore"):
        omega = np.where(np.isnan(phi), np.inf, _angle(phi, *numbers) / phi)
    return np.asarray(np.where(numbers[0] <= 0.5, 0.0, omega))


def phi_cr_map(alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers) -> np.ndarray:
    """phi of the first switch, over arrays; nan where there is none."""
    numbers = checked(alpha, beta, gamma, zeta)
    rising, _ = gap_roots(*gap(*numbers))
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where((rising > 0.0) & (numbers[0] > 0.5), np.sqrt(rising), np.nan))


def is_stable(alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers, omega_tau: Numbers) -> np.ndarray:
    """Whether every root has a negative real part at this delay, over arrays: also beyond the first switch."""
    numbers, omega_tau = checked(alpha, beta, gamma, zeta), checked_delay(omega_tau)
    right = count_unstable(*numbers, omega_tau)
    return np.asarray((omega_tau == 0.0) | ((numbers[0] > 0.5) & (right == 0.0)))


def critical_delay(omega_cr: Numbers, omega_n: Numbers) -> np.ndarray:
    """tau_cr = Omega_cr / omega_n in s."""
    return np.asarray(omega_cr / positive("omega_n, the natural frequency in rad/s,", omega_n))


def psi(tau_cr: Numbers, *, log10: bool = False) -> np.ndarray:
    """The predictive stability indicator ln(tau_cr in ms), or log10: -inf for tau_cr = 0, inf for any delay.

    >>> round(float(psi(2.123 / 3.0)), 2), round(float(psi(2.123 / 3.0, log10=True)), 2)
    (6.56, 2.85)
    """
    tau = np.asarray(tau_cr, dtype=float)
    if not np.all(tau >= 0.0):
        raise ParameterError(f"tau_cr must be at least 0 s, got {float(np.nanmin(tau)):g}.")
    with np.errstate(divide="ignore"):
        return np.asarray((np.log10 if log10 else np.log)(1000.0 * tau))


def effective_damping(alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers, omega_tau: Numbers) -> np.ndarray:
    """zeta_eff = Im Gamma(j) / 2, signed: an estimate for small delay and damping; the root is in `dominant_root`.

    >>> round(float(effective_damping(0.8, 0.5, 0.1, 0.02, 0.1)), 4)
    -0.015
    """
    alpha, beta, gamma, zeta = checked(alpha, beta, gamma, zeta)
    omega = checked_delay(omega_tau)
    viscous = zeta * (beta + (1.0 - beta) * np.cos(omega))
    return np.asarray(viscous + 0.5 * (gamma - alpha) * np.sin(omega))


def _angle(phi: Numbers, alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers) -> np.ndarray:
    """theta = Omega phi of the first arrival at s = j phi."""
    s = 1j * np.asarray(phi)
    return crossing_angle(numerical(s, alpha, beta, gamma, zeta), physical(s, alpha, beta, gamma, zeta))


def _neutral(alpha: float) -> str:
    if alpha == 0.5:
        return (
            "No delay is small enough: half of the mass is delayed (alpha = 1/2), so the equation of motion is neutral"
            " and the roots of high frequency come as near to the imaginary axis as one likes; put more than half of"
            " the mass into the numerical substructure."
        )
    return (
        f"Unstable with every delay above 0: more mass is delayed than not (alpha = {alpha:g} < 1/2), so the equation"
        " of motion is neutral and infinitely many roots lie near Re s = ln((1 - alpha) / alpha) / tau > 0; put more"
        " than half of the mass into the numerical substructure."
    )
