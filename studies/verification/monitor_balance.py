"""The energy balance of whole tests, and the two forms of the energy error, in the compiled engine.

Fig. 3-5 of EERC with one degree of freedom, and two storeys with a numerical and an experimental part in parallel:

    M a + C v + K^A d + B^T r(B d applied) = -M 1 a_g,    drifts B d, a lagging actuator for each storey

Newmark's explicit method leaves the residual -dt^2/8 (a^T M a - a_0^T M a_0); see blocks/monitors/energy_balance.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from hybsim.diagrams import fig_3_5
from hybsim.runtime.program import compile
from hybsim.runtime.result import Result
from hybsim.wiring import BDSim

DURATION = 10.0
TICKS = (0.02, 0.01, 0.005)
DELAY, VARIANCE = 0.003, 0.01
"""Of the actuators: mean in s, and variance in ticks^2."""

STIFFNESS, PERIOD, DAMPING_RATIO = 10.0, 1.0, 0.05
MASS = STIFFNESS * (PERIOD / (2.0 * math.pi)) ** 2
DAMPING = 2.0 * DAMPING_RATIO * math.sqrt(STIFFNESS * MASS)

FLOOR_MASS = np.array([[0.5, 0.05], [0.05, 0.4]])
DRIFTS = np.array([[1.0, 0.0], [-1.0, 1.0]])
NUMERICAL = DRIFTS.T @ np.diag([30.0, 20.0]) @ DRIFTS
SHEARS = (25.0, 15.0)
EXPERIMENTAL = DRIFTS.T @ np.diag(SHEARS) @ DRIFTS
FLOOR_DAMPING = 0.2 * FLOOR_MASS + 0.002 * (NUMERICAL + EXPERIMENTAL)
YIELD_DRIFT = 0.3


@dataclass(frozen=True, eq=False)
class Case:
    """A test with its monitors.

    make       the diagram for a tick
    mass       of the integrator
    command    signal with the commands of the actuators
    stiffness  of the specimens at the actuators, where they are linear and have errors"""

    name: str
    make: Callable[[float], Any]
    mass: np.ndarray
    command: str
    stiffness: np.ndarray | None


def with_monitors(bd: Any, structure: Any, applied: Any, force_meas: Any, at: dict[str, Any]) -> Any:
    """ENERGYBALANCE in the structure's coordinates, ENERGYERROR and its form with a stiffness at the actuators."""
    balance = bd.ENERGYBALANCE(name="balance", mass=at["mass"], damping=at["damping"])
    for source, port in (
        (structure.disp_target, balance.disp_target),
        (structure.vel, balance.vel),
        (bd.blocknames["load"], balance.load),
        (at["force_num"], balance.force_num),
        (force_meas, balance.force_meas),
    ):
        bd.connect(source, port)
    stiffness = np.atleast_2d(at["stiffness"])
    measured = bd.ENERGYERROR(name="measured", width=len(stiffness))
    from_stiffness = bd.ENERGYERROR_STIFFNESS(name="from_stiffness", stiffness=stiffness)
    bd.connect(at["command"], measured.disp_cmd, from_stiffness.disp_cmd)
    bd.connect(applied, measured.disp_meas, from_stiffness.disp_meas)
    bd.connect(at["force_actuator"], measured.force_meas)
    return bd


def one_storey(specimen: str, delay: float, dt: float, **integrator: Any) -> Any:
    """Fig. 3-5 with its energy balance."""
    bd = fig_3_5(specimen=specimen, mean=delay / dt, variance=VARIANCE if delay else 0.0, dt=dt, period=PERIOD,
                 stiffness=STIFFNESS, damping_ratio=DAMPING_RATIO, **integrator)  # fmt: skip
    block = bd.blocknames
    return with_monitors(
        bd, block["integrator"], block["lag"][0], block["specimen"],
        dict(mass=MASS, damping=DAMPING, stiffness=STIFFNESS, force_num=bd.CONSTANT(0.0, name="none"),
             command=block["integrator"].disp_target, force_actuator=block["specimen"]),
    )  # fmt: skip


def two_storeys(yielding: bool, delay: float, dt: float) -> Any:
    """Two storeys, each of them part numerical and part experimental."""
    bd = BDSim().blockdiagram("two_storeys", dt=dt)
    ground = bd.GROUNDMOTION(name="record", record="elcentro", scale=386.1 * (1.0 if yielding else 0.2))
    load = bd.GAIN(-FLOOR_MASS @ np.ones(2), name="load", inputs=[ground])
    structure = bd.NEWMARK(name="integrator", mass=FLOOR_MASS, damping=FLOOR_DAMPING, initial_vel=[1.0, -2.0])
    drifts = bd.GAIN(DRIFTS, premul=True, name="drifts", inputs=[structure.disp_target])
    lag = bd.LAG(name="lag", mean=delay / dt, variance=VARIANCE if delay else 0.0, width=2)
    bd.connect(drifts, lag.disp_cmd)
    bd.connect(bd.NORMAL(name="noise", seed=4, width=2), lag.noise)
    split = bd.DEMUX(2, name="split", inputs=[lag])
    columns = [
        bd.ELASTICPLASTIC(name=f"storey{i}", stiffness=k, yield_disp=YIELD_DRIFT, inputs=[split[i]]) if yielding
        else bd.SPRING(name=f"storey{i}", stiffness=k, inputs=[split[i]])
        for i, k in enumerate(SHEARS)
    ]  # fmt: skip
    shears = bd.MUX(2, name="shears", inputs=columns)
    measured = bd.GAIN(DRIFTS.T, premul=True, name="measured_force", inputs=[shears])
    numerical = bd.GAIN(NUMERICAL, premul=True, name="numerical", inputs=[structure.disp_target])
    bd.connect(bd.SUM("++", name="force", inputs=[numerical, measured]), structure.force)
    bd.connect(load, structure.load)
    return with_monitors(
        bd, structure, lag[0], measured,
        dict(mass=FLOOR_MASS, damping=FLOOR_DAMPING, stiffness=np.diag(SHEARS), force_num=numerical, command=drifts,
             force_actuator=shears),
    )  # fmt: skip


def _one(specimen: str, delay: float) -> Case:
    linear = np.array([[STIFFNESS]]) if specimen == "linear" and delay else None
    name = f"Fig. 3-5, {specimen}, {_words(delay)}"
    return Case(name, partial(one_storey, specimen, delay), np.array([[MASS]]), "integrator.disp_target", linear)


def _two(yielding: bool, delay: float) -> Case:
    linear = np.diag(SHEARS) if delay and not yielding else None
    name = f"two storeys, {'elastic-plastic' if yielding else 'linear'}, {_words(delay)}"
    return Case(name, partial(two_storeys, yielding, delay), FLOOR_MASS, "drifts", linear)


def _words(delay: float) -> str:
    return f"{'lag' if delay > 0.0 else 'lead'} of {abs(delay) * 1e3:g} ms" if delay else "no error"


CASES = (
    _one("linear", 0.0),
    _one("linear", DELAY),
    _one("linear", -DELAY),
    _one("elastic-plastic", 0.0),
    _one("elastic-plastic", DELAY),
    _two(False, DELAY),
    _two(True, 0.0),
    _two(True, DELAY),
)


@dataclass(frozen=True)
class OtherIntegrator:
    """An integrator and the order of its residual; `least` if it may be higher."""

    name: str
    order: float
    parameters: tuple[tuple[str, float], ...] = ()
    least: bool = False


OTHERS = (
    OtherIntegrator("CENTRALDIFFERENCE", 2.0),
    OtherIntegrator("CHANG", 2.0),
    OtherIntegrator("OS", 2.0),
    OtherIntegrator("ALPHA_OS", 2.0),
    OtherIntegrator("NEWMARK_BETA", 2.0, least=True),
    OtherIntegrator("HHT", 2.0, least=True),
    OtherIntegrator("CR", 1.0),
    OtherIntegrator("KRALPHA", 1.0, (("rho_inf", 0.8),)),
)


def other_residual(other: OtherIntegrator, dt: float) -> float:
    """The largest residual over the largest input energy: Fig. 3-5, linear, without errors."""
    r = compile(one_storey("linear", 0.0, dt, integrator=other.name, **dict(other.parameters))).run(DURATION)
    return float(np.abs(r["balance.residual"]).max() / np.abs(r["balance.e_input"]).max())


@cache
def run(case: Case, dt: float) -> Result:
    result: Result = compile(case.make(dt)).run(DURATION)
    return result


@dataclass(frozen=True)
class Balance:
    """Of one case and tick, over the largest input energy: the residual, and how far equations are from closing.

    residual  largest residual
    theory    largest difference of the residual from -dt^2/8 (a^T M a - a_0^T M a_0)
    best      largest difference of both sides of Eq. 7.8, with E^BE, the residual taken off"""

    dt: float
    residual: float
    theory: float
    best: float


def measure(case: Case, dt: float) -> Balance:
    r = run(case, dt)
    a = r["integrator.accel"].reshape(len(r.t), -1)
    inertia = np.einsum("ki,ij,kj->k", a, case.mass, a)
    expected = -(dt**2) / 8.0 * (inertia - inertia[1])
    expected[0] = 0.0  # accel is published from the second tick on
    residual = r["balance.residual"]
    start, kinetic, viscous, numerical, inp = (
        r[f"balance.{name}"] for name in ("e_kinetic", "e_kinetic", "e_viscous", "e_numerical", "e_input")
    )
    # ENERGYERROR is of this tick, the balance of the one before.
    error, best = (np.concatenate([[0.0], r[f"measured.{name}"].reshape(len(r.t), -1).sum(axis=1)[:-1]])
                   for name in ("e_error", "e_best"))  # fmt: skip
    closed = start[0] + inp - error - (kinetic + viscous + numerical + best) - residual
    scale = float(np.abs(inp).max())
    return Balance(
        dt, float(np.abs(residual).max() / scale), float(np.abs(residual - expected).max() / scale),
        float(np.abs(closed).max() / scale),
    )  # fmt: skip


@dataclass(frozen=True)
class Forms:
    """Energy errors at the end of a test, summed over the actuators: measured, from the stiffness, and strain energy.

    closing  largest difference, at any tick, of E_M - E_T from the strain energy of command less measured
             displacement, over the largest energy error"""

    measured: float
    from_stiffness: float
    strain: float
    closing: float


def forms(case: Case, dt: float) -> Forms:
    """The two forms of the energy error in a test with a linear specimen."""
    assert case.stiffness is not None
    r = run(case, dt)
    command = r[case.command].reshape(len(r.t), -1)
    applied = r["lag.applied"].reshape(len(r.t), -1)
    strain = 0.5 * (_quadratic(command, case.stiffness) - _quadratic(applied, case.stiffness))
    strain -= strain[0]
    m, t = (r[f"{name}.e_error"].reshape(len(r.t), -1).sum(axis=1) for name in ("measured", "from_stiffness"))
    return Forms(float(m[-1]), float(t[-1]), float(strain[-1]), float(np.abs(m - t - strain).max() / np.abs(m).max()))


def _quadratic(u: np.ndarray, k: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("ki,ij,kj->k", u, k, u))
