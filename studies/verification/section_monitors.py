"""The part of the report about monitors."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hybsim.studies.verification import monitor_rows
from hybsim.studies.verification.monitor_balance import (
    CASES,
    OTHERS,
    TICKS,
    forms,
    measure,
    other_residual,
)
from hybsim.studies.verification.report import Section, table
from hybsim.studies.verification.rows import listed, out_of_tolerance

ROUNDING = 1e-12
ORDER = 0.1
"""How far a measured order may be from the one expected."""

BALANCE = """\
## Monitors

### The energy balance closes

`ENERGYBALANCE` in whole tests of 10 s under El Centro, with Newmark's explicit method: the one degree of freedom of
EERC Fig. 3-5, and two storeys that are part numerical (linear) and part experimental. All numbers are the largest of
the test over the largest input energy. The residual falls with dt^2 and is -dt^2/8 (a^T M a - a_0^T M a_0) to
rounding, without errors and with them; with the best estimate E^BE of the specimen's energy the error of `ENERGYERROR`
stands on the other side (Eq. 7.8), to rounding too.
"""

INTEGRATORS = """\
Other integrators, without errors, linear: order 2 or higher, and order 1 where the velocity of the method is.
"""

FORMS = """\
### Both forms of the energy error agree

`ENERGYERROR` (from the measured force, E_M) and `ENERGYERROR_STIFFNESS` (E_T) at the end of the tests with a linear
specimen, summed over the actuators. E_M - E_T is the strain energy of the command less that of the measured
displacement at every tick, which the last column confirms: the largest difference over the largest energy error. A
lag is negative, a lead positive.
"""

KNOWN = """\
### Known answers

Sines with a gain of 0.9 and a lag of 20 ms or a lead of 10 ms at 2 Hz, a spring as specimen, and paths with known
peaks. The error is over the theory (as it is, where that is 0).
"""


def section() -> Section:
    """Measure all monitors."""
    rows = monitor_rows.rows()
    parts, failures = [], []
    for text, part in ((BALANCE, balance), (INTEGRATORS, integrators), (FORMS, both_forms)):
        found, failed = part()
        parts += [text, found]
        failures += failed
    return Section("\n".join([*parts, KNOWN, listed(rows, "monitor")]), [*failures, *out_of_tolerance(rows)])


def balance() -> tuple[str, list[str]]:
    """The residual of every case for three ticks."""
    rows, failures = [], []
    for case in CASES:
        found = [measure(case, dt) for dt in TICKS]
        order = order_of([b.residual for b in found])
        theory, best = max(b.theory for b in found), max(b.best for b in found)
        rows.append(
            [case.name, *(f"{b.residual:.2e}" for b in found), f"{order:.2f}", rounding(theory), rounding(best)]
        )
        failures += order_failure(f"the residual of {case.name}", order, 2.0, False)
        for words, value in (("the residual differs from its theory", theory), ("Eq. 7.8 stays open", best)):
            if not value <= ROUNDING:
                failures.append(f"ENERGYBALANCE, {case.name}: {words} by {value:.1e} of the input energy.")
    head = ["test", *(f"residual, dt = {dt:g} s" for dt in TICKS), "order", "residual - theory", "Eq. 7.8 open by"]
    return table(head, rows), failures


def integrators() -> tuple[str, list[str]]:
    """The residual of other integrators for three ticks."""
    rows, failures = [], []
    for other in OTHERS:
        found = [other_residual(other, dt) for dt in TICKS]
        order = order_of(found)
        expected = f">= {other.order:g}" if other.least else f"{other.order:g}"
        rows.append([f"`{other.name}`", *(f"{value:.2e}" for value in found), f"{order:.2f}", expected])
        failures += order_failure(f"the residual with {other.name}", order, other.order, other.least)
    return table(["integrator", *(f"dt = {dt:g} s" for dt in TICKS), "order", "theory"], rows), failures


def both_forms() -> tuple[str, list[str]]:
    """E_M and E_T of the cases with a linear specimen and errors."""
    rows, failures = [], []
    for case in CASES:
        if case.stiffness is None:
            continue
        found = forms(case, 0.01)
        rows.append(
            [
                case.name, f"{found.measured:.5f}", f"{found.from_stiffness:.5f}",
                f"{found.measured - found.from_stiffness:.5f}", f"{found.strain:.5f}", rounding(found.closing),
            ]
        )  # fmt: skip
        if not found.closing <= ROUNDING:
            failures.append(f"{case.name}: E_M - E_T differs from the strain energy by {found.closing:.1e}.")
        sign = -1.0 if "lag" in case.name else 1.0
        if not min(sign * found.measured, sign * found.from_stiffness) > 0.0:
            failures.append(
                f"{case.name}: the energy errors {found.measured:.3g} and {found.from_stiffness:.3g} have a wrong sign."
            )
    return table(["test", "E_M", "E_T", "E_M - E_T", "strain energy", "largest difference"], rows), failures


def order_of(values: Sequence[float]) -> float:
    """The order from the last halving of the tick."""
    return math.log2(values[-2] / values[-1])


def order_failure(what: str, order: float, expected: float, least: bool) -> list[str]:
    if order >= expected - ORDER and (least or order <= expected + ORDER):
        return []
    return [f"ENERGYBALANCE: {what} is of order {order:.2f}, not {expected:g}."]


def rounding(value: float) -> str:
    # Rounding differs from machine to machine: how large it is does not matter.
    return "< 1e-12" if value <= ROUNDING else f"{value:.1e}"
