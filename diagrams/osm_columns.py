"""The four columns of the OSM paper as lumped masses and hysteretic springs: matrices, damping and stability limits.

    delta = T q,    r = T^T s(delta),    K0 = T^T diag(k) T,    M diagonal

Models 1 to 3: a cantilever of 1, 2, 6 rigid storeys with a hinge at the foot of each. q are the floors' displacements,
delta_i = u_i - 2 u_{i-1} + u_{i-2} (storey height times hinge rotation), so T = D D with D from floors to drifts.
Model 4: two beam elements one above the other, q = (u_1, h theta_1, u_2, h theta_2). A beam's stiffness in its end
rotations against the chord is that of two independent springs, which here may yield:

    double curvature  delta = h (phi_a + phi_b),  k = 3 EI / h^3;    uniform curvature  delta = h (phi_a - phi_b),
    k = EI / h^3;     end moments / h:  s_double +- s_uniform

Rayleigh damping of ratio zeta in the first two modes (of one mode: half from either part), C = a M + b K:

    a = 2 zeta w1 w2 / (w1 + w2),    b = 2 zeta / (w1 + w2)

    "initial"  C = a M + b K0         "tangent"  C = a M + b K(t)         "mass"  C = 2 zeta w1 M      "none"  C = 0

Stable steps where the stiffness known to the integrator is K^EST = ratio K (0 < ratio):

    OSM, OSM-US    w dt < 2 / sqrt(1 - ratio)                                                       ratio < 1
    alpha-OS       w dt < 2 / sqrt{(1 - 4 alpha^2) [1 - ratio (1 - alpha)^2 / (1 - 2 alpha)]}       for ratio below
                   (1 - 2 alpha) / (1 - alpha)^2; no step is stable for ratio < 4 |alpha| / (1 - alpha)^2

The text of the paper prints no masses, heights, section or bars (its Figs. 3 and 4 are drawings). It does print the
periods of Model 3, 4.9 and 0.8 s. Assumed: one column for all models, floors of 20 kip, one stiffness that makes the
first period 4.9 s; the second then follows as 0.784 s. Yield and hardening are assumed so that every model yields well.
Model 4 has no axial degree of freedom; its nodes have the rotary inertia ROTARY m h^2. Units: kip, inch, second.

Hung & El-Tawil (2009), OSM Fig. 3 and Sec. "Numerical simulation"; limits: Eq. 14, and Combescure & Pegon (1997).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hybsim.blocks.actuators.degrees_of_freedom import storey_drifts
from hybsim.errors import ParameterError

G = 386.1
"""Standard gravity in in/s2."""

FLOOR_WEIGHT = 20.0
"""kip, assumed."""

MODEL_3_PERIOD = 4.9
"""s, printed; the second, 0.8 s, follows."""

YIELD_FORCE = 5.0
"""kip: yield moment of a hinge over the storey height, assumed."""

HARDENING = 0.05
"""Stiffness after yielding over initial stiffness, assumed; the paper's structures harden."""

ROTARY = 0.001
"""Rotary inertia of a node of Model 4 over m h^2, assumed: small, but every degree of freedom needs some mass."""

DAMPING_RATIO = 0.03
DAMPINGS = ("none", "initial", "tangent", "mass")
STOREYS = {1: 1, 2: 2, 3: 6}
DT = {1: 0.005, 2: 0.005, 3: 0.005, 4: 0.002}
M = {1: 2, 2: 3, 3: 8, 4: 8}
"""Steps and increments m of the paper; for Model 1 it prints neither."""


@dataclass(frozen=True, eq=False)
class Column:
    """T, the masses, and the stiffness and yield displacement of every spring.

    parts   rows of T that belong to each substructure
    """

    transformation: np.ndarray
    masses: np.ndarray
    springs: np.ndarray
    yields: np.ndarray
    influence: np.ndarray
    top: int
    parts: tuple[slice, ...]

    @property
    def mass(self) -> np.ndarray:
        return np.diag(self.masses)

    @property
    def stiffness(self) -> np.ndarray:
        return self.transformation.T @ np.diag(self.springs) @ self.transformation

    @property
    def frequencies(self) -> np.ndarray:
        """Natural frequencies in rad/s, the lowest first."""
        root = np.sqrt(self.masses)
        return np.sqrt(np.linalg.eigvalsh(self.stiffness / np.outer(root, root)))

    @property
    def periods(self) -> np.ndarray:
        return 2.0 * math.pi / self.frequencies


def spring_stiffness() -> float:
    """Stiffness in kip/in of a hinge over the square of the storey height, from the first period of Model 3."""
    twice = storey_drifts(6) @ storey_drifts(6)
    lowest = float(np.linalg.eigvalsh(twice.T @ twice)[0])
    return FLOOR_WEIGHT / G * (2.0 * math.pi / MODEL_3_PERIOD) ** 2 / lowest


def column(model: int) -> Column:
    """Model 1, 2, 3 or 4."""
    k, mass = spring_stiffness(), FLOOR_WEIGHT / G
    if model in STOREYS:
        n = STOREYS[model]
        drifts = storey_drifts(n)
        return Column(
            drifts @ drifts, np.full(n, mass), np.full(n, k), np.full(n, YIELD_FORCE / k), np.ones(n), n - 1,
            (slice(0, n),),
        )  # fmt: skip
    if model != 4:
        raise ParameterError(f"There is no model {model!r} in the OSM paper; choose 1, 2, 3 or 4.")
    t = np.array([
        [-2.0, 1.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0],
        [2.0, 1.0, -2.0, 1.0], [0.0, 1.0, 0.0, -1.0],
    ])  # fmt: skip
    springs = np.array([k, k / 3.0, k, k / 3.0])  # a storey alone, free at its top, is as stiff as Model 1
    masses = mass * np.array([1.0, ROTARY, 1.0, ROTARY])
    # Both springs of a beam yield at half the moment, so that the moment at an end reaches the whole.
    return Column(
        t, masses, springs, 0.5 * YIELD_FORCE / springs, np.array([1.0, 0.0, 1.0, 0.0]), 2, (slice(0, 2), slice(2, 4))
    )


def damping_parts(model: int, damping: str) -> tuple[float, float]:
    """a and b of C = a M + b K."""
    if damping not in DAMPINGS:
        raise ParameterError(f"The damping must be one of {', '.join(map(repr, DAMPINGS))}, got {damping!r}.")
    return rayleigh(column(model).frequencies, damping)


def rayleigh(w: np.ndarray, damping: str, ratio: float = DAMPING_RATIO) -> tuple[float, float]:
    """a and b for the frequencies of any structure, the lowest first."""
    if damping == "none":
        return 0.0, 0.0
    if damping == "mass":
        return 2.0 * ratio * float(w[0]), 0.0
    if len(w) == 1:
        return ratio * float(w[0]), ratio / float(w[0])
    total = float(w[0] + w[1])
    return 2.0 * ratio * float(w[0] * w[1]) / total, 2.0 * ratio / total


def largest_step(ratio: float, alpha: float = 0.0) -> float:
    """The largest stable w dt for K^EST = ratio K: infinite where every step is stable, 0 where none is.

    >>> round(largest_step(0.75), 12)
    4.0
    """
    if ratio < 4.0 * abs(alpha) / (1.0 - alpha) ** 2 * (1.0 - 1e-12):
        return 0.0
    rest = (1.0 - 4.0 * alpha**2) * (1.0 - ratio * (1.0 - alpha) ** 2 / (1.0 - 2.0 * alpha))
    return 2.0 / math.sqrt(rest) if rest > 0.0 else math.inf


def check_stable(model: int, *, dt: float, ratio: float, alpha: float) -> None:
    """Refuse an integrator that cannot be stable even while the column is elastic."""
    if not -1.0 / 3.0 <= alpha <= 0.0:
        raise ParameterError(
            f"alpha = {alpha:g} is outside -1/3 to 0: alpha-OS is unstable or not dissipative there;"
            " choose for example -0.1, or 0 for OSM."
        )
    if not ratio > 0.0:
        raise ParameterError(f"The stiffness ratio K^EST / K must be greater than 0, got {ratio:g}; 1 is exact.")
    highest = float(column(model).frequencies[-1])
    limit = largest_step(ratio, alpha)
    if limit == 0.0:
        raise ParameterError(
            f"No step is stable for a stiffness ratio of {ratio:g} with alpha = {alpha:g}: it must be at least"
            f" 4 |alpha| / (1 - alpha)^2 = {4.0 * abs(alpha) / (1.0 - alpha) ** 2:.4g}; take a larger ratio."
        )
    if highest * dt >= limit:
        raise ParameterError(
            f"dt = {dt:g} s is above the stability limit of Model {model}: its highest frequency is {highest:.4g} rad/s"
            f" (w dt = {highest * dt:.4g}) and w dt must be less than {limit:.4g} for a stiffness ratio of {ratio:g}"
            f" and alpha = {alpha:g}; take dt below {limit / highest:.4g} s or a ratio of 1 or more."
        )
