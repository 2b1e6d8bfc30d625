"""The C sources of the loop as one text: each `#include "file.h"` of ours is replaced by the file, once."""

from __future__ import annotations

import re
from importlib import resources

OURS = re.compile(r'^#include "(\w+\.h)"$', re.MULTILINE)
FOLDERS = ("hybsim.runtime", "hybsim.hw")
"""The packages with C sources in `c`; no file name is in both."""

DRIVERS = ("shm.c", "shm_peer.c", "udp.c", "udp_peer.c", "faulty.c", "drivers.c")
"""What hd_find_driver and hd_find_peer need. They come first in a text: they ask for GNU's part of the C library."""


def text(name: str) -> str:
    """One C file of the loop, the guard or the drivers as it is."""
    places = [resources.files(package) / "c" / name for package in FOLDERS]
    found = [place for place in places if place.is_file()]
    if len(found) != 1:
        folders = " and ".join(FOLDERS)
        raise LookupError(f"There are {len(found)} C sources named '{name}' in {folders}, not one.")
    return found[0].read_text(encoding="utf-8")


def in_one(*names: str) -> str:
    """Some files, one after the other, with what they include."""
    seen: set[str] = set()

    def included(match: re.Match[str]) -> str:
        if match[1] in seen:
            return ""
        seen.add(match[1])
        return OURS.sub(included, text(match[1]))

    return "\n".join(OURS.sub(included, text(name)) for name in names)
