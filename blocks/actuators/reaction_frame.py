"""Flexible reaction frame: the actuator's support moves, integrated in time (REACTIONFRAME) or statically at ticks.

    m x'' + c x' + k x = -force,   disp = stroke + x,   m = k / (2 pi f)^2,   c = 2 zeta sqrt(k m)
    disp_i = stroke_i - force_{i-1} / k                     REACTIONFRAME_S: no inertia, the force of the last tick

    x  displacement of the frame, frame_disp     k  its stiffness           f  its frequency without the specimen
    stroke  piston against the frame             disp  what the specimen gets, in absolute coordinates

The force of the specimen pushes the frame back. With a specimen of stiffness k_s it gets only k / (k + k_s) of a slow
stroke, and the frame's frequency rises to f sqrt(1 + k_s/k):

    disp / stroke = 1 - k_s / (m s^2 + c s + k + k_s)

The loop: `disp` follows the stroke within the tick but not the force, so stroke -> disp -> specimen -> force ->
frame is no algebraic loop; a specimen that needs its velocity gets the piston's plus frame_vel. In the static form
disp_i = stroke_i - (k_s/k) disp_{i-1}: it settles only for a specimen less stiff than the frame, and then leads by
dt k_s / (k + k_s) at low frequency.

A servo-controller fed back with `disp` (an absolute transducer) corrects the frame's displacement, one fed back with
the stroke does not. EERC's frame: 37 Hz, 23 and 18 Hz with 0.5 and 1 kip of mass added; the first two give a moving
mass of 0.315 kip/g and a stiffness of 44 kip/in, which puts the third at 18.1 Hz.

EERC Sec. 5.2.3.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from hybsim.blocks.actuators.longest_tick import warn_of_long_tick
from hybsim.errors import ParameterError
from hybsim.kernel import Continuous, Integer, Params, Ports, Positive, Prepared, Real, Sampled, kernel

INS = Ports(stroke="piston position against the frame", force="restoring force of the specimen")
STIFFNESS = Positive("stiffness k of the frame at the actuator")
WIDTH = Integer("number of like frames", 1, at_least=1)


class ReactionFrame(Continuous):
    """Reaction frame with mass, damping and stiffness, integrated in time."""

    ins = INS
    outs = Ports(
        disp="displacement the specimen gets",
        frame_disp="displacement x of the frame",
        frame_vel="velocity x' of the frame",
    )
    params = Params(
        stiffness=STIFFNESS,
        frequency=Positive("frequency f of the frame without specimen in Hz"),
        damping_ratio=Real("damping ratio zeta of the frame", 0.02, at_least=0.0),
        width=WIDTH,
    )
    example = dict(stiffness=44.0, frequency=37.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        omega = 2.0 * math.pi * q.frequency
        p = dict(stiffness=omega * omega, damping=2.0 * q.damping_ratio * omega, per_force=omega * omega / q.stiffness)
        if not all(map(math.isfinite, p.values())):
            raise ParameterError(
                f"{cls.__name__} has frequency={q.frequency:g} Hz, damping_ratio={q.damping_ratio:g} and"
                f" stiffness={q.stiffness:g}, which are too far apart to compute with; check their units."
            )
        warn_of_long_tick(cls.__name__, omega * np.roots([1.0, 2.0 * q.damping_ratio, 1.0]), dt)
        return Prepared(
            p=p,
            x=dict(frame=np.zeros(q.width), vel=np.zeros(q.width)),
            widths=dict.fromkeys((*cls.ins, *cls.outs), q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(y.disp)):
            y.disp[i] = u.stroke[i] + x.frame[i]
            y.frame_disp[i] = x.frame[i]
            y.frame_vel[i] = x.vel[i]

    @kernel
    def derivative(u, x, p, dx):
        for i in range(len(u.force)):
            dx.frame[i] = x.vel[i]
            dx.vel[i] = -(p.per_force * u.force[i] + p.damping * x.vel[i] + p.stiffness * x.frame[i])


class ReactionFrameSampled(Sampled):
    """Reaction frame as a spring, with the force of the last tick."""

    ins = INS
    outs = Ports(disp="displacement the specimen gets", frame_disp="displacement x of the frame")
    params = Params(stiffness=STIFFNESS, width=WIDTH)
    example = dict(stiffness=44.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(
            p=dict(stiffness=q.stiffness),
            x=dict(frame=np.zeros(q.width)),
            widths=dict.fromkeys((*cls.ins, *cls.outs), q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(y.disp)):
            y.disp[i] = u.stroke[i] + x.frame[i]
            y.frame_disp[i] = x.frame[i]

    @kernel
    def update(u, x, p):
        for i in range(len(u.force)):
            x.frame[i] = -u.force[i] / p.stiffness
