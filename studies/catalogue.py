"""The studies that come with hybsim: a name, one line about it, the settings it takes, and the function that runs it.

    hybsim study list
    hybsim study ch8 --case 3 --out results

A study is a function `run(settings, progress) -> Outcome` in a module of its own, which is imported when the study
runs: the list needs neither numpy nor bdsim. A new study is one entry of STUDIES.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from hybsim.errors import ParameterError, near
from hybsim.studies.outcome import Outcome, Progress, Settings

Run = Callable[[Settings, Progress], Outcome]


@dataclass(frozen=True)
class Entry:
    """One study of the list.

    takes   the names of the Settings it reads; anything else that a user chooses is refused
    cases   the numbers that `case` may have
    """

    name: str
    summary: str
    run: Run
    takes: Sequence[str] = ()
    cases: Sequence[int] = ()


def find(name: str) -> Entry:
    """A study by its name."""
    if name not in STUDIES:
        guess = near(name, STUDIES).partition(" Known:")[0]  # the whole list follows in any case
        known = f"Known: {', '.join(STUDIES)}, or a Python file of your own."
        raise ParameterError(f"There is no study {name!r}.{guess} {known}")
    return STUDIES[name]


def _in(module: str) -> Run:
    """The function `run` of a module of hybsim.studies, imported when it is called."""

    def run(settings: Settings, progress: Progress) -> Outcome:
        found: Outcome = import_module(f"hybsim.studies.{module}").run(settings, progress)
        return found

    return run


CASES = (1, 2, 3, 4, 5)
"""The cases of EERC Table 8-10."""

STUDIES = {
    entry.name: entry
    for entry in (
        Entry(
            "ch3",
            "Random noise, lag and the delayed frequency response of EERC Chapter 3.",
            _in("eerc.chapter3"),
            takes=("seed", "jobs", "variance"),
        ),
        Entry(
            "ch8",
            "The five cases of EERC Table 8-10: energy error indicators against response errors, stability.",
            _in("eerc.chapter8"),
            takes=("seed", "jobs", "variance", "case"),
            cases=CASES,
        ),
        Entry(
            "threshold",
            "From a tolerance on the peak displacement to a threshold of HSEI_I, and a monitor that trips on it.",
            _in("eerc.threshold"),
            takes=("seed", "jobs", "variance", "case", "tolerance"),
            cases=CASES,
        ),
        Entry(
            "frame",
            "The two-storey frame of EERC Chapters 6 and 7: lag, prediction, command generation, energies.",
            _in("eerc.frame"),
            takes=("seed", "jobs"),
        ),
        Entry(
            "sensitivity",
            "How the threshold of HSEI_I depends on period, damping, record and lag: a map.",
            _in("uncertainty.sensitivity"),
            takes=("seed", "jobs", "runs"),
        ),
        Entry(
            "montecarlo",
            "Noise, lag and miscalibration at random: Sobol indices and the probability of instability.",
            _in("uncertainty.montecarlo"),
            takes=("seed", "jobs", "runs"),
        ),
        Entry(
            "compensators",
            "All delay compensators on one record: tracking, delay, amplitude, noise.",
            _in("compensation.compensators"),
            takes=("seed", "record"),
        ),
        Entry(
            "vrths",
            "Virtual hybrid simulations of PSI Chapter 4: error variance against PPI, and a case study.",
            _in("indicators.vrths"),
            takes=("seed", "jobs", "runs"),
        ),
        Entry(
            "force",
            "Shao's force-based splitting: Table 3, late table and actuators, several floors, capacities.",
            _in("force.force"),
            takes=("seed",),
        ),
        Entry(
            "fht",
            "The Fast Hybrid Test: a column with two late actuators, stability in lambda; a frame in OpenSees.",
            _in("fht.fht"),
            takes=("seed",),
        ),
        Entry(
            "osm",
            "OSM, alpha-OS and OSM-US on yielding columns: energy index, damping definitions, m, errors, stability.",
            _in("osm.osm"),
            takes=("seed", "jobs", "variance"),
        ),
    )
}
