"""What the sensitivity study says: tables, words and plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from hybsim.diagrams.eerc_chapter3 import SPECIMENS, G
from hybsim.studies.outcome import Outcome, Picture, Table
from hybsim.studies.uncertainty.sensitivity import (
    ALARM_MS,
    DAMPING_RATIOS,
    DT,
    DUCTILITY,
    LEVEL,
    LINEAR_PEAK,
    PERIODS,
    RANDOM_DAMPING,
    RANDOM_SEEDS,
    RANDOM_VARIANCE,
    RECORDS,
    STIFFNESS,
    TOLERANCE,
    YIELD_DISP,
    Curve,
    Sensitivity,
)
from hybsim.studies.uncertainty.sensitivity_words import INTRODUCTION, NOTES, PICTURES

BANDS = ((0.2, 0.4), (0.4, 0.8), (0.8, 2.0))
"""Periods in s."""

WEAKER = (-0.05, -0.02)
"""Other levels at which an alarm is tried."""

SHORT = 0.4
"""Period in s below which the random part of the lag matters."""


def outcome(found: Sensitivity) -> Outcome:
    """The study in the form in which every study gives what it found."""
    return Outcome(
        title=f"Thresholds of the energy indicators: {len(found.curves)} structures, {found.runs} runs",
        introduction=INTRODUCTION,
        conclusions=conclusions(found),
        tables=tables(found),
        pictures=[Picture(name, title, text, partial(draw, found)) for name, title, text, draw in PICTURES],
        notes=NOTES,
        data={"thresholds": [c.row() for c in found.curves], "runs": list(_runs(found))},
        summary=summary(found),
    )


def conclusions(found: Sensitivity) -> list[str]:
    """Sentences about the numbers of this map."""
    linear, plastic = ([c for c in found.curves if c.structure.specimen == s] for s in SPECIMENS)
    low, high = _hsei_i(linear), _hsei_i(plastic)
    x, x_plastic = _shares(linear), _shares(plastic)
    worst = min(linear, key=lambda c: c.threshold.lag_ms if c.threshold else np.inf)
    assert worst.threshold is not None
    spread, spread_s = (
        np.quantile(v, 0.05) / np.quantile(v, 0.95) for v in (_hsei_i(found.curves), _hsei_s(found.curves))
    )
    too_late = ", ".join(
        f"{_count(_hsei_i([c for c in plastic if _within(c, *band)]) > LEVEL)} with periods of {band[0]:g} to"
        f" {band[1]:g} s"
        for band in BANDS
    )
    late = np.mean(_unwarned(found.curves) > TOLERANCE)
    short, other, blind = _random_spread(found)
    return [
        f"After a test with a linear specimen, {LEVEL:g} is a {'safe' if (low <= LEVEL).all() else 'mostly safe'}"
        f" threshold: an error of 10 % comes with an HSEI_I of {low.max():.3f} to {low.min():.3f} (median"
        f" {np.median(low):.3f}), beyond {LEVEL:g} for {_count(low <= LEVEL)} structures, whatever period, damping and"
        f" record. It is early rather than late, by a factor of {np.median(low) / LEVEL:.1f} in the middle.",
        f"After a test with a yielding specimen it is not: {_count(high > LEVEL)} structures have an error above 10 %"
        f" before HSEI_I reaches {LEVEL:g} ({too_late}). Thresholds run from {high.max():.3f} to {high.min():.3f}"
        f" (median {np.median(high):.3f}) with little order in period and damping, so that no formula replaces a"
        f" simulation of the specimen at hand; without one, take {np.quantile(high, 0.95):.2f}, which is safe for 95 %"
        " of these.",
        f"For linear specimens the lag itself is the simplest limit. An error of 10 % needs between {x.min():.2f} and"
        f" {x.max():.2f} of the critical lag zeta T / pi (median {np.median(x):.2f}): below {x.min():.2f} of it no"
        f" structure has such an error. In milliseconds this is little at short periods: {worst.threshold.lag_ms:.2f}"
        f" ms at T = {worst.structure.period:g} s and {100 * worst.structure.damping_ratio:g} % damping, but"
        f" {_lag_at(found, PERIODS[-1], 0.05):.1f} ms at T = {PERIODS[-1]:g} s and 5 % damping. Yielding specimens"
        f" bear {np.median(x_plastic):.2f} in the middle, but some only {x_plastic.min():.2f}.",
        f"An alarm during the test is another matter than a verdict after it. Set to {LEVEL:g}, it sounds after the"
        f" error has passed 10 % in {100 * late:.0f} % of the structures at some lag up to {ALARM_MS:g} ms, and lets"
        f" an error of up to {100 * _unwarned(found.curves).max():.0f} % pass: the indicator adds up from zero, while"
        " a large lag spoils the first cycles, most of all at short periods. "
        + " ".join(
            f"At {level:g} it warns in time in {100 * _in_time(found.curves, level):.0f} % of the tests that go wrong,"
            f" and sounds in {100 * _needless(found.curves, level):.0f} % of those that do not."
            for level in (LEVEL, *WEAKER)
        )
        + " A monitor that is to save a specimen must be set that low, will often sound without need, and does not"
        " replace a check of the lag before the test.",
        "Use HSEI_I and not HSEI_S. From the 5 % to the 95 % quantile of all structures the threshold of HSEI_I"
        f" changes by a factor of {spread:.1f}, that of HSEI_S by {spread_s:.0f}: it grows with the length and the"
        " strength of the motion.",
        f"The indicator sees the mean of the lag, not its scatter. With a variance of {RANDOM_VARIANCE:g} (as in EERC"
        f" Ch. 8, a standard deviation of {1000 * DT * RANDOM_VARIANCE**0.5:.1f} ms from tick to tick) the threshold"
        f" of a structure scatters by {other:.3f} (standard deviation over seeds, median) at periods above {SHORT:g}"
        f" s, and by {short:.3f} below. There {100 * blind:.0f} % of the tests reach an error of 10 % with an HSEI_I"
        f" weaker than {0.5 * LEVEL:g}: the random part is the error, and HSEI_I does not show it.",
        "All of this is for one degree of freedom, two records and a specimen that carries all stiffness. Derive your"
        " own threshold with `hybsim study threshold` where your test is another.",
    ]


def tables(found: Sensitivity) -> list[Table]:
    headings = (
        "threshold\nweakest", "HSEI_I\nmedian", "\nstrongest", "too\nlate", "lag / crit.\nsmallest", "\nmedian",
        "HSEI_S\nweakest", "\nstrongest", "unwarned\nmost [%]",
    )  # fmt: skip
    by_damping = [
        (f"{RECORDS[record]}, {100 * zeta:g} %", found.of(specimen=specimen, record=record, damping_ratio=zeta))
        for specimen in SPECIMENS
        for record in RECORDS
        for zeta in DAMPING_RATIOS
    ]
    half = len(by_damping) // 2
    bands = [
        (f"{short}, {low:g} to {high:g} s", [c for c in found.of(specimen=specimen) if _within(c, low, high)])
        for specimen, short in zip(SPECIMENS, ("linear", "el.-pl."), strict=True)
        for low, high in BANDS
    ]
    return [
        Table(
            "Linear specimens, by record and damping", ("record, damping", *headings), _lines(by_damping[:half]), EACH
        ),
        Table(
            "Elastic-plastic specimens, by record and damping", ("record, damping", *headings),
            _lines(by_damping[half:]), EACH,
        ),
        Table(
            "By period, both records, all damping ratios", ("specimen, periods", *headings), _lines(bands),
            "The same numbers for short, middle and long periods.",
        ),
    ]  # fmt: skip


EACH = f"Each line stands for {len(PERIODS)} periods; see the notes for the columns."


def _lines(groups: Iterable[tuple[str, Sequence[Curve]]]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for name, curves in groups:
        i, s, x = _hsei_i(curves), _hsei_s(curves), _shares(curves)
        rows.append((
            name, _text(np.max, i, 3), _text(np.median, i, 3), _text(np.min, i, 3), f"{np.sum(i > LEVEL)}/{len(i)}",
            _text(np.min, x, 2), _text(np.median, x, 2), _text(np.max, s, 2), _text(np.min, s, 2),
            f"{100 * _unwarned(curves).max():.0f}",
        ))  # fmt: skip
    return rows


def _text(function: Callable[[np.ndarray], Any], values: np.ndarray, digits: int) -> str:
    return f"{function(values):.{digits}f}" if values.size else "-"


def _hsei_i(curves: Iterable[Curve]) -> np.ndarray:
    return np.array([c.threshold.hsei_i for c in curves if c.threshold])


def _hsei_s(curves: Iterable[Curve]) -> np.ndarray:
    return np.array([c.threshold.hsei_s for c in curves if c.threshold])


def _shares(curves: Iterable[Curve]) -> np.ndarray:
    return np.array([c.threshold.lag_ms / c.structure.critical_lag_ms for c in curves if c.threshold])


def _unwarned(curves: Iterable[Curve]) -> np.ndarray:
    return np.array([c.most_unwarned for c in curves])


def _in_time(curves: Iterable[Curve], level: float) -> float:
    """The share of the tests with an error above the tolerance in which an alarm at the level sounds before it."""
    heard = np.concatenate([c.heard[c.went_wrong] for c in curves])
    return float(np.mean(heard < level))


def _needless(curves: Iterable[Curve], level: float) -> float:
    """The share of the tests with a lag of up to 10 ms and an error within the tolerance in which the alarm sounds."""
    heard = np.concatenate([c.heard[c.went_well] for c in curves])
    return float(np.mean(heard < level))


def _spread(values: np.ndarray) -> float:
    low, high = np.quantile(values, [0.05, 0.95])
    return float(low / high)


def _within(curve: Curve, low: float, high: float) -> bool:
    return low <= curve.structure.period < high or (curve.structure.period == high == PERIODS[-1])


def _count(which: np.ndarray) -> str:
    return f"all {which.size}" if which.all() else f"{np.sum(which)} of {which.size}"


def _lag_at(found: Sensitivity, period: float, zeta: float) -> float:
    """The smallest lag of a linear specimen with an error of 10 %, over the records."""
    curves = found.of(specimen=SPECIMENS[0], period=period, damping_ratio=zeta)
    return min(c.threshold.lag_ms for c in curves if c.threshold)


def _random_spread(found: Sensitivity) -> tuple[float, float, float]:
    """Standard deviation over seeds below and above SHORT; share of short-period tests with almost no indicator."""
    by_structure = zip(*found.random, strict=True)
    short, other, blind = [], [], []
    for curves in by_structure:
        values = _hsei_i(curves)
        if values.size < 2:
            continue
        if curves[0].structure.period < SHORT:
            short.append(values.std(ddof=1))
            blind += (values > 0.5 * LEVEL).tolist()
        else:
            other.append(values.std(ddof=1))
    return float(np.median(short)), float(np.median(other)), float(np.mean(blind))


def _runs(found: Sensitivity) -> Iterable[dict[str, Any]]:
    for curve in found.curves:
        s = curve.structure
        for k, lag in enumerate(curve.lags_ms.tolist()):
            yield {
                "specimen": s.specimen, "record": s.record, "period_s": s.period, "damping_ratio": s.damping_ratio,
                "amplitude": s.amplitude, "lag_ms": lag, "eps_max": float(curve.eps_max[k]),
                "hsei_i": float(curve.hsei_i[k]), "hsei_s": float(curve.hsei_s[k]),
                "hsei_i_heard": float(curve.heard[k]), "unwarned_error": float(curve.unwarned[k]),
            }  # fmt: skip


def summary(found: Sensitivity) -> dict[str, Any]:
    """Rows and everything that is needed to compute them again."""
    lags = found.curves[0].lags_ms
    return {
        "study": "sensitivity",
        "engine": found.manifest["engine"],
        "seed": found.seed,
        "runs": found.runs,
        "dt_s": DT,
        "duration": "the length of the record",
        "records": found.records,
        "g_in_s2": G,
        "structure": {
            "stiffness_kip_in": STIFFNESS, "yield_disp_in": YIELD_DISP,
            "strain_energy_kip_in": 0.5 * STIFFNESS * YIELD_DISP**2,
            "mass": "k (T / 2 pi)^2", "damping": "viscous, c = 2 zeta sqrt(k m)", "integrator": "NEWMARK",
            "periods_s": list(PERIODS), "damping_ratios": list(DAMPING_RATIOS),
        },
        "amplitude": {
            "linear": f"peak of {LINEAR_PEAK:g} u_y without lag",
            "elastic-plastic": f"the smallest with a ductility of {DUCTILITY:g} without lag, by interpolation",
        },
        "lag": {
            "model": "u_i - eta (u_i - u_{i-1}), lag = eta dt (the delay by construction)", "lags_ms": lags.tolist(),
            "random_part": {
                "variance": RANDOM_VARIANCE, "seeds": RANDOM_SEEDS, "damping_ratio": RANDOM_DAMPING,
                "lags_ms": found.random[0][0].lags_ms.tolist(),
            },
        },
        "tolerance_eps_max": TOLERANCE,
        "level_hsei_i": LEVEL,
        "units": {"lag_ms": "ms", "critical_lag_ms": "ms", "period_s": "s", "amplitude": "factor on the record"},
        "rows": [c.row() for c in found.curves],
        "manifest": found.manifest,
    }  # fmt: skip
