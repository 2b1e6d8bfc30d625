"""A result as a file: csv, npz, hdf5, mat, json, and its figures.

Every data file holds the time `t`, every signal under its name with the bits it was computed with, the
engine, the reason of an early stop and the manifest (how the run was made) as JSON text. A file appears
complete or not at all: it is written beside its place and moved there.
"""

from __future__ import annotations

import csv
import json
import math
import os
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hybsim.errors import RunError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hybsim.runtime.result import Result

MATLAB_NAME_LENGTH = 63
ROWS_AT_ONCE = 4096
# The look of a figure in a journal; colours that colour-blind readers can tell apart (Okabe and Ito).
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
PAPER: Any = {
    "font.family": ["STIXGeneral", "DejaVu Sans"],
    "axes.prop_cycle": f"cycler('color', {COLOURS})",
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "0.88",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.0,
    "figure.constrained_layout.w_pad": 0.08,
}


def write_csv(result: Result, path: str | os.PathLike[str]) -> Path:
    """Comment lines with `# `, a line of names, then one line a tick; a vector is `name[0]`, `name[1]`."""
    flat = dict(columns(result))
    with complete_file(path) as draft, open(draft, "w", encoding="utf-8", newline="") as file:
        for key, text in _about(result).items():
            file.write(f"# {key}: {text}\n")
        csv.writer(file, lineterminator="\n").writerow(["t", *flat])
        table = [result.t, *flat.values()]
        for start in range(0, result.t.size, ROWS_AT_ONCE):
            rows = np.column_stack([column[start : start + ROWS_AT_ONCE] for column in table]).tolist()
            # repr is the shortest text that reads back as the same number
            file.writelines(",".join(map(repr, row)) + "\n" for row in rows)
    return Path(path)


def write_npz(result: Result, path: str | os.PathLike[str]) -> Path:
    """One array a signal; read with `numpy.load`."""
    arrays: dict[str, Any] = {
        "t": result.t,
        **dict(result),
        **{k: np.array(v) for k, v in _about(result).items()},
    }
    with complete_file(path) as draft, open(draft, "wb") as file:
        np.savez(file, **arrays)
    return Path(path)


def write_hdf5(result: Result, path: str | os.PathLike[str]) -> Path:
    """One dataset a signal, subsystems as groups, units as attributes; the manifest is a root attribute."""
    import h5py

    with complete_file(path) as draft, h5py.File(draft, "w") as file:
        file.attrs.update(_about(result))
        for name, values in {"t": result.t, **dict(result)}.items():
            dataset = file.create_dataset(name, data=values)
            if unit := result.unit(name):
                dataset.attrs["units"] = unit
    return Path(path)


def write_mat(result: Result, path: str | os.PathLike[str]) -> Path:
    """One MATLAB variable a signal; `names` pairs each variable with the signal it holds."""
    from scipy.io import savemat

    about = _about(result)
    variables = matlab_names(list(result), taken={"t", "names", *about})
    pairs = np.array([[v, name] for name, v in variables.items()], dtype=object).reshape(-1, 2)
    content: dict[str, Any] = {"t": result.t, "names": pairs, **about}
    content |= {variables[name]: values for name, values in result.items()}
    with complete_file(path) as draft, open(draft, "wb") as file:
        savemat(file, content, oned_as="column")
    return Path(path)


def write_json(result: Result, path: str | os.PathLike[str] | None) -> dict[str, Any]:
    """The result as plain lists, also written to the path if one is given; NaN and Inf are null."""
    content = {
        "engine": result.engine,
        "stopped": _stopped(result),
        "manifest": plain(result.manifest),
        "t": plain(result.t),
        "signals": {name: plain(values) for name, values in result.items()},
    }
    if path is not None:
        with complete_file(path) as draft, open(draft, "w", encoding="utf-8") as file:
            json.dump(content, file, allow_nan=False, ensure_ascii=False)
    return content


def write_figure(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """A figure in the format that the ending of the path names."""
    formats = figure.canvas.get_supported_filetypes()
    ending = Path(path).suffix.removeprefix(".").lower()
    if ending not in formats:
        raise RunError(f"Cannot write a figure to '{path}': its name must end in one of {', '.join(sorted(formats))}.")
    with complete_file(path) as draft:
        figure.savefig(draft, format=ending, dpi=200)
    return Path(path)


@cache
def paper_figure() -> type[Figure]:
    """A figure without pyplot, so without a window, that a notebook shows; matplotlib is imported late."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    class PaperFigure(Figure):
        def draw(self, renderer: Any) -> None:
            # Ticks are made while drawing, so the style is needed then too.
            with rc_context(PAPER):
                super().draw(renderer)

        def _repr_png_(self) -> bytes:
            image = BytesIO()
            self.savefig(image, format="png", dpi=150)
            return image.getvalue()

    return PaperFigure


def columns(result: Result) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """The signals as single columns: a vector's components are `name[0]`, `name[1]`, ..."""
    for name, values in result.items():
        if values.ndim == 1:
            yield name, values
        else:
            yield from ((f"{name}[{i}]", values[:, i]) for i in range(values.shape[1]))


def matlab_names(names: list[str], *, taken: set[str]) -> dict[str, str]:
    """Signal name -> a MATLAB variable: letters, digits and `_`, a letter first, 63 long, no two alike."""
    used = set(taken)
    result: dict[str, str] = {}
    for name in names:
        stem = re.sub(r"[^A-Za-z0-9_]", "_", name)
        stem = stem if stem[:1].isalpha() else "x" + stem
        variable, count = stem[:MATLAB_NAME_LENGTH], 1
        while variable in used:
            count += 1
            ending = f"_{count}"
            variable = stem[: MATLAB_NAME_LENGTH - len(ending)] + ending
        used.add(variable)
        result[name] = variable
    return result


def plain(value: Any) -> Any:
    """A value as JSON knows it: arrays as lists, NaN and Inf as None, anything unknown as its text."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        finite = np.isfinite(value)
        if not finite.all():
            value = value.astype(object)
            value[~finite] = None
        return value.tolist()
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return str(value)


def _stopped(result: Result) -> dict[str, Any] | None:
    return None if result.stopped is None else {**plain(asdict(result.stopped)), "message": str(result.stopped)}


def _about(result: Result) -> dict[str, str]:
    """What a file says about the run, each on one line."""

    def text(value: Any) -> str:
        return json.dumps(plain(value), allow_nan=False, ensure_ascii=False)

    return {"engine": result.engine, "stopped": text(_stopped(result)), "manifest": text(result.manifest)}


@contextmanager
def complete_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A name to write to, moved to `path` when the writing succeeded and removed when it did not."""
    target = Path(os.path.realpath(os.path.expanduser(path)))
    if target.is_dir():
        raise RunError(f"Cannot write '{path}': it is a folder, so add a file name.")
    if target.exists() and not target.is_file():
        raise RunError(f"Cannot write '{path}': it is a device and not a file, so choose another name.")
    if not target.parent.is_dir():
        raise RunError(f"Cannot write '{path}': the folder '{target.parent}' does not exist, so create it first.")
    draft = target.with_name(f".{uuid.uuid4().hex}.part")
    try:
        yield draft
        os.replace(draft, target)
    except OSError as error:
        raise RunError(
            f"Cannot write '{path}' ({error.strerror or error}): choose another place or free this one."
        ) from error
    finally:
        draft.unlink(missing_ok=True)
