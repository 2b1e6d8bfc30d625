"""What stands between a displacement and the specimen that gets it: an actuator, and a delay.

    x_p(s) = a(s) exp(-s d) x(s),    a(s) = c (s I - A)^-1 b + a_inf

a  proper transfer function of the actuator, a_inf its value at infinite frequency (0 if it has more poles than zeros)
d  delay of this actuator alone, in s

An actuator of its own accord must be stable and continuous in time. A DC gain other than 1 is kept and said in
`warnings`; TS_2 is used with unit DC gain, as its printed gain of 0.917 is probably a misprint.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.blocks.actuators.identified import IDENTIFIED, as_printed
from hybsim.blocks.actuators.linear_system import (
    DC_TOLERANCE,
    LinearSystem,
    balanced,
    dc_gain,
    from_control,
    from_polynomials,
)
from hybsim.errors import ParameterError, near

AT_ONCE = LinearSystem(np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((1, 0)), np.ones((1, 1)))
"""An actuator that is where it shall be."""


@dataclass(frozen=True)
class Actuator:
    """The actuator of one degree of freedom, numbered from 0.

    system  None for one that follows at once, "TS_1" or "TS_2", a pair (num, den) in falling powers of s, a
            control.TransferFunction or a control.StateSpace
    delay   pure delay in s in series with it
    """

    dof: int
    system: Any = None
    delay: float = 0.0


class TransferPath:
    """An actuator as numbers: its state space and its response at any complex frequency."""

    def __init__(self, actuator: Actuator) -> None:
        self.dof, self.delay = actuator.dof, actuator.delay
        label = f"The actuator of degree of freedom {actuator.dof}"
        if not (math.isfinite(self.delay) and self.delay >= 0.0):
            raise ParameterError(f"{label} has a delay of {self.delay:g} s; it must be a finite number of at least 0.")
        self.system, warnings = _linear_system(actuator.system, label)
        poles = self.poles
        if len(poles) and poles.real.max() > -1e-9 * np.abs(poles).max():
            worst = poles[np.argmax(poles.real)]
            raise ParameterError(
                f"{label} is not stable by itself, it has a pole at {worst:.4g} rad/s; give the actuator with its"
                " controller in closed loop."
            )
        gain = dc_gain(self.system)
        if gain is not None and abs(gain[0, 0] - 1.0) > DC_TOLERANCE:
            warnings.append(
                f"{label} has a DC gain of {gain[0, 0]:.4g}, not 1: the specimen gets another displacement."
            )
        self.warnings = tuple(warnings)

    @property
    def poles(self) -> np.ndarray:
        return self.system.poles()

    @property
    def at_infinity(self) -> float:
        """a_inf: the part of a displacement that the actuator passes at any frequency."""
        return float(self.system.d[0, 0])

    def response(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """a and da/ds at the frequencies s, without the delay."""
        order = len(self.system.a)
        if order == 0:
            return np.full(s.shape, self.at_infinity, dtype=complex), np.zeros(s.shape, dtype=complex)
        pencil = s[..., None, None] * np.eye(order) - self.system.a
        once = np.linalg.solve(pencil, np.broadcast_to(self.system.b, (*s.shape, order, 1)))
        twice = np.linalg.solve(pencil, once)
        return (self.system.c @ once)[..., 0, 0] + self.at_infinity, -(self.system.c @ twice)[..., 0, 0]


def _linear_system(value: Any, label: str) -> tuple[LinearSystem, list[str]]:
    """The state space of what the user gave, and what is to be said about it."""
    warnings: list[str] = []
    if value is None:
        return AT_ONCE, warnings
    if isinstance(value, LinearSystem):
        system = value
    else:
        if isinstance(value, str):
            if value not in IDENTIFIED:
                raise ParameterError(f"There is no identified actuator {value!r}.{near(value, IDENTIFIED)}")
            num, den = as_printed(value)
            gain = num[-1] / den[-1]
            if gain != 1.0:
                warnings.append(
                    f"{value} is used with unit DC gain: the printed gain of {gain:.3f} is probably a misprint."
                )
            value = [each / gain for each in num], den
        pair = isinstance(value, tuple) and len(value) == 2
        try:
            system = balanced(from_polynomials(*value) if pair else from_control(value))
        except ValueError as error:
            raise ParameterError(f"{label} {error}.") from None
    if system.dt is not None:
        raise ParameterError(f"{label} has a sample time of {system.dt:g} s; give a system that is continuous in time.")
    if system.d.shape != (1, 1):
        raise ParameterError(f"{label} must have one input and one output, got a system of shape {system.d.shape}.")
    if not system.is_finite():
        raise ParameterError(f"{label} must have finite coefficients.")
    return system, warnings


def paths_of(actuators: Sequence[Any] | None, moved: np.ndarray, dofs: int) -> tuple[TransferPath, ...]:
    """One path for each degree of freedom of the physical part."""
    if actuators is None:
        actuators = [None] * len(moved)
    plain = [each for each in actuators if not isinstance(each, Actuator)]
    if plain and len(actuators) != len(moved):
        raise ParameterError(
            f"The physical part is moved at {len(moved)} degree(s) of freedom but {len(actuators)} actuator(s) are"
            " given; give one for each, or Actuator objects that say where they stand."
        )
    placed = [
        each if isinstance(each, Actuator) else Actuator(int(dof), each)
        for each, dof in (zip(actuators, moved, strict=True) if plain else ((each, -1) for each in actuators))
    ]
    found = sorted(each.dof for each in placed)
    if len(set(found)) < len(found) or any(not 0 <= dof < dofs for dof in found):
        raise ParameterError(
            f"Actuators stand at degrees of freedom {found}; there is one at most for each of 0 to {dofs - 1}."
        )
    missing = sorted(set(moved.tolist()) - set(found))
    if missing:
        raise ParameterError(
            f"The physical part is moved at degree of freedom {missing[0]}, where no actuator stands; give one there,"
            " as in Actuator(dof=...), or leave it out of M_p, C_p and K_p."
        )
    return tuple(TransferPath(each) for each in sorted(placed, key=lambda each: each.dof))
