"""Any linear structure in a real-time hybrid simulation: matrices, partition, several actuators, delays.

    M_n x'' + C_n x' + K_n x = load - f                                        numerical part
    f = M_p x_p'' + C_p x_p' + K_p x_p,    x_p = A(s) exp(-s tau) x            physical part, as actuators move it

    D(s) = Z_n(s) + Z_p(s) A(s) exp(-s tau)                                    characteristic equation: det D(s) = 0
    Z(s) = M s^2 + C s + K,    A(s) = diag(a_i(s) exp(-s d_i))

M_n + M_p = M and so on: without delay, and with actuators that follow at once, it is the reference structure. a_i is
the transfer function and d_i the own delay of the actuator of degree of freedom i; tau is a delay of all of them, of
computation and communication. A test is stable where every root s has a negative real part:

    count_unstable(tau)   roots in the right half-plane, by the argument principle          nyquist.py
    crossings()           every delay at which a pair of roots is on the imaginary axis      crossings.py
    critical()            the smallest delay at which the test is no longer stable
    gain_margin(tau)      the factors on the physical force at which it is no longer stable  gain_margin.py
    roots(tau)            the rightmost roots                                                delayed_roots.py
    performance(tau)      variance of the error under white noise or a record                delayed_performance.py

A delayed mass makes the equation neutral: the highest derivative stands at two times. Roots of high frequency follow
M_n x''(t) + M_p A_inf x''(t - tau) = 0, which multiplies an acceleration in each delay by a matrix of spectral radius

    rho = max |eigenvalue of M_n^-1 M_p A_inf diag(exp(j theta_i))|            over all angles theta_i

so that for rho > 1 there are infinitely many roots in the right half-plane, at any delay above 0, and for rho = 1 they
come as near to the axis as one likes. For rho < 1 the smallest delay counts, as without a delayed mass. Actuators with
more poles than zeros (A_inf = 0) take the mass out of this condition.

PSI Eqs. 2.1-2.11 for one degree of freedom, here for any number; Michiels and Niculescu, Stability and Stabilization of
Time-Delay Systems (SIAM, 2007), Ch. 1 for the neutral condition.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.errors import ParameterError
from hybsim.studies.indicators.neutral import neutral_radius
from hybsim.studies.indicators.structure_matrices import modal_damping, quadratic_roots, square
from hybsim.studies.indicators.transfer_path import Actuator, paths_of

if TYPE_CHECKING:
    from hybsim.studies.indicators.crossings import Crossing
    from hybsim.studies.indicators.delayed_performance import Performance
    from hybsim.studies.indicators.gain_margin import GainMargin

__all__ = ["Actuator", "Critical", "DelayedSystem", "check_delay", "modal_damping"]

ON_EDGE = 1e-9
"""A neutral radius so near to 1 is 1."""

MOST_CONDITION = 1e12
"""Of a mass matrix that is not singular."""


@dataclass(frozen=True)
class Critical:
    """The smallest delay, above what the actuators have, at which a test is no longer stable.

    delay           in s; inf if it is stable with any delay, 0 if it is unstable with any
    frequency       of the free vibration that neither grows nor decays there, in rad/s; nan where there is none
    unconditional   stable with any delay
    neutral         unstable with any delay above 0 as too much mass is delayed
    reason          a sentence where the delay is 0 or inf
    """

    delay: float
    frequency: float
    unconditional: bool = False
    neutral: bool = False
    reason: str = ""


class DelayedSystem:
    """A linear structure cut into a numerical and a physical part.

    `actuators` are Actuator objects, or just their systems for the degrees of freedom of the physical part in turn;
    without them every displacement arrives at once, late by tau alone. The critical delay of a structure with all of
    its stiffness in the specimen is about 2 zeta / omega:

    >>> test = DelayedSystem([[1.0]], [[0.2]], [[0.0]], [[0.0]], [[0.0]], [[100.0]])
    >>> round(1000.0 * test.critical_delay(), 2)
    2.0
    """

    def __init__(
        self, mn: Any, cn: Any, kn: Any, mp: Any, cp: Any, kp: Any, *, actuators: Sequence[Any] | None = None
    ) -> None:
        names = dict(mn=mn, cn=cn, kn=kn, mp=mp, cp=cp, kp=kp)
        self.dofs = len(np.atleast_2d(np.asarray(mn, dtype=float)))
        self.mn, self.cn, self.kn, self.mp, self.cp, self.kp = (
            square(name, value, self.dofs) for name, value in names.items()
        )
        if np.linalg.matrix_rank(self.mass) < self.dofs:
            raise ParameterError(
                "The mass matrix of the whole structure is singular; leave out or condense degrees of freedom"
                " without mass."
            )
        moved = np.flatnonzero(np.abs(np.stack([self.mp, self.cp, self.kp])).sum(axis=(0, 1)))
        self.paths = paths_of(actuators, moved, self.dofs)
        self.at = np.array([path.dof for path in self.paths], dtype=int)
        if np.linalg.cond(self.mn) > MOST_CONDITION and not math.isinf(self.neutral_radius()):
            raise ParameterError(
                "The numerical mass matrix is singular: the numerical part cannot accelerate by itself; leave some of"
                " the mass in it."
            )
        self.warnings = tuple(sentence for path in self.paths for sentence in path.warnings)

    @classmethod
    def partitioned(
        cls, structure: tuple[Any, Any, Any], physical: tuple[Any, Any, Any], *, actuators: Sequence[Any] | None = None
    ) -> DelayedSystem:
        """From the whole structure (M, C, K) and its physical part (M_p, C_p, K_p)."""
        whole = [np.atleast_2d(np.asarray(each, dtype=float)) for each in structure]
        part = [np.atleast_2d(np.asarray(each, dtype=float)) for each in physical]
        for name, one, other in zip("MCK", whole, part, strict=True):
            if one.shape != other.shape:
                raise ParameterError(
                    f"{name} of the structure has the shape {one.shape} and that of its physical part {other.shape};"
                    " give the physical part in the coordinates of the structure, with zeros where it is not."
                )
        return cls(*(one - other for one, other in zip(whole, part, strict=True)), *part, actuators=actuators)

    # the reference structure ----------------------------------------------------------------

    @property
    def mass(self) -> np.ndarray:
        return np.asarray(self.mn + self.mp)

    @property
    def damping(self) -> np.ndarray:
        return np.asarray(self.cn + self.cp)

    @property
    def stiffness(self) -> np.ndarray:
        return np.asarray(self.kn + self.kp)

    @cached_property
    def reference_roots(self) -> np.ndarray:
        """The roots of the structure without delay and actuators."""
        return quadratic_roots(self.mass, self.damping, self.stiffness)

    @cached_property
    def natural_frequencies(self) -> np.ndarray:
        """Of the undamped reference structure, rising, in rad/s."""
        squares = np.linalg.eigvals(np.linalg.solve(self.mass, self.stiffness))
        return np.sort(np.sqrt(np.maximum(squares.real, 0.0)))

    # the characteristic equation ------------------------------------------------------------

    def characteristic(self, s: Any, tau: float = 0.0, *, gain: float = 1.0) -> np.ndarray:
        """D(s), a matrix for each s; `gain` is a factor on the physical force."""
        return self._characteristic(np.asarray(s, dtype=complex), tau, gain)[0]

    def log_derivative(self, s: np.ndarray, tau: float, gain: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        """log det D(s) (its imaginary part up to whole turns) and its derivative trace(D^-1 D')."""
        matrix, slope = self._characteristic(s, tau, gain)
        sign, size = np.linalg.slogdet(matrix)
        rate = np.trace(np.linalg.solve(matrix, slope), axis1=-2, axis2=-1)
        return size + 1j * np.angle(sign), rate

    def loop(self, s: np.ndarray, tau: float = 0.0) -> np.ndarray:
        """L(s) = A(s) exp(-s tau) S^T Z_n(s)^-1 Z_p(s) S, so that det D = det Z_n det(I + L); S picks the actuators."""
        numerical, physical = self._impedances(s)
        moved = np.linalg.solve(numerical, physical)[..., self.at, :]
        return np.asarray(self._transfer(s, tau)[0][..., :, None] * moved)

    def _impedances(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        each = s[..., None, None]
        physical = ((self.mp * each + self.cp) * each + self.kp)[..., self.at]
        return (self.mn * each + self.cn) * each + self.kn, physical

    def _transfer(self, s: np.ndarray, tau: float) -> tuple[np.ndarray, np.ndarray]:
        """a_i exp(-s (d_i + tau)) of every actuator, and its derivative."""
        values, slopes = [], []
        for path in self.paths:
            a, da = path.response(s)
            delay = path.delay + tau
            late = np.exp(-s * delay)
            values.append(a * late)
            slopes.append((da - delay * a) * late)
        if not values:
            return np.zeros((*s.shape, 0), dtype=complex), np.zeros((*s.shape, 0), dtype=complex)
        return np.stack(values, axis=-1), np.stack(slopes, axis=-1)

    def _characteristic(self, s: np.ndarray, tau: float, gain: float) -> tuple[np.ndarray, np.ndarray]:
        """D and dD/ds."""
        matrix, physical = self._impedances(s)
        each = s[..., None, None]
        slope = 2.0 * self.mn * each + self.cn
        physical_slope = (2.0 * self.mp * each + self.cp)[..., self.at]
        value, rate = (gain * part[..., None, :] for part in self._transfer(s, tau))
        matrix, slope = matrix.astype(complex), slope.astype(complex)
        matrix[..., self.at] += physical * value
        slope[..., self.at] += physical_slope * value + physical * rate
        return matrix, slope

    # stability ------------------------------------------------------------------------------

    def neutral_radius(self, *, gain: float = 1.0) -> float:
        """rho: by how much an acceleration of infinite frequency grows in a delay."""
        return gain * self._neutral_radius

    @cached_property
    def _neutral_radius(self) -> float:
        late = self.mp[:, self.at] * np.array([path.at_infinity for path in self.paths])
        return neutral_radius(self.mn, late, self.at)

    def is_neutrally_unstable(self, tau: float, *, gain: float = 1.0) -> bool:
        """Whether the delayed mass alone makes the test unstable."""
        late = any(path.delay + tau > 0.0 and path.at_infinity != 0.0 for path in self.paths)
        return late and self.neutral_radius(gain=gain) >= 1.0 - ON_EDGE

    def count_unstable(self, tau: float = 0.0, *, gain: float = 1.0) -> float:
        """The number of roots with a real part of at least 0; inf where the delayed mass makes the test unstable."""
        from hybsim.studies.indicators.nyquist import count_right

        return count_right(self, 0.0, check_delay(tau), gain)

    def is_stable(self, tau: float = 0.0, *, gain: float = 1.0) -> bool:
        """Whether every free vibration dies out with this delay."""
        return self.count_unstable(tau, gain=gain) == 0

    def crossings(self, *, below: float | None = None) -> tuple[Crossing, ...]:
        """Every delay under `below` at which roots are on the imaginary axis, in order, with their direction.

        Without `below`: the first of each frequency.
        """
        from hybsim.studies.indicators.crossings import crossings

        return crossings(self, below)

    def critical(self) -> Critical:
        """The smallest delay at which the test is no longer stable."""
        unstable = self.count_unstable(0.0)
        if math.isinf(unstable):
            return Critical(0.0, math.nan, neutral=True, reason=self._why_neutral())
        if unstable:
            return Critical(0.0, math.nan, reason=self._why_unstable(int(unstable)))
        if self.is_neutrally_unstable(1.0):
            return Critical(0.0, math.nan, neutral=True, reason=self._why_neutral())
        first = next((each for each in self.crossings() if each.to_right), None)
        if first is None:
            return Critical(math.inf, math.nan, unconditional=True, reason="No root reaches the imaginary axis.")
        return Critical(first.delay, first.frequency)

    def critical_delay(self) -> float:
        """In s: inf if stable with any delay, 0 if unstable with any."""
        return self.critical().delay

    def gain_margin(self, tau: float = 0.0) -> GainMargin:
        """Between which factors on the physical force the test stays stable at this delay."""
        from hybsim.studies.indicators.gain_margin import gain_margin

        return gain_margin(self, check_delay(tau))

    def roots(self, tau: float = 0.0, *, count: int = 4) -> np.ndarray:
        """The `count` rightmost roots with an imaginary part of at least 0, the rightmost first, in rad/s."""
        from hybsim.studies.indicators.delayed_roots import rightmost_roots

        return rightmost_roots(self, check_delay(tau), count)

    def modes(self, tau: float = 0.0) -> np.ndarray:
        """What becomes of the modes of the reference structure: one root each, by rising reference frequency."""
        from hybsim.studies.indicators.delayed_roots import followed_modes

        return followed_modes(self, check_delay(tau))

    def damping_ratio(self, tau: float = 0.0) -> float:
        """-Re s / |s| of the rightmost root: below 0 a free vibration grows."""
        root = self.roots(tau, count=1)[0]
        return float(-root.real / abs(root))

    def performance(self, tau: float = 0.0, **options: Any) -> Performance:
        """PPI of every degree of freedom; see delayed_performance.py."""
        from hybsim.studies.indicators.delayed_performance import performance

        return performance(self, check_delay(tau), **options)

    def _why_neutral(self) -> str:
        radius = self.neutral_radius()
        edge = "infinitely many roots lie in the right half-plane"
        if radius < 1.0 + ON_EDGE:
            edge = "roots of high frequency come as near to the imaginary axis as one likes"
        return (
            "No delay is small enough: the delayed mass is too large (the spectral radius of M_n^-1 M_p is"
            f" {radius:.4g}, and it must be below 1), so the equation of motion is neutral and {edge}; put more of the"
            " mass into the numerical part."
        )

    def _why_unstable(self, unstable: int) -> str:
        if self.reference_roots.real.max() >= 0.0:
            return "The structure itself is not stable: without any delay a free vibration does not die out."
        return (
            f"The test is unstable without further delay: its actuators put {unstable} roots into the right half-plane;"
            " compensate them or change the partition."
        )


def check_delay(tau: float) -> float:
    """A delay in s, refused below 0."""
    number = float(tau)
    if not (math.isfinite(number) and number >= 0.0):
        raise ParameterError(f"tau, the delay in s, must be a finite number of at least 0, got {number:g}.")
    return number
