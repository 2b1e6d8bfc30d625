"""What the log of a test says about itself: all that is needed to compute the test again from its measured values.

kind            "loop", or "rig" where the log is that of the half that was cut out
diagram         FILE[:FUNCTION] that gave the diagram, and its `arguments`
params          changed parameters, by name
cut, home       the subsystem that the rig stands for, and its commands before the first tick
solver, dt      of the diagram, in s of the diagram
rig_file        the text of the rig file
digest          SHA-256 of the C source of the controller half
vectors         SHA-256 of its parameters and initial states
fade_parameter  place in p of the excitation's scale, or -1
units           column -> unit
versions        of what computed
session         of the run; the logger adds it
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from hybsim.hw.rig_model import Rig
from hybsim.runtime.cut import Cut
from hybsim.runtime.executable import Half
from hybsim.runtime.region import COLUMNS
from hybsim.runtime.set_up import fading

IN_SECONDS = ("late", "wake", "work", "driver_time")
"""Columns of the loop that are times."""


def about_test(
    cut: Cut, rig: Rig, *, diagram: str | None = None, arguments: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None, rig_file: str = "",
) -> dict[str, Any]:  # fmt: skip
    """The head of the logs of a test, as JSON can hold it."""
    program = cut.controller
    own = controller_params(cut, params or {})
    free = rig.free_vibration
    return {
        "kind": "loop",
        "diagram": diagram,
        "arguments": exact(arguments or {}),
        "params": exact(params or {}),
        "cut": cut.name,
        "home": exact(cut.home),
        "solver": program.rule.name,
        "dt": cut.dt,
        "rig_file": rig_file,
        "digest": source_digest(cut),
        "vectors": vectors_digest(*program.vectors(own)),
        "fade_parameter": -1 if free is None else fading(program, free.excitation),
        "units": units(cut, rig),
        "versions": versions(),
    }


def controller_params(cut: Cut, params: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the changed parameters that blocks of the controller half have."""
    return {name: value for name, value in params.items() if name in cut.controller.parameters}


def controller_half(cut: Cut) -> Half:
    return Half(cut.controller, "controller")


def source_digest(cut: Cut) -> str:
    """What tells this controller half from any other."""
    return hashlib.sha256(controller_half(cut).source.encode()).hexdigest()


def vectors_digest(p: np.ndarray, x: np.ndarray) -> str:
    return hashlib.sha256(p.astype("<f8").tobytes() + x.astype("<f8").tobytes()).hexdigest()


def versions() -> dict[str, str]:
    return {
        "hybsim": version("hybsim"),
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def units(cut: Cut, rig: Rig) -> dict[str, str]:
    """Of the columns whose unit is known."""
    known = {f"loop.{name}": "s" for name in COLUMNS if name in IN_SECONDS}
    known |= {f"command.{name}": channel.unit for name, channel in rig.commands.items()}
    for name, channel in rig.measured.items():
        known |= {f"measured.{name}": channel.unit, f"answer.{name}": channel.unit}
    signals = dict(getattr(cut.controller.bd, "units", {}))
    return known | {str(name): str(unit) for name, unit in signals.items()}


def exact(value: Any) -> Any:
    """A value as JSON gives it back with the same bits; what JSON cannot hold, as its text."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): exact(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [exact(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
