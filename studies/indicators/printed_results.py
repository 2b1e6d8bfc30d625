"""What PSI prints as results: Tables 2.2 and 4.1, to lay beside the numbers of this program.

The partitions themselves are in cases.py. Two things in the tables do not fit the equations:
configuration 2 of Table 2.2 is printed with zeta = 0.05 and fits 0.10, and case 4 of Table 4.1 is an error of the
document's quadrature: equal steps of 0.005 in phi give 50.9 across a resonance of the half-width 0.0025, the integral
is 45.41. With the same steps all eight printed values come out.
"""

from __future__ import annotations

from typing import NamedTuple


class StabilityRow(NamedTuple):
    """A row of Table 2.2: configuration, omega_n in rad/s, Omega_cr, and PSI as the natural logarithm of ms."""

    configuration: int
    omega_n: float
    omega_cr: float
    psi: float


class PerformanceRow(NamedTuple):
    """A row of Table 4.1, all with alpha = 0.8 and beta = 0.5; `ppi` as printed, to two digits."""

    case: int
    gamma: float
    zeta: float
    omega: float
    ppi: float

    @property
    def partition(self) -> tuple[float, float, float, float]:
        """(alpha, beta, gamma, zeta)."""
        return 0.8, 0.5, self.gamma, self.zeta


TABLE_2_2 = (
    StabilityRow(1, 3.0, 2.123, 6.56),
    StabilityRow(1, 5.0, 2.123, 6.05),
    StabilityRow(1, 10.0, 2.123, 5.36),
    StabilityRow(2, 3.0, 0.963, 5.77),
    StabilityRow(2, 5.0, 0.963, 5.26),
    StabilityRow(2, 10.0, 0.963, 4.57),
)

TABLE_4_1 = (
    PerformanceRow(1, 0.80, 0.01, 0.05, 9.1e-3),
    PerformanceRow(2, 0.65, 0.01, 0.05, 3.5),
    PerformanceRow(3, 0.80, 0.01, 0.10, 3.6e-2),
    PerformanceRow(4, 0.65, 0.01, 0.10, 51.0),
    PerformanceRow(5, 0.80, 0.04, 0.05, 2.3e-3),
    PerformanceRow(6, 0.65, 0.04, 0.05, 3.4e-2),
    PerformanceRow(7, 0.80, 0.04, 0.10, 9.1e-3),
    PerformanceRow(8, 0.65, 0.04, 0.10, 1.6e-1),
)
