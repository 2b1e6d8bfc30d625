"""Sensors and signal conditioning: what a measurement passes on its way to the computer."""

from __future__ import annotations

from hybsim.blocks.sensors.first_order_hold import FirstOrderHold
from hybsim.blocks.sensors.hold import Hold
from hybsim.blocks.sensors.lowpass import LowPass
from hybsim.blocks.sensors.quantiser import Quantiser
from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {
    "QUANTISER": Quantiser,
    "HOLD": Hold,
    "FIRSTORDERHOLD": FirstOrderHold,
    "LOWPASS": LowPass,
}
