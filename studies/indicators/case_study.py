"""The case study of PSI Sec. 4.3: a light, stiff frame with little damping and a late actuator, cut so that it works.

    omega_n = 32.9 rad/s, zeta = 0.014, alpha = gamma = 0.75, beta = 0.82, tau = 14.8 ms

    NRMSE = RMS[x_SIM - x_RTHS] / (max x_SIM - min x_SIM)                                      (4.4)

The document runs it with a shake table and a hydraulic actuator under the Chi-Chi record (0.061 g). Here it is a
virtual test under the two bundled records, scaled to that peak, with the delay as such and with TS_1, an actuator of
the same laboratory and of nearly the same delay. The other partitions of Figs. 4.13 and 4.14, gamma from 0.5 to 1, are
run too.

The damping that a test has is measured in the diagram, too: let go from a displacement, it vibrates as
x_{k+2} = a x_{k+1} + b x_k, sampled every eighth of a period; the roots z of z^2 = a z + b give s = ln(z) / h.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import Record, load_record
from hybsim.diagrams.sdof_rths import DELAY, G, delay_parameter, partition_parameters, sdof_rths
from hybsim.runtime.program import Program, compile
from hybsim.studies.indicators.performance import ppi_map
from hybsim.studies.indicators.sdof import critical, dominant_root_map, effective_damping, omega_cr_map
from hybsim.studies.indicators.vrths_spectrum import normalised

ALPHA, BETA, GAMMA, ZETA, OMEGA_N, TAU = 0.75, 0.82, 0.75, 0.014, 32.9, 0.0148
OMEGA = OMEGA_N * TAU
ACTUATOR, RESIDUAL_DELAY = "TS_1", 0.00012 + 0.00024
"""Another actuator in place of the one whose delay is 14.4 ms, and computation with communication."""

RECORDS = ("elcentro", "tabas")
PGA = 0.061
DT = 0.0002
GAMMAS = np.round(np.linspace(0.5, 1.0, 51), 4)

PRINTED = {"nrmse": 0.008, "ppi": 0.205, "omega": 0.49, "lowest_gamma": 0.69}

DECAY, SKIPPED = 6.0, 0.5
"""Seconds of a free vibration, and those at its beginning in which the start is forgotten."""


@dataclass(frozen=True)
class Shown:
    """One test under a record: t, reference and test in m, and NRMSE."""

    record: Record
    rig: str
    t: np.ndarray
    reference: np.ndarray
    test: np.ndarray

    @property
    def nrmse(self) -> float:
        return float(nrmse(self.reference, self.test))

    def row(self) -> dict[str, Any]:
        return {
            "record": self.record.name, "rig": self.rig, "nrmse": self.nrmse,
            "peak_reference_mm": 1000.0 * float(np.abs(self.reference).max()),
            "peak_error_mm": 1000.0 * float(np.abs(self.reference - self.test).max()),
            "peak_error": float(np.abs(self.reference - self.test).max() / np.abs(self.reference).max()),
        }  # fmt: skip


@dataclass(frozen=True)
class Partitions:
    """gamma with everything else as in the case study: predicted, and measured in the diagram.

    nrmse     by record; nan where the test is unstable
    damping   of the free vibration of the diagram, -Re s / omega_n
    """

    gamma: np.ndarray
    ppi: np.ndarray
    zeta_printed: np.ndarray
    zeta_signed: np.ndarray
    root: np.ndarray
    damping: np.ndarray
    nrmse: Mapping[str, np.ndarray]

    def rows(self) -> list[dict[str, Any]]:
        columns = {
            "gamma": self.gamma, "ppi": self.ppi, "zeta_eff_printed": self.zeta_printed,
            "zeta_eff_signed": self.zeta_signed, "damping_of_root": -self.root.real, "damping_measured": self.damping,
            **{f"nrmse_{name}": values for name, values in self.nrmse.items()},
        }  # fmt: skip
        return [{name: float(values[i]) for name, values in columns.items()} for i in range(len(self.gamma))]


@dataclass(frozen=True)
class CaseStudy:
    """Everything about Sec. 4.3; `lowest_gamma` is where Omega_cr is the Omega of the test."""

    shown: Sequence[Shown]
    partitions: Partitions
    ppi: float
    unconditional: bool
    lowest_gamma: float


def nrmse(reference: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Eq. 4.4, over the last axis."""
    error = np.sqrt(np.mean((reference - test) ** 2, axis=-1))
    return np.asarray(error / (reference.max(axis=-1) - reference.min(axis=-1)))


def study(jobs: int | None = None) -> CaseStudy:
    """Run the case study and the partitions beside it."""
    return CaseStudy(
        shown=[shown(name, rig) for name in RECORDS for rig in (DELAY, ACTUATOR)],
        partitions=partitions(GAMMAS, jobs),
        ppi=float(ppi_map(ALPHA, BETA, GAMMA, ZETA, OMEGA)),
        unconditional=critical(ALPHA, BETA, GAMMA, ZETA).unconditional,
        lowest_gamma=lowest_gamma(),
    )


def shown(name: str, rig: str = DELAY, dt: float = DT) -> Shown:
    """The case study under a record, with the delay as such or with an actuator."""
    record = load_record(name).scaled_to(PGA)
    result = diagram(record, rig, dt).run(record.duration)
    return Shown(record, rig, result.t, result["reference.disp_target"], result["numerical.disp_target"])


def diagram(record: Record | None, rig: str = DELAY, dt: float = DT, initial_disp: float = 0.0) -> Program:
    """The program of the case study; without a record the ground stands still."""
    system, delay = (DELAY, TAU) if rig == DELAY else (normalised(rig), RESIDUAL_DELAY)
    bd = sdof_rths(
        alpha=ALPHA, beta=BETA, gamma=GAMMA, zeta=ZETA, omega_n=OMEGA_N, delay=delay, max_delay=2.0 * TAU, rig=system,
        record=record, scale=G, spectrum=0.0, initial_disp=initial_disp, dt=dt,
    )  # fmt: skip
    return compile(bd)


def partitions(gammas: np.ndarray, jobs: int | None = None) -> Partitions:
    """Predictions for other shares of the stiffness, and what the diagram does with them."""
    where = ALPHA, BETA, gammas, ZETA, OMEGA
    with np.errstate(invalid="ignore"):
        printed = np.sqrt(_printed_square(gammas))
    return Partitions(
        gammas, ppi_map(*where), printed, effective_damping(*where), dominant_root_map(*where),
        measured_damping(gammas, jobs), {name: nrmse_by_gamma(name, gammas, jobs) for name in RECORDS},
    )  # fmt: skip


def lowest_gamma() -> float:
    """The share of the stiffness below which the case study is unstable, by bisection."""
    low, high = 0.5, GAMMA
    for _ in range(50):
        middle = 0.5 * (low + high)
        stable = float(omega_cr_map(ALPHA, BETA, middle, ZETA)) > OMEGA
        low, high = (low, middle) if stable else (middle, high)
    return 0.5 * (low + high)


def nrmse_by_gamma(name: str, gammas: np.ndarray, jobs: int | None = None) -> np.ndarray:
    """NRMSE of the diagram under a record; nan where the test is unstable."""
    record = load_record(name).scaled_to(PGA)
    # With ticks five times as long the NRMSE is right to 3e-4 of itself, and the histories need little memory.
    program = diagram(record, dt=5.0 * DT)
    runs = [_parameters(gamma, 5.0 * DT) for gamma in gammas]
    kept = ["reference.disp_target", "numerical.disp_target"]
    batch = program.sweep(runs, duration=record.duration, keep=kept, jobs=jobs)
    stable = omega_cr_map(ALPHA, BETA, gammas, ZETA) > OMEGA
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(stable, nrmse(batch[kept[0]], batch[kept[1]]), np.nan)


def measured_damping(gammas: np.ndarray, jobs: int | None = None) -> np.ndarray:
    """-Re s / omega_n of the free vibration of the diagram, without any theory of it."""
    program = diagram(None, initial_disp=0.01)
    name = "numerical.disp_target"
    batch = program.sweep([_parameters(gamma, DT) for gamma in gammas], duration=DECAY, keep=[name], jobs=jobs)
    step = round(2.0 * math.pi / OMEGA_N / 8.0 / DT)
    return np.array([_damping(x[round(SKIPPED / DT) :: step], step * DT) for x in batch[name]])


def _damping(x: np.ndarray, step: float) -> float:
    """The damping ratio of samples of one decaying or growing vibration."""
    before = np.column_stack([x[1:-1], x[:-2]])
    # Each equation in its own size, or a growing vibration would count at its end alone.
    size = np.abs(before).max(axis=1)
    a, b = np.linalg.lstsq(before / size[:, None], x[2:] / size, rcond=None)[0]
    return -float(np.log(np.roots([1.0, -a, -b]).astype(complex)).real.max()) / (step * OMEGA_N)


def _parameters(gamma: float, dt: float) -> dict[str, Any]:
    shares = dict(alpha=ALPHA, beta=BETA, gamma=float(gamma), zeta=ZETA, omega_n=OMEGA_N)
    return {**partition_parameters(**shares), **delay_parameter(TAU, dt)}


def _printed_square(gammas: np.ndarray) -> np.ndarray:
    """The square of Eq. 3.13 as printed, from Eq. 3.14."""
    lost = 1.0 - math.cos(OMEGA)
    constant = 0.5 * (gammas - ALPHA) ** 2 * lost
    linear = math.sin(OMEGA) * (gammas - ALPHA)
    quadratic = 1.0 + 2.0 * BETA * lost * (BETA - 1.0)
    return np.asarray(constant + linear * ZETA + quadratic * ZETA**2)
