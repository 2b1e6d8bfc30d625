"""Parameters of bdsim's own blocks: what `params=` finds, checks and refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybsim.blocks import stock
from hybsim.errors import ParameterError
from hybsim.wiring import BDSim


@pytest.fixture
def bd() -> Any:
    return BDSim().blockdiagram(dt=0.01)


def test_parameters_are_the_constructors_keywords(bd: Any) -> None:
    assert dict(stock.spec(bd.GAIN(3), [1]).parameters) == {"K": 3.0}
    assert dict(stock.spec(bd.STEP(2, off=-1, on=4), []).parameters) == {"T": 2.0, "off": -1.0, "on": 4.0}
    assert dict(stock.spec(bd.INTEGRATOR(0.5), [1]).parameters) == {
        "x0": 0.5, "gain": 1.0, "min": -np.inf, "max": np.inf,
    }  # fmt: skip
    assert stock.spec(bd.SUM("+-"), [1, 1]).parameters == {}


def test_the_parameters_of_a_function_are_its_further_arguments(bd: Any) -> None:
    block = bd.FUNCTION(lambda u, slope, order: slope * u ** float(order), fargs=[2.0], fkwargs={"order": 3})
    assert dict(stock.spec(block, [1]).parameters) == {"slope": 2.0, "order": 3}


def test_frequencies_are_in_hertz_whatever_the_block_was_made_with(bd: Any) -> None:
    spec = stock.spec(bd.WAVEFORM("sine", freq=4 * np.pi, unit="rad/s"), [])
    assert spec.parameters["freq"] == pytest.approx(2.0)


def test_a_linear_system_without_feedthrough_has_no_d(bd: Any) -> None:
    block = bd.LTI_SS(np.eye(2), np.ones(2), np.ones(2), name="lti")
    assert set(stock.spec(block, [1]).parameters) == {"A", "B", "C", "x0"}
    with pytest.raises(ParameterError, match="'lti' has no parameter 'D'"):
        stock.set_parameter(block, "D", [[1.0]])


def test_a_transfer_function_offers_its_initial_state_only(bd: Any) -> None:
    # bdsim keeps neither N nor D, and their scaling is lost.
    assert set(stock.spec(bd.LTI_SISO([1], [2, 1]), [1]).parameters) == {"x0"}


@pytest.mark.parametrize(
    ("make", "widths", "name", "value", "why"),
    [
        (lambda bd: bd.GAIN(3, name="b"), [1], "K", [1.0, 2.0], "a single number"),
        (lambda bd: bd.GAIN(3, name="b"), [1], "K", float("nan"), "finite"),
        (lambda bd: bd.GAIN(3, name="b"), [1], "K", "3", "a single number"),
        (lambda bd: bd.GAIN(3, name="b"), [1], "K", True, "a single number"),
        (lambda bd: bd.GAIN(np.eye(2), name="b"), [2], "K", np.eye(3), r"shape \(2, 2\)"),
        (lambda bd: bd.GAIN(np.eye(2), name="b"), [2], "K", [1, 2, 3, 4], r"shape \(2, 2\)"),
        (lambda bd: bd.CONSTANT([1, 2], name="b"), [], "value", 3.0, r"shape \(2,\)"),
        (lambda bd: bd.CLIP(0, 1, name="b"), [1], "min", float("nan"), "NaN"),
        (lambda bd: bd.POW(2, name="b"), [1], "p", [1, 2], "single number"),
        (lambda bd: bd.WAVEFORM(name="b"), [], "freq", 0.0, "greater than 0"),
        (lambda bd: bd.WAVEFORM(name="b"), [], "duty", 1.0, "less than 1"),
        (lambda bd: bd.PIECEWISE((0, 1), (1, 2), name="b"), [], "seq", [(0, 1)], "2 pairs"),
        (lambda bd: bd.PIECEWISE((0, 1), (1, 2), name="b"), [], "seq", 3.0, "2 pairs"),
        (lambda bd: bd.INTEGRATOR([1, 2], name="b"), [2], "x0", [1, 2, 3], r"shape \(2,\)"),
        (lambda bd: bd.INTERPOLATE([0, 1], [0, 1], name="b"), [1], "y", [1, 2, 3], r"shape \(2,\)"),
        (lambda bd: bd.FUNCTION(lambda u, n: u * n, fargs=[2], name="b"), [1], "n", 2.5, "whole number"),
    ],
)
def test_bad_values_are_refused_and_leave_the_block_alone(
    bd: Any, make: Any, widths: Any, name: str, value: Any, why: str
) -> None:
    block = make(bd)
    spec, before = stock.spec(block, widths), dict(vars(block))
    with pytest.raises(ParameterError, match=f"{name!r} of block 'b' .*{why}"):
        spec.prepare({**spec.parameters, name: value}, 0.01)
    with pytest.raises(ParameterError, match=f"{name!r} of block 'b' .*{why}"):
        stock.set_parameter(block, name, value)
    assert all(vars(block)[key] is item for key, item in before.items())


def test_an_unknown_name_lists_what_is_near(bd: Any) -> None:
    block = bd.WAVEFORM(name="wave")
    for refused in (
        lambda: stock.set_parameter(block, "frequ", 2.0),
        lambda: stock.spec(block, []).prepare({"frequ": 2.0}, 0.01),
    ):
        with pytest.raises(ParameterError, match=r"'wave' has no parameter 'frequ'. Did you mean 'freq'"):
            refused()


def test_a_table_over_time_must_cover_the_run(bd: Any) -> None:
    spec = stock.spec(bd.INTERPOLATE([0, 2], [0, 1], time=True, name="record"), [])
    spec.check_run(spec.parameters, 0.01, 2.0)
    with pytest.raises(ParameterError, match=r"'record' .* 0 s to 2 s, .* a run of 2.5 s"):
        spec.check_run(spec.parameters, 0.01, 2.5)
    late = stock.spec(bd.INTERPOLATE([0.5, 2], [0, 1], time=True), [])
    with pytest.raises(ParameterError, match=r"0\.5 s to 2 s"):
        late.check_run(late.parameters, 0.01, 1.0)
    by_input = stock.spec(bd.INTERPOLATE([0, 2], [0, 1]), [1])
    by_input.check_run(by_input.parameters, 0.01, 100.0)


def test_equal_blocks_share_their_kernels(bd: Any) -> None:
    first, second = stock.spec(bd.GAIN(1.0), [1]), stock.spec(bd.GAIN(2.0), [1])
    assert first.kernels["outputs"] is second.kernels["outputs"]
    assert first.kernels["outputs"] is not stock.spec(bd.GAIN(1.0), [2]).kernels["outputs"]
