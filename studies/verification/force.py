"""A split specimen under table and actuators, beside the whole specimen: the force-based formulation in diagrams.

    M x'' + C x' + B^T s = -M R u_g'' + T_e          B x drifts, s shears of the storeys
    m_c y'' = -m_c u_g'' - k_c (y - x_n),   T_e = k_c (y - x_n) on the top floor, where one storey more is computed

The whole specimen is integrated from this equation, once in a diagram and once by scipy with an error control of
1e-12. The split one has M^p, C^p and f^p only, and is loaded by what FORCECOMMAND_MODEL or FORCECOMMAND says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from hybsim.runtime.program import compile
from hybsim.runtime.result import Result
from hybsim.wiring import BDSim

DT, DURATION = 5e-4, 5.0
TOP_MASS, TOP_STIFFNESS = 20.0, 8e3
BETA, GAMMA = 0.55, 0.45


def ground(t: float) -> float:
    """A ground acceleration without corners, so that the solvers keep their order."""
    return 2.0 * math.sin(4.0 * t) * math.sin(0.6 * t) + 1.5 * math.sin(11.0 * t + 1.0) * math.sin(0.4 * t)


@dataclass(frozen=True, eq=False)
class Specimen:
    """Storeys of a shear building, from the ground up; `yield_drift` makes them Bouc-Wen, `cubic` adds k u^3."""

    name: str
    mass: np.ndarray
    damping: np.ndarray
    stiffness: float
    cubic: float = 0.0
    yield_drift: float | None = None
    computed_top: bool = False

    @property
    def dofs(self) -> int:
        return len(self.mass)

    @property
    def drifts(self) -> np.ndarray:
        """B: what the storeys see of the displacements."""
        b: np.ndarray = np.eye(self.dofs) - np.eye(self.dofs, k=-1)
        return b


def one_floor(name: str, **shears: Any) -> Specimen:
    """The specimen of Table 3, 79.1 kg, at 2 Hz with 2 % damping."""
    mass, omega = 79.1, 4.0 * math.pi
    return Specimen(name, np.array([[mass]]), np.array([[0.04 * mass * omega]]), mass * omega**2, **shears)


def three_floors(name: str, **shears: Any) -> Specimen:
    """Three floors whose masses are coupled, under a fourth that is computed."""
    mass = np.array([[90.0, 8.0, 0.0], [8.0, 80.0, 6.0], [0.0, 6.0, 60.0]])
    stiffness = 4e4
    b = np.eye(3) - np.eye(3, k=-1)
    return Specimen(name, mass, 0.3 * mass + 0.001 * stiffness * b.T @ b, stiffness, computed_top=True, **shears)


SPECIMENS = (
    one_floor("one floor, linear"),
    one_floor("one floor, hardening", cubic=2e6),
    one_floor("one floor, Bouc-Wen", yield_drift=0.02),
    three_floors("three floors, linear"),
    three_floors("three floors, hardening", cubic=2e6),
    three_floors("three floors, Bouc-Wen", yield_drift=0.02),
)


# the diagrams -------------------------------------------------------------------------------


def run(specimen: Specimen, split: Mapping[str, Any] | None, block: str = "FORCECOMMAND_MODEL") -> Result:
    """The whole specimen, or the one split by these parameters of a block."""
    return compile(diagram(specimen, split, block)).run(DURATION)


def diagram(specimen: Specimen, split: Mapping[str, Any] | None, block: str = "FORCECOMMAND_MODEL") -> Any:
    bd = BDSim().blockdiagram(dt=DT)
    n, still = specimen.dofs, np.zeros(specimen.dofs)
    u_g = bd.FUNCTION(ground, name="ground", inputs=[bd.TIME(name="time")])
    vel = bd.INTEGRATOR(x0=still, name="vel")
    disp = bd.INTEGRATOR(x0=still, name="disp", inputs=[vel])
    force = restoring(bd, specimen, disp, vel)
    interface = computed_floor(bd, specimen, u_g, disp) if specimen.computed_top else bd.CONSTANT(still, name="T_e")
    if split is None:
        accel = moved(bd, specimen.mass, specimen.damping, np.eye(n), interface, vel, force, u_g)
    else:
        command = getattr(bd, block)(name="command", mass=specimen.mass, damping=specimen.damping, **split)
        built = [np.eye(n) - whole(split.get(f"alpha_{of}", 0.0), n) for of in "mcf"]
        parts = built[0] @ specimen.mass, built[1] @ specimen.damping, built[2]
        accel = moved(bd, *parts, command.force_cmd, vel, force, command.accel_table)
        signals = dict(accel_ground=u_g, interface=interface, accel=accel, vel=vel, force=force)
        for port in command.ins:
            bd.connect(signals[port], getattr(command, port))
    bd.connect(accel, vel)
    return bd


def whole(alpha: Any, dofs: int) -> np.ndarray:
    """A splitting matrix, given as a number, a diagonal or in full."""
    matrix: np.ndarray = np.asarray(alpha) if np.ndim(alpha) == 2 else np.diag(np.broadcast_to(alpha, dofs))
    return matrix


def moved(
    bd: Any, mass: np.ndarray, damping: np.ndarray, share: np.ndarray, load: Any, vel: Any, force: Any, base: Any
) -> Any:
    """M x'' = load - C x' - share f - M R base, solved for x''."""
    net = bd.SUM("+--", name="net", inputs=[
        load,
        bd.GAIN(damping, premul=True, name="damper", inputs=[vel]),
        bd.GAIN(share, premul=True, name="springs", inputs=[force]),
    ])  # fmt: skip
    absolute = bd.GAIN(np.linalg.inv(mass), premul=True, name="absolute", inputs=[net])
    return bd.SUM("+-", name="accel", inputs=[absolute, bd.GAIN(np.ones(len(mass)), name="base", inputs=[base])])


def restoring(bd: Any, specimen: Specimen, disp: Any, vel: Any) -> Any:
    """f = B^T s(B x, B x')"""
    n = specimen.dofs
    drift, rate = (
        bd.GAIN(specimen.drifts, premul=True, name=f"drift_{of}", inputs=[source])
        for of, source in (("disp", disp), ("vel", vel))
    )
    if specimen.yield_drift is None:
        shear = bd.CUBICSPRING(
            stiffness=specimen.stiffness, cubic=specimen.cubic, width=n, name="shear", inputs=[drift]
        )
    else:
        split = [bd.DEMUX(n, name=f"storeys_{i}", inputs=[source]) for i, source in enumerate((drift, rate))]
        shear = bd.MUX(n, name="shear", inputs=[
            bd.BOUCWEN_RATE(
                stiffness=specimen.stiffness, yield_disp=specimen.yield_drift, alpha=0.1, beta=BETA, gamma=GAMMA,
                n=2.0, name=f"storey_{i}", inputs=[split[0][i], split[1][i]],
            )
            for i in range(n)
        ])  # fmt: skip
    return bd.GAIN(specimen.drifts.T, premul=True, name="restoring", inputs=[shear])


def computed_floor(bd: Any, specimen: Specimen, u_g: Any, disp: Any) -> Any:
    """T_e of the floor that stands on the specimen in the computer."""
    top = np.eye(specimen.dofs)[-1]
    vel = bd.INTEGRATOR(name="top_vel")
    place = bd.INTEGRATOR(name="top_disp", inputs=[vel])
    below = bd.GAIN(top[None, :], premul=True, name="below", inputs=[disp])
    shear = bd.GAIN(TOP_STIFFNESS, name="top_shear", inputs=[bd.SUM("+-", name="top_drift", inputs=[place, below])])
    pushed = bd.GAIN(1.0 / TOP_MASS, name="pushed", inputs=[shear])
    bd.connect(bd.SUM("--", name="top_accel", inputs=[u_g, pushed]), vel)
    return bd.GAIN(top, name="T_e", inputs=[shear])


# the reference ------------------------------------------------------------------------------


@cache
def reference(specimen: Specimen) -> np.ndarray:
    """Displacements of the whole specimen at the ticks, by scipy."""
    n, b = specimen.dofs, specimen.drifts

    def rate(t: float, state: np.ndarray) -> np.ndarray:
        x, v, z, (y, w) = state[:n], state[n : 2 * n], state[2 * n : 3 * n], state[3 * n :]
        drift, drift_rate = b @ x, b @ v
        z_rate = np.zeros(n)
        shear = specimen.stiffness * drift + specimen.cubic * drift**3
        if specimen.yield_drift is not None:
            shear = specimen.stiffness * (0.1 * drift + 0.9 * specimen.yield_drift * z)
            z_rate = drift_rate - GAMMA * np.abs(drift_rate) * z * np.abs(z) - BETA * drift_rate * z**2
            z_rate /= specimen.yield_drift
        top = TOP_STIFFNESS * (y - x[-1]) if specimen.computed_top else 0.0
        interface = top * np.eye(n)[-1]
        a = np.linalg.solve(specimen.mass, interface - specimen.damping @ v - b.T @ shear) - ground(t)
        return np.concatenate([v, a, z_rate, [w, -ground(t) - top / TOP_MASS]])

    times = DT * np.arange(round(DURATION / DT) + 1)
    start = np.zeros(3 * n + 2)
    solution = solve_ivp(rate, (0.0, DURATION), start, method="DOP853", t_eval=times, rtol=1e-12, atol=1e-14)
    x: np.ndarray = solution.y[:n].T
    return x


def difference(disp: np.ndarray, true: np.ndarray) -> float:
    """The largest difference over the largest displacement."""
    return float(np.abs(disp.reshape(true.shape) - true).max() / np.abs(true).max())


# splittings ---------------------------------------------------------------------------------


def random_split(specimen: Specimen, rng: np.random.Generator) -> dict[str, Any]:
    """Full splitting matrices: of mass and damping as alpha = M^v M^-1, of the force with any eigenvectors."""
    n = specimen.dofs
    vectors = np.eye(n) + 0.3 * rng.normal(size=(n, n))
    alpha_f = vectors @ np.diag(rng.uniform(0.0, 1.0, n)) @ np.linalg.inv(vectors)
    return dict(
        alpha_m=virtual_share(specimen.mass, rng.uniform(0.0, 0.9, n), rng),
        alpha_c=virtual_share(specimen.damping, rng.uniform(0.0, 1.0, n), rng),
        alpha_f=alpha_f,
        alpha_l=rng.uniform(),
        inertia_on_table=rng.uniform() if n == 1 else 0.0,
    )


def virtual_share(matrix: np.ndarray, shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """alpha = M^v M^-1 of a symmetric part M^v of a positive definite matrix M, with these eigenvalues."""
    root = np.linalg.cholesky(matrix)
    turn = np.linalg.qr(rng.normal(size=matrix.shape))[0]
    alpha: np.ndarray = root @ turn @ np.diag(shares) @ turn.T @ np.linalg.inv(root)
    return alpha
