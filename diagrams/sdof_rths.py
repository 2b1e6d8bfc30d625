"""Virtual real-time hybrid simulation of one degree of freedom, beside the structure it stands for.

    reference      a_R + 2 zeta omega_n v_R + omega_n^2 d_R = -a_g
    numerical      alpha a + 2 beta zeta omega_n v + gamma omega_n^2 d = -a_g - F(t - tau)
    physical       F = (1 - alpha) a + 2 (1 - beta) zeta omega_n v + (1 - gamma) omega_n^2 d
    error          e = d_R - d

    alpha, beta, gamma   numerical shares of mass, damping and stiffness: M_n / M, C_n / C, K_n / K
    zeta, omega_n        damping ratio and natural frequency (rad/s) of the whole
    tau                  delay of the feedback force, in s

Forces are for a unit mass, so they are in m/s^2. With `rig="delay"` the physical substructure follows exactly and its
force is late by `delay`. With an actuator as the rig, "TS_1", "TS_2" or (num, den), the command is late by `delay`
(computation and communication), the actuator follows it, and the physical substructure gets the position, velocity and
acceleration of the actuator, which come from its state:

    F = (1 - alpha) s^2 X + 2 (1 - beta) zeta omega_n s X + (1 - gamma) omega_n^2 X,    X = TS(s) exp(-s delay) d

Both substructures are advanced by Newmark's explicit method (NEWMARK), that is, by central differences:

    a_k = (d_{k+1} - 2 d_k + d_{k-1}) / dt^2,    v_k = (d_{k+1} - d_{k-1}) / (2 dt)

Central differences are symmetric in time: they have no delay of their own, no damping, and an error of (omega dt)^2/12.
Nothing is held between the ticks, so that the delay is `delay`, not half a tick more: a_k and v_k of a completed step
are known one tick later, and DELAY makes up the rest of the delay, `delay` - dt. That is also why there is no algebraic
loop although a mass is delayed; the delay must be at least one tick. Between whole ticks DELAY interpolates, which
lowers the gain by f (1 - f) (omega dt)^2 / 2. An actuator is discretised for commands that are straight between the
ticks (foh), again without a delay of its own, so that its `delay` may be 0.

All numbers can be swept in the built program: `partition_parameters` names them. Units: metre, second, unit mass.

PSI Figs. 4.1 and 4.4, Eqs. 2.2, 4.1, 4.2: Maghareh, Dyke, Prakash, Rhoads (2013), Purdue University, IISL-004.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hybsim.blocks.actuators.identified import IDENTIFIED, with_unit_dc_gain
from hybsim.blocks.actuators.linear_system import LinearSystem, balanced, from_polynomials
from hybsim.errors import ParameterError
from hybsim.wiring import BDSim

G = 9.80665
"""Standard gravity in m/s^2."""

DELAY = "delay"
"""The rig that is a pure delay."""

ERROR = "error.out"
"""The signal e."""

UNITS = {
    "ground.accel": "m/s2", "ground.value": "m/s2", "load.out": "m/s2",
    "reference.disp_target": "m", "reference.vel": "m/s", "reference.accel": "m/s2", "reference_spring.force": "m/s2",
    "numerical.disp_target": "m", "numerical.vel": "m/s", "numerical.accel": "m/s2", "numerical_spring.force": "m/s2",
    "completed.delayed": "m", "command.delayed": "m", "feedback.delayed": "m/s2", "specimen.out": "m/s2",
    "restoring.out": "m/s2", "error.out": "m", "squares.out": "m2", "sum_of_squares.out": "m2 s",
}  # fmt: skip


def sdof_rths(
    *,
    alpha: float = 0.8,
    beta: float = 0.5,
    gamma: float = 0.8,
    zeta: float = 0.01,
    omega_n: float = 5.0,
    delay: float = 0.01,
    max_delay: float | None = None,
    rig: Any = DELAY,
    record: Any = None,
    scale: float = G,
    spectrum: float = 1.0,
    sample_time: float | None = None,
    seed: int = 1,
    initial_disp: float = 0.0,
    dt: float = 0.001,
) -> Any:
    """A virtual test under white noise, or under a record (in g) times `scale`.

    `spectrum` is S_g in m^2/s^3, `sample_time` the time for which a number of the noise is held (None: one tick).
    `initial_disp` lets both structures go from there. `max_delay` is the longest delay of a sweep.
    """
    _check(alpha, beta, gamma, zeta, omega_n)
    bd = BDSim().blockdiagram("sdof_rths", dt=dt)
    bd.units = UNITS
    if record is None:
        ground = bd.WHITENOISE(name="ground", power=spectrum, sample_time=sample_time, seed=seed)
    else:
        ground = bd.GROUNDMOTION(name="ground", record=record, scale=scale)
    load = bd.GAIN(-1.0, name="load", inputs=[ground])
    reference = _structure(bd, "reference", 1.0, 2.0 * zeta * omega_n, omega_n**2, initial_disp)
    numerical = _structure(bd, "numerical", alpha, 2.0 * beta * zeta * omega_n, gamma * omega_n**2, initial_disp)
    bd.connect(load, reference.load, numerical.load)
    bd.connect(bd.blocknames["reference_spring"], reference.force)
    motion = _shares(1.0 - alpha, 1.0 - beta, 1.0 - gamma, zeta, omega_n)
    if isinstance(rig, str) and rig == DELAY:
        feedback = _delayed_force(bd, numerical, motion, delay, max_delay, dt)
    else:
        feedback = _actuator_force(bd, numerical, motion, delay, max_delay, rig)
    restoring = bd.SUM("++", name="restoring", inputs=[bd.blocknames["numerical_spring"], feedback])
    bd.connect(restoring, numerical.force)
    bd.SUM("+-", name="error", inputs=[reference.disp_target, numerical.disp_target])
    return bd


def partition_parameters(*, alpha: float, beta: float, gamma: float, zeta: float, omega_n: float) -> dict[str, Any]:
    """Another structure or another partition of it, as parameters of the built program."""
    _check(alpha, beta, gamma, zeta, omega_n)
    return {
        "reference.damping": 2.0 * zeta * omega_n,
        "reference_spring.stiffness": omega_n**2,
        "numerical.mass": alpha,
        "numerical.damping": 2.0 * beta * zeta * omega_n,
        "numerical_spring.stiffness": gamma * omega_n**2,
        "specimen.K": _shares(1.0 - alpha, 1.0 - beta, 1.0 - gamma, zeta, omega_n),
    }


def delay_parameter(delay: float, dt: float, rig: Any = DELAY) -> dict[str, float]:
    """Another delay, as a parameter of a program with ticks of dt."""
    if isinstance(rig, str) and rig == DELAY:
        return {"feedback.delay": _rest(delay, dt)}
    return {"command.delay": delay}


def with_mean_square(bd: Any, start: float = 0.0) -> Any:
    """The diagram with the integral of e^2 from `start` on, parameter "settled.T": no history need be kept for it.

    At the tick of T its value `sum_of_squares.out` is the sum of the ticks from `start` to before T, times dt.
    """
    error = bd.blocknames["error"]
    settled = bd.STEP(T=start, name="settled")
    squares = bd.PROD("***", name="squares", inputs=[error, error, settled])
    bd.INTEGRATOR_S(bd.base_clock, name="sum_of_squares", inputs=[squares])
    return bd


def _check(alpha: float, beta: float, gamma: float, zeta: float, omega_n: float) -> None:
    for name, share in (("alpha", alpha), ("beta", beta), ("gamma", gamma)):
        if not 0.0 <= share <= 1.0:
            raise ParameterError(f"{name} is the numerical share of a structure and must lie in [0, 1], got {share:g}.")
    if alpha == 0.0:
        raise ParameterError("alpha must be above 0: without a mass the numerical substructure has no acceleration.")
    for name, value in (("zeta", zeta), ("omega_n", omega_n)):
        if not 0.0 < value < math.inf:
            raise ParameterError(f"{name} must be a finite number above 0, got {value:g}.")


def _structure(bd: Any, name: str, mass: float, damping: float, stiffness: float, disp: float) -> Any:
    """An integrator with its spring, the force not yet wired."""
    structure = bd.NEWMARK(name=name, mass=mass, damping=damping, initial_disp=disp)
    bd.SPRING(name=f"{name}_spring", stiffness=stiffness, inputs=[structure.disp_target])
    return structure


def _delayed_force(
    bd: Any, numerical: Any, shares: np.ndarray, delay: float, max_delay: float | None, dt: float
) -> Any:
    """The force of the completed step, one tick old, late by the rest of the delay."""
    completed = bd.DELAY(name="completed", delay=dt, inputs=[numerical.disp_target])
    motion = bd.MUX(3, name="motion", inputs=[completed, numerical.vel, numerical.accel])
    specimen = bd.GAIN(shares, name="specimen", inputs=[motion])
    longest = max_delay if max_delay is None else _rest(max_delay, dt)
    return bd.DELAY(name="feedback", delay=_rest(delay, dt), max_delay=longest, min_delay=0.0, inputs=[specimen])


def _actuator_force(
    bd: Any, numerical: Any, shares: np.ndarray, delay: float, max_delay: float | None, rig: Any
) -> Any:
    """The force that belongs to the motion of the actuator."""
    command = bd.DELAY(name="command", delay=delay, max_delay=max_delay, min_delay=0.0, inputs=[numerical.disp_target])
    actuator = bd.ACTUATOR_S(name="actuator", system=actuator_motion(rig), method="foh", inputs=[command])
    return bd.GAIN(shares, name="specimen", inputs=[actuator])


def _shares(mass: float, damping: float, stiffness: float, zeta: float, omega_n: float) -> np.ndarray:
    """Force over displacement, velocity and acceleration of these shares of the structure."""
    return np.array([stiffness * omega_n**2, 2.0 * damping * zeta * omega_n, mass])


def _rest(delay: float, dt: float) -> float:
    """What is left of the delay after the tick that a completed step takes."""
    if delay < dt:
        raise ParameterError(
            f"The delay of {delay:g} s is shorter than a tick of {dt:g} s, in which the acceleration of the physical"
            " mass becomes known; use a shorter tick."
        )
    return delay - dt


def actuator_motion(rig: Any) -> LinearSystem:
    """The actuator with position, velocity and acceleration as its outputs; all of them come from its state."""
    if isinstance(rig, str) and rig in IDENTIFIED:
        rig = with_unit_dc_gain(rig)
    if not (isinstance(rig, tuple) and len(rig) == 2):
        raise ParameterError(
            f"The rig must be {DELAY!r}, {', '.join(map(repr, IDENTIFIED))} or a pair (num, den), got {rig!r}."
        )
    try:
        follower = balanced(from_polynomials(*rig))
    except ValueError as error:
        raise ParameterError(f"The rig's transfer function {error}.") from error
    a, b, c = follower.a, follower.b, follower.c
    if follower.d.any() or (c @ b).any():
        raise ParameterError(
            "The rig's transfer function needs two poles more than zeros, or the actuator has no finite acceleration;"
            " add poles above the frequencies of interest."
        )
    return LinearSystem(a, b, np.vstack([c, c @ a, c @ a @ a]), np.vstack([0.0, 0.0, c @ a @ b]))
