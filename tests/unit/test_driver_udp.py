"""Driver "udp": the tag of a frame, and that nothing but sound frames in their order is delivered."""

from __future__ import annotations

import math
import random
import socket
import struct
import time

import pytest
from driver_bench import (
    FOLLOW,
    IDLE,
    KEY,
    NONE,
    OK,
    SAFE,
    TRIPPED,
    Link,
    eventually,
    library,
)
from hypothesis import example, given
from hypothesis import strategies as st
from udp_wire import ANSWER, COMMAND, SIZE, WATCH, Device, Wire, answer, frame, siphash

# Of the reference implementation: key 00 .. 0f, input 00, 01, .. of a length; the one of length 15 is in the paper.
PUBLISHED = {0: 0x726FDB47DD0E0E31, 1: 0x74F839C593DC67FD, 7: 0xAB0200F58B01D137, 8: 0x93F5F5799A932462,
             15: 0xA129CA6149BE45E5, 63: 0x958A324CEB064572}  # fmt: skip


def tag_of(key, data):
    return library().tag_of(key, data, len(data))


@pytest.mark.parametrize("size", PUBLISHED)
def test_the_tag_is_the_published_one(size):
    key, data = bytes(range(16)), bytes(range(size))
    assert tag_of(key, data) == PUBLISHED[size] == siphash(key, data)


@given(st.binary(min_size=16, max_size=16), st.binary(max_size=400))
def test_the_tag_agrees_with_another_implementation(key, data):
    assert tag_of(key, data) == siphash(key, data)


@pytest.fixture
def wire():
    with Wire() as made:
        yield made


def test_a_frame_made_after_the_table_is_understood(wire):
    wire.send(frame(session=7, sequence=10, tick=3, what=IDLE, values=(-0.0, math.pi)))
    got = wire.peer.next()
    assert (got.tick, got.mode, got.count, got.values[1], wire.peer.peer.session) == (3, IDLE, 2, math.pi, 7)
    assert math.copysign(1.0, got.values[0]) == -1.0


def test_an_answer_is_as_in_the_table_and_goes_to_who_asked(wire):
    wire.send(frame(session=7, sequence=10, tick=3))
    wire.peer.next()
    sequences = []
    for tick in (3, 4):
        assert wire.peer.answer(tick, (1.0, 2.0, 3.0), bits=TRIPPED) == OK
        data, sender = wire.socket.recvfrom(1000)
        assert sender == wire.place
        sequences.append(struct.unpack_from("<Q", data, 16)[0])
        stamp = data[32:40]
        made = frame(
            direction=ANSWER,
            session=7,
            sequence=sequences[-1],
            answers=10,
            tick=tick,
            what=TRIPPED,
            values=(1.0, 2.0, 3.0),
        )
        body = made[:32] + stamp + made[40:320]
        assert data == body + struct.pack("<Q", siphash(KEY, body))
    assert sequences[0] < sequences[1]


def flipped(data, place):
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


GOOD = frame(sequence=20)
BAD_COMMANDS = {
    "truncated": ("size", GOOD[:-1]),
    "empty": ("size", b""),
    "oversized": ("size", GOOD + b"\0"),
    "much too long": ("size", GOOD * 20),
    "of another version": ("magic", frame(sequence=20, magic=b"HDF2")),
    "forged with another key": ("tag", frame(sequence=20, key=bytes(16))),
    **{f"flipped in byte {i}": ("tag", flipped(GOOD, i)) for i in (4, 8, 16, 24, 32, 40, 48, 56, 64, 319, 320, 327)},
    "reflected": ("direction", frame(sequence=20, direction=ANSWER, what=0)),
    "of no direction": ("direction", frame(sequence=20, direction=0)),
    "of an older session": ("session", frame(sequence=20, session=1)),
    "of a negative session": ("session", frame(sequence=20, session=-5)),
    "replayed": ("sequence", frame(session=2, sequence=10, tick=5)),
    "reordered": ("sequence", frame(session=2, sequence=9, tick=6)),
    "of another shape": ("shape", frame(session=2, sequence=20, tick=6, values=(1.0, 2.0, 3.0))),
    "of a huge count": ("shape", frame(session=2, sequence=20, tick=6, count=2**62)),
    "of no mode": ("shape", frame(session=2, sequence=20, tick=6, what=4)),
    "of an older tick": ("tick", frame(session=2, sequence=20, tick=4)),
    "a watcher's that moves": ("shape", frame(direction=WATCH, session=2, sequence=20, tick=6)),
    "a watcher's of an older session": ("session", frame(direction=WATCH, session=1, sequence=20, what=SAFE)),
}


@pytest.mark.parametrize("name", BAD_COMMANDS)
def test_the_device_drops_a_command_that_is(wire, name):
    reason, bad = BAD_COMMANDS[name]
    wire.send(frame(session=2, sequence=10, tick=5))
    assert wire.peer.next().tick == 5
    wire.send(bad, bad)
    eventually(lambda: wire.peer.wait()[0] == OK or wire.dropped(wire.peer) == {reason: 2})
    assert wire.dropped(wire.peer) == {reason: 2}
    wire.send(frame(session=2, sequence=21, tick=6, values=(8.0, 9.0)))
    assert wire.peer.next().values[:2] == [8.0, 9.0]


@pytest.fixture
def device():
    with Device() as made:
        yield made


BAD_ANSWERS = {
    "truncated": ("size", answer(sequence=20)[:-8]),
    "oversized": ("size", answer(sequence=20) + b"\0"),
    "forged": ("tag", answer(sequence=20, key=bytes(16))),
    "a command": ("direction", answer(sequence=20, direction=COMMAND)),
    "of an older session": ("session", answer(sequence=20, session=1)),
    "of a newer session": ("session", answer(sequence=20, session=3)),
    "replayed": ("sequence", answer(sequence=10, tick=5)),
    "reordered": ("sequence", answer(sequence=9, tick=5)),
    "of another shape": ("shape", answer(sequence=20, tick=6, values=(1.0, 2.0))),
    "a stand-in of lockstep": ("shape", answer(sequence=20, tick=6, what=4)),
    "of an older tick": ("tick", answer(sequence=20, tick=4)),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_the_driver_drops_an_answer_that_is(device, name):
    reason, bad = BAD_ANSWERS[name]
    device.send(answer(sequence=10, tick=5))
    assert device.news().tick == 5
    device.send(bad, bad)
    eventually(lambda: device.driver.read()[0] == OK or device.dropped(device.driver) == {reason: 2})
    assert device.dropped(device.driver) == {reason: 2}
    device.send(answer(sequence=21, tick=6))
    assert device.news().tick == 6


def test_what_the_driver_sends_is_refused_when_it_comes_back(device):
    device.send(device.hear(1))
    eventually(lambda: device.driver.read()[0] == OK or device.dropped(device.driver))
    assert device.dropped(device.driver) == {"direction": 1}


def test_what_was_recorded_is_refused_when_it_is_sent_again():
    with Link("udp") as link, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other, Device() as tap:
        record = [tap.hear(tick) for tick in range(3)]
        for _ in range(2):
            for data in record:
                other.sendto(data, ("127.0.0.1", int(link.address.split(":")[1])))
        seen = [link.peer.next().tick]
        eventually(lambda: seen[-1] == 2 or seen.append(link.peer.next().tick))
        eventually(lambda: link.peer.wait()[0] == OK or link.dropped(link.peer) == {"sequence": 3})
        assert link.dropped(link.peer) == {"sequence": 3}


def test_a_higher_session_is_a_new_run(wire):
    wire.send(frame(session=2, sequence=100, tick=50))
    assert wire.peer.next().tick == 50
    wire.send(frame(session=3, sequence=1, tick=0))
    assert (wire.peer.next().tick, wire.peer.peer.session) == (0, 3)
    for session in (3, 4):
        for direction in (WATCH, COMMAND):
            wire.send(frame(direction=direction, session=session, sequence=14 - session, tick=1, what=SAFE))
            assert (wire.peer.next().mode, wire.peer.peer.session) == (SAFE, session)
    assert wire.dropped(wire.peer) == {}


def test_reordered_and_lost_frames_leave_the_newest(wire):
    frames = [frame(sequence=10 + i, tick=i) for i in range(60)]
    order = random.Random(3).sample(range(60), 40)
    wire.send(*[frames[i] for i in order])
    newest = max(order)
    ticks = []
    eventually(lambda: (ticks and ticks[-1] == newest) or ticks.append(wire.peer.next().tick))
    assert ticks == sorted(set(ticks))


def test_a_watcher_reaches_the_device_with_a_sequence_of_its_own(wire):
    wire.send(frame(sequence=10**15, tick=5))
    assert wire.peer.next().mode == FOLLOW
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as watcher:
        watcher.sendto(frame(direction=WATCH, sequence=3, what=SAFE), wire.place)
        got = wire.peer.next()
        assert (got.mode, got.tick) == (SAFE, 5)
    wire.peer.answer(5)
    assert len(wire.socket.recv(1000)) == SIZE, "the answer goes to the driver"
    wire.send(frame(direction=WATCH, sequence=3, what=SAFE))
    eventually(lambda: wire.peer.wait()[0] == OK or wire.dropped(wire.peer) == {"sequence": 1})
    assert wire.dropped(wire.peer) == {"sequence": 1}


near = st.builds(
    lambda data, places, cut: bytes(b ^ places.get(i, 0) for i, b in enumerate(data))[:cut],
    st.sampled_from(
        [
            frame(session=9, sequence=10**18, key=bytes(16)),
            answer(sequence=10**18, key=bytes(16)),
            answer(sequence=99, session=9),
        ]
    ),
    st.dictionaries(st.integers(0, SIZE - 1), st.integers(1, 255), max_size=4),
    st.integers(SIZE - 4, SIZE),
)


@pytest.fixture(scope="module")
def fuzzed():
    with Wire() as wire, Device() as device:
        yield wire, device


@given(
    st.lists(st.one_of(st.binary(max_size=400), st.binary(min_size=SIZE, max_size=SIZE), near), min_size=1, max_size=8)
)
@example([b"", b"HDF1" * 82])
def test_random_datagrams_are_never_delivered(fuzzed, datagrams):
    for side, end, look in (
        (fuzzed[0], fuzzed[0].peer, fuzzed[0].peer.wait),
        (fuzzed[1], fuzzed[1].driver, fuzzed[1].driver.read),
    ):
        before = sum(side.dropped(end).values())
        side.send(*datagrams)
        got = []
        eventually(lambda: got.append(look()[0]) or sum(side.dropped(end).values()) >= before + len(datagrams))  # noqa: B023
        assert set(got) == {NONE}
        assert sum(side.dropped(end).values()) == before + len(datagrams)


def test_a_flood_of_rubbish_does_not_hold_read_up(device):
    for _ in range(300):
        device.send(b"rubbish")
    calls = 0
    end = time.monotonic() + 20
    while sum(device.dropped(device.driver).values()) < 100 and time.monotonic() < end:
        before = sum(device.dropped(device.driver).values())
        assert device.driver.read()[0] == NONE
        assert sum(device.dropped(device.driver).values()) - before <= 64
        calls += 1
    assert calls > 1
