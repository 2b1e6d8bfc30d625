"""The engine `bdsim`: bdsim's own run as the outside reference.

Clocked diagrams agree bit for bit with the Python engine (and so with C, which other tests hold to it);
continuous and hybrid ones agree with closed forms to the integrator's tolerance.
"""

from __future__ import annotations

import math

import bdsim
import numpy as np
import pytest
from agreement import agreed, assert_same_bits, each
from bdsim import components

import hybsim as hs
from hybsim.diagrams import fig_3_1, fig_3_5
from hybsim.errors import ParameterError
from hybsim.kernel import Params, Ports, Real, Sampled, State, kernel

DT = 0.01
ENGINES = ("python", "bdsim")


@pytest.fixture
def bd():
    return hs.BDSim().blockdiagram(dt=DT)


class Direct(Sampled):
    """Outputs that follow the input at the ticks; a counter."""

    ins = Ports(level="input")
    outs = Ports(doubled="twice the input", count="ticks so far")
    params = Params(factor=Real("factor", 2.0))
    state = State(k=0.0)

    @kernel
    def outputs(u, x, p, y):
        y.doubled = p.factor * u.level
        y.count = x.k

    @kernel
    def update(u, x, p):
        x.k += 1.0


# clocked diagrams ---------------------------------------------------------------------------


@pytest.mark.parametrize("specimen", ["linear", "elastic-plastic"])
@pytest.mark.parametrize("figure", [fig_3_1, fig_3_5])
def test_the_shipped_diagrams_agree_bit_for_bit(figure, specimen):
    reference = agreed(hs.compile(figure(specimen=specimen)), 12.0, ENGINES)
    assert np.abs(reference["integrator.disp_target"]).max() > 0.1


def test_a_plain_run_of_bdsim_is_the_same_one_sample_later():
    """What the engine takes out: bdsim's clocks first tick at dt, so its log at t = dt is our tick 0."""
    sim = hs.BDSim()
    bd = fig_3_5()
    ours = hs.compile(bd).run(6.0, engine="bdsim")
    bd.compile(evaluate=False)
    specimen, lag = bd.blocknames["specimen"], bd.blocknames["lag"]
    plain = sim.run(bd, T=6.0, watch=[specimen[0], lag[0]])
    assert plain.t[1] == DT
    np.testing.assert_array_equal(plain.y[1:, 0], ours["specimen.force"][:-1])
    np.testing.assert_array_equal(plain.y[1:, 1], ours["lag.applied"][:-1])


def test_sources_that_read_time_see_the_time_of_the_tick(bd):
    bd.TIME(name="time")
    bd.STEP(T=0.07, name="step")
    bd.WAVEFORM("sine", freq=1.7, name="wave")
    reference = agreed(hs.compile(bd), 1.0, ENGINES)
    np.testing.assert_array_equal(reference["time.out"], np.arange(101.0) * DT)
    assert reference["step.out"][6:8].tolist() == [0.0, 1.0]


def test_slower_clocks_tick_from_zero_and_hold_in_between(bd):
    wave = bd.WAVEFORM("sine", freq=3.0, name="wave")
    slow, slower = bd.clock(3 * DT), bd.clock(10, unit="Hz")
    held = Direct(bd=bd, name="held", clock=slow, inputs=[wave])
    Direct(bd=bd, name="chained", clock=slower, inputs=[held.doubled])
    bd.DERIV_S(slow, name="rate", inputs=[wave])
    bd.INTEGRATOR_S(bd.base_clock, name="sum", inputs=[held.count])
    reference = agreed(hs.compile(bd), 1.0, ENGINES)
    k = np.arange(101)
    np.testing.assert_array_equal(reference["held.doubled"], 2.0 * reference["wave.out"][k // 3 * 3])
    np.testing.assert_array_equal(reference["held.count"], k // 3)
    np.testing.assert_array_equal(reference["chained.doubled"], 2.0 * reference["held.doubled"][k // 10 * 10])
    np.testing.assert_array_equal(reference["chained.count"], k // 10)


def test_vectors_and_stock_macros_agree(bd):
    wave = bd.WAVEFORM("triangle", freq=1.0, name="wave")
    pair = bd.MUX(2, name="pair", inputs=[wave, bd.CONSTANT(0.5, name="half")])
    bd.DELAY(delay=0.025, width=2, name="late", inputs=[pair])
    bd.PID_S(bd.base_clock, P=2.0, I=0.5, D=0.1, name="pid", inputs=[wave, bd.CONSTANT(0.1, name="tenth")])
    reference = agreed(hs.compile(bd), 1.0, ENGINES)
    assert reference["late.delayed"].shape == (101, 2)
    # a delay of 2.5 ticks lies halfway between two samples
    wave = reference["wave.out"]
    np.testing.assert_allclose(reference["late.delayed"][3:, 0], 0.5 * (wave[1:-2] + wave[:-3]), atol=1e-15)


class Silent(Sampled):
    """A block that keeps its input to itself."""

    ins = Ports(level="input")
    state = State(kept=0.0)

    @kernel
    def update(u, x, p):
        x.kept = u.level


def test_a_block_without_outputs_runs(bd):
    Silent(bd=bd, name="silent", inputs=[bd.CONSTANT(1.0, name="one")])
    reference = agreed(hs.compile(bd), 0.05, ENGINES)
    assert reference.names == ["one.out"]


def test_a_plain_bdsim_diagram_runs_at_its_fastest_clock():
    bd = bdsim.BDSim(sysargs=False, graphics=False, progress=False, banner=False).blockdiagram()
    fast, slow = bd.clock(0.1), bd.clock(0.2)
    one = bd.CONSTANT(1.0, name="one")
    bd.INTEGRATOR_S(fast, name="fast", inputs=[one])
    bd.INTEGRATOR_S(slow, name="slow", inputs=[one])
    _, reference = each(hs.compile(bd), 0.6, ENGINES)
    np.testing.assert_allclose(reference["fast.out"], np.arange(7) * 0.1, rtol=1e-15)
    np.testing.assert_allclose(reference["slow.out"], [0.0, 0.0, 0.2, 0.2, 0.4, 0.4, 0.6], rtol=1e-15)


# continuous and hybrid diagrams -------------------------------------------------------------


def oscillator(dt, frequency=2.0, damping=0.05):
    """A free oscillator and its exact displacement."""
    bd = hs.BDSim().blockdiagram(dt=dt)
    w = 2 * math.pi * frequency
    velocity, displacement = bd.INTEGRATOR(name="velocity"), bd.INTEGRATOR(x0=1.0, name="displacement")
    acceleration = bd.SUM("--", name="acceleration")
    bd.connect(velocity, displacement)
    bd.connect(bd.GAIN(2 * damping * w, name="damping", inputs=[velocity]), acceleration[0])
    bd.connect(bd.GAIN(w**2, name="stiffness", inputs=[displacement]), acceleration[1])
    bd.connect(acceleration, velocity)

    def exact(t):
        wd = w * math.sqrt(1 - damping**2)
        return np.exp(-damping * w * t) * (np.cos(wd * t) + damping * w / wd * np.sin(wd * t))

    return bd, exact


def test_a_continuous_diagram_has_its_exact_solution_and_rk4_converges_to_it():
    apart = {}
    for dt in (0.02, 0.01):
        bd, exact = oscillator(dt)
        python, reference = each(hs.compile(bd, solver="rk4"), 4.0, ENGINES)
        np.testing.assert_allclose(reference["displacement.out"], exact(reference.t), atol=2e-9)
        apart[dt] = np.abs(python["displacement.out"] - reference["displacement.out"]).max()
    assert apart[0.02] / apart[0.01] == pytest.approx(2.0**4, rel=0.15)


def test_a_hybrid_loop_follows_its_exact_recursion(bd):
    """A first-order plant under a held command; the sampled blocks see it at their ticks and act a tick later."""
    pole, gain, every, ticks = 3.0, 2.0, 3, 200
    target = bd.CONSTANT(1.0, name="target")
    error, command = bd.SUM("+-", name="error"), bd.ZOH(bd.base_clock, name="command")
    plant = bd.LTI_SISO([gain], [1.0, pole], name="plant")
    slow = bd.INTEGRATOR_S(bd.clock(every * DT), name="slow", inputs=[plant])
    effort = bd.SUM("+-", name="effort", inputs=[command, slow])
    bd.connect(target, error[0])
    bd.connect(plant, error[1])
    bd.connect(error, command)
    bd.connect(effort, plant)
    python, reference = each(hs.compile(bd), ticks * DT, ENGINES)

    decay = math.exp(-pole * DT)
    y, held, total, expected = 0.0, 0.0, 0.0, []
    for k in range(ticks + 1):
        expected.append((y, held, total))
        effort_k = held - total
        if k % every == 0:
            upcoming = total + every * DT * y
        if k % every == every - 1:
            total = upcoming
        held = 1.0 - y
        y = decay * y + gain * (1.0 - decay) / pole * effort_k
    for name, column in zip(("plant.out", "command.out", "slow.out"), np.transpose(expected), strict=True):
        np.testing.assert_allclose(reference[name], column, atol=1e-10, err_msg=name)
        np.testing.assert_allclose(python[name], reference[name], atol=1e-9, err_msg=name)


def test_a_sampled_output_that_follows_a_moving_input_is_held(bd):
    wave = bd.WAVEFORM("sine", freq=1.0, name="wave")
    held = Direct(bd=bd, name="held", inputs=[wave])
    bd.INTEGRATOR(name="area", inputs=[held.doubled])
    python, reference = each(hs.compile(bd), 1.0, ENGINES)
    expected = DT * np.concatenate([[0.0], np.cumsum(2.0 * np.sin(2 * np.pi * reference.t))])[:-1]
    np.testing.assert_allclose(reference["area.out"], expected, atol=1e-13)
    np.testing.assert_allclose(python["area.out"], expected, atol=1e-13)


@pytest.mark.filterwarnings("ignore:.*actuator.*")
def test_a_hybrid_test_with_an_integrated_actuator_agrees_with_the_exact_discretisation():
    """Its command is held over each tick, for which ACTUATOR_S with zoh is exact."""

    def hybrid_test(kind):
        bd = hs.BDSim().blockdiagram(dt=DT)
        pulse = bd.COSINEPULSE(name="pulse", amplitude=4.0, duration=1.0, start=0.2)
        structure = bd.NEWMARK(name="structure", mass=0.25, damping=0.1)
        actuator = getattr(bd, kind)(name="actuator", system=([900.0], [1.0, 42.0, 900.0]))
        specimen = bd.BOUCWEN(name="specimen", stiffness=10.0, yield_disp=0.4)
        bd.connect(pulse, structure.load)
        bd.connect(structure.disp_target, actuator)
        bd.connect(actuator, specimen)
        bd.connect(specimen, structure.force)
        return hs.compile(bd)

    exact = hybrid_test("ACTUATOR_S").run(5.0, engine="python")
    python, reference = each(hybrid_test("ACTUATOR"), 5.0, ENGINES)
    for name in exact.names:
        np.testing.assert_allclose(reference[name], exact[name], atol=1e-8 * exact.peak(name), err_msg=name)
        np.testing.assert_allclose(python[name], exact[name], atol=1e-3 * exact.peak(name), err_msg=name)


# parameters ---------------------------------------------------------------------------------


def test_parameters_of_all_kinds_of_blocks_reach_bdsim():
    def diagram(factor=2.0, gain=3.0, start=0.5, pole=4.0):
        bd = hs.BDSim().blockdiagram(dt=DT)
        state = bd.INTEGRATOR(x0=start, name="state")
        bd.connect(bd.GAIN(-pole, name="pole", inputs=[state]), state)
        direct = Direct(bd=bd, name="direct", factor=factor, inputs=[state])
        bd.GAIN(gain, name="gain", inputs=[direct.doubled])
        return bd

    changes = {"direct.factor": 5.0, "gain.K": -1.5, "state.x0": 0.25, "pole.K": -2.0}
    program = hs.compile(diagram())
    changed = program.run(1.0, engine="bdsim", params=changes)
    assert_same_bits(changed, hs.compile(diagram(5.0, -1.5, 0.25, 2.0)).run(1.0, engine="bdsim"))
    np.testing.assert_allclose(changed["state.out"], 0.25 * np.exp(-2.0 * changed.t), atol=1e-11)
    back = program.run(1.0, engine="bdsim")
    assert_same_bits(back, hs.compile(diagram()).run(1.0, engine="bdsim"))


def test_a_seed_and_a_state_can_change_too(bd):
    noise = bd.NORMAL(name="noise", seed=1)
    bd.DELAY(delay=0.02, max_delay=0.1, name="late", inputs=[noise])
    program = hs.compile(bd)
    for params in ({}, {"noise.seed": 7, "late.delay": 0.055}, {}):
        agreed(program, 1.0, ENGINES, **params)


def test_a_parameter_that_changes_the_program_is_refused(bd):
    bd.DELAY(delay=0.02, max_delay=0.05, name="late", inputs=[bd.CONSTANT(1.0, name="one")])
    with pytest.raises(ParameterError, match="late"):
        hs.compile(bd).run(1.0, engine="bdsim", params={"late.max_delay": 0.5})


def test_the_diagram_is_left_as_it_was():
    def part(sub, disp):
        return {"force_meas": sub.SPRING(stiffness=10.0, name="specimen", inputs=[disp])}

    bd = hs.BDSim().blockdiagram(dt=DT)
    hs.subsystem(bd, part, name="rig", inputs=[bd.COSINEPULSE(amplitude=1.0, duration=0.5, name="pulse")])
    blocks, wires, clocks = list(bd.blocklist), list(bd.wirelist), list(bd.clocklist)
    first = hs.compile(bd).run(1.0, engine="bdsim", params={"rig/specimen.stiffness": 20.0})
    assert (bd.blocklist, bd.wirelist, bd.clocklist, bd.compiled) == (blocks, wires, clocks, False)
    second = hs.compile(bd).run(1.0, engine="bdsim")
    assert first.peak("rig.force_meas") == 2.0 * second.peak("rig.force_meas") > 0.0


def test_bdsim_keeps_nothing_of_a_run(bd):
    Direct(bd=bd, name="direct", inputs=[bd.CONSTANT(1.0, name="one")])
    program = hs.compile(bd)
    before = len(components.clocklist)
    program.run(0.1, engine="bdsim")
    assert len(components.clocklist) == before


@pytest.mark.parametrize("start", [0.333, 0.5, 0.7])
def test_a_source_with_an_event_between_ticks_adds_no_rows(start):
    """The integral of a ramp from T on is (t - T)^2 / 2."""
    bd = hs.BDSim().blockdiagram(dt=0.01)
    bd.INTEGRATOR(inputs=[bd.RAMP(start, name="ramp")], name="integral")
    result = hs.compile(bd).run(1.0, engine="bdsim")
    expected = 0.5 * np.maximum(result.t - start, 0.0) ** 2
    np.testing.assert_allclose(result["integral.out"], expected, rtol=0, atol=1e-9)
