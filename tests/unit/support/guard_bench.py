"""The guard of the loop on a bench: a virtual clock, a rig that follows, and every input in reach."""

from __future__ import annotations

import ctypes
from functools import cache

from hybsim.runtime.build import load
from hybsim.runtime.c_sources import in_one
from hybsim.runtime.guard_tables import EVENTS, STATES, Config, Guard, Inputs, faults

DT = 0.001
COMMANDS, MEASURED = 2, 3  # the third sensor is a load cell: it follows no command


@cache
def library(source: str | None = None) -> ctypes.CDLL:
    return load(in_one("guard.c") if source is None else source, name="guard")


def configuration(**changes: object) -> Config:
    c = Config()
    plain = dict(
        commands=COMMANDS, measured=MEASURED, dt=DT, low=[-10.0, -5.0], high=[10.0, 5.0], velocity=[100.0, 50.0],
        acceleration=[4000.0, 2000.0], home=[0.0, 0.0], move_velocity=[50.0, 25.0],
        move_acceleration=[2000.0, 1000.0], range_low=[-15.0, -15.0, -200.0], range_high=[15.0, 15.0, 200.0],
        hard_low=[-12.0, -6.0, -100.0], hard_high=[12.0, 6.0, 100.0], hard_rate=[500.0, 500.0, 1e6],
        follows=[0, 1, -1], noise_floor=[0.01, 0.01, 0.01], error_least=[0.05, 0.05, 0.0],
        error_most=[0.5, 0.5, 0.0], energy_floor=1.0, energy_warn=0.05, energy_pause=0.1, energy_stop=0.2,
        supervisor_silence=0.5,
    )  # fmt: skip
    for name, value in (plain | changes).items():
        c[name] = value
    return c


class Bench:
    """A guard and a device that does what it is told; inputs of a tick may be overridden."""

    def __init__(self, config: Config | None = None, source: str | None = None) -> None:
        self.config, self.guard, self.lib = config or configuration(), Guard(), library(source)
        self.lib.hg_boot(ctypes.byref(self.config), ctypes.byref(self.guard))
        self.sensors = [0.0] * MEASURED
        self.noise = 1e-6
        self.sent: list[list[float]] = []

    @property
    def state(self) -> str:
        return list(STATES)[self.guard["state"]]

    @property
    def faults(self) -> list[str]:
        return faults(self.guard["faults"])

    @property
    def cause(self) -> list[str]:
        return faults(self.guard["cause"])

    @property
    def command(self) -> list[float]:
        return self.guard["command"][:COMMANDS]

    def tick(self, event: str = "NONE", wanted: list[float] | None = None, **changes: object) -> str:
        """One tick; without `wanted` the diagram, where it is asked, repeats the command."""
        inputs = Inputs()
        self.noise = -self.noise  # a sensor that lives
        healthy = dict(
            event=list(EVENTS).index(event), frame=1, healthy=1, log_ready=1, timing_passed=1, energy=10.0,
            measured=[value + self.noise for value in self.sensors],
            has_sample=self.guard["asks"], wanted=self.command if wanted is None else wanted,
        )  # fmt: skip
        for name, value in (healthy | changes).items():
            inputs[name] = value
        self.lib.hg_tick(ctypes.byref(self.config), ctypes.byref(inputs), ctypes.byref(self.guard))
        if self.guard["send"]:
            self.sent.append(self.command)
            self.sensors[:COMMANDS] = self.command
        return self.state

    def to(self, state: str) -> Bench:
        """Led to a state by the operator; a Bench for chaining."""
        way = {
            "ESTOP": [], "IDLE": ["RESET"], "CONFIGURED": ["RESET", "CONFIGURE"],
            "ARMED": ["RESET", "CONFIGURE", "ARM"], "RUNNING": ["RESET", "CONFIGURE", "ARM", "START"],
            "PAUSED": ["RESET", "CONFIGURE", "ARM", "START", "PAUSE"],
            "RAMP_DOWN": ["RESET", "CONFIGURE", "ARM", "START"], "FINISHED": ["RESET", "CONFIGURE", "ARM", "START"],
        }  # fmt: skip
        for event in way[state]:
            self.tick(event)
        if state in ("RAMP_DOWN", "FINISHED"):
            self.drive(speed=20.0, ticks=60)
            self.tick("END")
        if state == "FINISHED":
            self.idle(2000)
        assert self.state == state, f"{self.state} instead of {state}: {self.faults}"
        return self

    def drive(self, *, speed: float, ticks: int, channel: int = 0, rise: int = 20) -> None:
        """Move one channel, with a soft start."""
        for i in range(ticks):
            share = min(1.0, (i + 1) / rise)
            wanted = self.command
            wanted[channel] += share * speed * DT
            self.tick(wanted=wanted)

    def idle(self, ticks: int) -> None:
        for _ in range(ticks):
            self.tick()
