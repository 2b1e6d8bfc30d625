"""The stability margin of a test that is to be deployed, or why it cannot be found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hybsim.errors import HybsimError
from hybsim.studies.indicators.preflight import GO, MARGINAL, NO_GO, preflight
from hybsim.studies.indicators.preflight_outcome import summary
from hybsim.studies.indicators.preflight_words import fatal, thin, well

UNKNOWN = "not found"


@dataclass(frozen=True)
class Margin:
    """Go, marginal, no-go or not found, with the reasons, and the numbers of the pre-flight check."""

    verdict: str
    reasons: tuple[str, ...]
    numbers: dict[str, Any] | None

    @property
    def forbids(self) -> bool:
        return self.verdict == NO_GO


def margin(diagram: Any, cut: str, solver: str) -> Margin:
    """Of the diagram as it is wired, around rest, cut as in the test."""
    try:
        found = preflight(diagram, cut, solver=solver)
    except HybsimError as error:
        return Margin(UNKNOWN, (str(error),), None)
    except (ArithmeticError, ValueError) as error:  # of the linear algebra; a plan is worth more than none
        return Margin(UNKNOWN, (f"The loop cannot be linearised: {error}.",), None)
    # In a test signals cross the cut at the ticks only, whatever the diagram does between them.
    held = replace(found, radius=found.loop.radius())
    if wrong := fatal(held):
        verdict, reasons = NO_GO, tuple(wrong)
    else:
        poor = tuple(thin(held))
        verdict, reasons = (MARGINAL if poor else GO), (*poor, *well(held))
    numbers = {**summary(held), "verdict": verdict, "reasons": list(reasons)}
    return Margin(verdict, (*reasons, *found.warnings), numbers)
