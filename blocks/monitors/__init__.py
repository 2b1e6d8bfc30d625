"""Monitors: indicators of how far a test can be trusted."""

from __future__ import annotations

from hybsim.blocks.monitors.energy_balance import EnergyBalance
from hybsim.blocks.monitors.energy_error import EnergyError
from hybsim.blocks.monitors.energy_error_stiffness import EnergyErrorStiffness, EnergyErrorTangent
from hybsim.blocks.monitors.energy_indicators import EnergyIndicators
from hybsim.blocks.monitors.frequency_evaluation import FrequencyEvaluation
from hybsim.blocks.monitors.peak_hold import PeakHold
from hybsim.blocks.monitors.root_mean_square import RunningRMS
from hybsim.blocks.monitors.signal_to_noise import SignalToNoise
from hybsim.blocks.monitors.threshold import Threshold
from hybsim.blocks.monitors.tracking_indicator import TrackingIndicator
from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {
    "ENERGY": EnergyIndicators,
    "ENERGYBALANCE": EnergyBalance,
    "ENERGYERROR": EnergyError,
    "ENERGYERROR_STIFFNESS": EnergyErrorStiffness,
    "ENERGYERROR_TANGENT": EnergyErrorTangent,
    "TRACKINGINDICATOR": TrackingIndicator,
    "FEI": FrequencyEvaluation,
    "RUNNINGRMS": RunningRMS,
    "SNR": SignalToNoise,
    "PEAKHOLD": PeakHold,
    "THRESHOLD": Threshold,
}
