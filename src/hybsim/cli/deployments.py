"""A diagram and a rig file, from the words of a command line to a deployment; what is wrong is refused here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .target import assignments, load_diagram

if TYPE_CHECKING:
    from hybsim.hw.rig_model import Rig
    from hybsim.runtime.deployment import Deployment
    from hybsim.runtime.set_up import SetUp

RigOption = Annotated[
    str | None, typer.Option("--rig", metavar="FILE", help="The rig file: device, channels, limits, ramps, rate.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="BLOCK.PARAM=VALUE", help="Change a parameter; may be repeated."),
]
OutOption = Annotated[str | None, typer.Option("--out", metavar="FOLDER", help="Where the record goes.")]


@dataclass(frozen=True)
class Job:
    """What was asked for, checked; `setups` are those of the loop and of the virtual rig."""

    target: str
    diagram: Any
    deployment: Deployment
    setups: tuple[SetUp, SetUp]

    @property
    def rig(self) -> Rig:
        return self.deployment.rig

    @property
    def name(self) -> str:
        return str(self.deployment.cut.controller.graph.name)


def prepare(
    target: str, rig_file: str, arg: Sequence[str] | None, set_: Sequence[str] | None, solver: str = "rk4"
) -> Job:  # fmt: skip
    """Read, cut and check."""
    from hybsim.hw.rig_file import RigFileError, parse_rig, seen_from
    from hybsim.runtime.cut import Cut
    from hybsim.runtime.deployment import Deployment
    from hybsim.runtime.log_about import about_test

    path = Path(rig_file).expanduser()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise RigFileError(f"The rig file '{rig_file}' cannot be read: {why}.") from error
    rig = seen_from(path.parent, parse_rig(text, name=path.name))
    arguments, params = assignments(arg, "--arg"), assignments(set_, "--set")
    diagram = load_diagram(target, arguments)
    cut = Cut(diagram, rig.cut, solver=solver)
    if any(one.home != 0.0 for one in rig.commands.values()):
        Deployment(cut, rig).check()  # refuses channels that are not those of the cut in its own words
        cut = Cut(diagram, rig.cut, solver=solver, home=home_positions(rig))
    checked = Deployment(cut, rig, params=params)
    setups = checked.check()
    head = about_test(cut, rig, diagram=target, arguments=arguments, params=params, rig_file=text)
    return Job(target, diagram, Deployment(cut, rig, head, params), setups)


def home_positions(rig: Rig) -> dict[str, Any]:
    """By port, from the channels of the rig file: NAME, or NAME[0], NAME[1], ... of a port of several numbers."""
    found: dict[str, Any] = {}
    for name, one in rig.commands.items():
        parts = re.fullmatch(r"(.+)\[(\d+)\]", name)
        if parts is None:
            found[name] = one.home
        else:
            found.setdefault(parts[1], {})[int(parts[2])] = one.home
    return {
        port: value if isinstance(value, float) else [value[i] for i in sorted(value)] for port, value in found.items()
    }
