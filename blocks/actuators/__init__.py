"""Actuators and delays: what lies between a command and the motion."""

from __future__ import annotations

from hybsim.blocks.actuators.transfer_function import Actuator, ActuatorSampled
from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {
    "ACTUATOR": Actuator,
    "ACTUATOR_S": ActuatorSampled,
}
