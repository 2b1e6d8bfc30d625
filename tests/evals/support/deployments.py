"""Tests on a rig that is none: a diagram with its rig file, brought to run on a virtual clock or in real time."""

from __future__ import annotations

import itertools
import os
import socket
from pathlib import Path
from typing import Any

import numpy as np
from rig_text import RIG

import hybsim as hs
from hybsim.diagrams.virtual_rig import virtual_rig
from hybsim.hw.rig_file import parse_rig
from hybsim.runtime.deployment import Deployment, Rehearsal
from hybsim.runtime.guard_tables import EVENTS, STATES, faults
from hybsim.runtime.log_frames import Log, read_log

SLOWLY = RIG.replace("rate = 1024.0", "rate = 128.0\ntime_scale = 8.0").replace("device = 0.05", "device = 0.3")
"""The same, eight times slower than the diagram: in real time a machine that is busy with other tests keeps this."""

KEY = Path(__file__).with_name("test_only.key")

_numbers = itertools.count()


def unique(title: str) -> str:
    """An address that no other test uses."""
    return f"{title}-{os.getpid()}-{next(_numbers)}"


def free_port() -> int:
    """A port of this machine that nobody uses just now."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def deployment(driver: str = "sim", *, text: str = RIG, extra: str = "", **arguments: Any) -> Deployment:
    """diagrams.virtual_rig cut at its rig."""
    address = f"127.0.0.1:{free_port()}" if driver == "udp" else unique("test")
    filled = text.format(driver=driver, address=address) + extra
    if driver == "udp":
        filled = filled.replace("[device]", f'[device]\nkey_file = "{KEY}"')
    rig = parse_rig(filled)
    return Deployment(hs.compile(virtual_rig(**arguments)).cut(rig.cut), rig)


class Told:
    """A finished test as its log tells it."""

    def __init__(self, done: Rehearsal) -> None:
        self.done, self.log = done, read_log(done.log)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.log.column(name)

    @property
    def states(self) -> list[str]:
        """The states one after the other, without repeats."""
        names = [list(STATES)[int(number)] for number in self["loop.state"]]
        return [name for name, _ in itertools.groupby(names)]

    def first(self, state: str) -> int:
        """The tick of the loop in which a state was entered."""
        return int(np.argmax(self["loop.state"] == list(STATES).index(state)))

    def refused_at(self, tick: int) -> list[str]:
        """The event that was refused in a tick, if any."""
        number = int(self["loop.refused"][tick])
        return [list(EVENTS)[number]] if number else []

    def faults_at(self, tick: int) -> list[str]:
        return faults(int(self["loop.faults"][tick]))


def rehearsed(made: Deployment, folder: Path, duration: float = 0.5, **options: Any) -> Told:
    """A test on a virtual clock."""
    return Told(made.rehearse(folder, duration, **options))


def gapless(log: Log) -> bool:
    """Every tick of the loop is there, once."""
    return np.array_equal(log.column("loop.tick"), np.arange(len(log.rows)))
