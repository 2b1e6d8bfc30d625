"""Tests of the virtual rig with a log that says what it is of, and logs made from others with something changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from deployments import RIG, deployment

from hybsim.runtime.deployment import START, Deployment
from hybsim.runtime.log_about import about_test
from hybsim.runtime.log_frames import Log, LogWriter, read_log

DIAGRAM = "hybsim.diagrams.virtual_rig:virtual_rig"
FADING = """
[free_vibration]
excitation = "load.K"
fade = 0.4
mass = 0.25
damping = 0.1
"""


def described(made: Deployment, **arguments: Any) -> Deployment:
    """With the head that the command line gives it."""
    made.head = about_test(made.cut, made.rig, diagram=DIAGRAM, arguments=arguments, params=made.params, rig_file=RIG)
    return made


def logged(folder: Path, duration: float = 1.0, *, events: Any = (), params: Any = None, **arguments: Any) -> Path:
    """The log of a test on a virtual clock."""
    made = deployment(extra=FADING, **arguments)
    made.params = params or {}
    return described(made, **arguments).rehearse(folder, duration, script=[*START, *events]).log


def changed(path: Path, to: Path, change: Callable[[Log], None], **about: Any) -> Path:
    """A sound log with other content."""
    log = read_log(path)
    change(log)
    writer = LogWriter(to, names=log.names, dt=log.dt, about={**log.about, **about}, bytes_reserved=0)
    for first in range(0, len(log.rows), 200):
        writer.rows(first, log.rows[first : first + 200])
    writer.close()
    return to


def flip(name: str, tick: int, bit: int = 0) -> Callable[[Log], None]:
    """One bit of one number."""

    def change(log: Log) -> None:
        bits = log.rows.view(np.int64)
        bits[tick, log.names.index(name)] ^= np.int64(1) << bit

    return change
