"""Sources: ground-motion records, test signals and seeded noise."""

from __future__ import annotations

from hybsim.blocks.sources.cosine_pulse import CosinePulse
from hybsim.blocks.sources.ground_motion import GroundMotion
from hybsim.blocks.sources.normal_noise import NormalNoise
from hybsim.blocks.sources.sine_sweep import SineSweep
from hybsim.blocks.sources.white_noise import WhiteNoise
from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {
    "GROUNDMOTION": GroundMotion,
    "SINESWEEP": SineSweep,
    "COSINEPULSE": CosinePulse,
    "WHITENOISE": WhiteNoise,
    "NORMAL": NormalNoise,
}
