"""Whether runs agree with what was predicted for them: each within its own standard error, and all together.

    z_i = (v_i - PPI_i) / SE_i

Under Gaussian noise a mean square is distributed nearly as chi^2 / nu, chi^2 having nu = 2 / (SE / PPI)^2 degrees of
freedom; so many z are expected within 1, 2 and 3. Together they make two tests, each against its own distribution:

    chi^2 = sum z_i^2      has the mean N and the variance N (2 + 12/nu): do the runs scatter as predicted?
    bias  = sum v_i/PPI_i / N - 1      has the standard error sqrt(sum (SE_i/PPI_i)^2) / N: is the mean right?
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hybsim.studies.indicators.vrths_runs import Realisations, VirtualTest

WITHIN = (1, 2, 3)
"""Standard errors."""


@dataclass(frozen=True)
class Agreement:
    """Some runs against their predictions; `relative` is SE / PPI of each."""

    z: np.ndarray
    relative: np.ndarray

    def __len__(self) -> int:
        return len(self.z)

    @property
    def bias(self) -> float:
        """Mean of the runs over their predictions, less 1."""
        return float(np.mean(self.z * self.relative))

    @property
    def bias_error(self) -> float:
        """The standard error of `bias`."""
        return math.sqrt(float(np.sum(self.relative**2))) / len(self)

    @property
    def within(self) -> list[int]:
        """How many runs are within 1, 2 and 3 standard errors."""
        return [int(np.sum(np.abs(self.z) <= k)) for k in WITHIN]

    @property
    def expected_within(self) -> list[float]:
        """How many of them are expected there."""
        from scipy.stats import chi2

        nu = 2.0 / self.relative**2
        reach = [nu * self.relative * k for k in WITHIN]
        return [float(np.sum(chi2.cdf(nu + far, nu) - chi2.cdf(nu - far, nu))) for far in reach]

    @property
    def chi_square(self) -> float:
        return float(np.sum(self.z**2))

    @property
    def probability(self) -> float:
        """Of a sum of squares as far from N as this one, to either side."""
        from scipy.stats import norm

        spread = math.sqrt(float(np.sum(2.0 + 6.0 * self.relative**2)))
        return float(2.0 * norm.sf(abs(self.chi_square - len(self)) / spread))


def agreement(tests: Sequence[VirtualTest], values: np.ndarray) -> Agreement:
    expected = np.array([test.moments.ppi for test in tests])
    error = np.array([test.standard_error for test in tests])
    return Agreement((values - expected) / error, error / expected)


def spectrum_effect(found: Realisations, group: str) -> tuple[float, float]:
    """Mean of the runs under the stronger noise over that under the weaker, less 1, with its standard error."""
    tests, values = found.of(group)
    both = agreement(tests, values)
    spectra = np.array([test.spectrum for test in tests])
    low, high = (Agreement(both.z[spectra == level], both.relative[spectra == level]) for level in np.unique(spectra))
    return high.bias - low.bias, math.hypot(high.bias_error, low.bias_error)


def delay_effect(found: Realisations, group: str) -> tuple[float, float]:
    """Slope of v / PPI over log2(tau), with its standard error: 0 if only omega_n tau matters."""
    tests, values = found.of(group)
    both = agreement(tests, values)
    octaves = np.log2([test.partition.delay for test in tests])
    octaves = octaves - octaves.mean()
    weights = octaves / np.sum(octaves**2)
    return float(weights @ (both.z * both.relative)), math.sqrt(float(np.sum((weights * both.relative) ** 2)))
