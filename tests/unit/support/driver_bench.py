"""The hardware drivers on a bench: both ends of a link in one process, called through ctypes as the loop calls them."""

from __future__ import annotations

import ctypes
import itertools
import os
import re
import socket
import time
from collections.abc import Callable, Sequence
from ctypes import CFUNCTYPE, POINTER, c_char, c_char_p, c_double, c_int, c_int64, c_uint8, c_void_p
from functools import cache

from hybsim.runtime.build import load
from hybsim.runtime.c_sources import DRIVERS, in_one, text

OK, NONE, ERROR = 0, 1, -1
SAFE, IDLE, HOLD, FOLLOW = range(4)
TRIPPED, VIRTUAL, NOTHING = 1, 2, 4
CALLS = ("open", "read", "write", "health", "safe")
KINDS = ("fails", "hangs", "NaN", "wrong shape", "stale")
DROPS = ("size", "magic", "tag", "direction", "session", "sequence", "shape", "tick")
CHANNELS, WHY = 32, 200
COMMANDS, MEASURED = 2, 3
KEY = bytes(range(100, 116))
# A driver is added here: its name, and whether `faulty` without a fault is around it.
LINKS = [("shm", False), ("udp", False), ("shm", True), ("udp", True)]
LONG = 20.0  # s: after this a test gives up; nothing that works takes so long

HAMMER = """
/* Frames as fast as they go, all values of a frame alike; who reads counts those that are not. At least so many frames,
   and on until the reader had its turn: the machine may be busy. */
static int enough(int64_t tick, int64_t frames, const volatile int64_t *counts) {
    return tick >= frames && (counts[0] >= 100 || tick >= 500 * frames);
}
int64_t hammer_answers(hd_peer *peer, int64_t frames, const volatile int64_t *counts) {
    hd_answer a = {.count = 3};
    for (a.tick = 0; !enough(a.tick, frames, counts); a.tick++) {
        for (int i = 0; i < HD_CHANNELS; i++) a.values[i] = (double)a.tick;
        if (peer->answer(peer, &a) != HD_OK) return -1;
    }
    return a.tick - 1;
}
int64_t hammer_commands(hd_driver *driver, int64_t frames, const volatile int64_t *counts) {
    hd_command c = {.mode = HD_FOLLOW, .count = 2};
    for (c.tick = 0; !enough(c.tick, frames, counts); c.tick++) {
        for (int i = 0; i < HD_CHANNELS; i++) c.values[i] = (double)c.tick;
        if (driver->write(driver, &c) != HD_OK) return -1;
    }
    return c.tick - 1;
}
static int torn(int64_t tick, int64_t before, const double *values) {
    for (int i = 0; i < HD_CHANNELS; i++) if (values[i] != (double)tick) return 1;
    return tick <= before;
}
/* counts: frames read, those of them that are torn or not newer. */
int64_t drink_answers(hd_driver *driver, const volatile int64_t *over, volatile int64_t *counts) {
    hd_answer a;
    for (int64_t before = -1, last = 0; !last;) {
        last = *over;
        if (driver->read(driver, &a) != HD_OK) continue;
        counts[0]++, counts[1] += torn(a.tick, before, a.values), before = a.tick;
    }
    return a.tick;
}
int64_t drink_commands(hd_peer *peer, const volatile int64_t *over, volatile int64_t *counts) {
    hd_command c;
    for (int64_t before = -1, last = 0; !last;) {
        last = *over;
        if (peer->wait(peer, &c, 0) != HD_OK) continue;
        counts[0]++, counts[1] += torn(c.tick, before, c.values), before = c.tick;
    }
    return c.tick;
}
uint64_t tag_of(const uint8_t *key, const uint8_t *data, uint64_t size) { return hd_siphash(key, data, size); }
"""


class Command(ctypes.Structure):
    _fields_ = [("tick", c_int64), ("mode", c_int64), ("count", c_int64), ("values", c_double * CHANNELS)]


class Answer(ctypes.Structure):
    _fields_ = [("tick", c_int64), ("bits", c_int64), ("count", c_int64), ("values", c_double * CHANNELS)]


class Clock(ctypes.Structure):
    _fields_ = [("is_virtual", c_int64), ("ns", c_int64)]


class Fault(ctypes.Structure):
    _fields_ = [("call", c_int64), ("kind", c_int64), ("start", c_int64), ("ticks", c_int64), ("value", c_double)]


class Setup(ctypes.Structure):
    _fields_ = [
        ("commands", c_int64), ("measured", c_int64), ("lockstep", c_int64), ("session", c_int64),
        ("period", c_double), ("patience", c_double), ("driver", c_char_p), ("address", c_char_p),
        ("key", POINTER(c_uint8)), ("clock", POINTER(Clock)), ("faults", c_int64), ("fault", POINTER(Fault)),
    ]  # fmt: skip


class Driver(ctypes.Structure):
    pass


class Peer(ctypes.Structure):
    pass


def _call(*others: object) -> object:
    return CFUNCTYPE(c_int, c_void_p, *others)


Driver._fields_ = [
    ("name", c_char_p), ("open", _call(POINTER(Setup))), ("read", _call(POINTER(Answer))),
    ("write", _call(POINTER(Command))), ("health", _call()), ("safe", _call()), ("close", _call()),
    ("self", c_void_p), ("why", c_char * WHY),
]  # fmt: skip
Peer._fields_ = [
    ("name", c_char_p), ("open", _call(POINTER(Setup))), ("wait", _call(POINTER(Command), c_int64)),
    ("answer", _call(POINTER(Answer))), ("close", _call()), ("session", c_int64), ("self", c_void_p),
    ("why", c_char * WHY),
]  # fmt: skip


def source() -> str:
    return in_one(*DRIVERS)


@cache
def library() -> ctypes.CDLL:
    lib = load(source() + HAMMER, name="drivers")
    lib.hd_udp_dropped.restype = c_int64
    lib.hd_udp_dropped.argtypes = [c_void_p, c_int64]
    lib.tag_of.restype = ctypes.c_uint64
    for name in ("hammer_answers", "hammer_commands", "drink_answers", "drink_commands"):
        getattr(lib, name).restype = c_int64
    return lib


def values_of(enum: str) -> list[str]:
    """The names in an enum of driver.h or udp_link.h, in C's order."""
    whole = re.sub(r"/\*.*?\*/", "", text("driver.h") + text("udp_link.h"), flags=re.DOTALL)
    return next(
        [word.split("=")[0].strip() for word in body.split(",")]
        for body in re.findall(r"enum \{([^}]*)\}", whole)
        if enum in body
    )


def setup(name: str, address: str, **changes: object) -> Setup:
    """A setup, which keeps what it points to alive."""
    made = Setup(COMMANDS, MEASURED, 0, 1, 0.001, 0.0, name.encode(), address.encode())
    made.kept = [(c_uint8 * 16)(*KEY), Clock(1, 0)]
    made.key, made.clock = ctypes.cast(made.kept[0], POINTER(c_uint8)), ctypes.pointer(made.kept[1])
    faults = changes.pop("faults", None)
    if faults:
        made.kept.append((Fault * len(faults))(*faults))
        made.faults, made.fault = len(faults), ctypes.cast(made.kept[-1], POINTER(Fault))
    for field, value in changes.items():
        setattr(made, field, value)
    return made


_number = itertools.count()


def free_address(name: str) -> str:
    """An address that nobody uses."""
    if name == "shm":
        return f"test-{os.getpid()}-{next(_number)}"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def eventually(what: Callable[[], object]) -> object:
    """The first true value: a datagram may need a moment."""
    end = time.monotonic() + LONG
    while not (found := what()):
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.0002)
    return found


class DriverEnd:
    """The loop's end. `wrapped` puts driver faulty, without a fault, around it."""

    def __init__(self, name: str, address: str, *, wrapped: bool = False, **changes: object) -> None:
        self.driver, self.setup = Driver(), setup(name, address, **changes)
        found = library().hd_find_driver(ctypes.byref(self.setup), ctypes.byref(self.driver))
        assert found == 0, f"there is no driver {name}"
        if wrapped:
            library().hd_faulty_driver(ctypes.byref(self.driver))

    def _do(self, name: str, *arguments: object) -> int:
        return getattr(self.driver, name)(ctypes.addressof(self.driver), *arguments)

    def open(self) -> int:
        return self._do("open", ctypes.byref(self.setup))

    def read(self) -> tuple[int, Answer]:
        answer = Answer(-7, -7, -7)
        return self._do("read", ctypes.byref(answer)), answer

    def write(
        self, tick: int, values: Sequence[float] = (0.0, 0.0), mode: int = FOLLOW, count: int | None = None
    ) -> int:
        command = Command(tick, mode, len(values) if count is None else count, tuple(values))
        return self._do("write", ctypes.byref(command))

    def health(self) -> int:
        return self._do("health")

    def safe(self) -> int:
        return self._do("safe")

    def close(self) -> int:
        return self._do("close")

    @property
    def why(self) -> str:
        return self.driver.why.decode()

    @property
    def now(self) -> float:
        """The loop's clock, s."""
        return self.setup.kept[1].ns * 1e-9


class PeerEnd:
    """The device's end."""

    def __init__(self, name: str, address: str, **changes: object) -> None:
        self.peer, self.setup = Peer(), setup(name, address, **({"session": 0} | changes))
        assert library().hd_find_peer(ctypes.byref(self.setup), ctypes.byref(self.peer)) == 0

    def _do(self, name: str, *arguments: object) -> int:
        return getattr(self.peer, name)(ctypes.addressof(self.peer), *arguments)

    def open(self) -> int:
        return self._do("open", ctypes.byref(self.setup))

    def wait(self, seconds: float = 0.0) -> tuple[int, Command]:
        command = Command(-7, -7, -7)
        return self._do("wait", ctypes.byref(command), int(seconds * 1e9)), command

    def next(self) -> Command:
        """The next command, which must come."""
        status, command = self.wait(LONG)
        assert status == OK
        return command

    def answer(
        self, tick: int, values: Sequence[float] = (0.0, 0.0, 0.0), bits: int = VIRTUAL, count: int | None = None
    ) -> int:
        answer = Answer(tick, bits, len(values) if count is None else count, tuple(values))
        return self._do("answer", ctypes.byref(answer))

    def close(self) -> int:
        return self._do("close")

    @property
    def why(self) -> str:
        return self.peer.why.decode()


class Link:
    """Both ends, open, and closed in the end."""

    def __init__(self, name: str, *, wrapped: bool = False, **changes: object) -> None:
        self.name, self.wrapped = name, wrapped
        self.address = free_address(name)
        self.peer = PeerEnd(name, self.address, **{k: v for k, v in changes.items() if k == "lockstep"})
        assert self.peer.open() == OK, self.peer.why
        self.driver = self.another(**changes)
        assert self.driver.open() == OK, self.driver.why

    def another(self, **changes: object) -> DriverEnd:
        """A driver of the same device, not open yet."""
        return DriverEnd(self.name, self.address, wrapped=self.wrapped, **changes)

    def __enter__(self) -> Link:
        return self

    def __exit__(self, *_: object) -> None:
        self.driver.close()
        self.peer.close()

    def send(self, tick: int, values: Sequence[float] = (0.0, 0.0), **other: int) -> Command:
        """A command on its way through."""
        assert self.driver.write(tick, values, **other) == OK
        return self.peer.next()

    def news(self) -> Answer:
        """The next answer, which must come."""

        def new() -> Answer | None:
            status, answer = self.driver.read()
            assert status in (OK, NONE)
            return answer if status == OK else None

        return eventually(new)  # type: ignore[return-value]

    def dropped(self, end: DriverEnd | PeerEnd) -> dict[str, int]:
        """What the udp end has dropped, by reason; zeros are left out."""
        own = end.driver.self if isinstance(end, DriverEnd) else end.peer.self
        counts = {reason: library().hd_udp_dropped(own, i) for i, reason in enumerate(DROPS)}
        assert sum(counts.values()) == library().hd_udp_dropped(own, -1)
        return {reason: count for reason, count in counts.items() if count}
