"""The sentences of the column's part of the FHT study."""

from __future__ import annotations

import math

import numpy as np

from hybsim.diagrams.fht_column import ticks_in
from hybsim.errors import ParameterError
from hybsim.studies.fht.column_runs import DAMPING, FEEDFORWARD, IDEAL, Found
from hybsim.studies.fht.column_stability import ASSUMED, Stability, stable_range

ERRATUM = (
    "no misprint was found in the equations of the paper. It counts ten points of a controller at 1024 Hz in a step of"
    " 0.01 s, but there are 10.24"
)
PROPERTIES_TABLE = (
    "The frequencies follow from the stiffness and mass of Table 2; the delay is the one that takes up 4 % of damping,"
    " 2 zeta / omega, as a delay tau acts in a mode as a damping ratio of -omega tau / 2."
)
RESPONSE_TABLE = (
    "Displacements that the integrator computes. Error: rms of the difference to the exact response with the same total"
    " damping, over the rms of that; to ideal: the same, against the run with ideal actuators, which takes the"
    " integrator's own error out. Delay: of the attained behind the computed displacement. A run that leaves the stroke"
    " of 5 in is unstable: the time at which it leaves is given instead."
)
DAMPING_TABLE = (
    "The paper's comparison: 4 % in the computer of the test, 6 % in the exact solution. The 2 % stand for damping that"
    " the specimen itself has and that comes back with its measured force; here the specimen is given just that,"
    " C_s u' beside K u."
)
EDGE_TABLE = (
    "Growth of the smallest motion in 1/s, from the eigenvalues of the whole loop over a step at 1000 Hz; negative is"
    " stable. Stable lambda: between 0 and 1, the range of the paper; edges by bisection to 0.0001."
)
RESPONSE_FIGURE = (
    "As Fig. 8 of the paper: displacements of both storeys. The test with actuators, feedforward and a specimen that"
    " damps 2 % lies on the exact solution with 6 %; with 4 % in all, the peaks are higher. Only the first 15 of 30 s"
    " are shown."
)
COMPENSATION_FIGURE = (
    "(a) What remains of the difference to the exact response in tests that are stable. The ideal run differs, too: the"
    " trapezoidal rule lengthens the periods. (b) The largest displacement so far in tests that are not, with the"
    " stroke of the actuators."
)
STABLE_FIGURE = (
    "(a) Growth over lambda with nothing but a pure delay: without feedback, 1 ms is all that 4 % of damping can carry;"
    " lambda = 1 carries nearly 2 ms. (b) The actuator of 10 ms with a feedforward that is set for another lag:"
    " feedback widens the stable area where the feedforward falls short and narrows it where it leads too much."
)


def refusal() -> str:
    """What a controller at 1024 Hz with a step of 0.01 s is told."""
    try:
        ticks_in(0.01, 1024.0)
    except ParameterError as refused:
        return str(refused)
    raise AssertionError("1024 Hz with 0.01 s was not refused")


def notes(found: Found, area: Stability) -> list[str]:
    ideal, test = found.of(IDEAL), found.of(FEEDFORWARD)
    return [
        f"Errata: {ERRATUM}, and that is refused: \"{refusal()}\" So the column runs at 1000 Hz with 0.01 s, and at"
        " 1024 Hz with 10/1024 s = 0.009766 s.",
        "Table 2 is of one column; the load is -M 1 a_g with the NS component of El Centro 1940 scaled to 0.3 g. alpha"
        " is not given for this test; as in the paper's second test it is 0, the trapezoidal rule.",
        "Assumed, as the paper gives no numbers: a digital delay of 2 ms (\"a couple of milli-seconds\"), an actuator"
        " of second order with 30 Hz and 94 % of damping, late by 10 ms (\"as large as 10 ms\"), and a feedforward that"
        " inverts the actuator with a lead for the digital delay. The paper's is part of the MTS controller and is not"
        " described; Fig. 8 has no printed numbers, so the paper's curves can be compared by eye only.",
        "Exact: mode by mode in closed form, piece by piece of a record that is straight between its samples; no step"
        " of integration and no code of the test has a part in it.",
        f"The ideal run is {100.0 * ideal.error[1]:.1f} % from exact after 30 s, as the trapezoidal rule lengthens a"
        " period by (omega h)^2 / 12: 0.14 % in mode 1. With feedforward the error is smaller"
        f" ({100.0 * test.error[1]:.1f} %) by accident: the actuators raise the"
        " frequency of mode 1 from 2.1438 to 2.1460 Hz, nearer to the true 2.1471 Hz (eigenvalues of both loops). The"
        " columns 'to ideal' have what the actuators do.",
    ]  # fmt: skip


def conclusions(found: Found, area: Stability) -> list[str]:
    by_lag = dict(zip(ASSUMED.tolist(), zip(area.assumed, area.assumed_edges, strict=True), strict=True))
    low = stable_range(*by_lag[0.009])[0][0]
    high = stable_range(*by_lag[0.012])[0][1]
    both = next(run for run in found.runs if run.variant.name == "both_1")
    return [
        f"A structure of two modes with {100.0 * DAMPING:g} % that is tested as a whole carries a delay of 1 ms: mode 2"
        " of 11.8 Hz decides, not mode 1 that is seen in the response. An actuator that is late by 10 ms cannot be used"
        " without feedforward, with any lambda.",
        f"With a feedforward that knows the lag, every lambda from 0 to 1 is stable and changes the peaks by less than"
        f" {_percent(both.peak / found.of(FEEDFORWARD).peak)} %: there is nothing left to correct.",
        f"Feedback helps where the feedforward falls short: set for 9 ms instead of 10, the test is unstable alone and"
        f" stable from lambda = {low:.2f} on. It harms where the feedforward leads too much: set for 12 ms, the test is"
        f" stable up to lambda = {high:.2f} only. A lambda of about 0.5 keeps a distance from both edges.",
    ]


def _percent(ratios: np.ndarray) -> int:
    return math.ceil(100.0 * float(np.abs(ratios - 1.0).max()))
