"""The study of the Fast Hybrid Test (Shing, Wei, Jung, Stauffer 2004): its two validation tests, a section for each.

A section is a function `section(settings, progress)` that gives tables, pictures, notes and a summary. In a summary,
lists of rows become csv files, `conclusions` the conclusions of the study, and `histories` are in the csv only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from hybsim.studies.fht import column, substructure
from hybsim.studies.outcome import Outcome, Picture, Progress, Settings, Table

Section = Callable[[Settings, Progress], tuple[list[Table], list[Picture], list[str], dict[str, Any]]]

SECTIONS: dict[str, Section] = {
    "column": column.section,
    "substructure": substructure.section,
}

INTRODUCTION = (
    "The Fast Hybrid Test system of the University of Colorado moves its actuators at the speed of the earthquake while"
    " an implicit integrator, the alpha-method, iterates ten times in a step: each iteration bends a parabola on which"
    " the next command lies. The paper validates it with two elastic tests.",
    "Here both are virtual: a model stands for the column and its actuators. What is not in the paper and had to be"
    " assumed is said below.",
)


def run(settings: Settings, progress: Progress) -> Outcome:
    """All sections, one after the other."""
    tables: list[Table] = []
    pictures: list[Picture] = []
    notes: list[str] = []
    conclusions: list[str] = []
    data: dict[str, Any] = {}
    summary: dict[str, Any] = {"study": "fht", "seed": settings.seed}
    for i, (name, section) in enumerate(SECTIONS.items()):
        part = section(settings, partial(_tell, progress, i))
        tables += part[0]
        pictures += part[1]
        notes += part[2]
        about = dict(part[3])
        conclusions += about.pop("conclusions", [])
        data |= {f"{name}_{key}": rows for key, rows in about.items() if _is_rows(rows)}
        about.pop("histories", None)
        summary[name] = about
    progress(1.0)
    return Outcome(
        title="FHT: the validation tests of the Fast Hybrid Test system, simulated",
        summary=summary | {"conclusions": conclusions},
        tables=tables,
        pictures=pictures,
        data=data,
        introduction=INTRODUCTION,
        notes=notes,
        conclusions=conclusions,
    )


def _tell(progress: Progress, i: int, share: float) -> None:
    """The share of all sections that is done, from that of section `i`."""
    progress((i + share) / len(SECTIONS))


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)
