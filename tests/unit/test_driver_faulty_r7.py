"""R7 at the driver: each of the 5 calls x 5 kinds of fault has the meaning in the table of faulty.c."""

from __future__ import annotations

import math

import pytest
from driver_bench import (
    COMMANDS,
    ERROR,
    FOLLOW,
    MEASURED,
    NONE,
    OK,
    SAFE,
    TRIPPED,
    DriverEnd,
    Link,
    PeerEnd,
    free_address,
)
from faulty_bench import FROM, SECONDS, TICKS, exchange, fault, up_to_the_fault


@pytest.fixture(params=["shm", "udp"])
def broken(request):
    """A link whose driver has some faults, as (call, kind, ...)."""
    links = []

    def made(*faults):
        links.append(Link(request.param, faults=[fault(*one) for one in faults]))
        assert links[-1].driver.driver.name == b"faulty"
        return links[-1]

    yield made
    for link in links:
        link.__exit__()


def refused(kind, words):
    address = free_address("shm")
    peer, driver = PeerEnd("shm", address), DriverEnd("shm", address, faults=[fault("open", kind, 50, 0)])
    assert peer.open() == OK
    assert driver.open() == ERROR
    assert "brought in" in driver.why and words in driver.why
    assert driver.write(0) == ERROR
    peer.close()


def test_open_fails():
    refused("fails", "does not open")


def test_open_of_numbers_that_are_none():
    refused("NaN", "not numbers")


def test_open_of_another_shape():
    refused("wrong shape", "another number of channels")


def test_open_of_another_run():
    refused("stale", "another run")


def test_open_hangs(broken):
    link = broken(("open", "hangs", 50, 0))
    assert link.driver.now == pytest.approx(SECONDS)
    exchange(link, 0)


def test_read_fails_and_what_came_is_lost(broken):
    link = broken(("read", "fails"))
    up_to_the_fault(link)
    for tick in (FROM, FROM + 1):
        link.send(tick)
        link.peer.answer(tick)
        assert link.driver.read()[0] == ERROR
    exchange(link, FROM + 2)
    assert link.driver.read()[0] == NONE


def during(link, call, *expected, tick=FROM):
    """What a call gives in the ticks of the fault."""
    for k in range(tick, tick + TICKS):
        link.send(k)
        assert call() in expected


def test_read_hangs(broken):
    link = broken(("read", "hangs"))
    up_to_the_fault(link)
    assert link.driver.now == 0.0
    link.send(FROM)
    assert link.driver.read()[0] == NONE
    assert link.driver.now == pytest.approx(SECONDS)
    link.send(FROM + 1)
    link.peer.answer(FROM + 1, (5.0, 6.0, 7.0))
    assert link.news().values[:3] == [5.0, 6.0, 7.0]
    after = link.driver.now
    assert after >= 2 * SECONDS
    exchange(link, FROM + 2)
    assert link.driver.now == after


def test_read_gives_nan(broken):
    link = broken(("read", "NaN"))
    up_to_the_fault(link)
    for tick in (FROM, FROM + 1):
        link.send(tick)
        assert link.driver.read()[0] == NONE, "nothing came, so nothing is made up"
        link.peer.answer(tick)
        got = link.news()
        assert (got.tick, got.count) == (tick, MEASURED)
        assert all(math.isnan(value) for value in got.values)
    exchange(link, FROM + 2)


def test_read_gives_another_shape(broken):
    link = broken(("read", "wrong shape"))
    up_to_the_fault(link)
    for tick in (FROM, FROM + 1):
        link.send(tick)
        link.peer.answer(tick)
        assert link.news().count == MEASURED - 1
    exchange(link, FROM + 2)


def test_read_is_stale(broken):
    link = broken(("read", "stale"))
    up_to_the_fault(link)
    for tick in (FROM, FROM + 1):
        link.send(tick)
        link.peer.answer(tick, (99.0, 99.0, 99.0))
        for _ in range(3):
            got = link.news()
            assert (got.tick, got.values[:3]) == (FROM - 1, [FROM - 1.0, 1.0, 2.0])
    link.send(FROM + 2)
    link.peer.answer(FROM + 2)
    while (got := link.news()).tick != FROM + 2:
        assert got.values[0] == 99.0, "what came late, at most"


def test_read_is_stale_from_the_beginning(broken):
    link = broken(("read", "stale", 0))
    link.send(0)
    link.peer.answer(0)
    assert link.driver.read()[0] == NONE


def test_write_fails_and_nothing_is_sent(broken):
    link = broken(("write", "fails"))
    up_to_the_fault(link)
    assert link.driver.write(FROM) == ERROR
    assert link.driver.write(FROM + 1) == ERROR
    assert link.peer.wait(0.002)[0] == NONE
    exchange(link, FROM + 2)


def test_write_hangs(broken):
    link = broken(("write", "hangs"))
    up_to_the_fault(link)
    assert link.driver.now == 0.0
    for i in (0, 1):
        exchange(link, FROM + i)
        assert link.driver.now == pytest.approx((i + 1) * SECONDS)
    exchange(link, FROM + 2)
    assert link.driver.now == pytest.approx(2 * SECONDS)


def test_write_sends_nan(broken):
    link = broken(("write", "NaN"))
    up_to_the_fault(link)
    for tick in (FROM, FROM + 1):
        got = link.send(tick, (1.0, 2.0))
        assert (got.tick, got.count, got.mode) == (tick, COMMANDS, FOLLOW)
        assert all(math.isnan(value) for value in got.values[:COMMANDS])
    exchange(link, FROM + 2)


def test_write_sends_another_shape_which_the_device_drops(broken):
    link = broken(("write", "wrong shape"))
    up_to_the_fault(link)
    assert link.driver.write(FROM, (1.0, 2.0)) == OK
    if link.name == "udp":
        assert link.peer.wait(0.002)[0] == NONE
    assert link.driver.write(FROM + 1, (1.0, 2.0), count=COMMANDS + 1) == OK
    got = link.peer.next()
    assert (got.tick, got.count) == (FROM + 1, COMMANDS), "one fewer than was given"
    exchange(link, FROM + 2)


def test_write_is_stale(broken):
    link = broken(("write", "stale"))
    up_to_the_fault(link)
    for tick in (FROM, FROM + 1):
        got = link.send(tick, (50.0, 50.0))
        assert (got.tick, got.values[:2]) == (FROM - 1, [FROM - 1.0, -1.0])
    exchange(link, FROM + 2)


def test_write_is_stale_from_the_beginning(broken):
    link = broken(("write", "stale", 0))
    assert link.driver.write(0) == OK
    assert link.peer.wait(0.002)[0] == NONE


def test_health_fails(broken):
    link = broken(("health", "fails"))
    up_to_the_fault(link)
    assert link.driver.health() == OK
    during(link, link.driver.health, ERROR)
    link.send(FROM + 2)
    assert link.driver.health() == OK


def test_health_hangs(broken):
    link = broken(("health", "hangs"))
    up_to_the_fault(link)
    link.driver.health()
    assert link.driver.now == 0.0
    during(link, link.driver.health, OK)
    assert link.driver.now == pytest.approx(2 * SECONDS)


@pytest.mark.parametrize("kind", ["NaN", "wrong shape"])
def test_health_is_a_status_that_does_not_exist(broken, kind):
    link = broken(("health", kind))
    up_to_the_fault(link)
    link.send(FROM)
    assert link.driver.health() not in (OK, NONE, ERROR)
    link.send(FROM + 2)
    assert link.driver.health() == OK


@pytest.mark.parametrize("before", [OK, ERROR])
def test_health_is_stale(broken, before):
    link = broken(("health", "stale"))
    up_to_the_fault(link)
    if before == ERROR:
        link.peer.answer(FROM - 1, bits=TRIPPED)
        link.news()
    assert link.driver.health() == before
    link.send(FROM)
    link.peer.answer(FROM, bits=0 if before == ERROR else TRIPPED)
    link.news()
    assert link.driver.health() == before
    link.send(FROM + 2)
    assert link.driver.health() == (OK if before == ERROR else ERROR)


def safe_arrives(link):
    status, command = link.peer.wait(0.01)
    return status == OK and command.mode == SAFE


def test_safe_fails(broken):
    link = broken(("safe", "fails"))
    up_to_the_fault(link)
    link.send(FROM)
    assert link.driver.safe() == ERROR
    assert not safe_arrives(link)
    link.send(FROM + 2)
    assert link.driver.safe() == OK
    assert link.peer.next().mode == SAFE


def test_safe_hangs(broken):
    link = broken(("safe", "hangs"))
    up_to_the_fault(link)
    link.send(FROM)
    assert link.driver.now == 0.0
    assert link.driver.safe() == OK
    assert link.driver.now == pytest.approx(SECONDS)
    assert link.peer.next().mode == SAFE


def test_safe_of_nan_arrives_but_gives_a_status_that_does_not_exist(broken):
    link = broken(("safe", "NaN"))
    up_to_the_fault(link)
    link.send(FROM)
    assert link.driver.safe() not in (OK, NONE, ERROR)
    assert link.peer.next().mode == SAFE


def test_safe_of_another_shape_does_not_arrive_and_gives_a_status_that_does_not_exist(broken):
    link = broken(("safe", "wrong shape"))
    up_to_the_fault(link)
    link.send(FROM)
    assert link.driver.safe() not in (OK, NONE, ERROR)
    assert not safe_arrives(link)


def test_safe_is_stale_says_well_and_does_nothing(broken):
    link = broken(("safe", "stale"))
    up_to_the_fault(link)
    link.send(FROM)
    assert link.driver.safe() == OK
    assert not safe_arrives(link)
