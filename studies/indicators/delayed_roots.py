"""Roots of a delayed test: the rightmost ones, certified by a count, and what becomes of the structure's modes.

    det D(s) = 0,    Newton's method: s <- s - 1 / trace(D(s)^-1 D'(s))

Starting values are the eigenvalues of the closed loop with its delays held at Chebyshev points (loop_realisation.py).
The rightmost roots are complete if there are as many to the right of a line just left of the last one as the argument
principle counts (nyquist.py); if not, the points are made finer.

The modes of the reference structure are followed from the actuators that do all at once to those of the test,

    D_e(s) = Z_n(s) + Z_p(s) [I + e (A(s) exp(-s tau) - I)],    e from 0 to 1

in steps so small that a root moves by a few percent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from hybsim.errors import HybsimError, ParameterError
from hybsim.studies.indicators.loop_realisation import loop_with_delays
from hybsim.studies.indicators.nyquist import NearNeutralLimit, count_right, frequency_scale

if TYPE_CHECKING:
    from hybsim.studies.indicators.delayed_system import DelayedSystem

REFINEMENTS = 5
CLOSE = 1e-3
"""By how much, over its size, an eigenvalue that stands for a root is moved by Newton's method at most."""

Rate = Callable[[complex], complex]
"""trace(D^-1 D'): infinite at a root."""


def rightmost_roots(system: DelayedSystem, tau: float, count: int) -> np.ndarray:
    """Up to `count` roots with an imaginary part of at least 0 by falling real part.

    Where the roots of high frequency of a neutral equation tend to a line, only those right of it can be counted; the
    others are given as found.
    """
    if math.isinf(system.neutral_radius()):
        raise ParameterError(f"There is no rightmost root: {system.critical().reason}")
    highest = 4.0 * float(np.abs(system.reference_roots).max())
    for _ in range(REFINEMENTS):
        found = _candidates(system, tau, highest, count)
        if len(found) and _is_complete(system, tau, found[: count + 1]):
            return found[:count]
        highest *= 2.0
    raise HybsimError(
        f"The rightmost roots at a delay of {tau:g} s were not found to be complete; ask for fewer of them."
    )


def followed_modes(system: DelayedSystem, tau: float) -> np.ndarray:
    """The roots that the reference structure's become, by rising size of those."""
    upper = system.reference_roots[system.reference_roots.imag >= 0.0]
    return np.array([_followed(system, tau, complex(root)) for root in sorted(upper, key=abs)])


def _candidates(system: DelayedSystem, tau: float, highest: float, count: int) -> np.ndarray:
    eigenvalues = np.linalg.eigvals(loop_with_delays(system, tau, highest).closed())
    upper = eigenvalues[(eigenvalues.imag >= -1e-9 * np.abs(eigenvalues)) & (np.abs(eigenvalues) <= highest)]
    upper = upper[np.argsort(-upper.real)][: 2 * count + 8]

    def rate(s: complex) -> complex:
        return complex(system.log_derivative(np.array([s]), tau)[1][0])

    scale = frequency_scale(system)
    found = [(start, newton(rate, complex(start), scale)) for start in upper]
    kept = [root for start, root in found if abs(root - start) <= CLOSE * max(abs(start), 1e-3 * scale)]
    return np.array(sorted((complex(root.real, abs(root.imag)) for root in kept), key=lambda root: -root.real))


def newton(rate: Rate, s: complex, scale: float, steps: int = 60) -> complex:
    """The root that Newton's method leads to; a double one is approached by halves."""
    for _ in range(steps):
        try:
            step = 1.0 / rate(s)
        except (np.linalg.LinAlgError, ZeroDivisionError):
            return s  # D is singular to the last bit
        if not math.isfinite(abs(step)):
            return s
        s -= step
        if abs(step) <= 1e-15 * (abs(s) + 1e-3 * scale):
            return s
    return s


def _is_complete(system: DelayedSystem, tau: float, found: np.ndarray) -> bool:
    """Whether the count agrees with the roots right of the last, which is there only to say where the line may be."""
    scale = frequency_scale(system)
    last = found[-1].real
    inner = found[found.real > last + 1e-7 * scale]
    if not len(inner):
        line, inner = last - 1e-6 * scale, found
    else:
        line = 0.5 * (last + inner[-1].real)
    try:
        counted = count_right(system, float(line), tau)
    except NearNeutralLimit:
        return True
    if math.isinf(counted):
        return True
    real = np.abs(inner.imag) <= 1e-9 * scale
    return bool(counted == 2 * len(inner) - np.count_nonzero(real))


def _followed(system: DelayedSystem, tau: float, root: complex) -> complex:
    done, step, before = 0.0, 1.0 / 16.0, root
    previous = 0.0
    scale = abs(root)
    while done < 1.0:
        share = min(1.0, done + step)
        ahead = root if done == 0.0 else root + (root - before) * (share - done) / (done - previous)

        def rate(s: complex, share: float = share) -> complex:
            return _shared_rate(system, tau, share, s)

        arrived = newton(rate, ahead, scale)
        if abs(arrived - ahead) > 0.02 * abs(root) and step > 1e-4:
            step *= 0.5
            continue
        before, previous, root, done = root, done, arrived, share
        step *= 1.5
    return root


def _shared_rate(system: DelayedSystem, tau: float, share: float, s: complex) -> complex:
    """trace(D_e^-1 D_e') for the share e of the actuators."""
    at = np.array([s])
    late, slope = system._characteristic(at, tau, 1.0)
    exact = (system.mass * s + system.damping) * s + system.stiffness
    exact_slope = 2.0 * system.mass * s + system.damping
    matrix = (1.0 - share) * exact + share * late[0]
    return complex(np.trace(np.linalg.solve(matrix, (1.0 - share) * exact_slope + share * slope[0])))
