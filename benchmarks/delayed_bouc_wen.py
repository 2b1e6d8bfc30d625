"""The delayed Bouc-Wen oscillator in hybsim, in PathSim and as a hand-written C loop.

    m u'' + c u' + r(t - delay) = amplitude sin(omega t)        r: Bouc-Wen force of u and u'

The force comes back late, as from a rig. All three integrate u, u' and z with classical Runge-Kutta steps
of one tick and hold the delayed force over the step: PathSim's Delay does so with a sampling period.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from typing import Any

import hand_written
import numpy as np

import hybsim as hs

DURATION = 40.0
SIGNALS = 9


@dataclass(frozen=True)
class Oscillator:
    dt: float = 0.001
    mass: float = 0.25
    damping: float = 0.3
    stiffness: float = 10.0
    yield_disp: float = 1.0
    alpha: float = 0.05
    beta: float = 0.55
    gamma: float = 0.45
    delay: float = 0.01
    amplitude: float = 6.0
    omega: float = 4.0

    @property
    def elastic(self) -> float:
        return self.alpha * self.stiffness

    @property
    def hysteretic(self) -> float:
        return (1.0 - self.alpha) * self.stiffness * self.yield_disp


def diagram(o: Oscillator) -> Any:
    """The oscillator of bdsim's stock blocks and ours."""
    bd = hs.BDSim().blockdiagram("delayed_bouc_wen", dt=o.dt)
    amplitude, omega = o.amplitude, o.omega
    time = bd.TIME(name="time")
    load = bd.FUNCTION(lambda t: amplitude * math.sin(omega * t), name="load", inputs=[time])
    net = bd.SUM("+--", name="net")
    accel = bd.GAIN(1.0 / o.mass, name="accel", inputs=[net])
    vel = bd.INTEGRATOR(name="vel", inputs=[accel])
    disp = bd.INTEGRATOR(name="disp", inputs=[vel])
    damper = bd.GAIN(o.damping, name="damper", inputs=[vel])
    specimen = bd.BOUCWEN_RATE(
        name="specimen", stiffness=o.stiffness, yield_disp=o.yield_disp, alpha=o.alpha, beta=o.beta,
        gamma=o.gamma, inputs=[disp, vel],
    )  # fmt: skip
    delayed = bd.DELAY(name="delayed", delay=o.delay, inputs=[specimen])
    for port, source in enumerate((load, damper, delayed)):
        bd.connect(source, net[port])
    return bd


def pathsim(o: Oscillator, *, sampled: bool = True) -> tuple[Any, Any]:
    """The same in PathSim: a simulation, and the scope that records displacement and force.

    Not `sampled`, the delay is interpolated within the step: a slightly different algorithm.
    """
    from pathsim import Connection, Simulation
    from pathsim.blocks import Adder, Amplifier, Delay, DynamicalSystem, Integrator, Scope, Source
    from pathsim.solvers import RK4

    def rate(z: Any, u: Any, t: float) -> Any:
        shape = o.beta + o.gamma if z[0] * u[1] > 0.0 else o.beta - o.gamma
        return u[1] / o.yield_disp * (1.0 - shape * z * z)

    load = Source(lambda t: o.amplitude * math.sin(o.omega * t))
    net, accel, damper = Adder("+--"), Amplifier(1.0 / o.mass), Amplifier(o.damping)
    vel, disp = Integrator(0.0), Integrator(0.0)
    specimen = DynamicalSystem(rate, lambda z, u, t: o.elastic * u[0] + o.hysteretic * z, np.zeros(1))
    delayed = Delay(o.delay, sampling_period=o.dt if sampled else None)
    scope = Scope(labels=["disp", "force"])
    wires = [
        Connection(load, net[0]), Connection(damper, net[1]), Connection(delayed, net[2]),
        Connection(net, accel), Connection(accel, vel), Connection(vel, disp, damper, specimen[1]),
        Connection(disp, specimen[0], scope[0]), Connection(specimen, delayed, scope[1]),
    ]  # fmt: skip
    blocks = [load, net, accel, damper, vel, disp, specimen, delayed, scope]
    return Simulation(blocks, wires, dt=o.dt, Solver=RK4, log=False), scope


class Parameters(ctypes.Structure):
    """As in delayed_bouc_wen.c."""

    _fields_ = [
        *((name, ctypes.c_double) for name in "dt amplitude omega inverse_mass damping".split()),
        *((name, ctypes.c_double) for name in "yield_disp elastic hysteretic beta gamma".split()),
        ("ticks_delayed", ctypes.c_int64),
    ]


def hand_written_loop(o: Oscillator) -> hand_written.Loop:
    parameters = Parameters(
        o.dt, o.amplitude, o.omega, 1.0 / o.mass, o.damping, o.yield_disp, o.elastic, o.hysteretic,
        o.beta, o.gamma, round(o.delay / o.dt),
    )  # fmt: skip
    return hand_written.Loop("delayed_bouc_wen.c", "delayed_bouc_wen", parameters, columns=SIGNALS)
