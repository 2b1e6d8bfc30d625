"""Sobol indices: which uncertain input makes the result vary, with confidence intervals.

    S_i = Var_{X_i}(E[Y | X_i]) / Var(Y)         first order: what X_i does by itself
    T_i = E[Var(Y | all but X_i)] / Var(Y)       total: what X_i does by itself and together with others

T_i >= S_i; the S_i add up to 1 if the inputs do not interact. An input with T_i = 0 has no effect at all.

Two independent samples of the inputs, A and B with n rows each, and for every input i a third one AB_i, which is A with
the values of X_i taken from B, need n (d + 2) runs for d inputs:

    S_i = mean f_B (f_{AB_i} - f_A) / V          f less its mean
    T_i = mean (f_A - f_{AB_i})^2 / (2 V)
    V   = variance of f_A and f_B together

A and B are the two halves of one Sobol sequence in 2 d dimensions. The confidence intervals are percentiles of a
bootstrap over the rows; for a Sobol sequence, which is more even than random numbers, they are rather too wide.

A. Saltelli et al. (2010), Variance based sensitivity analysis of model output, Computer Physics Communications 181,
259-270 (S_i); M. J. W. Jansen (1999), Analysis of variance designs for model output, ibid. 117, 35-43 (T_i).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.errors import ParameterError
from hybsim.studies.spaces import Point, sobol


@dataclass(frozen=True)
class Indices:
    """First-order and total indices by input; an interval is (low, high)."""

    first: dict[str, float]
    total: dict[str, float]
    first_interval: dict[str, tuple[float, float]]
    total_interval: dict[str, tuple[float, float]]

    def rows(self) -> list[dict[str, Any]]:
        """One plain mapping for each input."""
        return [
            {
                "input": name, "first": self.first[name], "first_low": self.first_interval[name][0],
                "first_high": self.first_interval[name][1], "total": self.total[name],
                "total_low": self.total_interval[name][0], "total_high": self.total_interval[name][1],
            }
            for name in self.first
        ]  # fmt: skip


def design(ranges: Mapping[str, Any], base: int, *, seed: int = 1) -> list[Point]:
    """The points of A, of B, and of every AB_i, `base` of each; ranges as for `hybsim.sobol`.

    >>> points = design({"x": (0.0, 1.0), "y": (0.0, 1.0)}, 4)
    >>> len(points), points[8]["x"] == points[4]["x"], points[8]["y"] == points[0]["y"]
    (16, True, True)
    """
    both = sobol({f"{half} {name}": given for half in "AB" for name, given in ranges.items()}, base, seed=seed)
    a, b = ([{name: point[f"{half} {name}"] for name in ranges} for point in both.points] for half in "AB")
    mixed = [{**row, name: other[name]} for name in ranges for row, other in zip(a, b, strict=True)]
    return [*a, *b, *mixed]


def indices(
    inputs: Sequence[str], values: np.ndarray, *, resamples: int = 500, level: float = 0.95, seed: int = 1
) -> Indices:
    """The indices of the inputs, from the values at the points of their design."""
    f = np.asarray(values, dtype=float)
    parts = len(inputs) + 2
    if f.ndim != 1 or f.size == 0 or f.size % parts:
        raise ParameterError(
            f"The design of {len(inputs)} inputs has a multiple of {parts} points, got values of the shape {f.shape}."
        )
    if not np.isfinite(f).all():
        raise ParameterError(
            f"{np.count_nonzero(~np.isfinite(f))} of {f.size} values are not finite, and a variance of them does not"
            " exist; narrow the ranges until all runs are stable."
        )
    f = f.reshape(parts, -1)
    rng = np.random.default_rng(seed)
    n = f.shape[1]
    drawn = np.array([_estimates(f[:, rng.integers(n, size=n)]) for _ in range(resamples)])
    low, high = np.quantile(drawn, [(1.0 - level) / 2.0, (1.0 + level) / 2.0], axis=0)
    found = _estimates(f)

    def named(row: int) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
        return (
            dict(zip(inputs, found[row].tolist(), strict=True)),
            dict(zip(inputs, zip(low[row].tolist(), high[row].tolist(), strict=True), strict=True)),
        )

    (first, first_interval), (total, total_interval) = named(0), named(1)
    return Indices(first, total, first_interval, total_interval)


def _estimates(f: np.ndarray) -> np.ndarray:
    """S and T (2, inputs) from f_A, f_B and every f_{AB_i} as rows; a value without variance has no indices (0)."""
    f = f - f[:2].mean()
    a, b, mixed = f[0], f[1], f[2:]
    variance = f[:2].var()
    if variance == 0.0:
        return np.zeros((2, len(mixed)))
    first = np.mean(b * (mixed - a), axis=1)
    total = np.mean((a - mixed) ** 2, axis=1) / 2.0
    return np.array([first, total]) / variance
