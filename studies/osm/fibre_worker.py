"""Fibre-section columns in OpenSees, in a process of their own: python -m hybsim.studies.osm.fibre_worker TASK RESULT

TASK and RESULT are json files. OpenSees keeps one global model and prints when it ends, so it has its own process, and
its output is not the result. For each damping definition:

    reference    OpenSees alone: Newmark's average acceleration with Newton iterations, step dt / finer
    the others   `stepping.integrate`, which moves the column in OpenSees to its targets and reads the forces

The column: `storeys` elements with 4 sections of fibres each (force-based), fixed at the foot, floors at the nodes.
Materials of the paper's Table I. The section is drawn in the paper's Fig. 4 but not described in its text: SECTION is
assumed.
OpenSees' Rayleigh damping also acts on the nodes' rotations, which carry no mass; in the step-by-step runs they are in
static equilibrium. For damping by the mass alone the two are the same.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from hybsim.diagrams.osm_columns import rayleigh
from hybsim.studies.osm.stepping import Stepped, integrate

SECTION = dict(
    side_in=20.0, cover_in=2.0, bars_a_face=4, bar_area_in2=1.0, storey_height_in=120.0, floor_weight_kip=100.0
)
UNCONFINED = (-6.0, -0.002, -0.4, -0.01, 0.1, 0.6, 300.0)
CONFINED = (-7.2, -0.0045, -2.4, -0.03, 0.1, 0.72, 360.0)
STEEL = (60.0, 29000.0, 0.01)
"""Concrete02 and Steel01, Table I (ksi)."""

LAYERS = 12
"""Of fibres over the depth of the section."""

G = 386.1
PENALTY = 1e10
ALGORITHMS = (("Newton",), ("KrylovNewton",), ("NewtonLineSearch", "-type", "Bisection"), ("Newton", "-initial"))
TOLERANCE = 1e-9
"""Of the last correction of the displacements, in."""


def build(ops: Any, storeys: int) -> None:
    """The column under the weight of its floors."""
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    height, mass = SECTION["storey_height_in"], SECTION["floor_weight_kip"] / G
    for node in range(storeys + 1):
        ops.node(node + 1, 0.0, node * height)
        if node:
            ops.mass(node + 1, mass, 1e-9, 1e-9)
    ops.fix(1, 1, 1, 1)
    ops.uniaxialMaterial("Concrete02", 1, *UNCONFINED)
    ops.uniaxialMaterial("Concrete02", 2, *CONFINED)
    ops.uniaxialMaterial("Steel01", 3, *STEEL)
    half, core = 0.5 * SECTION["side_in"], 0.5 * SECTION["side_in"] - SECTION["cover_in"]
    ops.section("Fiber", 1)
    ops.patch("rect", 2, LAYERS, 1, -core, -core, core, core)
    ops.patch("rect", 1, LAYERS, 1, -core, core, core, half)
    ops.patch("rect", 1, LAYERS, 1, -core, -half, core, -core)
    ops.patch("rect", 1, 2, 1, core, -half, half, half)
    ops.patch("rect", 1, 2, 1, -half, -half, -core, half)
    bars, area = int(SECTION["bars_a_face"]), SECTION["bar_area_in2"]
    for face in (core, -core):
        ops.layer("straight", 3, bars, area, face, -core, face, core)
    inner = core * (1.0 - 2.0 / (bars - 1))
    for row in np.linspace(-inner, inner, bars - 2):
        ops.layer("straight", 3, 2, area, float(row), -core, float(row), core)
    ops.geomTransf("Linear", 1)
    ops.beamIntegration("Lobatto", 1, 1, 4)
    for storey in range(storeys):
        ops.element("forceBeamColumn", storey + 1, storey + 1, storey + 2, 1, 1, "-iter", 30, 1e-10)
    ops.timeSeries("Linear", 1)
    ops.pattern("Plain", 1, 1)
    for node in range(storeys):
        ops.load(node + 2, 0.0, -SECTION["floor_weight_kip"], 0.0)
    analysis(ops, "Plain", ("LoadControl", 1.0), "Static")
    solve(ops, "the weight of the floors")
    ops.loadConst("-time", 0.0)
    ops.wipeAnalysis()


def analysis(ops: Any, constraints: str, integrator: tuple[Any, ...], kind: str) -> None:
    ops.constraints(constraints, *((PENALTY, PENALTY) if constraints == "Penalty" else ()))
    ops.numberer("Plain")
    ops.system("FullGeneral")
    ops.test("NormDispIncr", TOLERANCE, 200)
    ops.integrator(*integrator)
    ops.analysis(kind)


def solve(ops: Any, what: str, *step: float) -> None:
    """One step; cracking can make Newton's method jump to and fro, then others are tried from the last equilibrium."""
    for algorithm in ALGORITHMS:
        ops.algorithm(*algorithm)
        if ops.analyze(1, *step) == 0:
            return
    raise RuntimeError(f"OpenSees did not converge on {what}; tried {', '.join(name for name, *_ in ALGORITHMS)}.")


class Moved:
    """The column moved to given floor displacements; gives the forces that takes."""

    def __init__(self, ops: Any, storeys: int) -> None:
        build(ops, storeys)
        self.ops, self.nodes = ops, range(2, storeys + 2)
        ops.timeSeries("Constant", 2)
        ops.pattern("Plain", 2, 2)
        analysis(ops, "Penalty", ("LoadControl", 0.0), "Static")

    def __call__(self, disp: np.ndarray) -> np.ndarray:
        ops = self.ops
        ops.remove("loadPattern", 2)
        ops.pattern("Plain", 2, 2)
        for node, value in zip(self.nodes, disp, strict=True):
            ops.sp(node, 1, float(value))
        solve(ops, f"the displacements {disp.tolist()}")
        ops.reactions()
        return np.array([ops.nodeReaction(node, 1) for node in self.nodes])


def initial_stiffness(ops: Any, storeys: int, move: float = 1e-5) -> np.ndarray:
    """K0 of the floors by small displacements, each from the virgin column."""
    columns = []
    for floor in range(storeys):
        at_rest = Moved(ops, storeys)
        none = at_rest(np.zeros(storeys))
        columns.append((at_rest(move * np.eye(storeys)[floor]) - none) / move)
    k = np.array(columns).T
    return 0.5 * (k + k.T)


def reference(
    ops: Any, storeys: int, ground: np.ndarray, dt: float, finer: int, rayleigh: tuple[float, float, float]
) -> np.ndarray:
    """Displacements of the floors at every dt, OpenSees alone; rayleigh: factors of M, K(t), K0."""
    build(ops, storeys)
    ops.timeSeries("Path", 2, "-dt", dt, "-values", *map(float, ground))
    ops.pattern("UniformExcitation", 2, 1, "-accel", 2)
    of_mass, of_tangent, of_first = rayleigh
    ops.rayleigh(of_mass, 0.0, of_first, of_tangent)  # of the last step: that within the iterations may not converge
    analysis(ops, "Plain", ("Newmark", 0.5, 0.25), "Transient")
    rows = [[0.0] * storeys]
    for step in range(len(ground) - 1):
        for _ in range(finer):
            solve(ops, f"the step at {step * dt:g} s", dt / finer)
        rows.append([ops.nodeDisp(node, 1) for node in range(2, storeys + 2)])
    return np.array(rows)


def work(task: dict[str, Any]) -> dict[str, Any]:
    """All runs of a task: storeys, dt, finer, m, alpha, ratio, dampings, ground (in/s2 at every dt)."""
    import openseespy.opensees as ops

    storeys, dt, ground = task["storeys"], task["dt"], np.array(task["ground"])
    mass = SECTION["floor_weight_kip"] / G * np.eye(storeys)
    first = initial_stiffness(ops, storeys)
    w = np.sqrt(np.linalg.eigvalsh(first)) / np.sqrt(mass[0, 0])
    load = -np.outer(ground, np.diag(mass))
    runs: list[dict[str, Any]] = []
    made: dict[tuple[str, float, float, bool], Stepped] = {}
    for damping in task["dampings"]:
        a, b = rayleigh(w, damping, task["ratio"])
        factors = (a, b if damping == "tangent" else 0.0, b if damping == "initial" else 0.0)
        true = reference(ops, storeys, ground, dt, task["finer"], factors)
        runs.append({"damping": damping, "integrator": "reference", "disp": true[:, -1].tolist()})
        for name in ("osm", "alpha-os", "osm-us"):
            us = name == "osm-us"
            follows = us and damping == "tangent"
            if (name, a, b, follows) not in made:  # with K0 alone, `initial` and `tangent` are one run
                made[name, a, b, follows] = integrate(
                    Moved(ops, storeys), mass=mass, stiffness=first, load=load, dt=dt, mass_damping=a,
                    stiffness_damping=b, tangent=us, tangent_damping=follows, m=task["m"],
                    alpha=task["alpha"] if name == "alpha-os" else 0.0,
                )  # fmt: skip
            stepped = made[name, a, b, follows]
            runs.append({
                "damping": damping, "integrator": name, "disp": stepped.disp[:, -1].tolist(),
                "force": stepped.force[:, -1].tolist(),
                "energy_index": float(np.abs(stepped.force[:, -1] * (stepped.disp - true)[:, -1]).sum()),
                "largest_error": float(np.abs((stepped.disp - true)[:, -1]).max() / np.abs(true[:, -1]).max()),
            })  # fmt: skip
    return {
        "storeys": storeys, "periods_s": (2.0 * np.pi / w).tolist(), "stiffness_kip_in": first.tolist(), "runs": runs,
        "version": str(ops.version()),
    }  # fmt: skip


if __name__ == "__main__":
    given, result = map(Path, sys.argv[1:])
    result.write_text(json.dumps(work(json.loads(given.read_text()))))
