"""Actuators and rig: what lies between a command and the motion of the specimen."""

from __future__ import annotations

from hybsim.blocks.actuators.backlash import Backlash
from hybsim.blocks.actuators.degrees_of_freedom import ToActuators, ToStructure
from hybsim.blocks.actuators.first_order import FirstOrder, FirstOrderSampled
from hybsim.blocks.actuators.rate_limit import RateLimit
from hybsim.blocks.actuators.reaction_frame import ReactionFrame, ReactionFrameSampled
from hybsim.blocks.actuators.saturation import Saturation
from hybsim.blocks.actuators.servo_hydraulic import ServoHydraulic
from hybsim.blocks.actuators.servo_pd import ServoPd
from hybsim.blocks.actuators.transfer_function import Actuator, ActuatorSampled
from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {
    "ACTUATOR": Actuator,
    "ACTUATOR_S": ActuatorSampled,
    "FIRSTORDER": FirstOrder,
    "FIRSTORDER_S": FirstOrderSampled,
    "SERVO_PD": ServoPd,
    "SERVOHYDRAULIC": ServoHydraulic,
    "REACTIONFRAME": ReactionFrame,
    "REACTIONFRAME_S": ReactionFrameSampled,
    "SATURATION": Saturation,
    "RATELIMIT": RateLimit,
    "BACKLASH": Backlash,
    "TOACTUATORS": ToActuators,
    "TOSTRUCTURE": ToStructure,
}
