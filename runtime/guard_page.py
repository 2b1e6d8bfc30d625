"""docs/guard.md from the guard's tables: `python -m hybsim.runtime.guard_page > docs/guard.md`."""

from __future__ import annotations

from hybsim.runtime.guard_tables import EVENTS, FAULTS, REACTIONS, STATES, TRANSITIONS

HEAD = """# What the guard does

Written by `make docs` from [runtime/c/guard_table.h](../runtime/c/guard_table.h), the tables that the loop itself uses.

The guard stands between the diagram and the device in every tick. It decides the state, and what is sent: a command of
the diagram, the next point of a motion of its own, or nothing. It never changes a sample that breaks a limit: it
refuses it, and stops with bounded deceleration. The servo controller's own limit detectors and the hydraulic shut-off
are the primary protection; this is not a safety function.
"""


def _table(headings: list[str], rows: list[list[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines) + "\n"


def page() -> str:
    """The whole page."""
    asked = {event: meaning for event, meaning in EVENTS.items() if any(t[event] != "no" for t in TRANSITIONS.values())}
    given = [event for event in asked if event not in ("NONE", "HOME", "PAUSING", "RAMPING", "STOPPING")]
    words = {"no": "", "same": "stays"}
    parts = [
        HEAD,
        "## States\n",
        _table(["state", "meaning"], [[state, meaning] for state, meaning in STATES.items()]),
        "## Faults and reactions\n",
        "Looked for in every tick, in this order; where several apply, the most severe reaction wins. Where nothing is"
        " live (ESTOP, IDLE, CONFIGURED, FINISHED) they are shown, and ARM and RESET are refused.\n",
        _table(["fault", "when", "reaction"], [[n, meaning, REACTIONS[r]] for n, (r, meaning) in FAULTS.items()]),
        "## Events\n",
        _table(["event", "meaning"], [[event, asked[event]] for event in given]),
        "Where an event leads; an empty place: it is refused, and the state stays. ARM, START, RESUME and RESET have"
        " conditions beside: no fault, a healthy device, a log that is ready, a timing check that was passed, measured"
        " positions at home, a place to come back to within the limits.\n",
        _table(
            ["state", *given],
            [[state, *(words.get(to, to) for to in (TRANSITIONS[state][e] for e in given))] for state in STATES],
        ),
        "RAMP_DOWN becomes FINISHED when the home position is reached. A fault that pauses leads from RUNNING to"
        " PAUSED, one that ramps down from any live state to RAMP_DOWN, one that stops from any state to ESTOP.\n",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
