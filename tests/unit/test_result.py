"""A result: its names and values, what is refused, and what it needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bare_package import python
from sample_results import TICKS, bits

from hybsim.errors import ParameterError, RunError
from hybsim.runtime.result import Result, Stop, UnknownSignal


def test_a_stop_is_one_sentence() -> None:
    stop = Stop(tick=123, time=123 * 0.01, block="specimen", signal="force", reason="became nan")
    assert str(stop) == "Stopped at tick 123 (t = 1.23 s): output 'force' of block 'specimen' became nan."
    stop = Stop(tick=0, time=0.0, block="rig/n", signal="", reason="integer division by zero at n.py:12")
    assert str(stop) == "Stopped at tick 0 (t = 0 s): in block 'rig/n', integer division by zero at n.py:12."


def test_a_result_is_a_mapping_of_its_names(result: Result) -> None:
    names = [
        "model.disp_target",
        "rig/sensor.disp_meas",
        "specimen.force",
        "specimen.stiffness",
        "modes.disp",
    ]
    assert result.names == names == list(result) == list(dict(result))
    assert len(result) == 5
    assert result["modes.disp"].shape == (TICKS, 3)
    assert result.get("nothing.here") is None


def test_a_block_with_one_output_may_be_named_alone(result: Result) -> None:
    assert result["rig/sensor"] is result["rig/sensor.disp_meas"]
    assert "rig/sensor" in result and "specimen.force" in result
    assert "specimen" not in result and "sensor" not in result


def test_a_block_whose_name_has_a_dot_is_found() -> None:
    result = Result(np.zeros(1), {"gain.0.y": np.ones(1)}, engine="c", manifest={})
    assert result["gain.0"][0] == 1.0


def test_a_component_of_a_vector_has_an_index(result: Result) -> None:
    assert bits(result["modes.disp[2]"]) == bits(result["modes.disp"][:, 2])
    assert bits(result["modes[0]"]) == bits(result["modes.disp"][:, 0])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("specimn.force", "There is no signal 'specimn.force' in the result. Did you mean 'specimen.force'"),
        ("specimen", "Block 'specimen' has 2 outputs, so name one: 'specimen.force', 'specimen.stiffness'."),
        ("modes.disp[3]", "There is no signal 'modes.disp[3]': 'modes.disp' has the components 0 to 2."),
        ("specimen.force[0]", "There is no signal 'specimen.force[0]': 'specimen.force' is not a vector."),
    ],
)
def test_a_wrong_name_is_told_with_what_is_meant(result: Result, name: str, expected: str) -> None:
    with pytest.raises(UnknownSignal) as caught:
        result[name]
    assert str(caught.value).startswith(expected)
    assert isinstance(caught.value, KeyError) and isinstance(caught.value, ParameterError)


def test_final_and_peak() -> None:
    t = np.linspace(0.0, 1.0, 3)
    columns = {"a.y": np.array([1.0, -4.0, 2.0]), "b.y": np.array([[1.0, -1.0], [0.0, 7.0], [-3.0, 5.0]])}
    result = Result(t, columns, engine="c", manifest={})
    assert result.final("a") == 2.0 and result.peak("a") == 4.0
    assert result.final("b").tolist() == [-3.0, 5.0] and result.peak("b").tolist() == [3.0, 7.0]


def test_a_run_without_ticks_has_no_peak() -> None:
    result = Result(np.zeros(0), {"a.y": np.zeros(0)}, engine="c", manifest={})
    with pytest.raises(RunError, match="has no values: the run has no ticks"):
        result.peak("a.y")
    assert "0 ticks" in repr(result)


@pytest.mark.parametrize(
    ("t", "columns", "expected"),
    [
        (np.zeros(3), {"a.y": np.zeros(2)}, r"'a.y' has shape \(2,\), but must have \(3,\)"),
        (np.zeros(3), {"a.y": np.zeros((3, 2, 2))}, "'a.y' has shape"),
        (np.zeros(3), {"t": np.zeros(3)}, "named 'block.port'"),
        (np.zeros((3, 1)), {}, "must be one column"),
    ],
)
def test_columns_that_do_not_fit_are_refused(t: Any, columns: Any, expected: str) -> None:
    with pytest.raises(RunError, match=expected):
        Result(t, columns, engine="c", manifest={})


def test_repr_says_what_is_inside(stopped: Result) -> None:
    assert repr(stopped) == (
        "<Result: 3 ticks, t = 0 to 0.02 s, engine 'python', 2 signals: specimen.force, modes.disp; "
        "Stopped at tick 2 (t = 0.02 s): output 'force' of block 'specimen' became nan.>"
    )


def test_importing_a_result_needs_numpy_only() -> None:
    heavy = "{'h5py', 'scipy', 'matplotlib', 'bdsim', 'control'}"
    done = python(f"import hybsim.runtime.result; print(sorted({heavy} & set(sys.modules)))")
    assert done.stdout.strip() == "[]", done.stderr
