"""What can be said of a single-degree-of-freedom hybrid test before it starts: margins, damping, error, in one place.

    tau_cr = Omega_cr / omega_n,    PSI = ln(tau_cr in ms)                     how much delay the test can bear
    zeta_eff = Im Gamma(j) / 2                                                 damping at a delay tau, signed
    lambda / omega_n with the largest real part                                the exact dominant root at tau
    PPI = omega_n^3 sigma^2 / S_g                                              variance of the error at tau

The formulas are in sdof.py, roots.py and performance.py; here they are asked together, and the holes are named: where
there is no number, the field is None.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hybsim.studies.indicators.characteristic import TURN, not_negative, positive
from hybsim.studies.indicators.performance import ppi
from hybsim.studies.indicators.sdof import (
    FURTHEST,
    Critical,
    Switch,
    critical,
    critical_delay,
    dominant_root,
    effective_damping,
    is_stable,
    psi,
    switches,
)

MOST = 1000
"""Crossings of one frequency that are looked at."""


@dataclass(frozen=True)
class Setup:
    """A partition, the structure's natural frequency in rad/s, and the delay in s if it is known."""

    alpha: float
    beta: float
    gamma: float
    zeta: float
    omega_n: float
    tau: float | None = None

    @property
    def partition(self) -> tuple[float, float, float, float]:
        return self.alpha, self.beta, self.gamma, self.zeta

    @property
    def omega_tau(self) -> float | None:
        return None if self.tau is None else self.omega_n * self.tau


@dataclass(frozen=True)
class AtDelay:
    """The test at its delay; what does not exist is None.

    stable      every root has a negative real part
    zeta_eff    signed effective damping
    root        the dominant root over omega_n; its imaginary part is inf where roots of high frequency lead
    ppi         None where the test is unstable: the error has no stationary variance
    """

    stable: bool
    zeta_eff: float
    root: complex
    ppi: float | None


@dataclass(frozen=True)
class Prediction:
    """Everything that `hybsim psi` says, in numbers."""

    setup: Setup
    critical: Critical
    switches: tuple[Switch, ...]
    tau_cr: float
    psi: float
    at_delay: AtDelay | None
    warnings: tuple[str, ...]

    def summary(self) -> Mapping[str, Any]:
        """Plain data; None where there is no number."""
        first, at = self.critical, self.at_delay
        return {
            "phi_cr": _number(first.phi),
            "omega_cr": _number(first.omega),
            "switches": [
                {
                    "phi": each.phi,
                    "omega": each.omega,
                    "tau_s": each.omega / self.setup.omega_n,
                    "becomes": "unstable" if each.to_right else "stable",
                    "first": number == 0,
                }
                for number, each in enumerate(self.switches)
            ],
            "tau_cr_s": _number(self.tau_cr),
            "psi": _number(self.psi),
            "unconditional": first.unconditional,
            "zeta_eff": None if at is None else _number(at.zeta_eff),
            "root_re": None if at is None else _number(at.root.real),
            "root_im": None if at is None else _number(at.root.imag),
            "ppi": None if at is None else at.ppi,
            "warnings": list(self.warnings),
        }


def predict(setup: Setup, *, log10: bool = False) -> Prediction:
    """Margins of a partition and, if the delay is known, what the test does at it; what is no test is refused.

    >>> found = predict(Setup(0.7, 0.4, 0.9, 0.1, omega_n=3.0))
    >>> round(found.critical.omega, 3), round(found.psi, 2)
    (2.123, 6.56)
    """
    first = critical(*setup.partition)
    tau_cr = float(critical_delay(first.omega, positive("omega_n, the natural frequency in rad/s,", setup.omega_n)))
    if setup.tau is not None:
        not_negative("tau, the delay in s,", setup.tau)
    at = None if setup.tau is None else _at_delay(setup)
    return Prediction(
        setup, first, _switches(setup, first), tau_cr, float(psi(tau_cr, log10=log10)), at,
        (*first.warnings, *_warnings(setup, tau_cr, at)),
    )  # fmt: skip


def _switches(setup: Setup, first: Critical) -> tuple[Switch, ...]:
    """Up to FURTHEST, or to the crossing number MOST: near alpha = 1/2 they have no end."""
    if not math.isfinite(first.phi):
        return ()
    return switches(*setup.partition, below=min(FURTHEST, first.omega + MOST * TURN / first.phi))


def _at_delay(setup: Setup) -> AtDelay:
    omega_tau = setup.omega_tau
    assert omega_tau is not None
    where = (*setup.partition, omega_tau)
    stable = bool(is_stable(*where))
    error = float(ppi(*where)) if stable else None
    return AtDelay(stable, float(effective_damping(*where)), dominant_root(*where), error)


def _warnings(setup: Setup, tau_cr: float, at: AtDelay | None) -> list[str]:
    if at is None or setup.tau is None or setup.omega_tau is None:
        return []
    said = []
    if setup.omega_tau > TURN:
        said.append(
            f"The delay of {setup.tau:g} s is longer than the natural period of {TURN / setup.omega_n:.4g} s: tau is in"
            f" seconds; {setup.tau:g} ms are {setup.tau / 1000.0:g}."
        )
    if at.ppi is None:
        said.append(
            f"There is no PPI at tau = {1000.0 * setup.tau:.6g} ms: the test is unstable there, and its error has no"
            " stationary variance."
        )
    elif setup.tau > tau_cr:
        said.append(
            f"The test is stable at tau = {1000.0 * setup.tau:.6g} ms, but beyond the first switch at"
            f" {1000.0 * tau_cr:.4g} ms: it is unstable at some smaller delays."
        )
    if (at.zeta_eff > 0.0) != at.stable and setup.tau > 0.0:
        said.append(
            f"The effective damping ({at.zeta_eff:.4g}) says the contrary of the exact dominant root (real part"
            f" {at.root.real:.4g} of omega_n): it is an estimate for small delay and damping; the root counts."
        )
    return said


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
