"""What a study found: a number for each measure, point and seed, with means and deviations over the seeds."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hybsim.runtime.export import complete_file, plain
from hybsim.studies.spaces import Point


@dataclass(frozen=True, eq=False)
class StudyResult:
    """The measures of all runs.

    points     the parameters of each point
    seeds      the values of each seed
    shape      of the grid: ``result.mean["eps_max"].reshape(result.shape)``
    values     by measure, each of the shape (points, seeds)
    ticks      that each run finished (points, seeds); fewer than `all_ticks` where it stopped early

    A run that stopped early, at a nan or inf or by an assertion of a block, has nan for its measures. So has then the
    mean of its point: a run that is lost must not make a mean look good. `without_stopped()` leaves such runs out.
    """

    points: list[Point]
    seeds: dict[str, list[Any]]
    shape: tuple[int, ...]
    values: dict[str, np.ndarray]
    ticks: np.ndarray
    all_ticks: int
    skip_stopped: bool = False

    @property
    def stopped(self) -> np.ndarray:
        """How many runs of each point stopped early."""
        return (self.ticks < self.all_ticks).sum(axis=1)

    @property
    def mean(self) -> dict[str, np.ndarray]:
        """Means over the seeds (points,)."""
        return {name: self._over_seeds(values, _mean) for name, values in self.values.items()}

    @property
    def std(self) -> dict[str, np.ndarray]:
        """Standard deviations over the seeds (points,), of a sample (n - 1); nan for one run."""
        return {name: self._over_seeds(values, _deviation) for name, values in self.values.items()}

    def without_stopped(self) -> StudyResult:
        """The same result, with means and deviations over the runs that came to their end."""
        return replace(self, skip_stopped=True)

    def _over_seeds(self, values: np.ndarray, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        # A measure that says something of a stopped run, such as `bounded`, counts.
        left_out = (self.ticks < self.all_ticks) & np.isnan(values) & self.skip_stopped
        with np.errstate(all="ignore"):
            found = function(values)
            for i in np.flatnonzero(left_out.any(axis=1)):
                found[i] = function(values[i, ~left_out[i]][None])[0]
        return found

    def rows(self) -> list[dict[str, Any]]:
        """One plain mapping for each point: its parameters, means, deviations, number of runs and of those stopped."""
        seeds, std = self.ticks.shape[1], self.std
        columns: dict[str, list[Any]] = {}
        for name, mean in self.mean.items():
            columns[name] = mean.tolist()
            if seeds > 1:
                columns[f"{name}_std"] = std[name].tolist()
        columns["runs"], columns["stopped"] = [seeds] * len(self.points), self.stopped.tolist()
        numbers = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return [{**point, **found} for point, found in zip(self.points, numbers, strict=True)]

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write `rows()` as a table."""
        rows = self.rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        with complete_file(path) as draft, open(draft, "w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, names, lineterminator="\n")
            table.writeheader()
            table.writerows(rows)
        return Path(path)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """Everything as plain lists and numbers, written too if a path is given; nan and inf are null."""
        names = ("points", "seeds", "shape", "values", "ticks", "all_ticks")
        found = {name: plain(getattr(self, name)) for name in names} | {"rows": plain(self.rows())}
        if path is not None:
            with complete_file(path) as draft, open(draft, "w", encoding="utf-8") as file:
                json.dump(found, file)
        return found

    def __repr__(self) -> str:
        points, seeds = self.ticks.shape
        lost = int(self.stopped.sum())
        return (
            f"<StudyResult: {points} points x {seeds} seeds{f', {lost} runs stopped early' if lost else ''},"
            f" measures: {', '.join(self.values)}>"
        )


def _mean(values: np.ndarray) -> np.ndarray:
    return values.mean(axis=1) if values.shape[1] else np.full(len(values), np.nan)


def _deviation(values: np.ndarray) -> np.ndarray:
    return values.std(axis=1, ddof=1) if values.shape[1] > 1 else np.full(len(values), np.nan)
