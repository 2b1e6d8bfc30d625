"""The part of the report about structural integrators."""

from __future__ import annotations

import math

from hybsim.studies.verification import two_storeys
from hybsim.studies.verification.drop_in import DropIn, drop_in
from hybsim.studies.verification.integrators import HIGHEST, Measurement, measure
from hybsim.studies.verification.report import Section, table
from hybsim.studies.verification.theory import Theory, all_theories

ORDER_TOLERANCE = 0.05
NONLINEAR_ORDER_TOLERANCE = 0.15
LIMIT_TOLERANCE = 1e-3
SPECTRUM_TOLERANCE = 1e-10
DROP_IN_TOLERANCE = 0.01

INTRODUCTION = f"""\
## Structural integrators

A structure block and a spring, as a diagram, one degree of freedom: `m a + c v + k d = f`, `Omega = omega h`.

- **Order** of the displacement: root mean square error against the exact solution over two periods, steps of 1/800
  and 1/1600 of the period, 5 % damping, a start out of equilibrium, a sinusoidal load. Tolerance {ORDER_TOLERANCE:g}.
- **Stability limit**: the lowest `Omega` at which undamped free vibration grows, by bisection of runs of 20,000 steps;
  "none" means none up to {HIGHEST:g}. Tolerance {LIMIT_TOLERANCE:g}.
- **Numerical damping** and **period error** at ten steps a period, undamped, fitted to free vibration. "Off" is the
  difference to the eigenvalue of the amplification matrix, which is derived from the published difference equations
  and not from the block. Tolerance {SPECTRUM_TOLERANCE:g}.
"""

NONLINEAR = f"""\
### Two storeys that yield

Bouc-Wen springs between the floors, far beyond yielding (drifts of about 15 times the yield displacement), against
the differential equation integrated by scipy to 1e-10: relative error for 400 and 1600 steps and the order between
them. Turning points between two ticks make single errors uneven. Tolerance of the order {NONLINEAR_ORDER_TOLERANCE:g}.
"""

IN_PLACE = f"""\
### In the diagram of EERC Fig. 3-5

Each integrator in the place of Newmark's explicit method: linear specimen, T = 1 s, 5 % damping, 0.2 El Centro,
steps of 0.01 s. The difference is to the exact response of an oscillator with the frequency and damping of the
amplification matrix (for a method with a linear part of its own, here empty: those of the structure). Tolerance
{DROP_IN_TOLERANCE:g}. The energy error belongs to a lag of one step; a lag adds energy, so it is negative.
"""


def section() -> Section:
    """Measure all integrators."""
    theories = all_theories()
    lines = [measure(t) for t in theories]
    errors = [(two_storeys.error(t, 400), two_storeys.error(t, 1600)) for t in theories]
    places = [drop_in(t) for t in theories]
    text = "\n".join(
        [
            INTRODUCTION,
            table(
                ["integrator", "order measured / theory", "stability limit measured / theory",
                 "numerical damping", "off", "period error", "off"],
                map(_line, lines),
            ),
            table(["integrator", "note"], [[f"`{t.label}`", t.notes] for t in theories if t.notes]),
            NONLINEAR,
            table(
                ["integrator", "error, 400 steps", "error, 1600 steps", "order measured / theory"],
                [
                    [f"`{t.label}`", f"{a:.2e}", f"{b:.2e}", f"{_order(a, b):.2f} / {t.order}"]
                    for t, (a, b) in zip(theories, errors, strict=True)
                ],
            ),
            IN_PLACE,
            table(
                ["integrator", "peak displacement (in)", "difference", "energy error with lag (kip in)"],
                [
                    [f"`{t.label}`", f"{p.peak:.4f}", f"{p.difference:.1e}", f"{p.energy_error:.2f}"]
                    for t, p in zip(theories, places, strict=True)
                ],
            ),
        ]
    )  # fmt: skip
    failures = [f for line in lines for f in out_of_tolerance(line)]
    failures += [f for t, e in zip(theories, errors, strict=True) for f in nonlinear_out_of_tolerance(t, *e)]
    failures += [f for t, p in zip(theories, places, strict=True) for f in drop_in_out_of_tolerance(t, p)]
    return Section(text, failures)


def out_of_tolerance(line: Measurement) -> list[str]:
    """What of a linear measurement is not as theory says."""
    t, found = line.theory, []
    if not abs(line.order - t.order) <= ORDER_TOLERANCE:
        found.append(f"{t.label}: the order is {line.order:.3f}, theory says {t.order}.")
    if (line.limit is None) != (t.stability_limit is None) or (
        line.limit is not None and t.stability_limit is not None
        and not abs(line.limit - t.stability_limit) <= LIMIT_TOLERANCE
    ):  # fmt: skip
        found.append(
            f"{t.label}: the stability limit is {_limit(line.limit)}, theory says {_limit(t.stability_limit)}."
        )
    for what, off in (("damping", line.damping_off), ("period error", line.period_off)):
        if not abs(off) <= SPECTRUM_TOLERANCE:
            found.append(f"{t.label}: the numerical {what} is {off:.2e} off its amplification matrix.")
    return found


def nonlinear_out_of_tolerance(theory: Theory, coarse: float, fine: float) -> list[str]:
    order = _order(coarse, fine)
    if abs(order - theory.order) <= NONLINEAR_ORDER_TOLERANCE:
        return []
    return [f"{theory.label}: the order for two yielding storeys is {order:.3f}, theory says {theory.order}."]


def drop_in_out_of_tolerance(theory: Theory, place: DropIn) -> list[str]:
    found = []
    if not place.difference <= DROP_IN_TOLERANCE:
        found.append(f"{theory.label}: in Fig. 3-5 it is {place.difference:.2e} off its oscillator.")
    if not place.energy_error < 0.0:
        found.append(
            f"{theory.label}: in Fig. 3-5 a lag gives an energy error of {place.energy_error:.3g}, not below 0."
        )
    return found


def _order(coarse: float, fine: float) -> float:
    return 0.5 * math.log2(coarse / fine)


def _limit(limit: float | None) -> str:
    return "none" if limit is None else f"{limit:.4f}"


def _line(line: Measurement) -> list[str]:
    t = line.theory
    return [
        f"`{t.label}`",
        f"{line.order:.3f} / {t.order}",
        f"{_limit(line.limit)} / {_limit(t.stability_limit)}",
        f"{_percent(line.measured.damping)}",
        _off(line.damping_off),
        f"{_percent(line.measured.period_error)}",
        _off(line.period_off),
    ]


def _percent(value: float) -> str:
    # Rounding noise is not a number to print: it differs from machine to machine.
    return f"{100.0 * value + 0.0:.3f} %" if abs(value) > 1e-12 else "0 %"


def _off(value: float) -> str:
    return f"{value:.1e}" if abs(value) > 1e-12 else "< 1e-12"
