"""Driver "faulty": when a fault applies, and which faults are taken."""

from __future__ import annotations

import ctypes
import math
import time

import pytest
from driver_bench import (
    CALLS,
    ERROR,
    KINDS,
    NONE,
    OK,
    SAFE,
    Clock,
    DriverEnd,
    Fault,
    Link,
    free_address,
)
from faulty_bench import FROM, PAIRS, SECONDS, exchange, fault

from hybsim.runtime.c_sources import text


@pytest.mark.parametrize(("call", "kind"), [pair for pair in PAIRS if pair[0] != "open"])
def test_a_fault_of_other_ticks_or_none_changes_nothing(call, kind):
    with Link("shm", faults=[fault(call, kind, 5, 3), fault(call, kind, 0, 0)]) as link:
        assert link.driver.health() == OK
        assert link.driver.read()[0] == NONE
        for tick in (0, 1, 2, 3, 4, 8, 9):
            exchange(link, tick)
            assert (link.driver.health(), link.driver.safe()) == (OK, OK)
            assert link.peer.next().mode == SAFE
        assert link.driver.now == 0.0


def test_the_first_fault_that_applies_counts():
    with Link("shm", faults=[fault("health", "fails", 9), fault("health", "hangs"), fault("health", "NaN")]) as link:
        link.send(FROM)
        assert link.driver.health() == OK
        assert link.driver.now == pytest.approx(SECONDS)


def test_a_hang_on_a_real_clock_takes_its_time():
    real = Clock(0, 0)
    with Link("shm", faults=[fault("health", "hangs", value=0.02)], clock=ctypes.pointer(real)) as link:
        link.send(FROM)
        before = time.monotonic()
        assert link.driver.health() == OK
        assert time.monotonic() - before >= 0.02


@pytest.mark.parametrize(
    "bad", [(5, 0, 0, 1, 0.0), (0, 5, 0, 1, 0.0), (-1, 0, 0, 1, 0.0), (1, 1, 0, 1, math.nan), (1, 1, 0, 1, -1.0)]
)
def test_a_fault_that_does_not_exist_is_refused(bad):
    driver = DriverEnd("shm", free_address("shm"), faults=[Fault(*bad)])
    assert driver.open() == ERROR
    assert "Fault 0" in driver.why


def test_too_many_faults_are_refused():
    driver = DriverEnd("shm", free_address("shm"), faults=[fault("read", "fails")] * 17)
    assert driver.open() == ERROR
    assert "up to 16 faults" in driver.why


def test_every_pair_is_in_the_table():
    table = text("faulty.c").split("*/")[0]
    assert all(f"\n     {call} " in table for call in CALLS)
    assert all(kind in table for kind in KINDS)
