"""Drives an event-driven generator by hand: packets that arrive so many ticks after a request."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from one_block import made

from hybsim.blocks.generators.event_driven import EventDriven

NAMES = ("command", "mode", "request", "counter", "steps")
DT = 0.001
TARGETS = np.random.default_rng(1).normal(size=40)


def generator(cls=EventDriven, dt=DT, **parameters):
    """A generator with steps of 20 ticks; what is given takes the place of what is set here."""
    usual = dict(step_time=0.01, mass=1.0, damping=0.2, ticks_per_step=20, hold_timeout=0.05)
    return made(cls, dt, **usual | parameters)


def played(block, ticks, packets, *, force=lambda command: 0.0 * command):
    """The outputs over the ticks; `packets(tick, row)` gives (target, step) at each of them."""
    x, rows = block.getstate0(), []
    nothing = [[0.0] * block.widths["target"], 0.0, [0.0] * block.widths["force_meas"]]
    for tick in range(ticks):
        row = dict(zip(NAMES, block.output(0.0, nothing, x), strict=True))  # no input passes through
        target, step = packets(tick, row)
        x = block.next(0.0, [target, step, force(np.asarray(row["command"]))], x)
        rows.append(row)
    return SimpleNamespace(**{name: np.array([row[name] for row in rows]) for name in NAMES})


def durations(run):
    """Ticks from each target reached to the next."""
    return np.diff(np.flatnonzero(run.request))


def answering(targets, waits):
    """Packets of a coordinator that sends target n waits[n - 1] ticks after the request for it, and then no more."""
    due = []

    def packets(tick, row):
        if row["request"] == 1.0 and len(due) < len(waits):
            due.append(tick + waits[len(due)])
        sent = sum(at <= tick for at in due)
        return (targets[sent - 1], float(sent)) if sent else (0.0 * targets[0], 0.0)

    return packets
