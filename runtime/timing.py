"""Whether a machine keeps a rate: what it took to wake up and to work, against the period.

passed    p99.9 of waking + p99.9 of working <= period,    and no more late ticks than the guard lets pass
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hybsim.runtime.region import duration

TAIL = 0.999
LATE_TICKS = 3
"""In the time of a check; the guard lets as many pass in ten seconds."""


@dataclass(frozen=True)
class Timing:
    """Durations in s."""

    ticks: int
    period: float
    wake: float
    work: float
    overruns: int

    @property
    def passed(self) -> bool:
        return self.ticks > 0 and self.wake + self.work <= self.period and self.overruns <= LATE_TICKS

    def sentence(self) -> str:
        found = (
            f"waking took {1e6 * self.wake:.0f} us and working {1e6 * self.work:.0f} us (99.9 % of {self.ticks} ticks),"
            f" {self.overruns} began late; a tick has {1e6 * self.period:.0f} us"
        )
        verdict = "keeps" if self.passed else "does not keep"
        return f"The machine {verdict} {1.0 / self.period:g} ticks per second: {found}."


def judge(wake_bins: Sequence[int], work_bins: Sequence[int], overruns: int, period: float) -> Timing:
    """From the histograms of a region."""
    wake, work = list(wake_bins), list(work_bins)
    return Timing(sum(wake), period, duration(wake, TAIL), duration(work, TAIL), overruns)
