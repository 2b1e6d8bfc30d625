"""A figure of the report: what was measured, the aim, and whether it was reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table
from timing import Spread


@dataclass(frozen=True)
class Figure:
    """`aim` is the largest value allowed, or the smallest with `at_least`; None for a figure that only informs.

    `measured` holds the samples the value was made of, in seconds.
    """

    what: str
    value: Spread
    unit: str = "x"
    aim: float | None = None
    at_least: bool = False
    measured: dict[str, Spread] = field(default_factory=dict)

    @property
    def reached(self) -> bool | None:
        if self.aim is None:
            return None
        return self.value.median >= self.aim if self.at_least else self.value.median <= self.aim

    def text(self, value: float) -> str:
        return f"{value:.3g} {self.unit}" if abs(value) < 1000.0 else f"{value:.0f} {self.unit}"

    def as_json(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "unit": self.unit,
            "aim": None if self.aim is None else {"at_least" if self.at_least else "at_most": self.aim},
            "reached": self.reached,
            "value": self.value.as_json(),
            "measured_s": {name: spread.as_json() for name, spread in self.measured.items()},
        }


def table(figures: Sequence[Figure]) -> Table:
    """All figures, with the quartiles of their samples: the noise of the machine while they were taken."""
    shown = Table(title="hybsim, side by side (medians)")
    shown.add_column("figure")
    shown.add_column("median", justify="right")
    shown.add_column("quartiles", justify="right")
    shown.add_column("aim", justify="right")
    shown.add_column("reached")
    for figure in figures:
        aim = "" if figure.aim is None else f"{'>=' if figure.at_least else '<='} {figure.text(figure.aim)}"
        verdict = {True: "[green]yes[/]", False: "[red]no[/]", None: ""}[figure.reached]
        quartiles = f"{figure.text(figure.value.low)} .. {figure.text(figure.value.high)}"
        shown.add_row(figure.what, figure.text(figure.value.median), quartiles, aim, verdict)
    return shown
