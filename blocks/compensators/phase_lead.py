"""Phase lead: a zero before a pole.

    command / signal = gain (lead s + 1) / (lag s + 1)

discretised by Tustin's rule, s = (2/dt) (1 - z^-1) / (1 + z^-1):

    y_k = b_0 u_k + b_1 u_{k-1} - a_1 y_{k-1}

    b_0 = gain (2 lead/dt + 1) / (2 lag/dt + 1)     b_1 = gain (1 - 2 lead/dt) / (2 lag/dt + 1)
    a_1 = (1 - 2 lag/dt) / (2 lag/dt + 1)

At low frequencies the command leads by lead - lag seconds (lags, where lead < lag) and is `gain` times the
signal; at half the sampling rate it is gain lead/lag times the signal, noise included. A lag far below half a
tick makes the command ring from tick to tick, with -(1 - 2 lag/dt) / (1 + 2 lag/dt) as ratio.

The lead (c s + d) / (s + d) of the benchmark problem has gain = 1, lead = c/d and lag = 1/d.

C. E. Silva et al., Benchmark control problem for real-time hybrid simulation, Mechanical Systems and Signal
Processing 135, 2020, 106381.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.kernel import Integer, Params, Ports, Positive, Prepared, Real, Sampled, kernel


class PhaseLead(Sampled):
    """Lead (or lag) of first order, discretised by Tustin's rule."""

    ins = Ports(signal="displacement the actuator shall have")
    outs = Ports(command="the signal, led by lead - lag seconds")
    params = Params(
        lead=Real("time constant of the zero in s", at_least=0.0),
        lag=Positive("time constant of the pole in s"),
        gain=Real("gain at rest", 1.0),
        initial=Real("signal before the first sample", 0.0),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(lead=0.02, lag=0.005)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        zero, pole = 2.0 * q.lead / dt, 2.0 * q.lag / dt
        direct = q.gain * (1.0 + zero) / (1.0 + pole)
        return Prepared(
            p=dict(b0=direct, b1=q.gain * (1.0 - zero) / (1.0 + pole), a1=(1.0 - pole) / (1.0 + pole)),
            # what is left of earlier ticks, so that a signal resting at `initial` gives gain x initial
            x=dict(carried=np.full(q.width, (q.gain - direct) * q.initial)),
            widths=dict(signal=q.width, command=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.signal)):
            y.command[i] = p.b0 * u.signal[i] + x.carried[i]

    @kernel
    def update(u, x, p):
        for i in range(len(u.signal)):
            command = p.b0 * u.signal[i] + x.carried[i]
            x.carried[i] = p.b1 * u.signal[i] - p.a1 * command
