"""Threshold: trips when a signal stays beyond a level, and stays tripped until it is rearmed or released.

    beyond_k:   s_k > level  (above),    s_k < level  (below),    |s_k| > level  (magnitude)
    trip at k:  beyond in `ticks` ticks in a row, k the last of them; decided within the tick

s signal. A single tick counts with ticks = 1. A latched trip (the default) ends only by a rising edge of `rearm`, from
0.5 or less to more, and only if the cause has cleared: the signal is back at `release` or on the safe side of it. An
edge that comes too early does nothing and is not kept: the next edge counts. A `rearm` that is high from the first
tick on is no edge. With latch=False a trip ends by itself as soon as the cause has cleared, and `rearm` is not read.

`release` is the level itself unless given: further on the safe side it is a hysteresis, against chatter.
`exceedances` is how often the signal went beyond the level, also for too few ticks to trip; `trip_time` is that of the
latest trip, and -1 before the first.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.monitors.work import copy
from hybsim.errors import ParameterError
from hybsim.kernel import Choice, Integer, Params, Ports, Prepared, Real, Sampled, State, Switch, kernel, zeros

SENSES = ("above", "below", "magnitude")


class Threshold(Sampled):
    """Trips when a signal is beyond a level for some ticks in a row; latched, or released by hysteresis."""

    ins = Ports(signal="what to watch", rearm="a rising edge ends a latched trip whose cause has cleared")
    outs = Ports(
        tripped="1 while tripped, else 0",
        trip_time="time of the latest trip in s, -1 before the first",
        exceedances="how often the signal went beyond the level",
    )
    params = Params(
        level=Real("level beyond which the signal must not stay"),
        sense=Choice("which side of the level is beyond", "magnitude", among=SENSES),
        ticks=Integer("ticks in a row beyond the level that make a trip", 1, at_least=1),
        latch=Switch("True: only `rearm` ends a trip; False: it ends when the cause has cleared", True),
        release=Real("level at which the cause has cleared; None for `level`", None, optional=True),
        width=Integer("number of channels, each with a trip of its own; one `rearm` for all", 1, at_least=1),
    )
    state = State(rearm=0.0, k=0.0)
    example = dict(level=1.0, ticks=3, latch=False, release=0.8)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        release = q.level if q.release is None else q.release
        if q.sense == "magnitude" and q.level < 0.0:
            raise ParameterError(f"A level of magnitude must not be negative, got {q.level:g}; give level=0 or more.")
        wrong = release < q.level if q.sense == "below" else release > q.level
        if wrong or (q.sense == "magnitude" and release < 0.0):
            allowed = {
                "above": f"at most {q.level:g}",
                "below": f"at least {q.level:g}",
                "magnitude": f"from 0 to {q.level:g}",
            }[q.sense]
            raise ParameterError(
                f"release={release:g} is not on the safe side of level={q.level:g} with sense={q.sense!r};"
                f" give a release {allowed}, or None."
            )
        zero = np.zeros(q.width)
        # The smaller, the safer: `below` is `above` with all signs changed.
        sign = -1.0 if q.sense == "below" else 1.0
        return Prepared(
            p=dict(level=sign * q.level, release=sign * release, sign=sign, ticks=float(q.ticks), dt=dt),
            x=dict(**cls.state, tripped=zero, trip_time=zero - 1.0, exceedances=zero, run=zero),
            widths=dict.fromkeys(("signal", *cls.outs), q.width),
            structure=dict(magnitude=int(q.sense == "magnitude"), latch=int(q.latch)),
        )

    @kernel
    def outputs(u, x, p, y):
        run = zeros(len(u.signal))
        copy(x.run, run)
        copy(x.tripped, y.tripped)
        copy(x.trip_time, y.trip_time)
        copy(x.exceedances, y.exceedances)
        may_end = 1
        if p.latch == 1:
            may_end = edge(x.rearm, u.rearm)
        for i in range(len(u.signal)):
            s = abs(u.signal[i]) if p.magnitude == 1 else p.sign * u.signal[i]
            watch(i, s, p.level, p.release, p.ticks, may_end, x.k * p.dt, run, y.tripped, y.trip_time, y.exceedances)

    @kernel
    def update(u, x, p):
        may_end = 1
        if p.latch == 1:
            may_end = edge(x.rearm, u.rearm)
        for i in range(len(u.signal)):
            s = abs(u.signal[i]) if p.magnitude == 1 else p.sign * u.signal[i]
            watch(i, s, p.level, p.release, p.ticks, may_end, x.k * p.dt, x.run, x.tripped, x.trip_time, x.exceedances)
        x.rearm = u.rearm
        x.k += 1.0


@kernel
def edge(last, now):
    """1 at a rising edge, else 0."""
    return 1 if last <= 0.5 and now > 0.5 else 0


@kernel
def watch(i, s, level, release, ticks, may_end, t, run, tripped, trip_time, exceedances):
    """Let a tick of channel i into its counts and its trip; a NaN is beyond the level and never cleared."""
    if s <= level:
        run[i] = 0.0
    else:
        if run[i] == 0.0:
            exceedances[i] = exceedances[i] + 1.0
        run[i] = run[i] + 1.0
    if tripped[i] > 0.0:
        if s <= release and may_end == 1:
            tripped[i] = 0.0
    elif run[i] >= ticks:
        tripped[i] = 1.0
        trip_time[i] = t
