"""The simulations of EERC Chapter 8: five pairs of a structure and a record, with actuators that lag.

    case  structure             record     scale, linear   scale, elastic-plastic
    1     T = 1.0 s             El Centro  0.2             1.0
    2     T = 1.0 s             Tabas      0.13            0.35
    3     T = 0.33 s            El Centro  1.0             5.0
    4     T = 0.33 s            Tabas      0.5             1.5
    5     T = 1.0 and 0.38 s    El Centro  0.2             1.0

All have 5 % damping in every mode, k = 10 kip/in and u_y = 1 in for every storey, dt = 0.01 s. Cases 1 to 4 are the
diagram of Fig. 3-5. Case 5 is a shear frame with equal masses and equal storey stiffnesses, whose periods then have the
ratio (1 + sqrt 5)^2 / 4 = 2.618; an actuator in each storey imposes the drift, with errors of its own:

    e = T u,   e^m_i = e_i - eta_i (e_i - e_{i-1}),   r = T^T s(e^m),   T = [[1, 0], [-1, 1]]
    E^input = int f^T du = int (T^-T f)^T de

u floor displacements, e drifts, s storey shears, f = -M 1 a_g the load; T^-T f is the load above each storey. So all
energies are summed at the actuators. C = a_0 M + a_1 K with a_0, a_1 for 5 % in both modes. E^strain = 1/2 k u_y^2 a
storey. Units: kip, inch, second.

EERC Table 8-10, corrected: the amplitudes of Cases 2 and 4 are interchanged there, and "5" is 0.5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybsim.blocks.actuators.degrees_of_freedom import storey_drifts
from hybsim.diagrams.eerc_chapter3 import UNITS, G, fig_3_5
from hybsim.errors import ParameterError
from hybsim.wiring import BDSim

MODELS = ("linear", "elastoplastic")
DT = 0.01
STIFFNESS, YIELD_DISP, DAMPING_RATIO = 10.0, 1.0, 0.05
VARIANCE = 0.1
RECORDS = {"elcentro": "El Centro", "tabas": "Tabas"}

FRAME_UNITS = {
    **UNITS, "load.out": "kip", "drifts.disp_cmd": "in", "shears.out": "kip", "restoring.force": "kip",
    "load_above.force": "kip", "specimen_1.force": "kip", "specimen_2.force": "kip",
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A line of Table 8-10; `scale` is the factor on the record for each model."""

    number: int
    storeys: int
    period: float
    record: str
    scale: Mapping[str, float]

    @property
    def command(self) -> str:
        """The signal that the actuators follow."""
        return "drifts.disp_cmd" if self.storeys > 1 else "integrator.disp_target"

    @property
    def mass(self) -> np.ndarray:
        """M, for which the first period is that of the case."""
        omega = 2.0 * math.pi / self.period
        lowest = float(np.linalg.eigvalsh(self.stiffness)[0])
        return lowest / omega**2 * np.eye(self.storeys)

    @property
    def stiffness(self) -> np.ndarray:
        """K of the floors, with linear specimens."""
        drifts = storey_drifts(self.storeys)
        return STIFFNESS * drifts.T @ drifts

    @property
    def frequencies(self) -> np.ndarray:
        """Circular frequencies in rad/s, from the lowest."""
        return np.sqrt(np.linalg.eigvalsh(self.stiffness) / self.mass[0, 0])

    @property
    def damping(self) -> np.ndarray:
        """C = a_0 M + a_1 K with 5 % damping in the lowest and the highest mode."""
        low, high = self.frequencies[[0, -1]]
        return 2.0 * DAMPING_RATIO / (low + high) * (low * high * self.mass + self.stiffness)

    @property
    def prose(self) -> str:
        periods = " and ".join(f"{2.0 * math.pi / omega:.2f}" for omega in self.frequencies)
        return f"{self.storeys}-DOF, T = {periods} s, {RECORDS[self.record]}"

    def scaled_record(self, model: str) -> str:
        return f"{self.scale[model]:g} \N{MULTIPLICATION SIGN} {RECORDS[self.record]}"


CASES = {
    case.number: case
    for case in (
        Case(1, 1, 1.0, "elcentro", {"linear": 0.2, "elastoplastic": 1.0}),
        Case(2, 1, 1.0, "tabas", {"linear": 0.13, "elastoplastic": 0.35}),
        Case(3, 1, 0.33, "elcentro", {"linear": 1.0, "elastoplastic": 5.0}),
        Case(4, 1, 0.33, "tabas", {"linear": 0.5, "elastoplastic": 1.5}),
        Case(5, 2, 1.0, "elcentro", {"linear": 0.2, "elastoplastic": 1.0}),
    )
}


def table_8_10(
    case: int = 1, *, model: str = "linear", mean: float = 0.2, variance: float = VARIANCE, seed: int = 1
) -> Any:
    """The diagram of a case of Table 8-10; `mean` x dt is the lag: 0.2 is 2 ms, 1.0 is 10 ms."""
    if case not in CASES:
        raise ParameterError(f"Table 8-10 has the cases {', '.join(map(str, CASES))}, got {case!r}.")
    if model not in MODELS:
        raise ParameterError(f"The model must be one of {', '.join(map(repr, MODELS))}, got {model!r}.")
    given = CASES[case]
    if given.storeys > 1:
        return _frame(given, model, mean, variance, seed)
    return fig_3_5(
        specimen="linear" if model == "linear" else "elastic-plastic", mean=mean, variance=variance, seed=seed,
        period=given.period, damping_ratio=DAMPING_RATIO, stiffness=STIFFNESS, yield_disp=YIELD_DISP,
        record=given.record, amplitude=given.scale[model], dt=DT,
    )  # fmt: skip


def watched(bd: Any, level: float) -> Any:
    """A diagram of this chapter with the monitor of Sec. 8.4.2: it trips and latches when HSEI_I is below a level."""
    monitor = bd.THRESHOLD(name="monitor", level=level, sense="below")
    bd.connect(bd.blocknames["energy"].hsei_i, monitor.signal)
    bd.connect(bd.CONSTANT(0.0, name="rearm"), monitor.rearm)
    return bd


def _frame(case: Case, model: str, mean: float, variance: float, seed: int) -> Any:
    """The shear frame of two storeys, with an actuator in each."""
    drifts = storey_drifts(case.storeys)
    bd = BDSim().blockdiagram("table_8_10", dt=DT)
    bd.units = FRAME_UNITS
    ground = bd.GROUNDMOTION(name="record", record=case.record, scale=case.scale[model] * G)
    load = bd.GAIN(-np.diag(case.mass), name="load", inputs=[ground])
    structure = bd.NEWMARK(name="integrator", mass=case.mass, damping=case.damping)
    commands = bd.TOACTUATORS(name="drifts", transformation=drifts)
    noise = bd.NORMAL(name="noise", seed=seed, width=case.storeys)
    lag = bd.LAG(name="lag", mean=mean, variance=variance, width=case.storeys)
    shears = _specimens(bd, model, lag, case.storeys)
    restoring = bd.TOSTRUCTURE(name="restoring", transformation=drifts, inputs=[shears])
    above = bd.TOSTRUCTURE(name="load_above", transformation=np.linalg.inv(drifts), inputs=[load])
    energy = bd.ENERGY(name="energy", width=case.storeys, strain_energy=case.storeys * 0.5 * STIFFNESS * YIELD_DISP**2)
    bd.connect(load, structure.load)
    bd.connect(restoring, structure.force)
    bd.connect(structure.disp_target, commands)
    bd.connect(commands, lag.disp_cmd, energy.disp_cmd)
    bd.connect(noise, lag.noise)
    bd.connect(lag, energy.disp_meas)
    bd.connect(shears, energy.force_meas)
    bd.connect(above, energy.load)
    return bd


def _specimens(bd: Any, model: str, lag: Any, storeys: int) -> Any:
    """The storey shears: springs, or an elastic-plastic specimen for each storey."""
    if model == "linear":
        return bd.SPRING(name="shears", stiffness=STIFFNESS, width=storeys, inputs=[lag])
    applied = bd.DEMUX(storeys, name="applied", inputs=[lag])
    shears = bd.MUX(storeys, name="shears")
    for i in range(storeys):
        specimen = bd.ELASTICPLASTIC(name=f"specimen_{i + 1}", stiffness=STIFFNESS, yield_disp=YIELD_DISP)
        bd.connect(applied[i], specimen.disp)
        bd.connect(specimen, shears[i])
    return shears
