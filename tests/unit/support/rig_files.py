"""A rig file for diagrams.virtual_rig, at an address that no other test uses."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

from rig_text import RIG

DIAGRAM = "hybsim.diagrams.virtual_rig"

DIFFERENT = {
    "hard = {{ low = -4.5, high = 4.5, rate = 100.0 }}": "hard = {{ low = -4.5, high = 4.5, rate = 1e4 }}",
    "scale = 0.125\noffset = 0.0\nrange = {{ low = -10.0, high = 10.0 }}":
        "scale = 0.125\noffset = 0.5\nrange = {{ low = -9.0, high = 9.0 }}",
    "hard = {{ low = -60.0, high = 60.0, rate = 5000.0 }}": "hard = {{ low = -60.0, high = 60.0, rate = 1e5 }}",
    "device = 0.05": "device = 0.5",
}  # fmt: skip
"""An offset to be shown, and limits that a busy machine does not meet."""

ENERGY = """
[energy]
index = "energy.hsei_i"
energy = "energy.e_input"
floor = 1e3
warn = 0.05
pause = 0.1
stop = 0.2
"""

_numbers = itertools.count()


def rig_text(driver: str = "shm", pieces: dict[str, str] | None = None) -> str:
    """The file, with some pieces of it replaced."""
    text = RIG
    for old, new in DIFFERENT.items():
        assert old in text
        text = text.replace(old, new)
    text = (text + ENERGY).format(driver=driver, address=f"cli-{os.getpid()}-{next(_numbers)}")
    for old, new in (pieces or {}).items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def rig_file(folder: Path, driver: str = "shm", pieces: dict[str, str] | None = None) -> Path:
    path = folder / "rig.toml"
    path.write_text(rig_text(driver, pieces))
    return path
