"""A linear structure whose restoring force is late: frequency response, critical phase delay, effective damping.

    u'' + 2 zeta omega_n u' + omega_n^2 u(t - tau) = f(t) / m                                      (3.10)
    T(rho) = 1 / [cos(rho phi) - rho^2 + i (2 zeta rho - sin(rho phi))]                            (3.15)
    rho = omega_bar / omega_n,    phi = omega_n tau                                                (3.13), (3.14)

T is the displacement over the static displacement f_0 / k, omega_bar the frequency of the load, tau the delay. The
phase delay phi is the delay as an angle of the natural period: 10 ms at 1 Hz are 3.6 degrees.

T is a response only if free vibrations die out, so if every root s (in units of omega_n) of

    s^2 + 2 zeta s + exp(-phi s) = 0

has a negative real part. Without delay all have (zeta > 0). A root reaches the imaginary axis, s = i rho, where the
real and the imaginary part vanish: cos(rho phi) = rho^2 and sin(rho phi) = 2 zeta rho. Squared and added,

    rho^4 + 4 zeta^2 rho^2 = 1:    rho_c^2 = sqrt(1 + 4 zeta^4) - 2 zeta^2
    phi_c = arctan(2 zeta / rho_c) / rho_c                                                         smallest phi

There is one such rho > 0, sine and cosine are both positive, hence the arc tangent of the first quadrant. Roots cross
to the right only: at s = i rho the sign of Re ds/dphi is that of d/dx (x^2 + 4 zeta^2 x - 1) = 2 x + 4 zeta^2 > 0 with
x = rho^2. So the structure is stable below phi_c and unstable at every phase delay above. For small damping phi_c is
2 zeta, for large damping pi zeta.

With exp(-phi s) = 1 - phi s the delay is a damping ratio of -phi/2, so zeta - phi/2 is left; exactly, the damping
ratio is -Re s / |s| of the rightmost root.

EERC Sec. 3.5.1. Eq. 3.13 is printed inverted, Eq. 3.15 with the sine of the wrong sign. Fig. 3-11 also draws T for
phase delays above phi_c, where it is no response.
"""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from hybsim.errors import ParameterError


def critical_phase_delay(damping_ratio: float) -> float:
    """The phase delay in radians from which on the structure is unstable.

    >>> round(math.degrees(critical_phase_delay(0.10)), 2)
    11.54
    """
    zeta = _at_least_zero("damping ratio", damping_ratio)
    rho = critical_frequency_ratio(zeta)
    return math.atan2(2.0 * zeta, rho) / rho


def critical_frequency_ratio(damping_ratio: float) -> float:
    """The frequency, over the natural one, of the steady free vibration at the critical phase delay."""
    zeta = _at_least_zero("damping ratio", damping_ratio)
    # 1 / (root + term) is root - term without the cancellation at large damping.
    return math.sqrt(1.0 / (math.sqrt(1.0 + 4.0 * zeta**4) + 2.0 * zeta**2))


def frequency_response(frequency_ratio: Any, *, damping_ratio: float, phase_delay: float) -> np.ndarray:
    """T at the frequency ratios rho, complex; an unstable structure has none and is refused.

    >>> float(abs(frequency_response(1.0, damping_ratio=0.10, phase_delay=0.0)))
    5.0
    """
    zeta, phi = _at_least_zero("damping ratio", damping_ratio), _at_least_zero("phase delay", phase_delay)
    critical = critical_phase_delay(zeta)
    if phi >= critical:
        raise ParameterError(
            f"A structure with {100.0 * zeta:g} % damping has no steady response at a phase delay of"
            f" {math.degrees(phi):.4g} degrees: it is unstable from {math.degrees(critical):.4g} degrees on."
        )
    rho = np.asarray(frequency_ratio, dtype=float)
    return np.asarray(1.0 / (np.exp(-1j * rho * phi) - rho**2 + 2j * zeta * rho))


def resonance(damping_ratio: float, phase_delay: float) -> tuple[float, float]:
    """The frequency ratio of the largest response, and |T| there.

    >>> "rho = {:.4f}, |T| = {:.4f}".format(*resonance(0.10, 0.0))
    'rho = 0.9899, |T| = 5.0252'
    """
    from scipy.optimize import minimize_scalar

    def amplitude(rho: Any) -> Any:
        return np.abs(frequency_response(rho, damping_ratio=damping_ratio, phase_delay=phase_delay))

    # A lightly damped peak is as narrow as its damping ratio and stands at the frequency of the rightmost root.
    root = rightmost_root(damping_ratio, phase_delay)
    near = abs(root.imag) + 10.0 * abs(root.real) * np.linspace(-1.0, 1.0, 401)
    coarse = np.union1d(np.linspace(0.0, 2.0, 401), near[near > 0.0])
    best = int(np.argmax(amplitude(coarse)))
    between = coarse[max(best - 1, 0)], coarse[min(best + 1, len(coarse) - 1)]
    found = minimize_scalar(lambda rho: -amplitude(rho), bounds=between, method="bounded", options={"xatol": 1e-12})
    rho = max(float(coarse[best]), float(found.x), key=amplitude)
    return rho, float(amplitude(rho))


def effective_damping(damping_ratio: float, phase_delay: float) -> float:
    """The damping ratio of the free vibration that lasts longest; below zero it grows.

    >>> round(effective_damping(0.05, 0.02 * math.pi), 4), round(0.05 - 0.01 * math.pi, 4)
    (0.0186, 0.0186)
    """
    root = rightmost_root(damping_ratio, phase_delay)
    return -root.real / abs(root)


def rightmost_root(damping_ratio: float, phase_delay: float) -> complex:
    """The root of s^2 + 2 zeta s + exp(-phi s) with the largest real part, in units of omega_n.

    The history of the structure over the last phi is held at Chebyshev points. Its rate of change is then a matrix,
    whose rightmost eigenvalues are close to the rightmost roots (Breda, Maset, Vermiglio 2005); Newton's method makes
    the root exact.
    """
    zeta, phi = _at_least_zero("damping ratio", damping_ratio), _at_least_zero("phase delay", phase_delay)
    if phi == 0.0:
        return -zeta + cmath.sqrt(zeta**2 - 1.0)
    points = 24 + math.ceil(2.0 * phi)
    rate = np.kron(2.0 / phi * _chebyshev_derivative(points), np.eye(2))
    # The present (u, u') follows the equation of motion; the last point is phi ago.
    rate[:2] = 0.0
    rate[:2, :2] = [[0.0, 1.0], [0.0, -2.0 * zeta]]
    rate[1, -2] = -1.0
    eigenvalues = np.linalg.eigvals(rate)
    s = complex(max(eigenvalues, key=lambda value: (value.real, value.imag)))
    for _ in range(50):
        late = cmath.exp(-phi * s)
        step = (s * s + 2.0 * zeta * s + late) / (2.0 * s + 2.0 * zeta - phi * late)
        s -= step
        if abs(step) <= 1e-14 * abs(s):
            break
    return s


def _chebyshev_derivative(intervals: int) -> np.ndarray:
    """The matrix that takes values at cos(j pi / n), j = 0..n, to the derivatives of their polynomial there."""
    j = np.arange(intervals + 1)
    x = np.cos(j * math.pi / intervals)
    weight = np.where((j == 0) | (j == intervals), 2.0, 1.0) * (-1.0) ** j
    matrix = np.outer(weight, 1.0 / weight) / (x[:, None] - x[None, :] + np.eye(intervals + 1))
    return np.asarray(matrix - np.diag(matrix.sum(axis=1)))


def _at_least_zero(what: str, value: float) -> float:
    number = float(value)
    if not (math.isfinite(number) and number >= 0.0):
        raise ParameterError(f"The {what} must be a finite number of at least 0, got {number:g}.")
    return number
