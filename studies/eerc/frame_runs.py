"""The runs of the two-storey frame: three tests, each with ideal actuators, with lag, and with prediction.

Histories are taken at the steps of the integrator, 0.01 s apart. Drifts and shears of the storeys are twice the
displacements and forces at the actuators; the energies of errors at the actuators are WORK = 4 times as much in the
structure, and are given there.

    E^error = -sum 1/2 (K_i e_i + K_{i-1} e_{i-1}) (u^c_i - u^c_{i-1}),   e = u^c - u^m       Thewalt & Roman   (7.18)
    K = k (1 - (beta + gamma sign(z u')) |z|^n),   z = r / (k u_y)                            tangent of Eq. 7.3

The form with the tangent needs more than a laboratory knows of its specimen; that with the initial stiffness does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hybsim.diagrams.eerc_chapter6 import BOUC_WEN, K_COMP, LAG, STEP, TIME_SCALE, WORK, fig_6_1
from hybsim.errors import RunError
from hybsim.runtime import manifest
from hybsim.runtime.program import Program, compile
from hybsim.studies import measures
from hybsim.studies.eerc.frame_laboratory import STROKE, TESTS, LaboratoryTest, damping_time, residual_lag
from hybsim.studies.outcome import Progress, Settings

TICKS = 40
"""Of a step; the test had 1200."""

STIFFNESS = (2.74, 2.74)
"""kip/in of the columns (Table 7-2 and Sec. 7.3.4)."""

NOISE = 0.0005
"""Standard deviation in inches of the transducers; with it the largest errors are those of Table 7-1."""

STRONGER = 1.1
"""The input that the peaks and energies of both Tabas tests ask for."""

LEFT_OVER = np.array([-0.020, 0.0, 0.020, 0.040, 0.060, 0.080, 0.100])
"""Lags beyond the prediction, in seconds in the laboratory."""

KEPT = (
    "target.disp_cmd", "position.out", "measured.out", "force_meas.out", "error.e_error", "error_stiffness.e_error",
    "balance.e_kinetic", "balance.e_viscous", "balance.e_experimental", "balance.e_input", "balance.residual",
)  # fmt: skip


@dataclass(frozen=True)
class Variant:
    """How the actuators behave: lag and lead of both in seconds in the laboratory, noise of their transducers in in."""

    name: str
    prose: str
    lag: tuple[float, float] = (0.0, 0.0)
    lead: tuple[float, float] = (0.0, 0.0)
    noise: float = 0.0

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            "actuator1.delay": self.lag[0] / TIME_SCALE,
            "actuator2.delay": self.lag[1] / TIME_SCALE,
            "commands.lead": [seconds / TIME_SCALE for seconds in self.lead],
            "noise.variance": self.noise**2,
        }


def beyond(left_over: float) -> tuple[float, float]:
    """Lags that exceed the leads by as much."""
    return K_COMP[0] + left_over, K_COMP[1] + left_over


IDEAL = Variant("ideal", "ideal actuators")
LAGGING = Variant("lag", "lag 90 and 78 ms, no prediction", lag=LAG)
PREDICTED = Variant("predicted", "lag 90 and 78 ms, k_comp 95 and 85 ms", lag=LAG, lead=K_COMP)
LATE = Variant(
    "late", f"late by {1000.0 * residual_lag():.0f} ms in spite of k_comp, noise", lag=beyond(residual_lag()),
    lead=K_COMP, noise=NOISE,
)  # fmt: skip
VARIANTS = (IDEAL, LAGGING, PREDICTED, LATE)


@dataclass(frozen=True, eq=False)
class Run:
    """One run at the steps of the integrator; displacements and forces are at the two actuators, energies in the
    structure.

    work_measured, work_initial, work_tangent   energy error of each actuator: Mosqueda's form, and Thewalt & Roman's
                                                with the initial stiffness and with the tangent
    """

    test: LaboratoryTest
    variant: Variant
    specimen: str
    input_factor: float
    t: np.ndarray
    target: np.ndarray
    measured: np.ndarray
    force: np.ndarray
    work_measured: np.ndarray
    work_initial: np.ndarray
    work_tangent: np.ndarray
    kinetic: np.ndarray
    viscous: np.ndarray
    hysteretic: np.ndarray
    work_input: np.ndarray
    unbalanced: np.ndarray

    @property
    def drift(self) -> np.ndarray:
        return 2.0 * self.target

    @property
    def shear(self) -> np.ndarray:
        return 2.0 * self.force

    @property
    def error(self) -> float:
        """Energy error at the end, both actuators."""
        return float(self.work_measured[-1].sum())

    @property
    def peak(self) -> np.ndarray:
        """Largest displacement of each actuator."""
        return np.abs(self.target).max(axis=0)

    @property
    def disp_error(self) -> np.ndarray:
        """Largest difference of command and measured displacement of each actuator."""
        return np.abs(self.target - self.measured).max(axis=0)

    @property
    def delays(self) -> list[float]:
        """Delays of the measured behind the command displacements, in ms in the laboratory."""
        histories = {"t": self.t, "c": self.target.T, "a": self.measured.T}
        return [float(ms) * TIME_SCALE for ms in measures.delay("c", "a")(histories)]

    def row(self) -> dict[str, Any]:
        return {
            "test": self.test.name, "variant": self.variant.name, "specimen": self.specimen,
            "input_factor": self.input_factor,
            "e_error": self.error,
            "e_error_1": float(self.work_measured[-1, 0]), "e_error_2": float(self.work_measured[-1, 1]),
            "e_error_tangent": float(self.work_tangent[-1].sum()),
            "e_error_initial": float(self.work_initial[-1].sum()),
            "e_hysteretic": float(self.hysteretic[-1]), "e_viscous": float(self.viscous[-1]),
            "e_kinetic": float(self.kinetic[-1]), "e_input": float(self.work_input[-1]),
            "balance_residual": float(np.abs(self.unbalanced).max()),
            "peak_disp_1": float(self.peak[0]), "peak_disp_2": float(self.peak[1]),
            "disp_error_1": float(self.disp_error[0]), "disp_error_2": float(self.disp_error[1]),
            "disp_error_1_over_stroke": float(self.disp_error[0]) / STROKE,
            "disp_error_2_over_stroke": float(self.disp_error[1]) / STROKE,
            "delay_1_ms": self.delays[0], "delay_2_ms": self.delays[1],
            "lag_by_energy_ms": -1000.0 * TIME_SCALE * damping_time() * self.error / float(self.viscous[-1]),
            "final_drift_1": float(self.drift[-1, 0]),
        }  # fmt: skip

    def histories(self) -> list[dict[str, float]]:
        """A row for each step."""
        columns: dict[str, np.ndarray] = {"t": self.t}
        for name, pair in (("drift", self.drift), ("shear", self.shear), ("disp_meas", self.measured),
                           ("e_error", self.work_measured), ("e_error_tangent", self.work_tangent),
                           ("e_error_initial", self.work_initial)):  # fmt: skip
            columns |= {f"{name}_1": pair[:, 0], f"{name}_2": pair[:, 1]}
        columns |= dict(e_kinetic=self.kinetic, e_viscous=self.viscous, e_hysteretic=self.hysteretic,
                        e_input=self.work_input)  # fmt: skip
        return [dict(zip(columns, values, strict=True)) for values in zip(*map(_listed, columns.values()), strict=True)]


def _listed(values: np.ndarray) -> list[float]:
    return [float(value) for value in values]


@dataclass(frozen=True, eq=False)
class Found:
    """All runs, and for each test the energy error over the viscous energy at each lag of LEFT_OVER."""

    runs: list[Run] = field(default_factory=list)
    ratios: dict[str, np.ndarray] = field(default_factory=dict)
    manifests: dict[str, dict[str, Any]] = field(default_factory=dict)

    def of(self, test: LaboratoryTest, variant: Variant, specimen: str = "bouc-wen", input_factor: float = 1.0) -> Run:
        wanted = (test, variant, specimen, input_factor)
        return next(run for run in self.runs if (run.test, run.variant, run.specimen, run.input_factor) == wanted)


def simulate(settings: Settings, progress: Progress) -> Found:
    """Every test with every variant; then the document's linear columns, stronger input, and a row of lags."""
    found = Found()
    parts = 3 * len(TESTS) - 1
    done = 0
    for test in TESTS:
        program = compile(fig_6_1(**test.motion, stiffness=STIFFNESS, seed=settings.seed, ticks_per_step=TICKS))
        found.manifests[test.name] = _manifest(program, test)
        stronger = [] if test.linear else [(IDEAL, STRONGER)]
        found.runs.extend(sweep(program, test, "bouc-wen", [*((v, 1.0) for v in VARIANTS), *stronger], settings.jobs))
        done += 1
        progress(done / parts)
        found.ratios[test.name] = energy_ratios(program, test, settings.jobs)
        done += 1
        progress(done / parts)
        if test.linear:
            program = compile(fig_6_1(**test.motion, specimen="linear", stiffness=test.linear, ticks_per_step=TICKS))
            stronger = [] if test.name == "pulse" else [(IDEAL, STRONGER)]
            found.runs.extend(sweep(program, test, "linear", [(IDEAL, 1.0), *stronger], settings.jobs))
            done += 1
            progress(done / parts)
    return found


def sweep(
    program: Program, test: LaboratoryTest, specimen: str, wanted: Sequence[tuple[Variant, float]], jobs: int | None
) -> list[Run]:
    """The runs of one test with one specimen, for variants and factors of the input."""
    scale = program.parameters["record.scale"]
    batch = program.sweep(
        [{**variant.parameters, "record.scale": factor * scale} for variant, factor in wanted],
        duration=test.duration, keep=KEPT, jobs=jobs,
    )  # fmt: skip
    _complete(batch.stopped)
    k = float(program.parameters["column1.stiffness"]), float(program.parameters["column2.stiffness"])
    runs = []
    for i, (variant, factor) in enumerate(wanted):
        at = {name: batch[name][i, ::TICKS].copy() for name in KEPT}
        runs.append(
            Run(
                test, variant, specimen, factor, STEP * np.arange(len(at["balance.e_input"])),
                target=at["target.disp_cmd"], measured=at["measured.out"], force=at["force_meas.out"],
                work_measured=WORK * at["error.e_error"], work_initial=WORK * at["error_stiffness.e_error"],
                work_tangent=WORK * thewalt_roman(at, tangents(at, k, specimen)),
                kinetic=at["balance.e_kinetic"], viscous=at["balance.e_viscous"],
                hysteretic=at["balance.e_experimental"], work_input=at["balance.e_input"],
                unbalanced=at["balance.residual"],
            )
        )  # fmt: skip
    return runs


def tangents(at: Mapping[str, np.ndarray], k: tuple[float, float], specimen: str) -> np.ndarray:
    """The tangent stiffness of both columns at every step."""
    stiffness = np.tile(k, (len(at["force_meas.out"]), 1))
    if specimen == "bouc-wen":
        z = at["force_meas.out"][:, 0] / (k[0] * BOUC_WEN["yield_disp"])
        way = np.diff(at["position.out"][:, 0], prepend=0.0)
        shape = BOUC_WEN["beta"] + BOUC_WEN["gamma"] * np.sign(z * way)
        stiffness[:, 0] *= 1.0 - shape * np.abs(z) ** BOUC_WEN["n"]
    return stiffness


def thewalt_roman(at: Mapping[str, np.ndarray], stiffness: np.ndarray) -> np.ndarray:
    """The energy error of each actuator from the stiffness of each step."""
    command = at["target.disp_cmd"]
    missing = stiffness * (command - at["measured.out"])
    work = -0.5 * (missing[1:] + missing[:-1]) * np.diff(command, axis=0)
    return np.concatenate([np.zeros((1, 2)), np.cumsum(work, axis=0)])


def energy_ratios(program: Program, test: LaboratoryTest, jobs: int | None) -> np.ndarray:
    """E^error / E^vis at the end of the test, for each lag that prediction leaves over."""
    variants = [Variant("", "", lag=beyond(seconds), lead=K_COMP).parameters for seconds in LEFT_OVER]
    batch = program.sweep(variants, duration=test.duration, keep=[], jobs=jobs)
    _complete(batch.stopped)
    ratio: np.ndarray = WORK * batch.final("error.e_error").sum(axis=1) / batch.final("balance.e_viscous")
    return ratio


def _complete(stopped: Sequence[Any]) -> None:
    reason = next((str(stop) for stop in stopped if stop), None)
    if reason:
        raise RunError(f"A run of the frame did not come to its end: {reason}")


def _manifest(program: Program, test: LaboratoryTest) -> dict[str, Any]:
    engine = "c" if program.compiler_problem is None else "python"
    return {**manifest.describe(program, {}, engine), "duration_s": test.duration}
