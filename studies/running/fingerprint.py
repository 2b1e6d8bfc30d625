"""Digests of everything the numbers of a study depend on, to tell one study from another."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from hybsim.errors import RunError


def digest(value: Any) -> str:
    """The same text for equal values, in every process: numbers, texts, arrays, lists, mappings, functions, records.

    >>> digest({"a": 1, "b": [2.0]}) == digest({"b": [2.0], "a": 1}) != digest({"a": 1, "b": [2]})
    True
    """
    total = blake2b(digest_size=16)
    for part in _parts(value):
        total.update(len(part).to_bytes(8, "little"))
        total.update(part)
    return total.hexdigest()


def _parts(value: Any) -> Iterator[bytes]:
    """A value as pieces of bytes, begun by its kind and its length."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        yield f"{type(value).__name__} {value!r}".encode()
    elif isinstance(value, np.ndarray) and value.dtype != object:
        yield f"array {value.dtype.str} {value.shape}".encode()
        yield value.tobytes()
    elif isinstance(value, Mapping):
        yield f"mapping {len(value)}".encode()
        for key in sorted(value, key=repr):
            yield from _parts(key)
            yield from _parts(value[key])
    elif isinstance(value, list | tuple):
        yield f"list {len(value)}".encode()
        for item in value:
            yield from _parts(item)
    elif isinstance(value, os.PathLike):
        yield f"path {os.fspath(value)!r}".encode()
    elif isinstance(value, FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        yield f"function {value.__qualname__}".encode()  # its module may be __main__ one day and not the other
        yield from _parts([_code(value.__code__), value.__defaults__, value.__kwdefaults__, cells])
    elif is_dataclass(value) and not isinstance(value, type):
        yield f"{type(value).__module__} {type(value).__qualname__}".encode()
        yield from _parts({field.name: getattr(value, field.name) for field in fields(value)})
    else:
        yield _pickled(value)


def _code(code: CodeType) -> list[Any]:
    """What a function does, wherever it stands in its file."""
    constants = [_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return [code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars]


def _pickled(value: Any) -> bytes:
    try:
        return pickle.dumps(value, protocol=5)
    except Exception as error:
        raise RunError(
            f"A store cannot tell studies apart by a {type(value).__name__} ({error}); use numbers, texts, arrays and"
            " functions at the top of a module, or run the study without a store."
        ) from error
