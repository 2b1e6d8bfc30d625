"""Command generators in whole diagrams: the C and the Python engine give the same bits, and loops close as they should.

The event-driven generators stand in a hybrid test whose integrator answers each request after a random delay.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from agreement import agreed

import hybsim as hs
from hybsim.blocks.sources.random_numbers import seeded, uniform
from hybsim.kernel import Params, Ports, Positive, Prepared, Real, Sampled, State, kernel
from hybsim.studies.verification.generator_runs import delivered, landings

MASS, STIFFNESS = 10.0 / (2 * math.pi) ** 2, 10.0
DAMPING = 2 * 0.05 * math.sqrt(MASS * STIFFNESS)
STEP = 0.02


def single_rate(load, duration):
    """The same structure with an ideal test: the force of each target is there at once."""
    bd = hs.BDSim().blockdiagram(dt=STEP)
    structure = bd.NEWMARK(name="structure", mass=MASS, damping=DAMPING)
    spring = bd.SPRING(name="spring", stiffness=STIFFNESS)
    bd.connect(bd.COSINEPULSE(name="pulse", **load), structure.load)
    bd.connect(structure.disp_target, spring)
    bd.connect(spring, structure.force)
    return np.array(hs.compile(bd).run(duration)["structure.disp_target"])


PULSE = dict(amplitude=4.0, duration=1.0)


def multi_rate(*, lag=0, **parameters):
    """An integrator on a slow clock, COMMANDS and an actuator with a pure delay of `lag` fast ticks."""
    dt = STEP / 20
    bd = hs.BDSim().blockdiagram(dt=dt)
    slow = bd.clock(STEP)
    structure = bd.NEWMARK(name="structure", mass=MASS, damping=DAMPING, clock=slow)
    generator = bd.COMMANDS(name="generator", ticks_per_step=20, **parameters)
    actuator = bd.DELAY(name="actuator", delay=lag * dt)
    spring = bd.SPRING(name="spring", stiffness=STIFFNESS)
    bd.connect(bd.COSINEPULSE(name="pulse", clock=slow, **PULSE), structure.load)
    bd.connect(structure.disp_target, generator)
    bd.connect(generator, actuator)
    bd.connect(actuator, spring)
    bd.connect(spring, structure.force)
    return bd


@pytest.mark.parametrize("method", ["cubic", "quadratic"])
def test_a_lead_of_one_step_closes_the_loop_of_a_slow_integrator_without_delay(method):
    result = agreed(hs.compile(multi_rate(lead=STEP, method=method)), 3.0, ("c", "python", "bdsim"))
    ideal = single_rate(PULSE, 3.0)
    np.testing.assert_allclose(result["structure.disp_target"][::20], ideal, rtol=0, atol=1e-12)
    assert np.ptp(result["generator.command"]) > 0.5


def test_a_longer_lead_makes_up_for_the_lag_of_the_actuator():
    ideal = single_rate(PULSE, 3.0)
    lag = 6
    lagging = agreed(hs.compile(multi_rate(lag=lag, lead=STEP)), 3.0)["structure.disp_target"][::20]
    leading = agreed(hs.compile(multi_rate(lag=lag, lead=STEP * (1 + lag / 20))), 3.0)["structure.disp_target"][::20]
    errors = [np.abs(run - ideal).max() / np.abs(ideal).max() for run in (lagging, leading)]
    assert errors[0] > 0.02
    assert errors[1] < 0.1 * errors[0]


def test_commands_of_several_channels_agree():
    bd = hs.BDSim().blockdiagram(dt=0.001)
    noise = bd.NORMAL(name="noise", seed=5, width=3, clock=bd.clock(0.012))
    bd.COMMANDS(
        name="generator", ticks_per_step=12, compute_ticks=5, lead=[0.0, 0.0023, 0.008], width=3, inputs=[noise]
    )
    result = agreed(hs.compile(bd), 0.5, ("c", "python", "bdsim"))
    assert result["generator.command"].shape == (501, 3)


class Remote(Sampled):
    """Newmark's explicit method that takes a step when asked and sends it after a random delay (one DOF).

    The delay is `least` plus an exponentially distributed time of mean `mean`, in ticks.
    """

    ins = Ports(request="1 when a force is sent", force="that force", steps="the step it belongs to")
    outs = Ports(target="target sent last", number="its step")
    params = Params(least=Real("ticks"), mean=Positive("ticks"), lost_from=Real("step from which nothing is sent", 1e9))
    state = State(sent=0.0, waiting=0.0, disp=0.0, shown=0.0, vel=0.0, accel=0.0)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(
            p=dict(
                m=MASS, c=DAMPING, h=STEP, least=q.least, mean=q.mean, lost=q.lost_from,
                amplitude=PULSE["amplitude"], length=PULSE["duration"],
            ),
            x=dict(rng=np.array(seeded(11)), **cls.state),
        )  # fmt: skip

    @kernel
    def outputs(u, x, p, y):
        y.target = x.shown
        y.number = x.sent

    @kernel
    def update(u, x, p):
        if u.request > 0.0 and u.steps + 1.0 < p.lost:
            time = u.steps * p.h
            load = 0.0
            if time < p.length:
                load = 0.5 * p.amplitude * (1.0 - math.cos(2.0 * math.pi * time / p.length))
            if u.steps == 0.0:
                x.accel = (load - u.force) / p.m
            else:
                vel = x.vel + 0.5 * p.h * x.accel
                x.accel = (load - u.force - p.c * vel) / (p.m + 0.5 * p.h * p.c)
                x.vel = vel + 0.5 * p.h * x.accel
            x.disp += p.h * x.vel + 0.5 * p.h * p.h * x.accel
            x.waiting = 1.0 + p.least + float(math.floor(-p.mean * math.log(uniform(x.rng))))
        if x.waiting > 0.0:
            x.waiting -= 1.0
            if x.waiting == 0.0:
                x.sent += 1.0
                x.shown = x.disp


def distributed(factory, *, lost_from=1e9, **parameters):
    """A hybrid test over a network: remote integrator, event-driven generator, spring."""
    bd = hs.BDSim().blockdiagram(dt=0.001)
    options = dict(ticks_per_step=100, hold_timeout=1.0, step_time=STEP, mass=MASS, damping=4 * DAMPING)
    generator = getattr(bd, factory)(name="generator", **options | parameters)
    remote = Remote(bd=bd, name="remote", least=10.0, mean=40.0, lost_from=lost_from)
    spring = bd.SPRING(name="spring", stiffness=STIFFNESS, inputs=[generator.command])
    bd.connect(generator.request, remote.request)
    bd.connect(generator.steps, remote.steps)
    bd.connect(spring, remote.force, generator.force_meas)
    bd.connect(remote.target, generator.target)
    bd.connect(remote.number, generator.step)
    return bd


FACTORIES = pytest.mark.parametrize("factory", ["EVENTDRIVEN", "EVENTDRIVEN_SMOOTH"])


@FACTORIES
def test_random_delays_do_not_change_the_response(factory):
    """Every force is that of its target, whenever it came: the response is that of the undisturbed test."""
    result = agreed(hs.compile(distributed(factory, hold_timeout=20.0)), 12.0)
    reached = np.flatnonzero(result["generator.request"])
    assert set(result["generator.mode"]) == {0, 1, 2, 3}
    assert len(reached) > 60
    assert (np.diff(reached) > 100).sum() > 10, "many steps should have been delayed"
    ideal = single_rate(PULSE, 0.02 * (len(reached) - 1))
    np.testing.assert_allclose(result["generator.command"][reached], ideal, rtol=0, atol=1e-12)
    assert np.abs(ideal).max() > 0.2


@FACTORIES
def test_a_lost_connection_unloads_the_specimen(factory):
    result = agreed(hs.compile(distributed(factory, lost_from=30, step_time=0.4)), 12.0)
    mode, force = result["generator.mode"], result["spring.force"]
    assert set(mode) == {0, 1, 2, 3, 4}
    begin = int(np.flatnonzero(mode == 4)[0])
    assert (mode[begin:] == 4).all()
    assert result["generator.steps"][-1] == 29
    assert abs(force[begin]) > 1.0
    assert abs(force[-1]) < 0.01 * abs(force[begin])


@FACTORIES
def test_every_path_of_the_chart_agrees(factory):
    targets, waits = np.sin(0.4 * np.arange(1, 8)), [3, 12, 14, 19, 25, 60, 1]
    options = dict(ticks_per_step=20, hold_timeout=0.1, lead=0.0017, initial_disp=0.1, seconds=1.0, stiffness=5.0)
    c, python, bdsim = (
        delivered(factory, targets, waits, engine=engine, **options) for engine in ("c", "python", "bdsim")
    )
    assert set(c.mode) == {0, 1, 2, 3, 4}
    assert len(landings(c)) == len(waits) + 1
    for name, values in vars(c).items():
        assert values.tobytes() == getattr(python, name).tobytes() == getattr(bdsim, name).tobytes(), name
