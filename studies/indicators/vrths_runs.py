"""The virtual tests of PSI Chapter 4: 2000 with a pure delay and 198 with actuators, run by the compiled engine.

    Sec. 4.1    8 cases x 125 delays x 2 spectra, omega_n = Omega / tau                        Table 4.1
    Sec. 4.2    2 partitions x 99 natural frequencies, with TS_1 or TS_2                       Table 4.2

Every test is a diagram (sdof_rths) under its own white noise, and gives one number, omega_n^3 <e^2> / S_g, whose
expectation is PPI. <e^2> is the mean over the run, less the time in which the structures settle:

    settle = 6 / (zeta_low omega_n)     the deficit of the variance has fallen to exp(-12) of it, and is 1e-5 of a mean
    length = wait / (omega_n r^2)       for a relative standard error r, by the spectrum of the error

zeta_low is the lower damping ratio of the two structures. Lengths are rounded to powers of sqrt(2) ticks, so that tests
of equal length can be run in one sweep; the standard error is that of the rounded length. No history is kept.

Ticks are 1/64 to 1/32 of 1/omega_n with a delay, 1/128 to 1/64 of it and at most 1/1024 s with an actuator, and a
number of the noise is held for 1/16 to 1/8 of 1/omega_n: see `vrths_spectrum` for what that changes.

The delays and natural frequencies are not printed in the document. Here the delays run from 1 to 32 ms, so that
omega_n is 1.6 to 100 rad/s; the natural frequencies of Sec. 4.2 run from 1 to 50 rad/s.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hybsim.diagrams.sdof_rths import DELAY, delay_parameter, partition_parameters, sdof_rths, with_mean_square
from hybsim.errors import RunError
from hybsim.runtime.program import Program, compile
from hybsim.studies.indicators.vrths_spectrum import Moments, Partition, continuous, normalised, resonance, sampled
from hybsim.studies.outcome import Progress
from hybsim.studies.running.executors import completed, workers, working

ALPHA, BETA = 0.8, 0.5
"""Of all cases of Table 4.1."""

SPECTRA = (1.0, 2.0)
"""S_g in m^2/s^3."""

DELAYS = tuple(0.001 + 0.00025 * k for k in range(125))
FREQUENCIES = tuple(1.0 + 0.5 * k for k in range(99))

RELATIVE_ERROR = 0.15
"""The relative standard error aimed at in every single run."""

SETTLED = 6.0
TOGETHER = 16
"""Tests in one sweep."""

LONGEST = 8
"""Ticks of the longest delay that a program is built for."""


@dataclass(frozen=True)
class Case:
    """A line of Table 4.1, with the PPI that is printed there."""

    number: int
    gamma: float
    zeta: float
    omega: float
    printed: float

    def partition(self, delay: float) -> Partition:
        return Partition(ALPHA, BETA, self.gamma, self.zeta, self.omega / delay, delay)


CASES = (
    Case(1, 0.80, 0.01, 0.05, 9.1e-3), Case(2, 0.65, 0.01, 0.05, 3.5),
    Case(3, 0.80, 0.01, 0.10, 3.6e-2), Case(4, 0.65, 0.01, 0.10, 51.0),
    Case(5, 0.80, 0.04, 0.05, 2.3e-3), Case(6, 0.65, 0.04, 0.05, 3.4e-2),
    Case(7, 0.80, 0.04, 0.10, 9.1e-3), Case(8, 0.65, 0.04, 0.10, 1.6e-1),
)  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """A line of Table 4.2: a partition with alpha = gamma, an actuator, and delays of computation and communication."""

    number: int
    share: float
    zeta: float
    rig: str
    computation: float
    communication: float

    def partition(self, omega_n: float) -> Partition:
        delay = self.computation + self.communication
        return Partition(self.share, BETA, self.share, self.zeta, omega_n, delay, self.rig)

    def as_delay(self, omega_n: float) -> Partition:
        """The actuator as the delay it has at low frequency, a_1 / a_0."""
        _, den = normalised(self.rig)
        delay = self.computation + self.communication + den[-2] / den[-1]
        return Partition(self.share, BETA, self.share, self.zeta, omega_n, delay)


CHOICES = (
    Choice(1, 0.8, 0.01, "TS_1", 1.0 / 8192.0, 1.0 / 4096.0),
    Choice(2, 0.9, 0.02, "TS_2", 1.0 / 2048.0, 1.0 / 1024.0),
)


@dataclass(frozen=True)
class VirtualTest:
    """One virtual test; `group` is "case 1" ... or "choice 1" ..., under noise of S_g = `spectrum`."""

    group: str
    partition: Partition
    spectrum: float
    seed: int

    @cached_property
    def moments(self) -> Moments:
        return continuous(self.partition)

    @cached_property
    def dt(self) -> float:
        octave = math.floor(math.log2(self.partition.omega_n))
        if self.partition.rig == DELAY:
            return 2.0 ** -(6 + octave)
        return min(2.0 ** -(7 + octave), 1.0 / 1024.0)

    @property
    def hold(self) -> int:
        """Ticks for which a number of the noise is held."""
        octave = math.floor(math.log2(self.partition.omega_n))
        return round(2.0 ** -(4 + octave) / self.dt)

    @cached_property
    def ticks(self) -> int:
        """How many ticks the run has, the settling included."""
        wanted = self.moments.wait / (self.partition.omega_n * RELATIVE_ERROR**2)
        return round(2.0 ** (0.5 * round(2.0 * math.log2(wanted / self.dt))))

    @cached_property
    def settling(self) -> int:
        """The first tick that is counted."""
        lowest = min(self.partition.zeta, -resonance(self.partition).real)
        return math.ceil(SETTLED / (lowest * self.partition.omega_n * self.dt))

    @property
    def length(self) -> float:
        """Seconds over which the square of the error is averaged."""
        return (self.ticks - self.settling) * self.dt

    @property
    def standard_error(self) -> float:
        """Of omega_n^3 <e^2> / S_g."""
        return float(self.moments.ppi * self.moments.relative_error(self.partition.omega_n * self.length))

    @property
    def at_ticks(self) -> float:
        """PPI as the diagram has it at its ticks."""
        return sampled(self.partition, self.dt, self.hold).ppi

    def parameters(self) -> dict[str, object]:
        """Of the built program."""
        part = self.partition
        shares = dict(alpha=part.alpha, beta=part.beta, gamma=part.gamma, zeta=part.zeta, omega_n=part.omega_n)
        return {
            **partition_parameters(**shares),
            **delay_parameter(part.delay, self.dt, part.rig),
            "ground.power": self.spectrum,
            "ground.sample_time": self.hold * self.dt,
            "ground.seed": self.seed,
            # Half a tick early, so that no rounding of times matters.
            "settled.T": (self.settling - 0.5) * self.dt,
        }


@dataclass(frozen=True)
class Realisations:
    """All tests with their numbers, and what they cost."""

    tests: Sequence[VirtualTest]
    values: np.ndarray
    ticks: int

    def of(self, group: str) -> tuple[list[VirtualTest], np.ndarray]:
        chosen = [i for i, test in enumerate(self.tests) if test.group == group]
        return [self.tests[i] for i in chosen], self.values[chosen]


def virtual_tests(seed: int, runs: int | None = None) -> list[VirtualTest]:
    """All 2198 tests, or about `runs` of them, evenly chosen from delays and frequencies."""
    share = 1.0 if runs is None else runs / (len(CASES) * len(SPECTRA) * len(DELAYS) + len(CHOICES) * len(FREQUENCIES))
    delays, frequencies = _evenly(DELAYS, share), _evenly(FREQUENCIES, share)
    asked = [(f"case {c.number}", c.partition(d), s) for c in CASES for d in delays for s in SPECTRA]
    asked += [(f"choice {c.number}", c.partition(w), 1.0) for c in CHOICES for w in frequencies]
    first = 1_000_000 * seed
    return [VirtualTest(group, part, spectrum, first + i) for i, (group, part, spectrum) in enumerate(asked)]


def programs(every: Sequence[VirtualTest]) -> dict[tuple[str, float], Program]:
    """A program for each rig and tick; all with the same rig share one compiled library."""
    return {key: _program(*key) for key in sorted({(test.partition.rig, test.dt) for test in every})}


def realise(
    every: Sequence[VirtualTest], built: dict[tuple[str, float], Program], jobs: int | None, progress: Progress
) -> Realisations:
    """Run all tests, the longest first."""
    values = np.full(len(every), np.nan)
    total = sum(test.ticks for test in every)
    done = 0

    def work(chunk: Sequence[int]) -> tuple[Sequence[int], np.ndarray]:
        chosen = [every[i] for i in chunk]
        return chunk, _run(built[chosen[0].partition.rig, chosen[0].dt], chosen)

    jobs = workers(None, jobs)
    with working(None, jobs) as pool:
        for chunk, found in completed(pool, work, _chunks(every), 2 * jobs):
            values[list(chunk)] = found
            done += sum(every[i].ticks for i in chunk)
            progress(done / total)
    return Realisations(every, values, total)


def _run(program: Program, chosen: Sequence[VirtualTest]) -> np.ndarray:
    """omega_n^3 <e^2> / S_g of tests of equal length."""
    duration = chosen[0].ticks * chosen[0].dt
    batch = program.sweep([test.parameters() for test in chosen], duration=duration, keep=[], jobs=1)
    for test, stop in zip(chosen, batch.stopped, strict=True):
        if stop is not None:
            raise RunError(f"A virtual test of {test.group} did not come to its end: {stop}")
    sums = batch.final("sum_of_squares.out")
    factors = [test.partition.omega_n**3 / (test.spectrum * test.length) for test in chosen]
    return np.asarray(sums * np.array(factors))


def _program(rig: str, dt: float) -> Program:
    system = rig if rig == DELAY else normalised(rig)
    return compile(with_mean_square(sdof_rths(rig=system, dt=dt, delay=dt, max_delay=LONGEST * dt, sample_time=dt)))


def _chunks(every: Sequence[VirtualTest]) -> Iterator[list[int]]:
    """Tests of one program and one length, at most TOGETHER, the longest first."""
    groups: dict[tuple[str, float, int], list[int]] = {}
    for i, test in enumerate(every):
        groups.setdefault((test.partition.rig, test.dt, test.ticks), []).append(i)
    for key in sorted(groups, key=lambda key: -key[2]):
        for start in range(0, len(groups[key]), TOGETHER):
            yield groups[key][start : start + TOGETHER]


def _evenly(values: Sequence[float], share: float) -> list[float]:
    count = max(2, min(len(values), round(share * len(values))))
    return [values[i] for i in np.linspace(0, len(values) - 1, count).round().astype(int)]
