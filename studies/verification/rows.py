"""Numbers of the report: measured, in theory, how far they are apart and how far they may be, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from hybsim.studies.verification.report import table

ROUNDING = 1e-9
"""What a comparison without approximations may be off by."""

HEAD = ["block", "quantity", "measured", "theory", "error"]
"""Above the cells of `compared`."""


class Checked(Protocol):
    """What knows whether it is as theory says."""

    def failure(self) -> str:
        """What is wrong, in a sentence, or nothing."""


@dataclass(frozen=True)
class Row:
    """One number of a block, or of whatever was measured, that may be off by a tolerance."""

    block: str
    quantity: str
    measured: float
    theory: float
    error: float
    tolerance: float
    source: str = "theory"

    def failure(self) -> str:
        if self.error <= self.tolerance:
            return ""
        return f"{self.block}: {self.quantity} is {self.measured:.9g}, {self.source} says {self.theory:.9g}."


@dataclass(frozen=True)
class Bounded:
    """One number that has to lie between two others; `theory` is None where only those are known."""

    block: str
    quantity: str
    measured: float
    theory: float | None
    low: float
    high: float
    source: str

    @property
    def error(self) -> float | None:
        return None if self.theory is None else relative(self.measured, self.theory)

    def failure(self) -> str:
        if self.low <= self.measured <= self.high:
            return ""
        return (
            f"{self.block}: {self.quantity} is {self.measured:.6g}, outside {self.low:.6g} to {self.high:.6g}"
            f" ({self.source})."
        )


@dataclass(frozen=True)
class Response:
    """Output over input along a path, at one frequency; the error is over its size or, if absolute, as it is."""

    block: str
    path: str
    hertz: float
    measured: complex
    theory: complex
    tolerance: float
    source: str = "theory"
    absolute: bool = False

    @property
    def error(self) -> float:
        return abs(self.measured - self.theory) if self.absolute else relative(self.measured, self.theory)

    def failure(self) -> str:
        if self.error <= self.tolerance:
            return ""
        return (
            f"{self.block}: {self.path} at {self.hertz:g} Hz is {self.measured:.6g}, {self.source} says"
            f" {self.theory:.6g}."
        )


def row(block: str, quantity: str, measured: float, theory: float, source: str, tolerance: float = ROUNDING) -> Row:
    """A number whose error is over the theory, or as it is where that is 0."""
    measured, theory = float(measured), float(theory)
    return Row(block, quantity, measured, theory, relative(measured, theory), tolerance, source)


def relative(measured: complex, theory: complex) -> float:
    """The difference over the theory, or as it is where that is 0."""
    return abs(measured - theory) / (abs(theory) or 1.0)


def out_of_tolerance(rows: Iterable[Checked]) -> list[str]:
    """A sentence for each number that is not as theory says."""
    return [failure for r in rows if (failure := r.failure())]


def listed(rows: Iterable[Row], first: str = "block", against: str = "theory") -> str:
    """Rows as a table, with the source of each theory."""
    head = [first, "quantity", "measured", against, "error", "source"]
    return table(head, [[*compared(r), r.source.replace("|", "\\|")] for r in rows])


def compared(r: Row | Bounded, digits: int = 6) -> list[str]:
    """The cells below `HEAD`; a block by its name is set as code."""
    name = f"`{r.block}`" if r.block.isidentifier() else r.block
    theory = "" if r.theory is None else number(r.theory, digits)
    return [name, r.quantity, number(r.measured, digits), theory, "" if r.error is None else size(r.error)]


def number(value: float, digits: int = 6) -> str:
    # Rounding noise is not a number to print: it differs from machine to machine.
    return f"{value:.{digits}g}" if abs(value) > 1e-10 else "0"


def size(error: float) -> str:
    """An error to one digit, unless it is rounding noise."""
    return f"{error:.0e}" if error > 1e-11 else "< 1e-11"
