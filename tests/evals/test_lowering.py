"""Lowering a diagram: order of computation, loops, widths, rates and what is refused before anything runs."""

from __future__ import annotations

import numpy as np
import pytest

import hybsim as hs
from hybsim.errors import BlockError, DiagramError, ParameterError, RunError
from hybsim.kernel import Continuous, Function, Integer, Params, Ports, Prepared, Real, Sampled, State, kernel


class Accumulator(Sampled):
    """Counts its own ticks and sums its input."""

    ins = Ports(value="number to add")
    outs = Ports(total="sum before this tick", ticks="ticks so far")
    state = State(total=0.0, ticks=0.0)

    @kernel
    def outputs(u, x, p, y):
        y.total = x.total
        y.ticks = x.ticks

    @kernel
    def update(u, x, p):
        x.total = x.total + u.value
        x.ticks = x.ticks + 1.0


class Through(Sampled):
    """One output follows its input at once, the other is the input of the tick before."""

    ins = Ports(value="number")
    outs = Ports(now="the number", before="the number of the tick before")
    params = Params(gain=Real("factor", 2.0))
    state = State(last=1.0)

    @kernel
    def outputs(u, x, p, y):
        y.now = p.gain * u.value
        y.before = x.last

    @kernel
    def update(u, x, p):
        x.last = u.value


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


class Copies(Function):
    """The same number on several channels."""

    ins = Ports(value="number")
    outs = Ports(many="channels")
    params = Params(width=Integer("number of channels", 3, at_least=1))

    @classmethod
    def prepare(cls, q, dt):
        return Prepared(widths={"many": q.width})

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(y.many)):
            y.many[i] = u.value * (i + 1)


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


def both(program, duration, **options):
    """The result of the C engine, after the Python engine gave the same bits."""
    c, python = (program.run(duration, engine=engine, **options) for engine in ("c", "python"))
    for name in c.names:
        np.testing.assert_array_equal(c[name], python[name])
    assert str(c.stopped) == str(python.stopped)
    return c


def test_a_sampled_block_acts_at_every_tick_from_zero(bd):
    counter = Accumulator(bd=bd, name="counter", inputs=[bd.CONSTANT(2.5, name="step")])
    result = both(hs.compile(bd), 1.0)
    np.testing.assert_array_equal(result.t, np.arange(11) * 0.1)
    np.testing.assert_array_equal(result["counter.ticks"], np.arange(11.0))
    np.testing.assert_array_equal(result["counter.total"], 2.5 * np.arange(11))
    assert counter.nout == 2


def test_slower_clocks_act_at_whole_multiples_and_hold_in_between(bd):
    slow = bd.clock(0.3)
    fast = Accumulator(bd=bd, name="fast", inputs=[bd.CONSTANT(1.0)])
    Accumulator(bd=bd, name="slow", clock=slow, inputs=[fast.ticks])
    Through(bd=bd, name="held", clock=slow, inputs=[fast.ticks])
    result = both(hs.compile(bd), 1.0)
    np.testing.assert_array_equal(result["slow.ticks"], np.arange(11) // 3)
    np.testing.assert_array_equal(result["held.now"], 2.0 * 3.0 * (np.arange(11) // 3))


@pytest.mark.parametrize("every", [1, 3])
def test_elements_that_a_kernel_leaves_unset_are_zero(bd, every):
    counter = Accumulator(bd=bd, name="counter", inputs=[bd.CONSTANT(1.0)])
    Sometimes(bd=bd, name="some", clock=bd.clock(every * 0.1), inputs=[counter.ticks])
    result = both(hs.compile(bd), 1.0)
    seen = every * (np.arange(11) // every)
    np.testing.assert_array_equal(result["some.pair"][:, 0], np.where(seen % 2 == 0, seen, 0.0))


def test_a_rate_that_is_no_whole_multiple_is_refused(bd):
    Accumulator(bd=bd, name="odd", clock=bd.clock(0.25), inputs=[bd.CONSTANT(1.0)])
    with pytest.raises(DiagramError, match="'odd' has a period of 0.25 s, which is 2.5 base ticks of 0.1 s"):
        hs.compile(bd)


def test_outputs_that_need_different_inputs_are_computed_apart(bd):
    """`before` feeds, through a gain, the input that `now` needs: no loop, but two parts."""
    block = Through(bd=bd, name="block")
    gain = bd.GAIN(3.0, name="gain", inputs=[block.before])
    bd.connect(gain, block.value)
    result = both(hs.compile(bd), 0.5)
    np.testing.assert_array_equal(result["block.before"], 3.0 ** np.arange(6))
    np.testing.assert_array_equal(result["block.now"], 6.0 * 3.0 ** np.arange(6))


def test_an_algebraic_loop_is_refused_with_its_path_and_a_hint(bd):
    block = Through(bd=bd, name="block")
    gain = bd.GAIN(3.0, name="gain", inputs=[block.now])
    bd.connect(gain, block.value)
    with pytest.raises(DiagramError) as refusal:
        hs.compile(bd)
    text = str(refusal.value)
    assert "Algebraic loop" in text and "block (value -> now)" in text and "-> gain" in text
    assert "bd.DELAY(delay=dt)" in text


@pytest.mark.parametrize(("solver", "order"), [("euler", 1), ("heun", 2), ("rk4", 4)])
def test_continuous_states_converge_with_the_order_of_the_solver(solver, order):
    def error(dt):
        bd = hs.BDSim().blockdiagram(dt=dt)
        first = Decay(bd=bd, name="first", inputs=[bd.CONSTANT(0.0)])
        Decay(bd=bd, name="second", inputs=[first])
        result = both(hs.compile(bd, solver=solver), 3.0)
        return abs(result.final("second.level") - 4.0 * np.exp(-3.0))  # x2 = (1 + t) exp(-t)

    assert np.log2(error(0.1) / error(0.05)) == pytest.approx(order, abs=0.15)


def test_sampled_outputs_are_held_while_continuous_states_move(bd):
    counter = Accumulator(bd=bd, name="counter", inputs=[bd.CONSTANT(1.0)])
    Decay(bd=bd, name="decay", inputs=[counter.ticks])
    result = both(hs.compile(bd), 1.0)
    level, expected = 1.0, [1.0]
    for k in range(10):
        level = k + (level - k) * np.exp(-0.1)  # exact for an input held over the tick
        expected.append(level)
    np.testing.assert_allclose(result["decay.level"], expected, rtol=0, atol=2e-6)


def test_vector_signals_keep_their_width(bd):
    copies = Copies(bd=bd, name="copies", width=3, inputs=[bd.CONSTANT(2.0)])
    bd.GAIN(10.0, name="gain", inputs=[copies])
    result = both(hs.compile(bd), 0.2)
    np.testing.assert_array_equal(result["gain.out"], np.tile([20.0, 40.0, 60.0], (3, 1)))


def test_wrong_widths_name_both_ends_and_sizes(bd):
    copies = Copies(bd=bd, name="copies", width=3, inputs=[bd.CONSTANT(2.0)])
    bd.SPRING(name="spring", stiffness=1.0, inputs=[copies])
    with pytest.raises(
        DiagramError, match=r"'copies.many' has 3 element\(s\) but input 'disp' of block 'spring' takes 1"
    ):
        hs.compile(bd)


def test_an_open_input_is_named(bd):
    bd.SPRING(name="spring", stiffness=1.0)
    with pytest.raises(DiagramError, match="Input 'disp' of block 'spring' is not connected"):
        hs.compile(bd)


def test_a_second_wire_to_an_input_is_refused(bd):
    spring = bd.SPRING(name="spring", stiffness=1.0, inputs=[bd.CONSTANT(1.0, name="one")])
    bd.connect(bd.CONSTANT(2.0, name="two"), spring.disp)
    with pytest.raises(DiagramError, match="driven twice, by 'one' and 'two'"):
        hs.compile(bd)


def test_a_name_used_twice_is_refused(bd):
    bd.SPRING(name="spring", stiffness=1.0)
    with pytest.raises(DiagramError, match="already has a block named 'spring'"):
        bd.SPRING(name="spring", stiffness=1.0)


def test_an_unsupported_block_is_refused_by_name(bd):
    bd.DET(name="determinant", inputs=[bd.CONSTANT(np.eye(2), name="matrix")])
    with pytest.raises(DiagramError, match="determinant|matrix"):
        hs.compile(bd)


def test_a_diagram_without_a_tick_is_refused():
    bd = hs.BDSim().blockdiagram()
    bd.GAIN(2.0, inputs=[bd.CONSTANT(1.0)])
    with pytest.raises(DiagramError, match=r"no base tick; make it with sim.blockdiagram\(dt=...\)"):
        hs.compile(bd)
    with pytest.raises(BlockError, match="has no clock"):
        bd.LAG(mean=0.1)


@pytest.mark.parametrize("dt", [0.0, -0.01, float("nan"), float("inf"), "fast"])
def test_a_tick_must_be_positive(dt):
    with pytest.raises(DiagramError, match="must be a positive number of seconds"):
        hs.BDSim().blockdiagram(dt=dt)


def test_a_run_stops_at_the_first_infinity_and_keeps_what_came_before(bd):
    counter = Accumulator(bd=bd, name="counter", inputs=[bd.CONSTANT(1.0)])
    down = bd.SUM("+-", name="down", inputs=[bd.CONSTANT(4.0), counter.ticks])
    Reciprocal(bd=bd, name="inverse", inputs=[down])
    with pytest.warns(
        UserWarning, match=r"Stopped at tick 4 \(t = 0.4 s\): output 'inverse' of block 'inverse' became inf"
    ):
        result = both(hs.compile(bd), 1.0)
    assert (result.stopped.tick, result.stopped.block) == (4, "inverse")
    np.testing.assert_array_equal(result["inverse.inverse"], 1.0 / np.array([4.0, 3.0, 2.0, 1.0]))


def test_an_index_outside_its_table_stops_the_run_in_both_engines(bd):
    counter = Accumulator(bd=bd, name="counter", inputs=[bd.CONSTANT(1.0)])
    Pick(bd=bd, name="pick", inputs=[counter.ticks])
    with pytest.warns(
        UserWarning, match=r"Stopped at tick 3 .*'pick'.*index out of range 0..2 at .*test_lowering.py:\d+"
    ):
        result = both(hs.compile(bd), 1.0)
    np.testing.assert_array_equal(result["pick.entry"], [10.0, 20.0, 30.0])


def test_a_wrong_parameter_name_lists_the_near_ones(bd):
    Through(bd=bd, name="block", inputs=[bd.CONSTANT(1.0, name="one")])
    program = hs.compile(bd)
    with pytest.raises(ParameterError, match="no parameter 'block.gian' in this diagram. Did you mean 'block.gain'"):
        program.run(1.0, params={"block.gian": 1.0})
    with pytest.raises(ParameterError, match="Did you mean 'block.gain'"):
        program.sweep({"blok.gain": [1.0, 2.0]}, duration=1.0)
    with pytest.raises(ParameterError, match="'gain' of block 'block' must be a single number"):
        program.run(1.0, params={"block.gain": "much"})


def test_parameters_change_the_run_and_not_the_program(bd):
    Through(bd=bd, name="block", inputs=[bd.CONSTANT(1.0, name="one")])
    program = hs.compile(bd)
    result = both(program, 0.3, params={"block.gain": 7.0, "one.value": 3.0})
    np.testing.assert_array_equal(result["block.now"], np.full(4, 21.0))
    np.testing.assert_array_equal(both(program, 0.3)["block.now"], np.full(4, 2.0))


def test_an_unknown_engine_or_solver_lists_the_known_ones(bd):
    bd.GAIN(2.0, inputs=[bd.CONSTANT(1.0)])
    with pytest.raises(RunError, match="no engine 'cc'"):
        hs.compile(bd).run(1.0, engine="cc")
    with pytest.raises(RunError, match="no solver 'rk5'. Did you mean 'rk4'"):
        hs.compile(bd, solver="rk5")


@pytest.mark.parametrize("duration", [-1.0, float("nan"), "long"])
def test_a_duration_must_be_a_number_of_seconds(bd, duration):
    bd.GAIN(2.0, inputs=[bd.CONSTANT(1.0)])
    with pytest.raises(RunError, match="duration must be a number of seconds"):
        hs.compile(bd).run(duration)


def test_a_subsystem_shares_the_clocks_and_names_its_blocks(bd):
    def rig(sub, value):
        counter = Accumulator(bd=sub, name="counter", inputs=[value])
        spring = sub.SPRING(name="spring", stiffness=2.0, inputs=[counter.total])
        return {"force": spring, "ticks": counter.ticks}

    block = hs.subsystem(bd, rig, inputs=[bd.CONSTANT(1.5, name="one")])
    bd.GAIN(10.0, name="gain", inputs=[block.force])
    program = hs.compile(bd)
    assert "rig/spring.stiffness" in program.parameters
    result = both(program, 0.5)
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
    result = both(hs.compile(bd), 0.3)
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
        made.append(both(hs.compile(bd), 0.1).final("scaled.out"))
    assert made == [6.0, 15.0]
