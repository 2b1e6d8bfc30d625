"""The words of the study of EERC Chapter 3: what is asked, how to read each figure, what to conclude."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybsim.studies.eerc.chapter3_runs import DAMPING_RATIO, PERIOD, damping_left, finite
from hybsim.studies.eerc.delayed_response import critical_phase_delay

if TYPE_CHECKING:
    from hybsim.studies.eerc.chapter3 import Delayed
    from hybsim.studies.eerc.chapter3_runs import Case, Run

DEFINITIONS = {
    "snr": "RMS(r) / RMS(e): r restoring force fed back (specimen + noise), e noise, over the whole record (Eq. 3.3)",
    "pp_ratio": "(max e - min e) / (max r - min r) of the same signals",
    "noise_gain": "RMS of the exact force / SNR asked for, then times SNR measured / SNR asked for until they agree",
    "effective_delay_ms": "least squares: the tau with the least sum of |applied_i - command(i dt - tau)|^2, the"
    " command between ticks being a straight line; error signal = applied - command",
    "max_error": "max |u - u_exact| / max |u_exact|, u the command displacement",
    "energy_added": "-E_error / E_input at the end of the record, E_error = E^E - E^BE; for noise E_error is the work"
    " of the noise on the displacement",
    "phase_delay": "phi_d = omega_n tau (Eq. 3.14): the delay as an angle of the natural period",
    "critical_phase_delay_deg": "arctan(2 zeta / rho_c) / rho_c with rho_c^2 = sqrt(1 + 4 zeta^4) - 2 zeta^2",
}

MOST_VARIANCE = 1.0
"""Of the lag: above, the random part of the error outweighs lags of up to one tick."""

NOISE_TABLE = (
    "p-p ratio: peak-to-peak noise over peak-to-peak restoring force; beside it what the document prints for this SNR."
    " Max error: largest difference to the exact displacement over the exact peak."
)
LAG_TABLE = (
    "Delay: effective delay of the applied displacement behind the command, by least squares, with the standard error"
    " that the variance of the lag gives it; beside it what the document prints (Sec. 3.4.2, Table 8-11)."
)
DELAY_TABLE = (
    "Damping left: damping ratio of the free vibration, from the rightmost root of the delayed equation; below zero the"
    " vibration grows and there is no response to give. Zeta - phi/2 is its first-order estimate."
)
FIG_3_1 = (
    "The diagram of the runs with noise: band-limited white noise (0 to 50 Hz), times a gain, is added to the force of"
    " the specimen before the integrator gets it."
)
FIG_3_5 = (
    "The diagram of the runs with lag: the specimen gets u_i - eta_i (u_i - u_{i-1}) in place of u_i, with eta normally"
    " distributed. The mean of eta times dt is the effective delay."
)


def name_of(case: Case) -> str:
    error = f"noise of SNR {case.snr:g}" if case.snr is not None else f"lag of {1000.0 * case.delay:g} ms"
    return f"{case.specimen} specimen, {error}"


def introduction() -> list[str]:
    return [
        "In a hybrid simulation the restoring force of a structure is measured on a specimen. Two errors cannot be"
        " avoided: noise in the measured force, and an actuator that is late. How much of each does a test bear?",
        "As in Sec. 3.4 of the EERC report, a structure with one degree of freedom is computed with errors of known"
        " size: period 1 s, 5 % damping, stiffness 10 kip/in, Newmark's explicit method at 0.01 s, El Centro N-S 1940"
        " scaled by 0.2 (linear specimen) or 1.0 (elastic-perfectly-plastic specimen that yields at 1 in).",
        "Sec. 3.5.1 asks the same of theory: u'' + 2 zeta omega_n u' + omega_n^2 u(t - tau) = f / m. The phase delay of"
        " the document is phi_d = omega_n tau, the delay as an angle of the natural period: 10 ms of a period of 1 s"
        " are 3.6 degrees.",
    ]


def notes(runs: Sequence[Run]) -> list[str]:
    return [
        "SNR is RMS(r) / RMS(e) with r the force that is fed back, noise included. The gain of the noise is corrected"
        " from run to run until the SNR measured in the closed loop is the one asked for.",
        "Effective delay: the shift of the command that fits the applied displacement best (least squares, straight"
        " lines between ticks). For the lag model its expected value is mean x dt.",
        "Energy added: what the error gives to the structure over the record, over the energy of the ground motion.",
        *(f"{name_of(run.case)}: {run.stopped}" for run in runs if run.stopped is not None),
    ]


def explanation(run: Run) -> str:
    """How to read the figure of a run."""
    noise = run.case.snr is not None
    if run.stopped is not None:
        return f"The response is not bounded: it ended at {run.stopped.time:.2f} s. Only its beginning is drawn."
    history = (
        f"(a) Displacement with and without error: the peak is {inch(run.peak)} against {inch(run.exact_peak)}, the"
        f" largest difference {percent(run.max_error)} of the exact peak."
    )
    if noise:
        loop = "(b) The force that is fed back against the displacement: the law of the specimen, blurred by the noise."
        signal = (
            f"(c) The noise: peak to peak {percent(run.pp_ratio, 2)} of the restoring force; the document says"
            f" {run.case.printed} percent."
        )
        return f"{history} {loop} {signal}"
    if run.case.specimen == "linear":
        loop = (
            "(b) The force against the command, as the integrator sees the specimen: a straight line has become an"
            " ellipse that is run through counter-clockwise, against the sense of a damper. Its area is energy added."
        )
    else:
        loop = (
            "(b) The force against the command: on the yield plateaus a wrong displacement does not change the force;"
            " where the specimen is elastic, branches of unloading and reloading no longer coincide."
        )
    signal = (
        f"(c) Applied minus commanded displacement: proportional to the velocity, with an effective delay of"
        f" {milliseconds(run.delay_ms)} (mean x dt {1000.0 * run.case.delay:g} ms, document {run.case.printed} ms)."
    )
    return f"{history} {loop} {signal}"


def response_explanation(delayed: Sequence[Delayed], critical_deg: float) -> str:
    unstable = ", ".join(f"{one.phase_delay_deg:g}" for one in delayed if not one.stable)
    return (
        "Amplitude of the steady response to a harmonic load, over the static displacement, with 10 % damping and the"
        " restoring force late by phi_d = omega_n tau. (a) A small delay raises the resonance and changes little"
        " elsewhere: it acts as negative damping. (b) Large delays, on a logarithmic axis."
        f" The critical phase delay is {critical_deg:.2f} degrees: beyond it free vibrations grow, so there is no"
        f" steady response for {unstable} degrees and none is drawn. The document draws Eq. 3.15 there too and reads"
        " from it that the resonance falls again beyond 10 degrees; these are no responses of any structure."
        " (c) The damping that is left, exactly and to first order; where it is negative the structure is unstable."
    )


def conclusions(runs: Sequence[Run], critical_deg: float) -> list[str]:
    by_name = {run.case.name: run for run in runs}
    return [
        noise_conclusion(*(by_name[name] for name in ("noise_78", "noise_7_8", "noise_21_ep"))),
        *lag_conclusions(*(by_name[name] for name in ("lag_2", "lag_10", "lag_2_ep", "lag_10_ep"))),
        *delay_conclusions(critical_deg),
    ]


def noise_conclusion(small: Run, large: Run, plastic: Run) -> str:
    work = max(abs(run.energy_added) for run in (small, large, plastic))
    return (
        "Noise in the load cell hardly matters."
        f" At {percent(small.pp_ratio)} peak to peak (SNR {small.case.snr:g}) the displacement is wrong by"
        f" {percent(small.max_error)}, at {percent(large.pp_ratio)} (SNR {large.case.snr:g}), far worse than any load"
        f" cell in order, by {percent(large.max_error)}; yielding, at {percent(plastic.pp_ratio)} (SNR"
        f" {plastic.case.snr:g}), by {percent(plastic.max_error)}. Its work has either sign, by chance, and stays"
        f" within {percent(work)} of the input energy."
    )


def lag_conclusions(two: Run, ten: Run, two_ep: Run, ten_ep: Run) -> list[str]:
    variance = two.parameters["lag.variance"]
    if variance > MOST_VARIANCE:
        return [
            f"With a variance of {variance:g} the displacement error scatters by {math.sqrt(variance):.3g} steps about"
            " its mean, more than the lags themselves: these runs say nothing about a lag. Choose a smaller variance."
        ]
    return [
        "A lag is another matter: its work has one sign, it adds energy. 2 ms change the displacement of the linear"
        f" structure by {percent(two.max_error)} and 10 ms, 1 % of the period, by {percent(ten.max_error)}; they add"
        f" {percent(two.energy_added, 0)} and {percent(ten.energy_added, 0)} of the input energy.",
        "For a linear structure a lag is damping lost: zeta - omega tau / 2 is left. Of"
        f" {percent(DAMPING_RATIO, 0)} damping 2 ms leave {percent(damping_left(two.case.delay), 2)} and 10 ms"
        f" {percent(damping_left(ten.case.delay), 2)}; structures with that damping and no lag have peaks of"
        f" {inch(two.less_damped_peak)} and {inch(ten.less_damped_peak)}, those with the lag {inch(two.peak)} and"
        f" {inch(ten.peak)}.",
        f"A specimen that yields forgives more: {percent(two_ep.max_error)} at 2 ms and {percent(ten_ep.max_error)} at"
        " 10 ms. A wrong displacement on the yield plateau does not change the force, and hysteresis takes energy away"
        " faster than the lag adds it. The linear structure is the severe case to judge a laboratory by.",
    ]


def delay_conclusions(critical_deg: float) -> list[str]:
    critical_ms = 1000.0 * PERIOD * critical_phase_delay(DAMPING_RATIO) / (2.0 * math.pi)
    return [
        f"There is a delay that no linear structure survives: with {percent(DAMPING_RATIO, 0)} damping and a period of"
        f" {PERIOD:g} s it is {critical_ms:.1f} ms, with 10 % damping a phase delay of {critical_deg:.2f} degrees. In"
        " degrees it depends on the damping alone (about 115 degrees times the damping ratio), so the delay in seconds"
        " that a mode bears shrinks with its period: the highest mode decides.",
        "So before a test: measure the delay of the actuator, compare omega_n tau / 2 of every mode with its damping"
        " ratio, and compensate the delay; effort spent on quieter load cells buys much less.",
    ]


def percent(share: float | None, digits: int = 1) -> str:
    number = finite(share)
    return "an unbounded part" if number is None else f"{100.0 * number:.{digits}f} %"


def inch(value: float | None) -> str:
    return "an unbounded number of in" if finite(value) is None else f"{value:.3f} in"


def milliseconds(value: float | None) -> str:
    return "an unknown number of ms" if finite(value) is None else f"{value:.2f} ms"
