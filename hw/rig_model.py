"""What a rig file says: channels with units, scales and ranges, limits, thresholds, watchdog, ramps.

    device value = scale * value + offset           value in `unit`, device value in `device_unit`

Every limit is finite and none has a default: a rig that is not described is not driven.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

UNITS = (
    "m", "mm", "cm", "in", "ft", "rad", "deg", "N", "kN", "MN", "lbf", "kip", "N m", "kN m", "kip in",
    "m/s", "mm/s", "in/s", "m/s2", "mm/s2", "in/s2", "g", "V", "mV", "mA", "A", "Pa", "kPa", "MPa", "psi", "count", "1",
)  # fmt: skip

MOST_COMMANDS, MOST_MEASURED = 16, 32
"""The channels that the guard of the loop has room for."""

LONGEST_MOVE = 500.0
"""Seconds; after 600 s a supervisor takes a ramp for one that does not end, and stops it."""

Above0 = Annotated[float, Field(gt=0.0)]
AtLeast0 = Annotated[float, Field(ge=0.0)]
Unit = Literal[UNITS]  # type: ignore[valid-type]


class Part(BaseModel):
    """A table of the file: nothing unknown, nothing converted, nothing but finite numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class Interval(Part):
    """low below high."""

    low: float
    high: float

    @model_validator(mode="after")
    def rising(self) -> Interval:
        if not self.low < self.high:
            raise ValueError(f"low must be below high, got low = {self.low:g} and high = {self.high:g}")
        return self

    def holds(self, other: Interval) -> bool:
        return self.low <= other.low and other.high <= self.high


class Soft(Interval):
    """What a command may do; a sample beyond is refused and the test pauses."""

    velocity: Above0
    acceleration: Above0


class Hard(Interval):
    """What a measured value may show, and how fast it may change; beyond is an emergency stop."""

    rate: Above0


class Move(Part):
    """Of the motions made without the diagram: stops, returns, ramps."""

    velocity: Above0
    acceleration: Above0


class Tracking(Part):
    """Allowed difference of command and measured value: max(least, most |v| / soft velocity)."""

    least: Above0
    most: Above0


class Channel(Part):
    """A channel of the device; `range` is what it can carry, in its own unit."""

    channel: Annotated[int, Field(ge=0)]
    unit: Unit
    device_unit: Unit
    scale: float
    offset: float
    range: Interval

    @model_validator(mode="after")
    def invertible(self) -> Channel:
        if self.scale == 0.0:
            raise ValueError("scale must not be 0: it is device units per unit")
        return self

    def to_device(self, value: float) -> float:
        return self.scale * value + self.offset

    def reach(self) -> Interval:
        """The device's range in our unit."""
        ends = sorted((end - self.offset) / self.scale for end in (self.range.low, self.range.high))
        return Interval(low=ends[0], high=ends[1])

    def within_reach(self, limits: Interval, name: str) -> None:
        reach = self.reach()
        if not reach.holds(limits):
            raise ValueError(
                f"{name} goes from {limits.low:g} to {limits.high:g} {self.unit}, but the range of the device is only"
                f" {reach.low:g} to {reach.high:g} {self.unit}"
            )


class Command(Channel):
    """A signal to the device: one input of the subsystem that is cut out."""

    soft: Soft
    move: Move
    home: float

    @model_validator(mode="after")
    def consistent(self) -> Command:
        self.within_reach(self.soft, "soft")
        if not self.soft.low <= self.home <= self.soft.high:
            raise ValueError(f"home = {self.home:g} lies outside soft, {self.soft.low:g} to {self.soft.high:g}")
        for key in ("velocity", "acceleration"):
            if getattr(self.move, key) > getattr(self.soft, key):
                raise ValueError(
                    f"move.{key} = {getattr(self.move, key):g} is above soft.{key} = {getattr(self.soft, key):g}"
                )
        way = self.soft.high - self.soft.low
        lasts = math.pi * max(way / (2.0 * self.move.velocity), math.sqrt(way / (2.0 * self.move.acceleration)))
        if lasts > LONGEST_MOVE:
            raise ValueError(f"a move across soft lasts {lasts:.0f} s, longer than the {LONGEST_MOVE:g} s allowed")
        return self


class Measured(Channel):
    """A signal from the device: one output of the subsystem that is cut out."""

    hard: Hard
    follows: str | None = None
    tracking: Tracking | None = None
    noise_floor: Above0 | None = None

    @model_validator(mode="after")
    def consistent(self) -> Measured:
        self.within_reach(self.hard, "hard")
        for key in ("tracking", "noise_floor"):
            if (getattr(self, key) is None) != (self.follows is None):
                raise ValueError(f"{key} belongs to follows: give both, or neither")
        return self


class Energy(Part):
    """Thresholds of the energy index, of its negative part above a floor of energy."""

    index: str
    energy: str
    floor: AtLeast0
    warn: Above0
    pause: Above0
    stop: Above0

    @model_validator(mode="after")
    def rising(self) -> Energy:
        for (low, a), (high, b) in pairwise((("warn", self.warn), ("pause", self.pause), ("stop", self.stop))):
            if not a < b:
                raise ValueError(f"{low} must be below {high}, got {a:g} and {b:g}")
        return self


class Watchdog(Part):
    """Seconds of silence: of the supervisor until the loop pauses, of the loop until the rig makes itself safe."""

    supervisor: Annotated[float, Field(ge=0.1, le=10.0)]
    device: Annotated[float, Field(gt=0.0, le=1.0)]


class FreeVibration(Part):
    """How a test ends by itself: the parameter that is faded out; mass and damping of a site on its own."""

    excitation: str
    fade: Above0
    mass: Above0
    damping: AtLeast0


class Device(Part):
    """Which driver, and where it finds its peer."""

    driver: Literal["sim", "shm", "udp"]
    address: str = ""
    key_file: str = ""

    @model_validator(mode="after")
    def reachable(self) -> Device:
        if self.driver != "sim" and not self.address:
            raise ValueError(f"driver {self.driver!r} needs an address")
        if self.driver == "udp" and not self.key_file:
            raise ValueError("driver 'udp' needs a key_file: its frames are tagged with a key")
        return self


class Rig(Part):
    """A rig file."""

    cut: Annotated[str, Field(min_length=1)]
    rate: Annotated[float, Field(gt=0.0, le=100_000.0)]
    """Ticks per second of the laboratory."""
    time_scale: Above0 = 1.0
    """Seconds in the laboratory for one of the diagram."""
    device: Device
    commands: Annotated[dict[str, Command], Field(min_length=1, max_length=MOST_COMMANDS)]
    measured: Annotated[dict[str, Measured], Field(min_length=1, max_length=MOST_MEASURED)]
    watchdog: Watchdog
    energy: Energy | None = None
    free_vibration: FreeVibration | None = None
