"""The guard's tables and structures, read from the C source: the one copy of them is runtime/c/guard_table.h.

REACTIONS, STATES, EVENTS   name -> meaning, in C's order
TRANSITIONS                 state -> event -> next state, "no" (refused) or "same"
FAULTS                      name -> (reaction, meaning)
Config, Inputs, Guard       ctypes structures with the fields of guard.h
"""

from __future__ import annotations

import ctypes
import re
from typing import Any

from hybsim.runtime.c_sources import text

_TABLE, _HEADER = text("guard_table.h"), text("guard.h")


def _rows(source: str, name: str) -> list[list[str]]:
    """The arguments of each X(...) of one list."""
    match = re.search(rf"#define {name}\(X\) \\\n((?:.*\\\n)*.*)", source)
    if match is None:
        raise LookupError(f"The guard's source has no list {name}.")
    body = re.sub(r"/\*.*?\*/", "", match[1])
    found = re.findall(r'X\(((?:[^()"]|"[^"]*")*)\)', body)
    return [[part.strip().strip('"') for part in re.split(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', row)] for row in found]


def _meanings(name: str) -> dict[str, str]:
    return {row[0]: row[1] for row in _rows(_TABLE, name)}


REACTIONS = _meanings("HG_REACTIONS")
STATES = _meanings("HG_STATES")
EVENTS = _meanings("HG_EVENTS")
TRANSITIONS = {
    state: dict(zip(EVENTS, following, strict=True)) for state, *following in _rows(_TABLE, "HG_TRANSITIONS")
}
FAULTS = {name: (reaction, meaning) for name, reaction, meaning in _rows(_TABLE, "HG_FAULTS")}

_LENGTHS = {
    **{name: int(value) for name, value in re.findall(r"(HG_COMMANDS|HG_MEASURED) = (\d+)", _HEADER)},
    "HG_FAULT_COUNT": len(FAULTS),
}
_TYPES: dict[str, Any] = {"int64_t": ctypes.c_int64, "double": ctypes.c_double}
COMMANDS, MEASURED = _LENGTHS["HG_COMMANDS"], _LENGTHS["HG_MEASURED"]
"""The most channels of each direction."""


class Fields(ctypes.Structure):
    """A structure of the guard; a field of one element reads and writes as a number, others as a list."""

    def __getitem__(self, name: str) -> Any:
        values = getattr(self, name)
        return values[0] if len(values) == 1 else list(values)

    def __setitem__(self, name: str, value: Any) -> None:
        place = getattr(self, name)
        values = value if hasattr(value, "__len__") else [value]
        if len(values) > len(place):
            raise ValueError(f"{type(self).__name__}.{name} has room for {len(place)} values, got {len(values)}.")
        place[: len(values)] = values


def _structure(name: str, table: str) -> type[Fields]:
    fields = [
        (field, _TYPES[kind] * (_LENGTHS.get(length) or int(length))) for kind, field, length in _rows(_HEADER, table)
    ]
    return type(name, (Fields,), {"_fields_": fields})


Config = _structure("Config", "HG_CONFIG")
Inputs = _structure("Inputs", "HG_INPUTS")
Guard = _structure("Guard", "HG_GUARD")


def faults(bits: int) -> list[str]:
    """The names of the faults in a set of bits."""
    return [name for i, name in enumerate(FAULTS) if bits >> i & 1]
