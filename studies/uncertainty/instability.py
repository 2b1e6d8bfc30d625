"""The probability that a test is unstable, when period, damping and lag are not known exactly.

    unstable if tau > tau_cr = zeta T / pi,    T, zeta, tau lognormal with the medians T_0, zeta_0, tau_0
    P(tau_0) = Phi(ln(tau_0 / tau_cr0) / s),   s^2 = s_T^2 + s_zeta^2 + s_tau^2,   s_i^2 = ln(1 + CoV_i^2)

The critical lag of a linear test with Newmark's explicit method is zeta T / pi whatever the tick (hybsim.studies.
critical_lag), so that the probability has a closed form. The simulations add what it leaves out, a lag that also
scatters from tick to tick: each is a free vibration, without ground motion, and counts as unstable if it is larger in
the last third than in the second.

An elastic-plastic specimen cannot be driven to infinity, as its force is bounded: above the critical lag it settles in
a cycle in which yielding takes what the lag adds.

The band is that of Wilson (1927) for a share of k in n:

    (k + z^2/2) / (n + z^2) -+ z / (n + z^2) sqrt(k (n - k) / n + z^2 / 4),    z = 1.96 for 95 %
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from hybsim.diagrams.eerc_chapter8 import DT, STIFFNESS, YIELD_DISP
from hybsim.diagrams.error_injection import error_injection, structure_parameters
from hybsim.runtime.program import Program, compile
from hybsim.studies.eerc.critical_lag import LaggingTest
from hybsim.studies.measures import Histories, measure
from hybsim.studies.spaces import sobol
from hybsim.studies.study import Study

STRUCTURES = ((0.33, 0.05), (1.0, 0.05))
"""Median period in s and damping ratio: those of EERC Table 8-10."""

COV = {"period": 0.05, "damping_ratio": 0.30, "lag": 0.20}
"""Coefficients of variation from test to test."""

VARIANCE = 0.1
"""Of the lag in ticks, from tick to tick (EERC Ch. 8)."""

SHARES = np.linspace(0.2, 2.0, 19)
"""Median lag over the critical lag of the median structure."""

RELEASED, DURATION = 0.1 * YIELD_DISP, 30.0
"""Displacement in in from which the structure swings freely, and for how many seconds."""

CYCLE_SHARES = np.linspace(0.5, 2.0, 31)
CYCLE_DURATION, SWING = 120.0, 3.0
"""Seconds of the run, and of its end, at which the cycle is measured."""

NORMAL_95 = 1.959963984540054
DISP = "integrator.disp_target"


@dataclass(frozen=True)
class InstabilityCurve:
    """The share of unstable tests of one structure over the median lag."""

    period: float
    damping_ratio: float
    critical_lag_ms: float
    lags_ms: np.ndarray
    tests: int
    unstable: np.ndarray
    theory: np.ndarray

    @property
    def share(self) -> np.ndarray:
        return self.unstable / self.tests

    @property
    def band(self) -> tuple[np.ndarray, np.ndarray]:
        return wilson(self.unstable, self.tests)


@dataclass(frozen=True)
class Cycle:
    """The cycle in which an elastic-plastic specimen ends, as a ductility, over the lag."""

    period: float
    damping_ratio: float
    critical_lag_ms: float
    lags_ms: np.ndarray
    ductility: np.ndarray


def curves(base: int, seed: int, jobs: int | None) -> list[InstabilityCurve]:
    """The curve of each structure, from `base` simulated tests at every lag."""
    program = compile(error_injection(amplitude=0.0))
    return [_curve(program, period, zeta, base, seed, jobs) for period, zeta in STRUCTURES]


def _curve(
    program: Program, period: float, zeta: float, base: int, seed: int, jobs: int | None
) -> InstabilityCurve:  # fmt: skip
    critical = critical_lag_ms(period, zeta)
    lags = SHARES * critical
    # The same tests at every lag: the curve is smooth, and rises wherever the lag does.
    tests = sobol({**{name: lognormal(cov) for name, cov in COV.items()}, "seed": range(2**31)}, base, seed=seed).points
    points = [
        structure_parameters(period * test["period"], zeta * test["damping_ratio"], 0.0)
        | {
            "integrator.initial_disp": RELEASED, "lag.mean": 0.001 * lag * test["lag"] / DT, "lag.variance": VARIANCE,
            "lag_noise.seed": test["seed"],
        }
        for lag in lags.tolist()
        for test in tests
    ]  # fmt: skip
    study = Study(program, space=points, duration=DURATION, measures={"grows": measure(grows, DISP)})
    grown = study.run(jobs=jobs).values["grows"].reshape(len(lags), len(tests))
    # An overflow (nan) is the strongest growth of all.
    return InstabilityCurve(
        period, zeta, critical, lags, len(tests), (grown != 0.0).sum(axis=1), probability(lags, critical)
    )


def cycles(jobs: int | None) -> list[Cycle]:
    """Where a free vibration with an elastic-plastic specimen ends, without any scatter."""
    program = compile(error_injection(specimen="elastic-plastic", amplitude=0.0))
    found = []
    for period, zeta in STRUCTURES:
        critical = critical_lag_ms(period, zeta)
        lags = CYCLE_SHARES * critical
        given = structure_parameters(period, zeta, 0.0) | {"integrator.initial_disp": RELEASED}
        study = Study(
            program,
            space=[given | {"lag.mean": 0.001 * lag / DT} for lag in lags.tolist()],
            duration=CYCLE_DURATION,
            measures={"swing": measure(last_swing, DISP)},
        )
        swing = study.run(jobs=jobs).values["swing"][:, 0]
        found.append(Cycle(period, zeta, critical, lags, swing / YIELD_DISP))
    return found


def grows(runs: Histories, reference: Histories | None = None) -> np.ndarray:
    """1 where the largest displacement of the last third is above that of the second, else 0."""
    disp = np.abs(runs[DISP])
    third = disp.shape[1] // 3
    return (disp[:, 2 * third :].max(axis=1) > disp[:, third : 2 * third].max(axis=1)).astype(float)


def last_swing(runs: Histories, reference: Histories | None = None) -> np.ndarray:
    """Half the distance from the lowest to the highest displacement at the end: a yielded specimen does not return."""
    last = runs[DISP][:, runs["t"] >= runs["t"][-1] - SWING]
    return np.asarray(0.5 * (last.max(axis=1) - last.min(axis=1)))


def probability(lags_ms: np.ndarray, critical_ms: float) -> np.ndarray:
    """P in closed form."""
    from scipy.stats import norm

    return np.asarray(norm.cdf(np.log(lags_ms / critical_ms) / scatter()))


def safe_share(chance: float) -> float:
    """The median lag over the critical lag at which the probability of instability is `chance`."""
    from scipy.stats import norm

    return float(math.exp(scatter() * norm.ppf(chance)))


def scatter() -> float:
    """s, of the logarithm of tau over tau_cr."""
    return math.sqrt(sum(math.log1p(cov**2) for cov in COV.values()))


def lognormal(cov: float) -> Any:
    """The distribution with the median 1 and this coefficient of variation."""
    from scipy.stats import lognorm

    return lognorm(math.sqrt(math.log1p(cov**2)))


def wilson(count: np.ndarray | Sequence[int], n: int, z: float = NORMAL_95) -> tuple[np.ndarray, np.ndarray]:
    """The interval (low, high) for a share of `count` in n.

    >>> low, high = wilson([0], 100)
    >>> float(low[0]), round(float(high[0]), 4)
    (0.0, 0.037)
    """
    k = np.asarray(count, dtype=float)
    middle = (k + z**2 / 2.0) / (n + z**2)
    half = z / (n + z**2) * np.sqrt(k * (n - k) / n + z**2 / 4.0)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


@cache
def critical_lag_ms(period: float, zeta: float) -> float:
    """From the spectral radius of the amplification matrix."""
    given, one = structure_parameters(period, zeta, 0.0, STIFFNESS), np.eye(1)
    test = LaggingTest(one * given["integrator.mass"], one * given["integrator.damping"], [one * STIFFNESS], DT)
    lag = test.critical_lag()
    assert lag is not None, "stable at every lag that is looked at"
    return 1000.0 * lag
