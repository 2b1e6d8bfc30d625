"""A parameter of several channels: one number for all of them, or one for each."""

from __future__ import annotations

import numpy as np

from hybsim.errors import ParameterError


def per_channel(parameter: str, values: np.ndarray, width: int) -> np.ndarray:
    """One number a channel."""
    if len(values) not in (1, width):
        raise ParameterError(
            f"{parameter} has {len(values)} numbers for {width} channel(s); give one for all of them or one for each."
        )
    return np.full(width, values)
