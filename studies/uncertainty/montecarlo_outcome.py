"""What the Monte-Carlo study says: tables, words and plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from hybsim.diagrams.eerc_chapter3 import SPECIMENS, G
from hybsim.diagrams.eerc_chapter8 import DAMPING_RATIO, DT, STIFFNESS, YIELD_DISP
from hybsim.studies.outcome import Outcome, Picture, Table
from hybsim.studies.uncertainty.instability import (
    COV,
    CYCLE_SHARES,
    DURATION,
    RELEASED,
    SHARES,
    VARIANCE,
    safe_share,
    scatter,
)
from hybsim.studies.uncertainty.montecarlo import (
    CASE,
    DRAW,
    INPUTS,
    LABORATORIES,
    LEVEL,
    MISCALIBRATION,
    STRAIN_ENERGY,
    TOLERANCE,
    MonteCarlo,
    Sample,
    detection,
)
from hybsim.studies.uncertainty.montecarlo_words import INTRODUCTION, NOTES, PICTURES

LEVELS = (LEVEL, -0.05)


def outcome(found: MonteCarlo) -> Outcome:
    """The study in the form in which every study gives what it found."""
    return Outcome(
        title=f"Lag, noise and miscalibration at once: {found.runs} runs of EERC Case {CASE.number}",
        introduction=INTRODUCTION,
        conclusions=conclusions(found),
        tables=tables(found),
        pictures=[Picture(name, title, text, partial(draw, found)) for name, title, text, draw in PICTURES],
        notes=NOTES,
        data={
            "indices": list(_indices(found)), "detection": _detections(found), "tests": list(_tests(found)),
            "alone": [asdict(row) for row in found.alone], "instability": list(_instability(found)),
        },
        summary=summary(found),
    )  # fmt: skip


def conclusions(found: MonteCarlo) -> list[str]:
    """Sentences about the numbers of this run."""
    as_it_is, compensated = ([found.sample(lab, s) for s in SPECIMENS] for lab in LABORATORIES)
    rows = {(row["laboratory"], row["specimen"], row["level"]): row for row in _detections(found)}
    first, second = LABORATORIES
    at = {s: rows[first, s, LEVEL] for s in SPECIMENS}
    weaker = {s: rows[first, s, LEVELS[1]] for s in SPECIMENS}
    rest = {s: rows[second, s, LEVEL] for s in SPECIMENS}
    linear, plastic = SPECIMENS
    alone = {(row.specimen, row.error): row for row in found.alone}
    blind = [row for row in found.alone if row.error in (*MISCALIBRATION, "noise")]
    shares = {s.specimen: min(1.0, s.indices["eps_max"].total["lag"]) for s in as_it_is}
    by_calibration = {s.specimen: _by(s, MISCALIBRATION) for s in compensated}
    gain = INPUTS["force_gain"]
    half = int(np.argmin(np.abs(SHARES - 0.5)))
    curve = found.instability[0]
    low, high = curve.band
    return [
        f"Measure and compensate the lag first. As it is (0 to 10 ms), it makes {100 * shares[linear]:.0f} % of the"
        f" variance of the error with a linear specimen and {100 * shares[plastic]:.0f} % with a yielding one, and"
        f" {_percent(at[linear]['wrong'])} and {_percent(at[plastic]['wrong'])} of the tests go wrong. Compensated to"
        f" within 1 ms, {_percent(rest[linear]['wrong'])} and {_percent(rest[plastic]['wrong'])} do.",
        "Then calibrate. With a compensated lag, gain and offset errors of load cell and transducer make at least"
        f" {100 * by_calibration[linear]:.0f} and {100 * by_calibration[plastic]:.0f} % of the variance. A gain error"
        f" of {100 * gain.alone:g} % in the force, or in the displacement, is an error of"
        f" {_percent(alone[linear, 'force_gain'].eps_max)} of a linear response,"
        f" {alone[linear, 'force_gain'].eps_max / gain.alone:.0f} times as much, for it shifts the frequency of a"
        " structure with little damping. Calibrate to well below 1 %, and zero the load cell before every test with a"
        f" yielding specimen, where an offset of {INPUTS['force_offset'].alone:g} kip (1 % of the yield force) alone"
        f" makes {_percent(alone[plastic, 'force_offset'].eps_max)}.",
        "HSEI_I does not see a wrong calibration. "
        + (
            "Noise, gain and offset errors alone leave it at zero"
            if max(abs(row.hsei_i) for row in blind) < 1e-12
            else f"Noise, gain and offset errors alone leave it below {max(abs(row.hsei_i) for row in blind):.1e}"
        )
        + f" with errors of up to {_percent(max(row.eps_max for row in blind))}; with a compensated lag an alarm at"
        f" {LEVEL:g} misses {_both(rest[linear]['missed'], rest[plastic]['missed'])} of the tests that went wrong. A"
        " quiet indicator says that the lag is small, and nothing else. Against the rest there are a second transducer"
        " on the specimen, whose reading is compared with the controller's, and a check of the load cell against a"
        " reference before the test.",
        f"Does it warn in time? With the lag as it is, an alarm at {LEVEL:g} sounds before the error exceeds 10 % in"
        f" {_percent(at[linear]['in_time'])} of the linear tests that go wrong and in"
        f" {_percent(at[plastic]['in_time'])} of the yielding ones. In {_percent(at[linear]['late'])} and"
        f" {_percent(at[plastic]['late'])} it sounds later, when the error has come to"
        f" {_percent(at[linear]['unwarned_50'])} and {_percent(at[plastic]['unwarned_50'])} (median; above"
        f" {_percent(at[linear]['unwarned_95'])} and {_percent(at[plastic]['unwarned_95'])} in the worst twentieth),"
        f" and {_percent(at[linear]['missed'])} and {_percent(at[plastic]['missed'])} are missed. At {LEVELS[1]:g} it"
        f" is in time in {_percent(weaker[linear]['in_time'])} and {_percent(weaker[plastic]['in_time'])}, at the"
        f" price of an alarm in {_percent(weaker[linear]['needless'])} and {_percent(weaker[plastic]['needless'])} of"
        f" the good tests. Take the weaker level where a specimen is to be saved, {LEVEL:g} to judge a finished test.",
        f"Stay far below the critical lag. With the scatter assumed here (period {100 * COV['period']:g} %, damping"
        f" {100 * COV['damping_ratio']:g} %, lag {100 * COV['lag']:g} %) a test at half of the critical lag zeta T /"
        f" pi is unstable with a probability of {_percent(curve.share[half])} (simulated, 95 % band"
        f" {_percent(low[half])} to {_percent(high[half])}; closed form {_percent(curve.theory[half])}). For 1 % the"
        f" lag may be {safe_share(0.01):.2f} of the critical lag, for 0.1 % {safe_share(0.001):.2f}. The damping, the"
        f" least known of the three, makes {_percent(np.log1p(COV['damping_ratio'] ** 2) / scatter() ** 2)} of this"
        " uncertainty: measure it. Scatter of the lag from tick to tick, which the simulations have and the closed"
        " form has not, does not matter for stability.",
        "A yielding specimen hides an instability instead of preventing it. Above the critical lag it swings up from"
        f" any disturbance until it yields in every cycle ({found.cycles[0].ductility[-1]:.2f} times its yield"
        f" displacement at {CYCLE_SHARES[-1]:g} times the critical lag), without any earthquake. Check stability with"
        " the initial stiffness before the test.",
    ]


def tables(found: MonteCarlo) -> list[Table]:
    return [
        *(_index_table(found, laboratory) for laboratory in LABORATORIES),
        Table(
            f"An alarm on HSEI_I: {found.samples[0].tests} independent tests each",
            ("lag, specimen, level", "went\nwrong [%]", "in time\n[%]", "late\n[%]", "missed\n[%]", "needless\n[%]",
             "error if\nlate, med.", "\n95 % [%]"),
            [
                (f"{row['laboratory']}, {row['specimen']}, {row['level']:g}", *(_cell(row[name]) for name in DETECTED))
                for row in _detections(found)
            ],
            "How many tests went wrong, and what an alarm at two levels says of them.",
        ),
        Table(
            "Each error by itself",
            ("error", "size", "eps_max\nlinear [%]", "\nel.-pl. [%]", "HSEI_I\nlinear", "\nel.-pl.", "second\nel.-pl."),
            [_alone(found, name) for name in INPUTS],
            "'second' is HSEI_I from a second transducer on the specimen.",
        ),
        Table(
            "Unstable tests",
            ("lag / critical", *(f"T = {c.period:g} s\n[%]" for c in found.instability), "closed\nform [%]"),
            [
                (f"{share:.1f}", *(f"{100 * c.share[i]:.1f}" for c in found.instability),
                 f"{100 * found.instability[0].theory[i]:.2f}")
                for i, share in enumerate(SHARES)
            ],
            f"{found.instability[0].tests} simulated tests for each number.",
        ),
    ]  # fmt: skip


DETECTED = ("wrong", "in_time", "late", "missed", "needless", "unwarned_50", "unwarned_95")


def _index_table(found: MonteCarlo, laboratory: str) -> Table:
    low, high = LABORATORIES[laboratory]
    samples = [found.sample(laboratory, specimen) for specimen in SPECIMENS]
    rows = []
    for name in (*INPUTS, DRAW):
        prose = INPUTS[name].prose if name in INPUTS else "draw of the random numbers"
        cells = [
            f"{round(which[name], 2) + 0.0:.2f}"  # a small negative number is not -0.00
            for measure in ("eps_max", "hsei_i")
            for s in samples
            for which in (s.indices[measure].first, s.indices[measure].total)
        ]
        rows.append((prose, *cells))
    return Table(
        f"Sobol indices, lag {laboratory} ({low:g} to {high:g} ms)",
        ("input", "eps_max\nlin. first", "\ntotal", "\nel.-pl. first", "\ntotal", "HSEI_I\nlin. first", "\ntotal",
         "\nel.-pl. first", "\ntotal"),
        rows,
        "Which input makes the error of the response vary, and which makes the indicator vary.",
    )  # fmt: skip


def _alone(found: MonteCarlo, name: str) -> tuple[str, ...]:
    given, (linear, plastic) = INPUTS[name], (row for row in found.alone if row.error == name)
    return (
        given.prose, f"{given.alone:g} {given.unit}", f"{100 * linear.eps_max:.1f}", f"{100 * plastic.eps_max:.1f}",
        *(f"{round(value, 4) + 0.0:.4f}" for value in (linear.hsei_i, plastic.hsei_i, plastic.second)),
    )  # fmt: skip


def _detections(found: MonteCarlo) -> list[dict[str, Any]]:
    rows = []
    for sample in found.samples:
        values = sample.independent
        wrong = values["eps_max"] > TOLERANCE
        for level in LEVELS:
            shares = {name: float(v[0]) for name, v in asdict(detection(values, np.array([level]))).items()}
            late = wrong & (values["worst"] < level) & (values["heard"] >= level)
            passed = values["unwarned"][late] if level == LEVEL else np.array([])
            quantiles = np.quantile(passed, [0.5, 0.95]).tolist() if passed.size else [None, None]
            rows.append({
                "laboratory": sample.laboratory, "specimen": sample.specimen, "level": level, "tests": sample.tests,
                "wrong": float(np.mean(wrong)), **shares, "unwarned_50": quantiles[0], "unwarned_95": quantiles[1],
            })  # fmt: skip
    return rows


def _by(sample: Sample, names: Iterable[str]) -> float:
    """The least share of the variance that some inputs make, by themselves and together: what no other takes part"
    " in."""
    total = sample.indices["eps_max"].total
    return 1.0 - sum(index for name, index in total.items() if name not in names)


def _percent(share: float | None) -> str:
    if share is None or not np.isfinite(share):
        return "no share"
    return f"{100 * share:.0f} %" if 0.095 <= share <= 0.995 or share in (0.0, 1.0) else f"{100 * share:.1f} %"


def _both(linear: float, plastic: float) -> str:
    return "all" if linear == plastic == 1.0 else f"{_percent(linear)} and {_percent(plastic)}"


def _cell(share: float | None) -> str:
    return "-" if share is None or not np.isfinite(share) else f"{100 * share:.1f}"


def _indices(found: MonteCarlo) -> Iterable[dict[str, Any]]:
    for sample in found.samples:
        for measure, indices in sample.indices.items():
            for row in indices.rows():
                yield {"laboratory": sample.laboratory, "specimen": sample.specimen, "measure": measure, **row}


def _tests(found: MonteCarlo) -> Iterable[dict[str, Any]]:
    for sample in found.samples:
        for i, point in enumerate(sample.points[: sample.tests]):
            yield {
                "laboratory": sample.laboratory, "specimen": sample.specimen, **point,
                **{name: float(values[i]) for name, values in sample.values.items()},
                "eps_max_lag_alone": float(sample.lag_alone["eps_max"][i]),
            }  # fmt: skip


def _instability(found: MonteCarlo) -> Iterable[dict[str, Any]]:
    for curve in found.instability:
        low, high = curve.band
        for i, lag in enumerate(curve.lags_ms.tolist()):
            yield {
                "period_s": curve.period, "damping_ratio": curve.damping_ratio,
                "critical_lag_ms": curve.critical_lag_ms, "median_lag_ms": lag, "tests": curve.tests,
                "unstable": int(curve.unstable[i]), "share": float(curve.share[i]), "low": float(low[i]),
                "high": float(high[i]), "closed_form": float(curve.theory[i]),
            }  # fmt: skip


def summary(found: MonteCarlo) -> dict[str, Any]:
    """Rows and everything that is needed to compute them again."""
    return {
        "study": "montecarlo",
        "engine": found.manifest["engine"],
        "seed": found.seed,
        "base_samples": found.base,
        "runs": found.runs,
        "dt_s": DT,
        "duration": "the length of the record",
        "record": found.manifest["blocks"]["record"],
        "g_in_s2": G,
        "structure": {
            "case": CASE.number, "period_s": CASE.period, "mass_kip_s2_in": float(CASE.mass[0, 0]),
            "stiffness_kip_in": STIFFNESS, "yield_disp_in": YIELD_DISP, "strain_energy_kip_in": STRAIN_ENERGY,
            "damping_ratio": DAMPING_RATIO, "damping": "viscous, c = 2 zeta sqrt(k m)", "integrator": "NEWMARK",
            "amplitude": dict(CASE.scale),
        },
        "inputs": {
            name: {"prose": i.prose, "unit": i.unit, "distribution": i.text, "alone": i.alone}
            for name, i in INPUTS.items()
        },
        "lag_ms": {name: list(bounds) for name, bounds in LABORATORIES.items()},
        "delay": "mean of eta in u_i - eta (u_i - u_{i-1}), times dt (by construction)",
        "tolerance_eps_max": TOLERANCE,
        "level_hsei_i": LEVEL,
        "instability": {
            "coefficients_of_variation": COV, "lag_variance_ticks2": VARIANCE, "released_in": RELEASED,
            "duration_s": DURATION, "unstable": "larger in the last third of a free vibration than in the second",
            "rows": list(_instability(found)),
        },
        "rows": list(_indices(found)),
        "detection": _detections(found),
        "alone": [asdict(row) for row in found.alone],
        "manifest": found.manifest,
    }  # fmt: skip
