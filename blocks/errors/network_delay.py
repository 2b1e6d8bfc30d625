"""Transport over a network: every packet has a random delay of its own.

    packet s leaves at tick s = 0, interval, 2 interval, ... with u_s
    it arrives at tick s + ceil(D_s / dt),   D_s ~ F, independent,   D_s <= max_delay
    received_k = u_s with the newest s that has arrived by tick k,   age_k = (k - s) dt

A packet takes at least one tick, so the input never passes through within a tick. Packets overtaken by newer
ones are dropped. Before the first arrival, `initial` is shown and its age counts from the first tick. The
channels travel in one packet.

    uniform      between minimum and maximum
    exponential  minimum + exponential of mean (mean - minimum)
    lognormal    minimum + lognormal; mean and deviation of the whole delay
    normal       mean and deviation, confined to minimum and max_delay
    discrete     `delays` with their `probabilities`

A draw beyond max_delay is drawn again: the distribution is truncated there, and mean and deviation are those
before truncation. One with less than half its mass between minimum and max_delay is refused.

EERC Sec. 5.4.2 and Fig. 5-12d: 500 steps over a wide-area network took 0.286 s on average, 0.16 s at least,
1.26 s at most, and 95 % of them up to 0.6 s. distribution="lognormal", minimum=0.16, mean=0.3007,
deviation=0.2333, max_delay=1.26 has these figures: truncated, its mean is 0.286 s, 95.0 % lie within 0.6 s, and
the longest of 500 is 1.20 s in the median. The tail of an exponential delay is too short: with mean=0.286 and the
same limits 97.0 % lie within 0.6 s.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from hybsim.blocks.errors.delay_distributions import PARAMETERS, within_ticks
from hybsim.blocks.errors.time_delay import behind
from hybsim.blocks.sources.random_numbers import seed_parameter, seeded, uniform
from hybsim.blocks.ticks import whole_ticks
from hybsim.kernel import (
    Choice,
    Integer,
    Params,
    Ports,
    Positive,
    Prepared,
    Real,
    Sampled,
    State,
    Vector,
    kernel,
)


class Numbers(Vector):
    """A list of numbers, or None."""

    def check(self, value: Any) -> Any:
        return None if value is None else super().check(value)


@kernel
def drawn_ticks(within, chance):
    """The first n with chance <= within[n - 1] = P(delay <= n ticks)."""
    first = 0
    last = len(within) - 1
    while first < last:
        middle = (first + last) // 2
        if chance <= within[middle]:
            last = middle
        else:
            first = middle + 1
    return first + 1


@kernel
def ahead(place, n, length):
    """The place in a ring `n` places after another."""
    return place + n if place + n < length else place + n - length


class NetworkDelay(Sampled):
    """Network with a random delay of each packet; the newest that has arrived is shown."""

    ins = Ports(signal="what to send")
    outs = Ports(
        received="the newest sample that has arrived",
        age="time since it was sent in s",
        arrived="1 at ticks at which a newer sample came, else 0",
    )
    params = Params(
        distribution=Choice("distribution of the delay", among=tuple(PARAMETERS)),
        max_delay=Positive("longest delay in s"),
        minimum=Real("shortest delay in s", 0.0, at_least=0.0),
        maximum=Positive("longest uniform delay in s", None, optional=True),
        mean=Positive("mean delay in s, the minimum included", None, optional=True),
        deviation=Positive("standard deviation of the delay in s", None, optional=True),
        delays=Numbers("the discrete delays in s", None),
        probabilities=Numbers("their probabilities, which sum to 1", None),
        interval=Positive("seconds between packets, a whole number of ticks; None for one tick", None, optional=True),
        initial=Real("output before the first arrival", 0.0),
        seed=seed_parameter(),
        width=Integer("number of channels", 1, at_least=1),
    )
    state = State(head=0.0, tick=0.0, until_next=0.0, sent=-1.0, age=0.0, arrived=0.0)
    example = dict(distribution="lognormal", minimum=0.16, mean=0.3007, deviation=0.2333, max_delay=1.26, seed=1)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        within = within_ticks(q, dt)
        interval = 1 if q.interval is None else whole_ticks("interval", q.interval, dt)
        length = len(within)
        return Prepared(
            p=dict(within=within, interval=interval, dt=dt),
            x=dict(
                rng=np.array(seeded(q.seed)),
                past=np.zeros(length * q.width),
                arriving=np.full(length, -1.0),
                shown=np.full(q.width, q.initial),
                **cls.state,
            ),
            widths=dict(signal=q.width, received=q.width),
            structure=dict(length=length, width=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(p.width):
            y.received[i] = x.shown[i]
        y.age = x.age * p.dt
        y.arrived = x.arrived

    @kernel
    def update(u, x, p):
        head = int(x.head)
        if x.until_next <= 0.0:
            x.until_next = float(p.interval)
            for i in range(p.width):
                x.past[head * p.width + i] = u.signal[i]
            # By tick of arrival: of two packets that arrive together the newer one stays.
            x.arriving[ahead(head, drawn_ticks(p.within, uniform(x.rng)), p.length)] = x.tick
        x.until_next -= 1.0
        x.tick += 1.0
        head = ahead(head, 1, p.length)
        x.head = float(head)
        x.age += 1.0
        x.arrived = 0.0
        # What is left from a round before is older than what is shown.
        if x.arriving[head] > x.sent:
            x.sent = x.arriving[head]
            x.age = x.tick - x.sent
            x.arrived = 1.0
            place = behind(head, int(x.age), p.length)
            for i in range(p.width):
                x.shown[i] = x.past[place * p.width + i]
