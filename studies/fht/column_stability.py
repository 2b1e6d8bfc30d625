"""Where the test of the column is stable: over lambda, and over what the feedforward takes for the actuator's lag.

    z_{i+1} = A(lambda) z_i,   A = A_10 ... A_2 A_1,   A_k(lambda) = A_k(1) + 2 (1 - lambda) (A_k(1/2) - A_k(1))

z are the states of all blocks of the loop; A_k is the linear map of a tick, from the diagram itself. lambda multiplies
one difference once in a step, so each A_k is a straight line in lambda: two of them give the loop at every lambda.
A step multiplies the smallest motion by the spectral radius of A; growth per second is its logarithm over the step.

A delay tau in a linear structure acts as negative damping: ratio -omega tau / 2 in a mode, so that zeta carries

    tau < 2 zeta / omega_n,     1.08 ms in mode 2 and 5.9 ms in mode 1 of this column with 4 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from hybsim.diagrams.fht_column import ACTUATOR_LAG, fht_column
from hybsim.studies.fht.column_runs import DAMPING
from hybsim.studies.indicators.linearise import linearise
from hybsim.studies.outcome import Progress

GAINS = np.linspace(0.0, 1.0, 41)
ASSUMED = np.array([0.007, 0.008, 0.0085, 0.009, 0.0095, 0.010, 0.011, 0.0115, 0.012, 0.0125, 0.013, 0.014])
"""What the feedforward takes for the actuator's lag of 10 ms, in s."""

DELAYS = np.array([0.001, 0.0015, 0.002, 0.0025, 0.003])
"""Pure delays in s, without an actuator's dynamics and without feedforward."""


@dataclass(frozen=True, eq=False)
class Loop:
    """The maps of the ticks of one step with lambda = 1/2 and 1: with 0, some states would be no part of the loop."""

    step: float
    half: list[np.ndarray]
    full: list[np.ndarray]

    @classmethod
    def of(cls, **options: Any) -> Loop:
        pair = [linearise(fht_column(damping=DAMPING, feedback_gain=gain, **options)) for gain in (0.5, 1.0)]
        half, full = ([each.a for each in found.drawn] for found in pair)
        return cls(pair[0].period * pair[0].dt, half, full)

    def growth(self, gain: float) -> float:
        """The rate in 1/s at which the smallest motion grows; negative where it decays."""
        ticks = [one + 2.0 * (1.0 - gain) * (half - one) for half, one in zip(self.half, self.full, strict=True)]
        over_step = reduce(lambda before, tick: tick @ before, ticks)
        return float(np.log(np.abs(np.linalg.eigvals(over_step)).max()) / self.step)

    def growths(self) -> np.ndarray:
        return np.array([self.growth(float(gain)) for gain in GAINS])


def edges(loop: Loop, growths: np.ndarray) -> list[float]:
    """The lambdas between 0 and 1 at which the loop turns from stable to unstable or back, by bisection."""
    found = []
    for i in np.flatnonzero(np.diff(growths > 0.0)):
        low, high = float(GAINS[i]), float(GAINS[i + 1])
        unstable = growths[i] > 0.0
        while high - low > 1e-4:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if (loop.growth(middle) > 0.0) == unstable else (low, middle)
        found.append(0.5 * (low + high))
    return found


@dataclass(frozen=True, eq=False)
class Stability:
    """Growth in 1/s for each case (rows) and each of GAINS, and the lambdas of the edges."""

    assumed: np.ndarray
    assumed_edges: list[list[float]]
    delays: np.ndarray
    delay_edges: list[list[float]]
    alone: np.ndarray
    """The actuator as it is, without feedforward."""

    def rows(self) -> list[dict[str, Any]]:
        cases = [
            *(("feedforward", ACTUATOR_LAG, float(lag), *found)
              for lag, *found in zip(ASSUMED, self.assumed, self.assumed_edges, strict=True)),
            *(("pure delay", float(delay), None, *found)
              for delay, *found in zip(DELAYS, self.delays, self.delay_edges, strict=True)),
            ("actuator and digital delay, no feedforward", ACTUATOR_LAG, None, self.alone, []),
        ]  # fmt: skip
        return [
            {
                "rig": rig, "lag_s": lag, "assumed_lag_s": assumed,
                "growth_without_feedback": float(growths[0]), "growth_at_lambda_1": float(growths[-1]),
                "stable_lambda": stable_range(growths, found), "edges_of_lambda": found,
            }
            for rig, lag, assumed, growths, found in cases
        ]  # fmt: skip


def stable_range(growths: np.ndarray, found: list[float]) -> list[list[float]]:
    """The intervals of lambda in [0, 1] with a stable loop."""
    ends = [0.0, *found, 1.0]
    first = 0 if growths[0] <= 0.0 else 1
    return [[ends[i], ends[i + 1]] for i in range(first, len(ends) - 1, 2)]


def stability(progress: Progress) -> Stability:
    """All loops at 1000 Hz; the edges at 1024 Hz lie where the same times put them."""
    cases: list[dict[str, Any]] = [{"assumed_lag": float(lag)} for lag in ASSUMED]
    cases += [{"feedforward": False, "lag": None, "digital_delay": float(delay)} for delay in DELAYS]
    cases += [{"feedforward": False}]
    growths, found = [], []
    for i, options in enumerate(cases):
        loop = Loop.of(**options)
        growths.append(loop.growths())
        found.append(edges(loop, growths[-1]))
        progress((i + 1) / len(cases))
    n, last = len(ASSUMED), len(cases) - 1
    return Stability(np.array(growths[:n]), found[:n], np.array(growths[n:last]), found[n:last], growths[last])
