"""Event-driven command generator: a state chart that keeps the actuators moving while a target is late.

    mode                       k grows by   TimeOut                    D_update          D_target
    0  extrapolate             1            -> 2 at k = slow_at k_max  -> 1
    1  interpolate             1                                                         -> 0, k = 0
    2  slow                    1/2          -> 3 at k = hold_at k_max  -> 1
    3  hold                    0            -> 4 after hold_timeout    -> 1
    4  free vibration

    t_k = (k + k_comp) / k_max,   k_comp = lead / dt,   k_max = ticks_per_step                                   (6.7)
    u_k = d_i/6 (1+t) (2+t) (3+t) - d_{i-1}/2 t (2+t) (3+t)
        + d_{i-2}/2 t (1+t) (3+t) - d_{i-3}/6 t (1+t) (2+t)                          in modes 0, 2, 3            (6.5)
    u_k = d_{i+1}/6 t (1+t) (2+t) - d_i/2 (t-1) (1+t) (2+t)
        + d_{i-1}/2 t (t-1) (2+t) - d_{i-2}/6 t (t-1) (1+t)                          in mode 1                   (6.6)
    m u'' + c u' + r_meas = 0                                                        in mode 4

D_update is the arrival of the target whose number `step` is one above the completed steps; any other number, the same
target once more too, is not looked at. D_target is the tick at which k = k_max and, but for the lead, u = d_{i+1}:
`request` is 1 at that tick only, `steps` counts the step as completed, and the force of the tick is the one to send.

In a tick, all outputs come first, from the state: command, mode and k are what the tick before decided, and no input
passes through. Then the events, in this order: D_target; D_update (also in the tick of D_target); one TimeOut. Then k
grows as the new mode has it, but not beyond k_max. So k is 1 in the first tick after D_target, a target that
arrives at the tick of a TimeOut is in time, and `mode` is the one in which the k of the tick was reached.

The first tick is the D_target of step 0: at rest at initial_disp, as were the targets before. A step of which the
target comes a ticks after the D_target before it lasts, with slow_at = 0.6 and hold_at = 0.8,

    k_max                   if a <= 0.6 k_max
    0.7 k_max + a/2         if it ended slow, rounded up to whole ticks
    a + 0.2 k_max           if it ended in hold, a >= k_max

At D_update the command steps by t (1+t) (2+t) / 6 nabla^4 d_{i+1}; at slow_at its velocity is halved, at hold_at
gone; at D_target both go on.

Free vibration unloads the specimen if the targets have ceased, and lasts until the end: Newmark's explicit method from
the held command at rest, with the force of each tick, `mass` and `damping` of each channel. A tick is
step_time / ticks_per_step of the model's time; stable for omega step_time / ticks_per_step < 2.

EERC Secs. 4.4.2 and 6.4, Eqs. 6.5-6.7, Fig. 6-4; the chart of Sec. 4.4.2, corrected.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.errors.channels import per_channel
from hybsim.blocks.generators.command_interpolation import renew
from hybsim.blocks.generators.counter_speed import NEAR, growth, landing_factor
from hybsim.blocks.generators.lead import lead_in_ticks, lead_parameter
from hybsim.blocks.generators.polynomials import cubic
from hybsim.blocks.ticks import ticks
from hybsim.errors import ParameterError
from hybsim.kernel import Integer, Params, Ports, Positive, Prepared, Real, Sampled, State, Vector, kernel

EXTRAPOLATE, INTERPOLATE, SLOW, HOLD, FREE_VIBRATION = range(5)

HOLD_SPEED = 0.01
"""Growth of the counter below which the smooth variant counts as holding."""


class EventDriven(Sampled):
    """Event-driven command generator: extrapolates, interpolates, slows down, holds, unloads (EERC)."""

    ins = Ports(
        target="target displacement d_{i+1}, as it arrives",
        step="number of the step the target belongs to: 1, 2, 3 ...",
        force_meas="measured restoring force, for free vibration",
    )
    outs = Ports(
        command="command displacement u_k",
        mode="0 extrapolate, 1 interpolate, 2 slow, 3 hold, 4 free vibration",
        request="1 at the tick at which a target is reached and its force is to be sent, else 0",
        counter="sub-step k",
        steps="completed steps",
    )
    params = Params(
        step_time=Positive("seconds of the model's time in a step"),
        mass=Vector("mass m in free vibration: one number or one a channel"),
        damping=Vector("damping c in free vibration: one number or one a channel"),
        ticks_per_step=Integer("ticks in a step without delay k_max", 1200, at_least=1),
        slow_at=Real("part of the step after which it slows down", 0.6, above=0.0, below=1.0),
        hold_at=Real("part of the step at which it holds", 0.8, above=0.0, below=1.0),
        hold_timeout=Positive("time in s in hold before free vibration", 60.0),
        lead=lead_parameter(),
        initial_disp=Vector("displacement d_0 at the start: one number or one a channel", 0.0),
        width=Integer("number of channels", 1, at_least=1),
    )
    state = State(mode=float(INTERPOLATE), steps=0.0, held=0.0)
    example = dict(step_time=0.01, mass=0.1, damping=0.3, ticks_per_step=50, hold_timeout=0.5)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        n, k_max, h = q.width, float(q.ticks_per_step), q.step_time / q.ticks_per_step
        slow, hold = (ticks(part * k_max, 1.0) for part in (q.slow_at, q.hold_at))
        if not 1.0 <= slow <= hold - 1.0 <= k_max - 2.0:
            raise ParameterError(
                f"{cls.__name__} slows down at {slow:g}, holds at {hold:g} and ends at {k_max:g} ticks, but each must"
                " be a tick or more after the one before; raise ticks_per_step= or set slow_at= and hold_at= apart."
            )
        mass, damping = (per_channel(name, getattr(q, name), n) for name in ("mass", "damping"))
        if mass.min() <= 0.0 or damping.min() < 0.0:
            raise ParameterError(
                f"{cls.__name__} needs mass above 0 and damping of 0 or more in every channel to unload it,"
                f" got mass {mass.tolist()} and damping {damping.tolist()}."
            )
        start, none = per_channel("initial_disp", q.initial_disp, n), np.zeros(n)
        return Prepared(
            p=dict(
                k_max=k_max,
                slow=slow,
                hold=hold,
                hold_ticks=ticks(q.hold_timeout, dt),
                lead=lead_in_ticks(q.lead, n, dt, q.ticks_per_step, 1),
                h=h,
                mass=mass,
                damping=damping,
            ),
            x=dict(k=k_max, past=np.tile(start, 4), disp=start, vel=none, accel=none, **cls.state),
            widths=dict.fromkeys(("target", "force_meas", "command"), n),
            structure=dict(width=n, smooth=0),
        )

    @kernel
    def outputs(u, x, p, y):
        mode = int(x.mode)
        for i in range(p.width):
            if mode == FREE_VIBRATION:
                y.command[i] = x.disp[i]
            else:
                y.command[i] = on_the_way(mode, (x.k + p.lead[i]) / p.k_max, x.past, p.width, i)
        y.mode = x.mode
        y.request = 1.0 if mode == INTERPOLATE and x.k == p.k_max else 0.0
        y.counter = x.k
        y.steps = x.steps

    @kernel
    def update(u, x, p):
        before = int(x.mode)
        mode = before
        if mode == INTERPOLATE and x.k == p.k_max:  # D_target
            mode = EXTRAPOLATE
            x.k = 0.0
        if mode != INTERPOLATE and mode != FREE_VIBRATION and u.step == x.steps + 1.0:  # D_update
            mode = INTERPOLATE
            renew(x.past, u.target)
            if p.smooth == 1:
                x.factor = landing_factor(p.k_max - x.k, x.speed, p.recovery_rate)
        elif mode == EXTRAPOLATE and x.k >= p.slow:  # TimeOut
            mode = SLOW
        elif mode == SLOW and (x.speed <= HOLD_SPEED if p.smooth == 1 else x.k >= p.hold):
            mode = HOLD
        elif mode == HOLD and x.held >= p.hold_ticks:
            mode = FREE_VIBRATION
        x.mode = float(mode)
        x.held = x.held + 1.0 if mode == HOLD else 0.0

        if mode == FREE_VIBRATION:
            for i in range(p.width):
                if before == HOLD:
                    x.disp[i] = on_the_way(before, (x.k + p.lead[i]) / p.k_max, x.past, p.width, i)
                    x.accel[i] = -u.force_meas[i] / p.mass[i]
                else:
                    vel = x.vel[i] + 0.5 * p.h * x.accel[i]
                    x.accel[i] = -(u.force_meas[i] + p.damping[i] * vel) / (p.mass[i] + 0.5 * p.h * p.damping[i])
                    x.vel[i] = vel + 0.5 * p.h * x.accel[i]
                x.disp[i] += p.h * (x.vel[i] + 0.5 * p.h * x.accel[i])
        else:
            if p.smooth == 1:
                x.speed = growth(x.speed, p.recovery_rate)
                if mode != INTERPOLATE:
                    x.speed = min(x.speed, (p.hold - x.k) / (p.hold - p.slow))
                x.k += x.factor * x.speed if mode == INTERPOLATE else x.speed
            elif mode != HOLD:
                x.k += 0.5 if mode == SLOW else 1.0
            if mode == INTERPOLATE and x.k > p.k_max - NEAR:
                x.k = p.k_max
                x.steps += 1.0


@kernel
def on_the_way(mode, t, past, width, i):
    """The command of channel i; the newest target is ahead when interpolating, behind otherwise."""
    s = t if mode == INTERPOLATE else 1.0 + t
    return cubic(s, past[3 * width + i], past[2 * width + i], past[width + i], past[i])
