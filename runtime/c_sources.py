"""The C sources of the loop as one text: each `#include "file.h"` of ours is replaced by the file, once."""

from __future__ import annotations

import re
from importlib import resources

OURS = re.compile(r'^#include "(\w+\.h)"$', re.MULTILINE)


def text(name: str) -> str:
    """One file of runtime/c as it is."""
    return (resources.files("hybsim.runtime") / "c" / name).read_text(encoding="utf-8")


def in_one(*names: str) -> str:
    """Some files, one after the other, with what they include."""
    seen: set[str] = set()

    def included(match: re.Match[str]) -> str:
        if match[1] in seen:
            return ""
        seen.add(match[1])
        return OURS.sub(included, text(match[1]))

    return "\n".join(OURS.sub(included, text(name)) for name in names)
