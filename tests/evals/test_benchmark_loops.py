"""The loops a program is timed against compute what the program computes, bit for bit."""

import importlib
from pathlib import Path

import numpy as np
import pytest
from agreement import agreed

import hybsim as hs

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark_module(monkeypatch):
    """A module of the folder benchmarks, which is no package."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


def assert_same_bits(program, result, rows):
    for name in program.names:
        column = np.ascontiguousarray(rows[:, program.signal(name).column])
        np.testing.assert_array_equal(result[name].view(np.int64), column.view(np.int64), err_msg=name)


@pytest.mark.parametrize("specimen", ["linear", "elastic-plastic"])
def test_the_hand_written_loop_of_fig_3_5(benchmark_module, specimen):
    fig_3_5 = benchmark_module("fig_3_5")
    program = hs.compile(fig_3_5.diagram(specimen))
    result = program.run(fig_3_5.DURATION, engine="c", params={"noise.seed": 7})
    rows = np.full((result.t.size, fig_3_5.SIGNALS), np.nan)
    fig_3_5.hand_written_loop(program, specimen, seed=7)(rows)
    assert_same_bits(program, result, rows)
    assert (result.peak("specimen.force") == 10.0) == (specimen == "elastic-plastic")


def test_the_hand_written_loop_of_the_delayed_bouc_wen_oscillator(benchmark_module):
    bouc_wen = benchmark_module("delayed_bouc_wen")
    oscillator = bouc_wen.Oscillator()
    program = hs.compile(bouc_wen.diagram(oscillator), solver="rk4")
    result = program.run(bouc_wen.DURATION, engine="c")
    rows = np.full((result.t.size, bouc_wen.SIGNALS), np.nan)
    bouc_wen.hand_written_loop(oscillator)(rows)
    assert_same_bits(program, result, rows)
    assert result.peak("disp") > oscillator.yield_disp


def test_pathsim_integrates_the_same_oscillator(benchmark_module):
    pytest.importorskip("pathsim")
    bouc_wen = benchmark_module("delayed_bouc_wen")
    oscillator = bouc_wen.Oscillator()
    simulation, scope = bouc_wen.pathsim(oscillator)
    simulation.run(2.0)
    time, (disp, force) = scope.read()
    result = hs.compile(bouc_wen.diagram(oscillator), solver="rk4").run(2.0, engine="c")
    assert time.size == result.t.size
    np.testing.assert_allclose(disp, result["disp"], rtol=0, atol=1e-10 * result.peak("disp"))
    np.testing.assert_allclose(force, result["specimen"], rtol=0, atol=1e-10 * result.peak("specimen"))


@pytest.mark.parametrize("blocks", [11, 120])
def test_a_chain_has_its_length_stays_finite_and_is_the_same_in_python(benchmark_module, blocks):
    program = hs.compile(benchmark_module("chains").chain(blocks))
    assert len(program.graph.nodes) == blocks
    assert {node.spec.kind for node in program.graph.nodes} == {"continuous", "sampled", "function"}
    agreed(program, 0.1)
