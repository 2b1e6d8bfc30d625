"""Driver `sim` keeps the sentences of the contract that concern a device within the loop's own process.

The rig is two springs of stiffness 1, whose forces are the commands: what comes back can be compared bit by bit.
"""

from __future__ import annotations

import ctypes
import math
import struct
import uuid
from pathlib import Path

import pytest
from driver_bench import ERROR, FOLLOW, HOLD, IDLE, NONE, OK, TRIPPED, VIRTUAL, Answer, Command, Driver, setup

import hybsim as hs
from hybsim.hw.rig_file import parse_rig
from hybsim.runtime.build import load
from hybsim.runtime.c_sources import DRIVERS, in_one
from hybsim.runtime.executable import LARGER, Half
from hybsim.runtime.region import Region
from hybsim.runtime.set_up import Options, rig_set_up

DT = 0.01
CHANNEL = """
[{table}.{name}]
channel = {number}
unit = "m"
device_unit = "V"
scale = 1.0
offset = 0.0
range = {{ low = -10.0, high = 10.0 }}
"""
COMMAND = """home = 0.0
soft = { low = -5.0, high = 5.0, velocity = 1.0, acceleration = 1.0 }
move = { velocity = 1.0, acceleration = 1.0 }
"""
MEASURED = """hard = {{ low = -9.0, high = 9.0, rate = 100.0 }}
follows = "d{number}"
tracking = {{ least = 1.0, most = 1.0 }}
noise_floor = 1.0
"""
RIG = (
    f'cut = "rig"\nrate = {1 / DT}\n[device]\ndriver = "sim"\n[watchdog]\nsupervisor = 0.5\ndevice = 0.1\n'
    + "".join(CHANNEL.format(table="commands", name=f"d{i}", number=i) + COMMAND for i in range(2))
    + "".join(CHANNEL.format(table="measured", name=f"f{i}", number=i) + MEASURED.format(number=i) for i in range(2))
)


def two_springs():
    bd = hs.BDSim().blockdiagram("two_springs", dt=DT)
    sources = [bd.CONSTANT(1.0, name=f"source{i}") for i in range(2)]

    def rig(sub, d0, d1):
        return {f"f{i}": sub.SPRING(stiffness=1.0, name=f"spring{i}", inputs=[d]) for i, d in enumerate((d0, d1))}

    bd.NULL(2, name="end", inputs=[*(lambda block: (block[0], block[1]))(hs.subsystem(bd, rig, inputs=sources))])
    return hs.compile(bd).cut("rig")


@pytest.fixture(scope="module")
def library():
    half = Half(two_springs().rig, "rig").source
    return load(LARGER + "#define HD_WITH_SIM\n" + in_one(*DRIVERS, "sim.c") + half, name="sim")


@pytest.fixture
def region():
    made = rig_set_up(two_springs(), parse_rig(RIG), Options(virtual_clock=True))
    path = Path("/dev/shm") / f"hybsim-test-{uuid.uuid4().hex}"
    with Region.create(path, made.setup, made.guard, made.p, made.x) as region:
        yield region
    path.unlink()


class End:
    """The driver as the loop calls it."""

    def __init__(self, library, region) -> None:
        self.driver, self.setup = Driver(), setup("sim", str(region.path), commands=2, measured=2)
        assert library.hd_find_driver(ctypes.byref(self.setup), ctypes.byref(self.driver)) == 0
        assert self.call("open", ctypes.byref(self.setup)) == OK

    def call(self, name, *arguments):
        return getattr(self.driver, name)(ctypes.addressof(self.driver), *arguments)

    def write(self, tick, values, mode=FOLLOW, count=2):
        command = Command(tick, mode, count)
        command.values[: len(values)] = values
        return self.call("write", ctypes.byref(command))

    def read(self):
        answer = Answer()
        return self.call("read", ctypes.byref(answer)), answer


@pytest.fixture
def end(library, region):
    made = End(library, region)
    yield made
    assert made.call("close") == OK


def live(end):
    """Reset, and held at home."""
    end.write(0, (0.0, 0.0), mode=IDLE)
    end.write(1, (0.0, 0.0), mode=HOLD)
    assert end.read()[0] == OK


def test_where_nothing_was_written_nothing_is_read(end):
    assert end.read()[0] == NONE and end.call("health") == OK


@pytest.mark.parametrize("values", [(1.5, -2.5), (-0.0, 5e-324), (0.1, -1 / 3)])
def test_values_arrive_bit_by_bit_once_and_with_their_tick(end, values):
    live(end)
    assert end.write(7, values) == OK
    status, answer = end.read()
    assert (status, answer.tick, answer.count, answer.bits) == (OK, 7, 2, VIRTUAL)
    assert struct.pack("<2d", *answer.values[:2]) == struct.pack("<2d", *values)
    assert end.read()[0] == NONE


def test_a_command_of_an_old_tick_is_not_answered(end):
    live(end)
    end.write(7, (1.0, 1.0))
    end.read()
    assert end.write(7, (2.0, 2.0)) == OK
    assert end.read()[0] == NONE


@pytest.mark.parametrize(
    "values, count", [((math.nan, 0.0), 2), ((math.inf, 0.0), 2), ((1.0, 1.0), 1), ((1.0, 1.0), 3)]
)
def test_a_command_that_is_none_trips_the_rig_until_it_is_made_safe(end, values, count):
    live(end)
    end.write(7, (1.0, 2.0))
    end.read()
    end.write(8, values, count=count)
    assert end.read()[1].bits == VIRTUAL | TRIPPED and end.call("health") == ERROR
    end.write(9, (3.0, 3.0))
    assert end.read()[1].values[:2] == [1.0, 2.0], "held where it was"
    assert end.call("safe") == OK
    assert end.call("health") == OK


def test_a_safe_rig_moves_again_only_after_a_reset(end):
    live(end)
    end.write(7, (1.0, 2.0))
    assert end.call("safe") == OK
    end.read()
    end.write(8, (3.0, 3.0))
    answer = end.read()[1]
    assert answer.values[:2] == [1.0, 2.0] and answer.bits == VIRTUAL | TRIPPED
    end.call("safe")
    end.write(9, (0.0, 0.0), mode=IDLE)
    end.write(10, (3.0, 3.0))
    end.read()
    assert end.write(11, (4.0, 4.0)) == OK and end.read()[1].values[:2] == [4.0, 4.0]


def test_before_the_first_sample_the_model_stands_at_its_first_tick(end, region):
    live(end)
    for tick in range(2, 10):
        end.write(tick, (0.0, 0.0), mode=HOLD)
    assert region["test_tick"] == 0
    end.write(10, (0.0, 0.0), mode=FOLLOW)
    assert region["test_tick"] == 1


def test_a_model_that_is_not_there_is_refused(library, region):
    driver, made = Driver(), setup("sim", str(region.path) + "-not", commands=2, measured=2)
    library.hd_find_driver(ctypes.byref(made), ctypes.byref(driver))
    assert driver.open(ctypes.addressof(driver), ctypes.byref(made)) == ERROR
    assert b"cannot be opened" in driver.why
