"""The partitions that PSI prints: Tables 2.1, 2.2, 3.1 and Sec. 4.3, as corrected; its results: printed_results.py.

A case is a partition (alpha, beta, gamma, zeta) in which one number, `free`, runs from 0 to 1. Table 2.2 fits
configuration 2 with zeta = 0.10; 0.05 is printed. Table 2.1 gives no damping ratios, and neither does the text to
Fig. 2.1, so that five are chosen here that hold those of Tables 2.2 and 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

DAMPING_RATIOS = (0.01, 0.02, 0.05, 0.10, 0.20)


@dataclass(frozen=True)
class Case:
    """A line through the partitions; `free` names the share that runs, its own value here is not used."""

    name: str
    free: str
    alpha: float = 0.0
    beta: float = 0.0
    gamma: float = 0.0
    zeta: float | None = None

    def partition(self, share: Any, zeta: Any = None) -> tuple[Any, Any, Any, Any]:
        """(alpha, beta, gamma, zeta) with the free share at these values."""
        numbers = {**{name: getattr(self, name) for name in ("alpha", "beta", "gamma", "zeta")}, self.free: share}
        if zeta is not None:
            numbers["zeta"] = zeta
        return numbers["alpha"], numbers["beta"], numbers["gamma"], numbers["zeta"]

    def words(self) -> str:
        """What is kept, such as "beta = 0.4, gamma = 0.9"."""
        kept = [name for name in ("alpha", "beta", "gamma", "zeta") if name != self.free]
        return ", ".join(f"{name} = {getattr(self, name):g}" for name in kept if getattr(self, name) is not None)


TABLE_2_1 = (
    Case("Case I", "alpha", beta=0.4, gamma=0.9),
    Case("Case II", "gamma", alpha=0.9, beta=0.6),
    Case("Case III", "alpha", beta=0.6, gamma=0.1),
    Case("Case IV", "gamma", alpha=0.1, beta=0.4),
)

CASE_II = TABLE_2_1[1]

CONFIGURATIONS = ((1, (0.7, 0.4, 0.9, 0.10)), (2, (0.9, 0.6, 0.7, 0.10)))
"""Table 2.2, the damping ratio of configuration 2 as corrected."""

TABLE_3_1 = (
    Case("Case 1", "alpha", beta=0.5, gamma=0.1, zeta=0.01),
    Case("Case 2", "gamma", alpha=0.8, beta=0.5, zeta=0.01),
    Case("Case 3", "gamma", alpha=0.95, beta=0.5, zeta=0.01),
    Case("Case 4", "alpha", beta=0.5, gamma=0.1, zeta=0.02),
    Case("Case 5", "gamma", alpha=0.8, beta=0.5, zeta=0.02),
    Case("Case 6", "beta", alpha=0.8, gamma=0.1, zeta=0.02),
    Case("Case 7", "alpha", beta=0.5, gamma=0.1, zeta=0.04),
    Case("Case 8", "gamma", alpha=0.8, beta=0.5, zeta=0.04),
    Case("Case 9", "alpha", beta=0.5, gamma=0.25, zeta=0.04),
)

CASE_STUDY = Case("case study", "gamma", alpha=0.75, beta=0.82, gamma=0.75, zeta=0.014)
CASE_STUDY_OMEGA_N = 32.9
CASE_STUDY_TAU = 0.0148


def shares(count: int) -> np.ndarray:
    """Values of a free share from 0 to 1."""
    return np.linspace(0.0, 1.0, count)
