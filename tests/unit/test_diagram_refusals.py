"""What the adapter to bdsim refuses: open and double ends, names, rates."""

from __future__ import annotations

import pytest
from bdsim.block import SubsystemBlock

import hybsim as hs
from hybsim.errors import DiagramError
from hybsim.runtime.diagram import flatten, ticks_of

DT = 0.01


@pytest.fixture
def bd():
    return hs.BDSim().blockdiagram(dt=DT)


def test_an_unconnected_input_is_named(bd, capsys):
    bd.SPRING(stiffness=1.0, name="spring")
    for _ in range(2):
        with pytest.raises(DiagramError, match=r"^Input 'disp' of block 'spring' is not connected;"):
            flatten(bd)
        with pytest.raises(AssertionError, match="unconnected input"):
            bd.compile()


@pytest.mark.parametrize("before", [True, False])
def test_an_unconnected_input_of_a_subsystem_is_the_subsystems(bd, capsys, before):
    """After bdsim's flattening the name of the port is gone."""
    hs.subsystem(bd, lambda sub, command: {"force": sub.GAIN(1.0, name="gain", inputs=[command])}, name="rig")
    if not before:
        with pytest.raises(AssertionError, match="unconnected input"):
            bd.compile()
    with pytest.raises(
        DiagramError, match=rf"^Input '{'command' if before else 'in'}' of block 'rig' is not connected;"
    ):
        flatten(bd)


@pytest.mark.parametrize("before", [True, False])
def test_an_output_left_open_inside_a_subsystem_is_named(bd, capsys, before):
    sub = bd.runtime.blockdiagram()
    inport = sub.INPORT(1, name="inport")
    sub.OUTPORT(1, name="outport")
    sub.NULL(1, name="end", inputs=[inport])
    SubsystemBlock(sub, name="open", bd=bd, inputs=[bd.CONSTANT(1.0, name="one")])
    if not before:
        with pytest.raises(AssertionError, match="unconnected input"):
            bd.compile()
    with pytest.raises(DiagramError, match=r"^Output 'out' of subsystem 'open' is not connected inside it"):
        flatten(bd)


def test_a_second_driver_is_named(bd):
    gain = bd.GAIN(1.0, name="gain", inputs=[bd.CONSTANT(1.0, name="one")])
    bd.connect(bd.CONSTANT(2.0, name="two"), gain)
    with pytest.raises(DiagramError, match=r"'gain' is driven twice, by 'one' and 'two'"):
        flatten(bd)


def test_a_name_used_twice_is_refused(bd):
    bd.CONSTANT(1.0, name="part/gain")
    hs.subsystem(
        bd, lambda sub, a: {"b": sub.GAIN(1.0, name="gain", inputs=[a])}, name="part", inputs=[bd.CONSTANT(1.0)]
    )
    with pytest.raises(DiagramError, match=r"Two blocks are named 'part/gain'"):
        flatten(bd)


def test_a_port_that_does_not_exist_is_refused(bd):
    one, gain = bd.CONSTANT(1.0, name="one"), bd.GAIN(1.0, name="gain")
    bd.connect(one[1], gain)
    with pytest.raises(DiagramError, match=r"wire at output 1 of block 'one', which has 1 output\(s\)"):
        flatten(bd)


def test_a_block_of_another_diagram_is_refused(bd):
    other = hs.BDSim().blockdiagram(dt=DT).CONSTANT(1.0, name="elsewhere")
    bd.connect(other, bd.GAIN(1.0, name="gain"))
    with pytest.raises(DiagramError, match=r"'elsewhere' is wired but not in this diagram"):
        flatten(bd)


def test_a_port_of_a_subsystem_outside_one_is_refused(bd):
    bd.connect(bd.INPORT(1, name="inport"), bd.GAIN(1.0, name="gain"))
    with pytest.raises(DiagramError, match=r"'inport' \(INPORT\) belongs inside a subsystem"):
        flatten(bd)


def test_a_wire_that_only_passes_frames_is_refused(bd):
    frame = hs.subsystem(bd, lambda sub, a: {"same": a}, name="frame")
    bd.connect(frame, frame)
    bd.GAIN(1.0, name="gain", inputs=[frame])
    with pytest.raises(DiagramError, match="back to itself"):
        flatten(bd)


def test_a_clock_with_an_offset_is_refused(bd):
    bd.ZOH(bd.clock(0.02, offset=0.005, name="late"), name="hold", inputs=[bd.CONSTANT(1.0)])
    with pytest.raises(DiagramError, match=r"Clock 'late' has an offset of 0.005 s"):
        flatten(bd)


def test_a_diagram_without_a_tick_is_refused_unless_it_has_clocks():
    bd = hs.BDSim().blockdiagram()
    one = bd.CONSTANT(1.0, name="one")
    with pytest.raises(DiagramError, match=r"no base tick; make it with sim.blockdiagram\(dt=...\)"):
        flatten(bd)
    for period in (0.4, 0.2):
        bd.ZOH(bd.clock(period), name=f"hold{period}", inputs=[one])
    assert flatten(bd).dt == 0.2


@pytest.mark.parametrize(("period", "ticks"), [(0.1, 1), (0.3, 3), (0.1 + 1e-16, 1), (100.0, 1000)])
def test_periods_count_whole_ticks(period, ticks):
    assert ticks_of("block", period, 0.1) == ticks


@pytest.mark.parametrize("period", [0.05, 0.15, 0.1001])
def test_a_period_that_is_no_whole_multiple_is_refused(period):
    with pytest.raises(DiagramError, match=r"clock of block 'block' .* whole multiple"):
        ticks_of("block", period, 0.1)
