"""What a test on a rig would do, before anything moves: channels, limits, rates, build, log, margin, reactions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hybsim.hw.rig_model import Channel, Command, Rig
from hybsim.runtime import compilers
from hybsim.runtime.cut import Cut
from hybsim.runtime.deployment import MARGIN, Deployment
from hybsim.runtime.guard_tables import FAULTS, REACTIONS
from hybsim.runtime.set_up import SetUp, numbered
from hybsim.studies.deployment.margin import Margin
from hybsim.studies.outcome import Table


@dataclass(frozen=True)
class Plan:
    """Facts are pairs of a title and what there is to say; everything is also plain data in `summary`."""

    title: str
    facts: Sequence[tuple[str, str]]
    tables: Sequence[Table]
    margin: Margin
    summary: dict[str, Any] = field(repr=False)


def ramp_seconds(command: Command, rate: float) -> float:
    """How long a ramp home from the farther soft limit takes: a cosine within velocity and acceleration of `move`."""
    way = max(abs(command.soft.low - command.home), abs(command.soft.high - command.home))
    by_velocity = math.pi * way / (2.0 * command.move.velocity)
    by_acceleration = math.pi * math.sqrt(way / (2.0 * command.move.acceleration))
    return math.ceil(max(by_velocity, by_acceleration) * rate * (1.0 + 1e-9)) / rate


def stop_seconds(command: Command, rate: float) -> float:
    """How long a stop from the highest velocity allowed takes."""
    return math.ceil(command.soft.velocity / command.move.acceleration * rate * (1.0 + 1e-9)) / rate


def plan(
    deployment: Deployment, setups: tuple[SetUp, SetUp], duration: float, margin: Margin, executables: dict[str, Path]
) -> Plan:
    """Of a deployment that was checked; `executables` are those that were built, by half."""
    rig, cut = deployment.rig, deployment.cut
    name = cut.controller.graph.name
    reactions = {
        reaction: [fault for fault, (reacts, _) in FAULTS.items() if reacts == reaction] for reaction in REACTIONS
    }
    facts = [
        ("cut", _cut(deployment)),
        ("rate", _rate(rig, cut.dt)),
        ("slower clocks", _clocks(deployment)),
        ("test", _length(deployment, duration)),
        ("device", f"driver {rig.device.driver}" + (f" at {rig.device.address}" if rig.device.address else "")),
        ("watchdogs", f"the test pauses after {rig.watchdog.supervisor:g} s without a sign of the supervisor; the"
         f" device goes safe after {rig.watchdog.device:g} s without a command"),
        ("energy", _energy(rig)),
        ("free vibration", _free(rig)),
        ("log", f"{deployment.log_bytes(duration) / 2**20:.1f} MiB reserved: {len(setups[0].names)} columns at"
         f" {rig.rate:g} rows per second, {MARGIN:g} s beside the test included"),
        *_build(cut, executables),
    ]  # fmt: skip
    tables = [*_commands(deployment), *_measured(deployment), _reactions(reactions)]
    summary = {
        "diagram": name, "cut": cut.name, "cut_adds_a_tick": cut.late, "dt_s": cut.dt, "rate_hz": rig.rate,
        "time_scale": rig.time_scale, "duration_s": duration, "ticks": deployment.test_ticks(duration),
        "log_bytes": deployment.log_bytes(duration), "rig": rig.model_dump(),
        "ramp_s": {key: ramp_seconds(each, rig.rate) for key, each in rig.commands.items()},
        "stop_s": {key: stop_seconds(each, rig.rate) for key, each in rig.commands.items()},
        "executables": {half: str(path) for half, path in executables.items()}, "digest": cut.whole.digest,
        "margin": {"verdict": margin.verdict, "reasons": list(margin.reasons), "numbers": margin.numbers},
        "reactions": reactions, "parameters": dict(deployment.params),
    }  # fmt: skip
    return Plan(f"{name}, cut at {cut.name}", [fact for fact in facts if fact[1]], tables, margin, summary)


# ---- facts


def _cut(deployment: Deployment) -> str:
    cut = deployment.cut
    adds = (
        "it answers within the tick, so the cut adds one tick"
        if cut.late
        else "its outputs come from its state, so the cut adds no tick"
    )
    out, into = (", ".join(port.name for port in ports) for ports in (cut.commands, cut.measured))
    return f"subsystem {cut.name}: {out} -> {into}; {adds}"


def _rate(rig: Rig, dt: float) -> str:
    text = f"{rig.rate:g} ticks per second, {dt:.6g} s of the diagram a tick"
    return text if rig.time_scale == 1.0 else f"{text}; the laboratory takes {rig.time_scale:g} times as long"


def _clocks(deployment: Deployment) -> str:
    by_every: dict[int, list[str]] = {}
    for node in deployment.cut.controller.graph.nodes:
        if node.every > 1:
            by_every.setdefault(node.every, []).append(node.name)
    return "; ".join(f"every {every} ticks {', '.join(names)}" for every, names in sorted(by_every.items())) or "none"


def _length(deployment: Deployment, duration: float) -> str:
    ticks, rig = deployment.test_ticks(duration), deployment.rig
    text = f"{duration:g} s of the diagram, {ticks} ticks"
    return text if rig.time_scale == 1.0 else f"{text}, {ticks / rig.rate:g} s in the laboratory"


def _energy(rig: Rig) -> str:
    if rig.energy is None:
        return "not watched"
    e = rig.energy
    return (
        f"negative part of {e.index}, once {e.energy} is {e.floor:g} or more: warns at {e.warn:g}, pauses at"
        f" {e.pause:g}, ramps down at {e.stop:g}"
    )


def _free(rig: Rig) -> str:
    if rig.free_vibration is None:
        return "none"
    return f"{rig.free_vibration.excitation} is faded out within {rig.free_vibration.fade:g} s when asked for"


def _build(cut: Cut, executables: dict[str, Path]) -> list[tuple[str, str]]:
    compiler = compilers.find_compiler()
    if compiler is None or not executables:
        return []
    flags = " ".join(flag for flag in compilers.flags(False) if flag not in ("-fPIC", "-shared"))
    return [
        ("build", f"{' '.join(compiler.command)} ({compiler.version}) {flags}"),
        ("program", f"{cut.whole.digest[:16]} (SHA-256 of the C source of both halves with the cut between them)"),
    ]


# ---- tables

SOFT = "A command beyond its soft limits is refused, and the test pauses."
RAMPS = "The guard's own motions. Stop: from the highest velocity. Ramp: home from the farther soft limit."


def _device(channel: Channel) -> str:
    text = f"{channel.scale:g} {channel.device_unit} per {channel.unit}"
    return text if channel.offset == 0.0 else f"{text} {channel.offset:+g} {channel.device_unit}"


def _commands(deployment: Deployment) -> list[Table]:
    rig = deployment.rig
    limits, motions = [], []
    for name in numbered(rig.commands, deployment.cut.commands, "command"):
        one = rig.commands[name]
        title, soft, move = f"{one.channel} {name} [{one.unit}]", one.soft, one.move
        limits.append((
            title, _device(one), f"{one.home:g}", f"{soft.low:g} to {soft.high:g}", f"{soft.velocity:g}",
            f"{soft.acceleration:g}",
        ))  # fmt: skip
        motions.append((
            title, f"{move.velocity:g}", f"{move.acceleration:g}", f"{stop_seconds(one, rig.rate):.3g}",
            f"{ramp_seconds(one, rig.rate):.3g}",
        ))  # fmt: skip
    return [
        Table("Commands", ("command", "device", "home", "soft limits", "velocity", "acceleration"), limits, SOFT),
        Table("Stops and ramps", ("command", "velocity", "acceleration", "stop [s]", "ramp [s]"), motions, RAMPS),
    ]


def _measured(deployment: Deployment) -> list[Table]:
    rig = deployment.rig
    rows, followed = [], []
    for name in numbered(rig.measured, deployment.cut.measured, "measured value"):
        one = rig.measured[name]
        title, reach = f"{one.channel} {name} [{one.unit}]", one.reach()
        rows.append((
            title, _device(one), f"{reach.low:g} to {reach.high:g}", f"{one.hard.low:g} to {one.hard.high:g}",
            f"{one.hard.rate:g}",
        ))  # fmt: skip
        if one.tracking is not None and one.follows is not None:
            followed.append((
                title, one.follows, f"{one.tracking.least:g}", f"{one.tracking.most:g}", f"{one.noise_floor or 0.0:g}"
            ))  # fmt: skip
    tables = [Table("Measured values", ("measured", "device", "range", "hard limits", "rate"), rows)]
    if followed:
        says = "The allowed error is the larger of that at rest and the share of that at the soft velocity."
        headings = ("measured", "follows", "error at rest", "at soft velocity", "noise floor")
        tables.append(Table("Tracking", headings, followed, says))
    return tables


def _reactions(reactions: dict[str, list[str]]) -> Table:
    rows = [
        (reaction, REACTIONS[reaction], ", ".join(fault.lower().replace("_", " ") for fault in faults))
        for reaction, faults in reversed(reactions.items())
    ]
    return Table("What the guard does", ("reaction", "what happens", "faults"), rows)
