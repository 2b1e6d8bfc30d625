"""The adapter to bdsim: the names it relies on, and flattening."""

from __future__ import annotations

import inspect

import bdsim
import pytest
from bdsim import components
from bdsim.block import Block, SubsystemBlock
from bdsim.exceptions import BlockRuntimeError
from bdsim.run_sim import BDSimState

import hybsim as hs
from hybsim.runtime import diagram
from hybsim.runtime.diagram import flatten

DT = 0.01


@pytest.fixture
def bd():
    return hs.BDSim().blockdiagram(dt=DT)


def wires(flat):
    """What drives what, by name."""
    name_of = {block: name for name, block in flat.blocks.items()}
    return {(name_of[b], port): (name_of[s], out) for (b, port), (s, out) in flat.drivers.items()}


def compiled(bd):
    """bdsim's own flattening, without the evaluation that its subsystems' clocks may spoil."""
    bd.compile(evaluate=False)
    return bd


def bdsim_wires(bd):
    """What drives what, read off the structures that bdsim's compile has made."""

    def source(block, port):
        start = block._input_wires[port].start
        through = start.block.type in ("inport", "outport")
        return source(start.block, start.port) if through else (start.block.name, start.port)

    blocks = [b for b in bd.blocklist if b.type not in ("inport", "outport")]
    return {(b.name, port): source(b, port) for b in blocks for port in range(b.nin)}


# bdsim's inner names ------------------------------------------------------------------------


def test_the_names_of_blocks_wires_and_clocks_exist(bd):
    clock = bd.clock(0.02, name="slow")
    first = bd.ZOH(clock, name="first", inputs=[bd.CONSTANT(1.0, name="one")])
    assert first._clock is clock and first.isclocked and not bd.blocknames["one"].isclocked
    assert (clock.T, clock.offset, clock.name, clock.blocklist) == (0.02, 0, "slow", [first])
    assert (first.nin, first.nout, first.type, first.name) == (1, 1, "zoh", "first")
    assert first._inport_names is None and first._outport_names is None
    spring = bd.SPRING(stiffness=1.0, name="spring")
    assert (spring._inport_names, spring._outport_names) == (["disp"], ["force"])
    assert bd.blocklist == [bd.blocknames["one"], first, spring] and clock in bd.clocklist
    (wire,) = bd.wirelist
    assert (wire.start.block, wire.start.port) == (bd.blocknames["one"], 0)
    assert (wire.end.block, wire.end.port) == (first, 0)
    assert clock in components.clocklist


def test_the_names_of_subsystems_exist(bd):
    frame = hs.subsystem(bd, lambda sub, a: {"same": sub.GAIN(1.0, inputs=[a])}, name="part")
    assert isinstance(frame, SubsystemBlock)
    assert (frame.inport.type, frame.outport.type) == ("inport", "outport")
    assert frame.inport in frame.subsystem.blocklist and frame.outport in frame.subsystem.blocklist


def test_the_names_of_a_run_exist():
    run = inspect.signature(bdsim.BDSim.run).parameters
    assert {"T", "dt", "max_step", "solver_args", "watch"} <= set(run)
    assert "evaluate" in inspect.signature(bdsim.BlockDiagram.compile).parameters
    state = BDSimState()
    assert (state.tlist, state.plist) == ([], [])
    assert list(inspect.signature(components.Clock.time).parameters) == ["self", "k"]
    assert list(inspect.signature(components.Clock.start).parameters) == ["self", "simstate"]


def test_a_failing_block_is_found_behind_bdsims_error(bd, capsys):
    block = bd.FUNCTION(lambda u: 1 / u, name="inverse", inputs=[bd.CONSTANT(0, name="zero")])
    with pytest.raises(RuntimeError, match="Fatal failure") as caught:
        bd.compile()
    failure = diagram.block_failure(caught.value)
    assert isinstance(failure, BlockRuntimeError)
    assert (failure.block, failure.operation, failure.t) == (block, "output", 0.0)
    assert isinstance(failure.cause, ZeroDivisionError)
    assert diagram.block_failure(ValueError("of another kind")) is None


def test_a_loop_is_read_off_what_bdsim_prints(bd, capsys):
    blocks = [bd.GAIN(1.0, name=name) for name in ("a", "b", "c")]
    for start, end in zip(blocks, blocks[1:] + blocks[:1], strict=True):
        bd.connect(start, end)
    with pytest.raises(RuntimeError, match="could not compile"):
        bd.compile()
    loop = diagram.loop_found(capsys.readouterr().out)
    assert loop in ("a -> b -> c -> a", "b -> c -> a -> b", "c -> a -> b -> c")
    assert diagram.loop_found("something else") == ""


def test_a_clock_is_forgotten_and_a_block_changes_clocks(bd):
    block = bd.ZOH(bd.base_clock, name="hold")
    before = list(components.clocklist)
    clock = diagram.Clock(0.5)
    diagram.forget_clock(clock)
    assert components.clocklist == before
    diagram.put_on_clock(block, clock)
    assert diagram.clock_of(block) is clock and clock.blocklist == [block]


def test_blocks_are_told_apart_by_identity():
    """Ports are keyed by their blocks."""
    assert Block.__hash__ is object.__hash__ and Block.__eq__ is object.__eq__


# flattening ---------------------------------------------------------------------------------


def nested(bd):
    """source -> outer(twice -> inner(specimen)) -> after, and the input passed straight through."""

    def inner(sub, disp):
        return {"force": sub.SPRING(stiffness=10.0, name="specimen", inputs=[disp])}

    def outer(sub, command):
        twice = sub.GAIN(2.0, name="twice", inputs=[command])
        return {"measured": hs.subsystem(sub, inner, inputs=[twice]), "command_too": command}

    source = bd.COSINEPULSE(amplitude=1.0, duration=1.0, name="source")
    frame = hs.subsystem(bd, outer, inputs=[source])
    bd.SUM("+-", name="after", inputs=[frame.measured, frame.command_too])
    return bd


NESTED = {
    ("outer/twice", 0): ("source", 0),
    ("outer/inner/specimen", 0): ("outer/twice", 0),
    ("after", 0): ("outer/inner/specimen", 0),
    ("after", 1): ("source", 0),
}


def test_nested_subsystems_flatten_the_same_before_and_after_bdsims_compile(bd, capsys):
    before = flatten(nested(bd))
    assert wires(before) == NESTED
    after = flatten(compiled(bd))
    assert wires(after) == NESTED == bdsim_wires(bd)
    assert before.blocks == after.blocks
    assert wires(flatten(compiled(bd))) == NESTED


def test_outputs_of_subsystems_are_aliases(bd):
    flat = flatten(nested(bd))
    name_of = {block: name for name, block in flat.blocks.items()}
    assert {alias: (name_of[b], port) for alias, (b, port) in flat.aliases.items()} == {
        "outer.measured": ("outer/inner/specimen", 0),
        "outer.command_too": ("source", 0),
        "outer/inner.force": ("outer/inner/specimen", 0),
    }
    result = hs.compile(bd).run(0.1, engine="python")
    assert result["outer.measured"] is result["outer/inner/specimen.force"]


class Halved(SubsystemBlock):
    """A macro as bdsim's PID is one; its OUTPORT has the output's name, which outlives bdsim's flattening."""

    nin, nout = 1, 1
    inlabels, outlabels = ["whole"], ["half"]

    def __init__(self, *, clock, bd, **blockargs):
        sub = bd.runtime.blockdiagram()
        inport, outport = sub.INPORT(1, name="inport"), sub.OUTPORT(1, name="outport", inames=["half"])
        hold = sub.ZOH(clock, name="hold", inputs=[inport])
        sub.connect(sub.GAIN(0.5, name="half_of", inputs=[hold]), outport)
        super().__init__(sub, bd=bd, **blockargs)


def test_a_macro_block_flattens_the_same_before_and_after_bdsims_compile(bd, capsys):
    one = bd.CONSTANT(1.0, name="one")
    halved = Halved(clock=bd.base_clock, bd=bd, name="halved", inputs=[one])
    bd.GAIN(3.0, name="after", inputs=[halved])
    expected = {
        ("halved/hold", 0): ("one", 0),
        ("halved/half_of", 0): ("halved/hold", 0),
        ("after", 0): ("halved/half_of", 0),
    }
    before = flatten(bd)
    assert wires(before) == expected
    after = flatten(compiled(bd))
    assert wires(after) == expected == bdsim_wires(bd)
    assert before.aliases == after.aliases == {"halved.half": (before.blocks["halved/half_of"], 0)}


def test_a_stock_macro_has_a_numbered_alias(bd, capsys):
    one = bd.CONSTANT(1.0, name="one")
    bd.PID_S(bd.base_clock, P=1.0, I=1.0, name="pid", inputs=[one, one])
    before = flatten(bd)
    assert set(before.aliases) == {"pid.out"}
    assert all(name == "one" or name.startswith("pid/") for name in before.blocks)
    assert wires(before) == wires(flatten(compiled(bd))) == bdsim_wires(bd)


def test_bdsims_subsystem_of_a_diagram_flattens_the_same_before_and_after(bd, capsys):
    inner = hs.BDSim().blockdiagram("inner", dt=DT)
    inport, outport = inner.INPORT(2, name="in"), inner.OUTPORT(1, name="out")
    total = inner.SUM("++", name="total", inputs=[inport[0], inport[1]])
    inner.connect(inner.ZOH(inner.clock(2 * DT), name="hold", inputs=[total]), outport)
    one = bd.CONSTANT(1.0, name="one")
    frame = bd.SUBSYSTEM(inner, name="frame", inputs=[one, one])
    bd.GAIN(3.0, name="after", inputs=[frame])
    expected = {
        ("frame/total", 0): ("one", 0),
        ("frame/total", 1): ("one", 0),
        ("frame/hold", 0): ("frame/total", 0),
        ("after", 0): ("frame/hold", 0),
    }
    assert wires(flatten(bd)) == expected
    assert inner.blocklist[2].name == "total"
    # bdsim's own run does not know the copied clock
    assert wires(flatten(compiled(bd))) == expected == bdsim_wires(bd)


def test_flattening_changes_nothing(bd):
    nested(bd)
    blocks, lines = list(bd.blocklist), [(w.start.block, w.end.block) for w in bd.wirelist]
    names = [b.name for b in blocks]
    flatten(bd)
    assert bd.blocklist == blocks and [b.name for b in blocks] == names
    assert [(w.start.block, w.end.block) for w in bd.wirelist] == lines and not bd.compiled


def test_slices_and_wires_given_twice_are_plain_wires(bd):
    pair = bd.DEMUX(2, name="pair", inputs=[bd.CONSTANT([1.0, 2.0], name="both")])
    total = bd.SUM("++", name="total")
    bd.connect(pair[0:2], total[0:2])
    bd.connect(pair[1], total[1])
    assert wires(flatten(bd)) == {
        ("pair", 0): ("both", 0),
        ("total", 0): ("pair", 0),
        ("total", 1): ("pair", 1),
    }


def test_ports_without_names_are_numbered(bd):
    assert diagram.port_name(bd.GAIN(1.0), 0, "in") == "in"
    assert diagram.port_name(bd.SUM("++"), 1, "in") == "in1"
    assert diagram.port_name(bd.DEMUX(2), 1, "out") == "out1"
    assert diagram.port_name(bd.SPRING(stiffness=1.0), 0, "out") == "force"
