"""What white normal noise must look like, with bounds from theory; one row of numbers a seed.

mean        m                         standard error sigma / sqrt(n)
variance    sum (y - m)^2 / sigma^2   chi-squared of n degrees
skewness    mean of z^3, 0            standard error sqrt(15/n)
kurtosis    mean of z^4, 3            standard error sqrt(96/n)
distance    sqrt(n) max |F_n - F|     Kolmogorov's distribution
r_l         correlation at lag l      standard error 1/sqrt(n)
Ljung-Box   Q = n (n + 2) sum r_l^2 / (n - l)          chi-squared, a degree a lag
spectrum    mean periodogram of K segments over theory: chi-squared of 2 K degrees over 2 K
"""

from __future__ import annotations

import math

import numpy as np

from hybsim.studies.verification.error_rows import (
    CHANCE,
    around,
    at_most,
    chi2_bounds,
    chi2_row,
    normal_bound,
)
from hybsim.studies.verification.rows import Bounded

LAGS = 20


def moments(block: str, values: np.ndarray, mean: float, variance: float) -> list[Bounded]:
    """Mean, variance and higher moments of all seeds, and of the worst seed."""
    seeds, each = values.shape
    n, sigma = values.size, math.sqrt(variance)
    z = (values - mean) / sigma
    squares = np.square(z).sum(axis=1)
    low, high = chi2_bounds(n, 1)
    of_seed = np.abs(squares - each) / math.sqrt(2.0 * each)
    extremes = max(abs(bound - each) for bound in chi2_bounds(each, seeds)) / math.sqrt(2.0 * each)
    over = f"{seeds} seeds of {each}"
    return [
        around(block, "mean", values.mean(), mean, sigma / math.sqrt(n), over),
        Bounded(block, "variance", variance * float(np.mean(squares)) / each, variance,
            variance * low / n, variance * high / n, over),
        around(block, "skewness", float(np.mean(z**3)), 0.0, math.sqrt(15.0 / n), over),
        around(block, "kurtosis", float(np.mean(z**4)), 3.0, math.sqrt(96.0 / n), over),
        at_most(block, "mean of the worst seed, in standard errors",
                np.abs(z.mean(axis=1)).max() * math.sqrt(each), normal_bound(seeds), over),
        at_most(block, "variance of the worst seed, in standard errors", of_seed.max(), extremes, over),
    ]  # fmt: skip


def distribution(block: str, values: np.ndarray, mean: float, variance: float) -> Bounded:
    """Kolmogorov and Smirnov's distance from the normal distribution."""
    from scipy.stats import kstwobign, norm

    ordered = np.sort((values.ravel() - mean) / math.sqrt(variance))
    n = ordered.size
    theory = norm.cdf(ordered)
    steps = np.arange(n + 1) / n
    distance = max(float((steps[1:] - theory).max()), float((theory - steps[:-1]).max()))
    return at_most(
        block, "distance from the normal distribution times sqrt(n)", distance * math.sqrt(n),
        float(kstwobign.isf(CHANCE)), "Kolmogorov-Smirnov",
    )  # fmt: skip


def correlations(values: np.ndarray, lags: int = LAGS) -> np.ndarray:
    """Autocorrelation of every seed (rows) at lags 1 ... `lags`."""
    z = values - values.mean(axis=1, keepdims=True)
    power = np.square(z).sum(axis=1)
    return np.stack([(z[:, lag:] * z[:, :-lag]).sum(axis=1) / power for lag in range(1, lags + 1)], axis=1)


def whiteness(block: str, values: np.ndarray) -> list[Bounded]:
    """No correlation in time."""
    seeds, n = values.shape
    r = correlations(values)
    q = n * (n + 2.0) * np.sum(np.square(r) / (n - np.arange(1, LAGS + 1)), axis=1)
    worst = float(np.abs(r.mean(axis=0)).max()) * math.sqrt(values.size)
    return [
        at_most(block, f"largest autocorrelation at lags 1 to {LAGS}, in standard errors", worst, normal_bound(LAGS),
                "1/sqrt(n)"),
        chi2_row(block, "Ljung-Box Q of all seeds", float(q.sum()), LAGS * seeds, f"chi-squared, {LAGS} lags a seed"),
        at_most(block, "Ljung-Box Q of the worst seed", float(q.max()), chi2_bounds(LAGS, seeds)[1], "chi-squared"),
    ]  # fmt: skip


def independence(block: str, values: np.ndarray, what: str = "seeds") -> list[Bounded]:
    """No correlation of rows at the same time, nor of neighbouring rows at any lag."""
    rows, n = values.shape
    pairs = rows * (rows - 1) // 2
    together = np.abs(np.corrcoef(values)[np.triu_indices(rows, 1)]).max() * math.sqrt(n)
    z = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, keepdims=True)
    spectra = np.fft.rfft(z, axis=1)
    shifted = np.fft.irfft(spectra[1:] * spectra[:-1].conj(), n, axis=1) / n
    return [
        at_most(block, f"largest correlation of two {what}, in standard errors", together, normal_bound(pairs),
                f"{pairs} pairs"),
        at_most(block, f"largest correlation of neighbouring {what} at any lag, in standard errors",
                np.abs(shifted).max() * math.sqrt(n), normal_bound(shifted.size), f"{shifted.size} lags"),
    ]  # fmt: skip


def spectrum(block: str, values: np.ndarray, density: float, dt: float, *, length: int, held: int = 1) -> list[Bounded]:
    """The two-sided density per Hz of noise held over `held` ticks, from segments of `length` ticks.

    A segment of whole holds has, at its frequencies, exactly the density times (sin(pi f T) / (held sin(pi f dt)))^2,
    T = held dt: sinc(f T)^2 as the tick shortens.
    """
    segments = values.reshape(-1, length)
    count = len(segments)
    bins = np.arange(1, length // 2)
    # Zeros of the hold, and the real frequencies between two of its images, are left out.
    bins = bins[(2 * bins * held) % length != 0]
    periodogram = (np.abs(np.fft.rfft(segments, axis=1)) ** 2).mean(axis=0)[bins] * dt / length
    f = bins / (length * dt)
    shape = (np.sin(math.pi * f * held * dt) / (held * np.sin(math.pi * f * dt))) ** 2
    ratio = periodogram / (density * shape)
    low, high = (bound / (2 * count) for bound in chi2_bounds(2 * count, len(bins)))
    source = f"{count} segments, {len(bins)} frequencies"
    rows = [
        Bounded(block, "lowest spectral density over theory", float(ratio.min()), 1.0, low, high, source),
        Bounded(block, "highest spectral density over theory", float(ratio.max()), 1.0, low, high, source),
    ]
    if held > 1:
        # The edge itself, where the transform is real, has another distribution.
        edge = int(np.argmin(np.abs(f - 0.5 / (held * dt))))
        theory = float(shape[edge])
        low, high = (bound / (2 * count) for bound in chi2_bounds(2 * count, 1))
        rows.append(
            Bounded(block, f"density near the edge of the band, {f[edge]:.4g} Hz, over that at 0",
                float(periodogram[edge] / density), theory, theory * low, theory * high,
                f"sinc^2 = {np.sinc(f[edge] * held * dt) ** 2:.4f} in continuous time")
        )  # fmt: skip
    return rows
