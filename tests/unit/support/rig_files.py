"""A rig file for diagrams.virtual_rig, at an address that no other test uses."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

DIAGRAM = "hybsim.diagrams.virtual_rig"

RIG = """
cut = "rig"
rate = 1024.0

[device]
driver = "{driver}"
address = "{address}"

[commands.disp_cmd]
channel = 0
unit = "in"
device_unit = "V"
scale = 2.0
offset = 0.0
range = {{ low = -10.0, high = 10.0 }}
home = 0.0
soft = {{ low = -4.0, high = 4.0, velocity = 50.0, acceleration = 5000.0 }}
move = {{ velocity = 5.0, acceleration = 100.0 }}

[measured.disp_meas]
channel = 0
unit = "in"
device_unit = "V"
scale = 2.0
offset = 0.0
range = {{ low = -10.0, high = 10.0 }}
hard = {{ low = -4.5, high = 4.5, rate = 1e4 }}
follows = "disp_cmd"
tracking = {{ least = 0.2, most = 2.0 }}
noise_floor = 0.01

[measured.force_meas]
channel = 1
unit = "kip"
device_unit = "V"
scale = 0.125
offset = 0.5
range = {{ low = -9.0, high = 9.0 }}
hard = {{ low = -60.0, high = 60.0, rate = 1e5 }}

[watchdog]
supervisor = 0.5
device = 0.5

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
    text = RIG.format(driver=driver, address=f"cli-{os.getpid()}-{next(_numbers)}")
    for old, new in (pieces or {}).items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def rig_file(folder: Path, driver: str = "shm", pieces: dict[str, str] | None = None) -> Path:
    path = folder / "rig.toml"
    path.write_text(rig_text(driver, pieces))
    return path
