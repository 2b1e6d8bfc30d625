"""Variance of the error in a virtual test, and how far a run of given length can miss it: continuous and at ticks.

    sigma^2 = 1/pi int_0^inf S_ERR d omega,    S_ERR = S_g |H_ERR|^2
    PPI     = omega_n^3 sigma^2 / S_g                                                          (3.26)

The mean square of a run of length T scatters about sigma^2 with a variance that is known beforehand, as the error under
Gaussian noise is Gaussian (R its autocorrelation, T much longer than R lasts):

    SE^2 = 2/T int R^2 d tau = 2/(pi T) int_0^inf S_ERR^2 d omega

so that with I_ERR = omega_n^2 H_ERR and phi = omega / omega_n

    (SE / sigma^2)^2 = wait / (omega_n T),    wait = 2/pi int |I_ERR|^4 d phi / PPI^2

The end effects of a run, which take off less than half of (SE / sigma^2)^2 as a share of SE^2, are left out.

`wait` is the time, in radians of the natural frequency, for one degree of freedom of an estimate: 1/zeta for a
structure, about 2/zeta for an error, in which two resonances meet.

At ticks of dt central differences stand for derivatives, DELAY interpolates, the actuator is discretised, and a number
of the noise is held for m ticks; the integrals then end at half the sampling rate. With z = exp(j omega dt):

    s  ->  (z - 1/z) / (2 dt),    s^2  ->  (z - 2 + 1/z) / dt^2
    exp(-s tau)  ->  (1 - f) z^-n + f z^-(n+1),    tau = (n + f) dt
    S_g  ->  S_g |(1 - z^-m) / (m (1 - 1/z))|^2

so what the ticks do to a variance is known without running anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hybsim.blocks.actuators.identified import Polynomials, as_printed
from hybsim.blocks.actuators.linear_system import discretise
from hybsim.blocks.ticks import ticks
from hybsim.diagrams.sdof_rths import DELAY, actuator_motion
from hybsim.studies.indicators.characteristic import numerical, physical
from hybsim.studies.indicators.performance import error_response

Response: TypeAlias = Callable[[np.ndarray], np.ndarray]

FURTHEST = 300.0
"""Frequency over omega_n up to which a continuous error is integrated; |I_ERR|^2 falls with its fourth power."""

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(16)
"""For every panel; the panels grow twofold from a quarter of a resonance's width, so that none needs to be halved."""


@dataclass(frozen=True)
class Partition:
    """A structure cut in two, and what lies between the parts: `rig` is "delay", "TS_1" or "TS_2"."""

    alpha: float
    beta: float
    gamma: float
    zeta: float
    omega_n: float
    delay: float
    rig: str = DELAY

    @property
    def shares(self) -> tuple[float, float, float, float]:
        return self.alpha, self.beta, self.gamma, self.zeta

    def transfer(self, s: np.ndarray) -> np.ndarray:
        """From the command to the motion that the physical part makes, at the complex frequency s in rad/s."""
        late = np.exp(-np.asarray(s) * self.delay)
        if self.rig == DELAY:
            return np.asarray(late)
        num, den = normalised(self.rig)
        return np.asarray(np.polyval(num, s) / np.polyval(den, s) * late)


def normalised(rig: str) -> Polynomials:
    """(num, den) of an identified actuator with unit DC gain; TS_2 is printed with 0.917."""
    num, den = as_printed(rig)
    return [each * den[-1] / num[-1] for each in num], den


@dataclass(frozen=True)
class Moments:
    """PPI, and `wait`: omega_n T over `wait` is the inverse square of the relative standard error of a run."""

    ppi: float
    wait: float

    def relative_error(self, omega_t: float | np.ndarray) -> np.ndarray:
        """SE / sigma^2 of a run of length omega_n T."""
        return np.sqrt(self.wait / np.asarray(omega_t))


def continuous(test: Partition) -> Moments:
    """Of the test in continuous time."""

    def size(phi: np.ndarray) -> np.ndarray:
        response = error_response(phi, *test.shares, test.transfer(1j * phi * test.omega_n))
        return np.asarray(np.abs(response) ** 2)

    return _moments(size, _edges(test, FURTHEST))


def sampled(test: Partition, dt: float, hold: int) -> Moments:
    """Of the diagram of the test at ticks of dt, with numbers of the noise held for `hold` ticks."""
    step = dt * test.omega_n

    def size(phi: np.ndarray) -> np.ndarray:
        z = np.exp(1j * phi * step)
        velocity, acceleration = (z - 1.0 / z) / (2.0 * step), (z - 2.0 + 1.0 / z) / step**2
        c_n = test.alpha * acceleration + 2.0 * test.beta * test.zeta * velocity + test.gamma
        c_r = acceleration + 2.0 * test.zeta * velocity + 1.0
        fed_back = _sampled_force(test, dt, z, velocity, acceleration)
        noise = (1.0 - z**-hold) / (hold * (1.0 - 1.0 / z))
        return np.asarray(np.abs((c_n + fed_back - c_r) / (c_r * (c_n + fed_back)) * noise) ** 2)

    return _moments(size, _edges(test, math.pi / step))


def resonance(test: Partition) -> complex:
    """The root of the characteristic equation that belongs to the structure, over omega_n, by Newton's method."""

    def characteristic(s: complex) -> complex:
        at = np.asarray(s)
        return complex(numerical(at, *test.shares) + physical(at, *test.shares) * test.transfer(at * test.omega_n))

    s, h = complex(-test.zeta, 1.0), 1e-6
    for _ in range(50):
        step = characteristic(s) * 2.0 * h / (characteristic(s + h) - characteristic(s - h))
        s -= step
        if abs(step) < 1e-13:
            break
    return s


def delay_error(test: Partition, dt: float) -> float:
    """By how much the delay of the sampled rig differs at omega_n from the one it stands for, as a share of it."""
    z = np.exp(1j * np.array(test.omega_n * dt))
    meant = np.angle(test.transfer(np.asarray(1j * test.omega_n)))
    return float(np.angle(_sampled_rig(test, dt, z, np.array([1.0, 0.0, 0.0]))) / meant - 1.0)


def _sampled_force(
    test: Partition, dt: float, z: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray
) -> np.ndarray:
    """Feedback force over displacement, divided by omega_n^2."""
    mass, damping, stiffness = 1.0 - test.alpha, 2.0 * (1.0 - test.beta) * test.zeta, 1.0 - test.gamma
    if test.rig == DELAY:
        moved = mass * acceleration + damping * velocity + stiffness
        return np.asarray(moved * _sampled_rig(test, dt, z, np.array([1.0, 0.0, 0.0])))
    return _sampled_rig(test, dt, z, np.array([stiffness, damping / test.omega_n, mass / test.omega_n**2]))


def _sampled_rig(test: Partition, dt: float, z: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Position, velocity and acceleration of the rig, weighted and summed, over the command; of a delay its output."""
    n = ticks(test.delay, dt)
    f = n - math.floor(n)
    late = ((1.0 - f) + f / z) * z ** -math.floor(n)
    if test.rig == DELAY:
        return np.asarray(weights[0] * late)
    actuator = discretise(actuator_motion(normalised(test.rig)), dt, "foh")
    # With the eigenvectors of A the response is a sum of first-order terms.
    poles, shapes = np.linalg.eig(actuator.a)
    out, into = weights @ actuator.c @ shapes, np.linalg.solve(shapes, actuator.b)[:, 0]
    passed = sum(out[i] * into[i] / (z - poles[i]) for i in range(len(poles)))
    return np.asarray((passed + float((weights @ actuator.d)[0])) * late)


def _moments(size: Response, edges: np.ndarray) -> Moments:
    """The integrals of |I_ERR|^2 and |I_ERR|^4 over the panels between the edges."""
    half = 0.5 * np.diff(edges)[:, None]
    square = size(edges[:-1, None] + half + half * POINTS)
    second = float(np.sum(half * square * WEIGHTS)) / math.pi
    fourth = float(np.sum(half * square**2 * WEIGHTS))
    return Moments(second, 2.0 / math.pi * fourth / second**2)


def _edges(test: Partition, end: float) -> np.ndarray:
    """From 0 to `end`, close together around the two resonances."""
    root = resonance(test)
    found = [np.array([0.0, end]), np.geomspace(2.0, end, 24)]
    for centre, width in ((1.0, test.zeta), (root.imag, abs(root.real))):
        around = width * 2.0 ** np.arange(-2.0, 12.0)
        found += [centre - around, centre + around, np.array([centre])]
    every = np.unique(np.concatenate(found))
    return np.asarray(every[(every >= 0.0) & (every <= end)])
