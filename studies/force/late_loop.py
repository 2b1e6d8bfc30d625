"""The virtual inertia is a loop through the devices; what a late loop makes of the specimen's damping.

    (1 - alpha_m) m s^2 + (c s + k) (1 - alpha_m D(s)) = 0              inertia from the model
    (1 - alpha_m + alpha_m D(s)) m s^2 + c s + k = 0                    inertia from the measured acceleration
    D = beta D_table + (1 - beta) D_actuator,  D_device = exp(-s (tau + dt/2)) / (1 + T s), or of second order
    zeta = -Re s / |s| of the root near i omega

For a short lateness tau, zeta grows by about omega tau / 2 times alpha_m / (1 - alpha_m) in the first form, and times
alpha_m in the second: a late virtual mass is a damper, and the model's is 1 / (1 - alpha_m) times as strong. dt/2 is
the hold of a delayed command over a tick.
"""

from __future__ import annotations

import cmath
import math

from scipy.optimize import newton

from hybsim.diagrams.force_based import DT, Device, table_3_specimen
from hybsim.studies.force.cases import CASES, Devices


def transfer(device: Device, s: complex) -> complex:
    gain = cmath.exp(-s * (device.delay + 0.5 * DT)) if device.delay > 0.0 else 1.0 + 0.0j
    if device.frequency > 0.0:
        omega = 2.0 * math.pi * device.frequency
        return gain * omega**2 / (s**2 + 2.0 * device.damping_ratio * omega * s + omega**2)
    return gain / (1.0 + device.time_constant * s)


def root(case: str, devices: Devices) -> complex:
    """The root of the specimen's vibration, upper half plane."""
    alpha_m, _, beta = CASES[case]
    m, c, k = (table_3_specimen()[part] for part in ("mass", "damping", "stiffness"))

    def characteristic(s: complex) -> complex:
        late = alpha_m * (beta * transfer(devices.table, s) + (1.0 - beta) * transfer(devices.actuator, s))
        if devices.command == "model":
            return ((1.0 - alpha_m) * m * s**2 + (c * s + k) * (1.0 - late)) / k
        return ((1.0 - alpha_m + late) * m * s**2 + c * s + k) / k

    omega = math.sqrt(k / m)
    return complex(newton(characteristic, complex(-0.02 * omega, omega), tol=1e-10, maxiter=200))


def damping(case: str, devices: Devices) -> float:
    """Share of critical."""
    s = root(case, devices)
    return -s.real / abs(s)
