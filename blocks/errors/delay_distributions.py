"""Random delays of a network, as their distribution over ticks: P(delay <= n dt), n = 1, 2, ...

    uniform      F(t) = (t - minimum) / (maximum - minimum)
    exponential  F(t) = 1 - exp(-(t - minimum) / (mean - minimum))
    lognormal    F(t) = Phi((ln(t - minimum) - mu) / s),   s^2 = ln(1 + deviation^2 / (mean - minimum)^2),
                 mu = ln(mean - minimum) - s^2 / 2
    normal       F(t) = Phi((t - mean) / deviation)
    discrete     F(t) = sum of the probabilities of the delays up to t

Mean and deviation are those of the whole delay, before it is confined to minimum <= delay <= max_delay: draws
outside are drawn again, which gives (F(t) - F(minimum)) / (F(max_delay) - F(minimum)).
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np

from hybsim.blocks.ticks import stored_ticks, ticks
from hybsim.errors import ParameterError

PARAMETERS = {
    "uniform": ("maximum",),
    "exponential": ("mean",),
    "lognormal": ("mean", "deviation"),
    "normal": ("mean", "deviation"),
    "discrete": ("delays", "probabilities"),
}
"""What each distribution needs, besides the minimum."""

LEAST_MASS = 0.5
"""Less of a distribution within its limits is another distribution."""

LEAST_VARIANCE = 1e-300
"""Of the logarithm: a deviation so small is none, but must not divide by zero."""

SUM_TOLERANCE = 1e-9
"""How far the sum of probabilities may be from 1."""


def within_ticks(q: SimpleNamespace, dt: float) -> np.ndarray:
    """P(delay <= n dt) for n = 1 to the ticks of max_delay, where it is 1."""
    _check_given(q)
    count = max(1, stored_ticks("max_delay", q.max_delay, dt))
    if q.distribution == "discrete":
        return _discrete(q, dt, count)
    mean = q.maximum if q.distribution == "uniform" else q.mean
    if q.distribution != "normal" and mean <= q.minimum:
        name = PARAMETERS[q.distribution][0]
        raise ParameterError(
            f"The {q.distribution} delay has {name}={mean:g} s, but it must be greater than minimum={q.minimum:g} s;"
            f" raise {name}= or lower minimum=."
        )
    if q.distribution == "uniform" and q.maximum > q.max_delay:
        raise ParameterError(_too_long("maximum", q.maximum, q.max_delay))
    cdf = CONTINUOUS[q.distribution]
    t = dt * np.arange(1, count + 1)
    lowest, highest = cdf(q, np.array([q.minimum, max(q.minimum, q.max_delay)]))
    if highest - lowest < LEAST_MASS:
        raise ParameterError(
            f"Only {100.0 * (highest - lowest):.3g} % of the {q.distribution} delay lies between"
            f" minimum={q.minimum:g} s and max_delay={q.max_delay:g} s, but at least half of it must;"
            " declare a longer max_delay= or change the distribution."
        )
    within: np.ndarray = np.clip((cdf(q, t) - lowest) / (highest - lowest), 0.0, 1.0)
    within[-1] = 1.0
    return within


def _check_given(q: SimpleNamespace) -> None:
    """Just what the distribution needs."""
    needed = PARAMETERS[q.distribution]
    which = f"{'An' if q.distribution == 'exponential' else 'A'} {q.distribution} delay"
    takes = f"it takes {' and '.join(needed)}"
    for name in dict.fromkeys(n for names in PARAMETERS.values() for n in names):
        given = getattr(q, name) is not None
        if given == (name in needed):
            continue
        raise ParameterError(
            f"{which} has no {name}; leave it out ({takes})." if given else f"{which} needs {name}=; {takes}."
        )


def _discrete(q: SimpleNamespace, dt: float, count: int) -> np.ndarray:
    if len(q.delays) != len(q.probabilities):
        raise ParameterError(
            f"There are {len(q.delays)} delays with {len(q.probabilities)} probabilities; give one for each delay."
        )
    if q.probabilities.min() < 0.0:
        raise ParameterError(
            f"The probabilities must be at least 0, got {q.probabilities.min():g}; leave out delays that do not occur."
        )
    total = q.probabilities.sum()
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise ParameterError(f"The probabilities must sum to 1, got {total:.9g}; divide them by it.")
    if q.delays.min() <= 0.0 or q.delays.min() < q.minimum:
        raise ParameterError(
            f"The delays must be greater than 0 and at least minimum={q.minimum:g} s, got {q.delays.min():g} s;"
            " a packet takes one tick or more, so give dt for the shortest."
        )
    if q.delays.max() > q.max_delay:
        raise ParameterError(_too_long("delays", q.delays.max(), q.max_delay))
    arrivals = np.ceil([ticks(delay, dt) for delay in q.delays]).astype(int)
    within = np.cumsum(np.bincount(arrivals, weights=q.probabilities, minlength=count + 1))[1:]
    # Sums of rounded numbers: exactly 1 from the longest delay on.
    within[arrivals.max() - 1 :] = 1.0
    return within


def _too_long(parameter: str, longest: float, max_delay: float) -> str:
    return (
        f"The delay of {longest:g} s in {parameter} is longer than max_delay={max_delay:g} s;"
        " declare max_delay= for the longest delay."
    )


def _uniform(q: SimpleNamespace, t: np.ndarray) -> np.ndarray:
    result: np.ndarray = np.clip((t - q.minimum) / (q.maximum - q.minimum), 0.0, 1.0)
    return result


def _exponential(q: SimpleNamespace, t: np.ndarray) -> np.ndarray:
    result: np.ndarray = -np.expm1(-np.maximum(t - q.minimum, 0.0) / (q.mean - q.minimum))
    return result


def _lognormal(q: SimpleNamespace, t: np.ndarray) -> np.ndarray:
    from scipy.special import ndtr

    excess = q.mean - q.minimum
    # ln(1 + r^2) for any ratio r, also one whose square is beyond the range of floats
    s2 = max(np.logaddexp(0.0, 2.0 * (np.log(q.deviation) - np.log(excess))), LEAST_VARIANCE)
    with np.errstate(divide="ignore"):  # ln 0 is -inf, and its probability 0
        z = (np.log(np.maximum(t - q.minimum, 0.0)) - np.log(excess) + 0.5 * s2) / np.sqrt(s2)
    result: np.ndarray = ndtr(z)
    return result


def _normal(q: SimpleNamespace, t: np.ndarray) -> np.ndarray:
    from scipy.special import ndtr

    with np.errstate(over="ignore"):  # many deviations away is infinitely many
        result: np.ndarray = ndtr((t - q.mean) / q.deviation)
    return result


CONTINUOUS: dict[str, Callable[[SimpleNamespace, np.ndarray], np.ndarray]] = {
    "uniform": _uniform, "exponential": _exponential, "lognormal": _lognormal, "normal": _normal,
}  # fmt: skip
