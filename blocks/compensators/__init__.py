"""Compensators: commands that make up for the actuator's delay."""

from __future__ import annotations

from hybsim.blocks.compensators.polynomial_predictor import Predictor
from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {
    "PREDICTOR": Predictor,
}
