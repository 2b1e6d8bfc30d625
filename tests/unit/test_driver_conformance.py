"""What every driver keeps, whatever is behind it."""

from __future__ import annotations

import ctypes
import math
import struct

import pytest
from driver_bench import (
    CHANNELS,
    COMMANDS,
    ERROR,
    FOLLOW,
    HOLD,
    IDLE,
    LINKS,
    MEASURED,
    NONE,
    OK,
    SAFE,
    TRIPPED,
    VIRTUAL,
    DriverEnd,
    Link,
    PeerEnd,
    free_address,
    library,
    setup,
)

ODD = (-0.0, 5e-324, 2.2250738585072009e-308, 1.7976931348623157e308, math.inf, -math.inf, 0.1, -1 / 3)


@pytest.fixture(params=LINKS, ids=lambda kind: ("faulty " if kind[1] else "") + kind[0])
def kind(request):
    return request.param


@pytest.fixture
def link(kind):
    with Link(kind[0], wrapped=kind[1]) as made:
        yield made


def bits(values):
    return struct.pack(f"<{len(values)}d", *values)


def test_where_nothing_came_nothing_is_read(link):
    assert link.driver.read()[0] == NONE
    assert link.peer.wait()[0] == NONE
    assert link.driver.health() == OK


@pytest.mark.parametrize("mode", [IDLE, HOLD, FOLLOW, SAFE])
def test_a_command_arrives_as_it_was_sent(link, mode):
    got = link.send(17, (1.5, -2.5), mode=mode)
    assert (got.tick, got.mode, got.count, got.values[:2]) == (17, mode, 2, [1.5, -2.5])
    assert link.peer.peer.session == 1


def test_an_answer_arrives_as_it_was_sent(link):
    link.send(17)
    assert link.peer.answer(17, (1.0, 2.0, 3.0), bits=VIRTUAL) == OK
    got = link.news()
    assert (got.tick, got.bits, got.count, got.values[:3]) == (17, VIRTUAL, 3, [1.0, 2.0, 3.0])


def test_values_arrive_bit_by_bit_in_every_channel(kind):
    name, wrapped = kind
    many = [ODD[i % len(ODD)] * (1 if i < len(ODD) else 0.7) for i in range(CHANNELS)]
    address = free_address(name)
    peer = PeerEnd(name, address, commands=CHANNELS, measured=CHANNELS)
    assert peer.open() == OK
    driver = DriverEnd(name, address, wrapped=wrapped, commands=CHANNELS, measured=CHANNELS)
    assert driver.open() == OK
    link = Link.__new__(Link)
    link.driver, link.peer = driver, peer
    with link:
        assert bits(link.send(0, many).values) == bits(many)
        peer.answer(0, many[::-1])
        assert bits(link.news().values) == bits(many[::-1])


def test_nan_is_delivered_with_its_bits_since_the_guard_decides(link):
    nan = struct.unpack("<d", bytes.fromhex("efbeadde0000f87f"))[0]
    assert bits(link.send(0, (nan, 1.0)).values[:2]) == bits((nan, 1.0))
    link.peer.answer(0, (1.0, nan, 2.0))
    assert bits(link.news().values[:3]) == bits((1.0, nan, 2.0))


def test_the_newest_answer_wins_and_none_comes_twice(link):
    link.send(0)
    for value in range(10):
        link.peer.answer(0, (float(value), 0.0, 0.0))
    seen = [link.news().values[0]]
    while seen[-1] != 9.0:
        seen.append(link.news().values[0])
    assert seen == sorted(set(seen))
    assert link.driver.read()[0] == NONE


def test_the_newest_command_wins_and_none_comes_twice(link):
    for tick in range(10):
        assert link.driver.write(tick, (float(tick), 0.0)) == OK
    seen = [link.peer.next().tick]
    while seen[-1] != 9:
        seen.append(link.peer.next().tick)
    assert seen == sorted(set(seen))
    assert link.peer.wait()[0] == NONE


def test_an_answer_may_repeat_its_tick_but_not_go_back(link):
    link.send(5)
    for _ in range(2):
        link.peer.answer(5)
        assert link.news().tick == 5
    link.peer.answer(4)
    assert link.driver.read()[0] == NONE
    link.peer.answer(6)
    assert link.news().tick == 6


def test_a_command_of_an_older_tick_is_not_delivered(link):
    link.send(5)
    link.driver.write(4)
    assert link.send(6).tick == 6
    link.driver.write(3)
    assert link.peer.wait(0.002)[0] == NONE


@pytest.mark.parametrize("count", [MEASURED - 1, MEASURED + 1, 0, -1, CHANNELS + 1, 2**62])
def test_an_answer_of_another_shape_is_never_delivered(link, count):
    link.send(0)
    link.peer.answer(0, (1.0, 2.0, 3.0), count=count)
    assert link.driver.read()[0] == NONE
    link.peer.answer(1, (4.0, 5.0, 6.0))
    assert link.news().tick == 1


@pytest.mark.parametrize("count", [COMMANDS - 1, COMMANDS + 1, 0, -1, CHANNELS + 1, 2**62])
def test_a_command_of_another_shape_is_never_delivered(link, count):
    link.driver.write(0, (1.0, 2.0), count=count)
    assert link.peer.wait(0.002)[0] == NONE
    assert link.send(1).tick == 1


@pytest.mark.parametrize("mode", [-1, 4, 2**40])
def test_a_command_of_no_known_mode_is_never_delivered(link, mode):
    link.driver.write(0, mode=mode)
    assert link.peer.wait(0.002)[0] == NONE


def test_safe_reaches_the_device_that_never_had_a_command(link):
    assert link.driver.safe() == OK
    got = link.peer.next()
    assert (got.mode, got.count) == (SAFE, COMMANDS)


def test_safe_can_be_called_again_and_again_and_keeps_the_tick(link):
    link.send(41, (3.0, 4.0))
    for _ in range(3):
        assert link.driver.safe() == OK
        got = link.peer.next()
        assert (got.mode, got.tick, got.values[:2]) == (SAFE, 41, [3.0, 4.0])
    assert link.peer.wait()[0] == NONE


def test_safe_is_not_lost_though_commands_follow_before_the_device_looks(link):
    link.send(0)
    link.driver.safe()
    link.driver.write(1)
    link.driver.write(2)
    assert link.peer.next().mode == SAFE
    got = link.peer.next()
    while got.tick != 2:
        got = link.peer.next()
    assert got.mode == FOLLOW
    assert link.peer.wait()[0] == NONE


def test_a_device_that_tripped_is_ill_until_it_was_made_safe(link):
    link.send(0)
    link.peer.answer(0, bits=VIRTUAL | TRIPPED)
    assert link.news().bits & TRIPPED
    assert link.driver.health() == ERROR
    link.driver.safe()
    assert link.peer.next().mode == SAFE
    link.peer.answer(0)
    link.news()
    assert link.driver.health() == OK


def test_a_second_driver_is_refused_and_told_why(link):
    second = link.another(session=2)
    assert second.open() == ERROR
    assert "driven" in second.why and "already" in second.why
    assert (second.write(0), second.read()[0], second.health(), second.safe()) == (ERROR,) * 4
    assert second.close() == OK
    assert link.send(0).tick == 0, "the first one is not disturbed"
    link.peer.answer(0)
    link.news()


def test_a_watcher_of_the_session_can_make_the_device_safe_and_nothing_else(link):
    watcher = link.another()
    link.send(7)
    assert watcher.open() == OK
    assert (watcher.write(8), watcher.read()[0]) == (ERROR, ERROR)
    for tick in (8, 9):
        link.driver.write(tick)
        assert watcher.safe() == OK
        link.driver.write(tick)
        modes = [link.peer.next().mode]
        while modes[-1] != SAFE:
            modes.append(link.peer.next().mode)
        assert link.send(tick).mode == FOLLOW, "the loop goes on, and the device was safe in between"
        while (left := link.peer.wait())[0] == OK:
            assert left[1].mode == FOLLOW, "once for each call"
    assert watcher.close() == OK
    link.peer.answer(9, (1.0, 2.0, 3.0))
    assert link.news().tick == 9, "answers go to the driver"


def test_it_opens_again_after_closing(link):
    for session in (1, 1, 2, 5):
        assert link.driver.close() == OK
        link.driver = link.another(session=session)
        assert link.driver.open() == OK, link.driver.why
        assert link.send(0, (9.0, 8.0)).values[:2] == [9.0, 8.0]
        assert link.peer.peer.session == session
        link.peer.answer(0, (1.0, 2.0, 3.0))
        assert link.news().values[:3] == [1.0, 2.0, 3.0]


def test_an_answer_to_the_run_before_is_never_delivered(link):
    link.send(9)
    link.peer.answer(9)
    link.driver.close()
    link.driver = link.another(session=2)
    assert link.driver.open() == OK
    link.peer.answer(9)
    assert link.driver.read()[0] == NONE
    link.send(0)
    link.peer.answer(0, (1.0, 2.0, 3.0))
    assert link.news().tick == 0


def test_a_closed_driver_only_fails(link):
    assert link.driver.close() == OK
    calls = (link.driver.write(0), link.driver.read()[0], link.driver.health(), link.driver.safe())
    assert calls == (ERROR,) * 4
    assert link.driver.close() == OK


@pytest.mark.parametrize("name", ["shm", "udp"])
@pytest.mark.parametrize(
    "changes",
    [
        dict(commands=33),
        dict(measured=-1),
        dict(patience=math.nan),
        dict(patience=-1.0),
    ],
    ids=str,
)
def test_a_setup_that_makes_no_sense_is_refused(name, changes):
    for end in (DriverEnd(name, free_address(name), **changes), PeerEnd(name, free_address(name), **changes)):
        assert end.open() == ERROR
        assert "channels" in end.why or "atience" in end.why


@pytest.mark.parametrize("name", ["shm", "udp"])
@pytest.mark.parametrize("address", [b"", None])
def test_an_address_is_needed(name, address):
    for end in (DriverEnd(name, ""), PeerEnd(name, "")):
        end.setup.address = address
        assert end.open() == ERROR
        assert f"The address of {name} is" in end.why


@pytest.mark.parametrize("name", ["", "faulty", "shm2", "simulation"])
def test_an_unknown_driver_is_not_found(name):
    for faults in ([], [(0, 0, 0, 0, 0.0)]):
        asked = setup(name, "x", faults=faults)
        assert library().hd_find_driver(ctypes.byref(asked), ctypes.create_string_buffer(1000)) == -1
        assert library().hd_find_peer(ctypes.byref(asked), ctypes.create_string_buffer(1000)) == -1
