"""Theory of the explicit integrators.

    E x_{k+1} = F x_k,    x = (d, h v, h^2 a),    A = E^-1 F

The rows are the published difference equations of the undriven oscillator a + 2 zeta omega v + omega^2 d = 0, with
W = omega h; each stability limit is where an eigenvalue of A reaches -1 (W grows) for zeta = 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybsim.studies.verification.theory import Theory

ALPHA = 0.2
C_1 = 0.05
SERIES = (0.02, 0.03)


def amplification(new: Any, old: Any) -> np.ndarray:
    """A from E (the new step's side of the equations) and F (the old step's)."""
    return np.linalg.solve(np.array(new, dtype=float), np.array(old, dtype=float))


def maker(factory: str, **own: Any) -> Callable[..., Any]:
    """A `make` that passes the common parameters on, the stiffness only if `needs_stiffness`."""
    needs_stiffness = own.pop("needs_stiffness", True)

    def make(bd: Any, *, stiffness: Any, **common: Any) -> Any:
        given = dict(stiffness=stiffness) if needs_stiffness else {}
        return getattr(bd, factory)(**common, **given, **own)

    return make


# Newmark's explicit method and the central differences ----------------------------------------


def newmark_explicit(w: float, zeta: float, gamma: float = 0.5) -> np.ndarray:
    """EERC Eqs. 2.6 (corrected), 2.7, 2.8 with beta = 0."""
    new = [[1, 0, 0], [0, 1, -gamma], [w * w, 2 * zeta * w, 1]]
    old = [[1, 1, 0.5], [0, 1, 1 - gamma], [0, 0, 0]]
    return amplification(new, old)


def central_difference(w: float, zeta: float) -> np.ndarray:
    """EERC Eq. 2.5 in the state (d_k, d_{k-1})."""
    new = [[1 + zeta * w, 0], [0, 1]]
    old = [[2 - w * w, -(1 - zeta * w)], [1, 0]]
    return amplification(new, old)


def momentum(w: float, zeta: float) -> np.ndarray:
    """Newmark's explicit method for (q, h d, h^2 v), q the integral of d: v + 2 zeta omega d + omega^2 q = 0."""
    new = [[1, 0, 0], [0, 1, -0.5], [w * w, 2 * zeta * w, 1]]
    old = [[1, 1, 0.5], [0, 1, 0.5], [0, 0, 0]]
    return amplification(new, old)


def make_banded(bd: Any, *, mass: Any, damping: Any, stiffness: Any, **common: Any) -> Any:
    """Mass and damping as the vector and the lower band that the banded form takes."""
    masses, c = np.diag(np.atleast_2d(mass)), np.atleast_2d(damping)
    band = [np.pad(np.diag(c, -below), (0, below)) for below in range(len(c))]
    return bd.NEWMARK_BANDED(mass=masses, damping=np.array(band), **common)


# numerical damping ------------------------------------------------------------------------------


def modified_newmark(w: float, zeta: float, alpha: float, rho: float) -> np.ndarray:
    """EERC Eqs. 2.9-2.11 with viscous damping."""
    new = [[1, 0, 0], [0, 1, -0.5], [(1 + alpha) * w * w + rho, 2 * zeta * w, 1]]
    old = [[1, 1, 0.5], [0, 1, 0.5], [alpha * w * w + rho, 0, 0]]
    return amplification(new, old)


def make_relieved(bd: Any, *, mass: Any, stiffness: Any, **common: Any) -> Any:
    """rho = -alpha (omega_1 dt)^2 / 2: scaled with dt^2, the numerical damping of the first mode halved."""
    squares = np.linalg.eigvals(np.linalg.solve(np.atleast_2d(mass), np.atleast_2d(stiffness))).real
    rho = -0.5 * ALPHA * float(squares.min()) * bd.dt**2
    return bd.NEWMARK_MODIFIED(mass=mass, stiffness=stiffness, alpha=ALPHA, rho=rho, **common)


def gamma_function(w: float, zeta: float, coefficients: Sequence[float]) -> np.ndarray:
    """EERC Eqs. 2.12-2.14."""
    return newmark_explicit(w, zeta, 0.5 + sum(c * w ** (2 * j) for j, c in enumerate(coefficients, 1)))


def gamma_limit(coefficients: Sequence[float]) -> float:
    """The eigenvalue -1: W^2 gamma(W) = 2, by bisection, as gamma grows with W."""
    low, high = 0.0, 2.0
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        gamma = 0.5 + sum(c * middle ** (2 * j) for j, c in enumerate(coefficients, 1))
        low, high = (middle, high) if middle**2 * gamma < 2.0 else (low, middle)
    return low


# unconditionally stable -------------------------------------------------------------------------


def chang(w: float, zeta: float, hardening: float = 1.0) -> np.ndarray:
    """EERC Eqs. 2.15-2.19; K = hardening K0, W that of K and zeta relative to it."""
    z = 1 + zeta * w + w * w / hardening / 4
    new = [[1, 0, 0], [0, 1, -0.5], [w * w, 2 * zeta * w, 1]]
    old = [[1, (1 + zeta * w) / z, 0.5 / z], [0, 1, 0.5], [0, 0, 0]]
    return amplification(new, old)


def cr(w: float, zeta: float, hardening: float = 1.0) -> np.ndarray:
    """Chen and Ricles (2008)."""
    alpha = 4 / (4 + 4 * zeta * w + w * w / hardening)
    new = [[1, 0, 0], [0, 1, 0], [w * w, 2 * zeta * w, 1]]
    old = [[1, 1, alpha], [0, 1, alpha], [0, 0, 0]]
    return amplification(new, old)


def kr_alpha(w: float, zeta: float, rho_inf: float, hardening: float = 1.0) -> np.ndarray:
    """Kolay and Ricles (2014)."""
    u = 1 / (1 + rho_inf)
    alpha_m, alpha_f, gamma, beta = 2 - 3 * u, 1 - u, 2 * u - 0.5, u * u
    damping, stiffness = gamma * 2 * zeta * w, beta * w * w / hardening
    z = 1 + damping + stiffness
    a_3 = (alpha_m + alpha_f * (damping + stiffness)) / z
    new = [[1, 0, 0], [0, 1, 0], [(1 - alpha_f) * w * w, (1 - alpha_f) * 2 * zeta * w, 1 - a_3]]
    old = [[1, 1, (0.5 + gamma) / z], [0, 1, 1 / z], [-alpha_f * w * w, -alpha_f * 2 * zeta * w, -a_3]]
    return amplification(new, old)


def softer(factory: str, hardening: float, **own: Any) -> Callable[..., Any]:
    """A `make` that takes the structure for softer than it is: K0 = stiffness / hardening."""

    def make(bd: Any, *, stiffness: Any, **common: Any) -> Any:
        return getattr(bd, factory)(**common, stiffness=np.asarray(stiffness) / hardening, **own)

    return make


def _kr_entry(rho_inf: float) -> Theory:
    return Theory(
        "KRALPHA",
        maker("KRALPHA", rho_inf=rho_inf),
        lambda w, zeta: kr_alpha(w, zeta, rho_inf),
        order=2,
        stability_limit=None,
        variant=f"rho_inf = {rho_inf:g}",
        notes="numerical damping ((1 - rho_inf) / (1 + rho_inf) W)^3 / 2",
    )


THEORIES: list[Theory] = [
    Theory(
        "NEWMARK",
        maker("NEWMARK", needs_stiffness=False),
        newmark_explicit,
        order=2,
        stability_limit=2.0,
        notes="EERC Eq. 2.3",
    ),
    Theory(
        "NEWMARK_WITHIN_STEP",
        maker("NEWMARK_WITHIN_STEP", needs_stiffness=False, ticks_per_step=4),
        newmark_explicit,
        order=2,
        stability_limit=2.0,
        variant="ticks_per_step = 4",
        ticks_per_step=4,
        notes="W of the step, not of the tick",
    ),
    Theory(
        "NEWMARK_BANDED",
        make_banded,
        newmark_explicit,
        order=2,
        stability_limit=2.0,
        notes="EERC Eq. 2.3",
    ),
    Theory(
        "CENTRALDIFFERENCE",
        maker("CENTRALDIFFERENCE"),
        central_difference,
        order=2,
        stability_limit=2.0,
        notes="EERC Eq. 2.3",
    ),
    Theory("MOMENTUM", maker("MOMENTUM"), momentum, order=2, stability_limit=2.0, notes="as Newmark's explicit method"),
    Theory(
        "MOMENTUM",
        maker("MOMENTUM", ticks_per_step=4),
        momentum,
        order=2,
        stability_limit=2.0,
        variant="ticks_per_step = 4",
        ticks_per_step=4,
        notes="W of the step, not of the tick",
    ),
    Theory(
        "NEWMARK_MODIFIED",
        maker("NEWMARK_MODIFIED", alpha=ALPHA),
        lambda w, zeta: modified_newmark(w, zeta, ALPHA, 0.0),
        order=1,
        stability_limit=2.0 / math.sqrt(1.0 + 2.0 * ALPHA),
        variant=f"alpha = {ALPHA:g}, rho = 0",
        notes="sqrt((4 - 2 rho) / (1 + 2 alpha)); numerical damping (alpha W + rho / W) / 2",
    ),
    Theory(
        "NEWMARK_MODIFIED",
        make_relieved,
        lambda w, zeta: modified_newmark(w, zeta, ALPHA, -0.5 * ALPHA * w * w),
        order=1,
        stability_limit=2.0 / math.sqrt(1.0 + ALPHA),
        variant=f"alpha = {ALPHA:g}, rho = -alpha W^2 / 2",
        notes="rho scaled with dt^2, without which the method does not converge",
    ),
    Theory(
        "NEWMARK_GAMMA",
        maker("NEWMARK_GAMMA", coefficients=C_1),
        lambda w, zeta: gamma_function(w, zeta, (C_1,)),
        order=2,
        stability_limit=math.sqrt((math.sqrt(1.0 + 32.0 * C_1) - 1.0) / (4.0 * C_1)),
        variant=f"c_1 = {C_1:g}",
        notes="numerical damping c_1 W^3 / 2",
    ),
    Theory(
        "NEWMARK_GAMMA",
        maker("NEWMARK_GAMMA", coefficients=list(SERIES)),
        lambda w, zeta: gamma_function(w, zeta, SERIES),
        order=2,
        stability_limit=gamma_limit(SERIES),
        variant=f"c_1 = {SERIES[0]:g}, c_2 = {SERIES[1]:g}",
        notes="W^2 gamma(W) = 2",
    ),
    Theory(
        "CHANG",
        maker("CHANG"),
        chang,
        order=2,
        stability_limit=None,
        notes="spectrum of the average acceleration method",
    ),
    Theory(
        "CHANG",
        softer("CHANG", 1.5),
        lambda w, zeta: chang(w, zeta, 1.5),
        order=2,
        stability_limit=2.0 * math.sqrt(1.5 / 0.5),
        variant="K = 1.5 K0",
        notes="hardening: omega_0 dt <= 2 / sqrt(s - 1)",
    ),
    Theory("CR", maker("CR"), cr, order=2, stability_limit=None, notes="spectrum of the average acceleration method"),
    Theory(
        "CR",
        softer("CR", 1.5),
        lambda w, zeta: cr(w, zeta, 1.5),
        order=2,
        stability_limit=2.0 * math.sqrt(1.5 / 0.5),
        variant="K = 1.5 K0",
        notes="hardening: omega_0 dt <= 2 / sqrt(s - 1)",
    ),
    _kr_entry(1.0),
    _kr_entry(0.5),
    _kr_entry(0.0),
    Theory(
        "KRALPHA",
        softer("KRALPHA", 1.5, rho_inf=0.25),
        lambda w, zeta: kr_alpha(w, zeta, 0.25, 1.5),
        order=2,
        stability_limit=math.sqrt(1.5 * 6.0 / (1.1 * 1.5 - 2.0 * 0.64)),
        variant="rho_inf = 0.25, K = 1.5 K0",
        notes="hardening: omega_0 dt <= sqrt(6 / (gamma s - 2 beta)), gamma = 1.1, beta = 0.64",
    ),
]
