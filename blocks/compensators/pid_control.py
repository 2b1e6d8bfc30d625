"""PI or PID control of the tracking error, with the reference fed forward.

    command = feedforward r + Kp e + Ki integral of e + Kd s/(tau s + 1) e,    e = r - m

r reference, m measured. Integral and derivative are discretised by Tustin's rule and start at rest at zero:

    I_k = I_{k-1} + Ki dt/2 (e_k + e_{k-1})
    D_k = ((2 tau - dt) D_{k-1} + 2 Kd (e_k - e_{k-1})) / (2 tau + dt)

tau = dt/2, the least that does not ring, makes D the backward difference Kd (e_k - e_{k-1})/dt, late by half a
tick; otherwise it is late by tau.

Limits: the command is kept within [lower, upper], and `limited` is 1 while it would be outside. Against windup
the integral is conditional: while the command would be beyond a limit, an increment of I that drives it further
beyond is left out. Increments that lead back are taken, so the command leaves the limit at once.

The benchmark problem's sample controller is Kp = 2, Ki = 95/s, no feedforward, behind a PHASELEAD.

K. J. Astrom, T. Hagglund, PID Controllers, ISA, 1995, Sec. 3.5; C. E. Silva et al., Benchmark control problem for
real-time hybrid simulation, Mechanical Systems and Signal Processing 135, 2020, 106381.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from hybsim.blocks.ticks import ticks
from hybsim.errors import ParameterError
from hybsim.kernel import Integer, Params, Ports, Positive, Prepared, Real, Sampled, kernel


@kernel
def controlled(reference, measured, error_last, integral, slope, gains):
    """(command without limits, increment of the integral, D_k, error); gains are those of `prepare`, in order."""
    error = reference - measured
    gained = gains[2] * (error + error_last)
    slope = gains[3] * slope + gains[4] * (error - error_last)
    return gains[0] * reference + gains[1] * error + (integral + gained) + slope, gained, slope, error


@kernel
def excess(command, lower, upper):
    """How far a command is above the upper (> 0) or below the lower limit (< 0)."""
    return max(command - upper, 0.0) + min(command - lower, 0.0)


class PidControl(Sampled):
    """PI or PID controller with feedforward, output limits and conditional integration."""

    ins = Ports(reference="displacement the actuator shall have", measured="displacement it has")
    outs = Ports(command="command to the actuator", limited="1 while the command is at a limit, else 0")
    params = Params(
        kp=Real("proportional gain Kp", 0.0),
        ki=Real("integral gain Ki in 1/s", 0.0),
        kd=Real("derivative gain Kd in s", 0.0),
        feedforward=Real("share of the reference added to the command", 0.0),
        filter_time=Positive("time constant tau of the derivative in s; None for half a tick", None, optional=True),
        lower=Real("least command; None for no limit", None, optional=True),
        upper=Real("largest command; None for no limit", None, optional=True),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(kp=0.5, ki=10.0, feedforward=1.0, upper=2.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        lower = -math.inf if q.lower is None else q.lower
        upper = math.inf if q.upper is None else q.upper
        if not lower < upper:
            raise ParameterError(f"lower={lower:g} must be less than upper={upper:g}; give the limits in this order.")
        tau = 0.5 * dt if q.filter_time is None else q.filter_time
        if ticks(tau, dt) < 0.5:
            raise ParameterError(
                f"filter_time={tau:g} s is below half a tick, {0.5 * dt:g} s, where the derivative rings;"
                " use a longer one, or None for half a tick."
            )
        keep, kick = (2.0 * tau - dt) / (2.0 * tau + dt), 2.0 * q.kd / (2.0 * tau + dt)
        return Prepared(
            p=dict(gains=np.array([q.feedforward, q.kp, 0.5 * dt * q.ki, keep, kick]), lower=lower, upper=upper),
            x=dict(integral=np.zeros(q.width), error=np.zeros(q.width), slope=np.zeros(q.width)),
            widths=dict.fromkeys((*cls.ins, *cls.outs), q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.reference)):
            wanted, _, _, _ = controlled(u.reference[i], u.measured[i], x.error[i], x.integral[i], x.slope[i], p.gains)
            y.limited[i] = 1.0 if excess(wanted, p.lower, p.upper) != 0.0 else 0.0
            y.command[i] = min(max(wanted, p.lower), p.upper)

    @kernel
    def update(u, x, p):
        for i in range(len(u.reference)):
            wanted, gained, slope, error = controlled(
                u.reference[i], u.measured[i], x.error[i], x.integral[i], x.slope[i], p.gains
            )
            if excess(wanted, p.lower, p.upper) * gained <= 0.0:
                x.integral[i] = x.integral[i] + gained
            x.error[i] = error
            x.slope[i] = slope
