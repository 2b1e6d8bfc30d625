"""The frames of driver "udp", made after the table in udp.c and without it, and a socket in the place of either end."""

from __future__ import annotations

import socket
import struct

from driver_bench import FOLLOW, KEY, OK, DriverEnd, Link, PeerEnd, free_address

SIZE = 328
COMMAND, ANSWER, WATCH = 1, 2, 3


def siphash(key, data):
    """SipHash-2-4 as in the paper, with Python's whole numbers."""
    k0, k1 = struct.unpack("<2Q", key)
    a, b, c, d = (k ^ int.from_bytes(word, "big") for k, word in zip([k0, k1, k0, k1], [b"somepseu", b"dorandom", b"lygenera", b"tedbytes"], strict=True))  # fmt: skip
    size, ones = len(data), 2**64 - 1

    def turn(x, n):
        return (x << n | x >> 64 - n) & ones

    def rounds(number):
        nonlocal a, b, c, d
        for _ in range(number):
            a, c = a + b & ones, c + d & ones
            b, d = turn(b, 13) ^ a, turn(d, 16) ^ c
            a = turn(a, 32)
            c, a = c + b & ones, a + d & ones
            b, d = turn(b, 17) ^ c, turn(d, 21) ^ a
            c = turn(c, 32)

    data += bytes(-(size + 1) % 8) + bytes([size % 256])
    for (word,) in struct.iter_unpack("<Q", data):
        d ^= word
        rounds(2)
        a ^= word
    c ^= 255
    rounds(4)
    return a ^ b ^ c ^ d


def frame(
    *,
    direction=COMMAND,
    session=1,
    sequence=10,
    answers=0,
    tick=0,
    what=FOLLOW,
    count=None,
    values=(1.0, 2.0),
    key=KEY,
    magic=b"HDF1",
):
    """A frame after the table in udp.c, made without it."""
    count = len(values) if count is None else count
    head = struct.pack("<4sIqQQqqqq", magic, direction, session, sequence, answers, 123, tick, what, count)
    body = head + struct.pack("<32d", *values, *[0.0] * (32 - len(values)))
    return body + struct.pack("<Q", siphash(key, body))


def answer(**changes):
    return frame(**(dict(direction=ANSWER, session=2, what=0, values=(1.0, 2.0, 3.0)) | changes))


class Wire:
    """A device and whatever a socket sends to it."""

    def __init__(self):
        self.address = free_address("udp")
        self.place = ("127.0.0.1", int(self.address.split(":")[1]))
        self.peer = PeerEnd("udp", self.address)
        assert self.peer.open() == OK, self.peer.why
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.peer.close()

    def send(self, *datagrams):
        for datagram in datagrams:
            self.socket.sendto(datagram, self.place)

    dropped = Link.dropped


class Device:
    """A driver, and a socket in the place of its device."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(20)
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.driver = DriverEnd("udp", self.address, session=2)
        assert self.driver.open() == OK, self.driver.why
        self.hear(0)

    def hear(self, tick):
        assert self.driver.write(tick, (1.0, 2.0)) == OK
        data, self.back = self.socket.recvfrom(1000)
        return data

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.close()
        self.socket.close()

    def send(self, *datagrams):
        for datagram in datagrams:
            self.socket.sendto(datagram, self.back)

    dropped, news = Link.dropped, Link.news
