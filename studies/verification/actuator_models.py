"""Frequency response of every linear model of an actuator or a frame, next to python-control's.

The theory is put together from transfer functions by `control.feedback`, products and `control.sample_system`, not
from the blocks' own formulas.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import control

from hybsim.blocks.actuators.identified import as_printed
from hybsim.blocks.actuators.servo_hydraulic import ServoHydraulic
from hybsim.blocks.actuators.servo_pd import ServoPd
from hybsim.studies.verification.actuator_responses import Wire, behind_a_sine, response
from hybsim.studies.verification.rows import Response

TICK = 0.00025
COARSE = 0.004  # s: at this tick the sampled models differ visibly from the continuous ones
INTEGRATED = 1e-5  # classical Runge-Kutta steps of TICK
RESONANT = 1e-4  # the same at a pole with 2 % of damping, where a small error of its frequency counts
FRAME = dict(stiffness=44.0, frequency=37.0)
SPECIMEN = 2.8


@dataclass(frozen=True)
class Case:
    """A path through a diagram and the system it should be."""

    block: str
    path: str
    wire: Wire
    signal: str
    system: Any
    hertz: tuple[float, ...]
    dt: float = TICK
    amplitude: float = 1.0
    tolerance: float = INTEGRATED


def rows() -> list[Response]:
    """Every model at every frequency."""
    result = []
    for case in cases():
        program = behind_a_sine(case.wire, case.dt, case.amplitude)
        for hertz in case.hertz:
            s = 2j * math.pi * hertz
            theory = complex(case.system(s if not case.system.dt else complex(math.e ** (s * case.dt))))
            measured = response(program, case.signal, hertz)
            result.append(Response(case.block, case.path, hertz, measured, theory, case.tolerance, "python-control"))
    return result


def cases() -> Iterator[Case]:
    """All the paths."""
    yield from _identified()
    yield from _first_order()
    yield from _servo_pd()
    yield from _servo_hydraulic()
    yield from _frame()


def alone(factory: str, port: str, **parameters: Any) -> Wire:
    """The block alone with the sine at one port and zeros at the others."""

    def wire(bd: Any, sine: Any) -> None:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="TS_2 is used with unit DC gain")
            block = getattr(bd, factory)(name="rig", **parameters)
        for number, other in enumerate(block.ins):
            bd.connect(sine if other == port else bd.CONSTANT(0.0), block[number])

    return wire


def _identified() -> Iterator[Case]:
    for name in ("TS_1", "TS_2"):
        _, den = as_printed(name)
        system = control.tf([den[-1]], den)
        wire = alone("ACTUATOR", "command", system=name)
        yield Case("ACTUATOR", name, wire, "rig.position", system, (1.0, 5.0, 20.0, 50.0))
        for method in ("zoh", "tustin", "foh"):
            wire = alone("ACTUATOR_S", "command", system=name, method=method)
            sampled = control.sample_system(
                control.ss(system), COARSE, method="bilinear" if method == "tustin" else method
            )
            path = f"{name}, {method}"
            yield Case("ACTUATOR_S", path, wire, "rig.position", sampled, (1.0, 20.0), COARSE, tolerance=1e-8)


def _first_order() -> Iterator[Case]:
    lag = 0.05
    system, hertz = control.tf([1.0], [lag, 1.0]), (0.5, 1.0 / (2.0 * math.pi * lag), 20.0)
    yield Case("FIRSTORDER", "lag", alone("FIRSTORDER", "command", time_constant=lag), "rig.position", system, hertz)
    wire, sampled = alone("FIRSTORDER_S", "command", time_constant=lag), control.sample_system(system, COARSE)
    yield Case("FIRSTORDER_S", "lag", wire, "rig.position", sampled, hertz, COARSE, tolerance=1e-8)


def _servo_pd() -> Iterator[Case]:
    s = control.tf("s")
    loop, filtering = (float(ServoPd.params[name].default) for name in ("loop_gain", "derivative_time"))
    for kp, kd in ((0.5, 0.25), (1.0, 0.5)):
        # The derivative of the command is filtered, that of the position is not: a feedforward and a feedback.
        forward = kp + kd * filtering * s / (filtering * s + 1.0)
        piston = control.feedback(loop / s, kp + kd * filtering * s)
        gains = f"gains {kp:g}, {kd:g}"
        wire = alone("SERVO_PD", "command", proportional_gain=kp, derivative_gain=kd)
        for port, system in (("position", forward * piston), ("vel", s * forward * piston)):
            yield Case(
                "SERVO_PD", f"{port}, {gains}", wire, f"rig.{port}", system, (0.1, 1.0, 2.0, 10.0), amplitude=0.1
            )


def _servo_hydraulic() -> Iterator[Case]:
    hertz = (1.0, 10.0, 30.0, 67.0)
    q = {name: float(declared.default) for name, declared in ServoHydraulic.params.items()}
    for words, k in (("", q["stiffness"]), (", k = 0", 0.0)):
        command, force, load_cell = chain(q | dict(stiffness=k))
        wire = alone("SERVOHYDRAULIC", "command", stiffness=k)
        yield Case("SERVOHYDRAULIC", f"position{words}", wire, "rig.position", command, hertz, TICK, 1e-3, RESONANT)
    yield Case("SERVOHYDRAULIC", "force_meas, k = 0", wire, "rig.force_meas", load_cell, hertz, TICK, 1e-3, RESONANT)
    wire = alone("SERVOHYDRAULIC", "force", stiffness=0.0)
    yield Case(
        "SERVOHYDRAULIC", "position over `force`, k = 0", wire, "rig.position", force, hertz, TICK, 100.0, RESONANT
    )

    def attached(bd: Any, sine: Any) -> None:
        rig = bd.SERVOHYDRAULIC(name="rig", stiffness=0.0)
        spring = bd.SPRING(name="spring", stiffness=q["stiffness"])
        bd.connect(sine, rig.command)
        bd.connect(rig.position, spring)
        bd.connect(spring, rig.force)

    path = "position, k as a SPRING at `force`"
    yield Case("SERVOHYDRAULIC", path, attached, "rig.position", chain(q)[0], hertz, TICK, 1e-3, RESONANT)


def chain(q: dict[str, float]) -> tuple[Any, Any, Any]:
    """Position over command, position over a force from outside and force_meas over command."""
    valve = control.tf([q["valve_gain"]], [1.0, q["valve_damping"], q["valve_stiffness"]])
    oil = control.tf([1.0], [1.0, q["leakage"]])
    moved = control.tf([1.0], [q["mass"], q["damping"], q["stiffness"]])
    by_velocity = control.tf([q["velocity_feedback"], 0.0], [1.0])
    inner = control.feedback(control.series(oil, moved), by_velocity)
    command = q["command_gain"] * control.feedback(control.series(valve, inner), 1.0)
    force = -control.feedback(moved, control.series(control.parallel(valve, by_velocity), oil))
    return command, force, command * control.tf([q["mass"], q["damping"], q["stiffness"]], [1.0])


def _frame() -> Iterator[Case]:
    omega = 2.0 * math.pi * FRAME["frequency"]
    flexibility = control.tf([omega**2 / FRAME["stiffness"]], [1.0, 2.0 * 0.02 * omega, omega**2])
    hertz = (1.0, 20.0, 38.0, 60.0)
    wire = alone("REACTIONFRAME", "force", **FRAME)
    yield Case("REACTIONFRAME", "frame_disp over force", wire, "rig.frame_disp", -flexibility, hertz)
    velocity = -flexibility * control.tf("s")
    yield Case("REACTIONFRAME", "frame_vel over force", wire, "rig.frame_vel", velocity, hertz[:2])
    path = "disp over stroke with a SPRING"
    against = control.feedback(1.0, SPECIMEN * flexibility)
    yield Case("REACTIONFRAME", path, _against_a_spring("REACTIONFRAME", **FRAME), "rig.disp", against, hertz)
    wire = _against_a_spring("REACTIONFRAME_S", stiffness=FRAME["stiffness"])
    at_once = control.feedback(1.0, control.tf([SPECIMEN / FRAME["stiffness"]], [1.0, 0.0], COARSE))
    yield Case("REACTIONFRAME_S", path, wire, "rig.disp", at_once, (1.0, 20.0), COARSE, tolerance=1e-8)


def _against_a_spring(factory: str, **parameters: float) -> Wire:
    def wire(bd: Any, sine: Any) -> None:
        frame = getattr(bd, factory)(name="rig", **parameters)
        specimen = bd.SPRING(name="specimen", stiffness=SPECIMEN)
        bd.connect(sine, frame.stroke)
        bd.connect(frame.disp, specimen)
        bd.connect(specimen, frame.force)

    return wire
