"""The frame of FHT's substructure test in OpenSees: without its tested column, or whole and integrated by OpenSees.

    21 --- 22 --- 23      roof,  node masses 0.03, 0.06, 0.03 kip s2/in, horizontal
     |      |      |
    11 --- 12 --- 13      floor, node masses 0.06, 0.12, 0.06
     |      :      |      :  tested column, pinned at 12; a truss carries its axial force
     1      2      3      fixed

`substructure(ops)` is the model of an OPENSEESMODEL block. ``python fht_opensees.py IN OUT`` integrates the whole frame
(Newmark, average acceleration): two JSON files, and a process of its own. Imports nothing, so that it starts at once.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

E, AREA, INERTIA = 29000.0, 35.3, 1380.0
BAY, STOREY = 302.4, 190.8
COLUMN = 13.0
"""kip/in: the tested column on its flexible support."""

FLOOR_MASS, ROOF_MASS = 0.24, 0.12
SHARES = (0.25, 0.5, 0.25)
"""Of a floor's mass at its three nodes: half of each bay goes to each end."""

NODES = (11, 12, 13, 21, 22, 23)
TESTED = 12
FOOT, TOP = 92, 93
SUPPORT, CANTILEVER, AXIAL = 92, 93, 94


def members() -> list[tuple[int, int]]:
    """Beams and columns between nodes, without the tested column."""
    columns = [(1, 11), (3, 13), (11, 21), (12, 22), (13, 23)]
    return columns + [(11, 12), (12, 13), (21, 22), (22, 23)]


def place(node: int) -> tuple[float, float]:
    """Coordinates of a node in inches: its last digit is the line of columns, the first the level."""
    return (node % 10 - 1) * BAY, node // 10 * STOREY


def substructure(ops: Any) -> None:
    """Everything but the bending of the tested column."""
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    for node in (1, 2, 3, *NODES):
        ops.node(node, *place(node))
    for node in (1, 2, 3):
        ops.fix(node, 1, 1, 1)
    ops.geomTransf("Linear", 1)
    for tag, (first, second) in enumerate(members(), 1):
        ops.element("elasticBeamColumn", tag, first, second, AREA, E, INERTIA, 1)
    ops.uniaxialMaterial("Elastic", AXIAL, E)
    ops.element("Truss", AXIAL, 2, TESTED, AREA, AXIAL, "-doRayleigh", 1)


def support_stiffness() -> float:
    """kip in/rad of the support under the cantilever: 1/13 = h^3 / 3 E I + h^2 / k."""
    flexibility: float = 1.0 / COLUMN - STOREY**3 / (3.0 * E * INERTIA)
    return STOREY**2 / flexibility


def whole(ops: Any) -> None:
    """The frame with the column as a cantilever on a rotational spring, and the masses."""
    substructure(ops)
    ops.node(FOOT, *place(2))
    ops.node(TOP, *place(TESTED))
    ops.fix(FOOT, 1, 1, 0)
    ops.fix(TOP, 0, 1, 0)
    ops.uniaxialMaterial("Elastic", SUPPORT, support_stiffness())
    ops.element("zeroLength", SUPPORT, 2, FOOT, "-mat", SUPPORT, "-dir", 6, "-doRayleigh", 1)
    ops.element("elasticBeamColumn", CANTILEVER, FOOT, TOP, AREA, E, INERTIA, 1)
    ops.equalDOF(TESTED, TOP, 1)
    for level, mass in ((1, FLOOR_MASS), (2, ROOF_MASS)):
        for line, share in enumerate(SHARES, 1):
            ops.mass(10 * level + line, share * mass, 0.0, 0.0)


def integrated(
    *, accel: list[float], dt: float, mass_factor: float, stiffness_factor: float
) -> dict[str, list[list[float]]]:
    """Displacements of the six nodes relative to the ground, tick by tick; Rayleigh damping with two factors."""
    import openseespy.opensees as ops

    ops.wipe()
    whole(ops)
    ops.rayleigh(mass_factor, 0.0, stiffness_factor, 0.0)
    ops.timeSeries("Path", 1, "-dt", dt, "-values", *accel)
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
    ops.constraints("Transformation")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.algorithm("Linear")
    ops.integrator("Newmark", 0.5, 0.25)
    ops.analysis("Transient")
    rows = [[0.0] * len(NODES)]
    for _ in accel[1:]:
        if ops.analyze(1, dt) != 0:
            raise RuntimeError("OpenSees did not integrate the whole frame")
        rows.append([ops.nodeDisp(node, 1) for node in NODES])
    return {"disp": rows}


def frequencies() -> dict[str, list[float]]:
    """The lowest six, in rad/s: as many as there are masses."""
    import openseespy.opensees as ops

    ops.wipe()
    whole(ops)
    ops.constraints("Transformation")
    return {"omega": [value**0.5 for value in ops.eigen("-fullGenLapack", len(NODES))]}


if __name__ == "__main__":
    asked = json.loads(Path(sys.argv[1]).read_text())
    answer = integrated(**asked) if asked else frequencies()
    Path(sys.argv[2]).write_text(json.dumps(answer))
