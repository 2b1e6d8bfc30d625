"""The words of the sensitivity study that hold for any of its runs: the question, the figures, the columns."""

from __future__ import annotations

from hybsim.studies.uncertainty import sensitivity_figures as figures
from hybsim.studies.uncertainty.sensitivity import (
    ALARM_MS,
    DAMPING_RATIOS,
    DUCTILITY,
    LEVEL,
    LINEAR_PEAK,
    LONGEST_MS,
    PERIODS,
    RANDOM_VARIANCE,
    STIFFNESS,
    TOLERANCE,
    YIELD_DISP,
)

INTRODUCTION = (
    "The energy indicator HSEI_I is known during a test, the error of the displacement is not. So a laboratory sets an"
    f" alarm on HSEI_I at a threshold that stands for an error. EERC Sec. 8.4.2 derives {LEVEL:g} for an error eps_max"
    f" of {100 * TOLERANCE:g} % of one structure, and says that each structure and record needs a threshold of its"
    " own. How different are they? Over which range of structures is this number safe?",
    f"The test is that of EERC Fig. 3-5: one degree of freedom, k = {STIFFNESS:g} kip/in, u_y = {YIELD_DISP:g} in,"
    " Newmark's explicit method, an actuator that lags its command; all of the stiffness is the specimen. It is"
    f" repeated for {len(PERIODS)} periods from {PERIODS[0]:g} to {PERIODS[-1]:g} s, damping ratios of"
    f" {', '.join(f'{100 * z:g}' for z in DAMPING_RATIOS)} %, both records, and lags from 0 to {LONGEST_MS:g} ms."
    f" The record is scaled for each structure as EERC did: to a peak of {LINEAR_PEAK:g} u_y with a linear specimen,"
    f" to a ductility of {DUCTILITY:g} with an elastic-plastic one.",
    "The threshold is HSEI_I at the end of the record for the lag at which eps_max first reaches 10 %. For linear"
    " specimens there is a theory: with x = lag / critical lag, HSEI_I = -x / (1 - x + E_strain / E_damping), so that"
    " HSEI_I says which share x of the damping the lag takes away, whatever the period.",
)

NOTES = (
    "Threshold: HSEI_I (HSEI_S) at the end of the record for the lag at which eps_max first reaches 10 %, by linear"
    " interpolation between lags. Weakest is the closest to zero.",
    f"Too late: structures whose threshold is weaker than {LEVEL:g}: their error is above 10 % before an alarm at this"
    " level sounds, even at the end of the test.",
    "Lag / critical: the lag at that error over the critical lag of the same structure with a linear specimen, which"
    " is the smallest lag with a spectral radius of the amplification matrix above 1 (damping ratio x period / pi).",
    f"Unwarned: the largest error before HSEI_I first falls below {LEVEL:g} during the test, for the worst lag up to"
    f" {ALARM_MS:g} ms.",
    f"Structures whose error stays below 10 % up to {LONGEST_MS:g} ms have no threshold and are not counted there.",
)

PICTURES = (
    (
        "sensitivity_map",
        "The error over period and lag (5 % damping)",
        "Colour is the largest displacement error. Below the white line it is under 10 %. The broken line is where"
        f" HSEI_I ends at {LEVEL:g}: where it runs below the white line the alarm is early, where it runs above it is"
        " too late. The dotted line is the critical lag, above which the linear test is unstable. Linear specimens (a,"
        " b): both lines run side by side from 0.2 to 2 s, the broken one below throughout. Elastic-plastic specimens"
        " (c, d): they cross again and again.",
        figures.the_map,
    ),
    (
        "sensitivity_thresholds",
        "HSEI_I at the end of a test with an error of 10 %",
        f"One point for each structure. In the grey part the threshold is weaker than {LEVEL:g}, so that an alarm at"
        f" {LEVEL:g} is too late. No point: the error stays below 10 % up to {LONGEST_MS:g} ms. All linear specimens"
        " (a, b) lie in the safe part and close together; elastic-plastic ones (c, d) scatter over a factor of"
        " several, and neighbouring periods differ as much as distant ones.",
        figures.thresholds,
    ),
    (
        "sensitivity_alarm",
        f"What an alarm at {LEVEL:g} lets pass during the test",
        f"The largest error before HSEI_I first falls below {LEVEL:g}, for the worst of the lags up to {ALARM_MS:g}"
        " ms. Points in the grey part: the error passes 10 % before the alarm. Short periods are worst: 10 ms are then"
        " more than the critical lag, and the error grows within the first cycles, before the sum of the energies"
        " tells.",
        figures.alarms,
    ),
    (
        "sensitivity_theory",
        "Why one threshold serves linear specimens, and no other",
        "(a) All linear structures: HSEI_I against the share of the critical lag. The black line is the theory without"
        " the strain energy in the denominator, which keeps the others below it, most at small damping. (b) The"
        " error for the same share: it is the record and the period that make the lines fan out. (c) Elastic-plastic"
        f" specimens: at an HSEI_I of {LEVEL:g} (broken) the error is anything from a few to more than 20 %.",
        figures.theory,
    ),
    (
        "sensitivity_random_lag",
        "The thresholds with a lag that scatters (5 % damping)",
        f"The line is that of the thresholds above; a dot is a test with a lag of the variance {RANDOM_VARIANCE:g} and"
        " its own random numbers. Above 0.5 s the dots sit on the line. At short periods they move to zero: the error"
        " of 10 % is then made by the scatter, which adds energy as often as it removes it.",
        figures.random_lag,
    ),
)
