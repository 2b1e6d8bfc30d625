"""The lead of a command over its time, which makes up for the lag of the actuators.

    t_k = (k + k_comp) / k_max,   k_comp = lead / dt

k counts the ticks since the last target, k_max those of a step. A lead is given in seconds, for all channels or for
each; it reaches as far as a polynomial can be trusted. EERC Eq. 6.7.
"""

from __future__ import annotations

import numpy as np

from hybsim.blocks.errors.channels import per_channel
from hybsim.blocks.ticks import ticks
from hybsim.errors import ParameterError
from hybsim.kernel import Vector


def lead_parameter() -> Vector:
    """How every command generator declares `lead`."""
    return Vector("time in s by which the command leads, the actuator's lag: one number or one a channel", 0.0)


def lead_in_ticks(lead: np.ndarray, width: int, dt: float, ticks_per_step: int, most_steps: int) -> np.ndarray:
    """k_comp of each channel; refused if negative or longer than `most_steps` steps."""
    longest = most_steps * ticks_per_step
    result = []
    for seconds in per_channel("lead", lead, width):
        result.append(ticks(seconds, dt))
        if not 0.0 <= result[-1] <= longest:
            raise ParameterError(
                f"A lead of {seconds:g} s is {result[-1]:g} ticks of {dt:g} s, but must be 0 to {longest}"
                f" ({most_steps} step(s) of {ticks_per_step}); give the actuator's lag in seconds."
            )
    return np.array(result)
