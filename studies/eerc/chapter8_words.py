"""The words of the study of EERC Chapter 8: what is asked, how to read each figure, what to conclude."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from hybsim.diagrams.eerc_chapter8 import DAMPING_RATIO, DT, YIELD_DISP, Case
from hybsim.studies.eerc.chapter8_runs import BOUND, ERRORS, MEANS, Found, critical_lag_ms

MODEL_NAMES = {"linear": "linear", "elastoplastic": "elastic-plastic"}

TABLE_8_11 = {
    "linear": (0.0, 1.0, 2.0, 2.9, 3.9, 4.9, 5.9, 6.9, 7.9, 8.9, 9.9),
    "elastoplastic": (0.0, 1.0, 2.0, 2.9, 3.9, 4.9, 5.8, 6.8, 7.8, 8.7, 9.7),
}
"""Effective delays of Case 1 in ms."""

DEFINITIONS = {
    "hsei_s": "E_error / E_strain at the end of the record (Eq. 8.1); E_strain = 1/2 k u_y^2 for each storey (8.2)",
    "hsei_i": "E_error / (E_strain + E_input) at the end of the record (Eq. 8.6)",
    "e_error": "E^E - E^BE, negative where energy is added (Eq. 7.20 with the sign for which Eq. 7.8 closes)",
    "eps_max": "max |u_exact - u| / max |u_exact| (Eq. 8.7), u displacement of the structure, of the roof in Case 5",
    "eps_rms": "rms(u_exact - u) / max |u_exact| over the record (Eq. 8.8)",
    "eps_enr": "|E_input,exact - E_input| / E_input,exact at the end of the record (Eq. 8.9)",
    "delay_ms": "least squares: sum (u^c_i - u^a_i)(u^c_i - u^c_{i-1}) / sum (u^c_i - u^c_{i-1})^2 x dt, u^c command,"
    " u^a applied; the mean of both actuators in Case 5",
    "stable": "linear: spectral radius of the amplification matrix at the mean lag <= 1; elastic-plastic: the run"
    f" ends and its peak is at most {BOUND:g} times the exact peak",
    "critical_lag_ms": "smallest mean lag at which that spectral radius passes 1 (none up to 10 ticks: null)",
    "critical_lag_mean_square_ms": "the same for the mean square of the response, with the variance of the lag",
    "lag": "u_applied_i = u_i - eta_i (u_i - u_{i-1}), eta normal, independent from tick to tick and actuator to"
    " actuator",
}

CASE_TABLE = (
    "Values at the end of the record. Delay: estimated from command and applied displacement. Unstable runs keep their"
    " numbers, which say only how far they got."
)
OVERVIEW_TABLE = "Critical lag: mean lag from which on the linear test is unstable, from the amplification matrix."
COMPARISON_TABLE = "EERC's numbers are from its text, Table 8-11 and the axes it names; its figures are not at hand."
ZOOM_TITLE = "Case 5 in the range of practical interest"

READING = (
    "Points joined by lines: the runs with the seed of the study, one for each lag; full for linear, open for"
    " elastic-plastic specimens. Crosses of bars: mean and standard deviation over all seeds."
)


def introduction(variance: float) -> list[str]:
    return [
        "The error of a hybrid simulation is not known during a test, as the exact response is not. What is known is"
        " the energy that the errors of the actuators add: commands, measured displacements and measured forces are at"
        " hand. EERC Chapter 8 makes two indicators of it: HSEI_S relates this energy to the strain energy at"
        " yielding, HSEI_I to strain and input energy. Both are negative when energy is added.",
        "What do they say about the error of the response? Five pairs of a structure and a record are computed with"
        f" actuators that lag their command by 0 to 10 ms, at random with a variance of {variance:g} ticks squared,"
        " and compared with the run without errors: eps_max, eps_rms (displacement) and eps_enr (input energy).",
        "A lag is negative damping. When it has used up the damping of a mode, that mode grows without end: the"
        " amplification matrix of the time step says at which lag.",
    ]


def history_title(case: Case, mean: float) -> str:
    return f"Case {case.number}: error and indicators over time, lag of {1000.0 * DT * mean:g} ms"


def history(pair: Sequence[Found], mean: float) -> str:
    at = MEANS.index(mean)
    text = (
        "Error of the displacement against the exact run, HSEI_S and HSEI_I. The indicators fall fastest where the"
        " error grows fastest: energy is added in proportion to the square of the velocity."
    )
    for found in pair:
        name = MODEL_NAMES[found.model]
        if found.stable[at]:
            text += f" At the end HSEI_I is {found.first('hsei_i')[at]:.3f} ({name})."
        else:
            text += f" The {name} run is unstable and drawn only as long as it is near the exact one."
    return text


def lags_title(case: Case) -> str:
    return f"Case {case.number}: measures and indicators against the lag"


def lags(pair: Sequence[Found]) -> str:
    text = f"(a) Performance measures, (b) HSEI_S, (c) HSEI_I, at the end of the record. {READING}"
    critical = critical_lag_ms(pair[0].case)
    if critical is not None and critical < 1000.0 * DT * MEANS[-1]:
        text += (
            f" Grey: lags above {critical:.2f} ms, at which the linear test is unstable; its runs there are not drawn."
        )
    return text


def measures_title(case: Case) -> str:
    return f"Case {case.number}, {case.prose}: measures against the indicators"


def measures(pair: Sequence[Found]) -> str:
    text = f"Performance measures against (a) HSEI_I and (b) HSEI_S. {READING}"
    for found in pair:
        if not found.stable.all():
            text += (
                f" {np.sum(~found.stable)} {MODEL_NAMES[found.model]} runs are unstable: their values have no place in"
                " the figure."
            )
    return text


def zoom(pair: Sequence[Found]) -> str:
    at = [f"{hsei_at(found, 0.1):.3f} ({MODEL_NAMES[found.model]})" for found in pair]
    return (
        f"HSEI_I between -1 and 0.1, measures below 0.2. {READING} With this seed eps_max passes 10 % at an HSEI_I of"
        f" {' and '.join(at)}; EERC reads -0.1 for both. The study `threshold` derives it with its spread."
    )


def hsei_at(found: Found, tolerance: float) -> float:
    """HSEI_I at the lag at which eps_max first passes the tolerance, with the seed of the study."""
    return at_crossing(found.first("eps_max"), found.first("hsei_i"), tolerance)


def at_crossing(error: np.ndarray, values: np.ndarray, tolerance: float) -> float:
    """The value where the error first passes the tolerance, on a straight line between two lags; nan if nowhere."""
    above = np.flatnonzero(error > tolerance)
    if above.size == 0 or above[0] == 0:
        return math.nan
    i = above[0]
    return float(np.interp(tolerance, error[i - 1 : i + 1], values[i - 1 : i + 1]))


def notes(found: Sequence[Found]) -> list[str]:
    repeats = found[0].seeds
    sentences = [
        "HSEI_S, HSEI_I and eps_enr are values at the end of the record, eps_max and eps_rms of the whole record. The"
        " exact run has neither lag nor variance.",
        f"Delay: {DEFINITIONS['delay_ms']}.",
        f"Stable: {DEFINITIONS['stable']}.",
    ]
    if repeats > 1:
        sentences.append(random_limit(found))
        sentences.append(f"Every run was repeated with {repeats} seeds; all means and deviations are in repeats.csv.")
    else:
        sentences.append("The lag is not random, so there are no repeats.")
    for one in found:
        early = [f"{1000.0 * DT * row['mean']:g}" for row in one.rows() if not row["finished"]]
        if early:
            sentences.append(
                f"Case {one.case.number}, {MODEL_NAMES[one.model]}: at {', '.join(early)} ms the run left the range of"
                " numbers and ended early; it has no values."
            )
    return sentences


def compared(pairs: Sequence[Sequence[Found]]) -> Iterator[tuple[str, str, str]]:
    """What EERC says, and what is found here."""
    for linear, plastic in pairs:
        case = f"Case {linear.case.number}"
        where = "roof" if linear.case.storeys > 1 else "peak"
        yield f"{case}: {where}, linear [u_y]", "just under 1", f"{linear.exact_peak / YIELD_DISP:.2f}"
        yield f"{case}: {where}, elastic-plastic [u_y]", "4", f"{plastic.exact_peak / YIELD_DISP:.2f}"
        if linear.case.number == 1:
            for found, hsei in ((linear, "-0.9"), (plastic, "-0.3")):
                name, printed = MODEL_NAMES[found.model], TABLE_8_11[found.model]
                yield f"{case}: delay at mean 1.0, {name} [ms]", f"{printed[-1]}", spread_of(found, "delay_ms", -1, 2)
                away = np.max(np.abs(found.mean["delay_ms"] - printed))
                yield f"{case}: largest difference to Table 8-11, {name} [ms]", "", f"{away:.2f}"
                yield f"{case}: HSEI_I at 10 ms, {name}", hsei, spread_of(found, "hsei_i", -1, 3)
            yield (
                f"{case}: eps_rms, elastic-plastic over linear, at HSEI_I = -0.2",
                "1",
                f"{rms_ratio(linear, plastic):.2f}",
            )
        critical = critical_lag_ms(linear.case)
        if linear.case.number >= 3 and critical is not None:
            yield f"{case}: linear test unstable above [ms]", "5", f"{critical:.2f}"
        if linear.case.number == 5:
            late = plastic.first("eps_enr")[5:]
            yield f"{case}: eps_enr, elastic-plastic, 5 to 10 ms", "0.1", f"{late.min():.2f} to {late.max():.2f}"
            for found in (linear, plastic):
                yield (
                    f"{case}: HSEI_I where eps_max is 10 %, {MODEL_NAMES[found.model]}",
                    "-0.1",
                    f"{hsei_at(found, 0.1):.3f}",
                )


def spread_of(found: Found, name: str, at: int, digits: int) -> str:
    """Mean and standard deviation over the seeds, of which there may be one only."""
    mean, std = found.mean[name][at], found.std[name][at]
    return f"{mean:.{digits}f}" if math.isnan(std) else f"{mean:.{digits}f} +/- {std:.{digits}f}"


def rms_ratio(linear: Found, plastic: Found, hsei: float = -0.2) -> float:
    """eps_rms of the elastic-plastic over that of the linear runs at equal HSEI_I."""
    values = [np.interp(-hsei, -one.mean["hsei_i"], one.mean["eps_rms"]) for one in (linear, plastic)]
    return float(values[1] / values[0])


def random_limit(found: Sequence[Found]) -> str:
    """By how much the random part of the lag lowers the critical lags."""
    limits = [(critical_lag_ms(one.case), one.mean_square_lag_ms) for one in found if one.linear]
    lower = max(1.0 - random / mean for mean, random in limits if mean is not None and random is not None)
    return (
        "Critical lags are for the mean of the lag. The mean square of the response to random lags of this variance"
        f" grows from a mean that is lower by at most {100.0 * lower:.3g} %."
    )


def conclusions(pairs: Sequence[Sequence[Found]]) -> list[str]:
    limits = {one[0].case.number: critical_lag_ms(one[0].case) for one in pairs}
    told = "; ".join(f"Case {number} {limit:.2f} ms" for number, limit in limits.items() if limit is not None)
    sentences = [
        f"The lag that a linear test bears is the damping ratio times the shortest period, over pi: {told} with"
        f" {100.0 * DAMPING_RATIO:g} % damping. Compute it before the test, and keep the lag well below: it is the"
        " highest mode that goes first, however little it matters for the response.",
    ]
    unstable = [f"Case {one[0].case.number}" for one in pairs if not one[0].stable.all()]
    if unstable:
        sentences.append(
            f"Linear runs beyond it ({', '.join(unstable)}) grow without end, as EERC saw above about 5 ms. At lags"
            " just below it the run is stable and worthless: most of the damping is gone."
        )
    if all(one[1].stable.all() for one in pairs):
        ratio = max(one[1].first("peak").max() / one[1].exact_peak for one in pairs)
        wrong = max(one[1].first("eps_max").max() for one in pairs)
        sentences.append(
            f"Elastic-plastic runs stay bounded (peaks up to {ratio:.2f} of the exact ones), because yielding takes"
            " the energy that the lag adds. Bounded does not mean right: displacements are wrong by up to"
            f" {100.0 * wrong:.0f} % of the exact peak."
        )
    sentences.append(
        f"The same indicator means another error for another structure or record. {ranges(pairs)} HSEI_S also grows"
        " with the intensity and the length of the record. Derive the threshold for the test at hand (study"
        " `threshold`)."
    )
    plastic = [one[1] for one in pairs if one[1].result.values["bounded"][0].all()]
    if plastic and plastic[0].seeds > 1:
        worst = max(plastic, key=lambda one: float(one.mean["eps_max"][0]))
        mean, std = (100.0 * values["eps_max"][0] for values in (worst.mean, worst.std))
        sentences.append(
            "Random errors without a mean lag add hardly any energy, so the indicators do not see them. For a"
            f" specimen that yields they are not harmless: eps_max is {mean:.0f} +/- {std:.0f} % at a mean of 0 in"
            f" Case {worst.case.number}."
        )
    monotonic = [one for pair in pairs for one in pair if rises(one)]
    sentences.append(
        f"All three measures rise with the lag in {len(monotonic)} of {2 * len(pairs)} series of stable runs (means"
        " over the seeds). Where they do not, an indicator cannot tell one error from another beyond that point."
    )
    return sentences


def ranges(pairs: Sequence[Sequence[Found]], tolerance: float = 0.1) -> str:
    """Where the indicators stand when eps_max passes the tolerance, over all series."""
    found = [one for pair in pairs for one in pair]
    text = []
    for name, label in (("hsei_i", "HSEI_I"), ("hsei_s", "HSEI_S")):
        at = [at_crossing(one.mean["eps_max"], one.mean[name], tolerance) for one in found]
        known = [value for value in at if math.isfinite(value)]
        if known:
            text.append(f"{label} between {min(known):.2f} and {max(known):.2f}")
    return f"Where eps_max passes 10 %, {' and '.join(text)} are found." if text else ""


def rises(found: Found) -> bool:
    """Whether every measure grows with the lag, among the stable runs."""
    return all(bool(np.all(np.diff(found.mean[name][found.stable]) > 0.0)) for name in ERRORS)
