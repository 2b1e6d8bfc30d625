"""Wired, ready-made systems: functions that return a diagram."""

from hybsim.diagrams.eerc_chapter3 import fig_3_1, fig_3_5

__all__ = ["fig_3_1", "fig_3_5"]
