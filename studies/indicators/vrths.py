"""Virtual real-time hybrid simulations against their indicators: the examples of PSI Chapter 4.

2198 virtual tests under white noise against PPI (`vrths_runs`, `vrths_statistics`), and the case study of Sec. 4.3
under recorded ground motions (`case_study`).

    hybsim study vrths --out results
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from hybsim.runtime import manifest
from hybsim.runtime.export import plain
from hybsim.studies.indicators import case_study, vrths_figures
from hybsim.studies.indicators.vrths_runs import (
    CASES,
    CHOICES,
    RELATIVE_ERROR,
    SETTLED,
    Program,
    Realisations,
    programs,
    realise,
    virtual_tests,
)
from hybsim.studies.indicators.vrths_statistics import Agreement, agreement
from hybsim.studies.indicators.vrths_tables import agreement_row, case_row, choice_row, tables
from hybsim.studies.indicators.vrths_words import INTRODUCTION, NOTES, PICTURES, conclusions
from hybsim.studies.outcome import Outcome, Picture, Progress, Settings


@dataclass(frozen=True)
class Found:
    """All virtual tests, the case study, and the programs that ran them."""

    settings: Settings
    runs: Realisations
    case_study: case_study.CaseStudy
    programs: dict[tuple[str, float], Program]

    @cached_property
    def groups(self) -> dict[str, Agreement]:
        """The agreement of each case and choice, by its name."""
        return {name: agreement(*self.runs.of(name)) for name in dict.fromkeys(t.group for t in self.runs.tests)}

    def together(self, first: str) -> Agreement:
        """All runs of the cases ("case") or of the choices ("choice"); "" for all."""
        chosen = [each for name, each in self.groups.items() if name.startswith(first)]
        return Agreement(np.concatenate([a.z for a in chosen]), np.concatenate([a.relative for a in chosen]))


def run(settings: Settings, progress: Progress) -> Outcome:
    """All virtual tests (about `runs` of them if given), the case study, and what they say."""
    every = virtual_tests(settings.seed, settings.runs)
    built = programs(every)
    realised = realise(every, built, settings.jobs, lambda share: progress(0.85 * share))
    found = Found(settings, realised, case_study.study(settings.jobs), built)
    progress(1.0)
    return outcome(found)


def outcome(found: Found) -> Outcome:
    return Outcome(
        title=f"Virtual hybrid simulations against PPI: {len(found.runs.tests)} runs and a case study",
        introduction=INTRODUCTION,
        tables=tables(found),
        pictures=[
            Picture(name, title, words, partial(getattr(vrths_figures, draw), found))
            for name, title, words, draw in PICTURES
        ],
        notes=NOTES,
        conclusions=conclusions(found),
        data={
            "cases": [plain(case_row(found, case)) for case in CASES],
            "choices": [plain(choice_row(found, choice)) for choice in CHOICES],
            "realisations": realisation_rows(found),
            "case_study": [plain(one.row()) for one in found.case_study.shown],
            "partitions": plain(found.case_study.partitions.rows()),
        },
        summary=summary(found),
    )


def realisation_rows(found: Found) -> Sequence[dict[str, Any]]:
    """Every run with all that is needed to run it again."""
    rows = []
    for test, value in zip(found.runs.tests, found.runs.values, strict=True):
        part, error = test.partition, test.standard_error
        rows.append({
            "group": test.group, "rig": part.rig, "alpha": part.alpha, "beta": part.beta, "gamma": part.gamma,
            "zeta": part.zeta, "omega_n_rad_s": part.omega_n, "delay_s": part.delay, "s_g_m2_s3": test.spectrum,
            "seed": test.seed, "dt_s": test.dt, "noise_held_ticks": test.hold, "ticks": test.ticks,
            "settling_ticks": test.settling, "value": float(value), "ppi": test.moments.ppi, "standard_error": error,
            "z": float((value - test.moments.ppi) / error),
        })  # fmt: skip
    return rows


def summary(found: Found) -> dict[str, Any]:
    """The rows, and everything that is needed to compute them again."""
    first = {rig: program for (rig, _), program in found.programs.items()}
    engine = "c" if all(program.compiler_problem is None for program in first.values()) else "python"
    given = found.case_study
    return {
        "study": "vrths",
        "engine": engine,
        "seed": found.settings.seed,
        "runs": len(found.runs.tests),
        "ticks": found.runs.ticks,
        "relative_standard_error": RELATIVE_ERROR,
        "settling": f"{SETTLED:g} / (lowest damping ratio x omega_n)",
        "definitions": {
            "value": "omega_n^3 <e^2> / S_g, e = x_ref - x_rths, averaged over the run without its settling",
            "standard_error": "from the predicted spectrum: SE^2 = 2/(pi T) int S_ERR^2 d omega",
            "damping": "viscous, zeta of the whole structure, shared out by beta",
            "s_g": "two-sided power spectral density of the ground acceleration, m^2/s^3",
        },
        "rows": [plain(case_row(found, case)) for case in CASES],
        "choices": [plain(choice_row(found, choice)) for choice in CHOICES],
        "all": plain(agreement_row(found.together(""))),
        "case_study": {
            "alpha": case_study.ALPHA, "beta": case_study.BETA, "gamma": case_study.GAMMA, "zeta": case_study.ZETA,
            "omega_n_rad_s": case_study.OMEGA_N, "tau_s": case_study.TAU, "pga_g": case_study.PGA,
            "dt_s": case_study.DT, "ppi": given.ppi, "lowest_gamma": given.lowest_gamma,
            "printed": dict(case_study.PRINTED), "runs": [plain(one.row()) for one in given.shown],
            "records": {
                one.record.name: {"sha256": one.record.sha256, "pga_g": one.record.pga, "interpolation": "linear"}
                for one in given.shown
            },
        },
        "manifests": {rig: manifest.describe(program, {}, engine) for rig, program in first.items()},
    }  # fmt: skip
