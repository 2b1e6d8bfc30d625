"""A result: names, errors, files read back by readers that are not ours, and figures."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st

from hybsim.errors import HybsimError, ParameterError, RunError
from hybsim.runtime.export import matlab_names
from hybsim.runtime.result import Result, Stop, UnknownSignal

TICKS = 5000  # more than one block of rows of the csv writer
WRITERS = ["to_csv", "to_npz", "to_hdf5", "to_mat", "to_json"]
MANIFEST = {
    "diagram": "Fig. 3-5, α = 0.05",
    "dt": 0.01,
    "params": {"lag.mean": np.float64(0.5), "gains": np.array([1.0, np.nan]), "steps": np.int64(3)},
    "units": {"specimen.force": "kN", "rig/sensor.disp_meas": "mm", "model.disp_target": "mm"},
}
# The manifest as JSON must say it: numpy numbers plain, the number that is none as null.
MANIFEST_JSON = {**MANIFEST, "params": {"lag.mean": 0.5, "gains": [1.0, None], "steps": 3}}


# Runs code with hybsim as a bare package: its __init__ imports bdsim, and with it matplotlib and scipy.
ALONE = """
import importlib.util, sys, types
package = types.ModuleType("hybsim")
package.__path__ = list(importlib.util.find_spec("hybsim").submodule_search_locations)
sys.modules["hybsim"] = package
"""


def bits(values: Any) -> bytes:
    return np.ascontiguousarray(values, dtype="<f8").tobytes()


@pytest.fixture
def result() -> Result:
    rng = np.random.default_rng(7)
    hard = rng.integers(0, 2**64, TICKS, dtype=np.uint64).view(np.float64)
    hard[~np.isfinite(hard)] = 1 / 3
    hard[:4] = [-0.0, 5e-324, 1.7976931348623157e308, 0.1 + 0.2]
    columns = {
        "model.disp_target": hard,
        "rig/sensor.disp_meas": rng.standard_normal(TICKS),
        "specimen.force": rng.standard_normal(TICKS),
        "specimen.stiffness": rng.standard_normal(TICKS),
        "modes.disp": rng.standard_normal((TICKS, 3)),
    }
    return Result(np.arange(TICKS) * 0.01, columns, engine="c", manifest=MANIFEST)


@pytest.fixture
def stopped() -> Result:
    values = np.array([1.0, np.inf, np.nan])
    stop = Stop(tick=2, time=0.02, block="specimen", signal="force", reason="became nan")
    columns = {"specimen.force": values, "modes.disp": np.stack([values, -values], axis=1)}
    return Result(np.arange(3) * 0.01, columns, engine="python", manifest={}, stopped=stop)


# ---- names and values


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
    code = f"{ALONE}import hybsim.runtime.result; print(sorted({heavy} & set(sys.modules)))"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.strip() == "[]"


# ---- files


def read_csv(path: Path) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    comments = [line[2:] for line in lines if line.startswith("# ")]
    table = list(csv.reader(line for line in lines if not line.startswith("# ")))
    columns = np.array([[float(cell) for cell in row] for row in table[1:]]).T
    about = dict(line.split(": ", 1) for line in comments)
    return about, dict(zip(table[0], columns, strict=True))


def test_csv_reads_back_as_the_same_bits(result: Result, tmp_path: Path) -> None:
    about, columns = read_csv(result.to_csv(tmp_path / "run.csv"))
    vector = ["modes.disp[0]", "modes.disp[1]", "modes.disp[2]"]
    assert list(columns) == ["t", *result.names[:-1], *vector]
    assert bits(columns["t"]) == bits(result.t)
    for name in result.names[:-1]:
        assert bits(columns[name]) == bits(result[name])
    assert bits(np.stack([columns[name] for name in vector], axis=1)) == bits(result["modes.disp"])
    assert json.loads(about["manifest"]) == MANIFEST_JSON
    assert about["engine"] == "c" and json.loads(about["stopped"]) is None


def test_csv_quotes_a_name_with_a_comma(tmp_path: Path) -> None:
    result = Result(np.zeros(1), {'odd, "name".y': np.ones(1)}, engine="c", manifest={})
    _, columns = read_csv(result.to_csv(tmp_path / "run.csv"))
    assert list(columns) == ["t", 'odd, "name".y']


def test_npz_reads_back_as_the_same_bits(result: Result, tmp_path: Path) -> None:
    with np.load(result.to_npz(tmp_path / "run.npz"), allow_pickle=False) as file:
        assert set(file) == {"t", *result.names, "manifest", "engine", "stopped"}
        assert bits(file["t"]) == bits(result.t)
        for name in result:
            assert file[name].shape == result[name].shape and bits(file[name]) == bits(result[name])
        assert json.loads(str(file["manifest"])) == MANIFEST_JSON


def test_npz_keeps_the_name_it_was_given(result: Result, tmp_path: Path) -> None:
    result.to_npz(tmp_path / "archive")
    assert [path.name for path in tmp_path.iterdir()] == ["archive"]


def test_hdf5_reads_back_as_the_same_bits(result: Result, tmp_path: Path) -> None:
    with h5py.File(result.to_hdf5(tmp_path / "run.h5")) as file:
        for name in result:
            assert file[name].shape == result[name].shape and bits(file[name][()]) == bits(result[name])
        assert bits(file["t"][()]) == bits(result.t)
        assert json.loads(file.attrs["manifest"]) == MANIFEST_JSON
        assert file["specimen.force"].attrs["units"] == "kN" and file["t"].attrs["units"] == "s"
        assert list(file["rig"]) == ["sensor.disp_meas"]


def test_hdf5_holds_a_manifest_larger_than_an_object_header(tmp_path: Path) -> None:
    manifest = {"c_source": "x" * 200_000}  # HDF5 limits plain attributes to 64 kB
    result = Result(np.zeros(1), {"a.y": np.zeros(1)}, engine="c", manifest=manifest)
    with h5py.File(result.to_hdf5(tmp_path / "run.h5")) as file:
        assert json.loads(file.attrs["manifest"]) == manifest


def test_mat_reads_back_as_the_same_bits(result: Result, tmp_path: Path) -> None:
    file = scipy.io.loadmat(result.to_mat(tmp_path / "run.mat"))
    assert file["t"].shape == (TICKS, 1) and bits(file["t"]) == bits(result.t)
    names = {str(row[1][0]): str(row[0][0]) for row in file["names"]}
    assert names["rig/sensor.disp_meas"] == "rig_sensor_disp_meas"
    assert list(names) == result.names
    for name, variable in names.items():
        assert bits(file[variable]) == bits(result[name])
    assert file["modes_disp"].shape == (TICKS, 3)
    assert json.loads(str(file["manifest"][0])) == MANIFEST_JSON


def test_json_reads_back_as_the_same_bits(result: Result, tmp_path: Path) -> None:
    given_back = result.to_json(tmp_path / "run.json")
    file = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert file == given_back == result.to_json()
    assert file["manifest"] == MANIFEST_JSON and file["engine"] == "c" and file["stopped"] is None
    assert bits(file["t"]) == bits(result.t)
    for name in result:
        assert bits(file["signals"][name]) == bits(result[name])


def test_json_has_null_for_what_is_no_number(stopped: Result) -> None:
    def refuse(token: str) -> None:
        raise AssertionError(token)

    content = json.loads(json.dumps(stopped.to_json()), parse_constant=refuse)
    assert content["signals"]["specimen.force"] == [1.0, None, None]
    assert content["signals"]["modes.disp"] == [[1.0, -1.0], [None, None], [None, None]]
    assert content["stopped"]["tick"] == 2 and content["stopped"]["message"] == str(stopped.stopped)


def test_numbers_that_are_none_survive_in_the_other_files(stopped: Result, tmp_path: Path) -> None:
    about, columns = read_csv(stopped.to_csv(tmp_path / "run.csv"))
    assert columns["specimen.force"].tolist()[:2] == [1.0, np.inf] and np.isnan(columns["specimen.force"][2])
    assert json.loads(about["stopped"])["block"] == "specimen"
    with np.load(stopped.to_npz(tmp_path / "run.npz")) as file:
        assert bits(file["specimen.force"]) == bits(stopped["specimen.force"])
    assert bits(scipy.io.loadmat(stopped.to_mat(tmp_path / "run.mat"))["modes_disp"]) == bits(stopped["modes"])


@given(names=st.lists(st.text(st.characters(codec="ascii"), min_size=1, max_size=90), unique=True, max_size=12))
@settings(max_examples=200, deadline=None)
def test_matlab_accepts_every_name(names: list[str]) -> None:
    # MATLAB: a letter, then letters, digits and underscores; namelengthmax is 63.
    variables = list(matlab_names(names, taken={"t", "manifest"}).values())
    assert len(set(variables)) == len(names)
    for variable in variables:
        assert variable[0].isalpha() and variable.isidentifier() and variable.isascii() and len(variable) <= 63
        assert variable not in ("t", "manifest")


def test_two_signals_do_not_become_one_matlab_variable() -> None:
    long = "a" * 70
    assert matlab_names(["a/b.c", "a.b.c", long + ".x", long + ".y", "t", "1.y"], taken={"t"}) == {
        "a/b.c": "a_b_c",
        "a.b.c": "a_b_c_2",
        long + ".x": "a" * 63,
        long + ".y": "a" * 61 + "_2",
        "t": "t_2",
        "1.y": "x1_y",
    }


@pytest.mark.parametrize("writer", WRITERS)
def test_a_missing_folder_or_a_folder_as_the_file_is_refused(result: Result, tmp_path: Path, writer: str) -> None:
    write: Callable[[Path], Any] = getattr(result, writer)
    with pytest.raises(HybsimError, match=r"the folder '.*nowhere' does not exist, so create it first\."):
        write(tmp_path / "nowhere" / "run")
    with pytest.raises(HybsimError, match="it is a folder, so add a file name"):
        write(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("writer", WRITERS)
def test_a_write_that_fails_leaves_the_old_file(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    target = tmp_path / "run"
    target.write_text("old")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(RunError, match="No space left on device"):
        getattr(result, writer)(target)
    assert target.read_text() == "old" and [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_file_has_the_usual_permissions(result: Result, tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    result.to_csv(tmp_path / "run.csv")
    assert (tmp_path / "run.csv").stat().st_mode == (tmp_path / "plain").stat().st_mode


# ---- figures


def test_plot_stacks_quantities_over_a_shared_time(result: Result) -> None:
    figure = result.plot("model.disp_target", "rig/sensor", "specimen.force", title="Run 1")
    upper, lower = figure.axes
    assert [line.get_label() for line in upper.lines] == ["model.disp_target", "rig/sensor.disp_meas"]
    assert [text.get_text() for text in upper.get_legend().get_texts()] == [
        "model.disp_target",
        "rig/sensor.disp_meas",
    ]
    assert upper.get_ylabel() == "disp [mm]"
    assert lower.get_ylabel() == "specimen.force [kN]" and lower.get_legend() is None
    assert lower.get_xlabel() == "time [s]" and upper.get_xlabel() == ""
    assert upper.get_shared_x_axes().joined(upper, lower)
    assert figure.get_suptitle() == "Run 1"
    assert bits(lower.lines[0].get_xdata()) == bits(result.t)
    assert bits(lower.lines[0].get_ydata()) == bits(result["specimen.force"])


def test_plot_over_another_signal_draws_loops(result: Result) -> None:
    (area,) = result.plot("specimen.force", x="rig/sensor").axes
    assert area.get_xlabel() == "rig/sensor.disp_meas [mm]" and area.get_ylabel() == "specimen.force [kN]"
    assert bits(area.lines[0].get_xdata()) == bits(result["rig/sensor"])
    with pytest.raises(ParameterError, match=r"name one component, as in 'modes.disp\[0\]'"):
        result.plot("specimen.force", x="modes")


def test_plot_draws_every_component_of_a_vector(result: Result) -> None:
    (area,) = result.plot("modes").axes
    assert [line.get_label() for line in area.lines] == ["modes.disp[0]", "modes.disp[1]", "modes.disp[2]"]


def test_plot_without_names_draws_everything(result: Result) -> None:
    assert sum(len(area.lines) for area in result.plot().axes) == 7


def test_plot_draws_into_an_axes_that_is_given(result: Result) -> None:
    from matplotlib.figure import Figure

    own = Figure()
    ax = own.subplots()
    assert result.plot("specimen.force", "rig/sensor", ax=ax, title="both") is own
    assert ax.get_title() == "both" and ax.get_ylabel() == "disp, force" and len(ax.lines) == 2


def test_plot_says_that_a_run_stopped(stopped: Result) -> None:
    assert stopped.plot("specimen").get_supxlabel() == str(stopped.stopped)


def test_plot_names_the_signal_it_does_not_know(result: Result) -> None:
    with pytest.raises(UnknownSignal, match=r"Did you mean 'specimen\.force'"):
        result.plot("specimen.forces")
    with pytest.raises(RunError, match="nothing to plot"):
        Result(np.zeros(1), {}, engine="c", manifest={}).plot()


def test_plot_draws_a_run_that_diverged(tmp_path: Path) -> None:
    values = np.array([1.0, -1e150, 1.7e308, -1.7e308, np.inf, np.nan])
    result = Result(np.arange(6.0), {"a.y": values, "b.y": values}, engine="c", manifest={})
    figure = result.plot("a", save=tmp_path / "diverged.png")
    assert figure.axes[0].lines[0].get_ydata()[1] == -1e150
    result.plot("a", x="b", save=tmp_path / "loop.png")


def inside(figure: Any) -> bool:
    """Whether all that is drawn, labels included, lies on the page."""
    figure.draw_without_rendering()
    drawn = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    return bool(drawn.x0 >= 0 and drawn.y0 >= 0 and drawn.x1 <= width and drawn.y1 <= height)


def test_nothing_of_a_plot_is_cut_off(result: Result) -> None:
    long = "building/third_storey/actuator.disp_measured"
    columns = {long: result["rig/sensor"], "specimen.force": 1e9 * result["specimen.force"]}
    wide = Result(result.t, columns, engine="c", manifest={"units": {"specimen.force": "kN"}})
    assert inside(wide.plot(title="A run"))
    assert inside(wide.plot("specimen.force", x=long))
    assert inside(result.plot())


def test_a_figure_is_saved_by_its_ending_and_shown_by_a_notebook(result: Result, tmp_path: Path) -> None:
    figure = result.plot("specimen.force", save=tmp_path / "force.png")
    result.plot("specimen.force", save=tmp_path / "force.pdf")
    assert (tmp_path / "force.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "force.pdf").read_bytes().startswith(b"%PDF")
    assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    with pytest.raises(RunError, match="must end in one of"):
        result.plot("specimen.force", save=tmp_path / "force.txt")
    with pytest.raises(RunError, match="does not exist"):
        result.plot("specimen.force", save=tmp_path / "nowhere" / "force.png")


def test_plotting_leaves_the_readers_style_and_pyplot_alone(result: Result) -> None:
    code = ALONE + (
        "import numpy as np, matplotlib; before = dict(matplotlib.rcParams)\n"
        "from hybsim.runtime.result import Result\n"
        "Result(np.zeros(2), {'a.y': np.ones(2)}, engine='c', manifest={}).plot('a')._repr_png_()\n"
        "print('matplotlib.pyplot' in sys.modules, dict(matplotlib.rcParams) == before)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MPLBACKEND": "agg"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.split() == ["False", "True"]
