"""Theory of the implicit, operator-splitting and iterative integrators.

    E x_{k+1} = F x_k,    A = E^-1 F,    W = omega h,  omega^2 = K/m of the whole stiffness K

The rows are the published difference equations of the undriven oscillator, x = (d, h v, h^2 a, ...). What a method
takes for the stiffness may differ from what the specimen has: K = s K0 with s > 1 hardens, s < 1 softens.
Limits are those of the undamped oscillator: where an eigenvalue of A reaches -1, in closed form where there is one,
else the lowest W at which the spectral radius of A passes 1, by bisection.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hybsim.studies.verification.theory import Theory
from hybsim.studies.verification.theory_explicit import maker, softer

Matrix = Callable[[float, float], np.ndarray]

THIRD = 1.0 / 3.0


def partly(factory: str, share: float, **own: Any) -> Callable[..., Any]:
    """A `make` whose block has (1 - share) of the stiffness as its own linear substructure."""

    def make(bd: Any, *, stiffness: Any, **common: Any) -> Any:
        return getattr(bd, factory)(**common, stiffness=(1.0 - share) * np.asarray(stiffness), **own)

    return make


def amplification(new: Any, old: Any) -> np.ndarray:
    """A from E (the new step's side of the equations) and F (the old step's)."""
    return np.linalg.solve(np.array(new, dtype=float), np.array(old, dtype=float))


# a numerical substructure besides the specimen ----------------------------------------------------


def newmark_beta(w: float, zeta: float, share: float, beta: float = 0.25, gamma: float = 0.5) -> np.ndarray:
    """EERC Eqs. 2.6-2.8 (corrected), the specimen's share of K at d + h v + h^2/2 a."""
    new = [[1, 0, -beta], [0, 1, -gamma], [(1 - share) * w * w, 2 * zeta * w, 1]]
    old = [[1, 1, 0.5 - beta], [0, 1, 1 - gamma], [-share * w * w * f for f in (1, 1, 0.5)]]
    return amplification(new, old)


def newmark_beta_limit(share: float, beta: float) -> float:
    """Eigenvalue -1 for gamma = 1/2: W_s^2 (1 + 4 beta) = 4 - (1 - 4 beta) W_n^2."""
    return 2.0 / math.sqrt(share * (1.0 + 4.0 * beta) + (1.0 - share) * (1.0 - 4.0 * beta))


def hht_alpha(w: float, zeta: float, share: float, alpha: float) -> np.ndarray:
    """FHT Eqs. 1-6 (EERC Eqs. 2.20-2.23, corrected); the fourth state is the specimen's displacement."""
    beta, gamma, c, k = (1 - alpha) ** 2 / 4, 0.5 - alpha, 2 * zeta * w, (1 - share) * w * w
    forces = np.array([k, c, 0, share * w * w])
    new = [[1, 0, -beta, 0], [0, 1, -gamma, 0], (1 + alpha) * forces + [0, 0, 1, 0], [0, 0, 0, 1]]
    old = [[1, 1, 0.5 - beta, 0], [0, 1, 1 - gamma, 0], alpha * forces, [1, 1, 0.5, 0]]
    return amplification(new, old)


def hht_limit(share: float, alpha: float) -> float:
    """Eigenvalue -1; holds for alpha > -0.27, where it is the first to leave."""
    q = alpha**2 / (1 - 2 * alpha)
    return math.sqrt(4 / (1 - 4 * alpha**2) / (share * (2 + q) - (1 - share) * q))


def implicit_explicit(w: float, zeta: float, share: float, explicit: bool = False) -> np.ndarray:
    """EERC Eqs. 2.26-2.30 (corrected) with beta = 1/4, gamma = 1/2; all damping in C_E if `explicit`."""
    c = 2 * zeta * w
    inside, outside = (0.0, c) if explicit else (c, 0.0)
    new = [[1, 0, -0.25], [0, 1, -0.5], [(1 - share) * w * w, inside, 1]]
    old = [[1, 1, 0.25], [0, 1, 0.5], [-share * w * w * f - outside * g for f, g in ((1, 0), (1, 1), (0.25, 0.5))]]
    return amplification(new, old)


# operator splitting -------------------------------------------------------------------------------


def operator_splitting(w: float, zeta: float, s: float) -> np.ndarray:
    """OSM Eqs. 13, 14 in the predictor variables (d~, h v~, h^2 a); K0 = K / s, all damping known."""
    effective = 1 + zeta * w + w * w / s / 4
    p, q = -w * w / effective, -2 * zeta * w / effective
    # The row of the acceleration is that of the new predictors: a = p d~ + q v~.
    return np.array([[1, 1, 1], [0, 1, 1], [p, p + q, p + q]])


def alpha_os(w: float, zeta: float, s: float, alpha: float) -> np.ndarray:
    """OSM Eqs. 1-4; the fourth state is the predictor displacement."""
    beta, gamma, k0 = (1 - alpha) ** 2 / 4, 0.5 - alpha, w * w / s
    forces = np.array([k0, 2 * zeta * w, 0, w * w - k0])
    new = [[1, 0, -beta, 0], [0, 1, -gamma, 0], (1 + alpha) * forces + [0, 0, 1, 0], [0, 0, 0, 1]]
    predictor = [1, 1, 0.5 - beta, 0]
    return amplification(new, [predictor, [0, 1, 1 - gamma, 0], alpha * forces, predictor])


def alpha_os_limit(s: float, alpha: float) -> float:
    """Eigenvalue -1; holds for s <= (1 - alpha)^2 / (4 |alpha|), above which no step is stable."""
    return 2 / math.sqrt((1 - 4 * alpha**2) * (1 - (1 - alpha) ** 2 / (1 - 2 * alpha) / s))


# iterations under way -----------------------------------------------------------------------------


def fht(w: float, zeta: float, s: float, alpha: float, ticks: int, every: int = 1) -> np.ndarray:
    """FHT Eqs. 1-12, tick by tick; x = (d, h v, h^2 a, h^2 r, end command, end command before), mass 1."""
    beta, gamma, c, k, k0 = (1 - alpha) ** 2 / 4, 0.5 - alpha, 2 * zeta * w, w * w, w * w / s
    d, v, a, r, end, before = np.eye(6)
    share = beta * (1 + alpha)
    mass = 1 + (1 + alpha) * gamma * c
    d_tilde, v_tilde = d + v + (0.5 - beta) * a, v + (1 - gamma) * a
    d_hat = d_tilde + beta * (-c * v - (1 + alpha) * (1 - gamma) * c * a + alpha * r) / mass
    stiff = mass + share * k0

    def correction(at: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Eqs. 7 and 11."""
        change: np.ndarray = (mass * d_hat - mass * at - share * force) / stiff
        return change

    estimate = at = d + correction(d, r)
    for tick in range(1, ticks + 1):
        x = tick / ticks
        at = x * (x - 1) / 2 * before + (1 - x * x) * end + x * (x + 1) / 2 * estimate
        if tick % every == 0 and tick < ticks:
            estimate = at + correction(at, k * at)
    last = correction(at, k * at)
    a_new = (at + last - d_tilde) / beta
    return np.array([at + last, v_tilde + gamma * a_new, a_new, k * at + k0 * last, at, end])


# limits without a formula -------------------------------------------------------------------------


def first_limit(matrix: Matrix, low: float = 0.2, high: float = 20.0) -> float:
    """The lowest W above which the undamped spectral radius passes 1."""

    def unstable(w: float) -> bool:
        return bool(np.abs(np.linalg.eigvals(matrix(w, 0.0))).max() > 1.0 + 1e-9)

    grid = np.linspace(low, high, 2000)
    high = next(float(w) for w in grid if unstable(float(w)))
    low = high - float(grid[1] - grid[0])
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if unstable(middle) else (middle, high)
    return low


def _shared() -> list[Theory]:
    """Methods with a numerical substructure of their own: the specimen alone, and half of the stiffness each."""
    entries = []
    for share in (1.0, 0.5):
        part = "" if share == 1.0 else f", specimen {share:g} K"
        for beta in (0.25, 1.0 / 6.0):
            entries.append(Theory(
                "NEWMARK_BETA", partly("NEWMARK_BETA", share, beta=beta),
                partial(newmark_beta, share=share, beta=beta),
                order=2, stability_limit=newmark_beta_limit(share, beta), specimen_share=share,
                variant=f"beta = {beta:.4g}{part}", notes="W_s^2 (1 + 4 beta) = 4 - (1 - 4 beta) W_n^2",
            ))  # fmt: skip
        for alpha in (-0.1, -THIRD):
            matrix = partial(hht_alpha, share=share, alpha=alpha)
            entries.append(Theory(
                "HHT", partly("HHT", share, alpha=alpha), matrix, order=2, specimen_share=share,
                stability_limit=hht_limit(share, alpha) if alpha > -0.27 else first_limit(matrix),
                variant=f"alpha = {alpha:.4g}{part}",
                notes="eigenvalue -1" if alpha > -0.27 else "a complex pair leaves the unit circle",
            ))  # fmt: skip
        entries.append(Theory(
            "IMPLICIT_EXPLICIT", partly("IMPLICIT_EXPLICIT", share),
            partial(implicit_explicit, share=share),
            order=2, stability_limit=2.0 / math.sqrt(share), specimen_share=share,
            variant=part.removeprefix(", "), notes="W_s = 2, whatever the analytical part",
        ))  # fmt: skip
    entries.append(Theory(
        "NEWMARK_BETA", partly("NEWMARK_BETA", 0.0), partial(newmark_beta, share=0.0),
        order=2, stability_limit=None, specimen_share=0.0, variant="no specimen",
        notes="constant average acceleration",
    ))  # fmt: skip
    entries.append(Theory(
        "HHT", partly("HHT", 0.0, alpha=-0.1), partial(hht_alpha, share=0.0, alpha=-0.1),
        order=2, stability_limit=None, specimen_share=0.0, variant="alpha = -0.1, no specimen", notes="FHT Eqs. 1-6",
    ))  # fmt: skip
    return entries


def explicit_damping(bd: Any, *, stiffness: Any, damping: Any, **common: Any) -> Any:
    """All stiffness and damping in the experimental substructure."""
    return bd.IMPLICIT_EXPLICIT(damping_explicit=damping, **common)


def _splitting() -> list[Theory]:
    """Operator splitting with K0 = K, and with specimens that are softer and stiffer than K0."""
    entries = []
    for s in (1.0, 0.5, 1.5):
        variant = "" if s == 1.0 else f"K = {s:g} K0"
        entries.append(Theory(
            "OS", softer("OS", s), partial(operator_splitting, s=s), order=2,
            stability_limit=2.0 / math.sqrt(1.0 - 1.0 / s) if s > 1.0 else None, variant=variant,
            notes="omega h < 2 / sqrt(1 - K0/K)" if s > 1.0 else "",
        ))  # fmt: skip
        for alpha in (-0.1, -THIRD) if s == 1.0 else (-0.1,):
            entries.append(Theory(
                "ALPHA_OS", softer("ALPHA_OS", s, alpha=alpha),
                partial(alpha_os, s=s, alpha=alpha), order=2,
                stability_limit=alpha_os_limit(s, alpha) if s > 1.0 else None,
                variant=", ".join(filter(None, [f"alpha = {alpha:.4g}", variant])),
                notes="eigenvalue -1" if s > 1.0 else "",
            ))  # fmt: skip
    for estimate in ("least_squares", "broyden", "bfgs"):
        entries.append(Theory(
            "OSM_US", maker("OSM_US", estimate=estimate), partial(operator_splitting, s=1.0), order=2,
            stability_limit=None, variant=estimate, notes="OS, as the tangent of a linear specimen is K0",
        ))  # fmt: skip
    return entries


def measured_as_sent(bd: Any, **common: Any) -> Any:
    """FHT with feedback behind an actuator that goes where it is sent."""
    block = bd.FHT_FEEDBACK(ticks_per_step=4, feedback_gain=0.8, **common)
    bd.connect(block.disp_target, block.disp_meas)
    return block


def _fht(s: float, alpha: float, ticks: int, iterations: int) -> Theory:
    matrix = partial(fht, s=s, alpha=alpha, ticks=ticks, every=ticks // iterations)
    parts = [f"alpha = {alpha:g}, {ticks} ticks, {iterations} iterations", "" if s == 1.0 else f"K = {s:g} K0"]
    return Theory(
        "FHT", softer("FHT", s, alpha=alpha, ticks_per_step=ticks, iterations=iterations), matrix, order=2,
        stability_limit=first_limit(matrix) if s > 3.0 else None, ticks_per_step=ticks,
        variant=", ".join(filter(None, parts)), notes="W of the step; HHT-alpha" if s == 1.0 else "W of the step",
    )  # fmt: skip


THEORIES: list[Theory] = [
    *_shared(),
    Theory(
        "IMPLICIT_EXPLICIT",
        explicit_damping,
        partial(implicit_explicit, share=1.0, explicit=True),
        order=1,
        stability_limit=2.0,
        variant="all damping in C_E",
        notes="order 2 without C_E",
    ),
    *_splitting(),
    _fht(1.0, 0.0, 10, 10),
    _fht(1.0, -0.1, 4, 2),
    _fht(0.5, -0.1, 4, 4),
    _fht(1.5, 0.0, 4, 4),
    _fht(6.0, 0.0, 4, 2),
    Theory(
        "FHT_FEEDBACK",
        measured_as_sent,
        partial(fht, s=1.0, alpha=0.0, ticks=4),
        order=2,
        stability_limit=None,
        ticks_per_step=4,
        notes="measured as sent: FHT",
    ),
]
