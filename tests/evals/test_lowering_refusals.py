"""What is refused before anything runs, in a sentence that says why: loops, rates, widths, wires, names, parameters."""

from __future__ import annotations

import numpy as np
import pytest
from small_blocks import Accumulator, Copies, Through

import hybsim as hs
from hybsim.errors import BlockError, DiagramError, ParameterError, RunError


@pytest.fixture
def bd():
    return hs.BDSim().blockdiagram(dt=0.1)


def test_a_rate_that_is_no_whole_multiple_is_refused(bd):
    Accumulator(bd=bd, name="odd", clock=bd.clock(0.25), inputs=[bd.CONSTANT(1.0)])
    with pytest.raises(DiagramError, match="'odd' has a period of 0.25 s, which is 2.5 base ticks of 0.1 s"):
        hs.compile(bd)


def test_an_algebraic_loop_is_refused_with_its_path_and_a_hint(bd):
    block = Through(bd=bd, name="block")
    gain = bd.GAIN(3.0, name="gain", inputs=[block.now])
    bd.connect(gain, block.value)
    with pytest.raises(DiagramError) as refusal:
        hs.compile(bd)
    text = str(refusal.value)
    assert "Algebraic loop" in text and "block (value -> now)" in text and "-> gain" in text
    assert "bd.DELAY(delay=dt)" in text


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


def test_a_wrong_parameter_name_lists_the_near_ones(bd):
    Through(bd=bd, name="block", inputs=[bd.CONSTANT(1.0, name="one")])
    program = hs.compile(bd)
    with pytest.raises(ParameterError, match="no parameter 'block.gian' in this diagram. Did you mean 'block.gain'"):
        program.run(1.0, params={"block.gian": 1.0})
    with pytest.raises(ParameterError, match="Did you mean 'block.gain'"):
        program.sweep({"blok.gain": [1.0, 2.0]}, duration=1.0)
    with pytest.raises(ParameterError, match="'gain' of block 'block' must be a single number"):
        program.run(1.0, params={"block.gain": "much"})


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
