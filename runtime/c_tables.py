"""Lists in the C sources, read in Python, so that there is one copy of each.

    #define LIST(X) \\
        X(name, "meaning") X(other, "meaning")          rows(source, "LIST")
        X(double, limit, 16) X(int64_t, count, 1)       structure("Name", source, "LIST", lengths)
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping
from typing import Any

TYPES: dict[str, Any] = {"int64_t": ctypes.c_int64, "double": ctypes.c_double, "char": ctypes.c_char}


def rows(source: str, name: str) -> list[list[str]]:
    """The arguments of each X(...) of one list."""
    match = re.search(rf"#define {name}\(X\) \\\n((?:.*\\\n)*.*)", source)
    if match is None:
        raise LookupError(f"The C source has no list {name}.")
    body = re.sub(r"/\*.*?\*/", "", match[1])
    found = re.findall(r'X\(((?:[^()"]|"[^"]*")*)\)', body)
    return [[part.strip().strip('"') for part in re.split(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', row)] for row in found]


def meanings(source: str, name: str) -> dict[str, str]:
    """A list of names, each with what it means."""
    return {row[0]: row[1] for row in rows(source, name)}


class Fields(ctypes.Structure):
    """A structure of C; a field of one element reads and writes as a number, text as bytes, others as a list."""

    def __getitem__(self, name: str) -> Any:
        values = getattr(self, name)
        if isinstance(values, bytes):
            return values
        return values[0] if len(values) == 1 else list(values)

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(value, bytes):
            setattr(self, name, value)
            return
        place = getattr(self, name)
        values = value if hasattr(value, "__len__") else [value]
        if len(values) > len(place):
            raise ValueError(f"{type(self).__name__}.{name} has room for {len(place)} values, got {len(values)}.")
        place[: len(values)] = values


def structure(name: str, table: list[list[str]], lengths: Mapping[str, int]) -> type[Fields]:
    """Rows of (type, field, length) as a structure of ctypes."""
    fields = [(field, TYPES[kind] * (lengths.get(length) or int(length))) for kind, field, length in table]
    return type(name, (Fields,), {"_fields_": fields})
