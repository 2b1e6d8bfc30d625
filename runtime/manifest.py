"""What a result publishes about itself, so that anyone can compute the number again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from hybsim.runtime.graph import Node
    from hybsim.runtime.program import Program

LONGEST_LIST = 100

_version = cache(version)
"""Asked for at every run, and read from a file."""


def describe(program: Program, params: Mapping[str, Any], engine: str) -> dict[str, Any]:
    """Versions, tick, solver, engine and every block with its parameters."""
    changed = {node.name: block(node, changes) for node, changes in program.split(params).items()}
    return {
        "hybsim": _version("hybsim"),
        "numpy": np.__version__,
        "diagram": program.graph.name,
        "dt": program.dt,
        "solver": program.rule.name,
        "engine": engine,
        "program": program.digest,
        "units": dict(getattr(program.bd, "units", {})),
        "blocks": {name: changed.get(name) or dict(built) for name, built in program.described.items()},
    }


def block(node: Node, changes: Mapping[str, Any]) -> dict[str, Any]:
    """One block: its type and its parameters, some of them changed."""
    described = node.spec.describe({**node.spec.parameters, **changes})
    return {"type": node.spec.type, **{name: plain(value) for name, value in described.items()}}


def plain(value: Any) -> Any:
    """A parameter as JSON can hold it; long arrays by shape and hash."""
    if isinstance(value, np.ndarray):
        if value.size <= LONGEST_LIST:
            return value.tolist()
        return {"shape": list(value.shape), "sha256": hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value] if len(value) <= LONGEST_LIST else plain(np.asarray(value))
    return str(value)
