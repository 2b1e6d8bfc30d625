"""What a study found, in the form in which every study gives it: tables, pictures, words and plain data.

The command line prints the tables and the notes; with --out it also writes the pictures (png, pdf), the data (csv,
json) and a report that opens offline and explains each picture.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Progress = Callable[[float], None]
"""To be told the share that is done."""


@dataclass(frozen=True)
class Settings:
    """What a user may choose; a study names the choices it takes, None stands for its own value."""

    record: str | None = None
    seed: int = 1
    jobs: int | None = None
    variance: float | None = None
    case: int | None = None
    tolerance: float | None = None
    runs: int | None = None


@dataclass(frozen=True)
class Table:
    """A table as a reader sees it: the first column is words, the others are numbers."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    explanation: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure: its file's name, its title, sentences that say how to read it, and the function that draws it."""

    name: str
    title: str
    explanation: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class Outcome:
    """What a study found.

    introduction  paragraphs: the question, the model, what is assumed
    notes         sentences below the tables: what the columns mean and how they were made
    conclusions   sentences: what a laboratory should conclude
    data          the numbers in full, rows by the name of their csv file
    summary       rows and everything that is needed to compute them again, as plain data
    """

    title: str
    summary: Mapping[str, Any]
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    data: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    introduction: Sequence[str] = ()
    notes: Sequence[str] = ()
    conclusions: Sequence[str] = ()
