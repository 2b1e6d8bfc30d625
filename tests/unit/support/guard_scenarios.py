"""For each row of the guard's table of faults: a scenario that meets this row and no more severe one.

A scenario leads a bench to its fault; it returns whether the guard did what the specification says, in the tick of
the fault. The reactions are written out here from the specification, not read from the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from guard_bench import COMMANDS, DT, MEASURED, Bench, configuration

from hybsim.runtime.guard_tables import Config

Scenario = Callable[[Bench], bool]
SCENARIOS: dict[str, tuple[Scenario, Config]] = {}


def scenario(name: str, **changes: object) -> Callable[[Scenario], Scenario]:
    def put(function: Scenario) -> Scenario:
        SCENARIOS[name] = function, configuration(**changes)
        return function

    return put


def paused(bench: Bench) -> bool:
    """PAUSED, and the sample of this tick was not let through."""
    return bench.state == "PAUSED" and bench.guard["advance"] == 0 and bench.guard["send"] == 1


def stopped(bench: Bench) -> bool:
    return bench.state == "ESTOP" and bench.guard["send"] == 0 and bench.guard["safe"] == 1


def ramping(bench: Bench) -> bool:
    return bench.state == "RAMP_DOWN" and bench.guard["advance"] == 0 and bench.guard["send"] == 1


def counted(bench: Bench) -> bool:
    return bench.state == "RUNNING" and sum(bench.guard["counts"]) == 1


@scenario("COMMAND_NOT_FINITE")
def _(bench: Bench) -> bool:
    bench.drive(speed=20.0, ticks=30)
    good = bench.command
    bench.tick(wanted=[good[0] + 20.0 * DT, math.nan])
    return paused(bench) and all(math.isfinite(value) for value in bench.command)


def past_the_limit(bench: Bench, channel: int, sign: int) -> bool:
    """Creep towards a soft limit; the sample that could not be stopped before it is refused."""
    for _ in range(100_000):
        wanted = bench.command
        wanted[channel] += sign * 20.0 * DT * min(1.0, len(bench.sent) / 20)
        bench.tick(wanted=wanted)
        if bench.state != "RUNNING":
            break
        if not bench.config.low[channel] <= bench.command[channel] <= bench.config.high[channel]:
            return False
    return paused(bench) and bench.cause == ["COMMAND_POSITION"]


@scenario("COMMAND_POSITION")
def _(bench: Bench) -> bool:
    return past_the_limit(bench, 0, 1)


def too_fast(bench: Bench, channel: int) -> bool:
    """The speed rises gently beyond the limit."""
    speed = 0.0
    while bench.state == "RUNNING" and speed < 2.0 * bench.config.velocity[channel]:
        speed += 0.02 * bench.config.velocity[channel]
        wanted = bench.command
        wanted[channel] += speed * DT
        bench.tick(wanted=wanted)
    return paused(bench) and 0.999 * bench.config.velocity[channel] < speed < 1.03 * bench.config.velocity[channel]


@scenario("COMMAND_VELOCITY", acceleration=[8000.0, 8000.0], low=[-1e3, -1e3], high=[1e3, 1e3],
          range_high=[1e4] * 3, hard_high=[1e4] * 3)  # fmt: skip
def _(bench: Bench) -> bool:
    return too_fast(bench, 0)


@scenario("COMMAND_ACCELERATION")
def _(bench: Bench) -> bool:
    wanted = bench.command
    wanted[0] += 1.01 * bench.config.acceleration[0] * DT**2
    bench.tick(wanted=wanted)
    return paused(bench)


def sensor(bench: Bench, channel: int, value: float) -> bool:
    measured = list(bench.sensors)
    measured[channel] = value
    bench.tick(measured=measured)
    return stopped(bench)


@scenario("MEASURED_VALUE", hard_rate=[1e9] * 3)
def _(bench: Bench) -> bool:
    return sensor(bench, 2, 101.0)


@scenario("MEASURED_RATE")
def _(bench: Bench) -> bool:
    return sensor(bench, 0, 1.01 * bench.config.hard_rate[0] * DT)


@scenario("SENSOR_NOT_FINITE")
def _(bench: Bench) -> bool:
    return sensor(bench, 2, math.nan)


@scenario("SENSOR_RANGE", hard_low=[-1e9] * 3, hard_high=[1e9] * 3, hard_rate=[1e9] * 3)
def _(bench: Bench) -> bool:
    return sensor(bench, 2, -201.0)


@scenario("SENSOR_FROZEN", error_least=[1e9] * 3)
def _(bench: Bench) -> bool:
    for i in range(200):
        wanted = bench.command
        wanted[0] += 1.0 * DT * min(1.0, i / 20)
        bench.tick(wanted=wanted, measured=[0.0, 0.0, 0.0])
        if bench.state != "RUNNING":
            break
    return stopped(bench) and 0.01 < bench.command[0] < 0.013


@scenario("TRACKING")
def _(bench: Bench) -> bool:
    for i in range(3):
        bench.tick(measured=[0.06 + 1e-6 * i, 0.0, 0.0])
        if i < 2 and bench.state != "RUNNING":
            return False
    return paused(bench)


@scenario("ENERGY_WARN")
def _(bench: Bench) -> bool:
    bench.tick(energy_index=-0.05)
    return counted(bench) and bench.guard["advance"] == 1


@scenario("ENERGY_PAUSE")
def _(bench: Bench) -> bool:
    bench.tick(energy_index=-0.1)
    return paused(bench)


@scenario("ENERGY_STOP")
def _(bench: Bench) -> bool:
    bench.tick(energy_index=-0.2)
    return ramping(bench)


@scenario("FRAME_MISSED")
def _(bench: Bench) -> bool:
    bench.tick(frame=0)
    return counted(bench) and bench.guard["advance"] == 1


def missing(bench: Bench, frames: int) -> None:
    for _ in range(frames):
        bench.tick(frame=0)


@scenario("FRAMES_MISSING")
def _(bench: Bench) -> bool:
    missing(bench, 2)
    running = bench.state == "RUNNING"
    missing(bench, 1)
    return running and paused(bench)


@scenario("FRAMES_LOST")
def _(bench: Bench) -> bool:
    missing(bench, 10)
    waited = bench.state == "PAUSED"
    missing(bench, 1)
    return waited and stopped(bench)


@scenario("OVERRUN")
def _(bench: Bench) -> bool:
    bench.tick(late=0.5 * DT)
    return counted(bench) and bench.guard["advance"] == 0 and bench.guard["held"] == 1


@scenario("OVERRUNS_IN_A_ROW")
def _(bench: Bench) -> bool:
    bench.tick(late=0.5 * DT)
    running = bench.state == "RUNNING"
    bench.tick(late=0.1 * DT)
    return running and paused(bench)


@scenario("OVERRUNS_OFTEN")
def _(bench: Bench) -> bool:
    for i in range(4):
        if bench.state != "RUNNING":
            return False
        bench.idle(100)
        bench.tick(late=0.1 * DT)
        if i < 3 and bench.state != "RUNNING":
            return False
    return paused(bench)


@scenario("DRIVER_ERROR")
def _(bench: Bench) -> bool:
    bench.tick(driver_error=1)
    return stopped(bench)


@scenario("DRIVER_HANG")
def _(bench: Bench) -> bool:
    bench.tick(driver_time=2.0 * DT)
    running = bench.state == "RUNNING"
    bench.tick(driver_time=2.01 * DT)
    return running and stopped(bench)


@scenario("TARGET_LATE")
def _(bench: Bench) -> bool:
    bench.tick(target_late=1)
    return ramping(bench)


@scenario("SUPERVISOR_SILENT")
def _(bench: Bench) -> bool:
    bench.tick(supervisor_age=0.5)
    running = bench.state == "RUNNING"
    bench.tick(supervisor_age=0.501)
    return running and paused(bench)


@scenario("LOG_FULL")
def _(bench: Bench) -> bool:
    bench.tick(log_full=1)
    return ramping(bench)


def play(name: str, source: str | None = None) -> bool:
    """One scenario, from RUNNING, against a guard of this source."""
    function, config = SCENARIOS[name]
    bench = Bench(config, source).to("RUNNING")
    # Arming met nothing yet: the counts begin with the scenario.
    assert sum(bench.guard["counts"]) == 0, bench.faults
    return function(bench)


__all__ = ["COMMANDS", "MEASURED", "SCENARIOS", "past_the_limit", "paused", "play", "sensor", "stopped", "too_fast"]
