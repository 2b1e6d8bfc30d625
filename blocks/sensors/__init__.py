"""Sensors and signal conditioning: what a measurement passes on its way to the computer."""

from __future__ import annotations

from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {}
