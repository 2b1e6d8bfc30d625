"""Monitors: indicators of how far a test can be trusted."""

from __future__ import annotations

from hybsim.blocks.monitors.energy_error import EnergyError
from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {
    "ENERGY": EnergyError,
}
