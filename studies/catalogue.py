"""The studies that `hybsim study` knows: a name, what the study shows, and the function that runs it.

    hybsim study list
    hybsim study compensators --out results

A study is a function of its settings and of a function to be told the share that is done; it returns an Outcome:
tables for the screen, rows for a spreadsheet, a summary as plain data, and a figure. A new study is one entry of
STUDIES. Its module is imported when it runs, so that a list of studies needs neither numpy nor bdsim.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from hybsim.errors import ParameterError, near

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Settings:
    """What the user may choose in any study: the record (a bundled name or a file) and the seed of its noise."""

    record: str = "elcentro"
    seed: int = 1


@dataclass(frozen=True)
class Table:
    """A table as a reader sees it: the first column is words, the others are numbers."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


class Outcome(Protocol):
    """What a study found."""

    @property
    def title(self) -> str: ...

    def tables(self) -> list[Table]: ...

    def notes(self) -> list[str]:
        """Sentences below the tables: what the columns mean and how they were made."""
        ...

    def rows(self) -> list[dict[str, Any]]:
        """The numbers in full, a mapping each row, all with the same keys."""
        ...

    def summary(self) -> dict[str, Any]:
        """Rows and everything that is needed to compute them again, as plain data."""
        ...

    def figure(self) -> Figure: ...


Progress = Callable[[float], None]


@dataclass(frozen=True)
class Study:
    """One entry of the list."""

    name: str
    summary: str
    run: Callable[[Settings, Progress], Outcome]


def find(name: str) -> Study:
    """A study by its name."""
    if name not in STUDIES:
        raise ParameterError(f"There is no study {name!r}.{near(name, STUDIES)}")
    return STUDIES[name]


def _compensators(settings: Settings, progress: Progress) -> Outcome:
    from hybsim.studies.compensators import compare

    return compare(settings, progress)


STUDIES = {
    study.name: study
    for study in (
        Study(
            "compensators", "All delay compensators on one record: tracking, delay, amplitude, noise.", _compensators
        ),
    )
}
