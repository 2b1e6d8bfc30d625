"""Files of a result, read back by readers that are not ours; names for MATLAB; writes that fail."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_results import MANIFEST_JSON, TICKS, bits

from hybsim.errors import HybsimError, RunError
from hybsim.runtime.export import matlab_names
from hybsim.runtime.result import Result

WRITERS = ["to_csv", "to_npz", "to_hdf5", "to_mat", "to_json"]


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
