"""The words of the report on PSI Chapters 2 to 4: how to read each figure, and what of it is corrected."""

from __future__ import annotations

import math

from hybsim.studies.indicators.transfer_requirements import Phase

INTRODUCTION = (
    "A structure with one degree of freedom is cut in two: the shares alpha of its mass, beta of its damping and gamma"
    " of its stiffness are computed, the rest is in the laboratory, and the force of the laboratory comes back late by"
    " tau. Is the test stable, and how wrong is it? Both depend on the shares, on the damping ratio zeta and on"
    " Omega = omega_n tau alone.",
    "A test loses its stability where a root s = j phi of the characteristic equation P(s) + Q(s) exp(-Omega s) = 0"
    " is on the imaginary axis, s in units of omega_n; P and Q are the impedances of the numerical and of the physical"
    " part over the whole stiffness. The frequency follows from |P| = |Q|, the delay from the angle of -Q/P"
    " (atan2, modulo 2 pi). PSI is the natural logarithm of the critical delay in ms; PPI = omega_n^3 sigma^2 / S_g is"
    " the variance of the error under white noise.",
)

DIAGRAMS = (
    "A test is stable to the left of the thick curve of its damping ratio: there a pair of roots first reaches the"
    " imaginary axis. Thin curves are later crossings; where a thick curve ends, no delay makes the test unstable. Dots"
    " are the configurations of Table 2.2.\n"
    "Corrected: where alpha < 1/2 (hatched) more mass is delayed than not, the equation is neutral, and the test is"
    " unstable with any delay, Omega_cr = 0. The document's diagrams show stable areas there; the dashed curves are"
    " those crossings, and they are no limits of stability. All of case IV is such. The angle is that of atan2, with"
    " the minus sign that Eq. 2.12 lacks and (1 - alpha) omega_cr^2 in Eq. 2.18b. The text gives no damping ratios for"
    " this figure; five are chosen."
)

REGIONS = (
    "(a) Omega_cr, thick, and later crossings, thin; (b) the critical frequencies, for case II. With gamma below 1/2"
    " there is one, at nearly the natural frequency; above, a second one at which the roots come back; in the dark band"
    " about gamma = alpha = 0.9 there is none: no delay makes the test unstable."
)

UNCONDITIONAL = (
    "Between the black lines, white, case II is stable with any delay; elsewhere colours show Omega_cr. The range grows"
    " with the damping and closes at gamma = alpha without it.\n"
    "Corrected: Eq. 2.21 lacks a square. As printed it would hold for all partitions to the left of the dashed line,"
    " most of which have a small critical delay. Eq. 2.22 is right."
)

PERFORMANCE = (
    "The PPI of the nine cases of Table 3.1 over delay and partition; white contours are decades, the orange line is"
    " the limit of stability, at which the PPI grows beyond all bounds; right of it, grey, there is none. The rule of"
    " thumb shows: the PPI is small where gamma is near alpha, falls with zeta ((a), (d), (g)), and hardly depends on"
    " beta (f).\n"
    "Corrected: for alpha < 1/2 (hatched) the test is unstable with any delay and has no PPI; the document shows values"
    " there. The integral of Eq. 3.26 is taken to infinity, in closed form."
)

DAMPING = (
    "The case study of Sec. 4.3: omega_n = 32.9 rad/s, zeta = 0.014, alpha = 0.75, beta = 0.82, a delay of 14.8 ms."
    " (a) The PPI is least about gamma = alpha; the cross is the test. (b) The damping that the delay takes: from the"
    " signed effective damping Im Gamma(j) / 2, from the exact dominant root, and as printed. Beyond the grey line"
    " nothing is left, and the test is unstable.\n"
    "Corrected: the effective damping of Eq. 3.13 is a square root and never negative. It turns back at the grey line,"
    " so that an unstable test looks like a damped one."
)

NOTES = (
    "Omega = omega_n tau in rad; phi is a frequency over omega_n; delays are in ms, frequencies in rad/s unless Hz is"
    " said.",
    "S_g is a two-sided spectral density in m^2/s^3 (the document prints m^2 s^2).",
    "The reference structure itself has omega_n^3 sigma^2 / S_g = 1 / (4 zeta): the error is sqrt(4 zeta PPI) of the"
    " response.",
)

CONCLUSIONS = (
    "Compute more than half of the mass (alpha > 1/2): with less, a test is unstable with any delay, however small.",
    "Bring gamma close to alpha: the critical delay grows and the error falls; about gamma = alpha there are partitions"
    " that are stable with any delay.",
    "A stiff structure needs a fast actuator: the critical delay is inversely proportional to omega_n.",
    "Watch the sign of the effective damping: below 0 the test is unstable, as long as delay and damping are small; the"
    " square root that is printed hides it.",
)


def envelope(phase: Phase, tau_cr: float, tau_comm: float, sampling: float) -> str:
    """How to read Fig. 2.6, with the numbers of this actuator."""
    least = (
        "no sampling is fast enough"
        if math.isinf(sampling)
        else f"the smallest sampling frequency is {sampling:.4g} Hz"
    )
    return (
        f"(a) The phase of {phase.name} must stay above the stability phase envelope -omega tau_m, where"
        f" tau_m = tau_cr - tau_COMM - 1/(2 f_s) is what the critical delay of {1000.0 * tau_cr:.4g} ms leaves after"
        f" communication ({1000.0 * tau_comm:.4g} ms) and sampling. (b) {phase.name} has a phase delay of"
        f" {1000.0 * phase.low:.2f} ms at low frequency and of {1000.0 * phase.longest:.2f} ms at most, so that"
        f" {least}. The envelope knows phases only; the table below has the exact figures."
    )


def actuator_conclusion(phase: Phase, tau_cr: float, sampling: float) -> str:
    """What to do with this actuator at this critical delay."""
    about = f"{phase.name} takes up to {1000.0 * phase.longest:.2f} ms of a critical delay of {1000.0 * tau_cr:.4g} ms:"
    if math.isinf(sampling):
        return f"{about} no sampling is fast enough; compensate the actuator or change the partition."
    return f"{about} sample at {sampling:.3g} Hz or more, several times as much to be accurate."
