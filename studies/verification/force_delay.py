"""A virtual mass that follows a late measurement: fast errors, critical delays, convergence, measured in diagrams.

    (1 - alpha) m x'' + c x' + k x = -m u_g'' - alpha m x''(t - tau)             FORCECOMMAND, x'' measured late
    (1 - alpha) m x'' + k x        = -(1 - alpha) m u_g'' + alpha k x(t - tau)   FORCECOMMAND_MODEL, f measured late

Theory: without damping the first root crosses the imaginary axis at s = i omega with omega tau = pi, where
m omega^2 (1 - 2 alpha) = k in the first equation, and (1 - alpha) m omega^2 = (1 + alpha) k in the second.

At a delay of one tick dt, with the command held over the tick, the first equation is a linear map from tick to tick of
(x, x', x'' of the tick before); its eigenvalue below 0 is what an error is multiplied by in each tick.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.linalg import expm

from hybsim.runtime.program import Program, compile
from hybsim.studies.verification.force import moved, whole
from hybsim.wiring import BDSim

OMEGA = 2.0 * math.pi
STIFFNESS = OMEGA**2
ONE = np.ones((1, 1))
PULSE = 0.2
SHORT = 1e-5


def program(
    factory: str, alpha_m: Any, delay: float, *, dt: float, mass: np.ndarray = ONE, damping: float = 0.0
) -> Program:
    """Masses on springs under a pulse; `delay` late are the acceleration, or velocity and force without it.

    `damping` is the factor of a damping in proportion to the mass.
    """
    bd = BDSim().blockdiagram(dt=dt)
    n = len(mass)
    pulse = bd.COSINEPULSE(name="pulse", amplitude=1.0, duration=PULSE)
    measured_late = dict(accel_delay=delay, allow_unstable=True) if factory == "FORCECOMMAND" else {}
    command = getattr(bd, factory)(name="command", mass=mass, damping=damping * mass, alpha_m=alpha_m, **measured_late)
    vel = bd.INTEGRATOR(x0=np.zeros(n), name="vel")
    disp = bd.INTEGRATOR(x0=np.zeros(n), name="disp", inputs=[vel])
    springs = bd.SPRING(name="springs_force", stiffness=STIFFNESS, width=n, inputs=[disp])
    built = (np.eye(n) - whole(alpha_m, n)) @ mass
    accel = moved(bd, built, damping * mass, np.eye(n), command.force_cmd, vel, springs, command.accel_table)
    bd.connect(accel, vel)
    bd.connect(pulse, command.accel_ground)
    bd.connect(bd.CONSTANT(np.zeros(n), name="T_e"), command.interface)
    late = ("accel",) if factory == "FORCECOMMAND" else ("vel", "force")
    for port, source in (("accel", accel), ("vel", vel), ("force", springs)):
        if port in late and delay > 0.0:
            source = bd.DELAY(name=f"late_{port}", delay=delay, width=n, inputs=[source])
        if port in command.ins:
            bd.connect(source, getattr(command, port))
    return compile(bd)


# one tick late ------------------------------------------------------------------------------


def fast_root(alpha_m: float, damping: float, dt: float) -> float:
    """What a fast error is multiplied by in a tick, read off free vibration: x obeys a recurrence of third order."""
    x = program("FORCECOMMAND", alpha_m, dt, dt=dt, damping=damping).run(PULSE + 40 * dt)["disp"][
        round(PULSE / dt) + 2 :
    ]
    rows = np.column_stack([x[2:-1], x[1:-2], x[:-3]])
    recurrence = np.linalg.lstsq(rows, x[3:], rcond=None)[0]
    return float(np.roots([1.0, *-recurrence]).real.min())


def fast_root_in_theory(alpha_m: float, damping: float, dt: float) -> float:
    """The eigenvalue below 0 of the map from tick to tick."""
    built = 1.0 - alpha_m
    a = np.array([[0.0, 1.0], [-STIFFNESS / built, -damping / built]])
    held = np.zeros((3, 3))
    held[:2, :2], held[1, 2] = a, 1.0 / built
    moved = expm(held * dt)
    late = -alpha_m
    tick = np.vstack([
        np.column_stack([moved[:2, :2], late * moved[:2, 2]]),
        [*a[1], late / built],
    ])  # fmt: skip
    return float(np.linalg.eigvals(tick).real.min())


def grown(alpha_m: Any, damping: float, dt: float, duration: float, mass: np.ndarray = ONE) -> float:
    """The largest displacement of the last tenth of a run over that of the first."""
    x = np.abs(program("FORCECOMMAND", alpha_m, dt, dt=dt, mass=mass, damping=damping).run(duration)["disp"])
    tenth = len(x) // 10
    return float(x[-tenth:].max() / x[:tenth].max())


def factor_of_a_tick(alpha_m: np.ndarray, mass: np.ndarray) -> float:
    """How much the accelerations grow from the last tick but one to the last, for ticks that are short."""
    accel = program("FORCECOMMAND", alpha_m, SHORT, dt=SHORT, mass=mass).run(200 * SHORT)["accel"]
    return float(np.linalg.norm(accel[-1]) / np.linalg.norm(accel[-2]))


# critical delays ----------------------------------------------------------------------------


def critical_delay(factory: str, alpha_m: float) -> float:
    """The delay from which free vibration grows, between the whole ticks that decay and grow next to it."""
    theory = critical_delay_in_theory(factory, alpha_m)
    dt = theory / 100.0
    low, high = (growth(factory, alpha_m, ticks, dt) for ticks in (97, 103))
    # The command is held over a tick, which makes it half a tick later.
    return (97.0 + 6.0 * low / (low - high) + 0.5) * dt


def growth(factory: str, alpha_m: float, ticks: int, dt: float) -> float:
    """The growth rate of the late part of free vibration, over which only the critical root is left."""
    x = np.abs(program(factory, alpha_m, ticks * dt, dt=dt).run(200.0 * 100.0 * dt)["disp"])
    third = len(x) // 3
    return math.log(x[-third:].max() / x[third : 2 * third].max())


def critical_delay_in_theory(factory: str, alpha_m: float) -> float:
    squared = 1.0 - 2.0 * alpha_m if factory == "FORCECOMMAND" else (1.0 - alpha_m) / (1.0 + alpha_m)
    return math.pi / OMEGA * math.sqrt(squared)


# convergence --------------------------------------------------------------------------------


def order_of_the_delay(alpha_m: float, damping: float) -> float:
    """The order in dt with which a response measured one tick late tends to that of the whole specimen."""
    errors = []
    for dt in (1e-3, 5e-4):
        late = program("FORCECOMMAND", alpha_m, dt, dt=dt, damping=damping).run(3.0)["disp"]
        true = program("FORCECOMMAND", 0.0, 0.0, dt=dt, damping=damping).run(3.0)["disp"]
        errors.append(float(np.abs(late - true).max()))
    return math.log2(errors[0] / errors[1])
