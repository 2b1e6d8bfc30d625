"""A rig file for diagrams.virtual_rig, for the tests of single parts and of whole tests alike."""

from __future__ import annotations

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
hard = {{ low = -4.5, high = 4.5, rate = 100.0 }}
follows = "disp_cmd"
tracking = {{ least = 0.2, most = 2.0 }}
noise_floor = 0.01

[measured.force_meas]
channel = 1
unit = "kip"
device_unit = "V"
scale = 0.125
offset = 0.0
range = {{ low = -10.0, high = 10.0 }}
hard = {{ low = -60.0, high = 60.0, rate = 5000.0 }}

[watchdog]
supervisor = 0.5
device = 0.05
"""
"""Of diagrams.virtual_rig, linear: limits that a test at 0.2 g stays within."""
