"""Numbers of an actuator or of the rig, measured and in theory."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass

ROUNDING = 1e-9


@dataclass(frozen=True)
class Number:
    """One number; the error is over the theory, or as it is where that is 0."""

    block: str
    quantity: str
    measured: float
    theory: float
    source: str
    tolerance: float = ROUNDING

    @property
    def error(self) -> float:
        return abs(self.measured - self.theory) / (abs(self.theory) or 1.0)

    def failure(self) -> str:
        """What is wrong, or nothing."""
        if self.error <= self.tolerance:
            return ""
        return f"{self.block}: {self.quantity} is {self.measured:.9g}, {self.source} says {self.theory:.9g}."


@dataclass(frozen=True)
class Response:
    """Output over input at one frequency; the error is that of the complex number over its size."""

    block: str
    path: str
    hertz: float
    measured: complex
    theory: complex
    tolerance: float

    @property
    def error(self) -> float:
        return abs(self.measured - self.theory) / abs(self.theory)

    def failure(self) -> str:
        """What is wrong, or nothing."""
        if self.error <= self.tolerance:
            return ""
        return (
            f"{self.block}: {self.path} at {self.hertz:g} Hz is {self.measured:.6g}, python-control says"
            f" {self.theory:.6g}."
        )


def degrees(response: complex) -> float:
    """The phase in degrees."""
    return math.degrees(cmath.phase(response))
