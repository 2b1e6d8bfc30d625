"""PD servo loop of a hydraulic actuator, limited by the flow of its servo-valve.

    x' = v,   v = G (Kp e + Kd T e'),   e = command - x                    within |v| <= v_passed
    v_passed = v_max sqrt(1 - sign(v) F / F_max),   0 beyond stall         turbulent orifice under load
    T w' = command - w,   command' = (command - w) / T                     the derivative, made proper

    x    piston position           Kp, Kd   digital gains of the error and of its change over T
    F    force against the piston  G        loop gain, 1/s: valve, flow and piston area
    T    time over which the digital controller takes the change of the error

e' holds v itself, a loop that has the closed form v = (G Kp e + G Kd T command') / (1 + G Kd T); cutting that v to
what the valve passes solves the loop with the limit too. The load changes the limit, not the gain within it.

For small signals, with D = (1 + G Kd T) / (G Kp), position over command is

    H(s) = (1 + (1 + Kd/Kp) T s) / ((1 + T s) (1 + D s))

Its delay at low frequency is 1/(G Kp), whatever Kd and T. Its cut-off (gain 1/sqrt(2)) is the positive root w of
T^2 D^2 w^4 + (T^2 + D^2 - 2 (1 + Kd/Kp)^2 T^2) w^2 = 1. `small_signal`, `low_frequency_delay` and `cut_off` compute
them.

The defaults are an actuator of EERC Sec. 5.2.2 (kip, in, s): 4.22 in^2 of piston, 3000 psi of supply, a valve rated
25 gal/min at a drop of 1000 psi. Its stall force is F_max = 3000 x 4.22 = 12.66 kip. At no load the valve has the
whole 3000 psi: 25 sqrt(3) = 43.3 gal/min = 166.7 in^3/s, so v_max = 39.5 in/s. G = 1/(0.5 x 0.090 s) gives the
digital gains Kp = 0.5 and Kd = 0.25 the measured delay of 90 ms.

    Kp, Kd       measured by EERC                               this model
    0.5, 0.25    90 ms, gain 0.9 at 2 Hz and falling beyond     90 ms, gain 0.65 at 2 Hz, cut-off 1.70 Hz
    1.0, 0.5     38 ms, gain 1.1 at 2 Hz, cut-off about 5 Hz    45 ms, gain 0.85 at 2 Hz, cut-off 3.35 Hz

The filters, converters and oil that would explain the rest are not modelled. EERC gives no unit of Kd: with Kd in
seconds the delay at 2 Hz would be about a tenth of that at low frequency, but the measured phase grows in proportion
to the frequency, so Kd is taken to count changes over T. T = 10 ms is an assumption, worth 4 % of the cut-off.

`position` follows neither input within the tick; `vel` follows both, so a specimen that makes the force from `vel`
closes an algebraic loop. Integrate with ticks below T.

EERC Secs. 5.2.2, 5.2.5 and 5.5, Figs. 5-16 and 5-17; H. E. Merritt, Hydraulic Control Systems, Wiley, 1967.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from hybsim.blocks.actuators.longest_tick import warn_of_long_tick
from hybsim.kernel import Continuous, Integer, Params, Ports, Positive, Prepared, Real, kernel

CUBIC_INCHES_PER_GALLON = 231.0
PISTON_AREA = 4.22  # in^2
SUPPLY = 3.0  # ksi
RATED_FLOW = 25.0 * CUBIC_INCHES_PER_GALLON / 60.0  # in^3/s
RATED_DROP = 1.0  # ksi
MEASURED_DELAY = 0.090  # s
DIGITAL_GAINS = (0.5, 0.25)


def no_load_velocity(rated_flow: float, rated_drop: float, supply: float, area: float) -> float:
    """The flow of an orifice goes with the root of its pressure drop; at no load that is the whole supply."""
    return rated_flow * math.sqrt(supply / rated_drop) / area


def small_signal(
    proportional_gain: float, derivative_gain: float, loop_gain: float, derivative_time: float
) -> tuple[list[float], list[float]]:
    """Position over command within the limits, as (num, den) in falling powers of s."""
    lead, lag = _lead_and_lag(proportional_gain, derivative_gain, loop_gain, derivative_time)
    return [lead, 1.0], [derivative_time * lag, derivative_time + lag, 1.0]


def low_frequency_delay(proportional_gain: float, loop_gain: float) -> float:
    """The delay in s of commands far below the cut-off: 1/(G Kp)."""
    return 1.0 / (loop_gain * proportional_gain)


def cut_off(proportional_gain: float, derivative_gain: float, loop_gain: float, derivative_time: float) -> float:
    """The frequency in Hz at which the gain has fallen to 1/sqrt(2)."""
    lead, lag = _lead_and_lag(proportional_gain, derivative_gain, loop_gain, derivative_time)
    square = (derivative_time * lag) ** 2
    linear = derivative_time**2 + lag**2 - 2.0 * lead**2
    # The positive root of square w^4 + linear w^2 = 1, in the form without a difference of like numbers.
    root = math.sqrt(linear**2 + 4.0 * square)
    w_squared = 2.0 / (linear + root) if linear > 0.0 else (root - linear) / (2.0 * square)
    return math.sqrt(w_squared) / (2.0 * math.pi)


def _lead_and_lag(kp: float, kd: float, loop_gain: float, derivative_time: float) -> tuple[float, float]:
    return (1.0 + kd / kp) * derivative_time, (1.0 + loop_gain * kd * derivative_time) / (loop_gain * kp)


@kernel
def piston_velocity(error, change, force, per_error, per_change, v_max, f_max):
    """What the loop asks for, cut to what the valve passes against the force."""
    wanted = per_error * error + per_change * change
    load = force / f_max if wanted > 0.0 else -force / f_max
    passed = v_max * math.sqrt(max(0.0, 1.0 - load))
    return min(max(wanted, -passed), passed)


class ServoPd(Continuous):
    """PD servo loop of a hydraulic actuator with its limits of velocity and force."""

    ins = Ports(command="commanded position", force="force of the specimen against the piston")
    outs = Ports(position="piston position x", vel="piston velocity v")
    params = Params(
        proportional_gain=Positive("digital gain Kp of the error", DIGITAL_GAINS[0]),
        derivative_gain=Real("digital gain Kd of the error's change over T", DIGITAL_GAINS[1], at_least=0.0),
        loop_gain=Positive("loop gain G in 1/s; the delay is 1/(G Kp)", 1.0 / (DIGITAL_GAINS[0] * MEASURED_DELAY)),
        derivative_time=Positive("time T over which the change of the error is taken in s", 0.01),
        velocity_limit=Positive(
            "velocity at no load v_max", no_load_velocity(RATED_FLOW, RATED_DROP, SUPPLY, PISTON_AREA)
        ),
        force_limit=Positive("stall force F_max", SUPPLY * PISTON_AREA),
        initial=Real("position at the start, commanded and reached", 0.0),
        width=Integer("number of like actuators", 1, at_least=1),
    )
    example = dict(proportional_gain=0.5, derivative_gain=0.25)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        over = 1.0 + q.loop_gain * q.derivative_gain * q.derivative_time
        warn_of_long_tick(cls.__name__, [-1.0 / q.derivative_time, -q.loop_gain * q.proportional_gain / over], dt)
        return Prepared(
            p=dict(
                per_error=q.loop_gain * q.proportional_gain / over,
                per_change=q.loop_gain * q.derivative_gain / over,
                rate=1.0 / q.derivative_time,
                v_max=q.velocity_limit,
                f_max=q.force_limit,
            ),
            x=dict(piston=np.full(q.width, q.initial), filtered=np.full(q.width, q.initial)),
            widths=dict.fromkeys((*cls.ins, *cls.outs), q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(y.position)):
            y.position[i] = x.piston[i]
            y.vel[i] = piston_velocity(
                u.command[i] - x.piston[i], u.command[i] - x.filtered[i], u.force[i],
                p.per_error, p.per_change, p.v_max, p.f_max,
            )  # fmt: skip

    @kernel
    def derivative(u, x, p, dx):
        for i in range(len(u.command)):
            dx.piston[i] = piston_velocity(
                u.command[i] - x.piston[i], u.command[i] - x.filtered[i], u.force[i],
                p.per_error, p.per_change, p.v_max, p.f_max,
            )  # fmt: skip
            dx.filtered[i] = p.rate * (u.command[i] - x.filtered[i])
