"""The record of a test in words: how it went, what was measured, what the guard saw, how well time was kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from hybsim.hw.rig_model import Interval, Rig
from hybsim.runtime.guard_tables import FAULTS
from hybsim.runtime.region import duration
from hybsim.studies.deployment import pictures
from hybsim.studies.deployment.ended import Ended
from hybsim.studies.deployment.record import ERROR, Record
from hybsim.studies.outcome import Outcome, Picture, Table

SHARES = ((0.5, "p50"), (0.99, "p99"), (0.999, "p99.9"), (1.0, "max"))


def outcome(ended: Ended, record: Record, rig: Rig, manifest: dict[str, Any]) -> Outcome:
    """A test that was made, as every study gives what it found."""
    return Outcome(
        title=f"Test of `{manifest['diagram']['name']}`, cut at `{rig.cut}`: {_verdict(ended)}",
        introduction=[_introduction(manifest, rig)],
        conclusions=conclusions(ended, record, rig),
        tables=[_states(record), *_channels(record, rig), *_counted(record), *_timing(ended)],
        pictures=list(_pictures(ended, record, rig)),
        notes=[*ended.notes, *record.problems, *NOTES, *_replay(manifest)],
        data={"states": [vars(each) | {"why": ", ".join(each.why)} for each in record.states],
              "faults": [vars(each) for each in record.counted]},
        summary=manifest,
    )  # fmt: skip


def _replay(manifest: dict[str, Any]) -> list[str]:
    """How the test is computed again from its log."""
    return (
        [f"To compute the test again from what was measured: `{command}`"]
        if (command := manifest.get("replay"))
        else []
    )


def fault_words(names: Sequence[str]) -> str:
    return ", ".join(name.lower().replace("_", " ") for name in names)


def _verdict(ended: Ended) -> str:
    if ended.finished:
        return "finished"
    why = f" ({fault_words(ended.causes)})" if ended.causes else ""
    words = {
        "FINISHED": "ended early, at the home position", "ESTOP": "emergency stop",
        "CONFIGURED": "not armed", "IDLE": "not configured", "ARMED": "not started",
    }  # fmt: skip
    return words.get(ended.state, f"left in {ended.state}") + why


def _introduction(manifest: dict[str, Any], rig: Rig) -> str:
    how = {
        "virtual clock": "against a virtual rig on a virtual clock, where no tick is late",
        "virtual rig": f"against a virtual rig in real time, {rig.rate:g} ticks per second",
        "rehearsal": f"as a rehearsal against a virtual rig, {rig.rate:g} ticks per second, late ticks counted only",
        "rig": f"on the rig, {rig.rate:g} ticks per second",
    }[manifest["how"]]
    name = manifest["diagram"]["name"]
    return f"The diagram `{name}` ran {how}. Positions, forces and limits are those of the rig file."


def conclusions(ended: Ended, record: Record, rig: Rig) -> list[str]:
    """What a reader should know first."""
    say = [
        f"{_verdict(ended).capitalize()}: {ended.test_ticks} of {ended.planned_ticks} ticks of the diagram were run."
    ]
    say += [f"Cause: {FAULTS[name][1]}." for name in ended.causes if name in FAULTS]
    if ended.interrupted:
        say.append("The operator ended it.")
    lost = f"{ended.lost} rows of the log are lost" if ended.lost else "no row of the log is lost"
    say.append(f"{record.rows} ticks of the loop were logged, {lost}.")
    for name, share in record.worst_share.items():
        worst = record.extremes[ERROR + name].high
        unit = rig.measured[name].unit
        say.append(
            f"`{name}` was off its command by {worst:.4g} {unit} at most, {100.0 * share:.3g} % of what is allowed."
        )
    if record.late:
        say.append(f"{record.late} ticks began late while the device was live.")
    return say


def _pictures(ended: Ended, record: Record, rig: Rig) -> Iterator[Picture]:
    if record.histories and record.begun is not None:
        yield Picture("positions", "Commands and measured positions", SHADED, partial(pictures.positions, record, rig))
        if any(one.follows for one in rig.measured.values()):
            yield Picture("tracking", "Tracking error", TRACKED, partial(pictures.tracking, record, rig))
        if any(one.follows is None for one in rig.measured.values()):
            yield Picture("forces", "Forces and other measured values", FORCES, partial(pictures.forces, record, rig))
        if rig.energy is not None and rig.energy.index in record.histories:
            yield Picture("energy", "Energy index", ENERGY, partial(pictures.energy, record, rig))
    yield Picture("states", "States and faults", TIMELINE, partial(pictures.timeline, record, rig))
    if sum(ended.wake):
        series = [("loop", ended.wake, ended.work)]
        yield Picture("timing", "Timing of the loop", TIMING, partial(pictures.timing, series, 1.0 / rig.rate))


# ---- tables


def _states(record: Record) -> Table:
    rows = [
        (each.state.lower().replace("_", " "), f"{each.time:.3f}", f"{each.tick}", fault_words(each.why) or "–")
        for each in record.states
    ]
    return Table("How it went", ("state", "from [s]", "tick", "fault"), rows, "Time 0 is the begin of the test.")


def _channels(record: Record, rig: Rig) -> list[Table]:
    rows = []
    limits: list[tuple[str, str, str, Interval]] = [
        *((f"command.{name}", name, one.unit, one.soft) for name, one in rig.commands.items()),
        *((f"measured.{name}", name, one.unit, one.hard) for name, one in rig.measured.items()),
    ]
    for column, name, unit, within in limits:
        found = record.extremes.get(column)
        if found is not None and found.low <= found.high:
            used = max(_share(found.low, within.low), _share(found.high, within.high))
            rows.append((
                f"{name} [{unit}]", f"{found.low:.4g}", f"{found.high:.4g}", f"{within.low:g} to {within.high:g}",
                f"{100.0 * used:.3g} %",
            ))  # fmt: skip
    if not rows:
        return []
    says = "While the device was live. Limits: soft ones of commands, hard ones of measured values."
    return [Table("Channels", ("channel", "smallest", "largest", "limits", "used"), rows, says)]


def _share(value: float, limit: float) -> float:
    """How much of the way from 0 to a limit."""
    return value / limit if limit != 0.0 and value / limit > 0.0 else 0.0


def _counted(record: Record) -> list[Table]:
    if not record.counted:
        return []
    rows = [
        (each.name.lower().replace("_", " "), FAULTS[each.name][0].lower(), f"{each.ticks}", f"{each.first:.3f}")
        for each in record.counted
    ]
    return [Table("Faults", ("fault", "reaction", "ticks", "first at [s]"), rows, "While the device was live.")]


def quantiles(bins: Sequence[int]) -> list[str]:
    """Of a histogram of durations, in us."""
    return [microseconds(duration(list(bins), share)) if sum(bins) else "–" for share, _ in SHARES]


def microseconds(seconds: float) -> str:
    """Three digits, or all before the point."""
    return f"{1e6 * seconds:.3g}" if seconds < 1e-3 else f"{1e6 * seconds:.0f}"


def _timing(ended: Ended) -> list[Table]:
    if not sum(ended.wake):
        return []
    rows = [("waking up", *quantiles(ended.wake)), ("working", *quantiles(ended.work))]
    headings = ("[µs]", *(name for _, name in SHARES))
    return [Table("Timing", headings, rows, f"{ended.overruns} ticks began late, before and after the test included.")]


def plain_timing(ended: Ended) -> dict[str, Any]:
    """Quantiles in s and the bins that are not empty, by their lower edge in s."""
    from hybsim.runtime.region import edge

    def one(bins: Sequence[int]) -> dict[str, Any]:
        values = {name: duration(list(bins), share) for share, name in SHARES}
        return {
            **{f"{name}_s": value if math.isfinite(value) else None for name, value in values.items()},
            "histogram": [[edge(i), count] for i, count in enumerate(bins) if count],
        }

    return {"wake": one(ended.wake), "work": one(ended.work), "overruns": ended.overruns}


NOTES = (
    "Times are seconds of the laboratory, 0 where the test began.",
    "Histories are drawn through the smallest and the largest value of each group of ticks: no peak is left out.",
)
SHADED = "Shaded: armed (yellow), paused (orange), ramp down (blue); there the guard gives the commands."
FORCES = "What is measured beside the positions, shaded as above."
TRACKED = (
    "The error is that between what was commanded and what was measured; green is allowed. It grows with the speed."
)
ENERGY = "The guard looks at the negative part, once enough energy went into the structure. Dashed: its thresholds."
TIMELINE = (
    "Above the states. Below, each fault at its first tick, with how many ticks had it while the device was live."
)
TIMING = (
    "(a) From a deadline to waking up. (b) From there to the end of the tick. Together they must stay within a period."
)
