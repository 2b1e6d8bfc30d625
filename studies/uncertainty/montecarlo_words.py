"""The words of the Monte-Carlo study that hold for any of its runs: the question, the figures, the columns."""

from __future__ import annotations

from hybsim.studies.uncertainty import montecarlo_figures as figures
from hybsim.studies.uncertainty.instability import COV, RELEASED, VARIANCE
from hybsim.studies.uncertainty.montecarlo import CASE, INPUTS, LABORATORIES, LEVEL, TOLERANCE

_AS_IT_IS, _COMPENSATED = LABORATORIES.values()

INTRODUCTION = (
    "A hybrid test has all of its errors at once: the actuator lags, the lag scatters, the load cell is noisy, load"
    " cell and transducer are not calibrated exactly. Which of them decides whether the result can be trusted? And"
    " does the energy indicator HSEI_I, which a laboratory can watch during the test, warn of it in time?",
    f"The test is Case {CASE.number} of EERC Table 8-10 (T = {CASE.period:g} s, 5 % damping, El Centro), with a linear"
    " and an elastic-plastic specimen. "
    + " ".join(
        f"{given.prose[0].upper()}{given.prose[1:]}: {given.text}." for name, given in INPUTS.items() if name != "lag"
    )
    + f" The mean lag is between {_AS_IT_IS[0]:g} and {_AS_IT_IS[1]:g} ms in a laboratory that leaves it as it is, and"
    f" between {_COMPENSATED[0]:g} and {_COMPENSATED[1]:g} ms in one that compensates it. All errors are independent.",
    "The controller holds its own transducer at the command. If that transducer is wrong, the specimen stands at a"
    " wrong place while command and reading agree: HSEI_I, made of command, reading and force, cannot know. A second"
    " transducer on the specimen can; the indicator made of it is computed as well.",
    f"A test went wrong if eps_max, the largest displacement error over the largest exact displacement, is above"
    f" {100 * TOLERANCE:g} %. The alarm sounds when HSEI_I falls below a level, {LEVEL:g} in EERC Sec. 8.4.2.",
)

NOTES = (
    "First-order index: share of the variance that an input makes by itself. Total index: with all that it makes"
    " together with others. Estimators of Saltelli (2010) and Jansen (1999) on a scrambled Sobol sequence; intervals"
    " of 95 % by bootstrap are in the csv file and in the figure.",
    "In time: the alarm sounds before the displacement error first exceeds 10 %. Late: it sounds, but afterwards."
    " Missed: it does not sound. All three are shares of the tests that went wrong; needless is a share of the others."
    "",
    "Error if late: the largest error before the alarm, of the tests that it warns of too late.",
    "Delay: mean lag of the model u_i - eta (u_i - u_{i-1}), by construction eta dt.",
)

PICTURES = (
    (
        "montecarlo_indices",
        "Which error makes the result vary, and which the indicator",
        "Bars are total indices with intervals of 95 %, marks are first-order indices. (a) With the lag as it is, the"
        " lag makes most of the error, and (c) all of HSEI_I: the indicator watches the right thing. (b) Once the lag"
        " is compensated, the calibration of load cell and transducer decides; (d) HSEI_I still depends on what is"
        " left of the lag, and on nothing else: it watches what no longer matters. Where a mark is far left of its"
        " bar, errors act together: two gain errors may cancel each other or add up.",
        figures.sobol_indices,
    ),
    (
        "montecarlo_tests",
        "Every test: its error and its indicator",
        f"A dot is a test; the broken lines are the tolerance and EERC's level {LEVEL:g}. Upper left: the test went"
        " wrong and nobody was told. Lower right: an alarm without need. Upper right: an alarm, in time or after the"
        " error had passed 10 %. (a, b) With the lag as it is, error and indicator go together, and the scatter about"
        " that is the rest of the errors. (c, d) With a compensated lag they have nothing to do with each other. Dots"
        " at the left edge have an HSEI_I that never fell below -0.002.",
        figures.scatter,
    ),
    (
        "montecarlo_alarms",
        "What the alarm is worth at other levels (lag as it is)",
        "(a, b) Of the tests that went wrong: warned in time, too late, not at all; the line is the share of needless"
        " alarms among the other tests. (c) In time against needless, with EERC's level as a dot: the best alarm would"
        " be in the upper left corner. Broken lines are the same tests with their lag alone.",
        figures.alarms,
    ),
    (
        "montecarlo_alone",
        "Each error by itself",
        "(a) What it does to the response, (b) what HSEI_I says of it. Noise, gain and offset errors change the"
        " response and leave HSEI_I at zero to rounding. Short lines: the indicator from a second transducer on the"
        " specimen. It sees a gain error of the controller's transducer only where energy is dissipated, and little of"
        " it; the two readings, compared directly, show it at once.",
        figures.alone,
    ),
    (
        "montecarlo_instability",
        "The probability of instability",
        "(a) Share of unstable tests when period, damping and lag scatter from test to test (coefficients of"
        f" variation {', '.join(f'{100 * cov:g}' for cov in COV.values())} %) and the lag from tick to tick (variance"
        f" {VARIANCE:g}): dots are simulations with Wilson's 95 % band, lines the closed form, broken lines the"
        " critical lag of the median structure. (b) A yielding specimen, released from"
        f" {RELEASED:g} of its yield displacement and left to itself for 120 s: below the critical lag it comes to"
        " rest, above it swings up until it yields in every cycle. That the response is bounded does not make the test"
        " stable.",
        figures.instability,
    ),
)
