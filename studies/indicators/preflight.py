"""Before a test: is the loop through the rig stable, by how much, and how far from what it stands for?

    linearise(diagram, cut)  ->  L(j w) at the cut  ->  delay margin, gain margin, damping, PPI  ->  go, marginal, no-go

The subsystem named by the cut is the physical part, as the diagram models it. Hardware in its place answers later:

    delay of the test = ticks that the cut adds + expected delay

A rig that answers within the tick in the diagram cannot do so as hardware: its answer to the command of tick k is read
at tick k + 1, so the cut adds one tick. The expected delay is what the laboratory adds beyond what the diagram models.

no-go      the loop is not stable at that delay, or not even without it
marginal   it is, but a margin is thinner than asked for, or the damping, or the error
go         all of `Thresholds` are kept

The error is that under white noise in the load, of what the rig is commanded, between the test at its delay and the
diagram without: the ratio of standard deviations and, for one degree of freedom at the cut, PPI = omega^3 sigma^2 / S_g
with the lowest frequency omega of the loop (PSI Eq. 3.26; S_g is the density of the load). A diagram that already
models an actuator compares with itself: give `reference`, the diagram without the errors, to compare with that.

Linear, around rest: what yields, slips or saturates later is not seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hybsim.errors import ParameterError
from hybsim.studies.indicators.gain_margin import GainMargin
from hybsim.studies.indicators.linearise import LinearDiagram, linearise
from hybsim.studies.indicators.sampled_loop import DelayMargin, SampledLoop

if TYPE_CHECKING:
    from hybsim.studies.outcome import Outcome

GO, MARGINAL, NO_GO = "go", "marginal", "no-go"

MODES = 3
"""Modes whose damping is told, from the lowest."""


@dataclass(frozen=True)
class Thresholds:
    """What a test must keep for a go.

    delay     delay margin over the delay of the test (over one tick if that is less)
    gain      factor on the force that the rig returns, up to which the test stays stable at its delay
    damping   share of its damping that each of the lowest modes keeps
    error     standard deviation of the error over that of the response
    """

    delay: float = 2.0
    gain: float = 1.5
    damping: float = 0.5
    error: float = 0.1


@dataclass(frozen=True)
class Mode:
    """A mode of the loop: frequency in Hz, and damping ratio as drawn and at the delay of the test."""

    frequency: float
    damping: float
    damping_delayed: float


@dataclass(frozen=True)
class Preflight:
    """What was found of a diagram and a cut, delays in s.

    radius, radius_delayed   spectral radius of a tick, as drawn and at the delay of the test
    margin                   by phase: the delay, beyond the diagram, at which the loop is no longer stable
    stable_ticks             by inserting whole ticks: the most with which it is; None if there is no end to them
    error_ratio, ppi         None where there is no single load, or no steady state; `no_error` says why
    """

    diagram: str
    cut: str
    dt: float
    commanded: tuple[str, ...]
    returned: tuple[str, ...]
    cut_ticks: int
    expected_delay: float
    radius: float
    radius_delayed: float
    margin: DelayMargin | None
    stable_ticks: int | None
    gain: GainMargin
    modes: tuple[Mode, ...]
    error_ratio: float | None
    ppi: float | None
    no_error: str
    thresholds: Thresholds
    verdict: str
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]
    loop: SampledLoop = field(repr=False, compare=False)

    @property
    def delay(self) -> float:
        """The delay of the test beyond the diagram."""
        return self.cut_ticks * self.dt + self.expected_delay

    @property
    def delay_margin(self) -> float:
        """By phase, or by whole ticks where the diagram has several clocks."""
        if self.margin is not None:
            return self.margin.delay
        return math.inf if self.stable_ticks is None else max(0.0, self.stable_ticks * self.dt)

    def outcome(self) -> Outcome:
        """The same as tables, words, a picture and plain data."""
        from hybsim.studies.indicators.preflight_outcome import outcome

        return outcome(self)


def preflight(
    diagram: Any,
    cut: str,
    *,
    expected_delay: float | None = None,
    cut_ticks: int | None = None,
    reference: Any = None,
    thresholds: Thresholds | None = None,
    solver: str = "rk4",
) -> Preflight:
    """Check a diagram, or a program, that is to be cut at a subsystem.

    expected_delay  s that the laboratory adds beyond the diagram's own; 0 if not given
    cut_ticks       ticks that the cut adds; found from the diagram if not given
    reference       the diagram of the same test without errors, to measure the error against
    """
    expected = 0.0 if expected_delay is None else float(expected_delay)
    if not (math.isfinite(expected) and expected >= 0.0):
        raise ParameterError(
            f"expected_delay must be a finite number of seconds of at least 0, got {expected_delay!r}."
        )
    if cut_ticks is not None and cut_ticks < 0:
        raise ParameterError(f"cut_ticks must be at least 0, got {cut_ticks!r}.")
    linear = linearise(diagram, cut=cut, solver=solver)
    loop = SampledLoop(linear.broken, linear.dt)
    added = int(linear.feeds_through) if cut_ticks is None else cut_ticks
    ticks = added + expected / linear.dt
    margin = loop.delay_margin() if loop.has_response else None
    whole = loop.stable_ticks(margin.delay / linear.dt if margin is not None else None)
    ratio, ppi, why = _error(linear, loop, ticks, reference, cut, solver)
    asked = thresholds or Thresholds()
    found = dict(
        diagram=linear.name, cut=cut, dt=linear.dt, commanded=linear.commanded, returned=linear.returned,
        cut_ticks=added, expected_delay=expected, radius=linear.radius, radius_delayed=loop.radius(ticks),
        margin=margin, stable_ticks=whole, gain=loop.gain_margin(ticks), modes=_modes(loop, ticks), error_ratio=ratio,
        ppi=ppi, no_error=why, thresholds=asked, warnings=_warnings(linear, loop), loop=loop,
    )  # fmt: skip
    unjudged = Preflight(**found, verdict="", reasons=())  # type: ignore[arg-type]
    verdict, reasons = _judged(unjudged)
    return Preflight(**found, verdict=verdict, reasons=reasons)  # type: ignore[arg-type]


def _modes(loop: SampledLoop, ticks: float) -> tuple[Mode, ...]:
    """The lowest modes that oscillate, each with the nearest one at the delay of the test."""
    drawn, delayed = loop.modes(0.0), loop.modes(ticks)
    oscillating = drawn[-drawn.real < 0.9 * np.abs(drawn)][:MODES]
    found = []
    for root in oscillating:
        nearest = delayed[np.argmin(np.abs(delayed - root))] if len(delayed) else root
        found.append(Mode(float(abs(root)) / (2.0 * math.pi), _ratio(root), _ratio(nearest)))
    return tuple(found)


def _ratio(root: complex) -> float:
    return float(-root.real / abs(root))


def _error(
    linear: LinearDiagram, loop: SampledLoop, ticks: float, reference: Any, cut: str, solver: str
) -> tuple[float | None, float | None, str]:
    """Error ratio and PPI, or why there are none."""
    exact = loop
    if reference is not None:
        other = linearise(reference, cut=cut, solver=solver)
        if (other.dt, other.loads, other.commanded) != (linear.dt, linear.loads, linear.commanded):
            raise ParameterError(
                "The reference must have the tick, the loads and the signals into the cut of the diagram:"
                f" {linear.dt:g} s, {', '.join(linear.loads)} and {', '.join(linear.commanded)}, got {other.dt:g} s,"
                f" {', '.join(other.loads)} and {', '.join(other.commanded)}."
            )
        exact = SampledLoop(other.broken, other.dt)
    if not (loop.has_response and exact.has_response):
        return None, None, "a diagram with several clocks has no single response"
    if len(linear.loads) != 1:
        return None, None, f"one load is needed, and there are {len(linear.loads)}"
    if not (exact.is_stable() and loop.is_stable(ticks)):
        return None, None, "there is no steady state"
    error, response = loop.error_variance(ticks, exact)
    if exact is loop and ticks == 0.0:
        error = 0.0 * error  # of two equal loops, without the rounding of their difference
    if not response.any():
        return None, None, "the load does not move the rig"
    ratio = math.sqrt(float(error.sum() / response.sum()))
    modes = exact.modes()
    if len(error) != 1 or not len(modes):
        return ratio, None, "PPI is for one degree of freedom at the cut"
    return ratio, float(abs(modes[0]) ** 3 * error[0] / linear.dt), ""


def _warnings(linear: LinearDiagram, loop: SampledLoop) -> tuple[str, ...]:
    found = list(linear.warnings)
    if abs(loop.radius() - linear.radius) > 1e-9:
        found.append(
            f"Signals cross the cut between ticks: held at the ticks, as hardware does, the spectral radius is"
            f" {loop.radius():.6f} instead of {linear.radius:.6f}."
        )
    return tuple(found)


def _judged(found: Preflight) -> tuple[str, tuple[str, ...]]:
    """The verdict, and a sentence for each criterion, the ones that fail first."""
    from hybsim.studies.indicators.preflight_words import fatal, thin, well

    if wrong := fatal(found):
        return NO_GO, tuple(wrong)
    poor = thin(found)
    return (MARGINAL if poor else GO), (*poor, *well(found))
