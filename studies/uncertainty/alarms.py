"""An alarm on the energy indicator: how far it went, and whether that was before the error was too large.

    e(t)      = |u(t) - u^ref(t)| / max |u^ref|                    error of the displacement, known only in a simulation
    worst     = min_t HSEI^I(t)                                    an alarm at any higher level sounds in this run
    heard     = min_{t <= t_e} HSEI^I(t)                           an alarm at any higher level sounds in time
    unwarned  = max_{t <= t_a} e(t)                                error that passes before an alarm at `level`

    t_e   the first time at which e > tolerance, or the end of the run
    t_a   the first time at which HSEI^I < level, or the end of the run

HSEI^I is negative where energy is added, so `worst` and `heard` are the lower, the louder the alarm. A level is safe
for a run if unwarned <= tolerance, which is to say heard < level, or an error that never exceeds the tolerance.

EERC Sec. 8.4.2 takes HSEI^I at the end of a test, when all is over; these say what an alarm is worth during the test.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from hybsim.studies.measures import Histories, Measure, measure


def worst(indicator: str) -> Measure:
    """The lowest value of the indicator in the run."""
    return measure(partial(_worst, indicator=indicator), indicator)


def heard(signal: str, indicator: str, tolerance: float) -> Measure:
    """The lowest value of the indicator up to the moment when the error of the signal passes the tolerance."""
    return measure(partial(_heard, signal=signal, indicator=indicator, tolerance=tolerance), signal, indicator)


def unwarned(signal: str, indicator: str, level: float) -> Measure:
    """The largest error of the signal up to the moment when the indicator falls below the level."""
    return measure(partial(_unwarned, signal=signal, indicator=indicator, level=level), signal, indicator)


def _worst(runs: Histories, reference: Histories, *, indicator: str) -> np.ndarray:
    return np.asarray(runs[indicator].min(axis=1))


def _heard(runs: Histories, reference: Histories, *, signal: str, indicator: str, tolerance: float) -> np.ndarray:
    error = _error(runs, reference, signal)
    return _up_to(error > tolerance, np.minimum.accumulate(runs[indicator], axis=1))


def _unwarned(runs: Histories, reference: Histories, *, signal: str, indicator: str, level: float) -> np.ndarray:
    error = _error(runs, reference, signal)
    return _up_to(runs[indicator] < level, np.maximum.accumulate(error, axis=1))


def _error(runs: Histories, reference: Histories, signal: str) -> np.ndarray:
    exact = reference[signal]
    return np.asarray(np.abs(runs[signal] - exact) / np.abs(exact).max(axis=1, keepdims=True))


def _up_to(event: np.ndarray, so_far: np.ndarray) -> np.ndarray:
    """The value at the first tick of the event, or at the last tick if there is none."""
    last = event.shape[1] - 1
    first = np.where(event.any(axis=1), event.argmax(axis=1), last)
    return np.asarray(so_far[np.arange(len(so_far)), first])
