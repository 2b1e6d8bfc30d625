"""What `hybsim latency` found, as a table, a picture and plain data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

from hybsim.runtime.latency import Histogram, Latency
from hybsim.runtime.region import duration
from hybsim.studies.deployment.ended import lacking
from hybsim.studies.deployment.pictures import timing
from hybsim.studies.deployment.words import SHARES, microseconds, quantiles
from hybsim.studies.outcome import Outcome, Picture, Table

TAIL = 0.999


def ratio(found: Latency) -> float:
    """p99.9 of waking up, of the loop over the bare one."""
    bare = duration(found.bare.wake, TAIL)
    return duration(found.loop.wake, TAIL) / bare if bare > 0.0 else math.nan


def outcome(found: Latency, *, name: str, seconds: float, busy: int, driver: str) -> Outcome:
    """In the form in which every study gives what it found."""
    rows = [
        ("loop, waking up", *quantiles(found.loop.wake), f"{found.loop.late}"),
        ("bare loop, waking up", *quantiles(found.bare.wake), f"{found.bare.late}"),
        ("loop, working", *quantiles(found.loop.work), ""),
    ]
    took = Table(f"At {found.rate:g} ticks per second [µs]", ("", *(n for _, n in SHARES), "late"), rows, TOOK)
    tried = [
        (f"{rate:g}", f"{1e6 / rate:.4g}", microseconds(t.wake), microseconds(t.work), f"{t.overruns}",
         "yes" if t.passed else "no")
        for rate, t in found.tried
    ]  # fmt: skip
    headings = ("rate [1/s]", "period [µs]", "waking [µs]", "working [µs]", "late", "held")
    series = [("loop of the test", found.loop.wake, found.loop.work), ("bare loop", found.bare.wake, found.bare.work)]
    return Outcome(
        title=f"Latency of this machine, with `{name}` at {found.rate:g} ticks per second",
        introduction=[
            f"The loop of `{name}` runs against its virtual rig (driver {driver}) for {seconds:g} s, in turns with a"
            f" bare loop in C that does nothing but sleep until the next deadline{_load(busy)}. What both have in"
            " common is the machine; the ratio of the two is the loop's own."
        ],
        tables=[took, *([Table("Rates", headings, tried, RATES)] if tried else [])],
        pictures=[Picture("latency", "Waking up and working", PICTURE, partial(timing, series, 1.0 / found.rate))],
        notes=NOTES,
        conclusions=list(_conclusions(found)),
        data={"latency_rates": [{"rate_hz": rate, **vars(t), "held": t.passed} for rate, t in found.tried]},
        summary=summary(found, name=name, seconds=seconds, busy=busy, driver=driver),
    )


def _load(busy: int) -> str:
    if busy == 0:
        return ""
    return f", beside {busy} process{'es' if busy > 1 else ''} that only compute{'' if busy > 1 else 's'}"


def _conclusions(found: Latency) -> Iterator[str]:
    if found.held is not None:
        yield f"The highest rate that was tried and held is {found.held:g} ticks per second."
    elif found.tried:
        yield "None of the rates that were tried is held."
    yield f"p99.9 of waking up is {ratio(found):.3g} times that of the bare loop."
    wake, work = duration(found.loop.wake, TAIL), duration(found.loop.work, TAIL)
    yield (
        f"Waking up and working take {1e6 * (wake + work):.3g} µs (p99.9 of each, added) of the"
        f" {1e6 / found.rate:.4g} µs of a period."
    )
    yield from lacking(found.loop.lacking)


def summary(found: Latency, *, name: str, seconds: float, busy: int, driver: str) -> dict[str, Any]:
    """Every number by name, durations in s."""

    def one(histogram: Histogram) -> dict[str, Any]:
        kinds = {"wake": histogram.wake, "work": histogram.work}
        return {
            **{
                f"{kind}_{title.replace('.', '_')}_s": _finite(duration(bins, share))
                for kind, bins in kinds.items()
                for share, title in SHARES
            },
            "late": histogram.late,
            "ticks": sum(histogram.wake),
        }

    return {
        "diagram": name, "driver": driver, "rate_hz": found.rate, "seconds": seconds, "busy": busy,
        "loop": one(found.loop), "bare": one(found.bare), "ratio_wake_p99_9": _finite(ratio(found)),
        "held_hz": found.held, "without_real_time": lacking(found.loop.lacking | found.bare.lacking),
        "rates": [{"rate_hz": rate, "held": t.passed, "wake_s": t.wake, "work_s": t.work, "late": t.overruns}
                  for rate, t in found.tried],
    }  # fmt: skip


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


TOOK = "Waking up: from a deadline to the first instruction after it. Working: from there to the end of the tick."
RATES = "Waking: p99.9 of the bare loop at that rate. Working: p99.9 of the loop above. Held: both fit into the period."
PICTURE = "(a) From a deadline to waking up. (b) From there to the end of the tick; the bare loop has nothing to do."
NOTES = (
    "Each bin of the histograms is at most 13 % wide; a quantile is the upper edge of its bin.",
    "On a machine that others use as well, latencies of milliseconds come and go: compare the two loops, not two days.",
)
