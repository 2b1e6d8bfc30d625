"""Reading a rig file: strict, and every refusal names the file, the line and the key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from hybsim.errors import HybsimError, near
from hybsim.hw.rig_model import Interval, Rig


class RigFileError(HybsimError):
    """A rig file is refused."""


class Problem(NamedTuple):
    """What is wrong with one key."""

    key: tuple[str, ...]
    says: str


def read_rig(path: str | Path) -> Rig:
    """The rig that a file describes; anything doubtful is refused, all of it at once.

    >>> from importlib.resources import files
    >>> rig = read_rig(files("hybsim.diagrams") / "rigs" / "virtual_rig.toml")
    >>> rig.rate, list(rig.commands), rig.commands["disp_cmd"].soft.high
    (1024.0, ['disp_cmd'], 2.0)
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RigFileError(f"The rig file '{file}' cannot be read: {error}.") from error
    return seen_from(file.parent, parse_rig(text, name=file.name))


def seen_from(folder: Path, rig: Rig) -> Rig:
    """With the key file, which a rig file names as seen from itself, where it is."""
    if not rig.device.key_file:
        return rig
    key = str(folder / rig.device.key_file)
    return rig.model_copy(update={"device": rig.device.model_copy(update={"key_file": key})})


def parse_rig(text: str, *, name: str = "rig.toml") -> Rig:
    """As read_rig, from a text."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RigFileError(f"{name} is not TOML: {error}.") from error
    try:
        rig = Rig.model_validate(content)
    except ValidationError as error:
        raise RigFileError(_report(name, text, _problems(error))) from error
    if wrong := list(_between_channels(rig)):
        raise RigFileError(_report(name, text, wrong))
    return rig


def _between_channels(rig: Rig) -> Iterator[Problem]:
    """What can be seen only with all channels together."""
    for direction, channels in (("commands", rig.commands), ("measured", rig.measured)):
        taken: dict[int, str] = {}
        for name, one in channels.items():
            if one.channel in taken:
                yield Problem(
                    (direction, name, "channel"), f"channel {one.channel} is that of {taken[one.channel]!r} already"
                )
            taken.setdefault(one.channel, name)
    for name, one in rig.measured.items():
        if one.follows is None:
            continue
        key = ("measured", name, "follows")
        command = rig.commands.get(one.follows)
        if command is None:
            yield Problem(key, f"there is no command {one.follows!r}.{near(one.follows, rig.commands)}".rstrip("."))
        elif command.unit != one.unit:
            yield Problem(key, f"{one.follows!r} is in {command.unit}, this channel in {one.unit}")
        elif one.tracking and not one.hard.holds(_widened(command.soft, one.tracking.least)):
            yield Problem(
                ("measured", name, "hard"),
                f"hard, {one.hard.low:g} to {one.hard.high:g}, must hold the soft limits of {one.follows!r},"
                f" {command.soft.low:g} to {command.soft.high:g}, and the tracking error of"
                f" {one.tracking.least:g} beyond",
            )
        elif one.hard.rate < command.soft.velocity:
            yield Problem(
                ("measured", name, "hard"),
                f"hard.rate = {one.hard.rate:g} is below soft.velocity = {command.soft.velocity:g} of {one.follows!r}",
            )
    followed = {one.follows for one in rig.measured.values()}
    for name in rig.commands:
        if name not in followed:
            yield Problem(
                ("commands", name), "no measured value follows it, so nothing tells where it is: see `follows`"
            )
    if rig.watchdog.device * rig.rate < 3.0:
        yield Problem(
            ("watchdog", "device"), f"{rig.watchdog.device:g} s is less than three ticks, {3.0 / rig.rate:g} s"
        )


def _widened(limits: Interval, by: float) -> Interval:
    return Interval(low=limits.low - by, high=limits.high + by)


def _problems(error: ValidationError) -> list[Problem]:
    found = []
    for one in error.errors():
        key = tuple(str(part) for part in one["loc"])
        got = one.get("input")
        if one["type"] == "extra_forbidden":
            says = f"unknown key {key[-1]!r}.{near(key[-1], _keys(key[:-1]))}".rstrip(".")
        elif one["type"] == "missing":
            says = f"the key {key[-1]!r} is missing"
        elif one["type"] == "value_error":
            says = str(one["ctx"]["error"])
        else:
            says = f"{one['msg'][:1].lower()}{one['msg'][1:]}, got {_short(got)}"
        found.append(Problem(key, says))
    return found


def _keys(path: tuple[str, ...]) -> list[str]:
    """The keys that the table at a path may have."""
    kind: Any = Rig
    for part in path:
        field = kind.model_fields.get(part) if isinstance(kind, type) and issubclass(kind, BaseModel) else None
        if field is not None:
            kind = field.annotation
        kinds = [kind, *getattr(kind, "__args__", ())]
        models = [one for one in kinds if isinstance(one, type) and issubclass(one, BaseModel)]
        kind = models[0] if models else kind
    return list(kind.model_fields) if isinstance(kind, type) and issubclass(kind, BaseModel) else []


def _short(value: object) -> str:
    text = "a table" if isinstance(value, Mapping) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _report(name: str, text: str, problems: list[Problem]) -> str:
    lines = _lines(text)
    parts = []
    for problem in problems:
        at = next(
            (lines[problem.key[:n]] for n in range(len(problem.key), 0, -1) if problem.key[:n] in lines), None
        )  # the key itself, or the table it should be in
        where = f"line {at}, " if at else ""
        parts.append(f"{where}{'.'.join(problem.key) or 'the file'}: {problem.says}")
    return f"{name} is refused: " + "; ".join(parts) + "."


def _lines(text: str) -> dict[tuple[str, ...], int]:
    """The line of every key and table; the first one where a key stands twice."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\[?([^\]]+)\]", line):
            table = _dotted(header[1])
            lines.setdefault(table, number)
        elif key := re.match(r"\s*([\w\-.\"']+)\s*=\s*(.*)", line):
            path = (*table, *_dotted(key[1]))
            lines.setdefault(path, number)
            for inner in re.findall(r"([\w\-]+)\s*=", key[2] if key[2].startswith("{") else ""):
                lines.setdefault((*path, inner), number)
    return lines


def _dotted(key: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in key.split("."))
