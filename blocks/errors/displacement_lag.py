"""Systematic displacement error: an actuator that lags (or leads) its command.

    u_applied_i = u_i - eta_i (u_i - u_{i-1}),    eta_i = mean + sqrt(variance) noise_i

noise is a standard normal signal (NORMAL): the seed belongs to the noise, the size of the error to this
block. The error follows the increment, hence the velocity: the effective delay is mean x dt, a lead if
mean < 0.

The actuator starts at rest at the first command: u_{-1} = u_0 and no error at the first tick, also for a
structure released from a displacement.

EERC Fig. 3-5, with the sign for which a positive mean lags; variance 0.01 in Ch. 3, 0.1 in Ch. 8.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from hybsim.kernel import Integer, Params, Ports, Prepared, Real, Sampled, State, kernel


class DisplacementLag(Sampled):
    """Displacement error in proportion to the command's increment: a lag of mean x dt."""

    ins = Ports(disp_cmd="command displacement u_i", noise="standard normal signal")
    outs = Ports(applied="displacement the specimen gets")
    params = Params(
        mean=Real("mean of eta: effective delay in ticks"),
        variance=Real("variance of eta", 0.0, at_least=0.0),
        width=Integer("number of channels", 1, at_least=1),
    )
    state = State(started=0.0)
    example = dict(mean=0.2)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(
            p=dict(mean=q.mean, deviation=math.sqrt(q.variance)),
            x=dict(last=np.zeros(q.width), **cls.state),
            widths=dict(disp_cmd=q.width, noise=q.width, applied=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.disp_cmd)):
            step = u.disp_cmd[i] - x.last[i] if x.started > 0.0 else 0.0
            y.applied[i] = u.disp_cmd[i] - (p.mean + p.deviation * u.noise[i]) * step

    @kernel
    def update(u, x, p):
        for i in range(len(u.disp_cmd)):
            x.last[i] = u.disp_cmd[i]
        x.started = 1.0
