"""Measures: what a study keeps of a run, one number each.

    final(signal)            the last value
    peak(signal)             max |s|
    rms(signal)              sqrt(mean s^2)
    eps_max(signal)          max |s^ref - s| / max |s^ref|                      (8.7)
    eps_rms(signal)          rms(s^ref - s) / max |s^ref|                       (8.8)
    eps_enr(signal)          |E^ref - E| / E^ref at the end, E the input energy   (8.9)
    delay(command, applied)  the shift in ms with which `applied` follows `command`
    bounded(signal)          1 where the run came to its end and max |s| <= times max |s^ref|, else 0
    measure(f, *signals)     a function of your own

s^ref is the signal in the reference run. A run that stopped early has no measures: they are nan, except `bounded`,
which is 0.

A measure is called with the histories of some runs and of their references, as mappings from the names in `signals` to
arrays (runs, ticks), or (runs, ticks, n) for vector signals; "t" is the time (ticks,). It returns one number for each
run. `signal` may be one component of a vector: "integrator.disp_target[1]".

The delay is that of least squares: d = n dt + e with the whole number of ticks n and

    e = sum (c_{k-n} - a_k) v_{k-n} / sum v_{k-n}^2,    v_k = (c_k - c_{k-1}) / dt

c command, a applied; n is moved by the whole ticks in e until e is within one tick. For a displacement lag
a_k = c_k - eta_k (c_k - c_{k-1}) it is the mean of eta_k, weighted by the square of the increments, times dt. A drift
of the command does not matter. It holds for delays below a quarter of the period of the motion. A lead is negative, and
a command without motion gives nan.

EERC Eqs. 8.7-8.9.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from hybsim.errors import ParameterError

Histories: TypeAlias = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Measure:
    """A function of the histories of some signals; `of_stopped` is its value for a run that stopped early."""

    function: Callable[..., Any]
    signals: tuple[str, ...]
    settings: tuple[Any, ...] = ()
    compares: bool = False
    vectors: bool = False
    of_stopped: float = math.nan

    def __call__(self, runs: Histories, reference: Histories | None = None) -> np.ndarray:
        with np.errstate(all="ignore"):  # a run may overflow, a reference may stand still: the result says so
            return np.asarray(self.function(runs, reference, *self.signals, *self.settings))


def final(signal: str) -> Measure:
    """The last value of a signal."""
    return Measure(_final, (signal,))


def peak(signal: str) -> Measure:
    """The largest magnitude of a signal."""
    return Measure(_peak, (signal,))


def rms(signal: str) -> Measure:
    """The root mean square of a signal over all ticks."""
    return Measure(_rms, (signal,))


def eps_max(signal: str) -> Measure:
    """The largest difference to the reference, over the reference's largest magnitude (EERC Eq. 8.7).

    >>> runs, reference = {"u": np.array([[0.0, 3.0]])}, {"u": np.array([[0.0, 2.0]])}
    >>> eps_max("u")(runs, reference).tolist()
    [0.5]
    """
    return Measure(_eps_max, (signal,), compares=True)


def eps_rms(signal: str) -> Measure:
    """The root mean square of the difference to the reference, over its largest magnitude (EERC Eq. 8.8)."""
    return Measure(_eps_rms, (signal,), compares=True)


def eps_enr(signal: str) -> Measure:
    """The difference of the input energies at the end, over the reference's (EERC Eq. 8.9)."""
    return Measure(_eps_enr, (signal,), compares=True)


def delay(command: str, applied: str) -> Measure:
    """The delay of `applied` behind `command` in ms, by least squares (see the top of this page).

    >>> t = 0.01 * np.arange(100)
    >>> runs = {"t": t, "c": np.sin(t)[None], "a": np.sin(t - 0.03)[None]}
    >>> delay("c", "a")(runs).round(2).tolist()
    [30.0]
    """
    return Measure(_delay, (command, applied))


def bounded(signal: str, times: float = 10.0) -> Measure:
    """1 where the run came to its end with a peak of at most `times` the reference's, else 0."""
    if not (isinstance(times, int | float) and times > 0.0):
        raise ParameterError(f"A bounded response is one of at most `times` the reference's, above 0, got {times!r}.")
    return Measure(_bounded, (signal,), (float(times),), compares=True, of_stopped=0.0)


def measure(
    function: Callable[[Histories, Histories], Any], *signals: str, of_stopped: float = math.nan
) -> Measure:  # fmt: skip
    """A measure of your own: `function(runs, reference)` of the histories of `signals`, one number for each run.

    It is called with several runs at a time; `reference` is None if the study has none. `of_stopped` is the value of a
    run that stopped early. For a study in other processes the function must be importable there (no lambda).

    >>> crest = measure(lambda runs, reference: runs["u"].max(axis=1), "u")
    >>> crest({"u": np.array([[1.0, 2.0], [0.0, -1.0]])}).tolist()
    [2.0, 0.0]
    """
    if not callable(function):
        raise ParameterError(f"A measure needs a function of (runs, reference), got {function!r}.")
    if not signals or not all(isinstance(signal, str) for signal in signals):
        raise ParameterError(f"A measure needs the names of the signals it is made of, got {signals!r}.")
    return Measure(_own, signals, (function,), vectors=True, of_stopped=float(of_stopped))


def checked_measures(given: Mapping[str, Any], *, compared: bool) -> dict[str, Measure]:
    """The measures of a study by name; `compared` says that it has reference runs."""
    if not isinstance(given, Mapping) or not given:
        raise ParameterError(f'A study needs measures, such as measures={{"u": peak("lag.applied")}}, got {given!r}.')
    measures = {str(name): as_measure(str(name), candidate) for name, candidate in given.items()}
    for name, taken in measures.items():
        if name in ("runs", "stopped") or name.removesuffix("_std") in measures.keys() - {name}:
            raise ParameterError(f"A measure cannot be called {name!r}: rows() has a column of that name.")
        if taken.compares and not compared:
            raise ParameterError(
                f"Measure {name!r} compares with a reference run; give the study a reference, such as"
                ' reference={"lag.mean": 0.0}.'
            )
    return measures


def as_measure(name: str, given: Any) -> Measure:
    """A measure, or any object that is called as one and names its signals."""
    if isinstance(given, Measure):
        return given
    signals = getattr(given, "signals", ())
    if not callable(given) or not signals:
        raise ParameterError(
            f"Measure {name!r} must be one of hybsim.studies.measures, such as peak(signal), or for a function of your"
            f" own measure(function, signal), got {given!r}."
        )
    return measure(given, *signals)


def _own(runs: Histories, reference: Histories | None, *rest: Any) -> Any:
    return rest[-1](runs, reference)


def _final(runs: Histories, reference: Histories | None, signal: str) -> np.ndarray:
    return runs[signal][:, -1]


def _peak(runs: Histories, reference: Histories | None, signal: str) -> np.ndarray:
    return np.abs(runs[signal]).max(axis=1)


def _rms(runs: Histories, reference: Histories | None, signal: str) -> np.ndarray:
    return _root_mean_square(runs[signal])


def _eps_max(runs: Histories, reference: Histories, signal: str) -> np.ndarray:
    return np.abs(reference[signal] - runs[signal]).max(axis=1) / _peak(reference, None, signal)


def _eps_rms(runs: Histories, reference: Histories, signal: str) -> np.ndarray:
    return _root_mean_square(reference[signal] - runs[signal]) / _peak(reference, None, signal)


def _root_mean_square(values: np.ndarray) -> np.ndarray:
    return np.sqrt(np.mean(np.square(values), axis=1))


def _eps_enr(runs: Histories, reference: Histories, signal: str) -> np.ndarray:
    exact = reference[signal][:, -1]
    return np.abs(exact - runs[signal][:, -1]) / exact


def _bounded(runs: Histories, reference: Histories, signal: str, times: float) -> np.ndarray:
    return (_peak(runs, None, signal) <= times * _peak(reference, None, signal)).astype(float)


def _delay(runs: Histories, reference: Histories | None, command: str, applied: str) -> np.ndarray:
    t = runs["t"]
    dt = float(t[1] - t[0]) if t.size > 1 else math.nan
    shifts = [_least_squares_shift(c, a) for c, a in zip(runs[command], runs[applied], strict=True)]
    return 1000.0 * dt * np.array(shifts)


def _least_squares_shift(command: np.ndarray, applied: np.ndarray) -> float:
    """The shift in ticks by which `applied` follows `command`."""
    whole, seen = 0, set[int]()
    while whole not in seen and abs(whole) < command.size - 2:
        seen.add(whole)
        c, a = _overlap(command, applied, whole)
        v = np.diff(c)
        power = float(v @ v)
        if not 0.0 < power < math.inf:  # nan included
            return math.nan
        rest = float((c[1:] - a[1:]) @ v) / power
        if abs(rest) <= 1.0:
            return whole + rest
        if not abs(rest) < command.size:
            return math.nan
        whole += round(rest)
    return math.nan


def _overlap(command: np.ndarray, applied: np.ndarray, shift: int) -> tuple[np.ndarray, np.ndarray]:
    """The command `shift` ticks before, and what was applied then."""
    if shift >= 0:
        return command[: command.size - shift], applied[shift:]
    return command[-shift:], applied[: applied.size + shift]
