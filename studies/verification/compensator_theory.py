"""Transfer functions of compensators and plants at the ticks, in complex arithmetic and independent of the blocks.

All are functions of z = exp(j w dt); s stands for Tustin's (2/dt) (z - 1) / (z + 1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

Transfer = Callable[[complex], complex]

TS_1 = ([2.382e9], [1.0, 485.5, 1.317e5, 3.182e7, 2.382e9])
"""PSI Eq. 4.1 with s = j w."""


def tustin(z: complex, dt: float) -> complex:
    return 2.0 / dt * (z - 1.0) / (z + 1.0)


def delayed(ticks: int) -> Transfer:
    return lambda z: z**-ticks


def held(num: Sequence[float], den: Sequence[float], dt: float) -> Transfer:
    """A strictly proper system with distinct poles behind a zero-order hold, pole by pole.

    r/(s - p) becomes (r/p) (e^(p dt) - 1) / (z - e^(p dt)).
    """
    poles = np.roots(den)
    residues = np.polyval(num, poles) / np.polyval(np.polyder(np.array(den)), poles)
    grown = np.exp(poles * dt)
    return lambda z: complex(np.sum(residues / poles * (grown - 1.0) / (z - grown)))


def extrapolated(horizon: float, order: int, spacing: float, dt: float) -> Transfer:
    """The polynomial through samples 0, -spacing, ... at `horizon`: weights from its moment equations."""
    nodes = -np.arange(order + 1.0)
    ahead = horizon / spacing
    weights = np.linalg.solve(np.vander(nodes, increasing=True).T, ahead ** np.arange(order + 1.0))
    stride = round(spacing / dt)
    return lambda z: complex(sum(w * z ** (-j * stride) for j, w in enumerate(weights)))


def inverse_compensation(delay: float, dt: float) -> Transfer:
    a = 1.0 + delay / dt
    return lambda z: a - (a - 1.0) / z


def phase_lead(lead: float, lag: float, dt: float) -> Transfer:
    return lambda z: (lead * tustin(z, dt) + 1.0) / (lag * tustin(z, dt) + 1.0)


def feedforward(
    num: Sequence[float], den: Sequence[float], cutoff: float, order: int, kind: str, dt: float
) -> Transfer:
    """den/num F with n equal poles, or with Butterworth's as pairs s^2 + 2 sin(angle) s + 1 (n even)."""

    def transfer(z: complex) -> complex:
        s = tustin(z, dt)
        r = s / (2.0 * math.pi * cutoff)
        low = (r + 1.0) ** order
        if kind == "butterworth":
            angles = math.pi * (2.0 * np.arange(1, order // 2 + 1) - 1.0) / (2.0 * order)
            low = complex(np.prod(r * r + 2.0 * np.sin(angles) * r + 1.0))
        return complex(np.polyval(den, s) / np.polyval(num, s) / low)

    return transfer


def time_series(a: Sequence[float], dt: float) -> Transfer:
    """a_0 + a_1 D_1 + a_2 D_2 with backward differences over three samples."""
    return lambda z: a[0] + a[1] * (3.0 - 4.0 / z + z**-2) / (2.0 * dt) + a[2] * (1.0 - 1.0 / z) ** 2 / dt**2


def controlled(
    kp: float, ki: float, kd: float, filter_time: float, feedforward: float, plant: Transfer, dt: float
) -> Transfer:
    """Measured over reference of the closed loop, a PID controller with the reference fed forward."""

    def transfer(z: complex) -> complex:
        s = tustin(z, dt)
        control = kp + ki / s + kd * s / (filter_time * s + 1.0)
        return (feedforward + control) * plant(z) / (1.0 + control * plant(z))

    return transfer
