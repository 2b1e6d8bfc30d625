"""Widths, names, feedthrough and refusals of bdsim's own blocks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from bdsim.block import FunctionBlock
from bdsim.blocks import Gain as StockGain

from hybsim.blocks import stock
from hybsim.errors import DiagramError
from hybsim.kernel.spec import translate
from hybsim.wiring import BDSim

DT = 0.01


@pytest.fixture
def bd() -> Any:
    return BDSim().blockdiagram(dt=DT)


def feedthrough(block: Any, *widths: int) -> dict[str, set[str]]:
    spec = stock.spec(block, widths)
    found = translate(spec.kernels, spec.ins, spec.outs, spec.prepare(spec.parameters, DT)).feedthrough
    return {output: set(inputs) for output, inputs in found.items()}


# widths -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "ins", "outs"),
    [
        (lambda bd: bd.SUM("++"), [1, None], [None]),
        (lambda bd: bd.SUM("++"), [3, None], [3]),
        (lambda bd: bd.SUM("++"), [1, 1], [1]),
        (lambda bd: bd.PROD("**"), [3, None], [None]),
        (lambda bd: bd.PROD("**"), [3, 3], [1]),
        (lambda bd: bd.PROD("*/"), [3, None], [3]),
        (lambda bd: bd.GAIN(2.0), [None], [None]),
        (lambda bd: bd.GAIN(np.ones((3, 2))), [None], [2]),
        (lambda bd: bd.GAIN(np.ones((3, 2)), premul=True), [None], [3]),
        (lambda bd: bd.GAIN(np.ones(3)), [None], [None]),
        (lambda bd: bd.GAIN(np.ones(3)), [1], [3]),
        (lambda bd: bd.GAIN(np.ones(3)), [3], [1]),
        (lambda bd: bd.MUX(2), [3, None], [None]),
        (lambda bd: bd.MUX(2), [3, 1], [4]),
        (lambda bd: bd.DEMUX(2), [None], [1, 1]),
        (lambda bd: bd.INDEX([0, 1]), [None], [2]),
        (lambda bd: bd.INDEX("1:"), [None], [None]),
        (lambda bd: bd.INDEX("1:"), [4], [3]),
        (lambda bd: bd.INTEGRATOR([1, 2]), [None], [2]),
        (lambda bd: bd.ZOH(bd.base_clock, [1, 2]), [None], [2]),
        (lambda bd: bd.LTI_SISO(1, [1, 1]), [None], [1]),
        (lambda bd: bd.INTERPOLATE([0, 1], [0, 1]), [None], [None]),
        (lambda bd: bd.INTERPOLATE(xy=np.ones((4, 3)).cumsum(0)), [None], [2]),
        (lambda bd: bd.FUNCTION(lambda a: a), [None], [1]),
        (lambda bd: bd.CONSTANT([1, 2, 3]), [], [3]),
    ],
)
def test_widths_follow_from_what_is_known(bd: Any, make: Callable[[Any], Any], ins: Any, outs: Any) -> None:
    assert stock.out_widths(make(bd), ins) == outs


@pytest.mark.parametrize(
    ("make", "ins", "sizes"),
    [
        (lambda bd: bd.SUM("+++", name="b"), [3, 1, 4], "3 elements and input 2 has 4"),
        (lambda bd: bd.PROD("**", name="b"), [3, 4], "3 elements and input 1 has 4"),
        (lambda bd: bd.PROD("**", name="b"), [1, 4], "4 elements .* first input"),
        (lambda bd: bd.PROD("*/", name="b"), [4, 4], "divisor with 4 elements"),
        (lambda bd: bd.GAIN(np.ones((3, 2)), name="b"), [2], "2 element.* multiplies 3"),
        (lambda bd: bd.GAIN(np.ones(3), name="b"), [2], "2 element.* 3"),
        (lambda bd: bd.GAIN(np.ones(1), name="b"), [2], "2 element.* 1"),
        (lambda bd: bd.CLIP([0, 0, 0], 1, name="b"), [2], "2 element.* 3"),
        (lambda bd: bd.INTEGRATOR([0, 0, 0], name="b"), [2], "2 element.* 3"),
        (lambda bd: bd.INTEGRATOR([0, 0, 0], name="b"), [1], "1 element.* 3"),
        (lambda bd: bd.ZOH(bd.base_clock, name="b"), [2], "2 element.* 1"),
        (lambda bd: bd.INTEGRATOR_S(bd.base_clock, [0, 0], name="b"), [3], "3 element.* 2"),
        (lambda bd: bd.LTI_SISO(1, [1, 1], name="b"), [2], "2 element.* 1"),
        (lambda bd: bd.DEMUX(3, name="b"), [2], "2 element.* 3"),
        (lambda bd: bd.INDEX([3], name="b"), [2], "index 3 .* 2 element"),
        (lambda bd: bd.INTERPOLATE(xy=np.ones((4, 3)).cumsum(0), name="b"), [2], "2 element.* 1"),
    ],
)
def test_impossible_widths_name_the_block_and_both_sizes(bd: Any, make: Any, ins: Any, sizes: str) -> None:
    with pytest.raises(DiagramError, match=f"Block 'b' .*{sizes}"):
        stock.out_widths(make(bd), ins)


def test_a_mode_string_must_fit_the_vector(bd: Any) -> None:
    with pytest.raises(DiagramError, match=r"3 letter.* 2 elements"):
        stock.spec(bd.SUM("++", mode="rrc"), [2, 2])


# names, kinds and clocks --------------------------------------------------------------------


def test_ports_have_bdsims_names_or_numbers(bd: Any) -> None:
    named = stock.spec(bd.SUM("+-", inames=["target", "measured"], onames=["error"]), [1, 1])
    assert (named.ins, named.outs) == (("target", "measured"), ("error",))
    plain = stock.spec(bd.SUM("+-"), [1, 1])
    assert (plain.ins, plain.outs) == (("in0", "in1"), ("out",))
    many = stock.spec(bd.DEMUX(2), [2])
    assert (many.ins, many.outs) == (("in0",), ("out0", "out1"))


@pytest.mark.parametrize("name", ["for", "x dot", "3rd", "θ"])
def test_names_a_kernel_cannot_use_are_numbered_instead(bd: Any, name: str) -> None:
    spec = stock.spec(bd.SUM("+-", inames=[name, "other"]), [1, 1])
    assert spec.ins == ("in0", "in1")


def test_inputs_and_outputs_never_share_a_name(bd: Any) -> None:
    spec = stock.spec(bd.MUX(2, inames=["a", "b"], onames=["a"]), [1, 1])
    assert (spec.ins, spec.outs) == (("in0", "in1"), ("a",))


def test_sampled_blocks_have_the_period_of_their_clock(bd: Any) -> None:
    slow = bd.clock(20, unit="Hz")
    assert stock.spec(bd.ZOH(slow), [1]).period == 0.05
    assert stock.spec(bd.GAIN(1), [1]).period is None
    assert [stock.spec(b, [1]).kind for b in (bd.ZOH(slow), bd.GAIN(1), bd.INTEGRATOR())] == [
        "sampled",
        "function",
        "continuous",
    ]


# feedthrough --------------------------------------------------------------------------------


def test_feedthrough_is_that_of_the_equations(bd: Any) -> None:
    a, b, c = np.eye(2), np.ones(2), np.ones(2)
    assert feedthrough(bd.INTEGRATOR(), 1) == {"out": set()}
    assert feedthrough(bd.LTI_SS(a, b, c), 1) == {"out": set()}
    assert feedthrough(bd.LTI_SS(a, b, c, D=np.r_[1.0]), 1) == {"out": {"in0"}}
    assert feedthrough(bd.LTI_SISO([1, 0], [1, 1]), 1) == {"out": {"in0"}}
    assert feedthrough(bd.ZOH(bd.base_clock), 1) == {"out": set()}
    assert feedthrough(bd.INTEGRATOR_S(bd.base_clock), 1) == {"out": set()}
    assert feedthrough(bd.DERIV_S(bd.base_clock), 1) == {"out": {"in0"}}
    assert feedthrough(bd.PROD("*/"), 3, 1) == {"out": {"in0", "in1"}}
    assert feedthrough(bd.INPORT(2), 1, 2) == {"out0": {"in0"}, "out1": {"in1"}}


# the table ----------------------------------------------------------------------------------


def test_the_blocks_we_promise_are_in_the_table() -> None:
    promised = """
        CONSTANT TIME WAVEFORM PIECEWISE STEP RAMP SUM PROD GAIN POW CLIP INTERPOLATE INTEGRATOR LTI_SS LTI_SISO
        DERIV PID ZOH INTEGRATOR_S DERIV_S LTI_SS_S LTI_SISO_S PID_S MUX DEMUX INDEX SUBSYSTEM INPORT OUTPORT
        FUNCTION SCOPE NULL WATCH SCOPEXY PRINT
    """.split()
    assert set(promised) <= set(stock.supported())
    assert all(hasattr(BDSim().blockdiagram(), name) for name in stock.supported())


def test_sinks_have_no_outputs_and_others_are_no_sinks(bd: Any) -> None:
    for block in (bd.SCOPE(), bd.NULL(2), bd.WATCH(), bd.SCOPEXY(), bd.PRINT()):
        assert stock.is_sink(block) and stock.out_widths(block, [1] * block.nin) == []
    for block in (bd.GAIN(1), bd.STOP(), bd.OUTPORT(1)):
        assert not stock.is_sink(block)


@pytest.mark.parametrize("structure", ["parallel", "series", "ideal"])
def test_everything_inside_the_controllers_can_be_lowered(bd: Any, structure: str) -> None:
    gains = {"P": 1.0, "I": 2.0, "D": 3.0, "structure": structure}

    def blocks(sub: Any) -> list[Any]:
        inner = sub.subsystem.blocklist
        return [x for b in inner for x in (blocks(b) if hasattr(b, "subsystem") else [b])]

    for frame in (bd.PID(**gains), bd.PID_S(bd.base_clock, **gains), bd.DERIV(alpha=3.0, gain=2.0)):
        assert stock.is_supported(frame) and blocks(frame)
        for block in blocks(frame):
            assert stock.spec(block, [1] * stock.STOCK[type(block).__name__].ports(block)[0]).kernels


# refusals -----------------------------------------------------------------------------------


class Gain(StockGain):
    """A subclass that could compute anything."""


class Doubler(FunctionBlock):
    nin = nout = 1

    def output(self, t: float, inputs: list[Any], x: Any) -> list[Any]:
        return [2 * inputs[0]]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda bd: bd.STOP(name="b"), r"\(STOP\) .* fixed duration"),
        (lambda bd: bd.ITEM("a", name="b"), r"\(ITEM\) .* not dictionaries; use DEMUX"),
        (lambda bd: bd.INVERSE(name="b"), r"\(INVERSE\) .* not matrices"),
        (lambda bd: bd.NORM(name="b"), r"\(NORM\) .* hybsim block or a FUNCTION"),
        (lambda bd: Gain(2.0, bd=bd, name="b"), r"\(GAIN\) .* hybsim block or a FUNCTION"),
        (lambda bd: Doubler(bd=bd, name="b"), r"\(DOUBLER\) .* hybsim block or a FUNCTION"),
    ],
)
def test_blocks_not_in_the_table_are_refused_with_a_way_out(bd: Any, make: Any, reason: str) -> None:
    block = make(bd)
    assert not stock.is_supported(block)
    for refused in (stock.spec, stock.out_widths):
        with pytest.raises(DiagramError, match=f"Block 'b' {reason}"):
            refused(block, [1])


def keyword_only(a, *, b=1.0):
    return a * b


@pytest.mark.parametrize(
    ("make", "widths", "reason"),
    [
        (lambda bd: bd.FUNCTION(lambda a: np.sin(a), name="b"), [1], r"test_stock_wiring.py:\d+: 'np.sin'"),
        (lambda bd: bd.FUNCTION([np.sin], name="b"), [1], "'sin' is not a plain function"),
        (lambda bd: bd.FUNCTION(lambda a: a > 0, name="b"), [1], "bool, a number is needed"),
        (lambda bd: bd.FUNCTION(lambda a: a + 1.0, name="b"), [2], "array"),
        (lambda bd: bd.FUNCTION(keyword_only, fkwargs={"b": 2.0}, name="b"), [1], "keyword-only"),
        (lambda bd: bd.FUNCTION(lambda a, b: a, fargs=["x"], name="b"), [1], "not a number or an array"),
        (lambda bd: bd.FUNCTION(lambda a, d: a, persistent=True, name="b"), [1], "persistent"),
        (lambda bd: bd.FUNCTION([math.sin], nout=2, name="b"), [1], r"1 function\(s\) for 2 output"),
        (lambda bd: bd.INTERPOLATE([0, 1, 2, 3], [0, 1, 0, 1], kind="cubic", name="b"), [1], "linear"),
        (lambda bd: bd.INTEGRATOR_S(bd.base_clock, enable=lambda t, u, x: True, name="b"), [1], "enable="),
        (lambda bd: bd.LTI_SS(np.eye(2), np.ones(2), np.eye(2), name="b"), [1], "2 outputs"),
        (lambda bd: bd.LTI_SS(np.eye(2), np.ones(2), np.ones(2), x0=[1], name="b"), [1], "x0 has 1"),
        (lambda bd: bd.POW(2, matrix=True, name="b"), [4], "power of a matrix"),
        (lambda bd: bd.GAIN([1, 2], name="b"), [2], "K is a list"),
        (lambda bd: bd.CONSTANT(np.eye(2), name="b"), [], r"shape \(2, 2\)"),
        (lambda bd: bd.CONSTANT("text", name="b"), [], "not a number"),
        (lambda bd: bd.PIECEWISE((0, 1), (1, [1, 2]), name="b"), [], "one size"),
        (lambda bd: bd.INDEX(name="b"), [2], "index is empty"),
        (lambda bd: bd.INDEX("2:1", name="b"), [2], "chooses nothing"),
        (lambda bd: bd.SUM("++", mode="q", name="b"), [1, 1], "unknown letters"),
        (lambda bd: bd.SUM("++", name="b"), [1], r"2 input\(s\), 1 of them connected"),
        (lambda bd: bd.SCOPE(name="b"), [1], "is a sink"),
    ],
)
def test_what_cannot_be_lowered_is_refused_by_name(bd: Any, make: Any, widths: Any, reason: str) -> None:
    with pytest.raises(DiagramError, match=f"Block 'b' .*{reason}"):
        stock.spec(make(bd), widths)
