"""Partitions with no, one and two critical frequencies, and the range that is stable with any delay.

    a x^2 - 2 b x + c = 0,    x = phi^2                                        (2.17), see sdof.py

For alpha > 1/2 it has one positive solution if gamma < 1/2. For gamma >= 1/2 it has two, or none: then the test is
stable with any delay. With

    A = sqrt(2 alpha - 1),    G = sqrt(2 gamma - 1),    Z = 2 zeta sqrt(2 beta - 1)

the coefficients are a = A^2, 2 b = A^2 + G^2 - Z^2, c = G^2, and 4 (b^2 - a c) = [(A - G)^2 - Z^2] [(A + G)^2 - Z^2].
No solution is real if |A - G| < Z < A + G, which is (2.21), and both are negative if Z >= A + G. Together:

    stable with any delay if and only if |A - G| < Z,    alpha > 1/2, beta > 1/2, gamma >= 1/2

so that at a given alpha, beta and zeta gamma lies between

    [1 + (A - Z)^2] / 2 (1/2 if Z > A)    and    [1 + (A + Z)^2] / 2

the solutions of (gamma - alpha)^2 + B (gamma - alpha) + C = 0 (2.22). For beta = 1/2 the range is the single point
gamma = alpha, at the edge of stability; for beta < 1/2, and for alpha <= 1/2 (neutral, see sdof.py), there is none.

PSI Sec. 2.1.3, Eqs. 2.17, 2.21 (corrected), 2.22, Figs. 2.4 and 2.5.
"""

from __future__ import annotations

import numpy as np

from hybsim.studies.indicators.characteristic import Numbers, checked, gap, gap_roots


def critical_frequencies(alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """phi at which roots move to the right with growing delay, and to the left, over arrays; nan where none.

    >>> [round(float(phi), 4) for phi in critical_frequencies(0.9, 0.6, 0.7, 0.1)]
    [0.9897, 0.7144]
    """
    with np.errstate(invalid="ignore"):
        right, left = (
            np.sqrt(np.where((x > 0.0) & np.isfinite(x), x, np.nan))
            for x in gap_roots(*gap(*checked(alpha, beta, gamma, zeta)))
        )
    return right, left


def number_of_frequencies(alpha: Numbers, beta: Numbers, gamma: Numbers, zeta: Numbers) -> np.ndarray:
    """0, 1 or 2 positive critical frequencies: the regions of Fig. 2.4b.

    >>> number_of_frequencies(0.9, 0.6, np.array([0.3, 0.7, 0.9]), 0.05).tolist()
    [1, 2, 0]
    """
    right, left = critical_frequencies(alpha, beta, gamma, zeta)
    return np.asarray(np.isfinite(right).astype(int) + np.isfinite(left))


def unconditional_range(alpha: Numbers, beta: Numbers, zeta: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest gamma, in [0, 1], between which the test is stable with any delay; nan where none.

    >>> [round(float(gamma), 4) for gamma in unconditional_range(0.9, 0.6, 0.05)]
    [0.861, 0.941]
    """
    alpha, beta, _, zeta = np.broadcast_arrays(*checked(alpha, beta, 0.5, zeta))
    there = (alpha > 0.5) & (beta >= 0.5)
    mass, damping = np.where(there, 2.0 * alpha - 1.0, np.nan), np.where(there, 2.0 * beta - 1.0, np.nan)
    centre, reach = np.sqrt(mass), 2.0 * zeta * np.sqrt(damping)
    low = 0.5 + 0.5 * np.square(np.maximum(centre - reach, 0.0))
    return low, np.minimum(0.5 + 0.5 * np.square(centre + reach), 1.0)
