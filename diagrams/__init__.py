"""Wired, ready-made systems: functions that return a diagram."""

from hybsim.diagrams.eerc_chapter3 import fig_3_1, fig_3_5
from hybsim.diagrams.eerc_chapter6 import fig_6_1
from hybsim.diagrams.eerc_chapter8 import table_8_10
from hybsim.diagrams.eerc_laboratory import eerc_frame
from hybsim.diagrams.error_injection import error_injection
from hybsim.diagrams.fht_column import fht_column
from hybsim.diagrams.fht_frame import fht_frame
from hybsim.diagrams.force_based import force_based, table_3
from hybsim.diagrams.osm_models import osm_model, osm_reference
from hybsim.diagrams.psi_vrths import psi_vrths
from hybsim.diagrams.sdof_rths import sdof_rths
from hybsim.diagrams.virtual_rig import virtual_rig

__all__ = [
    "eerc_frame", "error_injection", "fht_column", "fht_frame", "fig_3_1", "fig_3_5", "fig_6_1", "force_based",
    "osm_model", "osm_reference", "psi_vrths", "sdof_rths", "table_3", "table_8_10", "virtual_rig",
]  # fmt: skip
