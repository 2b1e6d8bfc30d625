"""Servo-hydraulic actuator that feels its specimen: control-structure interaction.

    q'' + b1 q' + b2 q = a1b0 (g command - x)          servo-valve in a unity feedback of the position x
    f' + a3 f = q - a2 x'                              oil: natural velocity feedback a2, leakage a3
    m x'' + c x' + k x = f - force                     what the piston moves

    q  flow into the actuator, as a rate of force      f  actuator force, force_meas
    g  gain of the command                             m, c, k  piston and specimen

The oil takes up the piston's velocity (a2), so the specimen's mass and stiffness are part of the actuator's dynamics:
with the force from outside at rest position over command is

    H(s) = g a1b0 / ((s^2 + b1 s + b2) ((s + a3) (m s^2 + c s + k) + a2 s) + a1b0)

which `closed_loop` computes. The DC gain is g / (1 + a3 b2 k / a1b0), so g makes up for the leakage.

The defaults are the plant of the 2020 benchmark problem for real-time hybrid simulation (N, m, s) with its specimen.
Its DC gain is 1.0075 and its delay 25.1 ms at low frequency, 19.0 ms at 10 Hz. Without the specimen's stiffness
(k = 0) they are 1.0261, 19.9 ms and 16.7 ms.

Any other specimen is attached through `force`, the restoring force it exerts against the piston, from `position` and
`vel`; m, c and k are then what moves besides it. No output follows an input within the tick, so that makes no
algebraic loop. force_meas is the force between the actuator and all that moves. The model is linear and knows no
limits; SATURATION and RATELIMIT keep a command within the benchmark's 7 mm and 300 mm/s, its 8900 N are not modelled.
The least damped poles lie at 422 rad/s with 2 % of damping: integrate with ticks of 1 ms or less.

S. J. Dyke, B. F. Spencer, P. Quast, M. K. Sain, Role of control-structure interaction in protective system design,
Journal of Engineering Mechanics 121(2), 1995, 322-338; C. E. Silva, D. Gomez, A. Maghareh, S. J. Dyke, B. F. Spencer,
Benchmark control problem for real-time hybrid simulation, Mechanical Systems and Signal Processing 135, 2020, 106381.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hybsim.blocks.actuators.longest_tick import warn_of_long_tick
from hybsim.errors import ParameterError
from hybsim.kernel import Continuous, Params, Ports, Positive, Prepared, Real, State, kernel


class ServoHydraulic(Continuous):
    """Servo-valve, actuator and specimen with control-structure interaction."""

    ins = Ports(command="commanded position", force="restoring force of a specimen attached from outside")
    outs = Ports(
        position="piston position x",
        vel="piston velocity x'",
        force_meas="actuator force f, what a load cell at the piston sees",
    )
    params = Params(
        valve_gain=Positive("gain a1b0 of valve and oil", 2.1283e13),
        valve_damping=Positive("b1 of the servo-valve in 1/s", 425.0),
        valve_stiffness=Positive("b2 of the servo-valve in 1/s^2", 9.9976e4),
        velocity_feedback=Real("natural velocity feedback a2: stiffness of the oil", 4.2297e6, at_least=0.0),
        leakage=Real("a3: rate at which the force leaks away in 1/s", 3.3, at_least=0.0),
        mass=Positive("mass m moved by the piston", 29.13),
        damping=Real("damping c of what it moves", 114.22, at_least=0.0),
        stiffness=Real("stiffness k of what it moves", 1.19e6, at_least=0.0),
        command_gain=Positive("gain g of the command", 1.0261),
    )
    state = State(flow=0.0, flow_rate=0.0, actuator_force=0.0, piston=0.0, piston_vel=0.0)
    example = dict(command_gain=1.0261)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        den = np.array(closed_loop(**vars(q))[1])
        with np.errstate(all="ignore"):
            finite = np.isfinite(den / den[0]).all()
        if not finite:
            raise ParameterError(
                f"{cls.__name__} has a mass of {q.mass:g}, too small beside its other parameters to compute with;"
                " check the units."
            )
        warn_of_long_tick(cls.__name__, np.roots(den), dt)
        return Prepared(p=vars(q), x=cls.state)

    @kernel
    def outputs(u, x, p, y):
        y.position = x.piston
        y.vel = x.piston_vel
        y.force_meas = x.actuator_force

    @kernel
    def derivative(u, x, p, dx):
        error = p.command_gain * u.command - x.piston
        resistance = p.damping * x.piston_vel + p.stiffness * x.piston + u.force
        dx.flow = x.flow_rate
        dx.flow_rate = p.valve_gain * error - p.valve_damping * x.flow_rate - p.valve_stiffness * x.flow
        dx.actuator_force = x.flow - p.velocity_feedback * x.piston_vel - p.leakage * x.actuator_force
        dx.piston = x.piston_vel
        dx.piston_vel = (x.actuator_force - resistance) / p.mass


def closed_loop(**parameters: float) -> tuple[list[float], list[float]]:
    """Position over command without a force from outside, as (num, den) in falling powers of s.

    The parameters are those of the block, with its defaults.

    >>> num, den = closed_loop(leakage=0.0, command_gain=1.0)
    >>> num[-1] / den[-1]
    1.0
    """
    q = SimpleNamespace(**ServoHydraulic.params.resolve(parameters, "'closed_loop'"))
    valve = [1.0, q.valve_damping, q.valve_stiffness]
    moved = np.polymul([1.0, q.leakage], [q.mass, q.damping, q.stiffness])
    den = np.polymul(valve, np.polyadd(moved, [q.velocity_feedback, 0.0]))
    den[-1] += q.valve_gain
    return [q.command_gain * q.valve_gain], [float(a) for a in den]
