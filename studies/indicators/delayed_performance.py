"""How far a delayed test is from the structure it stands for, before it is run: PPI for any number of DOFs.

    H_ref(w) = -Z(j w)^-1 M iota,    H(w) = -D(j w)^-1 M iota,    H_err = H_ref - H
    sigma_i^2 = 1/pi int_0^inf S_g |H_err,i|^2 dw                  variance of the error of x_i under white noise S_g

    PPI_i = omega_1^3 sigma_i^2 / S_g                              (3.26)

omega_1 is the lowest natural frequency of the reference structure, iota the influence of the ground acceleration (1 at
every degree of freedom if not given), S_g its spectral density in m^2/s^3, two-sided over w. For one degree of freedom
PPI is that of PSI. `error_ratio` is the standard deviation of the error over that of the reference: a PPI without
units that can be compared between structures.

For a spectrum S_g(w), with phi = w / omega_1, up to its largest frequency,

    PPI' = 1/pi int S_g |omega_1^2 H_err|^2 dphi / int S_g dphi    (3.28, corrected: the factor is 1/pi)

and for a record with that of the record, padded with zeros until free vibrations have died out (ground_motion.py).

A test that is not stable has no steady state and is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.errors import ParameterError
from hybsim.studies.indicators.ground_motion import DIED_OUT, padded_length, spectral_density
from hybsim.studies.indicators.peaked_integral import integral, integral_to_infinity

if TYPE_CHECKING:
    from hybsim.studies.indicators.delayed_system import DelayedSystem


@dataclass(frozen=True)
class Performance:
    """One number for each degree of freedom.

    ppi           PPI, or PPI' for a spectrum or a record
    error_ratio   standard deviation of the error over that of the reference
    omega         omega_1 in rad/s
    """

    ppi: np.ndarray
    error_ratio: np.ndarray
    omega: float


def performance(
    system: DelayedSystem,
    tau: float,
    *,
    influence: Any = None,
    spectrum: tuple[Any, Any] | None = None,
    record: tuple[Any, float] | None = None,
    rtol: float = 1e-9,
) -> Performance:
    """PPI under white noise, a spectrum or a record.

    influence  of the ground acceleration on each degree of freedom; 1 if not given
    spectrum   (frequencies in rad/s, S_g there), straight lines between them
    record     (ground acceleration, its time step in s)
    """
    if not system.is_stable(tau):
        raise ParameterError(
            f"The test is not stable at a delay of {1000.0 * tau:g} ms, so its error has no steady state; the critical"
            f" delay is {1000.0 * system.critical_delay():.4g} ms."
        )
    iota = np.ones(system.dofs) if influence is None else np.asarray(influence, dtype=float)
    if iota.shape != (system.dofs,):
        raise ParameterError(f"The influence must be {system.dofs} number(s), got the shape {iota.shape}.")
    squares = _squares(system, tau, system.mass @ iota)
    omega = float(system.natural_frequencies[0])
    if omega == 0.0:
        raise ParameterError("The reference structure has no stiffness against one of its motions: PPI has no scale.")
    if record is not None:
        w, density = _padded(system, tau, *record)
        return _found(np.trapezoid(squares(w) * density[:, None], w, axis=0), density, w, omega)
    points = peaks(system, tau)
    if spectrum is None:
        whole = integral_to_infinity(squares, points, rtol) / math.pi
        return _scaled(whole, omega**3, omega)
    w, density = _checked(spectrum)

    def weighted(at: np.ndarray) -> np.ndarray:
        return squares(at) * np.interp(at, w, density)[:, None]

    inside = points[(points > w[0]) & (points < w[-1])]
    return _found(integral(weighted, np.union1d(w, inside), rtol), density, w, omega)


def peaks(system: DelayedSystem, tau: float) -> np.ndarray:
    """Where responses have narrow peaks and around, from 0 to beyond all of them."""
    roots = np.concatenate([system.reference_roots, system.modes(tau), system.roots(tau, count=2)])
    around = np.concatenate([[0.0], np.geomspace(1.0, 256.0, 5)])
    width = np.maximum(np.abs(roots.real), 1e-9 * np.abs(roots))[:, None] * np.concatenate([-around[:0:-1], around])
    near = (np.abs(roots.imag)[:, None] + width).ravel()
    highest = 4.0 * float(np.abs(roots).max())
    return np.unique(np.concatenate([[0.0, highest], near[(near > 0.0) & (near < highest)]]))


def _squares(system: DelayedSystem, tau: float, load: np.ndarray) -> Any:
    """|H_err|^2 and |H_ref|^2 of every degree of freedom, side by side."""

    def squares(w: np.ndarray) -> np.ndarray:
        s = 1j * w
        each = s[:, None, None]
        exact = (system.mass * each + system.damping) * each + system.stiffness
        late = system.characteristic(s, tau)
        reference = np.linalg.solve(exact, np.broadcast_to(load[:, None].astype(complex), (len(w), len(load), 1)))
        # H_ref - H = D^-1 (D - Z) H_ref, without the cancellation of a difference of near numbers.
        error = np.linalg.solve(late, (late - exact) @ reference)
        return np.asarray(np.square(np.abs(np.concatenate([error, reference], axis=1)))[..., 0])

    return squares


def _padded(system: DelayedSystem, tau: float, accel: Any, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """The spectrum of a record with the time after it in which free vibrations die out."""
    spectral_density(accel, dt)  # refuses what is no record
    slowest = min(-system.reference_roots.real.max(), -float(system.roots(tau, count=1)[0].real))
    return spectral_density(accel, dt, length=padded_length(len(accel), dt, DIED_OUT / slowest))


def _found(whole: np.ndarray, density: np.ndarray, w: np.ndarray, omega: float) -> Performance:
    """(3.28) from the integral over w: PPI' and phi take omega_1^4 and two factors 1 / omega_1."""
    return _scaled(whole, omega**4 / (math.pi * float(np.trapezoid(density, w))), omega)


def _scaled(whole: np.ndarray, factor: float, omega: float) -> Performance:
    error, reference = np.split(whole, 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt(error / reference)
    return Performance(factor * error, ratio, omega)


def _checked(spectrum: tuple[Any, Any]) -> tuple[np.ndarray, np.ndarray]:
    w, density = (np.asarray(each, dtype=float) for each in spectrum)
    if w.ndim != 1 or w.shape != density.shape or len(w) < 2:
        raise ParameterError(
            f"A spectrum is a pair of equally long lists (w, S_g), got shapes {w.shape} and {density.shape}."
        )
    if not (np.isfinite(w).all() and np.isfinite(density).all() and w[0] >= 0.0 and (np.diff(w) > 0.0).all()):
        raise ParameterError("The frequencies of a spectrum must rise from at least 0 rad/s, all numbers finite.")
    if (density < 0.0).any() or not density.any():
        raise ParameterError("The densities of a spectrum must be at least 0, and not all 0.")
    return w, density
