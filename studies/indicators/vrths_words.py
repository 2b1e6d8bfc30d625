"""The words of the study of virtual tests: introduction, notes, conclusions, how to read its tables and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hybsim.studies.indicators import case_study
from hybsim.studies.indicators.performance import ppi
from hybsim.studies.indicators.vrths_runs import ALPHA, BETA, CASES, CHOICES
from hybsim.studies.indicators.vrths_spectrum import continuous
from hybsim.studies.indicators.vrths_statistics import Agreement

if TYPE_CHECKING:
    from hybsim.studies.indicators.vrths import Found

INTRODUCTION = (
    "PPI says before a test how large the variance of its error will be: omega_n^3 sigma^2 / S_g for white noise of the"
    " spectral density S_g. Chapter 4 of the document puts it to the test: in virtual hybrid simulations, in which the"
    " physical part and the actuator are models too, the error is known, as the reference structure runs beside.",
    "Here every such simulation is a diagram that the compiled engine runs: 8 cases, each with 125 delays and two"
    " spectra, and 2 partitions with a hydraulic actuator, each with 99 natural frequencies. In a case omega_n tau is"
    " the same for all delays. Then the case study of Sec. 4.3 under recorded ground motions.",
    "A run of finite length does not give the variance but an estimate of it. How far that may be off is known from the"
    " predicted spectrum of the error, so every run has a standard error of its own, and the question is not whether"
    " the points look near to the line, but whether they scatter about it as they must.",
)

NOTES = (
    "Runs over PPI: mean over all runs of omega_n^3 <e^2> / S_g over PPI, less 1, with the standard error of the mean.",
    "Standard error of a run of length T: SE^2 = 2/(pi T) int S_ERR^2 d omega, S_ERR the predicted spectrum of the"
    " error. Lengths are chosen for SE of about 15 % of PPI: 2000 to 26000 radians of omega_n, the less damping the"
    " longer.",
    "Expected within 1, 2 and 3 SE, for a mean square (chi^2 over its degrees of freedom, about 90): 68.5, 95.6 and"
    " 99.6 %. Probability: of a chi^2 as far from n as this one, to either side.",
    "The time in which the structures come to their stationary vibration, 6 / (zeta omega_n), is left out.",
    "All delays (1 to 32 ms) and natural frequencies (1 to 50 rad/s) are our choice: the document does not print them.",
    "TS_2 is used with unit DC gain, as its printed gain of 0.917 is probably a misprint.",
    "The Chi-Chi record of the case study is not bundled; El Centro and Tabas are scaled to its peak of 0.061 g. As the"
    " test is linear, the scale does not matter for NRMSE.",
)

TABLES = {
    "cases": "alpha = 0.8, beta = 0.5. 'printed' is PSI Table 4.1. SE: each run's own standard error.",
    "choices": "'PPI' is that of the actuator's frequency response with both delays, 'as a delay' that of a pure delay"
    " as long as the actuator's at low frequency and both delays together.",
    "effects": "PPI knows neither S_g nor tau, only Omega = omega_n tau: both columns should be 0 within their errors.",
    "ticks": "'delay realised': phase of the sampled rig at omega_n over that of the continuous one; a scheme that"
    " holds the force over a tick would be late by half a tick, 8 to 30 %. 'PPI at ticks': exact for the sampled"
    " diagram, the furthest of all runs; beside it the standard error of a single run.",
    "case_study": "The document's NRMSE is that of a laboratory test, with noise, friction and another record. TS_1 is"
    " another actuator of the same laboratory, with 13.7 ms in all.",
}

PICTURES = (
    (
        "fig_4_3",
        "Pure delay: runs against PPI (PSI Fig. 4.3)",
        "Each point is a run, blue for S_g = 1 and orange for S_g = 2 m^2/s^3. The line is PPI, the band two standard"
        " errors of a run, with steps where the runs change their length. omega_n tau is the same for all points of"
        " a panel, so that omega_n falls as tau grows.",
        "draw_delays",
    ),
    (
        "fig_4_7",
        "Actuators: runs against PPI (PSI Fig. 4.7)",
        "Each point is a run with one standard error. The full line is PPI with the frequency response of the actuator,"
        " the broken one PPI with a pure delay in its place; they part where the actuator no longer is a pure delay."
        " Below, the same over PPI.",
        "draw_actuators",
    ),
    (
        "scatter",
        "Do the runs scatter as they must?",
        "Left: how far all runs are from PPI, in their own standard errors, with the distribution expected of mean"
        " squares. Right: mean of each case and choice over PPI, with one (thick) and three (thin) standard errors of"
        " the mean.",
        "draw_scatter",
    ),
    (
        "fig_4_15",
        "The case study under a record (PSI Fig. 4.15)",
        "Relative displacement of the reference and of the test with a delay of 14.8 ms, and below it their difference"
        " on the same scale.",
        "draw_response",
    ),
    (
        "fig_4_14",
        "Which partition? (PSI Figs. 4.13 and 4.14)",
        "With everything else as in the case study, over the numerical share gamma of the stiffness. Left: PPI, and the"
        " NRMSE of the diagram under the records. Right: what the delay does to the damping, zeta - zeta_eff. The root"
        " of the characteristic equation and the free vibration of the diagram agree; Eq. 3.13 as printed turns back"
        " where the test becomes unstable (grey).",
        "draw_partitions",
    ),
)


def conclusions(found: Found) -> list[str]:
    """Sentences about the numbers of this study."""
    delays, actuators, every = (found.together(name) for name in ("case", "choice", ""))
    worst = max(abs(a.bias) / a.bias_error for a in found.groups.values())
    fourth = next(case for case in CASES if case.number == 4)
    ratios = [(c, continuous(c.as_delay(50.0)).ppi / continuous(c.partition(50.0)).ppi - 1.0) for c in CHOICES]
    given = found.case_study
    parts = given.partitions
    low = int(np.argmin(np.abs(parts.gamma - 0.60)))
    return [
        f"PPI is the variance that a test will have. Of {len(every)} virtual tests {_shares(every)} lie within 1, 2 and"
        f" 3 of their standard errors (expected: {_expected(every)}); chi^2 is {every.chi_square:.0f} for {len(every)}"
        f" runs (probability {every.probability:.2f}). On average the {len(delays)} runs with a delay are"
        f" {_percent(delays)} off PPI, the {len(actuators)} with an actuator {_percent(actuators)}; no case is further"
        f" off than {worst:.1f} of its standard errors.",
        f"Table 4.1 prints {fourth.printed:g} for Case 4; PPI is"
        f" {ppi(ALPHA, BETA, fourth.gamma, fourth.zeta, fourth.omega):.1f}, and the mean of the runs is"
        f" {_percent(found.groups['case 4'])} off that. The resonance is 0.0025 omega_n wide there: a"
        " quadrature with fixed steps misses it.",
        "With an actuator, take its frequency response, not its delay at low frequency: at 50 rad/s the delay says "
        + " and ".join(f"{100.0 * r:.0f} % too much ({c.rig})" for c, r in ratios)
        + ", below 10 rad/s it is as good.",
        f"The case study works because gamma = alpha: PPI is {given.ppi:.3f} and the error under the two records"
        f" {_nrmse(given)} of the range of the response, as in the document. With gamma = 0.70, 0.05 less, PPI is"
        f" {_at(parts.gamma, parts.ppi, 0.70):.0f}, and below {given.lowest_gamma:.3f} the test is unstable.",
        "Do not judge stability by the effective damping of PSI Eq. 3.13, which is never negative: at gamma ="
        f" {parts.gamma[low]:g} it is {100.0 * parts.zeta_printed[low]:+.1f} %, where the diagram has"
        f" {100.0 * parts.damping[low]:+.1f} % and grows. The signed effective damping is"
        f" {100.0 * parts.zeta_signed[low]:+.1f} %; the exact root of the characteristic equation is what the diagram"
        f" does, to {np.abs(parts.damping + parts.root.real).max():.0e}.",
        "sqrt(4 zeta PPI) is the RMS of the error over that of the response under white noise: "
        f"{100.0 * np.sqrt(4.0 * case_study.ZETA * given.ppi):.0f} % in the case study. The NRMSE of Eq. 4.4 is so much"
        " smaller as it is referred to the range of the response, which is many times its RMS.",
    ]


def _percent(agreed: Agreement) -> str:
    return f"{100.0 * agreed.bias:+.1f} \N{PLUS-MINUS SIGN} {100.0 * agreed.bias_error:.1f} %"


def _shares(agreed: Agreement) -> str:
    return " / ".join(f"{100.0 * inside / len(agreed):.1f} %" for inside in agreed.within)


def _expected(agreed: Agreement) -> str:
    return " / ".join(f"{100.0 * inside / len(agreed):.1f} %" for inside in agreed.expected_within)


def _nrmse(given: case_study.CaseStudy) -> str:
    return " and ".join(f"{100.0 * one.nrmse:.1f} %" for one in given.shown if one.rig != case_study.ACTUATOR)


def _at(x: np.ndarray, y: np.ndarray, where: float) -> float:
    return float(y[int(np.argmin(np.abs(x - where)))])
