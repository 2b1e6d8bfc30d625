"""Inverse compensation: the command for which a first-order actuator gives the signal itself.

    command_k = a x_k - (a - 1) x_{k-1},    a = 1 + delay/dt

x is the signal, and `delay` that of the actuator. The actuator assumed covers 1/a of the way to its new
command within a tick,

    x^m_{k+1} = x^m_k + (x^c_{k+1} - x^m_k) / a,    X^m / X^c = 1 / (a - (a - 1) z^-1),

and x^m = x exactly. At low frequencies that actuator is late by (a - 1) dt = `delay`, and the command leads
by as much: a straight line is led exactly. At the frequency w

    |command / x| = sqrt(1 + 4 a (a - 1) sin(w dt/2)^2)
    phase         = atan2((a - 1) sin(w dt), a - (a - 1) cos(w dt))

so that noise at half the sampling rate comes out 2 a - 1 times as large. These are the coefficients of
PREDICTOR of order 1 between neighbouring ticks. An actuator whose command is held over the tick is late by
half a tick more, which belongs into `delay`.

The paper's a counts the ticks in which the actuator gets to its command: a = 1 is no delay.

C. Chen, J. M. Ricles, Analysis of actuator delay compensation methods for real-time testing, Engineering
Structures 31(11), 2009, 2643-2655.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.kernel import Integer, Params, Ports, Prepared, Real, Sampled, kernel


class InverseCompensation(Sampled):
    """Inverse of a first-order actuator with a given delay (Chen and Ricles)."""

    ins = Ports(signal="displacement the actuator shall have")
    outs = Ports(command="command that makes up for the delay")
    params = Params(
        delay=Real("low-frequency delay of the actuator in s, (a - 1) dt", at_least=0.0),
        initial=Real("signal before the first sample", 0.0),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(delay=0.02)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(
            p=dict(lead=q.delay / dt),
            x=dict(last=np.full(q.width, q.initial)),
            widths=dict(signal=q.width, command=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.signal)):
            y.command[i] = u.signal[i] + p.lead * (u.signal[i] - x.last[i])

    @kernel
    def update(u, x, p):
        for i in range(len(u.signal)):
            x.last[i] = u.signal[i]
