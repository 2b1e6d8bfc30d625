"""Wired, ready-made systems: functions that return a diagram."""

from hybsim.diagrams.eerc_chapter3 import fig_3_1, fig_3_5
from hybsim.diagrams.eerc_chapter6 import fig_6_1
from hybsim.diagrams.eerc_chapter8 import table_8_10
from hybsim.diagrams.error_injection import error_injection
from hybsim.diagrams.sdof_rths import sdof_rths
from hybsim.diagrams.virtual_rig import virtual_rig

__all__ = ["error_injection", "fig_3_1", "fig_3_5", "fig_6_1", "sdof_rths", "table_8_10", "virtual_rig"]
