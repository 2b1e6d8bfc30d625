"""The study of the OSM paper: OSM, alpha-OS and OSM-US on four yielding columns, and in theory.

Displacements and cumulative energy indices for four definitions of damping, the influence of m, control errors,
unbalanced moments between substructures, spectral radius, numerical damping and period elongation, and fibre columns by
OpenSees where it is installed.

Hung & El-Tawil (2009), A method for estimating specimen tangent stiffness for hybrid simulation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

from hybsim.blocks.sources.records import load_record
from hybsim.diagrams.osm_columns import (
    DAMPING_RATIO,
    DAMPINGS,
    DT,
    FLOOR_WEIGHT,
    HARDENING,
    ROTARY,
    G,
    M,
    column,
    damping_parts,
    largest_step,
)
from hybsim.diagrams.osm_models import INTEGRATORS, PGA
from hybsim.studies.osm import osm_figures as figures
from hybsim.studies.osm import osm_words as words
from hybsim.studies.osm.amplification import alpha_os_matrix, characteristics, osm_matrix
from hybsim.studies.osm.fibre import STOREYS as FIBRE_STOREYS
from hybsim.studies.osm.fibre_worker import SECTION
from hybsim.studies.osm.osm_runs import (
    ALPHA,
    DURATION,
    FINER,
    M_DAMPINGS,
    MODELS,
    MS,
    SEEDS,
    STEEL_DAMPINGS,
    VARIANCE,
    Found,
    simulate,
)
from hybsim.studies.outcome import Outcome, Picture, Progress, Settings, Table

COMPARED = (
    *(f"{name}\nE_c" for name in INTEGRATORS),
    *(f"{name}\nerror [%]" for name in INTEGRATORS),
    "E_c of OSM\nover OSM-US",
)
PRINTED_PERIODS = {3: ("4.9", "0.8")}


def run(settings: Settings, progress: Progress) -> Outcome:
    """All runs, beside what the document says."""
    found = simulate(settings, progress)
    return Outcome(
        title="OSM, alpha-OS and OSM-US: operator splitting with an estimated tangent stiffness",
        summary=summary(settings, found),
        tables=[energy_table(found), steel_table(found), m_table(found), error_table(found), unbalanced_table(found),
                linear_table(), period_table(found), fibre_table(found)],
        pictures=list(pictures(found)),
        data={
            "rows": [r.row() for r in found.runs],
            "steel": [r.row() for r in found.steel],
            "influence_of_m": [r.row() for r in found.m_runs],
            "control_errors": [{k: v for k, v in e.row().items() if k != "changes"} for e in found.errors],
            "unbalanced_moments": [u.row() for u in found.unbalanced],
            "amplification": [row for curve in found.curves for row in curve.rows()],
            "model_2_energy": energy_histories(found),
            "fibre": fibre_rows(found),
        },
        introduction=words.introduction(),
        notes=words.notes(found),
        conclusions=words.conclusions(found),
    )  # fmt: skip


def energy_table(found: Found) -> Table:
    rows = [compared(found, model, damping) for model in MODELS for damping in DAMPINGS]
    return Table("Cumulative energy index and largest error", ("model, damping", *COMPARED), rows, words.ENERGY_TABLE)


def steel_table(found: Found) -> Table:
    rows = [compared(found, model, damping, steel=True) for model in MODELS for damping in STEEL_DAMPINGS]
    return Table("The same with springs of steel", ("model, damping", *COMPARED), rows, words.STEEL_TABLE)


def compared(found: Found, model: int, damping: str, steel: bool = False) -> tuple[str, ...]:
    """A row: all integrators on one model."""
    runs = [found.of(model, damping, name, steel) for name in INTEGRATORS]
    ends = [float(r.energy[-1]) for r in runs]
    return (
        f"{model}, {damping}", *(f"{end:.1f}" for end in ends), *(f"{100.0 * r.largest_error:.2f}" for r in runs),
        f"{ends[0] / ends[2]:.2f}",
    )  # fmt: skip


def m_table(found: Found) -> Table:
    rows = [(f"OSM-US, m = {m}", *(f"{found.with_m(damping, m).energy[-1]:.1f}" for damping in M_DAMPINGS)) for m in MS]
    rows.append(("OSM", *(f"{found.of(3, damping, 'osm').energy[-1]:.1f}" for damping in M_DAMPINGS)))
    return Table("Influence of m on Model 3 (Fig. 10)", ("E_c", *M_DAMPINGS), rows, words.M_TABLE)


def error_table(found: Found) -> Table:
    columns = ("damping, integrator", "threshold\n[in]", "change, mean\n[% of peak]", "change, largest\n[% of peak]")
    rows = [
        (f"{e.damping}, {e.integrator}", f"{e.threshold:.2e}" if e.threshold else "0",
         f"{100.0 * e.changes.mean():.2f}", f"{100.0 * e.changes.max():.2f}")
        for e in found.errors
    ]  # fmt: skip
    return Table("Propagation of control errors in Model 2 (Fig. 12)", columns, rows, words.ERROR_TABLE)


def unbalanced_table(found: Found) -> Table:
    columns = ("damping, integrator", "mean", "95 % below", "largest")
    rows = [
        (f"{u.damping}, {u.integrator}", *(f"{u.row()[key]:.2e}" for key in ("mean", "quantile_95", "largest")))
        for u in found.unbalanced
    ]
    return Table("Unbalanced moment in Model 4 (Fig. 13)", columns, rows, words.UNBALANCED_TABLE)


LINEAR = (
    ("OSM-US, exact", 0.02, 1.0, 1.0, None), ("OSM-US, exact", 0.05, 1.0, 1.0, None),
    ("underestimate", 0.02, 0.8, 1.0, None), ("OSM, half the stiffness left", 0.02, 2.0, 1.0, None),
    ("damping overestimated", 0.02, 1.0, 2.0, None), ("alpha-OS, -0.1", 0.0, 1.0, 1.0, -0.1),
    ("alpha-OS, -0.3", 0.0, 1.0, 1.0, -0.3),
)  # fmt: skip


def linear_table() -> Table:
    columns = ("method", "xi", "alpha", "beta", "radius\nW = 0.5", "radius\nW = 2", "num. damping\nW = 0.5 [%]",
               "elongation\nW = 0.5 [%]", "limit of W")  # fmt: skip
    rows = []
    for name, xi, alpha, beta, dissipation in LINEAR:

        def matrix(
            w: float, xi: float = xi, alpha: float = alpha, beta: float = beta, dissipation: float | None = dissipation
        ) -> Any:
            if dissipation is None:
                return osm_matrix(w, xi, alpha=alpha, beta=beta)
            return alpha_os_matrix(w, xi, dissipation=dissipation, alpha=alpha)

        half, two = (characteristics(matrix(w), w, xi) for w in (0.5, 2.0))
        limit = largest_step(alpha, dissipation or 0.0)
        rows.append((name, f"{xi:g}", f"{alpha:g}", f"{beta:g}", f"{half.radius:.4f}", f"{two.radius:.4f}",
                     f"{100.0 * half.numerical_damping:+.3f}", f"{100.0 * half.elongation:+.2f}",
                     "none" if math.isinf(limit) else f"{limit:.3f}"))  # fmt: skip
    return Table(
        "Stability and accuracy of one linear degree of freedom (Figs. 14-17)", columns, rows, words.LINEAR_TABLE
    )


def period_table(found: Found) -> Table:
    columns = ("model", "T1 [s]", "T2 [s]", "printed T1, T2", "ductility of\nfirst spring")
    rows = []
    for model in MODELS:
        first, second = [*(f"{value:.3f}" for value in column(model).periods[:2]), "-"][:2]
        printed = ", ".join(PRINTED_PERIODS.get(model, ("not printed",)))
        rows.append((f"Model {model}", first, second, printed, f"{found.ductility[model][0]:.1f}"))
    return Table("Periods, beside those that the document prints", columns, rows, words.PERIOD_TABLE)


def fibre_table(found: Found) -> Table:
    title = "Fibre-section columns by OpenSees"
    if found.fibre.problem is not None:
        return Table(title, ("fibre columns", ""), [(found.fibre.problem, "-")], "")
    columns = ("storeys, damping", *COMPARED)
    rows = []
    for storeys in FIBRE_STOREYS:
        for damping in DAMPINGS:
            runs = [found.fibre.run(storeys, damping, name) for name in INTEGRATORS]
            rows.append((f"{storeys}, {damping}", *(f"{r['energy_index']:.0f}" for r in runs),
                         *(f"{100.0 * r['largest_error']:.2f}" for r in runs),
                         f"{runs[0]['energy_index'] / runs[2]['energy_index']:.2f}"))  # fmt: skip
    return Table(title, columns, rows, words.FIBRE_TABLE)


def fibre_rows(found: Found) -> list[dict[str, Any]]:
    if found.fibre.problem is not None:
        return [{"problem": found.fibre.problem}]
    return [
        {"storeys": storeys, "damping": r["damping"], "integrator": r["integrator"],
         "energy_index": r["energy_index"], "largest_error": r["largest_error"]}
        for storeys, made in found.fibre.columns.items()
        for r in made["runs"]
        if r["integrator"] != "reference"
    ]  # fmt: skip


def energy_histories(found: Found) -> list[dict[str, float]]:
    runs = {f"{damping}_{name}": found.of(2, damping, name) for damping in DAMPINGS for name in INTEGRATORS}
    t = found.of(2, "none", "osm").t
    ends = {key: r.energy for key, r in runs.items()}
    return [{"t": float(t[i]), **{key: float(sums[i]) for key, sums in ends.items()}} for i in range(0, len(t), 10)]


def pictures(found: Found) -> Iterator[Picture]:
    yield Picture("response", "Responses with tangent damping (Figs. 6, 8, 9)", words.RESPONSE_FIGURE,
                  partial(figures.responses, found))  # fmt: skip
    yield Picture("energy", "Cumulative energy index of Model 2 (Fig. 7b)", words.ENERGY_FIGURE,
                  partial(figures.energies, found))  # fmt: skip
    yield Picture("influence_of_m", "Influence of m (Fig. 10)", words.M_FIGURE, partial(figures.influence_of_m, found))
    yield Picture("amplification", "Spectral radius, numerical damping, period (Figs. 14-17)", words.LINEAR_FIGURE,
                  partial(figures.amplification, found))  # fmt: skip
    yield Picture("control_errors", "Control errors (Fig. 12)", words.ERROR_FIGURE,
                  partial(figures.control_errors, found))  # fmt: skip
    yield Picture("unbalanced", "Unbalanced moment (Fig. 13)", words.UNBALANCED_FIGURE,
                  partial(figures.unbalanced, found))  # fmt: skip
    if found.fibre.problem is None:
        yield Picture("fibre", "Fibre columns", words.FIBRE_FIGURE, partial(figures.fibre, found))


def summary(settings: Settings, found: Found) -> dict[str, Any]:
    """The rows and everything that is needed to compute them again."""
    record = load_record("elcentro")
    return {
        "study": "osm",
        "rows": [r.row() for r in found.runs],
        "steel": [r.row() for r in found.steel],
        "influence_of_m": [r.row() for r in found.m_runs],
        "control_errors": [e.row() for e in found.errors],
        "unbalanced_moments": [u.row() for u in found.unbalanced],
        "fibre": {"problem": found.fibre.problem, "rows": fibre_rows(found), "section": SECTION,
                  "periods_s": {str(n): made["periods_s"] for n, made in found.fibre.columns.items()}},
        "record": {"name": record.name, "sha256": record.sha256, "pga_g": PGA, "interpolation": "linear"},
        "seed": settings.seed, "seeds": SEEDS, "g_in_s2": G,
        "control_error_variance_in2": VARIANCE if settings.variance is None else settings.variance,
        "dt_s": {str(model): DT[model] for model in MODELS},
        "durations_s": {str(model): DURATION[model] for model in MODELS},
        "reference": f"OSM with a step {FINER} times shorter, damping as defined",
        "energy_index": "sum over steps |r_j (d_j - d_ref,j)|, top node, kip in (Eq. 12)",
        "m": {str(model): M[model] for model in MODELS}, "alpha_of_alpha_os": ALPHA,
        "damping": {
            "ratio": DAMPING_RATIO, "none": "C = 0", "initial": "C = a M + b K0, Rayleigh, modes 1 and 2",
            "tangent": "C = a M + b K(t), the same a and b; OSM and alpha-OS: K0", "mass": "C = 2 zeta omega_1 M",
            "a_b": {str(model): damping_parts(model, "initial") for model in MODELS},
        },
        "structures": {
            str(model): {
                "mass_kip_s2_in": column(model).masses.tolist(), "stiffness_kip_in": column(model).stiffness.tolist(),
                "springs_kip_in": column(model).springs.tolist(), "yield_disp_in": column(model).yields.tolist(),
                "periods_s": column(model).periods.tolist(), "ductility": found.ductility[model],
            }
            for model in MODELS
        },
        "assumed": {"floor_weight_kip": FLOOR_WEIGHT, "hardening": HARDENING, "rotary_inertia_over_m_h2": ROTARY,
                    "springs": "Bouc-Wen, beta 0.55, gamma 0.45, n 2",
                    "steel": "Giuffre-Menegotto-Pinto, defaults of STEEL"},
        "errata": words.ERRATA,
        "printed": {"model_3_periods_s": [4.9, 0.8]},
        "manifests": found.manifests,
    }  # fmt: skip
