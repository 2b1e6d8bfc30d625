"""Compensators: commands that make up for the actuator's delay."""

from __future__ import annotations

from hybsim.blocks.compensators.adaptive_predictor import AdaptivePredictor
from hybsim.blocks.compensators.adaptive_time_series import AdaptiveTimeSeries
from hybsim.blocks.compensators.delay_estimator import DelayEstimator
from hybsim.blocks.compensators.feedforward import Feedforward
from hybsim.blocks.compensators.inverse_compensation import InverseCompensation
from hybsim.blocks.compensators.phase_lead import PhaseLead
from hybsim.blocks.compensators.pid_control import PidControl
from hybsim.blocks.compensators.polynomial_predictor import Predictor
from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {
    "PREDICTOR": Predictor,
    "PREDICTOR_ADAPTIVE": AdaptivePredictor,
    "INVERSECOMP": InverseCompensation,
    "ATS": AdaptiveTimeSeries,
    "FEEDFORWARD": Feedforward,
    "PHASELEAD": PhaseLead,
    "PIDCONTROL": PidControl,
    "DELAYESTIMATOR": DelayEstimator,
}
