"""Lowering a diagram: order of computation, loops, widths, rates, and where a run stops."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import agreed, alike
from small_blocks import Accumulator, Copies, Through

import hybsim as hs
from hybsim.kernel import Continuous, Function, Ports, Prepared, Sampled, State, kernel


class Decay(Continuous):
    """dx/dt = u - x."""

    ins = Ports(value="number")
    outs = Ports(level="x")
    state = State(level=1.0)

    @kernel
    def outputs(u, x, p, y):
        y.level = x.level

    @kernel
    def derivative(u, x, p, dx):
        dx.level = u.value - x.level


class Sometimes(Sampled):
    """Sets an element of its output only where the number is even."""

    ins = Ports(value="number")
    outs = Ports(pair="the number where it is even, and 1")

    @classmethod
    def prepare(cls, q, dt):
        return Prepared(widths={"pair": 2})

    @kernel
    def outputs(u, x, p, y):
        if int(u.value) % 2 == 0:
            y.pair[0] = u.value
        y.pair[1] = 1.0


class Reciprocal(Function):
    """1 / u."""

    ins = Ports(value="number")
    outs = Ports(inverse="1/u")

    @kernel
    def outputs(u, x, p, y):
        y.inverse = 1.0 / u.value


class Pick(Function):
    """One entry of a table, by number."""

    ins = Ports(value="number")
    outs = Ports(entry="table[int(u)]")

    @classmethod
    def prepare(cls, q, dt):
        return Prepared(p={"table": np.array([10.0, 20.0, 30.0])})

    @kernel
    def outputs(u, x, p, y):
        y.entry = p.table[int(u.value)]


@pytest.fixture
def bd():
    return hs.BDSim().blockdiagram(dt=0.1)


def test_a_sampled_block_acts_at_every_tick_from_zero(bd):
    counter = Accumulator(bd=bd, name="counter", inputs=[bd.CONSTANT(2.5, name="step")])
    result = agreed(hs.compile(bd), 1.0)
    np.testing.assert_array_equal(result.t, np.arange(11) * 0.1)
    np.testing.assert_array_equal(result["counter.ticks"], np.arange(11.0))
    np.testing.assert_array_equal(result["counter.total"], 2.5 * np.arange(11))
    assert counter.nout == 2


def test_slower_clocks_act_at_whole_multiples_and_hold_in_between(bd):
    slow = bd.clock(0.3)
    fast = Accumulator(bd=bd, name="fast", inputs=[bd.CONSTANT(1.0)])
    Accumulator(bd=bd, name="slow", clock=slow, inputs=[fast.ticks])
    Through(bd=bd, name="held", clock=slow, inputs=[fast.ticks])
    result = agreed(hs.compile(bd), 1.0)
    np.testing.assert_array_equal(result["slow.ticks"], np.arange(11) // 3)
    np.testing.assert_array_equal(result["held.now"], 2.0 * 3.0 * (np.arange(11) // 3))


@pytest.mark.parametrize("every", [1, 3])
def test_elements_that_a_kernel_leaves_unset_are_zero(bd, every):
    counter = Accumulator(bd=bd, name="counter", inputs=[bd.CONSTANT(1.0)])
    Sometimes(bd=bd, name="some", clock=bd.clock(every * 0.1), inputs=[counter.ticks])
    result = agreed(hs.compile(bd), 1.0)
    seen = every * (np.arange(11) // every)
    np.testing.assert_array_equal(result["some.pair"][:, 0], np.where(seen % 2 == 0, seen, 0.0))


def test_outputs_that_need_different_inputs_are_computed_apart(bd):
    """`before` feeds, through a gain, the input that `now` needs: no loop, but two parts."""
    block = Through(bd=bd, name="block")
    gain = bd.GAIN(3.0, name="gain", inputs=[block.before])
    bd.connect(gain, block.value)
    result = agreed(hs.compile(bd), 0.5)
    np.testing.assert_array_equal(result["block.before"], 3.0 ** np.arange(6))
    np.testing.assert_array_equal(result["block.now"], 6.0 * 3.0 ** np.arange(6))


@pytest.mark.parametrize(("solver", "order"), [("euler", 1), ("heun", 2), ("rk4", 4)])
def test_continuous_states_converge_with_the_order_of_the_solver(solver, order):
    def error(dt):
        bd = hs.BDSim().blockdiagram(dt=dt)
        first = Decay(bd=bd, name="first", inputs=[bd.CONSTANT(0.0)])
        Decay(bd=bd, name="second", inputs=[first])
        result = agreed(hs.compile(bd, solver=solver), 3.0)
        return abs(result.final("second.level") - 4.0 * np.exp(-3.0))  # x2 = (1 + t) exp(-t)

    assert np.log2(error(0.1) / error(0.05)) == pytest.approx(order, abs=0.15)


def test_sampled_outputs_are_held_while_continuous_states_move(bd):
    counter = Accumulator(bd=bd, name="counter", inputs=[bd.CONSTANT(1.0)])
    Decay(bd=bd, name="decay", inputs=[counter.ticks])
    result = agreed(hs.compile(bd), 1.0)
    level, expected = 1.0, [1.0]
    for k in range(10):
        level = k + (level - k) * np.exp(-0.1)  # exact for an input held over the tick
        expected.append(level)
    np.testing.assert_allclose(result["decay.level"], expected, rtol=0, atol=2e-6)


def test_vector_signals_keep_their_width(bd):
    copies = Copies(bd=bd, name="copies", width=3, inputs=[bd.CONSTANT(2.0)])
    bd.GAIN(10.0, name="gain", inputs=[copies])
    result = agreed(hs.compile(bd), 0.2)
    np.testing.assert_array_equal(result["gain.out"], np.tile([20.0, 40.0, 60.0], (3, 1)))


def test_a_run_stops_at_the_first_infinity_and_keeps_what_came_before(bd):
    counter = Accumulator(bd=bd, name="counter", inputs=[bd.CONSTANT(1.0)])
    down = bd.SUM("+-", name="down", inputs=[bd.CONSTANT(4.0), counter.ticks])
    Reciprocal(bd=bd, name="inverse", inputs=[down])
    with pytest.warns(
        UserWarning, match=r"Stopped at tick 4 \(t = 0.4 s\): output 'inverse' of block 'inverse' became inf"
    ):
        result = alike(hs.compile(bd), 1.0)
    assert (result.stopped.tick, result.stopped.block) == (4, "inverse")
    np.testing.assert_array_equal(result["inverse.inverse"], 1.0 / np.array([4.0, 3.0, 2.0, 1.0]))


def test_an_index_outside_its_table_stops_the_run_in_both_engines(bd):
    counter = Accumulator(bd=bd, name="counter", inputs=[bd.CONSTANT(1.0)])
    Pick(bd=bd, name="pick", inputs=[counter.ticks])
    with pytest.warns(
        UserWarning, match=r"Stopped at tick 3 .*'pick'.*index out of range 0..2 at .*test_lowering.py:\d+"
    ):
        result = alike(hs.compile(bd), 1.0)
    np.testing.assert_array_equal(result["pick.entry"], [10.0, 20.0, 30.0])


def test_parameters_change_the_run_and_not_the_program(bd):
    Through(bd=bd, name="block", inputs=[bd.CONSTANT(1.0, name="one")])
    program = hs.compile(bd)
    result = agreed(program, 0.3, **{"block.gain": 7.0, "one.value": 3.0})
    np.testing.assert_array_equal(result["block.now"], np.full(4, 21.0))
    np.testing.assert_array_equal(agreed(program, 0.3)["block.now"], np.full(4, 2.0))


def test_a_subsystem_shares_the_clocks_and_names_its_blocks(bd):
    def rig(sub, value):
        counter = Accumulator(bd=sub, name="counter", inputs=[value])
        spring = sub.SPRING(name="spring", stiffness=2.0, inputs=[counter.total])
        return {"force": spring, "ticks": counter.ticks}

    block = hs.subsystem(bd, rig, inputs=[bd.CONSTANT(1.5, name="one")])
    bd.GAIN(10.0, name="gain", inputs=[block.force])
    program = hs.compile(bd)
    assert "rig/spring.stiffness" in program.parameters
    result = agreed(program, 0.5)
    np.testing.assert_array_equal(result["rig/spring.force"], 3.0 * np.arange(6))
    np.testing.assert_array_equal(result["rig.force"], result["rig/spring.force"])
    np.testing.assert_array_equal(result["gain.out"], 30.0 * np.arange(6))


def test_the_schedule_reads_as_text(bd):
    block = Through(bd=bd, name="block", inputs=[bd.CONSTANT(1.0, name="one")])
    Decay(bd=bd, name="decay", inputs=[block.now])
    text = hs.compile(bd).schedule()
    assert (
        text.index("one (") < text.index("block (") and "then update: block" in text and "then integrate: decay" in text
    )


@pytest.mark.parametrize("name", ["hs", "HS_", "int64", "x", "row", "a */ b", "1st", "été", "log", "double"])
def test_a_block_may_have_any_name(bd, name):
    counter = Accumulator(bd=bd, name=name, inputs=[bd.CONSTANT(1.0)])
    result = agreed(hs.compile(bd), 0.3)
    np.testing.assert_array_equal(result[f"{counter.name}.ticks"], np.arange(4.0))


def test_a_constant_changed_since_is_seen_by_the_next_diagram():
    names = {"Function": Function, "Ports": Ports, "kernel": kernel}
    exec(compile("FACTOR = 2.0", "<constants>", "exec"), names)
    from hybsim.kernel.source import kernel_from_text

    scale = kernel_from_text("def scale(a):\n    return FACTOR * a\n", "scale by a constant", names)
    made = []
    for factor in (2.0, 5.0):
        scale.__globals__["FACTOR"] = factor
        outputs = kernel_from_text(
            "def outputs(u, x, p, y):\n    y.out = scale(u.value)\n", "outputs", {"scale": scale}
        )
        bd = hs.BDSim().blockdiagram(dt=0.1)
        cls = type(
            "Scaled", (Function,), {"ins": Ports(value="number"), "outs": Ports(out="scaled"), "outputs": outputs}
        )
        cls(bd=bd, name="scaled", inputs=[bd.CONSTANT(3.0)])
        made.append(agreed(hs.compile(bd), 0.1).final("scaled.out"))
    assert made == [6.0, 15.0]
