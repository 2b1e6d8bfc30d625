"""The runs of the OSM study: every model with every damping and integrator, m varied, control errors, substructures.

    d_k = d~_k + beta dt^2 a_k                      corrected displacement, compared with the reference at its time
    E_c(n) = sum_{j<=n} |r_j (d_j - d_ref,j)|       cumulative energy index of the top node                      (12)
    U_k = |M_t + M_b| / M_max                       unbalanced moment of Model 4, at the targets

r_j is the force measured at the target d~_j. E_c is a sum over steps without a factor dt: it depends on the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hybsim.diagrams.osm_columns import DAMPINGS, DT, M, column
from hybsim.diagrams.osm_models import INTEGRATORS, osm_model, osm_reference
from hybsim.errors import RunError
from hybsim.runtime import manifest
from hybsim.runtime.program import Program, compile
from hybsim.studies.osm.amplification import Curve, figures_14_to_17
from hybsim.studies.osm.fibre import Fibre, Workers
from hybsim.studies.outcome import Progress, Settings

MODELS = (1, 2, 3, 4)
DURATION = {1: 30.0, 2: 30.0, 3: 30.0, 4: 15.0}
FINER = 20
ALPHA = -0.1
MS = (1, 2, 4, 6, 8, 12, 20, 40, 80)
M_DAMPINGS = ("none", "initial", "tangent")
VARIANCE = 3e-7
"""in^2, of the control error of Model 2."""

SEEDS = 6
ERROR_DAMPINGS = ("none", "tangent")
STEEL_DAMPINGS = ("none", "tangent")


@dataclass(frozen=True, eq=False)
class Run:
    """Top node of one model: displacements and forces at the steps, and the reference's displacements."""

    model: int
    damping: str
    integrator: str
    m: int | None
    t: np.ndarray
    disp: np.ndarray
    force: np.ndarray
    reference: np.ndarray

    @property
    def energy(self) -> np.ndarray:
        """E_c after each step, kip in."""
        summed: np.ndarray = np.cumsum(np.abs(self.force * (self.disp - self.reference)))
        return summed

    @property
    def largest_error(self) -> float:
        """Largest difference to the reference over the reference's peak."""
        return float(np.abs(self.disp - self.reference).max() / np.abs(self.reference).max())

    def row(self) -> dict[str, Any]:
        return {
            "model": self.model, "damping": self.damping, "integrator": self.integrator, "m": self.m,
            "peak_disp": float(np.abs(self.disp).max()), "peak_reference": float(np.abs(self.reference).max()),
            "largest_error": self.largest_error, "energy_index": float(self.energy[-1]),
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Unbalanced:
    """U of Model 4 at every step."""

    damping: str
    integrator: str
    t: np.ndarray
    ratio: np.ndarray

    def row(self) -> dict[str, Any]:
        return {
            "damping": self.damping, "integrator": self.integrator, "mean": float(self.ratio.mean()),
            "quantile_95": float(np.quantile(self.ratio, 0.95)), "largest": float(self.ratio.max()),
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Errors:
    """Model 2 with control errors: what they change of the top node's displacement, a row for each seed."""

    damping: str
    integrator: str
    threshold: float
    t: np.ndarray
    clean: np.ndarray
    disp: np.ndarray
    largest_input: float

    @property
    def changes(self) -> np.ndarray:
        """Largest change over the peak, for each seed."""
        change: np.ndarray = np.abs(self.disp - self.clean).max(axis=1) / np.abs(self.clean).max()
        return change

    def row(self) -> dict[str, Any]:
        return {
            "damping": self.damping, "integrator": self.integrator, "threshold_in": self.threshold,
            "mean_change": float(self.changes.mean()), "largest_change": float(self.changes.max()),
            "changes": self.changes.tolist(), "largest_control_error_in": self.largest_input,
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Found:
    runs: list[Run] = field(default_factory=list)
    steel: list[Run] = field(default_factory=list)
    m_runs: list[Run] = field(default_factory=list)
    unbalanced: list[Unbalanced] = field(default_factory=list)
    errors: list[Errors] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    ductility: dict[int, list[float]] = field(default_factory=dict)
    manifests: dict[str, Any] = field(default_factory=dict)
    fibre: Fibre = field(default_factory=Fibre)

    def of(self, model: int, damping: str, integrator: str, steel: bool = False) -> Run:
        wanted, runs = (model, damping, integrator), self.steel if steel else self.runs
        return next(r for r in runs if (r.model, r.damping, r.integrator) == wanted)

    def with_m(self, damping: str, m: int) -> Run:
        return next(r for r in self.m_runs if (r.damping, r.m) == (damping, m))

    def moments(self, damping: str, integrator: str) -> Unbalanced:
        return next(u for u in self.unbalanced if (u.damping, u.integrator) == (damping, integrator))


def simulate(settings: Settings, progress: Progress) -> Found:
    """Everything; OpenSees is at work meanwhile."""
    parts, done = len(MODELS) * len(DAMPINGS) + len(M_DAMPINGS) + 3, 0

    def another() -> None:
        nonlocal done
        done += 1
        progress(done / parts)

    with Workers() as workers:
        runs: list[Run] = []
        m_runs: list[Run] = []
        unbalanced: list[Unbalanced] = []
        ductility: dict[int, list[float]] = {}
        manifests: dict[str, Any] = {}
        references: dict[tuple[int, str], np.ndarray] = {}
        for model in MODELS:
            for damping in DAMPINGS:
                true, bent, moments = reference(model, damping)
                references[model, damping] = true
                unbalanced.extend(moments)
                if damping == "none":
                    ductility[model] = bent
                for integrator in INTEGRATORS:
                    program = compile(osm_model(model=model, integrator=integrator, damping=damping, alpha=ALPHA))
                    if damping == "tangent":
                        manifests[f"model_{model}_{integrator}"] = manifest.describe(program, {}, engine(program))
                    made, moments = run(program, model, damping, integrator, true)
                    runs.append(made)
                    unbalanced.extend(moments)
                another()
        for damping in M_DAMPINGS:
            for m in MS:
                program = compile(osm_model(model=3, damping=damping, m=m))
                m_runs.append(run(program, 3, damping, "osm-us", references[3, damping], m)[0])
            another()
        errors = control_errors(settings)
        another()
        steel = steel_runs()
        another()
        found = Found(
            runs, steel, m_runs, unbalanced, errors, figures_14_to_17(), ductility, manifests, workers.result()
        )
    another()
    return found


def engine(program: Program) -> str:
    return "c" if program.compiler_problem is None else "python"


def corrected(target: np.ndarray, accel: np.ndarray, dt: float, alpha: float) -> np.ndarray:
    """d_k of every step but the last; the block shows a_k one tick later, and starts at d_0 = d~_0."""
    change = 0.25 * (1.0 - alpha) ** 2 * dt * dt * accel[1:]
    change[0] = 0.0
    corrected_disp: np.ndarray = target[:-1] + change
    return corrected_disp


def steel_runs() -> list[Run]:
    """Every model with springs of steel."""
    runs = []
    for model in MODELS:
        for damping in STEEL_DAMPINGS:
            true = reference(model, damping, "steel")[0]
            for integrator in INTEGRATORS:
                bd = osm_model(model=model, integrator=integrator, damping=damping, alpha=ALPHA, springs="steel")
                runs.append(run(compile(bd), model, damping, integrator, true)[0])
    return runs


def reference(model: int, damping: str, springs: str = "bouc-wen") -> tuple[np.ndarray, list[float], list[Unbalanced]]:
    """The top node at the steps, the ductility of each spring, and for Model 4 the moments."""
    made, tick = column(model), DT[model] / FINER
    result = _completed(
        compile(osm_reference(model=model, damping=damping, finer=FINER, springs=springs)).run(DURATION[model])
    )
    target, accel = (_top(result[name], made.top) for name in ("integrator.disp_target", "integrator.accel"))
    disp = corrected(target, accel, tick, 0.0)
    bent = np.abs(result["deformation.disp_cmd"]).max(axis=0) / made.yields
    return disp[::FINER], [float(value) for value in np.atleast_1d(bent)], _moments(result, damping, "reference", FINER)


def run(
    program: Program, model: int, damping: str, integrator: str, true: np.ndarray, m: int | None = None
) -> tuple[Run, list[Unbalanced]]:
    """One integrator at the paper's step."""
    result, top, dt = _completed(program.run(DURATION[model])), column(model).top, DT[model]
    alpha = ALPHA if integrator == "alpha-os" else 0.0
    disp = corrected(_top(result["integrator.disp_target"], top), _top(result["integrator.accel"], top), dt, alpha)
    count = min(len(disp), len(true))
    used = (M[model] if m is None else m) if integrator == "osm-us" else None
    force = _top(result["restoring.out"], top)[:count]
    made = Run(model, damping, integrator, used, dt * np.arange(count), disp[:count], force, true[:count])
    return made, _moments(result, damping, integrator, 1)


def _moments(result: Any, damping: str, integrator: str, every: int) -> list[Unbalanced]:
    if "top.force" not in result.names:
        return []
    bottom, top = (result[f"{part}.force"][::every, 1] for part in ("bottom", "top"))
    largest = max(np.abs(bottom).max(), np.abs(top).max())
    return [Unbalanced(damping, integrator, DT[4] * np.arange(len(top)), np.abs(bottom + top) / largest)]


def control_errors(settings: Settings) -> list[Errors]:
    """Model 2 with the same errors for every integrator; OSM-US also with the threshold of Rule 2."""
    variance = VARIANCE if settings.variance is None else settings.variance
    seeds = range(settings.seed, settings.seed + SEEDS)
    threshold = 3.0 * variance**0.5
    cases: list[tuple[str, float]] = [*((name, 0.0) for name in INTEGRATORS), ("osm-us", threshold)]
    found = []
    for damping in ERROR_DAMPINGS:
        for integrator, least in cases:
            program = compile(osm_model(model=2, damping=damping, integrator=integrator, threshold=least, alpha=ALPHA))
            points = [{"error.variance": 0.0}, *({"error.variance": variance, "error.seed": s} for s in seeds)]
            batch = program.sweep(points, duration=DURATION[2], keep=["integrator.disp_target", "error.value"],
                                  jobs=settings.jobs)  # fmt: skip
            _all_completed(batch.stopped)
            disp = batch["integrator.disp_target"][:, :, 1]
            found.append(
                Errors(damping, integrator, least, DT[2] * np.arange(disp.shape[1]), disp[0], disp[1:],
                       float(np.abs(batch["error.value"]).max()))
            )  # fmt: skip
    return found


def _top(values: np.ndarray, top: int) -> np.ndarray:
    return values if values.ndim == 1 else values[:, top]


def _completed(result: Any) -> Any:
    _all_completed([result.stopped])
    return result


def _all_completed(stopped: Sequence[Any]) -> None:
    reason = next((str(stop) for stop in stopped if stop), None)
    if reason:
        raise RunError(f"A run of the OSM study did not come to its end: {reason}")
