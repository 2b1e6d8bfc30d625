"""FHT's substructure test: a frame modelled in OpenSees with one column under test, our integrator around both.

    M a + C v + r_OpenSees(u) + r_column(u_12) = -M 1 a_g,      C = a0 M + a1 K,   2 % in modes 1 and 2

    integrator -> target u (6 horizontal) -> OPENSEESMODEL  -> +
                                 u_12     -> column 13 kip/in -> + -> integrator

The integrator is operator splitting (alpha = 0) with the initial stiffness K of frame and column: for an elastic frame
exactly the trapezoidal rule of the paper, with one static analysis a step; or with `iterated`, the paper's own: FHT's
alpha-method with ten iterations, each with an analysis and a command on the parabola. The six degrees of freedom are
those with mass; the others are condensed statically, by OpenSees in the run and by `stiffness()` here for K.

The paper gives the mass of a floor but not where it is. With half of each bay at each end (1/4, 1/2, 1/4), horizontal
only, the first three frequencies are 14.3385, 41.480 and 241.13 rad/s: the printed 14.33, 41.47 and 241.1 with the
digits beyond cut off. The third is the floor beams stretching. The record starts one step after rest, since OpenSees
starts its own integration from an acceleration of zero.

Shing, Wei, Jung, Stauffer (2004), section Substructure Test. Units kip, inch, second.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from hybsim.blocks.sources.records import Record, load_record
from hybsim.diagrams import fht_opensees as frame
from hybsim.errors import RunError
from hybsim.wiring import BDSim

G = 386.1
PGA = 0.25
STEP = 0.01
ITERATIONS = 10
DAMPING_RATIO = 0.02
PRINTED = (14.33, 41.47, 241.1)
"""rad/s, in the paper."""

MODEL = Path(frame.__file__)
TESTED = frame.NODES.index(frame.TESTED)
TIMEOUT = 60.0

UNITS = {
    "record.accel": "in/s2", "load.out": "kip", "integrator.disp_target": "in", "integrator.vel": "in/s",
    "integrator.accel": "in/s2", "frame.force": "kip", "column.force": "kip", "restoring.out": "kip",
}  # fmt: skip


def mass() -> np.ndarray:
    """kip s2/in at the six nodes."""
    return np.diag(np.outer([frame.FLOOR_MASS, frame.ROOF_MASS], frame.SHARES).ravel())


def stiffness() -> np.ndarray:
    """Frame and column, condensed to the horizontal degrees of freedom of the six nodes; kip/in."""
    whole = np.zeros((3 * len(frame.NODES),) * 2)
    for first, second in frame.members():
        _add(whole, first, second, bending=True)
    _add(whole, 2, frame.TESTED, bending=False)
    moved = list(range(0, len(whole), 3))
    inner = [i for i in range(len(whole)) if i not in moved]
    link = np.linalg.solve(whole[np.ix_(inner, inner)], whole[np.ix_(inner, moved)])
    condensed = whole[np.ix_(moved, moved)] - whole[np.ix_(moved, inner)] @ link
    condensed[TESTED, TESTED] += frame.COLUMN
    return (condensed + condensed.T) / 2.0


def _add(whole: np.ndarray, first: int, second: int, *, bending: bool) -> None:
    """One prismatic member between two nodes; those at the ground have no place."""
    start, end = np.array(frame.place(first)), np.array(frame.place(second))
    length = float(np.linalg.norm(end - start))
    c, s = (end - start) / length
    axial = frame.E * frame.AREA / length
    ei = frame.E * frame.INERTIA * bending
    # Deformations: stretch, and the two rotations of the ends against the chord.
    deform = np.array([
        [-c, -s, 0.0, c, s, 0.0],
        [-s / length, c / length, 1.0, s / length, -c / length, 0.0],
        [-s / length, c / length, 0.0, s / length, -c / length, 1.0],
    ])  # fmt: skip
    basic = np.array([[axial, 0, 0], [0, 4 * ei / length, 2 * ei / length], [0, 2 * ei / length, 4 * ei / length]])
    member = deform.T @ basic @ deform
    places = [3 * frame.NODES.index(n) + i if n in frame.NODES else None for n in (first, second) for i in range(3)]
    for i, row in enumerate(places):
        for j, column in enumerate(places):
            if row is not None and column is not None:
                whole[row, column] += member[i, j]


def frequencies() -> np.ndarray:
    """rad/s, all six."""
    root = 1.0 / np.sqrt(np.diag(mass()))
    return np.sqrt(np.linalg.eigvalsh(stiffness() * np.outer(root, root)))


def rayleigh() -> tuple[float, float]:
    """a0 and a1 of C = a0 M + a1 K."""
    first, second = frequencies()[:2]
    return 2.0 * DAMPING_RATIO * first * second / (first + second), 2.0 * DAMPING_RATIO / (first + second)


def motion_after_rest(record: Any) -> Record:
    """The record, one step later where it does not start from zero."""
    motion = load_record(record)
    if motion.accel[0] == 0.0:
        return motion
    return Record(motion.name, np.concatenate([[0.0], motion.accel]), motion.dt, source=motion.source)


def fht_frame(*, iterated: bool = False, record: Any = "elcentro", pga: float = PGA, timeout: float = 10.0) -> Any:
    """The hybrid test under a record (in g) scaled to a peak of `pga`; needs the extra `opensees` to run."""
    bd = BDSim().blockdiagram("fht_frame", dt=STEP / ITERATIONS if iterated else STEP)
    bd.units = UNITS
    motion = motion_after_rest(record)
    m, k = mass(), stiffness()
    a0, a1 = rayleigh()
    ground = bd.GROUNDMOTION(name="record", record=motion, scale=G * pga / motion.pga)
    load = bd.GAIN(-np.diag(m), name="load", inputs=[ground])
    structure: dict[str, Any] = dict(name="integrator", mass=m, damping=a0 * m + a1 * k, stiffness=k, alpha=0.0)
    if iterated:
        integrator = bd.FHT(**structure, ticks_per_step=ITERATIONS, iterations=ITERATIONS)
    else:
        integrator = bd.ALPHA_OS(**structure)
    target = integrator.disp_target
    numerical = bd.OPENSEESMODEL(
        name="frame", model=f"{MODEL}:substructure", interface=[(node, 1) for node in frame.NODES],
        timeout=timeout, inputs=[target],
    )  # fmt: skip
    tested = bd.INDEX([TESTED], name="tested", inputs=[target])
    column = bd.SPRING(name="column", stiffness=frame.COLUMN, inputs=[tested])
    held = bd.GAIN(np.eye(len(m))[TESTED], name="held", inputs=[column])
    restoring = bd.SUM("++", name="restoring", inputs=[numerical, held])
    bd.connect(restoring, integrator.force)
    bd.connect(load, integrator.load)
    return bd


def completed(result: Any) -> np.ndarray:
    """Displacements of the completed steps, all but the last.

    Of operator splitting: the target plus dt^2/4 of the acceleration, published a tick later. The tenth command of
    FHT's iterations is the displacement.
    """
    target, accel = result["integrator.disp_target"], result["integrator.accel"]
    if result.t[1] < STEP:
        return np.asarray(target[::ITERATIONS][:-1])
    return np.asarray(target[:-1] + STEP**2 / 4.0 * accel[1:])


def monolithic(accel: np.ndarray) -> np.ndarray:
    """The whole frame integrated by OpenSees under a ground acceleration in in/s2, in a process of its own."""
    a0, a1 = rayleigh()
    asked = dict(accel=accel.tolist(), dt=STEP, mass_factor=a0, stiffness_factor=a1)
    return np.array(_opensees(asked)["disp"])


def opensees_frequencies() -> np.ndarray:
    """rad/s, all six, by OpenSees."""
    return np.array(_opensees({})["omega"])


def _opensees(asked: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        given, answer = Path(folder) / "in.json", Path(folder) / "out.json"
        given.write_text(json.dumps(asked))
        done = subprocess.run(
            [sys.executable, str(MODEL), str(given), str(answer)],
            capture_output=True, text=True, timeout=TIMEOUT, check=False,
        )  # fmt: skip
        if done.returncode != 0 or not answer.exists():
            raise RunError(f"OpenSees did not compute the whole frame (code {done.returncode}): {done.stderr[-300:]}")
        found: dict[str, Any] = json.loads(answer.read_text())
        assert all(math.isfinite(x) for row in found.values() for x in np.ravel(row))
        return found
