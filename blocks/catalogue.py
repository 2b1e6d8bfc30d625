"""The catalogue as plain data, read off the blocks themselves: what `hybsim blocks` and docs/blocks.md show.

A block is described by a mapping: name, class, family, kind, summary, equation (the docstring of its module),
inputs, outputs, parameters, feedthrough, example and source. Nothing here is written by hand a second time.
"""

from __future__ import annotations

import importlib
import inspect
from types import SimpleNamespace
from typing import Any

from hybsim.blocks import CATALOGUE, stock
from hybsim.errors import BlockError, near
from hybsim.kernel import Choice, Integer, KernelBlock, Matrix, Param, Positive, Real, Switch, Vector
from hybsim.kernel.parameters import REQUIRED

TICK = 0.001
"""The tick for which the examples are built."""

KINDS: dict[type[Param], str] = {
    Real: "number", Positive: "number", Integer: "whole number", Vector: "number or list of numbers",
    Matrix: "number or square matrix", Choice: "word", Switch: "True or False", Param: "",
}  # fmt: skip


SIGNS = {"greater than": ">", "less than": "<", "at least": ">=", "at most": "<="}


def families() -> dict[str, str]:
    """The folders of the blocks, in the order of the catalogue, with what each holds."""
    return {name: _first_line(importlib.import_module(f"hybsim.blocks.{name}").__doc__)
            for name in dict.fromkeys(_family(cls) for cls in CATALOGUE.values())}  # fmt: skip


def blocks() -> list[dict[str, Any]]:
    """Every block of ours, in the order of the catalogue."""
    return [describe(name) for name in CATALOGUE]


def find(name: str) -> dict[str, Any]:
    """One block by its name in a diagram or its class, whatever the case; ours or one of bdsim's."""
    wanted = name.casefold()
    for known, cls in CATALOGUE.items():
        if wanted in (known.casefold(), cls.__name__.casefold()):
            return describe(known)
    for known in stock_names():
        if wanted == known.casefold():
            return describe_stock(known)
    raise BlockError(f"There is no block {name!r}.{near(name.upper(), [*CATALOGUE, *stock_names()])}")


def describe(name: str) -> dict[str, Any]:
    """One block of ours."""
    cls = CATALOGUE[name]
    module = importlib.import_module(cls.__module__)
    return {
        "name": name,
        "class": cls.__name__,
        "family": _family(cls),
        "kind": cls.kind,
        "summary": _first_line(cls.__doc__),
        "equation": (module.__doc__ or "").strip(),
        "inputs": dict(cls.ins),
        "outputs": dict(cls.outs),
        "parameters": [_parameter(key, declared) for key, declared in cls.params.items()],
        "feedthrough": feedthrough(name),
        "example": example(name),
        "module": cls.__module__,
        "source": _source(cls.__module__),
    }


def feedthrough(name: str) -> dict[str, list[str]]:
    """For each output the inputs it follows within the tick, for the block of the example."""
    cls = CATALOGUE[name]
    values = cls.params.resolve(cls.example, name)
    prepared = cls.prepare(SimpleNamespace(**values), TICK)
    found = cls.translated(prepared).feedthrough
    return {out: [port for port in cls.ins if port in found.get(out, ())] for out in cls.outs}


def example(name: str) -> str:
    """A call that makes the block."""
    return f"bd.{name}({', '.join(f'{key}={value!r}' for key, value in CATALOGUE[name].example.items())})"


# bdsim's own blocks -------------------------------------------------------------------------


def stock_names() -> list[str]:
    """bdsim's blocks that can be lowered, by subject as in the table of them."""
    known = set(stock.supported())
    return [name.upper() for name in stock.STOCK if name.upper() in known]


def stock_groups() -> dict[str, list[str]]:
    """bdsim's blocks by subject."""
    groups: dict[str, list[str]] = {}
    for name in stock_names():
        groups.setdefault(describe_stock(name)["family"], []).append(name)
    return groups


def describe_stock(name: str) -> dict[str, Any]:
    """One of bdsim's blocks: what hybsim makes of it; its arguments are in bdsim's documentation."""
    key = next(k for k in stock.STOCK if k.upper() == name)
    entry = stock.STOCK[key]
    module = type(entry).__module__
    family = {"sink": "displays and sinks", "subsystem": "subsystems"}.get(entry.kind, module.rpartition(".")[2])
    return {
        "name": name,
        "class": key,
        "family": STOCK_FAMILIES.get(family, family),
        "kind": entry.kind,
        "summary": "One of bdsim's own blocks, lowered like ours.",
        "equation": (importlib.import_module(module).__doc__ or "").strip(),
        "module": module,
        "source": _source(module),
    }


STOCK_FAMILIES = {"interpolation": "functions", "callables": "functions", "linear": "linear systems"}


# parts --------------------------------------------------------------------------------------


def _parameter(name: str, declared: Param) -> dict[str, Any]:
    required = declared.default is REQUIRED
    return {
        "name": name,
        "prose": declared.prose,
        "required": required,
        "default": None if required else declared.default,
        "allowed": allowed(declared),
    }


def allowed(declared: Param) -> str:
    """What values a parameter takes, in words."""
    kind = KINDS.get(type(declared))
    if isinstance(declared, Choice):
        return " or ".join(repr(word) for word in declared.among)
    if kind is None and isinstance(declared, Real | Vector | Matrix):
        # a declaration of a block's own says it in its docstring
        kind = _first_line(type(declared).__doc__).rstrip(".")
        kind = kind[:1].lower() + kind[1:]
    if not isinstance(declared, Real):
        return kind or ""
    bounds = [f"{SIGNS[words]} {bound:.17g}" for bound, _, words in declared.limits if bound is not None]
    text = f"{kind} {' and '.join(bounds)}" if bounds else str(kind)
    return f"{text}, or None" if declared.optional else text


def _family(cls: type[KernelBlock]) -> str:
    return cls.__module__.removeprefix("hybsim.blocks.").partition(".")[0]


def _source(module: str) -> str:
    return module.removeprefix("hybsim.").replace(".", "/") + ".py"


def _first_line(text: str | None) -> str:
    return inspect.cleandoc(text or "").partition("\n")[0]
