"""Models 1 to 4 of the OSM paper under El Centro, integrated by OSM, alpha-OS or OSM-US, and their reference.

    M a + C v + r(d) = -M i a_g,    r = T^T s(T d)        springs s: Bouc-Wen or Menegotto-Pinto steel

`osm_columns` has the columns, their assumptions, damping definitions and stability limits. At every tick the integrator
sends its predictor d~ ("integrator.disp_target"); the specimen reaches d~ plus a control error ("applied.out"); the
force of all springs comes back ("restoring.out"). OSM and alpha-OS know the initial stiffness alone, so their damping
is that of K0 both for "initial" and "tangent"; OSM-US follows the tangent for "tangent". It estimates the tangent from
targets and measured forces.

The reference is OSM with a step `finer` times shorter. Its damping for "tangent" needs no estimate of a tangent: the
force b K(t) v is b dr/dt, the difference of the restoring force over the short tick.

Model 4 is in two substructures: the moments at their common node are element [1] of "bottom.force" and "top.force",
divided by the storey height.

Hung & El-Tawil (2009), Eqs. 1-11, Fig. 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hybsim.blocks.sources.records import load_record
from hybsim.diagrams.osm_columns import DT, HARDENING, Column, G, M, check_stable, column, damping_parts
from hybsim.errors import ParameterError
from hybsim.wiring import BDSim

INTEGRATORS = ("osm", "alpha-os", "osm-us")
SPRINGS = ("bouc-wen", "steel")
PGA = 0.36
"""g, printed; the bundled record is scaled to it."""

UNITS = {
    "record.accel": "in/s2", "load.out": "kip", "integrator.disp_target": "in", "integrator.vel": "in/s",
    "integrator.accel": "in/s2", "error.value": "in", "applied.out": "in", "deformation.disp_cmd": "in",
    "springs.out": "kip", "restoring.out": "kip", "bottom.force": "kip", "top.force": "kip",
}  # fmt: skip


def osm_model(
    *,
    model: int = 2,
    integrator: str = "osm-us",
    m: int | None = None,
    alpha: float = -0.1,
    damping: str = "none",
    springs: str = "bouc-wen",
    dt: float | None = None,
    stiffness_ratio: float = 1.0,
    error_variance: float = 0.0,
    threshold: float = 0.0,
    seed: int = 1,
    record: Any = "elcentro",
    pga: float | None = PGA,
) -> Any:
    """One of the four models with one of the three integrators.

    m                 increments that OSM-US uses; None for the paper's (2, 3, 8, 8)
    alpha             of alpha-OS, from -1/3 to 0
    stiffness_ratio   the initial stiffness told to the integrator over the true one
    error_variance    of the control error in in^2, white and normal, another one for each degree of freedom
    threshold         of OSM-US in inches: smaller increments are left out
    """
    if integrator not in INTEGRATORS:
        raise ParameterError(f"The integrator must be one of {', '.join(map(repr, INTEGRATORS))}, got {integrator!r}.")
    made, (a, b) = column(model), damping_parts(model, damping)
    tick = DT[model] if dt is None else dt
    check_stable(model, dt=tick, ratio=stiffness_ratio, alpha=alpha if integrator == "alpha-os" else 0.0)
    bd = _diagram(f"osm_model_{model}", tick)
    known = stiffness_ratio * made.stiffness
    follows = integrator == "osm-us" and damping == "tangent"
    given: dict[str, Any] = dict(
        name="integrator", mass=made.mass, stiffness=known, damping=a * made.mass + (0.0 if follows else b) * known
    )
    if integrator == "osm":
        structure = bd.OS(**given)
    elif integrator == "alpha-os":
        structure = bd.ALPHA_OS(**given, alpha=alpha)
    else:
        structure = bd.OSM_US(
            **given, steps=M[model] if m is None else m, threshold=threshold, tangent_damping=b if follows else 0.0
        )
    load = _load(bd, made, record, pga)
    error = bd.NORMAL(name="error", variance=error_variance, seed=seed, width=len(made.masses))
    applied = bd.SUM("++", name="applied", inputs=[structure.disp_target, error])
    bd.connect(_springs(bd, made, springs, applied), structure.force)
    bd.connect(load, structure.load)
    return bd


def osm_reference(
    *,
    model: int = 2,
    damping: str = "none",
    springs: str = "bouc-wen",
    dt: float | None = None,
    finer: int = 20,
    record: Any = "elcentro",
    pga: float | None = PGA,
) -> Any:
    """The same model with a tick of dt / finer, and the damping as it is defined."""
    made, (a, b) = column(model), damping_parts(model, damping)
    tick = (DT[model] if dt is None else dt) / finer
    bd = _diagram(f"osm_reference_{model}", tick)
    constant = a * made.mass + (0.0 if damping == "tangent" else b) * made.stiffness
    structure = bd.OS(name="integrator", mass=made.mass, stiffness=made.stiffness, damping=constant)
    load = _load(bd, made, record, pga)
    restoring = _springs(bd, made, springs, structure.disp_target)
    if damping == "tangent":
        before = bd.DELAY(name="before", delay=tick, width=len(made.masses), inputs=[restoring])
        rate = bd.SUM("+-", name="rise", inputs=[restoring, before])
        force = bd.SUM("++", name="force", inputs=[restoring, bd.GAIN(b / tick, name="viscous", inputs=[rate])])
        bd.connect(force, structure.force)
    else:
        bd.connect(restoring, structure.force)
    bd.connect(load, structure.load)
    return bd


def _diagram(name: str, dt: float) -> Any:
    bd = BDSim().blockdiagram(name, dt=dt)
    bd.units = UNITS
    return bd


def _load(bd: Any, made: Column, record: Any, pga: float | None) -> Any:
    motion = load_record(record)
    scale = G if pga is None else G * pga / motion.pga
    ground = bd.GROUNDMOTION(name="record", record=motion, scale=scale)
    return bd.GAIN(-made.masses * made.influence, name="load", inputs=[ground])


def _springs(bd: Any, made: Column, kind: str, applied: Any) -> Any:
    """The restoring force of all springs, and of each substructure."""
    if kind not in SPRINGS:
        raise ParameterError(f"The springs must be one of {', '.join(map(repr, SPRINGS))}, got {kind!r}.")
    count = len(made.springs)
    deformation = bd.TOACTUATORS(name="deformation", transformation=made.transformation, inputs=[applied])
    # One deformation is a number, which bdsim's DEMUX does not take.
    single = bd.DEMUX(count, name="single", inputs=[deformation]) if count > 1 else [deformation]
    block = bd.BOUCWEN if kind == "bouc-wen" else bd.STEEL
    blocks = [
        block(name=f"spring{i + 1}", stiffness=float(made.springs[i]), yield_disp=float(made.yields[i]),
              alpha=HARDENING, inputs=[single[i]])
        for i in range(count)
    ]  # fmt: skip
    forces = bd.MUX(count, name="springs", inputs=blocks)
    if len(made.parts) == 1:
        whole = bd.TOSTRUCTURE(name="whole", transformation=made.transformation, inputs=[forces])
        # The same name as that of the sum of two substructures.
        return bd.GAIN(1.0, name="restoring", inputs=[whole])
    parts = []
    for name, rows in zip(("bottom", "top"), made.parts, strict=True):
        own = bd.MUX(rows.stop - rows.start, name=f"{name}_springs", inputs=blocks[rows])
        parts.append(bd.TOSTRUCTURE(name=name, transformation=np.array(made.transformation[rows]), inputs=[own]))
    return bd.SUM("++", name="restoring", inputs=parts)
