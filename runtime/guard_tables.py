"""The guard's tables and structures, read from the C source: the one copy of them is runtime/c/guard_table.h.

REACTIONS, STATES, EVENTS   name -> meaning, in C's order
TRANSITIONS                 state -> event -> next state, "no" (refused) or "same"
FAULTS                      name -> (reaction, meaning)
Config, Inputs, Guard       ctypes structures with the fields of guard.h
"""

from __future__ import annotations

import re

from hybsim.runtime.c_sources import text
from hybsim.runtime.c_tables import meanings, rows, structure

_TABLE, _HEADER = text("guard_table.h"), text("guard.h")


REACTIONS = meanings(_TABLE, "HG_REACTIONS")
STATES = meanings(_TABLE, "HG_STATES")
EVENTS = meanings(_TABLE, "HG_EVENTS")
TRANSITIONS = {state: dict(zip(EVENTS, following, strict=True)) for state, *following in rows(_TABLE, "HG_TRANSITIONS")}
FAULTS = {name: (reaction, meaning) for name, reaction, meaning in rows(_TABLE, "HG_FAULTS")}

_LENGTHS = {
    **{name: int(value) for name, value in re.findall(r"(HG_COMMANDS|HG_MEASURED) = (\d+)", _HEADER)},
    "HG_FAULT_COUNT": len(FAULTS),
}
COMMANDS, MEASURED = _LENGTHS["HG_COMMANDS"], _LENGTHS["HG_MEASURED"]
"""The most channels of each direction."""


Config = structure("Config", rows(_HEADER, "HG_CONFIG"), _LENGTHS)
Inputs = structure("Inputs", rows(_HEADER, "HG_INPUTS"), _LENGTHS)
Guard = structure("Guard", rows(_HEADER, "HG_GUARD"), _LENGTHS)


def faults(bits: int) -> list[str]:
    """The names of the faults in a set of bits."""
    return [name for i, name in enumerate(FAULTS) if bits >> i & 1]
