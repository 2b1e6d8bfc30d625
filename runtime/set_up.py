"""From a cut and a rig file to the set-up of the processes: sizes, channels, the guard's limits, initial numbers.

The frames of a device carry its channels in the order of their numbers; so do the arrays of the set-up and the guard.
Of a port that carries several numbers, channel NAME[i] is number i.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hybsim.errors import ParameterError, near
from hybsim.hw.rig_model import Channel, Command, Measured, Rig
from hybsim.runtime.c_tables import Fields
from hybsim.runtime.cut import CHANNELS, Cut, CutPort
from hybsim.runtime.guard_tables import EVENTS, Config
from hybsim.runtime.program import Program
from hybsim.runtime.region import COLUMNS, LONGEST_ADDRESS, MOST_FAULTS, RIG_COLUMNS, SCRIPT, Setup

RING_SECONDS = 8.0
"""For which the ring holds rows: a logger that died has been replaced long before."""

LEAST_RING = 4096
"""Rows."""


@dataclass(frozen=True)
class Fault:
    """A fault to bring in: `call` is the driver's call, or of a virtual rig the channel (-1: all of them)."""

    call: int
    kind: int
    start: int
    ticks: int = 1
    value: float = 0.0


@dataclass(frozen=True)
class Options:
    """How a run is made; the defaults are those of a test on the rig.

    script      (tick of the loop, event) pairs, for a virtual clock
    patience    s that opening the device, and in lockstep each answer, may take
    """

    virtual_clock: bool = False
    rehearsal: bool = False
    test_ticks: int = 0
    last_tick: int = 0
    script: Sequence[tuple[int, str]] = ()
    faults: Sequence[Fault] = ()
    patience: float = 5.0
    priority: int = 80
    processor: int = -1
    session: int = field(default_factory=time.time_ns)


@dataclass(frozen=True, eq=False)
class SetUp:
    """What a region is made of, and the names of the columns of its rows."""

    setup: Fields
    guard: Fields
    p: np.ndarray
    x: np.ndarray
    names: list[str]


def numbered(channels: Mapping[str, Channel], ports: Sequence[CutPort], direction: str) -> list[str]:
    """The names of the channels in the order of their numbers, checked against the ports of the cut."""
    expected = [name for port in ports for name in port.channels]
    for name in channels:
        if name not in expected:
            raise ParameterError(
                f"The rig file has {direction} {name!r}, but the subsystem has none of that name.{near(name, expected)}"
            )
    for name in expected:
        if name not in channels:
            raise ParameterError(f"The rig file has no {direction} {name!r}, which the subsystem needs.")
    names = sorted(channels, key=lambda name: channels[name].channel)
    if [channels[name].channel for name in names] != list(range(len(names))):
        found = ", ".join(str(channels[name].channel) for name in names)
        raise ParameterError(f"The channels of {direction} must be numbered 0 to {len(names) - 1}, got {found}.")
    return names


def check_rate(cut: Cut, rig: Rig) -> None:
    """A tick of the loop is a tick of the diagram."""
    tick = cut.dt * rig.time_scale
    if abs(rig.rate * tick - 1.0) > 1e-9:
        scaled = "" if rig.time_scale == 1.0 else f" times time_scale = {rig.time_scale:g}"
        raise ParameterError(
            f"The rig file asks for {rig.rate:g} ticks per second, but the diagram's tick is {cut.dt:g} s{scaled},"
            f" which is {1.0 / tick:.9g} per second; change one of them."
        )


def guard_config(cut: Cut, rig: Rig) -> Fields:
    """The limits of the guard, in the units of the diagram and seconds of the laboratory."""
    commands = numbered(rig.commands, cut.commands, "command")
    measured = numbered(rig.measured, cut.measured, "measured value")
    out: list[Command] = [rig.commands[name] for name in commands]
    into: list[Measured] = [rig.measured[name] for name in measured]
    config = Config()
    energy = rig.energy
    fields: dict[str, Any] = dict(
        commands=len(out), measured=len(into), dt=1.0 / rig.rate,
        low=[c.soft.low for c in out], high=[c.soft.high for c in out],
        velocity=[c.soft.velocity for c in out], acceleration=[c.soft.acceleration for c in out],
        home=[c.home for c in out],
        move_velocity=[c.move.velocity for c in out], move_acceleration=[c.move.acceleration for c in out],
        range_low=[m.reach().low for m in into], range_high=[m.reach().high for m in into],
        hard_low=[m.hard.low for m in into], hard_high=[m.hard.high for m in into],
        hard_rate=[m.hard.rate for m in into],
        follows=[-1 if m.follows is None else commands.index(m.follows) for m in into],
        noise_floor=[m.noise_floor or 0.0 for m in into],
        error_least=[m.tracking.least if m.tracking else 0.0 for m in into],
        error_most=[m.tracking.most if m.tracking else 0.0 for m in into],
        energy_floor=energy.floor if energy else math.inf,
        energy_warn=energy.warn if energy else math.inf,
        energy_pause=energy.pause if energy else math.inf,
        energy_stop=energy.stop if energy else math.inf,
        supervisor_silence=rig.watchdog.supervisor,
    )  # fmt: skip
    for name, value in fields.items():
        config[name] = value
    return config


def _common(cut: Cut, rig: Rig, program: Program, options: Options) -> Fields:
    setup = Setup()
    fields: dict[str, Any] = dict(
        session=options.session, period=1.0 / rig.rate, virtual_clock=int(options.virtual_clock),
        lockstep=int(options.virtual_clock), rehearsal=int(options.rehearsal), patience=options.patience,
        test_ticks=options.test_ticks, last_tick=options.last_tick, scripted=len(options.script),
        script_tick=[tick for tick, _ in options.script],
        script_event=[list(EVENTS).index(event) for _, event in options.script],
        signals=max(program.graph.columns, 1), rows=max(LEAST_RING, math.ceil(RING_SECONDS * rig.rate)),
        priority=options.priority, processor=options.processor, watchdog=rig.watchdog.device,
        energy_column=-1, index_column=-1, fade_parameter=-1, faults=len(options.faults),
        fault_call=[f.call for f in options.faults], fault_kind=[f.kind for f in options.faults],
        fault_from=[f.start for f in options.faults], fault_ticks=[f.ticks for f in options.faults],
        fault_value=[f.value for f in options.faults], driver=rig.device.driver.encode(),
    )  # fmt: skip
    if len(options.script) > SCRIPT or len(options.faults) > MOST_FAULTS:
        raise ParameterError(f"There is room for {SCRIPT} events and {MOST_FAULTS} faults.")
    for name, value in fields.items():
        setup[name] = value
    address(setup, rig.device.address)
    if rig.device.key_file:
        setup["keyed"], setup["key"] = 1, read_key(rig.device.key_file)
    return setup


def address(setup: Fields, text: str) -> None:
    """Where the driver finds its peer."""
    if len(text.encode()) > LONGEST_ADDRESS:
        raise ParameterError(f"The address {text!r} is longer than {LONGEST_ADDRESS} characters.")
    setup["address"] = text.encode()


def read_key(path: str | Path) -> bytes:
    """The key of the frames: 32 hexadecimal digits in a file."""
    try:
        text = Path(path).read_text(encoding="ascii").strip()
        key = bytes.fromhex(text)
    except OSError as error:
        raise ParameterError(f"The key file '{path}' cannot be read: {error.strerror}.") from error
    except ValueError:
        key = b""
    if len(key) != 16:
        raise ParameterError(f"The key file '{path}' must hold 32 hexadecimal digits and nothing else.")
    return key


def _connect(setup: Fields, way: str, places: list[int], channels: Sequence[Channel], field_: str) -> None:
    setup[f"{way}s"] = len(places)
    setup[f"{way}_{field_}"] = places
    setup[f"{way}_scale"] = [c.scale for c in channels]
    # Out: x + -0.0 is x, and in: x - 0.0 is x, whatever the sign of a zero; the other way round -0.0 becomes 0.0.
    nothing = -0.0 if way == "out" else 0.0
    setup[f"{way}_offset"] = [c.offset or nothing for c in channels]


def _state_places(program: Program, ports: Sequence[CutPort], names: list[str]) -> list[int]:
    """Where in x the program takes each channel."""
    places: dict[str, int] = {}
    for port in ports:
        node = next(node for node in program.graph.nodes if node.name == CHANNELS + port.name)
        offset = program.layout.x[node.index, "value"]
        places |= {name: offset + i for i, name in enumerate(port.channels)}
    return [places[name] for name in names]


def _columns(program: Program, ports: Sequence[CutPort], names: list[str]) -> list[int]:
    """The signal of the program that each channel is."""
    places: dict[str, int] = {}
    for port in ports:
        column = program.signal(port.source).column
        places |= {name: column + i for i, name in enumerate(port.channels)}
    return [places[name] for name in names]


def signal_names(program: Program) -> list[str]:
    """One name for each logged number of a program."""
    return [
        signal.name if signal.width == 1 else f"{signal.name}[{i}]"
        for signal in program.graph.signals
        for i in range(signal.width)
    ]


def loop_set_up(cut: Cut, rig: Rig, options: Options, params: Mapping[str, Any] | None = None) -> SetUp:
    """Of the controller half."""
    check_rate(cut, rig)
    guard = guard_config(cut, rig)
    commands = numbered(rig.commands, cut.commands, "command")
    measured = numbered(rig.measured, cut.measured, "measured value")
    program = cut.controller
    setup = _common(cut, rig, program, options)
    _connect(setup, "out", _columns(program, cut.commands, commands), [rig.commands[n] for n in commands], "column")
    _connect(setup, "in", _state_places(program, cut.measured, measured), [rig.measured[n] for n in measured], "state")
    if rig.energy is not None:
        setup["energy_column"] = _single(program, rig.energy.energy, "energy.energy")
        setup["index_column"] = _single(program, rig.energy.index, "energy.index")
    if rig.free_vibration is not None:
        setup["fade_parameter"] = fading(program, rig.free_vibration.excitation)
        setup["fade_time"] = rig.free_vibration.fade
    names = [f"loop.{name}" for name in COLUMNS] + [f"command.{name}" for name in commands]
    names += [f"measured.{name}" for name in measured] + signal_names(program)
    setup["columns"] = len(_told_apart(names))
    p, x = program.vectors(params or {})
    return SetUp(setup, guard, p, x, names)


def rig_set_up(cut: Cut, rig: Rig, options: Options, params: Mapping[str, Any] | None = None) -> SetUp:
    """Of the half that was cut out: its channels are those of the controller, the other way round."""
    check_rate(cut, rig)
    commands = numbered(rig.commands, cut.commands, "command")
    measured = numbered(rig.measured, cut.measured, "measured value")
    program = cut.rig
    setup = _common(cut, rig, program, options)
    _connect(setup, "in", _state_places(program, cut.commands, commands), [rig.commands[n] for n in commands], "state")
    _connect(setup, "out", _columns(program, cut.measured, measured), [rig.measured[n] for n in measured], "column")
    setup["late"] = int(cut.late)
    names = [f"rig.{name}" for name in RIG_COLUMNS] + [f"command.{name}" for name in commands]
    names += [f"answer.{name}" for name in measured] + signal_names(program)
    setup["columns"] = len(_told_apart(names))
    p, x = program.vectors(params or {})
    return SetUp(setup, Config(), p, x, names)


def _told_apart(names: list[str]) -> list[str]:
    """The columns of a log, refused where two have one name."""
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ParameterError(
                f"Two columns of the log would be named {name!r}; rename the block {name.partition('.')[0]!r}."
            )
    return names


def _single(program: Program, name: str, key: str) -> int:
    try:
        signal = program.signal(name)
    except ParameterError as error:
        raise ParameterError(f"{key} of the rig file: {error}") from None
    if signal.width != 1:
        raise ParameterError(f"{key} of the rig file: {name!r} carries {signal.width} numbers, one is needed.")
    return int(signal.column)


def fading(program: Program, name: str) -> int:
    """The place in p of the number that scales the excitation."""
    block, _, key = name.rpartition(".")
    for node in program.graph.nodes:
        if node.name == block:
            if (node.index, key) in program.layout.p and np.size(node.prepared.p[key]) == 1:
                return program.layout.p[node.index, key]
            single = [f"{block}.{k}" for k, v in node.prepared.p.items() if np.size(v) == 1]
            raise ParameterError(
                f"free_vibration.excitation of the rig file: {name!r} is not a number that the block computes with; it"
                f" has {', '.join(single) or 'none'}."
            )
    blocks = [node.name for node in program.graph.nodes]
    raise ParameterError(
        f"free_vibration.excitation of the rig file: there is no block {block!r}.{near(block, blocks)}"
    )
