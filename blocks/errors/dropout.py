"""Lost samples, one by one or in bursts: the last one received is held.

    received_k = u_k, or received_{k-1} if sample k is dropped

    P(dropped_{k+1} | dropped_k)  = 1 - 1/burst
    P(dropped_{k+1} | received_k) = probability / ((1 - probability) burst)

The share of dropped samples is `probability` from the first tick on, and the length of a burst is geometric
with the mean `burst`: Gilbert's two-state channel. burst=1 never drops two samples in a row; without `burst`
the samples are dropped independently of each other, in bursts of the mean length 1/(1 - probability). A mean
below probability/(1 - probability) cannot give that share and is refused.

Before the first sample is received, the output is `initial`. All channels of a sample are dropped together.

E. N. Gilbert, Capacity of a burst-noise channel, Bell System Technical Journal 39(5), 1960, 1253-1265.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.sources.random_numbers import seed_parameter, seeded, uniform
from hybsim.blocks.ticks import COINCIDENT
from hybsim.errors import ParameterError
from hybsim.kernel import Integer, Params, Ports, Prepared, Real, Sampled, kernel


class Dropout(Sampled):
    """Samples lost at random, one by one or in bursts; the last one received is held."""

    ins = Ports(signal="what is sent")
    outs = Ports(received="the last sample that came through", dropped="1 at ticks whose sample was lost, else 0")
    params = Params(
        probability=Real("share of the samples that is lost", at_least=0.0, below=1.0),
        burst=Real("mean number of samples lost in a row; None for independent losses", None, at_least=1.0,
                   optional=True),
        initial=Real("output before the first sample has come through", 0.0),
        seed=seed_parameter(),
        width=Integer("number of channels", 1, at_least=1),
    )  # fmt: skip
    example = dict(probability=0.1, burst=3.0, seed=1)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        received = 1.0 - q.probability
        burst = q.burst if q.burst is not None else 1.0 / received
        anew = q.probability / (received * burst)
        if anew > 1.0 + COINCIDENT:
            raise ParameterError(
                f"A share of {q.probability:g} cannot be lost in bursts of {burst:g} on average: they must be at least"
                f" {q.probability / received:g} long, or the probability at most {burst / (1.0 + burst):g}."
            )
        rng = seeded(q.seed)
        dropping = float(uniform(rng) < q.probability)
        return Prepared(
            p=dict(again=1.0 - 1.0 / burst, anew=anew),
            x=dict(rng=np.array(rng), last=np.full(q.width, q.initial), dropping=dropping),
            widths=dict(signal=q.width, received=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        y.dropped = x.dropping
        for i in range(len(u.signal)):
            y.received[i] = x.last[i] if x.dropping > 0.0 else u.signal[i]

    @kernel
    def update(u, x, p):
        if x.dropping == 0.0:
            for i in range(len(u.signal)):
                x.last[i] = u.signal[i]
        chance = uniform(x.rng)
        x.dropping = 1.0 if chance < (p.again if x.dropping > 0.0 else p.anew) else 0.0
