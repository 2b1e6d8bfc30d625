"""Error models: what goes wrong between a command and a measurement."""

from __future__ import annotations

from hybsim.blocks.errors.displacement_lag import DisplacementLag
from hybsim.blocks.errors.dropout import Dropout
from hybsim.blocks.errors.load_cell import LoadCell
from hybsim.blocks.errors.network_delay import NetworkDelay
from hybsim.blocks.errors.sensor_error import SensorError
from hybsim.blocks.errors.time_delay import Delay
from hybsim.blocks.errors.variable_delay import VariableDelay
from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {
    "DELAY": Delay,
    "VARIABLEDELAY": VariableDelay,
    "NETWORKDELAY": NetworkDelay,
    "DROPOUT": Dropout,
    "LAG": DisplacementLag,
    "LOADCELL": LoadCell,
    "SENSORERROR": SensorError,
}
