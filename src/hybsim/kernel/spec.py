"""A block as the engines see it: names, kernels and numbers, free of bdsim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import ir
from .dataflow import feedthrough
from .frontend import translate_kernel
from .origins import is_current
from .python_backend import compile_python
from .vocabulary import Prepared, Value

ROLES = {"outputs": ("u", "x", "p", "y"), "update": ("u", "x", "p"), "derivative": ("u", "x", "p", "dx")}


def nothing(values: Mapping[str, Any], dt: float, duration: float) -> None:
    """A block without a condition on the length of a run."""


def _as_given(values: Mapping[str, Any]) -> Mapping[str, Any]:
    return values


@dataclass(frozen=True)
class BlockSpec:
    """Everything the runtime needs to know of one block of a diagram.

    kind        "sampled" (changes at its ticks), "continuous" (has a derivative) or "function" (follows its inputs)
    parameters  the constructor's keywords with their values; keys of `params=` and `sweep`
    prepare     (parameters, dt) -> Prepared; checks them and raises ParameterError
    period      seconds between ticks of a sampled block; None for the base tick
    open        (parameters, dt, name) -> Session, for a block that is computed outside the program
    """

    name: str
    type: str
    kind: str
    ins: tuple[str, ...]
    outs: tuple[str, ...]
    parameters: Mapping[str, Any]
    prepare: Callable[[Mapping[str, Any], float], Prepared]
    kernels: Mapping[str, Callable[..., Any]]
    period: float | None = None
    check_run: Callable[[Mapping[str, Any], float, float], None] = nothing
    describe: Callable[[Mapping[str, Any]], Mapping[str, Any]] = _as_given
    prose: Mapping[str, str] = field(default_factory=dict)
    open: Callable[[Mapping[str, Any], float, str], Any] | None = None


@dataclass(eq=False)
class Translated:
    """The kernels of a block, translated for its types; Python functions are made when first asked for."""

    functions: dict[str, ir.Function]
    feedthrough: dict[str, frozenset[str]]
    _python: dict[ir.Function, Callable[..., Any]] = field(default_factory=dict)

    def python(self, role: str, function: ir.Function | None = None) -> Callable[..., Any]:
        function = function or self.functions[role]
        if function not in self._python:
            self._python[function] = compile_python(function, (*ROLES[role], "t"))
        return self._python[function]


def value_type(value: Value) -> ir.Type:
    if isinstance(value, np.ndarray):
        return ir.Array(value.shape)
    return "int" if isinstance(value, int | np.integer) else "float"


def state_type(value: Value) -> ir.Type:
    return ir.Array(value.shape) if isinstance(value, np.ndarray) else "float"


def port_types(names: Sequence[str], widths: Mapping[str, int]) -> dict[str, ir.Type]:
    return {name: ir.Array((widths[name],)) if name in widths else "float" for name in names}


_translated: dict[tuple[Any, ...], Translated] = {}


def translate(
    kernels: Mapping[str, Callable[..., Any]], ins: Sequence[str], outs: Sequence[str], prepared: Prepared
) -> Translated:
    """Translate a block's kernels for the types its parameters gave; equal blocks share the work."""
    inputs, outputs = port_types(ins, prepared.widths), port_types(outs, prepared.widths)
    state = {name: state_type(v) for name, v in prepared.x.items()}
    parameters: dict[str, ir.Type | int] = {name: value_type(v) for name, v in prepared.p.items()}
    parameters |= {name: int(v) for name, v in prepared.structure.items()}
    groups: dict[str, Any] = {"u": inputs, "x": state, "p": parameters, "y": outputs, "dx": state}
    key = tuple(tuple(g.items()) for g in groups.values()) + tuple(kernels.items())
    known = _translated.get(key)
    if known is None or not all(map(is_current, known.functions.values())):
        functions = {
            role: translate_kernel(function, role, {g: groups[g] for g in ROLES[role]})
            for role, function in kernels.items()
        }
        through = feedthrough(functions["outputs"]) if "outputs" in functions else {}
        _translated[key] = Translated(functions, through)
    return _translated[key]


def fresh(values: Mapping[str, Value]) -> SimpleNamespace:
    """Fields as kernels see them in Python: floats, ints and flat lists of floats."""
    return SimpleNamespace(**{name: python_value(v) for name, v in values.items()})


def python_value(value: Value) -> float | int | list[float]:
    if isinstance(value, np.ndarray):
        flat: list[float] = value.astype(float).ravel().tolist()
        return flat
    return int(value) if isinstance(value, int | np.integer) else float(value)


def blank(names: Sequence[str], widths: Mapping[str, int]) -> SimpleNamespace:
    """Ports before anything is computed: zeros."""
    return SimpleNamespace(**{name: [0.0] * widths[name] if name in widths else 0.0 for name in names})


def state_vector(values: Mapping[str, Value]) -> np.ndarray:
    """A block's state as one vector, in the order of its fields."""
    parts = [np.ravel(np.asarray(v, dtype=float)) for v in values.values()]
    return np.concatenate(parts) if parts else np.zeros(0)
