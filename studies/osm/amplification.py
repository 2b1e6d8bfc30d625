"""Amplification matrices of OSM, OSM-US and alpha-OS for one linear degree of freedom, and what follows from them.

    a_k + 2 xi w v~_k + w^2 d~_k + beta 2 xi w (v_k - v~_k) + alpha w^2 (d_k - d~_k) = 0                         (13)
    d_k = d~_k + dt^2/4 a_k,                  v_k = v~_k + dt/2 a_k                                                (3)
    d~_{k+1} = d_k + dt v_k + dt^2/4 a_k,     v~_{k+1} = v_k + dt/2 a_k                                            (2)

alpha = K^EST / K and beta = C^EST / C: what the integrator knows of stiffness and damping over what is there. OSM has
alpha = K0 / K; OSM-US alpha = 1 where its estimate is exact. With W = w dt and X = (d~, dt v~, dt^2 a):

    X_{k+1} = A X_k,    A = [1 1 1; 0 1 1; P Q Q],    P = -W^2 / D,    Q = -(2 xi W + W^2) / D                   (14)
    D = 1 + beta xi W + alpha W^2 / 4

One eigenvalue is 0; the other two have the sum 2 + Q and the product 1 + Q - P = 1 - 2 xi W / D.

alpha-OS (parameter `dissipation`, so as not to be taken for the ratio), X = (d, dt v, dt^2 a, d~):

    a_k = (1 + al) n_k - al n_{k-1},    n = -2 xi W v - W^2 d~ - alpha W^2 (d - d~)          al = dissipation <= 0

From the complex pair of eigenvalues of the largest modulus, l = exp(-x W' +- i W') = L1 +- i L2:

    W' = arg l,    x = -ln|l| / W',    zeta' = x / sqrt(1 + x^2)                                             (15, 16)
    numerical damping   zeta' - xi                                                                               (17)
    period elongation   (T' - T) / T = W sqrt(1 - xi^2) / W' - 1                                                 (18)

Two misprints are corrected: the exponent of Eq. 15 is -x W', not -x; Eq. 18 makes an elongation negative.

Hung & El-Tawil (2009), Eqs. 13-18; Combescure & Pegon (1997).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hybsim.errors import ParameterError


def osm_matrix(w: float, xi: float, *, alpha: float = 1.0, beta: float = 1.0) -> np.ndarray:
    """A of OSM and OSM-US, Eq. 14; w is W = omega dt."""
    _check(w, xi)
    effective = 1.0 + beta * xi * w + 0.25 * alpha * w * w
    p = -w * w / effective
    q = -(2.0 * xi * w + w * w) / effective
    return np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [p, q, q]])


def alpha_os_matrix(w: float, xi: float, *, dissipation: float, alpha: float = 1.0) -> np.ndarray:
    """A of alpha-OS with an initial stiffness of alpha K; w is W = omega dt."""
    _check(w, xi)
    if not -1.0 / 3.0 <= dissipation <= 0.0:
        raise ParameterError(f"The dissipation of alpha-OS must be between -1/3 and 0, got {dissipation:g}.")
    newmark_beta, newmark_gamma = 0.25 * (1.0 - dissipation) ** 2, 0.5 - dissipation
    d, v, a, d_before = np.eye(4)
    known, all_of_it = alpha * w * w, w * w
    d_tilde = d + v + (0.5 - newmark_beta) * a
    v_tilde = v + (1.0 - newmark_gamma) * a
    before = -2.0 * xi * w * v - all_of_it * d_before - known * (d - d_before)
    at_predictor = -2.0 * xi * w * v_tilde - all_of_it * d_tilde
    effective = 1.0 + (1.0 + dissipation) * (2.0 * xi * w * newmark_gamma + known * newmark_beta)
    a_new = ((1.0 + dissipation) * at_predictor - dissipation * before) / effective
    return np.array([d_tilde + newmark_beta * a_new, v_tilde + newmark_gamma * a_new, a_new, d_tilde])


def _check(w: float, xi: float) -> None:
    if not (math.isfinite(w) and w > 0.0):
        raise ParameterError(f"W = omega dt must be greater than 0, got {w!r}; W tends to 0 with the step.")
    if not 0.0 <= xi < 1.0:
        raise ParameterError(f"The damping ratio xi must be at least 0 and less than 1, got {xi!r}.")


def spectral_radius(matrix: np.ndarray) -> float:
    """The largest modulus of an eigenvalue: stable up to 1."""
    return float(np.abs(np.linalg.eigvals(matrix)).max())


@dataclass(frozen=True)
class Characteristics:
    """What a matrix does to a free vibration; the last two are nan where the principal pair is real."""

    radius: float
    numerical_damping: float
    elongation: float


def characteristics(matrix: np.ndarray, w: float, xi: float) -> Characteristics:
    """Spectral radius, numerical damping ratio and period elongation (Eqs. 15-18)."""
    values = np.linalg.eigvals(matrix)
    radius = float(np.abs(values).max())
    pairs = values[values.imag > 1e-12]
    if not pairs.size:
        return Characteristics(radius, math.nan, math.nan)
    principal = pairs[np.abs(pairs).argmax()]
    phase = math.atan2(principal.imag, principal.real)
    decay = -math.log(abs(principal)) / phase
    ratio = decay / math.sqrt(1.0 + decay * decay)
    return Characteristics(radius, ratio - xi, w * math.sqrt(1.0 - xi * xi) / phase - 1.0)


@dataclass(frozen=True, eq=False)
class Curve:
    """A line of one of the figures: what is varied, and the characteristics at each W."""

    figure: str
    label: str
    xi: float
    alpha: float
    beta: float
    dissipation: float | None
    w: np.ndarray
    radius: np.ndarray
    numerical_damping: np.ndarray
    elongation: np.ndarray

    def rows(self) -> list[dict[str, float | str | None]]:
        return [
            {
                "figure": self.figure, "xi": self.xi, "alpha": self.alpha, "beta": self.beta,
                "dissipation": self.dissipation, "W": float(w), "spectral_radius": float(radius),
                "numerical_damping": float(damping), "period_elongation": float(elongation),
            }
            for w, radius, damping, elongation in zip(
                self.w, self.radius, self.numerical_damping, self.elongation, strict=True
            )
        ]  # fmt: skip


def curve(
    figure: str, label: str, w: np.ndarray, *, xi: float, alpha: float = 1.0, beta: float = 1.0,
    dissipation: float | None = None,
) -> Curve:  # fmt: skip
    """The characteristics over W; alpha-OS where a dissipation is given."""
    found = []
    for step in w:
        if dissipation is None:
            matrix = osm_matrix(float(step), xi, alpha=alpha, beta=beta)
        else:
            matrix = alpha_os_matrix(float(step), xi, dissipation=dissipation, alpha=alpha)
        found.append(characteristics(matrix, float(step), xi))
    columns = np.array([(c.radius, c.numerical_damping, c.elongation) for c in found]).T
    return Curve(figure, label, xi, alpha, beta, dissipation, w, *columns)


STEPS = np.linspace(0.02, 4.0, 200)
DAMPING_RATIOS = (0.0, 0.01, 0.02, 0.05)
STIFFNESS_RATIOS = (0.8, 0.9, 1.0, 1.2, 2.0)
DAMPING_ESTIMATES = (0.5, 1.0, 2.0)
DISSIPATIONS = (0.0, -0.1, -0.3)


def figures_14_to_17() -> list[Curve]:
    """All lines: damping ratio, stiffness ratio and damping estimate varied in turn, and alpha-OS beside them."""
    return [
        *(curve("xi", f"$\\xi$ = {100 * xi:g} %", STEPS, xi=xi) for xi in DAMPING_RATIOS),
        *(curve("alpha", f"$\\alpha$ = {ratio:g}", STEPS, xi=0.02, alpha=ratio) for ratio in STIFFNESS_RATIOS),
        *(curve("beta", f"$\\beta$ = {ratio:g}", STEPS, xi=0.02, beta=ratio) for ratio in DAMPING_ESTIMATES),
        *(
            curve("alpha-os", f"dissipation {value:g}".replace("-", "\N{MINUS SIGN}"), STEPS, xi=0.0, dissipation=value)
            for value in DISSIPATIONS
        ),
    ]  # fmt: skip
