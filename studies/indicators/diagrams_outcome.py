"""The diagrams of PSI Chapters 2 to 4 as one report: stability, regions, actuator and sampling, performance, damping.

Everything is computed from closed forms (sdof.py, performance.py); nothing is simulated. Where a misprint of the
document changes a figure, the figure's explanation says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hybsim.studies.indicators.cases import (
    CASE_II,
    CASE_STUDY,
    CASE_STUDY_OMEGA_N,
    CASE_STUDY_TAU,
    CONFIGURATIONS,
    DAMPING_RATIOS,
    TABLE_2_1,
    TABLE_3_1,
    shares,
)
from hybsim.studies.indicators.diagrams_words import (
    CONCLUSIONS,
    DAMPING,
    DIAGRAMS,
    INTRODUCTION,
    NOTES,
    PERFORMANCE,
    REGIONS,
    UNCONDITIONAL,
    actuator_conclusion,
    envelope,
)
from hybsim.studies.indicators.figures_performance import draw_effective_damping, draw_performance, performance_map
from hybsim.studies.indicators.figures_stability import (
    draw_regions,
    draw_stability_diagrams,
    draw_unconditional,
)
from hybsim.studies.indicators.figures_transfer import draw_envelope
from hybsim.studies.indicators.performance import ppi
from hybsim.studies.indicators.prediction import Setup, predict
from hybsim.studies.indicators.printed_results import TABLE_2_2, TABLE_4_1
from hybsim.studies.indicators.regions import unconditional_range
from hybsim.studies.indicators.sdof import critical_delay, omega_cr_map, phi_cr_map, psi
from hybsim.studies.indicators.transfer_requirements import (
    Phase,
    actuator_phase,
    checked_delays,
    exact_delay_left,
    least_sampling,
)
from hybsim.studies.outcome import Outcome, Picture, Progress, Table

EXAMPLE = CONFIGURATIONS[1][1]
EXAMPLE_OMEGA_N = 50.0
"""Fig. 2.6 is drawn for configuration 2 of Table 2.2 in a stiff structure, unless a critical delay is given."""

ACTUATOR_FREQUENCIES = (10.0, 30.0, 50.0)

COARSE = 51
"""Points along each axis of the performance diagrams in the csv file."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Transfer:
    """The actuator whose demands are drawn, and the delays in s."""

    phase: Phase
    tau_cr: float
    tau_comm: float

    @classmethod
    def of(cls, actuator: str, tau_cr: float | None, tau_comm: float) -> Transfer:
        """Without a critical delay: that of the example; what is no actuator or no delay is refused."""
        own = float(critical_delay(omega_cr_map(*EXAMPLE), EXAMPLE_OMEGA_N)) if tau_cr is None else tau_cr
        checked_delays(own, tau_comm)
        return cls(actuator_phase(actuator), own, tau_comm)

    @property
    def sampling(self) -> float:
        return least_sampling(self.tau_cr, self.phase.longest, self.tau_comm)


def run(transfer: Transfer, progress: Progress) -> Outcome:
    """All diagrams, with the tables behind them."""
    table_2_2, range_rows = table_2_2_rows(), range_of_case_ii()
    actuator = actuator_rows(transfer)
    progress(0.5)
    table_4_1, study = table_4_1_rows(), case_study()
    progress(1.0)
    return Outcome(
        "Before the test: stability and performance diagrams of a hybrid test with one degree of freedom",
        summary={
            "rows": [*table_2_2, *range_rows, *actuator, *table_4_1, study],
            "source": "PSI Chapters 2 to 4, corrected; closed forms, nothing is simulated",
            "definitions": {
                "alpha, beta, gamma": "numerical shares of mass, damping and stiffness",
                "Omega": "omega_n tau", "PSI": "natural logarithm of tau_cr in ms",
                "PPI": "omega_n^3 sigma^2 / S_g, S_g two-sided, in m^2/s^3",
            },
            "damping_ratios": list(DAMPING_RATIOS),
            "actuator": {
                "name": transfer.phase.name, "tau_cr_s": transfer.tau_cr, "tau_comm_s": transfer.tau_comm,
                "longest_phase_delay_s": transfer.phase.longest, "at_rad_s": transfer.phase.at,
                "sampling_hz": transfer.sampling,
            },
            "warnings": list(transfer.phase.warnings),
        },
        tables=[
            _table_2_2(table_2_2), _range_table(range_rows), _actuator_table(transfer, actuator), _table_4_1(table_4_1)
        ],
        pictures=[
            Picture("stability_diagrams", "Stability diagrams (PSI Fig. 2.1)", DIAGRAMS, draw_stability_diagrams),
            Picture("stability_regions", "Regions of case II at 5 % damping (PSI Fig. 2.4)", REGIONS, draw_regions),
            Picture("unconditional_range", "Stable with any delay (PSI Fig. 2.5)", UNCONDITIONAL, draw_unconditional),
            Picture(
                "phase_envelope", f"What {transfer.phase.name} and the sampling must do (PSI Fig. 2.6, Eq. 2.25)",
                envelope(transfer.phase, transfer.tau_cr, transfer.tau_comm, transfer.sampling),
                partial(draw_envelope, transfer.phase, transfer.tau_cr, transfer.tau_comm),
            ),
            Picture("performance_diagrams", "Performance and stability (PSI Fig. 3.2)", PERFORMANCE, draw_performance),
            Picture("effective_damping", "A choice of gamma (PSI Fig. 4.14)", DAMPING, draw_effective_damping),
        ],
        data={
            "table_2_2": table_2_2, "stability_diagrams": diagram_rows(), "unconditional_range": range_rows,
            "actuator": actuator, "performance_diagrams": performance_rows(), "table_4_1": table_4_1,
            "case_study": [study],
        },
        introduction=INTRODUCTION,
        notes=[*NOTES, *transfer.phase.warnings],
        conclusions=[*CONCLUSIONS, actuator_conclusion(transfer.phase, transfer.tau_cr, transfer.sampling)],
    )  # fmt: skip


# ---- rows


def table_2_2_rows() -> list[Row]:
    partitions = dict(CONFIGURATIONS)
    rows: list[Row] = []
    for printed in TABLE_2_2:
        omega = float(omega_cr_map(*partitions[printed.configuration]))
        tau = float(critical_delay(omega, printed.omega_n))
        rows.append({
            "table": "2.2", "configuration": printed.configuration, "omega_n": printed.omega_n, "omega_cr": omega,
            "tau_cr_s": tau, "psi": float(psi(tau)), "psi_log10": float(psi(tau, log10=True)), "printed": printed.psi,
        })  # fmt: skip
    return rows


def range_of_case_ii() -> list[Row]:
    rows: list[Row] = []
    for zeta in DAMPING_RATIOS:
        low, high = unconditional_range(CASE_II.alpha, CASE_II.beta, zeta)
        rows.append({"table": "2.5", "zeta": zeta, "gamma_low": float(low), "gamma_high": float(high)})
    return rows


def actuator_rows(transfer: Transfer) -> list[Row]:
    rows: list[Row] = []
    for number, partition in CONFIGURATIONS:
        for omega_n in ACTUATOR_FREQUENCIES:
            tau = float(critical_delay(omega_cr_map(*partition), omega_n))
            left = exact_delay_left(partition, omega_n, transfer.phase.name)
            rows.append({
                "table": "2.6", "configuration": number, "omega_n": omega_n, "tau_cr_s": tau,
                "sampling_hz": least_sampling(tau, transfer.phase.longest, transfer.tau_comm),
                "delay_left_s": left, "sampling_exact_hz": least_sampling(left, 0.0, transfer.tau_comm),
            })  # fmt: skip
    return rows


def table_4_1_rows() -> list[Row]:
    return [
        {
            "table": "4.1", "case": row.case, "gamma": row.gamma, "zeta": row.zeta, "omega": row.omega,
            "omega_cr": float(omega_cr_map(*row.partition)), "ppi": ppi(*row.partition, row.omega), "printed": row.ppi,
        }
        for row in TABLE_4_1
    ]  # fmt: skip


def case_study() -> Row:
    alpha, beta, gamma, zeta = CASE_STUDY.partition(CASE_STUDY.gamma)
    found = predict(Setup(alpha, beta, gamma, zeta, CASE_STUDY_OMEGA_N, CASE_STUDY_TAU))
    return {"table": "4.3", "omega": CASE_STUDY_OMEGA_N * CASE_STUDY_TAU, "printed": 0.205, **found.summary()}


def diagram_rows() -> list[Row]:
    """The first switch along the cases of Table 2.1, in full; omega_cr is a hole where any delay is stable."""
    share = shares(201)
    rows: list[Row] = []
    for case in TABLE_2_1:
        for zeta in DAMPING_RATIOS:
            where = case.partition(share, zeta)
            omega, phi = (np.broadcast_to(each(*where), share.shape) for each in (omega_cr_map, phi_cr_map))
            rows += [
                {"case": case.name, "zeta": zeta, "free": case.free, "share": s, "omega_cr": o, "phi_cr": p}
                for s, o, p in zip(share.tolist(), omega.tolist(), phi.tolist(), strict=True)
            ]
    return rows


def performance_rows() -> list[Row]:
    """The PPI of the nine cases on a coarse grid; a hole where the test is unstable."""
    rows: list[Row] = []
    for case in TABLE_3_1:
        omega, share, found = performance_map(case, COARSE)
        rows += [
            {"case": case.name, "free": case.free, "share": float(s), "omega": float(o), "ppi": float(found[i, j])}
            for i, s in enumerate(share)
            for j, o in enumerate(omega)
        ]
    return rows


# ---- tables


def _table_2_2(rows: Sequence[Row]) -> Table:
    return Table(
        "Predictive stability indicators (PSI Table 2.2)",
        ("no.", "omega_n\n[rad/s]", "Omega_cr\n[rad]", "tau_cr\n[ms]", "PSI\n(ln)", "printed", "PSI\n(log10)"),
        [
            (
                f"{row['configuration']}", f"{row['omega_n']:g}", f"{row['omega_cr']:.4f}",
                f"{1000.0 * row['tau_cr_s']:.2f}", f"{row['psi']:.3f}", f"{row['printed']:.2f}",
                f"{row['psi_log10']:.3f}",
            )
            for row in rows
        ],
        "Eq. 2.20 is printed with log10, but the printed values are natural logarithms. Configuration 2 is computed"
        " with zeta = 0.10, which fits the printed Omega_cr of 0.963; 0.05 is printed.",
    )  # fmt: skip


def _range_table(rows: Sequence[Row]) -> Table:
    return Table(
        "gamma of case II, stable with any delay",
        ("zeta", "from", "to"),
        [(f"{row['zeta']:g}", f"{row['gamma_low']:.4f}", f"{row['gamma_high']:.4f}") for row in rows],
        "The range in which no delay makes the test unstable (PSI Fig. 2.5), for alpha = 0.9 and beta = 0.6, from"
        " Eq. 2.22, which is right as printed.",
    )


def _actuator_table(transfer: Transfer, rows: Sequence[Row]) -> Table:
    return Table(
        f"Smallest sampling frequency with {transfer.phase.name} (PSI Eq. 2.25)",
        ("no.", "omega_n\n[rad/s]", "tau_cr\n[ms]", "envelope\n[Hz]", "delay left,\nexact [ms]", "exact\n[Hz]"),
        [
            (
                f"{row['configuration']}", f"{row['omega_n']:g}", f"{1000.0 * row['tau_cr_s']:.2f}",
                hertz(row["sampling_hz"]), f"{1000.0 * row['delay_left_s']:.2f}", hertz(row["sampling_exact_hz"]),
            )
            for row in rows
        ],
        "The configurations of Table 2.2. The envelope counts the longest phase delay of the actuator at any frequency;"
        " the exact figures come from the roots of the characteristic equation with the actuator in it.",
    )  # fmt: skip


def _table_4_1(rows: Sequence[Row]) -> Table:
    return Table(
        "PPI of the eight cases of PSI Table 4.1",
        ("case", "gamma", "zeta", "Omega", "Omega_cr", "PPI", "printed"),
        [
            (
                f"{row['case']}", f"{row['gamma']:g}", f"{row['zeta']:g}", f"{row['omega']:g}",
                f"{row['omega_cr']:.4f}", f"{row['ppi']:.4g}", f"{row['printed']:.2g}",
            )
            for row in rows
        ],
        "alpha = 0.8, beta = 0.5. Case 4 is close to its limit and has a resonance with a half-width of 0.0025 in phi:"
        " the printed value is an error of quadrature.",
    )  # fmt: skip


def hertz(value: float) -> str:
    return "none" if math.isinf(value) else f"{value:.3g}"
