"""Which partition of a structure stands the longest delay.

    M_p = sum_j p_j M_j,    C_p = sum_j p_j C_j,    K_p = sum_j p_j K_j,    low_j <= p_j <= high_j
    maximise tau_cr(p)    subject to    g(p) >= 0

p_j is the share of a part (M_j, C_j, K_j) of the structure that is tested physically: a storey, a mass, a damper. What
is not physical is numerical. tau_cr is the critical delay, above what the actuators have; the largest PSI =
ln(1000 tau_cr) is at the same shares. tau_cr jumps where a pair of roots first reaches the imaginary axis, so that no
slopes are used: the whole box is divided into ever smaller ones (DIRECT, Jones 1993), and the best place found is
polished by Nelder and Mead's method. Both are deterministic.

Where a partition is stable with any delay the search ends with the first such found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hybsim.errors import ParameterError
from hybsim.studies.indicators.delayed_system import Critical, DelayedSystem

ANY_DELAY = -1.0
"""What the search makes as small as possible, where no delay is too long."""

Matrix = Any
Constraint = Callable[[Mapping[str, float]], float]
"""What must be at least 0, of the shares by name."""


@dataclass(frozen=True)
class Part:
    """A part of a structure that may be tested: its matrices, 0 if not given, and the limits of its share."""

    name: str
    mass: Matrix = 0.0
    damping: Matrix = 0.0
    stiffness: Matrix = 0.0
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class BestPartition:
    """The partition with the largest critical delay, and how many were tried."""

    shares: Mapping[str, float]
    system: DelayedSystem
    critical: Critical
    tried: int

    @property
    def psi(self) -> float:
        """ln(tau_cr in ms)."""
        delay = self.critical.delay
        return math.log(1000.0 * delay) if delay > 0.0 else -math.inf


@dataclass
class PartitionFamily:
    """A structure (M, C, K) and the parts of it that may be physical."""

    structure: tuple[Matrix, Matrix, Matrix]
    parts: Sequence[Part]
    actuators: Sequence[Any] | None = None
    _whole: tuple[np.ndarray, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._whole = tuple(np.atleast_2d(np.asarray(each, dtype=float)) for each in self.structure)
        names = [part.name for part in self.parts]
        if not names or len(set(names)) < len(names):
            raise ParameterError(f"The parts need names that differ, at least one of them, got {names}.")
        for part in self.parts:
            if not (math.isfinite(part.low) and math.isfinite(part.high) and part.low < part.high):
                raise ParameterError(
                    f"The share of {part.name!r} must lie between two limits, the lower first, got {part.low:g} and"
                    f" {part.high:g}."
                )

    def system(self, shares: Mapping[str, float]) -> DelayedSystem:
        """The partition with these shares."""
        physical = [np.zeros_like(whole) for whole in self._whole]
        for part in self.parts:
            for matrix, of_part in zip(physical, (part.mass, part.damping, part.stiffness), strict=True):
                matrix += shares[part.name] * np.asarray(of_part, dtype=float)
        structure = self._whole[0], self._whole[1], self._whole[2]
        return DelayedSystem.partitioned(structure, (physical[0], physical[1], physical[2]), actuators=self.actuators)

    def best(self, *, constraints: Sequence[Constraint] = (), most: int | None = None) -> BestPartition:
        """The shares with the largest critical delay; `most` partitions are tried in the first stage (200 a share)."""
        from scipy.optimize import direct, minimize

        search = _Search(self, constraints)
        bounds = [(part.low, part.high) for part in self.parts]
        budget = 200 * len(bounds) if most is None else most
        direct(
            search.worse, bounds, maxfun=budget, maxiter=10 * budget, vol_tol=0.0, len_tol=1e-4,
            f_min=ANY_DELAY, f_min_rtol=1e-9,
        )  # fmt: skip
        if not math.isinf(search.best_delay):
            start = search.best
            # A simplex into the box: a step up or, at the upper limit, down.
            steps = [0.02 * (high - low) * (1.0 if p < 0.5 * (low + high) else -1.0)
                     for p, (low, high) in zip(start, bounds, strict=True)]  # fmt: skip
            corners = [start, *(start + np.diag(steps))]
            minimize(
                search.worse, start, method="Nelder-Mead", bounds=bounds,
                options=dict(initial_simplex=np.array(corners), xatol=1e-7, fatol=1e-12, maxfev=200 * len(bounds)),
            )  # fmt: skip
        if search.best_value > 0.0:
            raise ParameterError("No partition within the limits of the shares meets all constraints.")
        shares = search.named(search.best)
        system = self.system(shares)
        return BestPartition(shares, system, system.critical(), search.tried)


class _Search:
    """Remembers the best of all that was tried."""

    def __init__(self, family: PartitionFamily, constraints: Sequence[Constraint]) -> None:
        self.family, self.constraints = family, constraints
        self.best = np.array([part.low for part in family.parts])
        self.best_value, self.best_delay, self.tried = math.inf, 0.0, 0

    def named(self, values: np.ndarray) -> dict[str, float]:
        return {part.name: float(value) for part, value in zip(self.family.parts, values, strict=True)}

    def worse(self, values: np.ndarray) -> float:
        """-tau / (tau + tau_0), from 0 for none to -1 for any delay; above 0 where a constraint is not met."""
        self.tried += 1
        shares = self.named(values)
        broken = sum(max(0.0, -constraint(shares)) for constraint in self.constraints)
        delay = 0.0
        if broken:
            value = 1.0 + broken
        else:
            system = self.family.system(shares)
            delay = system.critical_delay()
            period = 1.0 / float(system.natural_frequencies[0])
            value = ANY_DELAY if math.isinf(delay) else -delay / (delay + period)
        if value < self.best_value:
            self.best, self.best_value, self.best_delay = np.array(values), value, delay
        return value
