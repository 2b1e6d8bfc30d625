"""What the actuator and the sampling must do for a test with a critical delay: the stability phase envelope.

    tau_m = tau_cr - tau_COMM - 1 / (2 f_s)                                    (2.24)
    arg a(j w) >= -w tau_m    at every frequency w                             (2.25)

tau_COMM  delay of communication, s
1/(2 f_s) delay of a command that is held over a tick of 1/f_s, s
a         transfer function of the actuator

With the longest phase delay tau_TS = max over w of -arg a(j w) / w the smallest sampling frequency is

    f_s = 1 / [2 (tau_cr - tau_COMM - tau_TS)]                                 none if the bracket is not above 0

The envelope asks for more than is needed at frequencies that do not matter, and for nothing about the gain. Exactly,
the test with this actuator loses its stability at a further delay tau_a, from the roots of its characteristic equation
(delayed_system.py), so that f_s = 1 / [2 (tau_a - tau_COMM)].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.errors import ParameterError
from hybsim.studies.indicators.characteristic import not_negative, positive
from hybsim.studies.indicators.delayed_system import DelayedSystem
from hybsim.studies.indicators.transfer_path import Actuator, TransferPath

GRID = 4000
"""Frequencies at which a phase is taken, evenly in the logarithm."""


@dataclass(frozen=True)
class Phase:
    """The phase of an actuator over the frequency; `longest` is its longest phase delay in s, at `at` in rad/s."""

    name: str
    omega: np.ndarray
    angle: np.ndarray
    longest: float
    at: float
    low: float
    warnings: tuple[str, ...]


def parsed_actuator(word: str) -> Any:
    """TS_1, TS_2, or NUM/DEN, coefficients in falling powers of s with commas: 1/0.01,1 is 1 / (0.01 s + 1).

    >>> parsed_actuator("1/0.01,1")
    ([1.0], [0.01, 1.0])
    """
    if "/" not in word:
        return word
    over, _, under = word.partition("/")
    try:
        return [float(each) for each in over.split(",")], [float(each) for each in under.split(",")]
    except ValueError:
        raise ParameterError(
            f"The actuator {word!r} cannot be read: give TS_1, TS_2 or NUM/DEN, coefficients in falling powers of s,"
            " such as 1/0.01,1 for 1 / (0.01 s + 1)."
        ) from None


def actuator_phase(word: str) -> Phase:
    """The phase of an actuator over the frequencies of its poles; one that cannot be read is refused."""
    path = TransferPath(Actuator(0, parsed_actuator(word)))
    poles = np.abs(path.poles)
    if not poles.size:
        return Phase(word, np.array([0.1, 1000.0]), np.zeros(2), 0.0, 0.0, 0.0, path.warnings)
    omega = np.geomspace(1e-4 * poles.min(), 100.0 * poles.max(), GRID)
    response, _ = path.response(1j * omega)
    angle = np.unwrap(np.angle(response))
    # At low frequency the sign of the gain decides, which must be that of a displacement.
    angle -= 2.0 * math.pi * round(angle[0] / (2.0 * math.pi))
    delay = -angle / omega
    i = int(delay.argmax())
    return Phase(word, omega, angle, max(0.0, float(delay[i])), float(omega[i]), float(delay[0]), path.warnings)


def least_sampling(tau_cr: float, tau_ts: float, tau_comm: float = 0.0) -> float:
    """f_s in Hz by the envelope; inf if no sampling is fast enough, 0 if any is.

    >>> round(least_sampling(0.020, 0.010), 1)
    50.0
    """
    left = float(tau_cr) - float(tau_ts) - tau_comm
    if left <= 0.0:
        return math.inf
    return 0.5 / left


def exact_delay_left(partition: tuple[float, float, float, float], omega_n: float, word: str) -> float:
    """tau_a in s: how much delay a test with this actuator bears besides; inf if any, 0 if none."""
    alpha, beta, gamma, zeta = partition
    damping, stiffness = 2.0 * zeta * omega_n, omega_n**2
    whole = [[1.0]], [[damping]], [[stiffness]]
    part = [[1.0 - alpha]], [[(1.0 - beta) * damping]], [[(1.0 - gamma) * stiffness]]
    return DelayedSystem.partitioned(whole, part, actuators=[parsed_actuator(word)]).critical_delay()


def checked_delays(tau_cr: float, tau_comm: float) -> None:
    positive("tau_cr, the critical delay in s,", tau_cr)
    not_negative("tau_comm, the delay of communication in s,", tau_comm)
