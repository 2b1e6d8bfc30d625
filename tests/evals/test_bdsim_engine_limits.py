"""What the engine `bdsim` says: where a run stopped, and what bdsim cannot run."""

from __future__ import annotations

import math

import bdsim
import numpy as np
import pytest
from agreement import agreed, alike, each

import hybsim as hs
from hybsim.diagrams import fig_3_5
from hybsim.errors import RunError
from hybsim.kernel import Continuous, Params, Ports, Real, Sampled, State, Vector, kernel
from hybsim.runtime.program import StoppedWarning

DT = 0.01
ENGINES = ("python", "bdsim")


@pytest.fixture
def bd():
    return hs.BDSim().blockdiagram(dt=DT)


def test_only_this_engine_needs_bdsims_run(monkeypatch):
    program = hs.compile(fig_3_5())

    def broken(*arguments, **keywords):
        raise ValueError("broken on purpose")

    monkeypatch.setattr(bdsim.BDSim, "run", broken)
    assert program.run(1.0, engine="python").stopped is None
    if program.compiler_problem is None:
        assert program.run(1.0, engine="c").stopped is None
    with pytest.raises(RunError, match="broken on purpose"):
        program.run(1.0, engine="bdsim")


def test_it_prints_nothing_and_reports_progress(bd, capfd):
    bd.connect(bd.CONSTANT(1.0, name="one"), bd.INTEGRATOR(name="ramp"))
    seen = []
    hs.compile(bd).run(6.0, engine="bdsim", progress=seen.append)
    assert capfd.readouterr() == ("", "")
    assert seen == [255, 511, 601]


def test_a_run_of_no_length_is_one_tick(bd):
    bd.connect(bd.CONSTANT(1.0, name="one"), bd.INTEGRATOR(x0=0.5, name="ramp"))
    result = hs.compile(bd).run(0.0, engine="bdsim")
    assert result["ramp.out"].tolist() == [0.5]


def assert_same_stop(program, duration, tick):
    with pytest.warns(StoppedWarning):
        reference = alike(program, duration, ENGINES)
    assert reference.stopped.tick == tick
    return reference


class Growth(Sampled):
    outs = Ports(size="2^k", root="becomes nan when size exceeds 100")
    state = State(size=1.0)

    @kernel
    def outputs(u, x, p, y):
        y.size = x.size
        y.root = math.sqrt(100.0 - x.size)

    @kernel
    def update(u, x, p):
        x.size = 2.0 * x.size


def test_a_nan_stops_at_the_same_tick_and_block(bd):
    growth = Growth(bd=bd, name="growth")
    bd.GAIN(2.0, name="after", inputs=[growth.root])
    stopped = assert_same_stop(hs.compile(bd), 0.2, tick=7).stopped
    assert (stopped.block, stopped.signal) == ("growth", "root")


class Emptying(Continuous):
    """level' = -sqrt(level) - 1: it passes zero, where the root ends."""

    outs = Ports(level="level", clean="a state that stays finite")
    state = State(level=0.0125, clean=1.0)

    @kernel
    def outputs(u, x, p, y):
        y.level = x.level
        y.clean = x.clean

    @kernel
    def derivative(u, x, p, dx):
        dx.level = -1.0 - math.sqrt(x.level)
        dx.clean = -x.clean


def test_a_slope_that_is_nan_stops_at_the_next_tick(bd):
    Emptying(bd=bd, name="tank")
    program = hs.compile(bd)
    with pytest.warns(StoppedWarning):
        python, reference = each(program, 1.0, ENGINES)
    assert reference.stopped == python.stopped
    assert (reference.stopped.tick, reference.stopped.block, reference.stopped.signal) == (2, "tank", "level")
    assert reference["tank.clean"] == pytest.approx([1.0, math.exp(-DT)], abs=1e-12)


class Table(Sampled):
    """Reads past the end of its table: in `outputs`, or a tick earlier in `update`."""

    outs = Ports(entry="entry of the table")
    params = Params(table=Vector("table"), ahead=Real("read in update, too", 0.0))
    state = State(k=0.0, seen=0.0)

    @kernel
    def outputs(u, x, p, y):
        y.entry = p.table[int(x.k)]

    @kernel
    def update(u, x, p):
        x.k += 1.0
        if p.ahead > 0.0:
            x.seen = p.table[int(x.k)]


@pytest.mark.parametrize(("ahead", "tick"), [(0.0, 5), (1.0, 4)])
def test_a_kernel_that_fails_stops_at_the_same_tick(bd, ahead, tick):
    Table(bd=bd, name="table", table=np.arange(5.0), ahead=ahead)
    result = assert_same_stop(hs.compile(bd), 0.2, tick)
    assert result.stopped.block == "table"
    assert result["table.entry"].tolist() == np.arange(tick).tolist()


class Rising(Continuous):
    """level = 0.25 + 100 t looks up a table of five, in the derivative: past its end from t = 0.0475 s."""

    outs = Ports(level="level")
    params = Params(table=Vector("table"))
    state = State(level=0.25)

    @kernel
    def outputs(u, x, p, y):
        y.level = x.level

    @kernel
    def derivative(u, x, p, dx):
        dx.level = p.table[int(x.level)]


def test_a_derivative_that_fails_stops_at_the_tick_before_it(bd):
    Rising(bd=bd, name="rising", table=np.full(5, 100.0))
    with pytest.warns(StoppedWarning):
        python, reference = each(hs.compile(bd), 0.1, ENGINES)
    assert reference.stopped == python.stopped
    assert (reference.stopped.tick, reference.stopped.block) == (4, "rising")
    np.testing.assert_allclose(reference["rising.level"], [0.25, 1.25, 2.25, 3.25], rtol=1e-12)


def test_a_function_that_divides_by_zero_stops_at_the_same_tick(bd):
    """Python raises where IEEE arithmetic gives inf."""

    def inverse(u):
        return 1.0 / u

    bd.FUNCTION(inverse, name="pole", inputs=[bd.PIECEWISE((0.0, 1.0), (0.05, 0.0), name="level")])
    with pytest.warns(StoppedWarning):
        python, reference = each(hs.compile(bd), 0.2, ENGINES)
    assert (reference.stopped.tick, reference.stopped.block) == (5, "pole")
    assert (python.stopped.tick, python.stopped.block) == (5, "pole")


def test_an_integrator_that_cannot_go_on_is_an_error(bd):
    """x' = x^2 from x = 10 has no solution beyond t = 0.1."""
    state = bd.INTEGRATOR(x0=10.0, name="state")
    bd.connect(bd.POW(2, name="square", inputs=[state]), state)
    with pytest.raises(RunError, match="after 10 ticks"):
        hs.compile(bd).run(0.2, engine="bdsim")


class Crossed(Sampled):
    """The loop from `late` back to `now` passes no input that `late` follows; bdsim cannot know."""

    ins = Ports(now="passed on", later="kept")
    outs = Ports(passed="now", late="later, one tick late")
    state = State(kept=0.0)

    @kernel
    def outputs(u, x, p, y):
        y.passed = u.now
        y.late = x.kept

    @kernel
    def update(u, x, p):
        x.kept = u.later + 1.0


def test_a_loop_that_only_bdsim_sees_is_refused(bd):
    block, gain = Crossed(bd=bd, name="crossed"), bd.GAIN(1.0, name="gain")
    bd.connect(block.late, block.now)
    bd.connect(block.passed, gain)
    bd.connect(gain, block.later)
    program = hs.compile(bd)
    assert program.run(0.03, engine="python")["gain.out"].tolist() == [0.0, 1.0, 2.0, 3.0]
    with pytest.raises(RunError, match=r"crossed.* -> .*; engines 'c' and 'python' run this diagram\.$"):
        program.run(0.03, engine="bdsim")


def test_a_false_loop_through_a_frame_is_none(bd):
    """One direct and one delayed output: bdsim's own flattening takes them for a loop."""

    def part(sub, direct, delayed):
        return {
            "same": sub.GAIN(1.0, name="same", inputs=[direct]),
            "late": sub.ZOH(sub.base_clock, name="late", inputs=[delayed]),
        }

    block = hs.subsystem(bd, part)
    bd.connect(block.late, block.direct)
    bd.connect(bd.SUM("++", name="next", inputs=[block.same, bd.CONSTANT(1.0, name="one")]), block.delayed)
    reference = agreed(hs.compile(bd), 0.03, ENGINES)
    assert reference["part.late"].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_clocked_blocks_inside_bdsims_own_subsystem_run(bd):
    """SUBSYSTEM copies its diagram with the clocks in it, which bdsim's run then does not know."""
    sub = hs.BDSim().blockdiagram("inner", dt=DT)
    inport, outport = sub.INPORT(1), sub.OUTPORT(1)
    late = sub.DELAY(delay=0.03, name="late", inputs=[inport])
    sub.connect(late, outport)
    wave = bd.WAVEFORM("sine", freq=1.0, name="wave")
    bd.SUBSYSTEM(sub, name="inner", inputs=[wave])
    reference = agreed(hs.compile(bd), 0.5, ENGINES)
    np.testing.assert_array_equal(reference["inner/late.delayed"][3:], reference["wave.out"][:-3])


def test_a_tick_that_bdsim_cannot_tell_from_the_next_is_refused():
    bd = hs.BDSim().blockdiagram(dt=1e-6)
    bd.CONSTANT(1.0, name="one")
    with pytest.raises(RunError, match="at least 2e-06 s, got 1e-06 s"):
        hs.compile(bd).run(1e-5, engine="bdsim")


def test_a_block_deleted_after_compiling_is_missed(bd):
    bd.CONSTANT(1.0, name="one")
    two = bd.CONSTANT(2.0, name="two")
    program = hs.compile(bd)
    bd.delete_block(two)
    with pytest.raises(RunError, match="'two'"):
        program.run(0.1, engine="bdsim")
