"""Error models: what goes wrong between a command and a measurement."""

from __future__ import annotations

from hybsim.blocks.errors.displacement_lag import DisplacementLag
from hybsim.blocks.errors.time_delay import Delay
from hybsim.kernel import KernelBlock

BLOCKS: dict[str, type[KernelBlock]] = {
    "DELAY": Delay,
    "LAG": DisplacementLag,
}
